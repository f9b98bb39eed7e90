"""The local statistics of NMF: update my documents' weights, hand over sums for the topics.

Two schedules. *Block*: all of W, then one sum of WᵀX and WᵀW. *Interleaved*: one topic at a time,
with the sums of PD-NMF-Iter (Algorithm 7 of the thesis): W:tᵀRₜ and W:tᵀW:t.

`rule` names how weights move: "nonnegative", "simplex" (a convex problem for each document),
"exchange" (the simplex with a negative ℓ2), or "published" (Algorithm 2 to the letter).
`scale` is applied to the start that a holder keeps, once: see `nmf_start`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.models.candidates import candidate
from chatham.models.documents import Documents
from chatham.numerics.observed import descend_observed, pack, residues
from chatham.numerics.products import gram, multiply, multiply_rows, sums_by
from chatham.numerics.rows import (
    descend_by_exchange,
    descend_nonnegative,
    descend_simplex,
    lipschitz_of,
)
from chatham.numerics.simplex import least_in_box, project_rows
from chatham.numerics.threads import each

Array = NDArray[np.float64]

STEPS = 10
"""Accelerated steps on the simplex an iteration; they start from the last iteration's weights."""


def matrix_of(rows: Any, memory: Memory, rule: str, unobserved: bool) -> Documents:
    """My rows: as given for general NMF, as frequencies on the simplex; prepared once a fit."""
    if "matrix" not in memory:
        memory["matrix"] = Documents(rows, frequencies=rule != "nonnegative", keep_zeros=unobserved)
    documents: Documents = memory["matrix"]
    return documents


def weights_of(memory: Memory, rule: str, scale: Array) -> Array:
    """My documents' weights: those of the last step, or the scaled start."""
    if "start" in memory:
        weights = np.maximum(memory.pop("start") * scale, 0.0)
        memory["weights"] = weights if rule == "nonnegative" else on_simplex(weights)
    weights_now: Array = memory["weights"]
    return weights_now


def on_simplex(rows: Array) -> Array:
    """Rows divided by their sums; a row without any weight becomes uniform."""
    totals = rows.sum(axis=1, keepdims=True)
    return np.where(totals > 0, rows / np.where(totals > 0, totals, 1.0), 1.0 / rows.shape[1])


def topic_statistics(
    rows: Any,
    memory: Memory,
    topics: Array,
    scale: Array,
    rule: str,
    l1: float,
    l2: float,
    unobserved: bool,
) -> tuple[Array, Array, Array]:
    """Sums over documents of weight × word, of weight × weight, of weights and their squares."""
    documents = matrix_of(rows, memory, rule, unobserved)
    weights = weights_of(memory, rule, scale)
    by_word = np.ascontiguousarray(topics.T)
    if unobserved:
        descend_observed(
            documents, by_word, weights, l1, l2, rule != "nonnegative", (0, len(topics))
        )
        weights[documents.empty] = 0.0
        products, grams = pack(documents.by_word, weights)
        return products, grams, sizes_of(weights)
    update_weights(documents, weights, by_word, rule, l1, l2)
    weights[documents.empty] = 0.0
    return (
        multiply(documents.by_word, weights),
        gram(weights, documents.blocks),
        sizes_of(weights),
    )


def sizes_of(weights: Array) -> Array:
    """The sum and the sum of squares of each topic's weights."""
    return np.stack([weights.sum(axis=0), (weights * weights).sum(axis=0)])


def update_weights(
    documents: Documents,
    weights: Array,
    by_word: Array,
    rule: str,
    l1: float,
    l2: float,
    steps: int = STEPS,
) -> None:
    """One descent of every document's own problem for fixed topics, in place, by blocks."""
    inner = by_word.T @ by_word
    ridge = inner + l2 * np.eye(len(inner))
    bound = lipschitz_of(ridge)

    def work(block: tuple[int, int]) -> None:
        mine = weights[slice(*block)]
        products = np.empty_like(mine)
        multiply_rows(
            documents.indptr, documents.indices, documents.data, by_word, *block, products
        )
        if rule == "nonnegative":
            descend_nonnegative(mine, products, inner, l1, l2, 0, len(inner), 1)
        elif rule == "simplex":
            descend_simplex(mine, products, ridge, bound, steps)
        else:
            descend_by_exchange(mine, products, inner, l2, 0, len(inner), 1)

    each(work, documents.blocks)


def residue_statistics(
    rows: Any,
    memory: Memory,
    topics: Array,
    topic: int,
    scale: Array,
    norms: Array,
    rule: str,
    l1: float,
    l2: float,
    unobserved: bool,
) -> tuple[Array, Array, Array, Array]:
    """Sums over documents, for one topic, of weight × residue and of squared weight; the loss."""
    documents = matrix_of(rows, memory, rule, unobserved)
    weights = weights_of(memory, rule, scale)
    by_word = np.ascontiguousarray(topics.T)
    if unobserved:
        simplex = rule != "nonnegative"
        descend_observed(documents, by_word, weights, l1, l2, simplex, (topic, topic + 1))
        weights[documents.empty] = 0.0
        residue, squares = _observed_residue(documents, weights, by_word, topic)
    else:
        products = _products_of(documents, memory, by_word, topic)
        update_topic_weights(weights, products, topics @ by_word, topic, norms, rule, l1, l2)
        weights[documents.empty] = 0.0
        residue, squares = _residue(documents, weights, topics, topic)
    is_last = topic == len(topics) - 1
    loss = _loss(documents, weights, by_word, l1, l2, unobserved) if is_last else 0.0
    return residue, squares, np.array([loss]), sizes_of(weights)


def update_topic_weights(
    weights: Array,
    products: Array,
    inner: Array,
    topic: int,
    norms: Array,
    rule: str,
    l1: float,
    l2: float,
) -> None:
    """Move the weights of one topic (on the simplex: trade them with those of the others)."""
    if rule == "nonnegative":
        descend_nonnegative(weights, products, inner, l1, l2, topic, topic + 1, 1)
    elif rule == "published":
        publish_topic_weights(weights, products, inner, topic, norms, l2)
    else:
        descend_by_exchange(weights, products, inner, l2, topic, topic + 1, 1)


def publish_topic_weights(
    weights: Array, products: Array, inner: Array, topic: int, norms: Array, l2: float
) -> None:
    """The weights of one topic as in Algorithm 2; rows are projected when a new iteration begins.

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


def _products_of(documents: Documents, memory: Memory, by_word: Array, topic: int) -> Array:
    """X × topicsᵀ, brought up to date for the one topic that changed since the last step."""
    if topic == 0:
        memory["products"] = multiply(documents, by_word)
    else:
        changed = slice(topic - 1, topic)
        column = np.ascontiguousarray(by_word[:, changed])
        memory["products"][:, changed] = multiply(documents, column)
    products: Array = memory["products"]
    return products


def _residue(
    documents: Documents, weights: Array, topics: Array, topic: int
) -> tuple[Array, Array]:
    """W:tᵀRₜ without ever forming Rₜ, and W:tᵀW:t."""
    mine = np.ascontiguousarray(weights[:, topic : topic + 1])
    with_words = multiply(documents.by_word, mine)[:, 0]
    with_topics = weights.T @ weights[:, topic]
    squares = with_topics[topic]
    return with_words - with_topics @ topics + squares * topics[topic], np.array([squares])


def _observed_residue(
    documents: Documents, weights: Array, by_word: Array, topic: int
) -> tuple[Array, Array]:
    """W:tᵀRₜ and the squared weights, over stored cells, word by word."""
    left = residues(documents.indptr, documents.indices, documents.data, weights, by_word)
    mine = np.repeat(weights[:, topic], np.diff(documents.indptr))
    squares = sums_by(documents.indices, mine * mine, documents.d)
    with_left = sums_by(documents.indices, mine * left, documents.d)
    return with_left + squares * by_word[:, topic], squares


def _loss(
    documents: Documents, weights: Array, by_word: Array, l1: float, l2: float, unobserved: bool
) -> float:
    """My documents' part of the objective, with the penalties on their weights."""
    if unobserved:
        left = residues(documents.indptr, documents.indices, documents.data, weights, by_word)
        error = float(left @ left)
    else:
        fit = float((multiply(documents, by_word) * weights).sum())
        size = float((gram(weights, documents.blocks) * (by_word.T @ by_word)).sum())
        error = documents.squared_norm - 2 * fit + size
    penalty = l1 * float(weights.sum()) + 0.5 * l2 * float((weights * weights).sum())
    return 0.5 * error + penalty


def worst_document(rows: Any, memory: Memory, topics: Array, rule: str, unobserved: bool) -> Array:
    """The document that the topics explain worst, from each holder (a document crosses)."""
    documents = matrix_of(rows, memory, rule, unobserved)
    weights = memory["weights"]
    by_word = np.ascontiguousarray(topics.T)
    left = residues(documents.indptr, documents.indices, documents.data, weights, by_word)
    owner = np.repeat(np.arange(documents.n), np.diff(documents.indptr))
    errors = sums_by(owner, left * left, documents.n)
    return candidate(documents, memory, errors)
