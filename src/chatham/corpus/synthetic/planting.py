"""Anchors: words that one topic has and no other, added to given topics or planted in made-up ones.

A model with an anchor for each topic is separable, which is what anchor-word learners rely on.
Topics fitted to real documents need not be (Arora et al. 2013, section 5.3, found anchors for about
80 % of them).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chatham.corpus.checks import whole
from chatham.corpus.synthetic.compositions import Dirichlet
from chatham.errors import InputError
from chatham.naming import plural
from chatham.wording import Parameter, say

Array = NDArray[np.float64]
Places = NDArray[np.int64]


class Planted(NamedTuple):
    """Topics (k×d), and the place of each topic's anchor, which no other topic has."""

    topics: Array
    anchors: Places


def planted_topics(
    k: int,
    d: int,
    *,
    concentration: float = 0.05,
    anchor_probability: float = 0.005,
    random_state: Any = None,
) -> Planted:
    """Topics over d words: one word is the topic's own anchor, the others come from a Dirichlet.

    The k anchors lie anywhere in the vocabulary.

    >>> topics, anchors = planted_topics(2, 6, anchor_probability=0.25, random_state=0)
    >>> topics[:, anchors]
    array([[0.25, 0.  ],
           [0.  , 0.25]])
    """
    if not (whole(k) and whole(d) and 1 <= k < d):
        raise InputError(
            say(
                "planted_topics needs whole numbers k ≥ 1 and d > k, not {k=!r} and "
                "{d=!r}: each topic takes a word as its anchor, and words must be left.",
                k=k,
                d=d,
            )
        )
    _check_probability(anchor_probability, "anchor_probability")
    of_words, of_places = generators(random_state, 2)
    anchors = of_places.permutation(d)[:k].astype(np.int64)
    topics = np.zeros((k, d))
    others = np.setdiff1d(np.arange(d), anchors)
    drawn = Dirichlet(concentration).draw(k, d - k, of_words)
    topics[:, others] = (1.0 - anchor_probability) * drawn
    topics[np.arange(k), anchors] = anchor_probability
    return Planted(topics, anchors)


def with_anchors(
    topics: Array, known: Places | None, words: list[str] | None, wanted: Any
) -> tuple[Array, Places | None, list[str]]:
    """Topics, the places of their anchors, and the words, after anchors were added if wanted."""
    k, d = topics.shape
    words = [f"word_{word}" for word in range(d)] if words is None else words
    if len(words) != d:
        raise InputError(
            f"The vocabulary has {plural(len(words), 'word')} and the topics have {d:,}: both "
            "must be as many."
        )
    if wanted is None:
        return topics, known, words
    if not isinstance(wanted, str) and np.ndim(wanted) == 1:
        return topics, _checked_places(topics, wanted), words
    chance = _anchor_probabilities(topics, wanted)
    added = np.concatenate([topics * (1.0 - chance)[:, None], np.diag(chance)], axis=1)
    return added, np.arange(d, d + k), [*words, *_anchor_names(k, set(words))]


def _anchor_probabilities(topics: Array, wanted: Any) -> Array:
    if isinstance(wanted, str) and wanted == "top":
        top = topics.max(axis=1)
        return np.asarray(top / (1.0 + top))
    _check_probability(wanted, "anchors", ', "top", or the places of anchors')
    return np.full(len(topics), float(wanted))


def _check_probability(value: Any, name: str, otherwise: str = "") -> None:
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not 0 < value < 1:
        raise InputError(
            say(
                "{name} must be a probability between 0 and 1{otherwise}, not {value!r}.",
                name=Parameter(name),
                otherwise=otherwise,
                value=value,
            )
        )


def _checked_places(topics: Array, given: Any) -> Places:
    places, (k, d) = np.asarray(given), topics.shape
    fits = (
        len(places) == k
        and places.dtype.kind in "iu"
        and bool(np.all((places >= 0) & (places < d)))
    )
    if not fits or ((topics[:, places] > 0) != np.eye(k, dtype=bool)).any():
        raise InputError(
            say(
                "{anchors} must be {places} of words, each with a probability in its own "
                'topic alone; {anchors="top"} adds such words.',
                places=plural(k, "place"),
            )
        )
    return places.astype(np.int64)


def _anchor_names(k: int, taken: set[str]) -> list[str]:
    stem = "anchor"
    while any(f"{stem}_{topic}" in taken for topic in range(k)):
        stem = f"_{stem}"
    return [f"{stem}_{topic}" for topic in range(k)]


def generators(random_state: Any, n: int) -> list[np.random.Generator]:
    """One for each thing to draw, so that how many of it are drawn changes nothing else."""
    if isinstance(random_state, np.random.Generator):
        seed = int(random_state.integers(2**63))
    elif isinstance(random_state, np.random.RandomState):
        seed = int(random_state.randint(2**31 - 1))
    else:
        seed = random_state
    try:
        return [np.random.default_rng(part) for part in np.random.SeedSequence(seed).spawn(n)]
    except (TypeError, ValueError):
        raise InputError(
            say(
                "{random_state} must be None, a whole number of at least 0, a Generator or "
                "a RandomState, not {it!r}.",
                it=random_state,
            )
        ) from None
