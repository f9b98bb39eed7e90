"""Guessing: for each document the statistic that tells most, chosen and tried on different runs.

An adversary has many statistics to choose from, and for each document another may be the best.
Whoever looks at all of them and then tells of the best one tells of luck. So databases are cut in
two: in one half the statistic is chosen and its two Gaussians are fitted, in the other they guess
whether a database has the document; and the other way round. Whatever is told of these guesses is
about an attack that was carried out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from chatham.audit.intervals import Estimate, average, proportion_limits
from chatham.audit.membership import Attacked, fit_gaussians
from chatham.audit.neighbours import OneByOne
from chatham.audit.samples import Samples

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Choice:
    """The statistic that tells most of a document in one half of the databases."""

    statistic: int
    known: tuple[Array, Array]
    """Its values in the half where it was chosen, with the document and without it; or, where that
    told more, their normal scores among all of these."""
    tried: tuple[Array, Array]
    """The same in the other half: of what wasn't chosen by them, they are fair samples."""


@dataclass(frozen=True)
class Guessing:
    """An attack that was carried out on every document."""

    attacked: Attacked
    """Log likelihood ratios, databases × documents, NaN where a database tells nothing of a
    document; above 0 the guess is that it is there."""
    choices: tuple[tuple[Choice, ...], ...]
    """Halves × documents: what guesses were made by in each half."""

    @property
    def chosen(self) -> NDArray[np.int64]:
        """Halves × documents: the statistics of these choices."""
        return np.array([[each.statistic for each in half] for half in self.choices])

    def share_right(self, document: int, *, level: float = 0.95) -> Estimate:
        """How many guesses about a document are right, where half would be by chance.

        It is the average of both halves. In each, guesses are independent given what was chosen in
        the other, so either has an exact interval; both hold together with probability `level`.
        """
        halves = []
        for half in (0, 1):
            rows = self.attacked.half == half
            ratios = self.attacked.ratios[rows, document]
            asked = ~np.isnan(ratios)
            ratios, present = ratios[asked], self.attacked.included[rows, document][asked]
            # Where nothing speaks for either, the guess is a coin's.
            right = float(((ratios > 0) == present)[ratios != 0].sum() + 0.5 * (ratios == 0).sum())
            low, high = proportion_limits(right, ratios.size, (1 - level) / 2)
            halves.append(Estimate(right / ratios.size, float(low), float(high), level))
        return average(halves, level)


def guess_all(samples: Samples, *, seed: int = 0) -> Guessing:
    """Carry the attack out with all statistics of these samples."""
    records = samples.records()
    n_databases, n_targets = samples.plan.design.databases, len(samples.plan.design.targets)
    ratios = np.full((n_databases, n_targets), np.nan)
    included = np.zeros((n_databases, n_targets), dtype=bool)
    half = np.full(n_databases, -1, np.int64)
    choices: tuple[list[Choice], list[Choice]] = ([], [])
    # The two databases of a pair are much alike, and either would learn from the other.
    together = 2 if isinstance(samples.plan.design, OneByOne) else 1
    generator = np.random.default_rng(seed)
    for target in range(n_targets):
        of_target = np.flatnonzero(records.target == target)
        databases = records.database[of_target]
        if (half[databases] < 0).any():  # documents of one group share databases, and their halves
            half[databases] = halves(len(databases), generator, together)
        values, present = records.values[of_target], records.present[of_target]
        included[databases, target] = present
        for each in (0, 1):
            tried = half[databases] == each
            has_it, to_tell = present[~tried], present[tried]
            told = most_telling(values[~tried], has_it, values[tried])
            ratios[databases[tried], target] = told.ratios
            choices[each].append(
                Choice(
                    told.statistic,
                    (told.known[has_it], told.known[~has_it]),
                    (told.tried[to_tell], told.tried[~to_tell]),
                )
            )
    return Guessing(Attacked(ratios, included, half), (tuple(choices[0]), tuple(choices[1])))


def halves(databases: int, generator: np.random.Generator, together: int = 1) -> NDArray[np.int64]:
    """Which half each database is in; so many neighbours in a row stay together."""
    blocks = -(-databases // together)
    half = np.zeros(blocks, np.int64)
    half[generator.permutation(blocks)[: blocks // 2]] = 1
    return np.repeat(half, together)[:databases]


class Told(NamedTuple):
    """The statistic that tells most of a document, and its values."""

    statistic: int
    ratios: Array
    """The log likelihood ratios of databases that it wasn't chosen by."""
    known: Array
    """Its values, or their normal scores, in those that it was chosen by."""
    tried: Array
    """The same in the others."""


def most_telling(values: Array, present: Flags, tried: Array) -> Told:
    """Which statistic tells most of a document in these databases × statistics, and what it says of
    others, `tried`."""
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
    return Told(best % n_statistics, said, values[:, best], tried[:, best])


def _normal_scores(known: Array, values: Array) -> Array:
    """Where values lie among known ones, column by column, as quantiles of a Gaussian."""
    scores = np.empty_like(values)
    for column, among in enumerate(np.sort(known, axis=0).T):
        each = values[:, column]
        below = np.searchsorted(among, each, "left") + np.searchsorted(among, each, "right")
        scores[:, column] = ndtri((below + 1) / (2 * among.size + 2))
    return scores
