"""How probable documents are for given weights and topics: the loop that several measures share."""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse as sp
from numba import njit
from numpy.typing import NDArray

from chatham.numerics.threads import blocks, each

Array = NDArray[np.float64]


def log_likelihoods(counts: sp.csr_array, weights: Array, topics: Array) -> Array:
    """Σ_j X_ij log (W T)_ij for each document i; −∞ where a word has probability zero."""
    by_word, logs = np.ascontiguousarray(topics.T), np.zeros(counts.shape[0])
    weights = np.ascontiguousarray(weights)

    def add_block(block: tuple[int, int]) -> None:
        _add_logs(counts.indptr, counts.indices, counts.data, *block, weights, by_word, logs)

    each(add_block, blocks(counts.indptr))
    return logs


@njit(cache=True, nogil=True)
def _add_logs(indptr, indices, data, first, last, weights, by_word, logs):  # type: ignore[no-untyped-def]
    for row in range(first, last):
        for cell in range(indptr[row], indptr[row + 1]):
            probability = 0.0
            for t in range(weights.shape[1]):
                probability += weights[row, t] * by_word[indices[cell], t]
            logs[row] += data[cell] * (math.log(probability) if probability > 0 else -np.inf)
