"""Words drawn from topics, token by token: z ~ w, x ~ topics[z], as in every topic model.

A topic's words are drawn in constant time from an alias table (Walker 1977; built as by Vose
1991). The random numbers of a document come from its own key, so it is the same whichever thread
draws it, and whatever else is drawn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numba import njit
from numpy.typing import NDArray

from chatham.numerics.keyed import uniform
from chatham.numerics.threads import blocks, each

Array = NDArray[np.float64]


def draw_counts(
    weights: Array, topics: Array, lengths: NDArray[np.int64], keys: NDArray[np.uint64]
) -> sp.csr_array:
    """Counts of one document for each row of `weights`, with that many tokens and that key.

    >>> draw_counts(
    ...     np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    ...     np.array([3, 2]), np.array([1, 2], dtype=np.uint64),
    ... ).toarray()
    array([[3, 0, 0],
           [0, 0, 2]], dtype=int32)
    """
    shares, others = _alias_tables(np.ascontiguousarray(topics))

    def work(block: tuple[int, int]) -> Any:
        first, last = block
        rows = slice(first, last)
        return _draw(weights[rows], lengths[rows], keys[rows], shares, others)

    drawn = each(work, blocks(np.concatenate([[0], np.cumsum(lengths)])))
    words, counts, sizes = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    return sp.csr_array((counts, words, indptr), shape=(len(lengths), topics.shape[1]))


@njit(cache=True, nogil=True)
def _alias_tables(topics: Array) -> tuple[Array, NDArray[np.int32]]:
    """For each topic and cell, the share of the cell that is its own word, and the other word."""
    k, d = topics.shape
    shares, others = np.ones((k, d)), np.zeros((k, d), np.int32)
    small, large = np.empty(d, np.int64), np.empty(d, np.int64)
    for topic in range(k):
        left = topics[topic] * (d / topics[topic].sum())
        n_small = n_large = 0
        for word in range(d):
            if left[word] < 1.0:
                small[n_small], n_small = word, n_small + 1
            else:
                large[n_large], n_large = word, n_large + 1
        while n_small > 0 and n_large > 0:
            n_small -= 1
            poor, rich = small[n_small], large[n_large - 1]
            shares[topic, poor], others[topic, poor] = left[poor], rich
            left[rich] -= 1.0 - left[poor]
            if left[rich] < 1.0:
                n_large -= 1
                small[n_small], n_small = rich, n_small + 1
        # What is left over has a share of one but for rounding. No word of probability zero is
        # among them: all cells left are below one then, and their sum, but for rounding, is their
        # number.
    return shares, others


@njit(cache=True, nogil=True)
def _draw(
    weights: Array,
    lengths: NDArray[np.int64],
    keys: NDArray[np.uint64],
    shares: Array,
    others: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Distinct words of each document in order, their counts, and how many each document has."""
    total = lengths.sum()
    words, counts = np.empty(total, np.int32), np.empty(total, np.int32)
    sizes = np.zeros(len(lengths), np.int64)
    filled = 0
    for row in range(len(lengths)):
        tokens = _tokens(weights[row], lengths[row], keys[row], shares, others)
        start = filled
        for word in tokens:
            if filled > start and words[filled - 1] == word:
                counts[filled - 1] += 1
            else:
                words[filled], counts[filled] = word, 1
                filled += 1
        sizes[row] = filled - start
    return words[:filled].copy(), counts[:filled].copy(), sizes


@njit(cache=True, nogil=True)
def _tokens(
    weights: Array, length: int, key: np.uint64, shares: Array, others: NDArray[np.int32]
) -> NDArray[np.int32]:
    """The sorted tokens of a document."""
    d = shares.shape[1]
    tokens = np.empty(length, np.int32)
    cumulative = np.cumsum(weights)
    for position in range(length):
        # The random numbers are below one by at least half a unit in the last place, so neither
        # product reaches its upper end, whatever the rounding.
        topic = np.searchsorted(
            cumulative, uniform(key, 2 * position) * cumulative[-1], side="right"
        )
        point = uniform(key, 2 * position + 1) * d
        cell = int(point)
        tokens[position] = cell if point - cell < shares[topic, cell] else others[topic, cell]
    tokens.sort()
    return tokens
