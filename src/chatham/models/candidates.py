"""Choosing one document among all holders, through nothing but a sum.

Each holder writes its best candidate into its own slot and leaves the others zero; the total
holds every candidate, and everyone chooses alike. A document crosses the wall this way, so it
belongs to fits inside one organisation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.models.documents import Documents

Array = NDArray[np.float64]


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
