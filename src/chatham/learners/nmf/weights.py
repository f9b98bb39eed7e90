"""The documents' half of Algorithm 2: weights for fixed topics, under their constraint."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chatham.learners.documents import Documents
from chatham.learners.nmf.problem import Problem
from chatham.numerics.products import multiply_rows
from chatham.numerics.rows import descend_nonnegative, descend_simplex
from chatham.numerics.simplex import least_in_box, project_rows
from chatham.numerics.threads import each

Array = NDArray[np.float64]


def update_weights(
    documents: Documents, weights: Array, by_word: Array, problem: Problem, sweeps: int = 1
) -> None:
    """Descend on every document's own problem for fixed topics, in place, by blocks.

    A document's importance scales its whole problem, and so doesn't move its minimum.
    """
    inner = by_word.T @ by_word
    sweep = (0, len(inner), sweeps)

    def work(block: tuple[int, int]) -> None:
        block_weights = weights[slice(*block)]
        products = np.empty_like(block_weights)
        multiply_rows(
            documents.indptr, documents.indices, documents.data, by_word, *block, products
        )
        if problem.simplex:
            descend_simplex(block_weights, products, inner, problem.l2, *sweep)
        else:
            descend_nonnegative(block_weights, products, inner, problem.l1, problem.l2, *sweep)

    each(work, documents.blocks)


def update_topic_weights(
    weights: Array, products: Array, inner: Array, topic: int, norms: Array, problem: Problem
) -> None:
    """Update the weights of one topic (on the simplex: trade them with those of the others)."""
    if problem.rule == "nonnegative":
        span = (topic, topic + 1)
        descend_nonnegative(weights, products, inner, problem.l1, problem.l2, *span, 1)
    elif problem.rule == "published":
        publish_topic_weights(weights, products, inner, topic, norms, problem.l2)
    else:
        descend_simplex(weights, products, inner, problem.l2, topic, topic + 1, 1)


def publish_topic_weights(
    weights: Array, products: Array, inner: Array, topic: int, norms: Array, l2: float
) -> None:
    """The weights of one topic as in Algorithm 2; rows are projected when a new iteration starts.

    Algorithm 2 prints c = ‖T‖² + ℓ2 for Corollary 1; the objective ½‖R − wT‖² makes it half that.
    """
    if topic == 0:
        project_rows(weights)
    residue = products[:, topic] - weights @ inner[topic] + weights[:, topic] * inner[topic, topic]
    curvature = inner[topic, topic] + l2
    if not (residue > 0).any():
        weights[:, topic] = 0.0
    elif curvature > 0:
        weights[:, topic] = np.maximum(residue, 0.0) / curvature * norms[topic]
    else:
        weights[:, topic] = least_in_box(-residue, 0.5 * curvature)
