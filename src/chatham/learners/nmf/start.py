"""Where NMF starts: random factors, the non-negative SVD, or given topics.

A start has topics, which everyone knows, and weights, which stay where the documents are: a holder
keeps its raw start, and the first step multiplies it by `scale`, one number per topic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons, Memory, keeps
from chatham.commons.precision import DIRECTION
from chatham.learners.documents import own_seed
from chatham.learners.nmf.bounds import bound_of_image, most_of_norm
from chatham.learners.nmf.cells import cells_of
from chatham.learners.nmf.problem import Problem, matrix_of, on_simplex
from chatham.learners.weighted import Weighted
from chatham.numerics.eigen import by_power
from chatham.numerics.keyed import uniforms
from chatham.numerics.products import multiply

Array = NDArray[np.float64]

OVERSAMPLING = 10
POWER_STEPS = 6
FAINT = 1e-6
"""The share of the largest singular value below which there is nothing to start a topic from."""


@dataclass
class Start:
    """Topics, what to multiply the kept weights by, and the squared norm of all rows."""

    topics: Array
    scale: Array
    squared_norm: float


def random_start(commons: Commons, k: int, seed: int, problem: Problem) -> Start:
    """Uniform factors, each scaled by √α for the best-fitting αWT; normalised on the simplex."""
    topics = np.random.default_rng(seed).random((k, commons.n_features))
    if problem.simplex:
        topics = on_simplex(topics)
    fit, size, norm = commons.sum(
        begin_random, topics, seed, problem, most=most_of_norm(commons, problem, k)
    )
    root = np.sqrt(fit / size) if size > 0 and not problem.simplex else 1.0
    return Start(topics * root, np.full(k, root), float(norm))


@keeps(start="each document's initial weights, before they are scaled")
def begin_random(
    rows: Any, memory: Memory, topics: Array, seed: int, problem: Problem
) -> tuple[Array, Array, Array]:
    """How well random weights fit: ⟨X, WT⟩, ‖WT‖² and ‖X‖²."""
    documents = matrix_of(rows, memory, problem)
    start = uniforms(documents.keys(own_seed(seed, memory)), len(topics))
    start[documents.empty] = 0.0  # outside the objective, so outside the scale too
    memory["start"] = start
    fit, size = cells_of(documents, start, problem).fit(topics)
    return np.array(fit), np.array(size), np.array(documents.squared_norm)


def given_start(commons: Commons, topics: Array, problem: Problem) -> Start:
    """Topics as given; weights start as their rows have it, else at zero, or uniform on the
    simplex."""
    topics = on_simplex(topics) if problem.simplex else topics.copy()
    norm = commons.sum(begin_flat, len(topics), problem, most=most_of_norm(commons, problem))
    return Start(topics, np.ones(len(topics)), float(norm))


@keeps(start="each document's initial weights: its own, or zeros")
def begin_flat(rows: Any, memory: Memory, k: int, problem: Problem) -> Array:
    """The squared norm of all rows."""
    documents = matrix_of(rows, memory, problem)
    own = rows.start if isinstance(rows, Weighted) else None
    memory["start"] = np.zeros((documents.n, k)) if own is None else own
    return np.array(documents.squared_norm)


def nndsvd_start(commons: Commons, k: int, seed: int, problem: Problem) -> Start:
    """The non-negative double SVD (Boutsidis and Gallopoulos), with all its sums over holders.

    Of each singular pair it keeps the positive or the negative parts, whichever have the larger
    norm. A topic beyond the rank of the matrix has no pair to start from and is random instead.
    """
    values, vectors = singular_vectors(commons, k, seed, problem)
    shared, most = (values, vectors, problem), most_of_norm(commons, problem)
    norms, squared = commons.sum(begin_singular, *shared, most=(DIRECTION, most))
    left = np.sqrt(norms)
    right = np.sqrt([(np.maximum(sign * vectors, 0.0) ** 2).sum(axis=0) for sign in (1, -1)])
    mass = left * right
    negative = (mass[1] > mass[0]).astype(int)
    pick = (negative, np.arange(len(values)))
    sign = 1.0 - 2.0 * negative
    size = np.sqrt(values * mass[pick])
    topics = np.random.default_rng(seed).random((k, commons.n_features)) / commons.n_features
    scale = np.zeros(k)
    sound = (values > FAINT * values.max(initial=0.0)) & (mass[pick] > 0)
    for topic in np.flatnonzero(sound):
        direction = np.maximum(sign[topic] * vectors[:, topic], 0.0)
        topics[topic] = size[topic] * direction / right[pick][topic]
        scale[topic] = sign[topic] * size[topic] / left[pick][topic]
    if problem.simplex:
        topics = on_simplex(topics)
    return Start(topics, scale, float(squared))


def singular_vectors(commons: Commons, k: int, seed: int, problem: Problem) -> tuple[Array, Array]:
    """The k largest singular values and right vectors, by block power iterations on Xᵀ(XV)."""
    d, norm = commons.n_features, 0.0
    if not problem.simplex:
        norm = float(commons.sum(begin_flat, 1, problem, most=most_of_norm(commons, problem)))
    bound = bound_of_image(problem, norm)
    basis = np.random.default_rng(seed).standard_normal((d, min(k + OVERSAMPLING, d)))

    def times(vectors: Array) -> Array:
        return np.asarray(commons.sum(power, vectors, problem, **bound))

    squares, vectors = by_power(times, basis, k, POWER_STEPS)
    missing = k - len(squares)  # more topics than words: nothing to start them from
    values = np.pad(np.sqrt(np.maximum(squares, 0.0)), (0, missing))
    return values, np.pad(vectors, ((0, 0), (0, missing)))


def power(rows: Any, memory: Memory, basis: Array, problem: Problem) -> Array:
    """The image of a basis of words under XᵀX."""
    documents = matrix_of(rows, memory, problem)
    image = multiply(documents, np.ascontiguousarray(basis))
    return multiply(documents.by_word, problem.important(documents, image))


@keeps(start="each document's entries in the left singular vectors")
def begin_singular(
    rows: Any, memory: Memory, values: Array, vectors: Array, problem: Problem
) -> tuple[Array, Array]:
    """Squared norms of the positive and the negative parts of the left singular vectors; ‖X‖²."""
    documents = matrix_of(rows, memory, problem)
    start = multiply(documents, np.ascontiguousarray(vectors))
    # A direction that the rows hardly have starts at zero, and so stays within any bound.
    start /= np.where(values > FAINT * values.max(initial=0.0), values, np.inf)
    memory["start"] = start
    parts = (np.maximum(start, 0.0), np.maximum(-start, 0.0))
    norms = np.stack([documents.importance @ (part * part) for part in parts])
    return norms, np.array(documents.squared_norm)
