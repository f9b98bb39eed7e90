"""Counts drawn through a Dirichlet prior: their likelihood, and the prior that fits them best.

With a prior a and a row of counts n whose sum is N, the row has probability
Γ(A) / Γ(A + N) · Π_t Γ(a_t + n_t) / Γ(a_t), A being the sum of a. The prior that makes all rows
most probable is a fixed point (Minka, Estimating a Dirichlet distribution, 2000):
a_t ← a_t · Σ_rows [ψ(a_t + n_t) − ψ(a_t)] / Σ_rows [ψ(A + N) − ψ(A)].
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import gammaln, psi

Array = NDArray[np.float64]

SMALLEST = 1e-6
"""No prior is learned below this, so that in single precision its products stay above zero."""

_MOST_STEPS = 20
_CLOSE = 1e-4


@njit(cache=True, nogil=True)
def digamma(x: float) -> float:
    """ψ(x) for x > 0, to about 1e-12: climb to where the asymptotic series is good."""
    value = 0.0
    while x < 10.0:
        value -= 1.0 / x
        x += 1.0
    square = 1.0 / (x * x)
    series = square * (
        1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132)))
    )
    return value + math.log(x) - 0.5 / x - series


def next_prior(prior: Array, numerators: Array, denominator: float) -> Array:
    """One step of the fixed point from its two sums; without evidence the prior stays."""
    if denominator <= 0:
        return prior
    return np.maximum(prior * numerators / denominator, SMALLEST)


def log_likelihood(counts: NDArray[np.float32], prior: Array) -> float:
    """log p of the columns of `counts` (d × k), each drawn through a Dirichlet with `prior` (d)."""
    shares, cells, repeats = _distinct_cells(counts, prior)
    concentration, sums = float(prior.sum()), counts.sum(axis=0, dtype=np.float64)
    of_words = repeats * (gammaln(shares + cells) - gammaln(shares))
    of_topics = gammaln(concentration) - gammaln(concentration + sums)
    return float(of_words.sum() + of_topics.sum())


def best_scale(counts: NDArray[np.float32], prior: Array) -> float:
    """The factor for `prior` (d) under which the columns of `counts` (d × k) are most probable.

    The fixed point for one common factor, repeated until it moves by less than 1e-4 of itself.
    """
    shares, cells, repeats = _distinct_cells(counts, prior)
    sums, concentration = counts.sum(axis=0, dtype=np.float64), float(prior.sum())
    scale, smallest = 1.0, min(1.0, SMALLEST / prior.min())
    for _ in range(_MOST_STEPS):
        gains = psi(scale * shares + cells) - psi(scale * shares)
        numerator = float((repeats * shares * gains).sum())
        denominator = concentration * float(
            (psi(scale * concentration + sums) - psi(scale * concentration)).sum()
        )
        before, scale = scale, max(scale * numerator / denominator, smallest)
        if abs(scale - before) <= _CLOSE * before:
            break
    return scale


def _distinct_cells(counts: NDArray[np.float32], prior: Array) -> tuple[Array, Array, Array]:
    """The prior and the count of each nonzero cell, and how often that pair occurs.

    Under one prior for all, equal counts give equal terms, and few counts are distinct.
    """
    if (prior == prior[0]).all():
        cells, repeats = np.unique(counts[counts > 0], return_counts=True)
        return prior[:1], cells.astype(np.float64), repeats.astype(np.float64)
    words, topics = np.nonzero(counts)
    return prior[words], counts[words, topics].astype(np.float64), np.ones(1)
