"""The settings that are tried: those of NMF itself, and two that are made for this study.

`WithSlack`: a document's weights sum to one *at most*, topics stay distributions; what no topic
explains is left over. `WithBackground`: on the simplex, beside one more topic that is fixed (the
average of all documents) and isn't shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

import chatham as ch
from chatham.commons import Commons, Memory, keeps
from chatham.learners.convergence import has_converged
from chatham.learners.documents import Documents
from chatham.learners.fitted import Fitted
from chatham.learners.nmf.problem import Problem, matrix_of, on_simplex, worth_of
from chatham.learners.nmf.start import nndsvd_start
from chatham.learners.nmf.topics import Penalty, block_objective, update_topics
from chatham.numerics.products import gram, multiply
from chatham.numerics.rows import descend_nonnegative, descend_simplex, exchange_with, gradient_of

Array = NDArray[np.float64]

TOL, MOST = 1e-6, 200
"""So that what is measured isn't when a fit ends."""
SWEEPS = 200
SIMPLEX = Problem("simplex", 0.0, 0.0, unobserved=False, relative=True)
DISTRIBUTIONS = Penalty(0.0, 0.0, simplex=True)


class _Own(ch.NMF):
    """NMF on the simplex with a half of its own for documents; one holder, the relative loss."""

    rule: ClassVar[str]

    def _fit(self, commons: Commons, seed: int) -> Fitted:
        k, objective = self.n_components, list[float]()
        start = nndsvd_start(commons, k, seed, SIMPLEX)
        topics, fixed = start.topics, self._fixed(commons)
        for _ in range(self.max_iter):
            whole = np.vstack([topics, fixed])
            products, grams = commons.sum(add_by_weight, whole, self.rule)
            left = products[:, :k] - fixed.T @ grams[k:, :k]
            inner = np.ascontiguousarray(grams[:k, :k])
            topics = update_topics(topics, np.ascontiguousarray(left), inner, DISTRIBUTIONS)
            whole = np.vstack([topics, fixed])
            objective.append(block_objective(start.squared_norm, whole, products, grams))
            if has_converged(objective, self.tol):
                break
        self.fixed = fixed
        worth = worth_of(topics, SIMPLEX, self._plain)
        sizes = commons.sum(shares, np.ones(k) if worth is None else worth)
        return Fitted(topics, sizes, objective, len(objective), revived=[])

    def _fixed(self, commons: Commons) -> Array:
        return np.zeros((0, commons.n_features))

    def _weights(self, documents: Documents) -> Array:
        topics = np.vstack([self.components_, self.fixed])
        weights = np.zeros((documents.n, len(topics)))
        descend(self.rule, documents, weights, topics, SWEEPS)
        return on_simplex(weights[:, : self.n_components])

    def _documents(self, rows: Any) -> Documents:
        return Documents(rows, frequencies=True, relative=True)


class WithSlack(_Own):
    """Weights that sum to one at most."""

    rule = "slack"


class WithBackground(_Own):
    """On the simplex beside a fixed topic, the average document, that isn't shown."""

    rule = "simplex"

    def _fixed(self, commons: Commons) -> Array:
        return on_simplex(commons.sum(add_frequencies)[None])


def descend(
    rule: str, documents: Documents, weights: Array, topics: Array, sweeps: int = 1
) -> None:
    """Sweeps of all weights, in place."""
    products = multiply(documents, np.ascontiguousarray(topics.T))
    inner = np.ascontiguousarray(topics @ topics.T)
    if rule == "slack":
        descend_with_slack(weights, products, inner, sweeps)
        return
    if rule == "simplex":
        weights[~weights.any(axis=1)] = 1.0 / weights.shape[1]
        descend_simplex(weights, products, inner, 0.0, 0, len(inner), sweeps)
        return
    descend_nonnegative(weights, products, inner, 0.0, 0.0, 0, len(inner), sweeps)


@keeps(weights="each document's topic weights")
def add_by_weight(rows: Any, memory: Memory, topics: Array, rule: str) -> tuple[Array, Array]:
    """Sums of weight × word and of weight × weight."""
    documents = matrix_of(rows, memory, SIMPLEX)
    if "weights" not in memory:
        memory["weights"] = np.zeros((documents.n, len(topics)))
    weights = memory["weights"]
    descend(rule, documents, weights, topics)
    weights[documents.empty] = 0.0
    important = SIMPLEX.important(documents, weights)
    inner = gram(weights, important, documents.blocks)
    return multiply(documents.by_word, important), inner


def shares(rows: Any, memory: Memory, worth: Array) -> Array:
    """Each topic's share of the documents' words."""
    words = memory["weights"][:, : len(worth)] * worth
    return np.asarray((words / np.maximum(words.sum(axis=1, keepdims=True), 1e-300)).sum(axis=0))


def add_frequencies(rows: Any, memory: Memory) -> Array:
    """The sum of all documents, each of sum one."""
    documents = matrix_of(rows, memory, SIMPLEX)
    return multiply(documents.by_word, np.ones((documents.n, 1)))[:, 0]


@njit(cache=True, nogil=True)
def descend_with_slack(weights: Array, products: Array, gram: Array, sweeps: int) -> None:
    """Each topic trades with what is left of one, then with every other topic."""
    width = weights.shape[1]
    gradient = np.empty(width)
    for row in range(weights.shape[0]):
        w = weights[row]
        gradient_of(w, products[row], gram, gradient)
        left = max(1.0 - w.sum(), 0.0)
        for _ in range(sweeps):
            moved = 0.0
            for topic in range(width):
                curvature = gram[topic, topic]
                if curvature > 0.0:
                    change = min(max(-gradient[topic] / curvature, -w[topic]), left)
                    if change != 0.0:
                        w[topic] = 0.0 if change == -w[topic] else w[topic] + change
                        left = 0.0 if change == left else left - change
                        for other in range(width):
                            gradient[other] += change * gram[topic, other]
                        moved = max(moved, abs(change))
                moved = max(moved, exchange_with(w, gradient, gram, 0.0, topic))
            if moved <= 1e-10:
                break


@dataclass(frozen=True)
class Way:
    """A name, the learner, its parameters, and how the words are weighted."""

    name: str
    learner: Any = "nmf"
    parameters: dict[str, Any] = field(default_factory=dict)
    weighting: str = "tfidf"
    damped: bool = False
    """Counts are replaced by 1 + log(count) before they are weighted."""
    topic_penalty: float = 0.0
    """ℓ2 of topics, as a share of what a topic's squared weights add up to on average."""
    parties: int = 0
    """Between how many parties, whose totals are noised; 0 for none."""


def _nmf(name: str, constraint: str = "simplex", loss: str = "relative", **more: Any) -> Way:
    fields = {key: more.pop(key) for key in ("weighting", "damped", "topic_penalty", "parties")
              if key in more}  # fmt: skip
    return Way(name, "nmf", {"constraint": constraint, "loss": loss, **more}, **fields)


PUBLISHED = {"constraint": "simplex", "loss": "relative"}
AS_BEFORE = "simplex"
FREE = "no constraint"
SPREAD = "simplex, ℓ2 of weights 0.003"
NOISED = "between parties: simplex"
MAIN = (
    _nmf(AS_BEFORE),
    _nmf(FREE, "none"),
    Way("weights sum to at most one", WithSlack, PUBLISHED),
    _nmf(SPREAD, l2_weights=0.003),
)
OTHERS = (
    _nmf("simplex, ℓ2 of weights 0.001", l2_weights=0.001),
    _nmf("simplex, ℓ2 of weights −0.001", l2_weights=-0.001),
    _nmf("simplex, ℓ2 of weights −0.03", l2_weights=-0.03),
    _nmf("simplex, ℓ2 of topics −0.01 of a topic's size", topic_penalty=-0.01),
    Way("simplex, background topic", WithBackground, PUBLISHED),
    _nmf("simplex, counts", weighting="counts"),
    _nmf("simplex, absolute loss", loss="absolute"),
    _nmf("no constraint, counts", "none", weighting="counts"),
    _nmf("no constraint, absolute loss", "none", "absolute"),
    _nmf("no constraint, random start", "none", init="random"),
    _nmf("no constraint, 1 + log of counts", "none", damped=True),
)
EVEN = tuple(
    _nmf(f"simplex, ℓ2 of topics {share} of a topic's size", topic_penalty=share)
    for share in (0.03, 0.1, 0.3)
)
TOGETHER = (
    _nmf(NOISED, parties=3),
    _nmf("between parties: ℓ2 of weights 0.001", parties=3, l2_weights=0.001),
    _nmf("between parties: ℓ2 of weights 0.003", parties=3, l2_weights=0.003),
)
