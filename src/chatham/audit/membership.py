"""Who was in? Attacks that guess, from a statistic, whether a document was in the database.

Documents enter databases by coin tosses, so that one set of fits serves all: `scores` has a row for
each database and a column for each document, `included` says which documents were in.

**The likelihood-ratio attack** (Carlini et al. 2022: LiRA, online): a document has two Gaussians,
of its scores in databases with it and without it, and the attack orders databases by the logarithm
of their ratio. Gaussians are fitted to some databases and tried on others. Leaving out one database
at a time would be worse than it looks: a sample that is left out moves its own arm's mean away
from itself, and where nothing leaks such an attack does worse than chance. Here databases are cut
in two, fitted to one half, tried on the other and the other way round, and cases are only ever
compared with those of the same half, so that nothing depends on itself.

Every figure has an interval. Documents of one database share its fit and aren't independent, so
intervals are of a bootstrap that draws whole databases. The two halves aren't independent either:
what happens to lie high in one makes a fit that the other is tried by, and both figures rise or
fall together. So an interval of their average is the average of their intervals, and no narrower.
All figures are about the attack as it was fitted: with few databases it does worse than the best
could (a shift of one deviation, 60 databases: an area of 0.73 where 0.76 is possible).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

from chatham.audit.intervals import Estimate, check_samples, proportion_limits
from chatham.errors import InputError
from chatham.measures.settings import check_share, check_whole
from chatham.wording import say

Values = NDArray[np.float64]
Flags = NDArray[np.bool_]

FALSE_POSITIVE_RATES = (0.001, 0.01)
LEAST_ARM = 2
"""The fewest samples that have a variance."""


# The attack.


@dataclass(frozen=True)
class Gaussians:
    """For each document, the Gaussian of its scores with it and of those without it."""

    mean_in: Values
    mean_out: Values
    deviation_in: Values
    deviation_out: Values
    samples_in: Values
    samples_out: Values

    def log_ratio(self, scores: Values) -> Values:
        """log of the density with the document over that without it (databases × documents)."""
        with_it = (scores - self.mean_in) / self.deviation_in
        without = (scores - self.mean_out) / self.deviation_out
        widths = np.log(self.deviation_out) - np.log(self.deviation_in)
        return np.asarray(0.5 * (without**2 - with_it**2) + widths)


def fit_gaussians(scores: ArrayLike, included: ArrayLike) -> Gaussians:
    """Means and standard deviations in both arms of every document."""
    values, flags = _checked(scores, included)
    mean_in, deviation_in, samples_in = _moments(values, flags)
    mean_out, deviation_out, samples_out = _moments(values, ~flags)
    # A score that never varies would have a density without a width. It gets one that is far below
    # anything that matters: equal constants then tell nothing, and different ones everything.
    scale = np.maximum(np.abs(mean_in - mean_out), np.maximum(deviation_in, deviation_out))
    floor = np.where(scale > 0, 1e-6 * scale, 1.0)
    wide_in, wide_out = np.maximum(deviation_in, floor), np.maximum(deviation_out, floor)
    return Gaussians(mean_in, mean_out, wide_in, wide_out, samples_in, samples_out)


@dataclass(frozen=True)
class Attacked:
    """What an attack says of databases that it wasn't fitted to."""

    ratios: Values
    """log likelihood ratios, databases × documents; NaN where a database isn't about a document."""
    included: Flags
    half: NDArray[np.int64]
    """Which of two halves each database is in: it was tried by a fit to the other one."""


def likelihood_ratios(scores: ArrayLike, included: ArrayLike, *, seed: int = 0) -> Attacked:
    """The likelihood-ratio attack on databases × documents; halves are drawn by `seed`."""
    values, flags = _checked(scores, included)
    half = np.zeros(len(values), np.int64)
    half[np.random.default_rng(seed).permutation(len(values))[: len(values) // 2]] = 1
    ratios = np.empty_like(values)
    for each in (0, 1):
        fitted = fit_gaussians(values[half != each], flags[half != each])
        ratios[half == each] = fitted.log_ratio(values[half == each])
    return Attacked(ratios, flags, half)


# Figures over all documents together.


@dataclass(frozen=True)
class MembershipRisk:
    """How well an attack does over all documents together."""

    auc: Estimate
    """How often a database with a document gets a higher ratio than one without."""
    true_positives: dict[float, Estimate]
    """The true-positive rate at each false-positive rate, pooled over documents."""


def pooled_risk(
    attacked: Attacked,
    *,
    rates: tuple[float, ...] = FALSE_POSITIVE_RATES,
    level: float = 0.95,
    draws: int = 400,
    seed: int = 0,
) -> MembershipRisk:
    """The area under the curve, and true positives at low false positives, over all documents.

    False positives are at most the stated rate: where there are too few cases for it, none is
    allowed. Figures are those of the two halves, averaged.
    """
    for rate in rates:
        check_share("rates", rate, above_zero=True, below_one=True)
    check_share("level", level, above_zero=True, below_one=True)
    check_whole("draws", draws, least=50)
    halves = [_Curve(attacked, each) for each in (0, 1)]
    generator = np.random.default_rng(seed)
    drawn = [[half.drawn(generator) for half in halves] for _ in range(draws)]
    databases = len(attacked.half)

    def estimated(figure: Callable[[_Curve, Values], float]) -> Estimate:
        value = float(np.mean([figure(half, half.once) for half in halves]))
        again = np.array(
            [
                [figure(half, w) for half, w in zip(halves, weights, strict=True)]
                for weights in drawn
            ]
        )
        return _resampled(value, again, databases, level)

    return MembershipRisk(
        estimated(lambda half, weights: half.auc(weights)),
        {
            rate: estimated(lambda half, weights, rate=rate: half.true_positives(weights, rate))  # type: ignore[misc]
            for rate in rates
        },
    )


class _Curve:
    """All cases of one half in falling order of their ratio; each counts as often as its database
    was drawn."""

    def __init__(self, attacked: Attacked, half: int) -> None:
        rows = np.flatnonzero(attacked.half == half)
        ratios, flags = attacked.ratios[rows], attacked.included[rows]
        cases = np.flatnonzero(~np.isnan(ratios))
        order = cases[np.argsort(-ratios.ravel()[cases], kind="stable")]
        self.database = order // ratios.shape[1]
        self.positive = flags.ravel()[order]
        falling = ratios.ravel()[order]
        self.ends = np.append(np.flatnonzero(falling[1:] != falling[:-1]), falling.size - 1)
        self.once = np.ones(len(rows))

    def drawn(self, generator: np.random.Generator) -> Values:
        """How often each database is drawn, with putting back."""
        n = self.once.size
        return np.bincount(generator.integers(n, size=n), minlength=n).astype(np.float64)

    def _rates(self, weights: Values) -> tuple[Values, Values]:
        """False- and true-positive rates, one for each threshold; ties are told as one."""
        weight = weights[self.database]
        true = np.cumsum(np.where(self.positive, weight, 0.0))[self.ends]
        false = np.cumsum(np.where(self.positive, 0.0, weight))[self.ends]
        # A draw without either kind, which is possible only for very few databases, says nothing.
        return false / max(false[-1], 1.0), true / max(true[-1], 1.0)

    def auc(self, weights: Values) -> float:
        false, true = self._rates(weights)
        return float(np.trapezoid(np.append(0.0, true), np.append(0.0, false)))

    def true_positives(self, weights: Values, rate: float) -> float:
        false, true = self._rates(weights)
        within = int(np.searchsorted(false, rate * (1 + 1e-12), side="right"))
        return float(true[within - 1]) if within else 0.0


def _resampled(value: float, again: Values, databases: int, level: float) -> Estimate:
    """Percentiles of a bootstrap (draws × halves), averaged over halves. At 0 and 1 a bootstrap
    can't say more than that it saw nothing else, so there the interval is the exact one of as many
    trials as there are databases."""
    low, high = np.quantile(again, [(1 - level) / 2, (1 + level) / 2], axis=0).mean(axis=1)
    if value in (0.0, 1.0):
        low, high = (float(e) for e in proportion_limits(value * databases, databases, 1 - level))
    return Estimate(value, min(float(low), value), max(float(high), value), level)


# Figures for each document.


def document_auc(scores: ArrayLike, included: ArrayLike, *, level: float = 0.95) -> list[Estimate]:
    """For each document, how often its score is higher with it than without it (ties: half).

    Values below ½ are leaks too: the score falls. The variance is at most AUC(1 − AUC) over the
    smaller arm's size (Birnbaum & Klose 1957), as of that many coin tosses; the interval is theirs.
    It is for each document by itself.
    """
    values, flags = _checked(scores, included)
    check_share("level", level, above_zero=True, below_one=True)
    found = []
    for column in range(values.shape[1]):
        inside = flags[:, column]
        n, m = int(inside.sum()), int((~inside).sum())
        ranks = rankdata(values[:, column])
        auc = float((ranks[inside].sum() - n * (n + 1) / 2) / (n * m))
        pairs = min(n, m)
        low, high = proportion_limits(auc * pairs, pairs, 1 - level)
        found.append(Estimate(auc, float(low), float(high), level))
    return found


def document_true_positives(
    scores: ArrayLike,
    included: ArrayLike,
    rate: float,
    *,
    level: float = 0.95,
    draws: int = 400,
    seed: int = 0,
) -> list[Estimate]:
    """For each document, the true-positive rate at a false-positive rate, if scores are Gaussian.

    There are far too few databases to count one false positive in a thousand for one document, so
    the rate is read off the fitted curves: extrapolated. The interval draws means and variances
    anew as Gaussian samples have them, and knows nothing of scores that aren't Gaussian.
    """
    check_share("rate", rate, above_zero=True, below_one=True)
    check_share("level", level, above_zero=True, below_one=True)
    check_whole("draws", draws, least=50)
    fitted = fit_gaussians(scores, included)
    values = _gaussian_true_positives(
        fitted.mean_in, fitted.mean_out, fitted.deviation_in, fitted.deviation_out, rate
    )
    generator = np.random.default_rng(seed)

    def again(mean: Values, deviation: Values, samples: Values) -> tuple[Values, Values]:
        shape = (draws, mean.size)
        freedom = samples - 1
        widths = deviation * np.sqrt(freedom / generator.chisquare(freedom, shape))
        return mean + widths / np.sqrt(samples) * generator.standard_normal(shape), widths

    means_in, widths_in = again(fitted.mean_in, fitted.deviation_in, fitted.samples_in)
    means_out, widths_out = again(fitted.mean_out, fitted.deviation_out, fitted.samples_out)
    drawn = _gaussian_true_positives(means_in, means_out, widths_in, widths_out, rate)
    # The best test never does worse than chance, so estimates lie above the truth where little
    # leaks. Percentiles are taken as they are and mirrored, and the wider ends are told; and chance
    # is among what is possible where a test doesn't tell the two Gaussians apart.
    straight = ndtri(np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0))
    mirrored = 2 * ndtri(values) - straight[::-1]
    low = np.clip(ndtr(np.minimum(straight[0], mirrored[0])), rate, values)
    low = np.where(_likelihood_test(fitted) > 1 - level, rate, low)
    high = np.maximum(ndtr(np.maximum(straight[1], mirrored[1])), values)
    return [
        Estimate(float(v), float(a), float(b), level, "extrapolated")
        for v, a, b in zip(values, low, high, strict=True)
    ]


def _likelihood_test(fitted: Gaussians) -> Values:
    """The p-value of equal means and equal variances: twice the logarithm of the likelihood ratio
    is about χ² with two degrees of freedom."""
    n, m = fitted.samples_in, fitted.samples_out
    first = fitted.deviation_in**2 * (n - 1) / n
    second = fitted.deviation_out**2 * (m - 1) / m
    between = n * m / (n + m) ** 2 * (fitted.mean_in - fitted.mean_out) ** 2
    both = (n * first + m * second) / (n + m) + between
    doubled = (n + m) * np.log(both) - n * np.log(first) - m * np.log(second)
    return np.asarray(np.exp(-np.maximum(doubled, 0.0) / 2))


def _gaussian_true_positives(
    mean_in: Values, mean_out: Values, width_in: Values, width_out: Values, rate: float
) -> Values:
    """The power of the likelihood-ratio test of N(in) against N(out) at a false-positive rate.

    In units of the out-Gaussian the ratio is a parabola around `centre`: the test says "in" outside
    a symmetric stretch around it where the in-Gaussian is the wider one, and inside where it is
    the narrower. With equal widths it says "in" beyond a point.
    """
    shift, width = (mean_in - mean_out) / width_out, width_in / width_out
    straight = np.abs(width**2 - 1) < 1e-6
    curvature = np.where(straight, 1.0, width**2 - 1)
    centre = -shift / curvature

    def outside(reach: Values) -> tuple[Values, Values]:
        false = ndtr(centre - reach) + ndtr(-centre - reach)
        true = ndtr((centre - shift - reach) / width) + ndtr((shift - centre - reach) / width)
        return false, true

    wanted = np.where(width > 1, rate, 1 - rate)
    low, high = np.zeros_like(shift), np.abs(centre) + 40.0
    for _ in range(80):
        middle = (low + high) / 2
        too_many = outside(middle)[0] > wanted
        low, high = np.where(too_many, middle, low), np.where(too_many, high, middle)
    true = outside(high)[1]
    curved = np.where(width > 1, true, 1 - true)
    power = np.where(straight, ndtr(np.abs(shift) + ndtri(rate)), curved)
    return np.asarray(np.clip(power, rate, 1 - 1e-15))


# The best adversary there could be.


def nearest_neighbours(
    present: ArrayLike,
    absent: ArrayLike,
    *,
    neighbours: int | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """The advantage of the Bayes-optimal adversary, true minus false positives, as k nearest
    neighbours find it (thesis, section 3.5): an estimate of the statistical distance.

    Samples are rows of features of what is observed, one arm with a document and one without, or
    plain rows of one statistic. Neighbours are looked up among one half of the samples for the
    other half and the other way round, √(half) of them unless told otherwise. It converges to the
    best adversary's as samples become many, from below for the most part, at a rate that nobody
    knows: asymptotic. The lower end is that of an attack which was really carried out.
    """
    check_share("level", level, above_zero=True, below_one=True)
    x, y = (
        each.reshape(len(each), -1)
        for each in (
            np.asarray(check_samples("present", present)),
            np.asarray(check_samples("absent", absent)),
        )
    )
    if x.shape[1] != y.shape[1] or min(len(x), len(y)) < 2 * LEAST_ARM:
        raise InputError(
            say(
                "{present} and {absent} must have the same features, and {least} samples each at "
                "least. Got arrays of shape {first} and {second} instead.",
                least=2 * LEAST_ARM,
                first=x.shape,
                second=y.shape,
            )
        )
    generator = np.random.default_rng(seed)
    x, y = x[generator.permutation(len(x))], y[generator.permutation(len(y))]
    true = false = 0
    halves = (slice(0, None, 2), slice(1, None, 2))
    for known, tried in (halves, halves[::-1]):
        says = _vote(x[known], y[known], neighbours, generator)
        true += int(says(x[tried]).sum())
        false += int(says(y[tried]).sum())
    error = (1 - level) / 2
    true_low, true_high = proportion_limits(true, len(x), error)
    false_low, false_high = proportion_limits(false, len(y), error)
    return Estimate(
        true / len(x) - false / len(y),
        float(true_low - false_high),
        float(true_high - false_low),
        level,
        "asymptotic",
    )


def _vote(
    x: Values, y: Values, neighbours: int | None, generator: np.random.Generator
) -> Callable[[Values], Flags]:
    """Whether more of the nearest known samples are of the first arm than of the second; arms of
    unlike size count alike, and features are measured by how they vary."""
    known = np.concatenate([x, y])
    middle, spread = known.mean(axis=0), known.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    # Among equally near samples the tree keeps some by their place: a random place, then.
    order = generator.permutation(len(known))
    votes = np.concatenate([np.full(len(x), 1 / len(x)), np.full(len(y), -1 / len(y))])[order]
    tree = cKDTree(((known - middle) / spread)[order])
    k = round(len(known) ** 0.5) if neighbours is None else neighbours
    check_whole("neighbours", k, least=1)
    k = min(k, len(known))

    def says(points: Values) -> Flags:
        _, nearest = tree.query((points - middle) / spread, k=[*range(1, k + 1)])
        return np.asarray(votes[nearest].sum(axis=1) > 1e-12)

    return says


def _moments(values: Values, flags: Flags) -> tuple[Values, Values, Values]:
    """Mean, standard deviation and number of the flagged values of each column."""
    count = flags.sum(axis=0).astype(np.float64)
    if count.min() < LEAST_ARM:
        raise InputError(
            say(
                "A document is in or out of too few databases to fit a Gaussian: {included} must "
                "have it in {least} at least, and out of as many, in either half of them.",
                least=LEAST_ARM,
            )
        )
    mean = np.where(flags, values, 0.0).sum(axis=0) / count
    squares = np.where(flags, (values - mean) ** 2, 0.0).sum(axis=0)
    return mean, np.sqrt(squares / (count - 1)), count


def _checked(scores: ArrayLike, included: ArrayLike) -> tuple[Values, Flags]:
    values = check_samples("scores", scores)
    flags = np.asarray(included)
    if values.ndim == 1:
        values, flags = values[:, None], flags.reshape(-1, 1)
    if flags.dtype != np.bool_ or flags.shape != values.shape or not np.isfinite(values).all():
        raise InputError(
            say(
                "{scores} must be finite numbers, databases × documents, and {included} true or "
                "false for each. Got arrays of shape {first} and {second} instead.",
                first=values.shape,
                second=flags.shape,
            )
        )
    return values, flags
