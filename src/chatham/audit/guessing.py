"""Guessing: for each document the statistic that tells most, chosen and tried on different runs.

An adversary has many statistics to choose from, and for each document another may be the best.
Whoever looks at all of them and then tells of the best one tells of luck. So databases are cut in
two: in one half the statistic is chosen and its two Gaussians are fitted, in the other they guess
whether a database has the document; and the other way round. Whatever is told of these guesses is
about an attack that was carried out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from chatham.audit.intervals import Estimate, proportion_limits
from chatham.audit.membership import Attacked, fit_gaussians
from chatham.audit.samples import Samples

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Guessing:
    """An attack that was carried out on every document."""

    attacked: Attacked
    """Log likelihood ratios, databases × documents, NaN where a database tells nothing of a
    document; above 0 the guess is that it is there."""
    chosen: NDArray[np.int64]
    """Halves × documents: the statistic that guesses were made by in each half."""

    def share_right(self, document: int, *, level: float = 0.95) -> Estimate:
        """How many guesses about a document are right, where half would be by chance.

        It is the average of both halves. In each, guesses are independent given what was chosen in
        the other, so either has an exact interval; both hold together with probability `level`.
        """
        shares, lows, highs = [], [], []
        for half in (0, 1):
            rows = self.attacked.half == half
            ratios = self.attacked.ratios[rows, document]
            asked = ~np.isnan(ratios)
            ratios, present = ratios[asked], self.attacked.included[rows, document][asked]
            # Where nothing speaks for either, the guess is a coin's.
            right = float(((ratios > 0) == present)[ratios != 0].sum() + 0.5 * (ratios == 0).sum())
            ends = proportion_limits(right, ratios.size, (1 - level) / 2)
            shares.append(right / ratios.size)
            lows.append(float(ends[0]))
            highs.append(float(ends[1]))
        share, low, high = (float(np.mean(each)) for each in (shares, lows, highs))
        return Estimate(share, low, high, level)


def guess_all(samples: Samples, *, seed: int = 0) -> Guessing:
    """Carry the attack out with all statistics of these samples."""
    records = samples.records()
    n_databases, n_targets = samples.plan.design.databases, len(samples.plan.design.targets)
    ratios = np.full((n_databases, n_targets), np.nan)
    included = np.zeros((n_databases, n_targets), dtype=bool)
    half = np.full(n_databases, -1, np.int64)
    chosen = np.zeros((2, n_targets), np.int64)
    generator = np.random.default_rng(seed)
    for target in range(n_targets):
        of_target = np.flatnonzero(records.target == target)
        databases = records.database[of_target]
        if (half[databases] < 0).any():  # documents of one group share databases, and their halves
            half[databases] = halves(len(databases), generator)
        values, present = records.values[of_target], records.present[of_target]
        included[databases, target] = present
        for each in (0, 1):
            tried = half[databases] == each
            best, found = chosen_by(values[~tried], present[~tried], values[tried])
            chosen[each, target] = best
            ratios[databases[tried], target] = found
    return Guessing(Attacked(ratios, included, half), chosen)


def halves(databases: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """Which of two halves each database is in, at random."""
    half = np.zeros(databases, np.int64)
    half[generator.permutation(databases)[: databases // 2]] = 1
    return half


def chosen_by(values: Array, present: Flags, tried: Array) -> tuple[int, Array]:
    """Which statistic tells most of a document in these databases × statistics, and what it says of
    others."""
    n_statistics = values.shape[1]
    # Many statistics have long tails, to which a Gaussian fits badly; their ranks have none.
    ranked = [_normal_scores(values, each) for each in (values, tried)]
    values, tried = np.hstack([values, ranked[0]]), np.hstack([tried, ranked[1]])
    flags = np.repeat(present[:, None], values.shape[1], axis=1)
    fitted = fit_gaussians(values, flags)
    # Means of equal numbers may differ in the last bit, which would be a sign, and no evidence.
    varies = np.ptp(values, axis=0) > 0
    ratios = np.where(varies, fitted.log_ratio(values), 0.0)
    right = np.sign(ratios) * np.where(flags, 1.0, -1.0)
    # Both arms count alike, whatever coins made of their sizes.
    weights = np.where(flags, 1 / present.sum(), 1 / (~present).sum())
    best = int(np.argmax((right * weights).sum(axis=0)))
    said = np.where(varies, fitted.log_ratio(tried), 0.0)[:, best]
    return best % n_statistics, said


def _normal_scores(known: Array, values: Array) -> Array:
    """Where values lie among known ones, column by column, as quantiles of a Gaussian."""
    scores = np.empty_like(values)
    for column, among in enumerate(np.sort(known, axis=0).T):
        each = values[:, column]
        below = np.searchsorted(among, each, "left") + np.searchsorted(among, each, "right")
        scores[:, column] = ndtri((below + 1) / (2 * among.size + 2))
    return scores
