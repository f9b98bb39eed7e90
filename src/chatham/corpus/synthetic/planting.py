"""Anchors: words of one topic and no other, added to given topics or planted in synthetic ones.

A model with an anchor for each topic is separable, which is what anchor-word learners rely on.
Topics fitted to real documents need not be (Arora et al. 2013, section 5.3, found anchors for about
80 % of them).
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chatham.corpus.checks import refused_seed, whole
from chatham.corpus.synthetic.compositions import Dirichlet
from chatham.errors import InputError
from chatham.naming import plural
from chatham.wording import Parameter, say

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class Planted(NamedTuple):
    """Topics (k×d), and the column of each topic's anchor, which no other topic has."""

    topics: Array
    anchors: Indices


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
    of_words, of_anchors = generators(random_state, 2)
    anchors = of_anchors.permutation(d)[:k].astype(np.int64)
    topics = np.zeros((k, d))
    others = np.setdiff1d(np.arange(d), anchors)
    drawn = Dirichlet(concentration).draw(k, d - k, of_words)
    topics[:, others] = (1.0 - anchor_probability) * drawn
    topics[np.arange(k), anchors] = anchor_probability
    return Planted(topics, anchors)


def with_anchors(
    topics: Array, known_anchors: Indices | None, words: list[str] | None, choice: Any
) -> tuple[Array, Indices | None, list[str]]:
    """Topics, the columns of their anchors, and the words, with anchors added if requested."""
    k, d = topics.shape
    words = [f"word_{word}" for word in range(d)] if words is None else words
    if len(words) != d:
        raise InputError(
            f"The vocabulary has {plural(len(words), 'word')} and the topics have {d:,}: the "
            "numbers must be equal."
        )
    if choice is None:
        return topics, known_anchors, words
    if not isinstance(choice, str) and np.ndim(choice) == 1:
        return topics, _checked_columns(topics, choice), words
    probabilities = _anchor_probabilities(topics, choice)
    widened = np.concatenate(
        [topics * (1.0 - probabilities)[:, None], np.diag(probabilities)], axis=1
    )
    return widened, np.arange(d, d + k), [*words, *_anchor_names(k, set(words))]


def _anchor_probabilities(topics: Array, choice: Any) -> Array:
    if isinstance(choice, str) and choice == "top":
        top = topics.max(axis=1)
        return np.asarray(top / (1.0 + top))
    _check_probability(choice, "anchors", ', "top", or the columns of anchors')
    return np.full(len(topics), float(choice))


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


def _checked_columns(topics: Array, anchors: Any) -> Indices:
    columns, (k, d) = np.asarray(anchors), topics.shape
    fits = (
        len(columns) == k
        and columns.dtype.kind in "iu"
        and bool(np.all((columns >= 0) & (columns < d)))
    )
    if not fits or ((topics[:, columns] > 0) != np.eye(k, dtype=bool)).any():
        raise InputError(
            say(
                "{anchors} must be the columns of {words}, each with a probability above 0 in its "
                'own topic alone; {anchors="top"} adds such words.',
                words=plural(k, "word"),
            )
        )
    return columns.astype(np.int64)


def _anchor_names(k: int, used_names: set[str]) -> list[str]:
    stem = "anchor"
    while any(f"{stem}_{topic}" in used_names for topic in range(k)):
        stem = f"_{stem}"
    return [f"{stem}_{topic}" for topic in range(k)]


def generators(random_state: Any, n: int) -> list[np.random.Generator]:
    """One for each quantity to draw, so that how much is drawn of one doesn't change the others."""
    if isinstance(random_state, np.random.Generator):
        seed = int(random_state.integers(2**63))
    elif isinstance(random_state, np.random.RandomState):
        seed = int(random_state.randint(2**31 - 1))
    else:
        seed = random_state
    with suppress(TypeError, ValueError):
        return [np.random.default_rng(part) for part in np.random.SeedSequence(seed).spawn(n)]
    raise refused_seed(random_state)
