"""Where NMF begins: random factors, the non-negative SVD, or topics that are given.

A start has topics, which everyone knows, and weights, which stay where the documents are: a holder
keeps its raw start, and the first step multiplies it by `scale`, one number a topic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons, Memory
from chatham.learners.documents import own_seed
from chatham.learners.nmf.weights import (
    Problem,
    important_weights,
    matrix_of,
    on_simplex,
    power_bits,
    start_bits,
)
from chatham.numerics.keyed import uniforms
from chatham.numerics.observed import residues
from chatham.numerics.products import gram, multiply

Array = NDArray[np.float64]

OVERSAMPLING = 10
POWER_STEPS = 6
FAINT = 1e-6
"""The share of the largest singular value below which there is nothing to begin a topic from."""
TINY = np.finfo(np.float64).tiny


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
        begin_random, topics, seed, problem, bits=start_bits(commons, problem, k)
    )
    root = np.sqrt(fit / size) if size > 0 and not problem.simplex else 1.0
    return Start(topics * root, np.full(k, root), float(norm))


def begin_random(rows: Any, memory: Memory, topics: Array, seed: int, problem: Problem) -> Array:
    """How well random weights fit: ⟨X, WT⟩, ‖WT‖² and ‖X‖²."""
    documents = matrix_of(rows, memory, problem)
    start = uniforms(documents.keys(own_seed(seed, memory)), len(topics))
    start[documents.empty] = 0.0  # outside the objective, so outside the scale too
    memory["start"] = start
    by_word = np.ascontiguousarray(topics.T)
    if problem.unobserved:
        left = residues(documents.indptr, documents.indices, documents.data, start, by_word)
        model = documents.data - left
        return np.array([documents.data @ model, model @ model, documents.squared_norm])
    important = important_weights(documents, start, problem)
    fit = (multiply(documents, by_word) * important).sum()
    size = (gram(start, important, documents.blocks) * (topics @ by_word)).sum()
    return np.array([fit, size, documents.squared_norm])


def given_start(commons: Commons, topics: Array, problem: Problem) -> Start:
    """Topics as given; weights begin at nothing, or uniform on the simplex."""
    topics = on_simplex(topics) if problem.simplex else topics.copy()
    norm = commons.sum(begin_flat, len(topics), problem, bits=start_bits(commons, problem))
    return Start(topics, np.ones(len(topics)), float(norm[0]))


def begin_flat(rows: Any, memory: Memory, k: int, problem: Problem) -> Array:
    """The squared norm of all rows."""
    documents = matrix_of(rows, memory, problem)
    memory["start"] = np.zeros((documents.n, k))
    return np.array([documents.squared_norm])


def nndsvd_start(commons: Commons, k: int, seed: int, problem: Problem) -> Start:
    """The non-negative double SVD (Boutsidis and Gallopoulos), with all its sums over holders.

    Of each singular pair it keeps the positive or the negative parts, whichever weigh more. A
    topic beyond the rank of the matrix has no pair to begin from and gets random topics instead.
    """
    values, vectors = singular_vectors(commons, k, seed, problem)
    bits = None, start_bits(commons, problem)
    norms, squared = commons.sum(begin_singular, values, vectors, problem, bits=bits)
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
    return Start(topics, scale, float(squared[0]))


def singular_vectors(commons: Commons, k: int, seed: int, problem: Problem) -> tuple[Array, Array]:
    """The k largest singular values and right vectors, by block power iterations on Xᵀ(XV)."""
    d, bits = commons.n_features, power_bits(commons, _largest_image(commons, problem))
    width = min(k + OVERSAMPLING, d)
    basis = np.linalg.qr(np.random.default_rng(seed).standard_normal((d, width)))[0]
    for _ in range(POWER_STEPS):
        basis = np.linalg.qr(commons.sum(power, basis, problem, bits=bits))[0]
    image = commons.sum(power, basis, problem, bits=bits)
    small = 0.5 * (basis.T @ image + image.T @ basis)
    turn = np.linalg.eigh(_without_ties(small))[1]
    squares = np.einsum("ij,ik,kj->j", turn, small, turn)
    order = np.argsort(-np.round(squares / max(squares.max(), TINY), 9), kind="stable")[:k]
    more = k - len(order)  # more topics than words: nothing to begin them from
    values = np.pad(np.sqrt(np.maximum(squares[order], 0.0)), (0, more))
    return values, np.pad(basis @ turn[:, order], ((0, 0), (0, more)))


def _without_ties(small: Array) -> Array:
    """Where eigenvalues coincide, any basis of their space will do, and rounding would choose.

    A little is then added to the diagonal, so that everyone gets the same basis.
    """
    values = np.linalg.eigvalsh(small)
    largest = max(values[-1], TINY)
    if np.diff(values[values > 1e-12 * largest]).min(initial=largest) > 1e-7 * largest:
        return small
    return small + 1e-6 * largest * np.diag(np.linspace(1.0, 2.0, len(small)))


def _largest_image(commons: Commons, problem: Problem) -> float:
    """What no number in XᵀX × a unit vector is beyond: ‖X‖², or on the simplex the documents."""
    if problem.simplex:
        return float(problem.documents)
    return float(commons.sum(begin_flat, 1, problem, bits=start_bits(commons, problem))[0])


def power(rows: Any, memory: Memory, basis: Array, problem: Problem) -> Array:
    """The image of a basis of words under XᵀX."""
    documents = matrix_of(rows, memory, problem)
    image = multiply(documents, np.ascontiguousarray(basis))
    return multiply(documents.by_word, important_weights(documents, image, problem))


def begin_singular(
    rows: Any, memory: Memory, values: Array, vectors: Array, problem: Problem
) -> tuple[Array, Array]:
    """Squared norms of the positive and the negative parts of the left singular vectors; ‖X‖²."""
    documents = matrix_of(rows, memory, problem)
    start = multiply(documents, np.ascontiguousarray(vectors))
    # A direction that the rows hardly have begins at nothing, and so stays within any bound.
    start /= np.where(values > FAINT * values.max(initial=0.0), values, np.inf)
    memory["start"] = start
    parts = (np.maximum(start, 0.0), np.maximum(-start, 0.0))
    norms = np.stack([documents.importance @ (part * part) for part in parts])
    return norms, np.array([documents.squared_norm])
