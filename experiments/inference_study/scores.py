"""How near found weights are to the true ones, by chatham's own measures (Lee, section 4.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from chatham.learners.anchor.correlations import normalised
from chatham.measures.subject import Subject
from inference_study.cases import Case

Array = NDArray[np.float64]

MEASURES = {
    "precision_of_topics": "precision", "recall_of_topics": "recall", "f1_of_topics": "F1",
    "l1_of_weights": "ℓ1", "linf_of_weights": "ℓ∞", "hellinger": "Hellinger",
    "kl_to_true_weights": "KL", "non_support": "non-support",
}  # fmt: skip
"""Measures, and how the source calls them."""
PRIOR = "prior_distance"
SHOWN = {**MEASURES, PRIOR: "prior distance"}
HIGHER = ("precision_of_topics", "recall_of_topics", "f1_of_topics")


@dataclass(frozen=True, eq=False)
class Found:
    """Weights that were found already, in the place of an estimator."""

    weights: Array

    def transform(self, counts: Any) -> Array:
        """The weights, for the very documents that they were found for."""
        assert counts.shape[0] == len(self.weights)
        return self.weights


def scores_of(case: Case, weights: Array, n_jobs: int | None = None) -> dict[str, float]:
    """Each measure's value; the prior distance is to the A that the case tells inferences."""
    topics = case.known.topics
    subject = Subject(case.corpus.vocabulary, topics, estimator=Found(weights))
    table = ch.evaluate(
        subject, case.corpus, list(MEASURES), true_topics=topics, true_weights=case.truth,
        n_jobs=n_jobs,
    )  # fmt: skip
    scores = dict(zip(table["measure"], map(float, table["value"]), strict=True))
    return {**scores, PRIOR: prior_distance(case.known.correlations, weights)}


def prior_distance(correlations: Array, weights: Array) -> float:
    """‖A₀ − (1/M) Σ wwᵀ‖_F, A₀ brought to sum one."""
    moments = weights.T @ weights / len(weights)
    return float(np.linalg.norm(normalised(correlations) - moments))
