"""Sums over held-out documents, and the score that they make: what all estimators share.

For each document there is an estimate of its log-probability, over so many tokens. Only sums over
documents cross; the standard error comes from sums of squares, as that of any ratio of sums does.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from chatham.measures.measure import Score, UndefinedError

Array = NDArray[np.float64]


def sums_over(logs: Array, sizes: Array, impossible: float = 0.0) -> Array:
    """Σ log p, Σ N, documents, Σ (log p)², Σ N log p, Σ N², and how many can't be uttered.

    >>> sums_over(np.array([-2.0, -6.0]), np.array([1.0, 3.0])).tolist()
    [-8.0, 4.0, 2.0, 40.0, -20.0, 10.0, 0.0]
    """
    return np.array(
        [logs.sum(), sizes.sum(), len(logs), logs @ logs, sizes @ logs, sizes @ sizes, impossible]
    )


def score_of(sums: Array, if_none: str) -> Score:
    """Σ log p / Σ N, with its standard error over documents (None where there is but one).

    >>> score_of(np.array([-8.0, 4.0, 2.0, 40.0, -20.0, 10.0, 0.0]), "Nothing.").value
    -2.0
    """
    log, size, documents, log_log, size_log, size_size, impossible = (float(part) for part in sums)
    if documents == 0:
        raise UndefinedError(if_none)
    if impossible > 0:
        raise UndefinedError(
            f"{int(impossible):,} of the documents have a word that the topics can't utter; set "
            "smoothing above zero."
        )
    value, error = log / size, None
    if documents > 1:
        # A document's log p is expected to be its size times the value; how far off are they?
        squares = max(log_log - 2 * value * size_log + value**2 * size_size, 0.0)
        error = math.sqrt(squares * documents / (documents - 1)) / size
    notes = {
        "documents": int(documents),
        "tokens": size,
        "per_document": log / documents,
        "standard_error": error,
    }
    return Score(value, notes=notes)
