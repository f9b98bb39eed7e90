"""Edits of a model's topics: merged, dropped and split, on top of the model as it was fitted.

The model itself is never changed. An edit says what becomes of its topics, and a list of edits is a
map from the k topics of the fit to the k′ that are shown, so the last edit can always be undone.
With p the topics' shares and W the weights of documents:

- *merge*: a group of topics becomes one, P = Σ p_t P_t / Σ p_t, with the sum of their weights;
- *drop*: a topic isn't shown any more, and the other weights are scaled to sum to one again;
- *split*: a topic becomes several, P_s with the parts π_s of its words. What a document has of it
  is divided by the document's words: of the n_j = x_j · p(topic | word j) words that come from it,
  the part s has r_s ∝ a π_s + Σ_j n_j p(s | j), where p(s | j) ∝ r_s P_sj and a is one word.

Numbers are ids: a merged topic keeps the smallest number of its group, a dropped one leaves a gap,
and parts get numbers that no topic ever had.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.words import as_probabilities
from chatham.model.names import numbers_listed
from chatham.model.word_space import ROUNDING, WordSpace
from chatham.naming import plural, value_shown
from chatham.wording import Either, say

if TYPE_CHECKING:
    import pandas as pd
    import scipy.sparse as sp

Array = NDArray[np.float64]

MOST_EDITS = 10_000
SWEEPS = 20
"""How often a document's division between the parts of a topic is found again from its words."""
PRIOR = 1.0
"""As many words each document is taken to have, divided as the topic is on the whole."""
BLOCK = 1024
"""Documents divided at a time."""


@dataclass(frozen=True)
class Merge:
    """Each group of topics becomes one."""

    groups: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Drop:
    """These topics aren't shown any more."""

    topics: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Split:
    """A topic becomes several."""

    topic: int
    parts: Array
    """The distributions over words that it becomes, one in a row."""
    shares: Array
    """How much of the topic each of them is; they sum to one."""


Edit = Merge | Drop | Split


@dataclass(frozen=True)
class State:
    """Which topics there are after some edits, and which ones they are made of.

    They are made of topics as these came to be: those of the fit, and parts of split ones.
    """

    numbers: tuple[int, ...]
    members: tuple[tuple[int, ...], ...]
    """For each topic the numbers of those that it is made of."""
    next_number: int
    """The first that no topic ever had."""

    def row_of(self, number: int) -> int:
        """Where the topic with this number is."""
        return bisect_left(self.numbers, number)


@dataclass(frozen=True, eq=False)
class Edits:
    """The edits of a model, in their order, with what they do to its topics and its weights."""

    topics: Array
    """Those of the fit, over plain words."""
    prevalence: Array
    idf: Any = None
    """What the learner's words were weighted by, if they were."""
    steps: tuple[Edit, ...] = ()
    states: tuple[State, ...] = ()
    """The topics of the fit, and those after each edit."""

    def __post_init__(self) -> None:
        """Begin with the topics of the fit."""
        if not self.states:
            k = len(self.topics)
            beginning = State(tuple(range(k)), tuple((t,) for t in range(k)), k)
            object.__setattr__(self, "states", (beginning,))

    @property
    def last(self) -> State:
        """Which topics there are after all edits."""
        return self.states[-1]

    @property
    def _splits(self) -> list[tuple[State, Split]]:
        pairs = zip(self.states, self.steps, strict=False)
        return [(state, step) for state, step in pairs if isinstance(step, Split)]

    def and_then(self, step: Edit) -> Edits:
        """These edits and another."""
        if len(self.steps) >= MOST_EDITS:
            raise InputError(f"A model has at most {MOST_EDITS:,} edits, and this one has so many.")
        states = (*self.states, _after(self.last, step))
        return replace(self, steps=(*self.steps, step), states=states)

    def but_the_last(self) -> Edits:
        """These edits without the last one."""
        return replace(self, steps=self.steps[:-1], states=self.states[:-1])

    @cached_property
    def _made_of(self) -> tuple[Array, Array, Array]:
        """What topics are made of: distributions, shares, and how much of each topic of the fit."""
        topics, shares, columns = [self.topics], [self.prevalence], [np.eye(len(self.topics))]
        for state, step in self._splits:
            members = list(state.members[state.row_of(step.topic)])
            before = np.concatenate(shares)[members].sum()
            of_fit = np.hstack(columns)[:, members].sum(axis=1)
            topics.append(step.parts)
            shares.append(before * step.shares)
            columns.append(np.outer(of_fit, step.shares))
        return np.vstack(topics), np.concatenate(shares), np.hstack(columns)

    def topics_after(self, state: State) -> Array:
        """The distributions of the topics that there are then."""
        made_of, shares, _ = self._made_of
        topics = made_of[[members[0] for members in state.members]]
        for row, members in enumerate(map(list, state.members)):
            if len(members) > 1:
                parts = shares[members] if shares[members].sum() > 0 else np.ones(len(members))
                topics[row] = as_probabilities((parts @ made_of[members])[None, :])[0]
        return topics

    @cached_property
    def edited_topics(self) -> Array:
        """The distributions of the topics after all edits."""
        return self.topics_after(self.last)

    @cached_property
    def ordering(self) -> Array:
        """The same with words weighted as the learner's were: by these words are ordered."""
        if self.idf is None:
            return self.edited_topics
        return as_probabilities(self.edited_topics * self.idf)

    @cached_property
    def map(self) -> Array:
        """k×k′: how much of each topic of the fit is in each of those that are shown."""
        columns = self._made_of[2]
        summed = [columns[:, list(members)].sum(axis=1) for members in self.last.members]
        return np.column_stack(summed)

    @cached_property
    def edited_prevalence(self) -> Array:
        """The shares of the topics that are shown; they sum to one."""
        shares = self._made_of[1]
        summed = np.array([shares[list(members)].sum() for members in self.last.members])
        total = summed.sum()
        return summed / total if total > 0 else np.full(len(summed), 1.0 / len(summed))

    def weights(self, weights: Array, counts: Any) -> Array:
        """Documents' weights of the edited topics, from those of the topics of the fit.

        `counts` are the documents as the learner has them. One that has nothing but dropped topics
        gets the topics' shares.
        """
        plain = self.plain(counts) if self._splits else None
        for state, step in zip(self.states, self.steps, strict=False):
            weights = self._weights_after(weights, state, step, plain)
        totals = weights.sum(axis=1, keepdims=True)
        scales = np.where((totals > ROUNDING) & (np.abs(totals - 1.0) > ROUNDING), totals, 1.0)
        return np.where(totals > ROUNDING, weights / scales, self.edited_prevalence)

    def plain(self, counts: Any) -> sp.csr_array:
        """Counts that idf hasn't weighted; how long rows are doesn't matter."""
        import scipy.sparse as sp

        plain = sp.csr_array(counts, dtype=np.float64, copy=True)
        plain.sum_duplicates()
        if self.idf is not None:
            plain.data = plain.data / np.asarray(self.idf)[plain.indices]
        return plain

    def _weights_after(self, weights: Array, state: State, step: Edit, counts: Any) -> Array:
        if isinstance(step, Drop):
            return np.delete(weights, [state.row_of(topic) for topic in step.topics], axis=1)
        if isinstance(step, Split):
            row = state.row_of(step.topic)
            shares = divisions(
                step, counts, come_from(counts, weights, self.topics_after(state), row)
            )
            others = np.delete(weights, row, axis=1)
            return np.hstack([others, weights[:, [row]] * shares])
        summed, gone = weights.copy(), []
        for group in step.groups:
            rows = [state.row_of(topic) for topic in group]
            summed[:, rows[0]] = weights[:, rows].sum(axis=1)
            gone += rows[1:]
        return np.delete(summed, gone, axis=1)

    def table(self) -> pd.DataFrame:
        """A row for each edit and each group of topics in it: edit, topics, into."""
        import pandas as pd

        rows = [
            (type(step).__name__.lower(), *between)
            for state, step in zip(self.states, self.steps, strict=False)
            for between in _numbers_of(state, step)
        ]
        return pd.DataFrame(rows, columns=["edit", "topics", "into"])

    def sentence(self) -> str:
        """What was done, in one sentence.

        >>> edits = Edits(np.eye(3), np.full(3, 1 / 3)).and_then(Merge(((0, 2),)))
        >>> edits.and_then(Drop((1,))).sentence()
        'Edited: 0 and 2 merged into 0, 1 dropped; weights are scaled to sum to one without it.'
        """
        told = [
            sentence
            for state, step in zip(self.states, self.steps, strict=False)
            for sentence in _told(state, step)
        ]
        dropped = sum(len(step.topics) for step in self.steps if isinstance(step, Drop))
        scaled = (
            f"; weights are scaled to sum to one without {'it' if dropped == 1 else 'them'}"
            if dropped
            else ""
        )
        return f"Edited: {', '.join(told)}{scaled}."


def check_unedited(model: Any, what: str) -> None:
    """Refuse a model whose topics aren't those of the fit any more; `what` is done with those."""
    if model._edits is not None:
        raise InputError(
            say(
                "This model's topics were edited, and {what} those of the fit; {how}.",
                what=what,
                how=Either(
                    "take model.original",
                    "take the edits back first, with 'chatham edit MODEL --original'",
                ),
            )
        )


def shown_weights(
    space: WordSpace, edits: Edits | None, prevalence: Array, coordinates: Array, counts: Any
) -> Array:
    """What the estimator gives these documents, as weights of the topics that are shown.

    An empty document has the topics' shares, `prevalence` for those of the fit.
    """
    weights = space.weights(coordinates, prevalence)
    if space.masses is not None:
        weights[np.asarray(counts.sum(axis=1)).ravel() == 0] = prevalence
    return weights if edits is None else edits.weights(weights, counts)


def merged(state: State, groups: Any) -> Merge:
    """An edit that merges these groups of topics, if it can be done here."""
    if not _are_lists(groups):
        raise InputError(
            "Topics are merged in groups, as in [[3, 7], [1, 2, 5]]. Got "
            f"{value_shown(groups)} instead."
        )
    checked = tuple(tuple(sorted(_checked(state, group))) for group in groups)
    if any(len(group) < 2 for group in checked):
        raise InputError("Merging takes two topics or more, each once; leave single ones out.")
    _check_once([number for group in checked for number in group])
    return Merge(checked)


def dropped(state: State, topics: Any) -> Drop:
    """An edit that drops these topics, if any are left then."""
    topics = [topics] if isinstance(topics, int | np.integer) else topics
    checked = tuple(sorted(_checked(state, topics)))
    _check_once(checked)
    if not checked or len(checked) >= len(state.numbers):
        raise InputError(
            f"Of {plural(len(state.numbers), 'topic')} at least one must be dropped, and one must "
            f"be left. Got {len(checked)} to drop."
        )
    return Drop(checked)


def _are_lists(groups: Any) -> bool:
    kinds = (list, tuple, np.ndarray)
    return (
        isinstance(groups, kinds) and len(groups) > 0 and all(isinstance(g, kinds) for g in groups)
    )


def _checked(state: State, topics: Any) -> list[int]:
    if not isinstance(topics, list | tuple | set | frozenset | np.ndarray):
        raise InputError(
            f"Topics are named by a list of numbers. Got {value_shown(topics)} instead."
        )
    return [checked_topic(state, topic) for topic in topics]


def checked_topic(state: State, topic: Any) -> int:
    """The number of a topic that is there."""
    whole = isinstance(topic, int | np.integer) and not isinstance(topic, bool)
    if not whole or int(topic) not in state.numbers:
        raise InputError(
            f"There is no topic {value_shown(topic)}; the model has "
            f"{numbers_listed(state.numbers)}."
        )
    return int(topic)


def _check_once(topics: Sequence[int]) -> None:
    if len(set(topics)) < len(topics):
        twice = next(topic for topic in topics if list(topics).count(topic) > 1)
        raise InputError(f"Topic {twice} is named twice in one edit; name each topic once.")


# What an edit does


def _after(state: State, step: Edit) -> State:
    topics = dict(zip(state.numbers, state.members, strict=True))
    number = state.next_number
    if isinstance(step, Merge):
        for first, *others in step.groups:
            topics[first] = (*topics[first], *(m for each in others for m in topics.pop(each)))
    elif isinstance(step, Drop):
        for topic in step.topics:
            del topics[topic]
    else:
        del topics[step.topic]
        topics |= {part: (part,) for part in range(number, number + len(step.shares))}
        number += len(step.shares)
    return State(tuple(topics), tuple(topics.values()), number)


def come_from(counts: sp.csr_array, weights: Array, topics: Array, row: int) -> Array:
    """For each stored cell, p(topic | word, document) = W_it T_tj / Σ_s W_is T_sj."""
    shares = np.zeros(counts.nnz)
    by_word = np.ascontiguousarray(topics.T)
    for first in range(0, counts.shape[0], BLOCK):
        cells = slice(*counts.indptr[[first, min(first + BLOCK, counts.shape[0])]])
        rows = _rows_of_cells(counts, first)
        words = counts.indices[cells]
        explained = np.einsum("ct,ct->c", weights[rows], by_word[words])
        own = weights[rows, row] * topics[row, words]
        np.divide(own, explained, out=shares[cells], where=explained > 0)
    return shares


def divisions(step: Split, counts: sp.csr_array, shares: Array) -> Array:
    """How what each document has of the topic is divided between its parts (n×m, sums of one).

    `shares` are `come_from`'s. As many sweeps for every document, whatever it holds.
    """
    import scipy.sparse as sp

    n, m = counts.shape[0], len(step.shares)
    divided = np.tile(step.shares, (n, 1))
    by_word = np.ascontiguousarray(step.parts.T)
    for first in range(0, n, BLOCK):
        last = min(first + BLOCK, n)
        cells = slice(*counts.indptr[[first, last]])
        rows, words = _rows_of_cells(counts, first) - first, counts.indices[cells]
        tokens = counts.data[cells] * shares[cells]
        sums = sp.csr_array(
            (np.ones(len(rows)), (rows, np.arange(len(rows)))), (last - first, len(rows))
        )
        found = divided[first:last]
        for _ in range(SWEEPS):
            given_word = found[rows] * by_word[words]
            totals = given_word.sum(axis=1, keepdims=True)
            scale = np.divide(tokens[:, None], totals, out=np.zeros_like(totals), where=totals > 0)
            found = PRIOR * step.shares + sums @ (given_word * scale)
            found /= found.sum(axis=1, keepdims=True)
        divided[first:last] = found
    return divided.reshape(n, m)


def _rows_of_cells(counts: sp.csr_array, first: int) -> NDArray[np.int64]:
    last = min(first + BLOCK, counts.shape[0])
    lengths = np.diff(counts.indptr[first : last + 1])
    return np.repeat(np.arange(first, last), lengths)


# What is told of edits, and what a file holds of them


def _numbers_of(state: State, step: Edit) -> list[tuple[list[int], list[int]]]:
    if isinstance(step, Merge):
        return [(list(group), [min(group)]) for group in step.groups]
    if isinstance(step, Drop):
        return [(list(step.topics), [])]
    first = state.next_number
    return [([step.topic], list(range(first, first + len(step.shares))))]


def _told(state: State, step: Edit) -> list[str]:
    told = []
    for topics, into in _numbers_of(state, step):
        verb = {Merge: "merged into", Drop: "dropped", Split: "split into"}[type(step)]
        told.append(" ".join(filter(None, [_listed(topics), verb, _listed(into)])))
    return told


def _listed(numbers: Sequence[int]) -> str:
    *most, last = map(str, numbers) if numbers else [""]
    return f"{', '.join(most)} and {last}" if most else last


EDIT = "edit."
PARTS, SHARES = EDIT + "{}.parts", EDIT + "{}.shares"
"""The arrays of a split, by its place among the edits."""


def described(edits: Edits) -> tuple[list[dict[str, Any]], dict[str, Array]]:
    """The edits as plain values, and the arrays of splits."""
    listed: list[dict[str, Any]] = []
    arrays: dict[str, Array] = {}
    for place, step in enumerate(edits.steps):
        if isinstance(step, Merge):
            listed.append({"merge": [list(group) for group in step.groups]})
        elif isinstance(step, Drop):
            listed.append({"drop": list(step.topics)})
        else:
            listed.append({"split": step.topic, "into": len(step.shares)})
            arrays[PARTS.format(place)] = step.parts
            arrays[SHARES.format(place)] = step.shares
    return listed, arrays


def read_edits(listed: Any, arrays: Mapping[str, Any], original: Edits) -> Edits:
    """The edits of a file, which may be anybody's: each must be one that could be done there."""
    if not isinstance(listed, list) or not 0 < len(listed) <= MOST_EDITS:
        raise InputError("its edits are not a list of edits.")
    edits = original
    for place, step in enumerate(listed):
        edits = edits.and_then(_read(step, place, arrays, edits))
    written, expected = described(edits)
    if written != listed:
        raise InputError("its edits aren't written as edits are.")
    if set(expected) != {name for name in arrays if name.startswith(EDIT)}:
        raise InputError("its edits and their arrays don't fit together.")
    return edits


def _read(step: Any, place: int, arrays: Mapping[str, Any], edits: Edits) -> Edit:
    if isinstance(step, dict) and set(step) == {"merge"}:
        return merged(edits.last, step["merge"])
    if isinstance(step, dict) and set(step) == {"drop"} and isinstance(step["drop"], list):
        return dropped(edits.last, step["drop"])
    if isinstance(step, dict) and set(step) == {"split", "into"}:
        parts, shares = arrays.get(PARTS.format(place)), arrays.get(SHARES.format(place))
        return _split(edits, step, parts, shares)
    raise InputError("one of its edits is none that there is.")


def _split(edits: Edits, step: Mapping[str, Any], parts: Any, shares: Any) -> Split:
    topic, into = checked_topic(edits.last, step["split"]), step["into"]
    if type(into) is not int or into < 2:
        raise InputError("a topic was split into less than two parts.")
    for array, shape in ((parts, (into, edits.topics.shape[1])), (shares, (into,))):
        if array is None or array.dtype != np.float64 or array.shape != shape:
            raise InputError("the parts of a split topic are missing, or of another shape.")
        if not ((array >= 0) & (array <= 1)).all() or (np.abs(array.sum(axis=-1) - 1) > 1e-6).any():
            raise InputError("the parts of a split topic are not probabilities.")
    return Split(topic, parts, shares)
