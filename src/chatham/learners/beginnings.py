"""How topics start and restart: from one document, or from many where no single one may cross.

Inside one organisation a topic may start from a single document (`FromOneDocument`). Each holder
writes its best candidate into its own slot and leaves the others zero; the total holds every
candidate, and everyone makes the same choice. A document crosses the wall this way.

Between parties nothing that crosses may be one document (`FromManyDocuments`). A topic is restarted
from the average of at least ten of the worst-explained documents: a first sum counts documents by
the size of their errors, so that all know where the worst ten begin; a second adds these up. A
holder that has fewer than five of them adds none.

`beginnings_for` alone decides which of the two a fit uses.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons, Memory
from chatham.commons.counting import Counted
from chatham.commons.interface import Step
from chatham.errors import InputError
from chatham.learners.documents import Documents
from chatham.learners.parameters import learner_called
from chatham.numerics.products import sums_by
from chatham.wording import say

Array = NDArray[np.float64]

LEAST = 5
"""Between parties, fewer documents than this are never added up to start a topic from."""
MANY = 10
"""The number of documents, of all holders together, that a topic is restarted from."""

EDGES = 2.0 ** (np.arange(-160, 81) / 4)
"""Sizes of errors, from about 1e-12 to a million, by which documents are counted."""


class Worst(NamedTuple):
    """A learner's steps for finding the documents that its topics explain worst."""

    document: Step
    """Each holder's worst document: around `candidate`."""
    tally: Step
    """How many documents have an error of each size: around `count_by_error`."""
    add: Step
    """The sum of those with at least some error: around `add_worst`."""


class FromOneDocument:
    """Documents may cross: a topic starts from the best candidate."""

    usual_start: str = "k-means++"
    """The way for k-means to begin where the user has no other wish."""

    def check_start(self, learner: Any) -> None:
        """Refuse a learner's `init` that names documents, if none may be: here any will do."""

    def groups(self, topics: int, counted: Counted) -> int:
        """Into how many random groups documents are parted, to begin so many topics from."""
        return topics

    def large_enough(
        self, commons: Commons, count: Step, topics: Array, *shared: Any
    ) -> NDArray[np.bool_]:
        """Which topics' documents may be added up; `count` counts those nearest to each."""
        return np.ones(len(topics), dtype=bool)

    def worst(self, commons: Commons, steps: Worst, *shared: Any, seed: int, **bound: Any) -> Array:
        """What to restart a topic from: the document that is explained worst.

        `bound` says how large a cell of a sum of documents can be.
        """
        return chosen(commons.sum(steps.document, *shared))


class FromManyDocuments(FromOneDocument):
    """No document may cross: a topic starts from an average of several."""

    usual_start: str = "random"

    def check_start(self, learner: Any) -> None:
        """Only random groups, or given topics."""
        if learner.init not in ("auto", "random"):
            raise InputError(
                say(
                    "{learner} got {init=!r}, which starts topics from single documents, and "
                    "between parties no document may cross; use {init='auto'} or 'random', or "
                    "your own topics.",
                    learner=learner_called(learner),
                    init=learner.init,
                )
            )

    def groups(self, topics: int, counted: Counted) -> int:
        """Few enough for each to have about twenty documents."""
        return max(1, min(topics, counted.with_words // (2 * MANY)))

    def large_enough(
        self, commons: Commons, count: Step, topics: Array, *shared: Any
    ) -> NDArray[np.bool_]:
        """Topics to which at least five documents are nearest, which takes a separate sum."""
        return np.asarray(commons.sum(count, topics, *shared) >= LEAST)

    def worst(self, commons: Commons, steps: Worst, *shared: Any, seed: int, **bound: Any) -> Array:
        """The average of the worst-explained; a random distribution if no holder has enough."""
        far = np.flatnonzero(commons.sum(steps.tally, *shared) >= MANY)
        least = float(EDGES[far[-1]]) if len(far) else 0.0
        total, number = commons.sum(steps.add, *shared, least, **bound)
        if number[0] > 0:
            return np.asarray(total / number[0])
        return np.random.default_rng(seed).dirichlet(np.ones(commons.n_features))


def beginnings_for(commons: Commons) -> FromOneDocument:
    """How topics start: from documents where holders may see each other's, else from averages."""
    return FromManyDocuments() if commons.private else FromOneDocument()


def candidate(documents: Documents, memory: Memory, scores: Array) -> Array:
    """This holder's slot filled with the score, the key and the row of its best document."""
    slots = np.zeros((memory.holders, documents.d + 3))
    if documents.empty.all():
        return slots
    keys = (documents.keys(0) >> np.uint64(11)).astype(np.float64)  # exact in 53 bits
    best = _first(np.where(documents.empty, -np.inf, scores), keys)
    cells = slice(documents.indptr[best], documents.indptr[best + 1])
    slots[memory.index, :3] = 1.0, scores[best], keys[best]
    slots[memory.index, 3 + documents.indices[cells]] = documents.data[cells]
    return slots


def chosen(slots: Array) -> Array:
    """The row of the best candidate of all holders."""
    scores = np.where(slots[:, 0] > 0, slots[:, 1], -np.inf)
    row: Array = slots[_first(scores, slots[:, 2]), 3:]
    return row


def _first(scores: Array, keys: Array) -> int:
    """The index of the highest score; among tied scores, of the least key.

    Short documents are often equally far from a topic. A choice by position or by the last bit
    would depend on who holds which of them; the key follows from the content.
    """
    highest = scores.max()
    tied = np.flatnonzero(scores >= highest - 1e-9 * abs(highest))
    return int(tied[np.argmin(keys[tied])])


def count_by_error(documents: Documents, errors: Array) -> NDArray[np.int64]:
    """How many of my documents have an error of each size or more; too few count as none."""
    ordered = np.sort(errors[~documents.empty])
    counts = len(ordered) - np.searchsorted(ordered, EDGES, side="left")
    return np.where(counts >= LEAST, counts, 0)


def add_worst(documents: Documents, errors: Array, least: float) -> tuple[Array, NDArray[np.int64]]:
    """The sum and number of my documents with at least this error; nothing if they are too few."""
    worst = (errors >= least) & ~documents.empty
    if worst.sum() < LEAST:
        worst = np.zeros_like(worst)
    total = sums_by(documents.indices, documents.data * worst[documents.owners], documents.d)
    return total, np.array([worst.sum()], dtype=np.int64)
