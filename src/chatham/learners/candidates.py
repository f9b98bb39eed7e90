"""Choosing one document among all holders, and what takes its place where no document may cross.

*One document.* Each holder writes its best candidate into its own slot and leaves the others zero;
the total holds every candidate, and everyone chooses alike. A document crosses the wall this way,
so it belongs to fits inside one organisation.

*The worst many.* Between parties a topic begins anew from the average of at least ten documents
that are explained worst. A first sum counts documents by the size of their errors, so that all know
where the worst many begin; a second adds these up. A holder that has fewer than five gives none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons, Memory
from chatham.commons.interface import Step
from chatham.learners.documents import Documents
from chatham.numerics.products import sums_by

Array = NDArray[np.float64]

LEAST = 5
"""Between parties, fewer documents than this are never added up to begin a topic from."""
MANY = 10
"""So many documents, of all holders together, a topic begins anew from."""

EDGES = 2.0 ** (np.arange(-160, 81) / 4)
"""Sizes of errors, from next to nothing to a million, by which documents are counted."""


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
    """The place of the highest score; among scores alike, of the least key.

    Short documents are often equally far from a topic. A choice by place or by the last bit would
    depend on who holds which of them; the key follows from the content.
    """
    highest = scores.max()
    alike = np.flatnonzero(scores >= highest - 1e-9 * abs(highest))
    return int(alike[np.argmin(keys[alike])])


def mean_of_worst(
    commons: Commons, count: Step, add: Step, *shared: Any, seed: int, bits: int | None
) -> Array:
    """The average of the worst many; a random distribution if no holder has enough documents.

    `count` and `add` are the learner's steps around `count_by_error` and `add_worst`.
    """
    far = np.flatnonzero(commons.sum(count, *shared, bits=0) >= MANY)
    least = float(EDGES[far[-1]]) if len(far) else 0.0
    total, number = commons.sum(add, *shared, least, bits=(bits, 0))
    if number[0] > 0:
        return np.asarray(total / number[0])
    return np.random.default_rng(seed).dirichlet(np.ones(commons.n_features))


def count_by_error(documents: Documents, errors: Array) -> NDArray[np.int64]:
    """How many of my documents have an error of each size or more; too few count as none."""
    ordered = np.sort(errors[~documents.empty])
    counts = len(ordered) - np.searchsorted(ordered, EDGES, side="left")
    return np.where(counts >= LEAST, counts, 0)


def add_worst(documents: Documents, errors: Array, least: float) -> tuple[Array, NDArray[np.int64]]:
    """My documents with at least such an error, added up, and how many; too few give nothing."""
    mine = (errors >= least) & ~documents.empty
    if mine.sum() < LEAST:
        mine = np.zeros_like(mine)
    total = sums_by(documents.indices, documents.data * mine[documents.owners], documents.d)
    return total, np.array([mine.sum()], dtype=np.int64)
