"""Each topic's share of the documents of a cell, with the interval in which it probably lies.

A share is a mean of weights between 0 and 1. Its interval is Wilson's for a proportion, as if it
were one of as many documents as would leave the same doubt: weights that are alike tell more than
as many tosses of a coin. Unlike a mean plus and minus two standard errors it stays between 0 and 1,
and isn't empty where a few documents happen to be alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from chatham.numerics.intervals import wilson

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Shares:
    """The share of each topic in each cell (cells×k), and the ends of its interval; NaN where a
    cell has no document."""

    share: Array
    low: Array
    high: Array


def shares_of(documents: Array, weights: Array, squares: Array, level: float = 0.95) -> Shares:
    """Shares from how many documents each cell has, and its sums of weights and of their squares.

    The variance within a cell counts one document more, with the variance within all cells, since
    few documents don't tell their own.

    >>> shares = shares_of(np.array([100.0]), np.array([[50.0, 50.0]]), np.array([[50.0, 50.0]]))
    >>> shares.low.round(3).tolist(), shares.high.round(3).tolist()
    ([[0.403, 0.403]], [[0.597, 0.597]])
    """
    n = np.where(documents > 0, documents, np.nan)[:, None]
    share = np.clip(weights / n, 0.0, 1.0)
    within = np.clip(squares - np.nan_to_num(n * share**2), 0.0, None)
    usual = within.sum(axis=0) / max(float(documents.sum()), 1.0)
    doubt = (within + usual) / n
    most = share * (1.0 - share)  # the doubt of tosses of a coin
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = np.where((most > doubt) & (doubt > 0), most / doubt, 1.0)
    quantile = stdtrit(n, 0.5 + level / 2)  # Student's: a variance of few documents is a guess too
    low, high = wilson(share, n * alike, quantile)
    return Shares(share, low, high)
