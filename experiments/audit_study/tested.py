"""What samples of a cell say: p-values by document and statistic, and an attack carried out.

Algorithm 11 returns a document's least p over statistics; Fig. 3.9 and 3.10 show its mean over
documents. Means have intervals of a bootstrap that draws documents; those of one group share their
databases, so the intervals are asymptotic, and somewhat narrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chatham.audit.guessing import guess_all
from chatham.audit.intervals import Estimate, clopper_pearson
from chatham.audit.membership import MembershipRisk, pooled_risk
from chatham.audit.samples import Samples
from chatham.audit.two_sample import holm, two_sample

Array = NDArray[np.float64]

ALPHA = 0.05
DRAWS = 2000


@dataclass(frozen=True)
class Tested:
    """p-values of Kolmogorov and Smirnov's test, documents × statistics."""

    statistics: tuple[str, ...]
    p: Array

    def only(self, names: Sequence[str]) -> Tested:
        """The same for an adversary that has these statistics alone."""
        chosen = [name for name in names if name in self.statistics]
        columns = [self.statistics.index(name) for name in chosen]
        return Tested(tuple(chosen), self.p[:, columns])

    @property
    def least(self) -> Array:
        """π of each document, as Algorithm 11 returns it: not corrected."""
        return np.asarray(self.p.min(axis=1))

    @property
    def corrected(self) -> Array:
        """Each document's least p after Holm's correction for all documents and statistics."""
        return np.asarray(holm(self.p).min(axis=1))

    @property
    def exposed(self) -> Estimate:
        """The share of documents whose corrected p is at most α."""
        found = int((self.corrected <= ALPHA).sum())
        return clopper_pearson(found, len(self.p))


def tested(samples: Samples) -> Tested:
    """Test every document with every statistic."""
    rows = []
    for target in range(len(samples.plan.design.targets)):
        values, present = samples.features(target)
        rows.append(two_sample(values[present].T, values[~present].T).p)
    return Tested(tuple(samples.statistics), np.array(rows))


def mean_of(values: Array) -> Estimate:
    """A mean over documents, with an interval that draws documents anew."""
    draws = np.random.default_rng(0)
    again = values[draws.integers(len(values), size=(DRAWS, len(values)))].mean(axis=1)
    low, high = np.quantile(again, [0.025, 0.975])
    return Estimate(float(values.mean()), float(low), float(high), 0.95, "asymptotic")


def attacked(samples: Samples) -> tuple[MembershipRisk, list[Estimate]]:
    """The attack over all documents together, and how many guesses about each are right."""
    guessing = guess_all(samples)
    documents = range(len(samples.plan.design.targets))
    return pooled_risk(guessing.attacked), [guessing.share_right(each) for each in documents]


def median_right(shares: Sequence[Estimate]) -> Estimate:
    """The guesses right about the document that half are more exposed than, with its interval."""
    ordered = sorted(shares, key=lambda each: each.estimate)
    return ordered[(len(ordered) - 1) // 2]
