"""How far apart two distributions are: what an adversary sees with a document, and without it.

P is the distribution with the document (`present`), Q that without it (`absent`).

- **Statistical distance**, ½Σ|P − Q|: by how much the best adversary's guess beats chance, on a
  scale from 0 to 1. The thesis (section 3.1 and 3.5) leaves out the ½, without which it isn't the
  adversary's advantage; here it is in.
- **Integrated squared deviation** (equation 3.5), Σ(P − Q)²Q. The thesis writes it as E[(X − Y)²],
  which would be about the values; the integral is what is meant.
- **Hockey-stick divergence**, Σ max(0, P − eᵉQ): the least δ of (ε, δ)-differential privacy, in one
  direction; `delta` takes the greater of both.
- **Kolmogorov–Smirnov**, max |F − G|, which knows the order of values; never more than the
  statistical distance.

Of arrays, these are numbers. Of samples they are estimates with intervals that hold for any sample
size: Massart's constant for Kolmogorov–Smirnov, bounded differences for sums over cells, and
Clopper–Pearson in every cell for the squared deviation.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr, ndtr

from chatham.audit.intervals import Estimate, check_one_row, proportion_limits
from chatham.errors import InputError
from chatham.measures.settings import check_share
from chatham.wording import say

Vector = NDArray[np.float64]


# Distributions as arrays: one probability a value, the same values in the same order for both.


def statistical_distance(present: ArrayLike, absent: ArrayLike) -> float:
    """½Σ|P − Q|."""
    p, q = _distributions(present, absent)
    return 0.5 * math.fsum(np.abs(p - q))


def squared_deviation(present: ArrayLike, absent: ArrayLike) -> float:
    """Σ(P − Q)²Q: the integrated squared deviation ISD(P; Q) with respect to Q (3.5)."""
    p, q = _distributions(present, absent)
    return math.fsum((p - q) ** 2 * q)


def kolmogorov_smirnov(present: ArrayLike, absent: ArrayLike) -> float:
    """max |F − G| over values in the order of the arrays."""
    p, q = _distributions(present, absent)
    return float(np.abs(np.cumsum(p - q)).max())


def hockey_stick(present: ArrayLike, absent: ArrayLike, epsilon: float) -> float:
    """Σ max(0, P − eᵉQ), in this direction alone."""
    p, q = _distributions(present, absent)
    return math.fsum(np.maximum(0.0, p - math.exp(epsilon) * q))


def delta(present: ArrayLike, absent: ArrayLike, epsilon: float) -> float:
    """The least δ with which both P ≤ eᵉQ + δ and Q ≤ eᵉP + δ hold for every event."""
    return max(hockey_stick(present, absent, epsilon), hockey_stick(absent, present, epsilon))


def epsilon(present: ArrayLike, absent: ArrayLike, delta: float) -> float:
    """The least ε with which both P ≤ eᵉQ + δ and Q ≤ eᵉP + δ hold; infinite if none does.

    Only events {P/Q ≥ t} matter (Neyman and Pearson), so ε is the greatest
    log((P(A) − δ)/Q(A)) among them: an answer without a search.
    """
    p, q = _distributions(present, absent)
    check_share("delta", delta)
    return max(_one_sided_epsilon(p, q, delta), _one_sided_epsilon(q, p, delta))


def _one_sided_epsilon(p: Vector, q: Vector, delta: float) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(q > 0, p / q, np.where(p > 0, np.inf, 0.0))
        order = np.argsort(-ratio, kind="stable")
        above = np.cumsum(p[order]) - delta
        below = np.cumsum(q[order])
        # Rounding in a cumulative sum must not make an infinite ε of a δ that is just enough.
        possible = above > 1e-14 * delta
        bounds = np.where(possible, np.log(np.where(possible, above, 1.0)) - np.log(below), -np.inf)
    return max(0.0, float(bounds.max()))


def _distributions(present: ArrayLike, absent: ArrayLike) -> tuple[Vector, Vector]:
    p, q = np.asarray(present, np.float64), np.asarray(absent, np.float64)
    sums_to_one = p.shape == q.shape and p.ndim == 1 and p.size > 0
    for each in (p, q):
        sums_to_one = sums_to_one and bool((each >= 0).all()) and abs(each.sum() - 1) < 1e-9
    if not sums_to_one:
        raise InputError(
            say(
                "{present} and {absent} must be probabilities of the same values, none negative, "
                "that sum to 1 each. Got arrays of shape {first} and {second} that sum to "
                "{one:.6g} and {other:.6g} instead.",
                first=p.shape,
                second=q.shape,
                one=p.sum(),
                other=q.sum(),
            )
        )
    return p, q


# Known answers: a Gaussian shifted by μ standard deviations, and randomised response.


def gaussian_statistical_distance(mu: float) -> float:
    """Between N(μ, 1) and N(0, 1): 2Φ(|μ|/2) − 1, which is its Kolmogorov–Smirnov distance too.

    >>> round(gaussian_statistical_distance(1.0), 6)
    0.382925
    """
    return math.erf(abs(mu) / (2 * math.sqrt(2)))


def gaussian_squared_deviation(mu: float) -> float:
    """∫(φ(x − μ) − φ(x))²φ(x)dx = (1 − exp(−μ²/3))/(2π√3)."""
    return -math.expm1(-(mu**2) / 3) / (2 * math.pi * math.sqrt(3))


def gaussian_delta(mu: float, epsilon: float) -> float:
    """The hockey-stick divergence of N(μ, 1) from N(0, 1), the same in both directions.

    Φ(μ/2 − ε/μ) − eᵉΦ(−μ/2 − ε/μ) (Balle & Wang 2018, theorem 8, with μ = Δ/σ).
    """
    mu = abs(mu)
    if mu == 0:
        return max(0.0, -math.expm1(epsilon))
    second = math.exp(min(0.0, epsilon + float(log_ndtr(-mu / 2 - epsilon / mu))))
    return max(0.0, float(ndtr(mu / 2 - epsilon / mu)) - second)


def randomised_response_statistical_distance(epsilon: float) -> float:
    """Between the two answers of randomised response with ε: (eᵉ − 1)/(eᵉ + 1).

    >>> round(randomised_response_statistical_distance(1.0), 6)
    0.462117
    """
    return math.tanh(epsilon / 2)


def randomised_response_delta(truth: float, epsilon: float) -> float:
    """The hockey-stick divergence at `epsilon` of the two answers of randomised response whose own
    ε is `truth`."""
    share = 1 / (1 + math.exp(-truth))
    return hockey_stick([share, 1 - share], [1 - share, share], epsilon)


# Samples.


def sampled_kolmogorov_smirnov(
    present: ArrayLike, absent: ArrayLike, *, level: float = 0.95
) -> Estimate:
    """max |F − G| of two rows of samples. Each empirical distribution strays by more than t with
    probability at most 2exp(−2nt²) (Dvoretzky, Kiefer, Wolfowitz; Massart 1990)."""
    x, y = np.sort(check_one_row("present", present)), np.sort(check_one_row("absent", absent))
    check_share("level", level, above_zero=True, below_one=True)
    pooled = np.concatenate([x, y])
    f = np.searchsorted(x, pooled, side="right") / x.size
    g = np.searchsorted(y, pooled, side="right") / y.size
    strays = sum(math.sqrt(math.log(4 / (1 - level)) / (2 * n)) for n in (x.size, y.size))
    return _around(float(np.abs(f - g).max()), strays, level)


def sampled_statistical_distance(
    present: ArrayLike,
    absent: ArrayLike,
    edges: ArrayLike,
    *,
    event: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """The statistical distance of two rows of samples told apart by cells between `edges`.

    Cells only hide, so that the distance between cells is at most that of the values themselves;
    the estimate itself tends to be too high by what chance adds to each cell, which the interval
    covers. Edges must not be chosen by the samples that are counted; whole numbers 0 … n have
    edges at ½, 1½ ….

    One sample changes the estimate by at most one over their number (McDiarmid 1989), and what is
    expected of it is no less than the truth, since |·| is convex: that is the upper end. The lower
    end allows for what chance adds. If it is known beforehand in which cells P is the greater, an
    `event` of one flag for each of edges + 1 cells, the lower end is that of P(A) − Q(A), which no
    distance is less than, by exact intervals of both shares.
    """
    first, second = _counted(present, absent, edges)
    check_share("level", level, above_zero=True, below_one=True)
    value = statistical_distance(first / first.sum(), second / second.sum())
    beyond = math.sqrt(math.log(2 / (1 - level)) * (1 / first.sum() + 1 / second.sum()) / 2)
    if event is None:
        low = value - beyond - _added_by_chance(first) - _added_by_chance(second)
    else:
        low = _least_advantage(first, second, np.asarray(event), level)
    return Estimate(value, min(value, max(0.0, low)), min(1.0, value + beyond), level)


def _least_advantage(
    first: NDArray[np.int64], second: NDArray[np.int64], event: NDArray[np.bool_], level: float
) -> float:
    """What P(A) − Q(A) is at least, each with half of what a lower end may err."""
    if event.dtype != np.bool_ or event.shape != first.shape:
        raise InputError(
            say(
                "{event} must be true or false for each of {cells} cells. Got an array of shape "
                "{shape} instead.",
                cells=first.size,
                shape=event.shape,
            )
        )
    error = (1 - level) / 2
    p_low, _ = proportion_limits(first[event].sum(), first.sum(), error)
    _, q_high = proportion_limits(second[event].sum(), second.sum(), error)
    return float(p_low - q_high)


def sampled_delta(
    present: ArrayLike, absent: ArrayLike, edges: ArrayLike, epsilon: float, *, level: float = 0.95
) -> Estimate:
    """The least δ at ε, in both directions, of two rows of samples told apart by cells."""
    first, second = _counted(present, absent, edges)
    p, q = first / first.sum(), second / second.sum()
    a, b = _strays(first, level), _strays(second, level)
    bound = math.exp(epsilon)
    return _around(delta(p, q, epsilon), max(a + bound * b, b + bound * a), level)


def sampled_squared_deviation(
    present: ArrayLike, absent: ArrayLike, edges: ArrayLike, *, level: float = 0.95
) -> Estimate:
    """The integrated squared deviation of two rows of samples told apart by cells.

    The interval is what (P − Q)²Q can be in every cell, if P and Q lie in their exact intervals,
    all of which hold together.
    """
    first, second = _counted(present, absent, edges)
    check_share("level", level, above_zero=True, below_one=True)
    error = (1 - level) / (2 * first.size)
    p_low, p_high = proportion_limits(first, first.sum(), error)
    q_low, q_high = proportion_limits(second, second.sum(), error)

    def deviation(p: Vector, q: Vector) -> Vector:
        return (p - q) ** 2 * q

    # Given P, the term rises in Q up to P/3, falls to 0 at P, and rises again.
    corners = [
        deviation(p, q)
        for p in (p_low, p_high)
        for q in (q_low, q_high, np.clip(p / 3, q_low, q_high))
    ]
    apart_above = np.minimum(deviation(p_low, q_low), deviation(p_low, q_high))
    least = np.where(
        p_low > q_high, apart_above, np.where(q_low > p_high, deviation(p_high, q_low), 0.0)
    )
    value = squared_deviation(first / first.sum(), second / second.sum())
    return Estimate(value, math.fsum(least), math.fsum(np.max(corners, axis=0)), level)


def _counted(
    present: ArrayLike, absent: ArrayLike, edges: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many samples lie in each cell: below the first edge, between two, above the last."""
    x, y = check_one_row("present", present), check_one_row("absent", absent)
    cuts = check_one_row("edges", edges)
    if (np.diff(cuts) <= 0).any():
        raise InputError(say("{edges} must increase from one to the next: sort them."))
    cells = cuts.size + 1
    first = np.bincount(np.searchsorted(cuts, x), minlength=cells)
    return first, np.bincount(np.searchsorted(cuts, y), minlength=cells)


def _strays(counts: NDArray[np.int64], level: float) -> float:
    """By how much, in statistical distance, shares in cells differ from the truth at most: what is
    expected, and what one sample changes, by at most 1/n."""
    check_share("level", level, above_zero=True, below_one=True)
    beyond = math.sqrt(math.log(2 / (1 - level)) / (2 * int(counts.sum())))
    return _added_by_chance(counts) + beyond


def _added_by_chance(counts: NDArray[np.int64]) -> float:
    """How far shares in cells are expected to be from the truth at most: ½√((cells − 1)/n)."""
    return 0.5 * math.sqrt((counts.size - 1) / int(counts.sum()))


def _around(value: float, strays: float, level: float) -> Estimate:
    return Estimate(value, max(0.0, value - strays), min(1.0, value + strays), level)
