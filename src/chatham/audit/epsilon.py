"""How large must ε be, by what was seen? Lower bounds that hold with a stated probability.

An (ε, δ)-private mechanism lets no event be much likelier with a document than without it:
P(A) ≤ eᵉQ(A) + δ, and the other way round. So whoever sees an event that is much likelier knows
that ε is at least log((P(A) − δ)/Q(A)). From counts, P and Q are known up to Clopper–Pearson's
intervals, and so is the bound; that no attack succeeds never proves that ε is small. Bounds have no
upper end but infinity, save where the mechanism is known to be Gaussian.

For mechanisms without noise of their own, ε is *distributional*: it holds only while the rest of
the database is as random as it was when samples were drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import ndtri
from scipy.stats import binom

from chatham.audit.distances import gaussian_delta
from chatham.audit.intervals import Estimate, check_one_row, proportion_limits
from chatham.audit.membership import fit_gaussians
from chatham.errors import InputError
from chatham.measures.settings import check_positive, check_share, check_whole
from chatham.wording import say

Values = NDArray[np.float64]


# The Gaussian mechanism, analytically (Balle & Wang 2018): μ = Δ/σ says everything.


def gaussian_epsilon(mu: float, delta: float) -> float:
    """The least ε at δ of Gaussian noise, where a document moves the mean by μ deviations."""
    check_share("delta", delta, above_zero=True, below_one=True)
    if gaussian_delta(mu, 0.0) <= delta:
        return 0.0
    high = 1.0
    while gaussian_delta(mu, high) > delta:
        high *= 2
    return float(brentq(lambda each: gaussian_delta(mu, each) - delta, 0.0, high, xtol=1e-13))


def gaussian_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """The least standard deviation with which Gaussian noise is (ε, δ)-private.

    >>> round(gaussian_sigma(1.0, 1e-5), 4)
    3.7306
    """
    check_positive("epsilon", epsilon)
    check_share("delta", delta, above_zero=True, below_one=True)
    check_positive("sensitivity", sensitivity)
    low = high = 1.0
    while gaussian_delta(1 / low, epsilon) < delta:
        low /= 2
    while gaussian_delta(1 / high, epsilon) > delta:
        high *= 2

    def beyond(sigma: float) -> float:
        return gaussian_delta(1 / sigma, epsilon) - delta

    return sensitivity * float(brentq(beyond, low, high, xtol=1e-14))


# Lower bounds from samples with a document and without it.


def epsilon_from_counts(
    true_positives: int,
    positives: int,
    false_positives: int,
    negatives: int,
    *,
    delta: float = 0.0,
    level: float = 0.95,
) -> Estimate:
    """A lower bound on ε from how often a test, fixed beforehand, said "in" of databases with the
    document and of those without it. Both directions of both answers are used."""
    _check_levels(delta, level)
    for name, part, whole in (
        ("true_positives", true_positives, positives),
        ("false_positives", false_positives, negatives),
    ):
        check_whole(name, part, least=0)
        if part > whole or whole < 1:
            raise InputError(
                say(
                    "{true_positives} and {false_positives} can't be more than {positives=} and "
                    "{negatives=}, of which there must be some.",
                    positives=positives,
                    negatives=negatives,
                )
            )
    first, second = np.array([true_positives]), np.array([false_positives])
    return _bounded(first, positives, second, negatives, delta, level)


def epsilon_from_samples(
    present: ArrayLike,
    absent: ArrayLike,
    *,
    delta: float = 0.0,
    level: float = 0.95,
    thresholds: ArrayLike | None = None,
) -> Estimate:
    """A lower bound on ε from samples of a statistic with a document and without it.

    `thresholds` that are fixed beforehand are all tried, and all samples are used; the bound is
    corrected for their number. Otherwise one event is chosen by every other sample of both arms,
    with which the bound is the greatest, and tried on the rest: the statistic above or below some
    value, or the likelihood ratio of two Gaussians above or below one, which also finds leaks that
    change the variance alone.
    """
    x = check_one_row("present", present, least=8)
    y = check_one_row("absent", absent, least=8)
    _check_levels(delta, level)
    if thresholds is not None:
        cuts = np.unique(check_one_row("thresholds", thresholds))
        return _bounded(_above(x, cuts), x.size, _above(y, cuts), y.size, delta, level)
    x, y, cut = _chosen(x, y, delta, level)
    return _bounded(_above(x, cut), x.size, _above(y, cut), y.size, delta, level)


def mu_from_samples(
    present: ArrayLike,
    absent: ArrayLike,
    *,
    level: float = 0.95,
    thresholds: ArrayLike | None = None,
) -> Estimate:
    """μ of a Gaussian mechanism from samples of a statistic: Φ⁻¹(true) − Φ⁻¹(false positives).

    Every test of a mechanism that is μ-GDP stays below that curve (Dong, Roth, Su 2022; Nasr et al.
    2023), so the lower end holds for any such mechanism and any statistic. The curve says what
    happens at a δ far below one over the number of samples, where nothing can be counted: noise
    too small by half for ε = 1 at δ = 10⁻⁵ shows, at a level of 99 %, in 77 % of audits with 2,000
    samples an arm and in 99.7 % with 4,000. The upper end holds only if the statistic itself
    is Gaussian with the same variance in both arms.

    `thresholds` are as for `epsilon_from_samples`; otherwise one is chosen by every other sample.
    """
    x = check_one_row("present", present, least=8)
    y = check_one_row("absent", absent, least=8)
    _check_levels(0.0, level)
    if thresholds is None:
        one, other = x[::2], y[::2]
        # The variance of the difference of two probits is least halfway between the means.
        cuts = np.array([(one.mean() + other.mean()) / 2])
        x, y = x[1::2], y[1::2]
    else:
        cuts = np.unique(check_one_row("thresholds", thresholds))
    first, second = _above(x, cuts), _above(y, cuts)
    error = (1 - level) / (2 * cuts.size)
    p_low, p_high = proportion_limits(first, x.size, error)
    q_low, q_high = proportion_limits(second, y.size, error)
    rising = ndtri(p_low) - ndtri(q_high), ndtri(p_high) - ndtri(q_low)
    falling = -rising[1], -rising[0]
    # A half is added to every count, lest an estimate be infinite.
    middle = ndtri((first + 0.5) / (x.size + 1)) - ndtri((second + 0.5) / (y.size + 1))
    low = max(0.0, float(np.max(rising[0])), float(np.max(falling[0])))
    high = float(np.min(np.maximum(rising[1], falling[1])))
    best = float(np.abs(middle).max())
    return Estimate(min(max(best, low), max(high, low)), low, max(high, low), level)


def epsilon_of_gaussian(
    present: ArrayLike,
    absent: ArrayLike,
    delta: float,
    *,
    level: float = 0.95,
    thresholds: ArrayLike | None = None,
) -> Estimate:
    """ε at δ of a Gaussian mechanism, by the curve of its μ (`mu_from_samples`)."""
    mu = mu_from_samples(present, absent, level=level, thresholds=thresholds)
    estimate, low, high = (
        math.inf if math.isinf(each) else gaussian_epsilon(each, delta)
        for each in (mu.estimate, mu.low, mu.high)
    )
    return Estimate(estimate, low, high, level)


def _bounded(
    first: NDArray[np.int64],
    n: int,
    second: NDArray[np.int64],
    m: int,
    delta: float,
    level: float,
) -> Estimate:
    """The greatest bound of events that happened `first` times of n, and `second` of m. With two
    intervals for each event, all of which hold together, all four ratios hold too."""
    error = (1 - level) / (2 * first.size)
    p_low, p_high = proportion_limits(first, n, error)
    q_low, q_high = proportion_limits(second, m, error)
    low = _ratios(p_low, p_high, q_low, q_high, delta)
    # A half is added to every count, lest an estimate be infinite.
    p, q = (first + 0.5) / (n + 1), (second + 0.5) / (m + 1)
    estimate = max(float(low.max()), float(_ratios(p, p, q, q, delta).max()), 0.0)
    return Estimate(estimate, max(0.0, float(low.max())), math.inf, level)


def _ratios(p_low: Values, p_high: Values, q_low: Values, q_high: Values, delta: float) -> Values:
    """log((P − δ)/Q) at worst, of events and their complements in both directions."""
    above = np.stack([p_low, q_low, 1 - p_high, 1 - q_high]) - delta
    below = np.stack([q_high, p_high, 1 - q_low, 1 - p_low])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(above > 0, np.log(above) - np.log(below), -np.inf)


def _chosen(x: Values, y: Values, delta: float, level: float) -> tuple[Values, Values, Values]:
    """The samples that are left to be tried, as scores, and the threshold on them, both chosen by
    the others."""
    one, other = x[::2], y[::2]
    best, chosen = -math.inf, (x[1::2], y[1::2], one[:1])
    for score in (None, _ratio_of_gaussians(one, other)):
        a, b = (one, other) if score is None else (score(one), score(other))
        cuts = _candidates(np.concatenate([a, b]))
        # Only one event is tried afterwards, but among many the luckiest would be chosen, rare ones
        # above all, if bounds weren't corrected for their number here.
        error = (1 - level) / (2 * cuts.size)
        p = proportion_limits(_above(a, cuts), a.size, error)
        q = proportion_limits(_above(b, cuts), b.size, error)
        bounds = _ratios(*p, *q, delta).max(axis=0)
        at = int(np.argmax(bounds))
        if bounds[at] > best:
            rest = (x[1::2], y[1::2])
            tried = rest if score is None else (score(rest[0]), score(rest[1]))
            best, chosen = float(bounds[at]), (*tried, cuts[at : at + 1])
    return chosen


def _candidates(pooled: Values) -> Values:
    """Thresholds worth trying: all values if they are few; else those whose ranks, counted from
    either end, grow by a twentieth."""
    values = np.unique(pooled)
    steps = int(math.log(values.size) / math.log(1.05)) + 1
    ranks = np.unique((1.05 ** np.arange(steps)).astype(np.int64)) - 1
    return values[np.unique(np.concatenate([ranks, values.size - 1 - ranks]))]


def _ratio_of_gaussians(one: Values, other: Values) -> Callable[[Values], Values]:
    """The logarithm of the likelihood ratio of Gaussians fitted to two rows."""
    included = np.repeat([True, False], [one.size, other.size])
    fitted = fit_gaussians(np.concatenate([one, other]), included)
    return lambda values: fitted.log_ratio(values[:, None])[:, 0]


def _above(samples: Values, cuts: Values) -> NDArray[np.int64]:
    """How many samples lie above each threshold."""
    return samples.size - np.searchsorted(np.sort(samples), cuts, side="right")


# One run: many canaries, each in or out by a coin of its own, in a single fit.


@dataclass(frozen=True)
class Guesses:
    """An auditor's guesses about canaries, abstentions left out."""

    canaries: int
    made: int
    right: int


def guess(scores: ArrayLike, included: ArrayLike, *, said_in: int, said_out: int) -> Guesses:
    """Guess that the canaries with the highest scores were in, and that those with the lowest were
    out; abstain from the rest. How many is fixed before scores are seen."""
    values = check_one_row("scores", scores)
    flags = np.asarray(included)
    check_whole("said_in", said_in, least=0)
    check_whole("said_out", said_out, least=0)
    if flags.dtype != np.bool_ or flags.shape != values.shape or said_in + said_out > values.size:
        raise InputError(
            say(
                "{included} must be true or false for each of {count} canaries, and {said_in} and "
                "{said_out} together no more than these.",
                count=values.size,
            )
        )
    order = np.argsort(-values, kind="stable")
    right = flags[order[:said_in]].sum() + (~flags[order[values.size - said_out :]]).sum()
    return Guesses(values.size, said_in + said_out, int(right))


def one_run_p_value(guesses: Guesses, epsilon: float, delta: float = 0.0) -> float:
    """How likely an (ε, δ)-private mechanism lets so many guesses be right (Steinke, Nasr &
    Jagielski 2023, theorem 5.2): at most P(B ≥ v) + 2mδ·max P(v > B ≥ v − i)/i over i = 1 … v,
    where B counts successes of r guesses that are right with probability eᵉ/(1 + eᵉ)."""
    v, r = guesses.right, guesses.made
    accuracy = 1 / (1 + math.exp(-epsilon))
    beta = float(binom.sf(v - 1, r, accuracy))
    if delta == 0 or v == 0:
        return min(1.0, beta)
    steps = np.arange(1, v + 1)
    shortfall = np.cumsum(binom.pmf(v - steps, r, accuracy)) / steps
    return min(1.0, beta + 2 * guesses.canaries * delta * float(shortfall.max()))


def one_run_epsilon(guesses: Guesses, *, delta: float = 0.0, level: float = 0.95) -> Estimate:
    """A lower bound on ε from a single fit: the least ε with which the guesses weren't luck.

    Canaries must be in or out by independent fair coins that the mechanism doesn't know. It is a
    first look in seconds; the bound is about all canaries together, so that it can't say which.

    >>> round(one_run_epsilon(Guesses(canaries=100, made=100, right=100)).low, 3)
    3.493
    """
    _check_levels(delta, level)
    check_whole("made", guesses.made, least=1)
    if not 0 <= guesses.right <= guesses.made <= guesses.canaries:
        raise InputError(
            say(
                "{right=} can't be more than {made=}, nor that more than {canaries=}.",
                right=guesses.right,
                made=guesses.made,
                canaries=guesses.canaries,
            )
        )
    error = 1 - level

    def luck(epsilon: float) -> float:
        return one_run_p_value(guesses, epsilon, delta) - error

    low = 0.0
    if luck(0.0) < 0:
        high = 1.0
        while luck(high) < 0:
            high *= 2
        low = float(brentq(luck, 0.0, high, xtol=1e-12))
    share = (guesses.right + 0.5) / (guesses.made + 1)
    return Estimate(max(low, math.log(share) - math.log1p(-share)), low, math.inf, level)


def _check_levels(delta: float, level: float) -> None:
    check_share("delta", delta, below_one=True)
    check_share("level", level, above_zero=True, below_one=True)
