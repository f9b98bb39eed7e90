"""Prior-aware dual decomposition: weights whose moments agree with the topics' correlations.

Lee 2018, section 4.3 (Algorithms 5 and 6). Documents are fitted by least squares on the simplex,
subject to (1/M) Σ wwᵀ = A (eq. 4.1). With a symmetric Λ for that constraint the Lagrangian (4.2)
decomposes into documents: each minimises ‖Bw − h̃‖² + wᵀ(Λ/M)w over w. Here `dual` is Λ/M, which
doesn't grow with the documents. It is learned where the training documents are, one sum per round;
afterwards it is fixed, and a document's weights don't depend on the other documents.

**The step.** The source steps along (1/M) Σ wwᵀ − A by a rate τ_t that has to be tuned with care.
Ours is Newton's, with the moments' response overestimated, and has no rate. Let Q = BᵀB + Λ/M be
the curvature of a document's problem and V = (1/M) Σ wwᵀ. If a document used all topics, a change X
of Q would change wwᵀ by about −(Q⁻¹X·wwᵀ + wwᵀ·XQ⁻¹); its zeros only make the response weaker. So
with N = (V + A)/2 the step solves Q⁻¹XN + NXQ⁻¹ = V − A, which is the same as

    (Z + I)Ñ + Ñ(Z + I) = 2·Q^½ V Q^½   with X = Q^½ Z Q^½ and Ñ = Q^½ N Q^½.

The right side has no negative eigenvalue and is at most 4Ñ, so by Lyapunov's theorem
0 ⪯ Z + I ⪯ 2I: Q remains positive semidefinite and at most doubles in a round. So γQ + I can always
be inverted, and each step of Douglas–Rachford is nonexpansive: rounding differences between holders
stay rounding differences.

**The first round** is the longest step, and the response is overestimated for small steps only: a
document that used all topics, with a target far above its moments, would need Q times √(V/A) and
gets it times 2V/(V + A), which is less. The weights could then overshoot the target, and the next
round would correct that. Zeros and Σw = 1 hold the weights back, though, and no first round that we
measured brought the moments further from A: not in 150 small planted corpora, with targets of other
weights, of rank one or of topics that never co-occur, nor in models of the sample. Half the first
step, which is the usual remedy, ended further from A after 15 rounds in most of them and nearer in
one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons, Memory, keeps
from chatham.commons.precision import MOMENTS
from chatham.errors import InputError
from chatham.learners.documents import frequencies_of
from chatham.learners.inference.base import known_shares, products
from chatham.learners.inference.least_squares import LeastSquares
from chatham.numerics.douglas_rachford import least_on_simplices
from chatham.numerics.products import gram
from chatham.numerics.threads import blocks

Array = NDArray[np.float64]

ROUNDS, ITERATIONS = 15, 150
"""Of the master problem and of Douglas–Rachford within each, as in the source."""

LEAST_CURVATURE, LEAST_MOMENT = 1e-9, 1e-6
"""Eigenvalues below these shares of the mean are raised to them: duplicate topics, or topics that
no document has, leave no curvature and no moment to divide by."""


@dataclass(frozen=True, eq=False)
class PADD(LeastSquares):
    """The w on the simplex that minimises ‖Bw − h̃‖² + wᵀ·dual·w for each document."""

    dual: Array

    def _curvature(self) -> Array:
        return super()._curvature() + self.dual


@keeps(
    products="Bᵀh̃ of the documents with a word that some topic has",
    weights="their topic weights in the round before",
)
def topic_moments(
    rows: Any, memory: Memory, topics: Array, dual: Array, round_: int
) -> tuple[Array, NDArray[np.int64]]:
    """Second moments of the document–topic weights (Σ wwᵀ, k×k), and the number of documents.

    Lines 5–9 of Algorithm 5. The weights start from those of the round before. The first ones start
    at the projection of the unconstrained minimum instead of B̆h̃: the problem is convex, so both
    lead to the same weights.
    """
    if round_ == 0:
        _prepare(rows, memory, topics)
    weights, _ = least_on_simplices(
        topics @ topics.T + dual,
        memory["products"],
        memory.get("weights"),
        max_iter=ITERATIONS,
        tol=0.0,
    )
    memory["weights"] = weights
    n = len(weights)
    return gram(weights, weights, blocks(np.arange(n + 1) * len(topics))), np.array(n)


def learn_dual(
    commons: Commons,
    topics: Array,
    correlations: Array,
    *,
    rounds: int = ROUNDS,
    report: Callable[[int, float], None] | None = None,
) -> Array:
    """Algorithm 5 over all documents, wherever they are: Λ/M after `rounds` sums.

    `correlations` is normalised to sum to one and to have no negative eigenvalue, as moments of
    weights do. `report` is called with each round's number and ‖A − (1/M) Σ wwᵀ‖_F before the step.
    """
    target = _attainable(correlations)
    base = topics @ topics.T
    curvature, dual = base, np.zeros_like(base)
    for round_ in range(rounds):
        moments, n = commons.sum(topic_moments, topics, dual, round_, most=MOMENTS)
        if n == 0:
            raise InputError(
                "No document contains a word that any topic gives probability to, so PADD has "
                "nothing to learn its dual from; give it documents over the topics' vocabulary."
            )
        moments = moments / n
        curvature = next_curvature(curvature, moments, target)
        dual = curvature - base
        if report:
            report(round_ + 1, float(np.linalg.norm(target - moments)))
    return dual


def next_curvature(curvature: Array, moments: Array, target: Array) -> Array:
    """Line 10 of Algorithm 5: Q for the next round, larger where the moments exceed the target.

    >>> next_curvature(np.eye(2), np.diag([0.6, 0.4]), np.diag([0.2, 0.8])).diagonal().round(3)
    array([1.5  , 0.667])
    """
    root = _root(curvature)
    middle = (moments + target) / 2.0
    middle = middle + LEAST_MOMENT * np.trace(middle) / len(middle) * np.eye(len(middle))
    values, vectors = np.linalg.eigh(root @ middle @ root)
    surplus = vectors.T @ (root @ (moments - target) @ root) @ vectors
    change = vectors @ (surplus / (values[:, None] + values)) @ vectors.T
    following = root @ (np.eye(len(root)) + change) @ root
    return (following + following.T) / 2.0


def _prepare(rows: Any, memory: Memory, topics: Array) -> None:
    """Bᵀh̃ of the documents with a word that some topic has: the same in all rounds."""
    documents = frequencies_of(rows, memory)
    shares = known_shares(documents, topics)
    linear = products(documents, topics, np.where(shares > 0, shares, 1.0))
    memory["products"] = linear[shares > 0]
    memory.pop("weights", None)


def _root(curvature: Array) -> Array:
    values, vectors = np.linalg.eigh(curvature)
    values = np.maximum(values, LEAST_CURVATURE * np.trace(curvature) / len(curvature))
    return (vectors * np.sqrt(values)) @ vectors.T


def _attainable(correlations: Array) -> Array:
    """The nearest moments that weights can have: symmetric, positive semidefinite, with sum one."""
    values, vectors = np.linalg.eigh((correlations + correlations.T) / 2.0)
    nearest = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return nearest / nearest.sum()
