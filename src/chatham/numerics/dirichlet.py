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
from scipy.special import gammaln, polygamma, psi

Array = NDArray[np.float64]

SMALLEST = 1e-6
"""No prior is learned below this, so that in single precision its products stay above zero."""

_MOST_STEPS = 20
_CLOSE = 1e-4
_MOST_NEWTON = 100
_ROUNDING = 1e-13


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


def most_likely_prior(mean_logs: Array, start: Array) -> Array:
    """The prior a under which weights θ are most probable that have these means of log θ.

    It solves ψ(a_t) − ψ(A) = E[log θ_t] (Minka 2000, section 1) by Newton's method: the likelihood
    is concave, and its Hessian is a diagonal plus a constant, so that a step takes O(k). A step
    that would make θ less probable is halved.

    >>> most_likely_prior(psi([0.5, 2.0]) - psi(2.5), np.ones(2)).round(6)
    array([0.5, 2. ])
    """
    prior = np.maximum(start, SMALLEST)
    if len(prior) == 1:  # θ is always one, and no prior is more likely than another
        return prior
    reached = _log_density(prior, mean_logs)
    for _ in range(_MOST_NEWTON):
        gradient = psi(prior.sum()) - psi(prior) + mean_logs
        curvature, common = -polygamma(1, prior), polygamma(1, prior.sum())
        shift = (gradient / curvature).sum() / (1.0 / common + (1.0 / curvature).sum())
        step, before = (gradient - shift) / curvature, prior
        for _ in range(_MOST_STEPS):
            # A step may lead below zero from far off: each part is at most divided by ten.
            prior = np.maximum(before - step, np.maximum(0.1 * before, SMALLEST))
            density = _log_density(prior, mean_logs)
            if density >= reached - _ROUNDING * abs(reached):
                break
            step = step / 2
        reached = density
        if (np.abs(prior - before) <= _CLOSE**2 * before).all():
            break
    return prior


def _log_density(prior: Array, mean_logs: Array) -> float:
    """The mean of log p(θ | prior)."""
    return float(gammaln(prior.sum()) - gammaln(prior).sum() + ((prior - 1.0) * mean_logs).sum())


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
