"""Lloyd's algorithm at a holder: each document's nearest topic, and the sum of each topic's own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from chatham.learners.documents import Documents
from chatham.numerics.products import multiply

Array = NDArray[np.float64]


def nearest(documents: Documents, topics: Array) -> tuple[NDArray[np.int64], Array]:
    """Each document's nearest topic, and its squared distance."""
    products = multiply(documents, np.ascontiguousarray(topics.T))
    distances = (topics**2).sum(axis=1) - 2 * products
    labels = np.argmin(distances, axis=1)
    closest = distances[np.arange(documents.n), labels]
    return labels, np.maximum(closest + documents.squared_norms, 0.0)


def totals_by(
    documents: Documents, importance: Array, labels: NDArray[np.int64], topics: int
) -> Array:
    """The sum of each topic's documents, each times its importance; a label of −1 is no topic's."""
    totals = np.zeros((topics, documents.d))
    data = documents.data * importance[documents.owners]
    _add_rows(documents.indptr, documents.indices, data, labels, totals)
    return totals


@njit(cache=True, nogil=True)
def _add_rows(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: Array,
    labels: NDArray[np.int64],
    totals: Array,
) -> None:
    for row in range(len(labels)):
        if labels[row] >= 0:
            for cell in range(indptr[row], indptr[row + 1]):
                totals[labels[row], indices[cell]] += data[cell]
