"""Factors of the co-occurrence matrix: topics B, correlations A, anchors, p(z|x)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from chatham.commons import Alone
from chatham.learners.anchor.anchor_words import WIDE
from chatham.learners.anchor.completion import complete_diagonal
from chatham.learners.anchor.conditional import Conditional
from chatham.learners.anchor.correlations import anchor_correlations
from chatham.learners.anchor.hierarchy import build_hierarchy
from chatham.learners.anchor.recover import recover
from chatham.learners.anchor.rectify import alternate
from chatham.learners.anchor.select import candidate_words, pivoted_qr
from chatham.learners.cooccurrence import cooccurrence

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Factors:
    """C ≈ BABᵀ; Gibbs and supertopics have no anchors."""

    topics: Array
    correlations: Array
    coefficients: Array
    anchors: list[int] | None


class Counted:
    """A corpus with its co-occurrence, and the last rectified one, which two methods may share."""

    def __init__(self, corpus: ch.Corpus) -> None:
        self.corpus = corpus
        self.pairs = cooccurrence(Alone(corpus), single=corpus.n_words >= WIDE)
        self._last: tuple[Any, NDArray[Any]] = (None, self.pairs.matrix)

    @property
    def matrix(self) -> NDArray[Any]:
        """C as it was counted."""
        return self.pairs.matrix

    @property
    def unigram(self) -> Array:
        """p(x)."""
        return np.asarray(self.matrix.sum(axis=1, dtype=np.float64))

    def rectified(self, k: int, settings: Mapping[str, Any]) -> NDArray[Any]:
        """C′, as the settings have it."""
        if settings["rectify"] == "none":
            return self.matrix
        names = ("rectify", "projections", "tol", "runs", "seed")
        asked = (k, *(settings.get(name) for name in names))
        if self._last[0] != asked:
            self._last = (None, self.matrix)  # the old one isn't kept while the new one is made
            self._last = (asked, self._rectify(k, settings))
        return self._last[1]

    def _rectify(self, k: int, settings: Mapping[str, Any]) -> NDArray[Any]:
        if settings["rectify"] == "diagonal":
            runs, seed = settings["runs"], settings["seed"]
            return complete_diagonal(self.matrix, k, runs=runs, seed=seed).matrix
        most, tol = settings["projections"], settings["tol"]
        return alternate(self.matrix, k, max_iter=most, tol=tol).matrix


def factors_of(counted: Counted, k: int, settings: Mapping[str, Any]) -> Factors:
    """Fit one model."""
    if "sweeps" in settings:
        return by_gibbs(counted.corpus, k, settings)
    if "fine" in settings:
        return by_supertopics(counted, k, settings)
    return by_anchors(counted, k, settings)


def by_anchors(counted: Counted, k: int, settings: Mapping[str, Any]) -> Factors:
    """Anchors by pivoted QR, topics from them, correlations from the anchors' own meetings."""
    joint, pairs = counted.rectified(k, settings), counted.pairs
    words = Conditional(joint)
    may_be = candidate_words(pairs.document_frequencies, pairs.kept, settings["anchor_df"])
    anchors, _ = pivoted_qr(words, k, may_be)
    found = recover(words, anchors, settings["recover"], max_iter=settings.get("steps"))
    assert found.coefficients is not None  # the inversion alone has none
    correlations = anchor_correlations(joint, found.topics, anchors)
    return Factors(found.topics, correlations, found.coefficients, np.concatenate(anchors).tolist())


def by_supertopics(counted: Counted, k: int, settings: Mapping[str, Any]) -> Factors:
    """Many topics, whose correlations are factorised again (section 3.4)."""
    fine = by_anchors(counted, settings["fine"], settings)
    upper = build_hierarchy(fine.correlations, [k], topics=fine.topics)
    level = upper.levels[0]
    coefficients = fine.coefficients @ level.coefficients
    return Factors(upper.topics_over_words(2), level.correlations, coefficients, None)


def by_gibbs(corpus: ch.Corpus, k: int, settings: Mapping[str, Any]) -> Factors:
    """LDA by Gibbs sampling, with MALLET's priors: Σα = 5, β = 0.01, neither of them learned.

    A is the mean of wwᵀ over the documents' weights, and p(z|x) follows from p(x|z) and p(z).
    """
    learner = ch.LDA(
        k, max_iter=settings["sweeps"], learn_priors=False, random_state=settings["seed"]
    ).fit(corpus.counts)
    weights = learner.transform(corpus.counts)
    correlations = weights.T @ weights / len(weights)
    joint = learner.components_.T * correlations.sum(axis=1)
    return Factors(
        learner.components_, correlations, joint / joint.sum(axis=1, keepdims=True), None
    )
