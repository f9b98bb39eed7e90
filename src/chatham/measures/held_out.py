"""Held-out text: how well topics predict words that they have not seen.

Document completion: half of a document's words, drawn at random, find its weights, and the other
half is scored under them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[np.float64]

SMOOTHING = 0.01
"""The share of the uniform distribution in every prediction: no held-out word is impossible."""


def split_words(counts: Any, seed: int) -> tuple[sp.csr_array, sp.csr_array]:
    """Each document in two halves: every word goes to either by the toss of a coin."""
    counts = sp.csr_array(counts)
    first = counts.copy()
    first.data = np.random.default_rng(seed).binomial(counts.data.astype(np.int64), 0.5)
    return first, sp.csr_array(counts - first)


def completion(topics: Array, weights: Array, hidden: Any) -> float:
    """The average log-probability of a hidden word under its document's weights.

    >>> import numpy as np
    >>> topics, weights = np.array([[0.5, 0.5, 0.0]]), np.ones((1, 1))
    >>> round(completion(topics, weights, np.array([[3, 0, 0]])), 4)  # log(0.99 / 2 + 0.01 / 3)
    -0.6965
    """
    cells = sp.csr_array(hidden).tocoo()
    rows, columns = cells.coords
    predicted = np.einsum("ct,tc->c", weights[rows], topics[:, columns])
    smoothed = (1 - SMOOTHING) * predicted + SMOOTHING / topics.shape[1]
    return float(cells.data @ np.log(smoothed) / cells.data.sum())


def relative_error(topics: Array, weights: Array, counts: Any) -> float:
    """‖X − WT‖ / ‖X‖ for the documents' frequencies X, without ever forming the residue.

    >>> import numpy as np
    >>> relative_error(np.array([[1.0, 0.0]]), np.ones((2, 1)), np.array([[2, 0], [0, 5]]))
    1.0
    """
    counts = sp.csr_array(counts, dtype=np.float64)
    sizes = counts.sum(axis=1)
    weights = weights * (sizes > 0)[:, None]  # an empty document has nothing to rebuild
    frequencies = sp.csr_array(sp.diags_array(1 / np.where(sizes > 0, sizes, 1.0)) @ counts)
    squares = float(frequencies.data @ frequencies.data)
    inner = float((weights * (frequencies @ topics.T)).sum())
    rebuilt = float(((weights.T @ weights) * (topics @ topics.T)).sum())
    return math.sqrt(max(squares - 2 * inner + rebuilt, 0.0) / squares)
