"""Sums over held-out documents, and the score that they make: what all estimators share.

For each document there is an estimate of its log-probability, over a number of tokens. Only sums
over documents cross; the standard error comes from sums of squares, as that of any ratio of sums
does.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from chatham.commons.precision import HELD_OUT_SQUARES, HELD_OUT_SUMS, Budgets
from chatham.measures.measure import Score, UndefinedError
from chatham.wording import say

Array = NDArray[np.float64]


BUDGETS: Budgets = (HELD_OUT_SUMS, HELD_OUT_SQUARES, HELD_OUT_SUMS)
"""Of the sums, of the squares, and of what an estimator adds."""


def sums_over(logs: Array, sizes: Array, impossible: float = 0.0) -> tuple[Array, Array]:
    """Σ log p, Σ N, documents, how many are impossible; and Σ (log p)², Σ N log p, Σ N².

    >>> plain, squares = sums_over(np.array([-2.0, -6.0]), np.array([1.0, 3.0]))
    >>> plain.tolist(), squares.tolist()
    ([-8.0, 4.0, 2.0, 0.0], [40.0, -20.0, 10.0])
    """
    plain = np.array([logs.sum(), sizes.sum(), len(logs), impossible])
    return plain, np.array([logs @ logs, sizes @ logs, sizes @ sizes])


def score_of(plain: Array, squares: Array, if_none: str) -> Score:
    """Σ log p / Σ N, with its standard error over documents (None where there is only one).

    >>> score_of(np.array([-8.0, 4.0, 2.0, 0.0]), np.array([40.0, -20.0, 10.0]), "None.").value
    -2.0
    """
    log, size, documents, impossible = (float(part) for part in plain)
    log_log, size_log, size_size = (float(part) for part in squares)
    if documents == 0:
        raise UndefinedError(if_none)
    if impossible > 0:
        raise UndefinedError(
            say(
                "{number:,} of the documents have a word of probability zero; set "
                "{smoothing} above zero.",
                number=int(impossible),
            )
        )
    value, error = log / size, None
    if documents > 1:
        # A document's log p is expected to be its size times the value; how far off are they?
        squares_off = max(log_log - 2 * value * size_log + value**2 * size_size, 0.0)
        error = math.sqrt(squares_off * documents / (documents - 1)) / size
    notes = {
        "documents": int(documents),
        "tokens": size,
        "per_document": log / documents,
        "standard_error": error,
    }
    return Score(value, notes=notes)
