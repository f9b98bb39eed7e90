"""The local statistics of NMF: update my documents' weights, hand over sums for the topics.

Two schedules. *Block*: all of W, then one sum of WᵀX and WᵀW. *Interleaved*: one topic at a time,
with the sums of PD-NMF-Iter (Algorithm 7 of the thesis): W:tᵀRₜ and W:tᵀW:t. It prints t from 0 to
k for k topics, and leaves out Algorithm 2's projection of weights; on the simplex we keep them
there. A topic that died is revived from documents that are explained worst: one, inside an
organisation; many, between parties.

`scale` is applied to the start that a holder keeps, once: see `start`.

How finely the sums can be added up in fixed point, everybody works out alike, from what everybody
knows: how many documents there are, the topics, and the squared norm of all rows once it is a
total. On the simplex a document adds at most one to a sum, or as much as it is important: with a
relative loss no more than it has words.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons, Memory
from chatham.commons.fixed_point import bits_for
from chatham.learners.candidates import add_worst, candidate, count_by_error
from chatham.learners.documents import Documents
from chatham.numerics.observed import descend_observed, pack, residues
from chatham.numerics.products import gram, multiply, multiply_rows, sums_by
from chatham.numerics.rows import descend_nonnegative, descend_simplex
from chatham.numerics.simplex import least_in_box, project_rows
from chatham.numerics.threads import each

Array = NDArray[np.float64]
NORM_BITS = 22
"""For a matrix that is taken as it is, while its size isn't known: totals up to 2³⁸."""
LOOSE = 4.0
"""How far beyond its norm a row of few observed cells may send its weights."""


class Problem(NamedTuple):
    """What every holder must know of the problem, besides the topics.

    `rule` names how weights move: "nonnegative", "simplex", or "published" (Algorithm 2 to the
    letter).
    """

    rule: str
    l1: float
    l2: float
    unobserved: bool
    relative: bool
    documents: int = 0
    """How many there are in all."""

    @property
    def simplex(self) -> bool:
        """Whether each document's weights are a distribution."""
        return self.rule != "nonnegative"


def matrix_of(rows: Any, memory: Memory, problem: Problem) -> Documents:
    """My rows: as given for general NMF, as frequencies on the simplex; prepared once a fit."""
    if "matrix" not in memory:
        memory["matrix"] = documents_for(rows, problem)
    documents: Documents = memory["matrix"]
    return documents


def documents_for(rows: Any, problem: Problem) -> Documents:
    """Rows in the form that the problem is about."""
    return Documents(
        rows,
        frequencies=problem.simplex,
        keep_zeros=problem.unobserved,
        relative=problem.relative,
    )


def weights_of(memory: Memory, problem: Problem, scale: Array) -> Array:
    """My documents' weights: those of the last step, or the scaled start."""
    if "start" in memory:
        weights = np.maximum(memory.pop("start") * scale, 0.0)
        memory["weights"] = on_simplex(weights) if problem.simplex else weights
    weights_now: Array = memory["weights"]
    return weights_now


def on_simplex(rows: Array) -> Array:
    """Rows divided by their sums; a row without any weight becomes uniform."""
    totals = rows.sum(axis=1, keepdims=True)
    return np.where(totals > 0, rows / np.where(totals > 0, totals, 1.0), 1.0 / rows.shape[1])


def topic_statistics(
    rows: Any, memory: Memory, topics: Array, scale: Array, problem: Problem
) -> tuple[Array, Array, Array]:
    """Sums over documents of weight × word, of weight × weight, of weights and their squares."""
    documents = matrix_of(rows, memory, problem)
    weights = weights_of(memory, problem, scale)
    by_word = np.ascontiguousarray(topics.T)
    if problem.unobserved:
        descend_observed(
            documents, by_word, weights, problem.l1, problem.l2, problem.simplex, (0, len(topics))
        )
        weights[documents.empty] = 0.0
        products, grams = pack(documents.by_word, weights)
        return products, grams, sizes_of(documents, weights)
    update_weights(documents, weights, by_word, problem)
    weights[documents.empty] = 0.0
    important = important_weights(documents, weights, problem)
    inner = gram(weights, important, documents.blocks)
    sizes = sizes_of(documents, weights, np.diag(inner))
    return multiply(documents.by_word, important), inner, sizes


def important_weights(documents: Documents, weights: Array, problem: Problem) -> Array:
    """Weights times the importance of their documents: how the sums for topics count them."""
    return weights * documents.importance[:, None] if problem.relative else weights


def sizes_of(documents: Documents, weights: Array, squares: Array | None = None) -> Array:
    """Each topic's weights added up; by importance; and their squares by importance."""
    if squares is None:
        squares = documents.importance @ (weights * weights)
    return np.stack([np.ones(len(weights)) @ weights, documents.importance @ weights, squares])


def update_weights(
    documents: Documents, weights: Array, by_word: Array, problem: Problem, sweeps: int = 1
) -> None:
    """A descent of every document's own problem for fixed topics, in place, by blocks.

    A document's importance scales its whole problem, and so doesn't move its minimum.
    """
    inner = by_word.T @ by_word
    whole = (0, len(inner), sweeps)

    def work(block: tuple[int, int]) -> None:
        mine = weights[slice(*block)]
        products = np.empty_like(mine)
        multiply_rows(
            documents.indptr, documents.indices, documents.data, by_word, *block, products
        )
        if problem.simplex:
            descend_simplex(mine, products, inner, problem.l2, *whole)
        else:
            descend_nonnegative(mine, products, inner, problem.l1, problem.l2, *whole)

    each(work, documents.blocks)


def residue_statistics(
    rows: Any,
    memory: Memory,
    topics: Array,
    topic: int,
    scale: Array,
    norms: Array,
    problem: Problem,
) -> tuple[Array, Array, Array, Array]:
    """Sums over documents, for one topic, of weight × residue and of squared weight; the loss."""
    documents = matrix_of(rows, memory, problem)
    weights = weights_of(memory, problem, scale)
    by_word = np.ascontiguousarray(topics.T)
    if problem.unobserved:
        span = (topic, topic + 1)
        descend_observed(documents, by_word, weights, problem.l1, problem.l2, problem.simplex, span)
        weights[documents.empty] = 0.0
        residue, squares = _observed_residue(documents, weights, by_word, topic)
    else:
        products = _products_of(documents, memory, by_word, topic)
        update_topic_weights(weights, products, topics @ by_word, topic, norms, problem)
        weights[documents.empty] = 0.0
        residue, squares = _residue(documents, weights, topics, topic)
    is_last = topic == len(topics) - 1
    loss = _loss(documents, weights, by_word, problem) if is_last else 0.0
    return residue, squares, np.array([loss]), sizes_of(documents, weights)


def update_topic_weights(
    weights: Array, products: Array, inner: Array, topic: int, norms: Array, problem: Problem
) -> None:
    """Move the weights of one topic (on the simplex: trade them with those of the others)."""
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
    """W:tᵀRₜ without ever forming Rₜ, and W:tᵀW:t; documents count by their importance."""
    important = documents.importance * weights[:, topic]
    with_words = multiply(documents.by_word, important[:, None])[:, 0]
    with_topics = weights.T @ important
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


def _loss(documents: Documents, weights: Array, by_word: Array, problem: Problem) -> float:
    """My documents' part of the objective, with the penalties on their weights."""
    if problem.unobserved:
        left = residues(documents.indptr, documents.indices, documents.data, weights, by_word)
        error = float(left @ left)
    else:
        important = important_weights(documents, weights, problem)
        fit = float((multiply(documents, by_word) * important).sum())
        inner = gram(weights, important, documents.blocks)
        error = documents.squared_norm - 2 * fit + float((inner * (by_word.T @ by_word)).sum())
    sizes = sizes_of(documents, weights)
    return 0.5 * error + problem.l1 * sizes[1].sum() + 0.5 * problem.l2 * sizes[2].sum()


def start_bits(commons: Commons, problem: Problem, k: int = 1) -> int:
    """For ‖X‖² and, with k topics, what random weights and topics rebuild."""
    if not problem.simplex:
        return NORM_BITS
    return bits_for(_most(commons, problem) * k**2, commons.holders)


def power_bits(commons: Commons, largest: float) -> int:
    """For the image of unit vectors under XᵀX: fine enough to tell what has no direction at all."""
    return bits_for(largest, commons.holders)


def topic_bits(
    commons: Commons, problem: Problem, topics: Array, squared_norm: float
) -> tuple[int, int, int]:
    """For sums of weight × word, of weight × weight, and of weights."""
    most = _largest(commons, problem, topics, squared_norm)
    root = math.sqrt(commons.n_features) if problem.simplex and problem.relative else 1.0
    plain = bits_for(most, commons.holders)
    return bits_for(most / root, commons.holders), plain, plain


def residue_bits(commons: Commons, problem: Problem, topics: Array, squared_norm: float) -> int:
    """For one topic's sums, and the loss with its penalties."""
    penalties = 1.0 + abs(problem.l1) + abs(problem.l2)
    return bits_for(
        2.0 * penalties * _largest(commons, problem, topics, squared_norm), commons.holders
    )


def _most(commons: Commons, problem: Problem) -> float:
    """On the simplex. The published step doesn't keep to it between two projections."""
    wide = problem.relative or problem.rule == "published"
    return float(problem.documents * (commons.n_features if wide else 1))


def _largest(commons: Commons, problem: Problem, topics: Array, squared_norm: float) -> float:
    """No row is rebuilt larger than itself, so weights are to X as one is to topics.

    The mean topic's size is meant: one that has almost vanished shall not take all the bits.
    """
    if problem.simplex:
        return _most(commons, problem)
    size = float((topics**2).sum()) / len(topics)
    slack = LOOSE if problem.unobserved else 1.0
    return problem.documents + slack * squared_norm * max(1.0, 1.0 / size if size else 1.0)


def worst_document(rows: Any, memory: Memory, topics: Array, problem: Problem) -> Array:
    """The document that the topics explain worst, from each holder (a document crosses)."""
    documents = matrix_of(rows, memory, problem)
    return candidate(documents, memory, _important_errors(memory, topics, problem))


def count_errors(rows: Any, memory: Memory, topics: Array, problem: Problem) -> NDArray[np.int64]:
    """How many documents are explained how badly, or worse."""
    errors = _important_errors(memory, topics, problem)
    return count_by_error(matrix_of(rows, memory, problem), errors)


def add_badly_explained(
    rows: Any, memory: Memory, topics: Array, problem: Problem, least: float
) -> tuple[Array, NDArray[np.int64]]:
    """The sum and the number of the documents explained worst, of at least five a holder."""
    errors = _important_errors(memory, topics, problem)
    return add_worst(matrix_of(rows, memory, problem), errors, least)


def _important_errors(memory: Memory, topics: Array, problem: Problem) -> Array:
    documents: Documents = memory["matrix"]
    by_word = np.ascontiguousarray(topics.T)
    return documents.importance * _errors(documents, memory["weights"], by_word, problem)


def _errors(documents: Documents, weights: Array, by_word: Array, problem: Problem) -> Array:
    """Each document's squared error: over its stored cells, or over all words."""
    if problem.unobserved:
        left = residues(documents.indptr, documents.indices, documents.data, weights, by_word)
        return sums_by(documents.owners, left * left, documents.n)
    fit = (multiply(documents, by_word) * weights).sum(axis=1)
    size = ((weights @ (by_word.T @ by_word)) * weights).sum(axis=1)
    return np.maximum(documents.squared_norms - 2 * fit + size, 0.0)
