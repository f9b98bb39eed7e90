"""What documents are drawn from: topics with or without anchors of their own, and a prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.corpus.synthetic.compositions import LogisticNormal, block_covariance
from chatham.corpus.synthetic.corpora import Synthetic, synthetic_corpus
from chatham.corpus.synthetic.planting import with_anchors

Array = NDArray[np.float64]

CONCENTRATION = 0.03
"""Of the symmetric Dirichlet."""
GROUPS = 10
"""Of topics that correlate."""
DRAWS, AT_ONCE = 400_000, 20_000
"""Compositions whose mean stands for the exact moments of a logistic normal, in equal parts."""


@dataclass(frozen=True)
class Case:
    """One panel of the figure."""

    kind: str
    figure: str
    """Arora's."""
    length: int
    anchors: bool = False
    correlation: float | None = None
    """Of a logistic normal; None for the Dirichlet."""

    @property
    def name(self) -> str:
        """What the panel is called."""
        return f"{self.kind}, {self.length} tokens"

    def topics(self, fitted: Array) -> Array:
        """The true topics: as fitted, or with an anchor as probable as the topic's top word."""
        return with_anchors(fitted, None, None, "top")[0] if self.anchors else fitted

    def prior(self, k: int) -> Any:
        """What compositions are drawn from."""
        if self.correlation is None:
            return CONCENTRATION
        groups = max(1, min(GROUPS, k // 2))  # of two topics at least
        return LogisticNormal(covariance=block_covariance(k, groups, self.correlation))

    def draw(self, fitted: Array, n: int, seed: int, n_jobs: int) -> Synthetic:
        """So many documents; fewer are the first of them."""
        return synthetic_corpus(
            fitted, n, lengths=self.length, prior=self.prior(len(fitted)),
            anchors="top" if self.anchors else None, random_state=seed, n_jobs=n_jobs,
        )  # fmt: skip

    def moments(self, k: int) -> Array:
        """E[wwᵀ]: exact for the Dirichlet, the mean over many draws for the logistic normal."""
        if self.correlation is None:
            total = k * CONCENTRATION
            squared = np.full((k, k), CONCENTRATION**2) + CONCENTRATION * np.eye(k)
            return squared / (total * (total + 1.0))
        prior, rng, sums = self.prior(k), np.random.default_rng(0), np.zeros((k, k))
        for _ in range(DRAWS // AT_ONCE):
            weights = prior.draw(AT_ONCE, k, rng)
            sums += weights.T @ weights
        return np.asarray(sums / sums.sum())

    def exact(self, fitted: Array) -> Array:
        """The co-occurrence of infinitely many documents, Q = Tᵀ E[wwᵀ] T."""
        topics = self.topics(fitted)
        joint = topics.T @ self.moments(len(topics)) @ topics
        joint = (joint + joint.T) / 2.0
        return np.asarray(joint / joint.sum())


CASES = (
    Case("as fitted", "2", 70),
    Case("as fitted", "2", 300),
    Case("anchors added", "3", 70, anchors=True),
    Case("anchors added", "3", 300, anchors=True),
    Case("logistic normal, ρ = 0", "–", 300, correlation=0.0),
    Case("logistic normal, ρ = 0.05", "4", 300, correlation=0.05),
    Case("logistic normal, ρ = 0.1", "4", 300, correlation=0.1),
)
"""ρ = 0 isn't in the source: it tells what the prior does from what correlation does."""
