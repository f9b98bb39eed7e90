"""How good topics are, alike for everyone: completion of unseen documents, NPMI, diversity.

Weights of the seen halves are means over Gibbs samples with the topics fixed, 20 sweeps and then 30
samples, whoever made the topics; they and α are all that differs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from chatham.measures.subject import Subject, folding, smoothed
from refinement_study.documents import Parts

Array = NDArray[np.float64]

SMOOTHING = 0.01
"""The share of the uniform distribution in everyone's topics: spectral ones have zeros."""
SAME_SUM = 5.0
"""Σα where it is the same for everyone."""


def scores_of(topics: Array, alpha: Array, parts: Parts, n_jobs: int) -> dict[str, float]:
    """Completion with the model's own α and with its α scaled to sum 5; NPMI; diversity; Σα."""
    same = SAME_SUM * alpha / alpha.sum()
    return {
        "completion": _completion(topics, alpha, parts, n_jobs),
        "completion_same": _completion(topics, same, parts, n_jobs),
        **_words(topics, parts, n_jobs),
        "alpha": float(alpha.sum()),
    }


def own_scores(topics: Array, alpha: Array, parts: Parts, n_jobs: int) -> dict[str, float]:
    """Completion with the model's own α alone; NPMI; diversity."""
    return {
        "completion": _completion(topics, alpha, parts, n_jobs),
        **_words(topics, parts, n_jobs),
    }


def _completion(topics: Array, alpha: Array, parts: Parts, n_jobs: int) -> float:
    folder: Any = folding("lda", smoothed(topics, SMOOTHING))
    folder.alpha_, folder.n_jobs = np.maximum(alpha, 1e-8), n_jobs
    subject = Subject(parts.train.vocabulary, topics, estimator=folder)
    table = ch.evaluate(subject, held_out=parts.unseen, measures=["completion"], n_jobs=n_jobs)
    return float(table["value"].iloc[0])


def _words(topics: Array, parts: Parts, n_jobs: int) -> dict[str, float]:
    subject, asked = Subject(parts.train.vocabulary, topics), ["npmi", "topic_diversity"]
    table = ch.evaluate(subject, parts.train, asked, n_jobs=n_jobs)
    return dict(zip(("npmi", "diversity"), map(float, table["value"]), strict=True))
