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
    """This holder's slot filled with the score and the row of its highest-scoring document."""
    slots = np.zeros((memory.holders, documents.d + 2))
    allowed = np.where(documents.empty, -np.inf, scores)
    if len(allowed) and allowed.max() > -np.inf:
        best = int(np.argmax(allowed))
        cells = slice(documents.indptr[best], documents.indptr[best + 1])
        slots[memory.index, 0] = 1.0
        slots[memory.index, 1] = scores[best]
        slots[memory.index, 2 + documents.indices[cells]] = documents.data[cells]
    return slots


def chosen(slots: Array) -> Array:
    """The row of the highest-scoring candidate of all holders."""
    scores = np.where(slots[:, 0] > 0, slots[:, 1], -np.inf)
    row: Array = slots[int(np.argmax(scores)), 2:]
    return row
