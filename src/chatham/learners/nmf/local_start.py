"""A start from everybody's own topics: PD-NMF-Init (Algorithm 8 of the thesis).

Every holder fits a model to its own documents, and weighs each of its topics by the root of its
documents' squared weights (Theorem 1, or Corollary 4 where only stored cells count). Then these
weighted topics take the documents' place in PD-NMF-Iter, from random topics: what crosses are sums
over *topics* of weight × word and of weight × weight. Where that leads, NMF proper begins.

A topic of a holder's own that few of its documents carry is as good as one of these documents, so
it stays home: a holder has at most one topic for ten documents, and shares none that fewer than
five carry. And the random topics come from a seed that all know, not from a sum of private ones
(Algorithm 8, steps 6 and 7): nothing depends on their being secret.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Alone, Commons, Memory
from chatham.commons.fixed_point import bits_for
from chatham.learners.base import has_converged
from chatham.learners.candidates import LEAST, MANY
from chatham.learners.documents import Documents, counts_in
from chatham.learners.nmf.start import nndsvd_start
from chatham.learners.nmf.topics import Penalty, block_objective, update_topics
from chatham.learners.nmf.weights import (
    Problem,
    matrix_of,
    on_simplex,
    start_bits,
    topic_statistics,
)

Array = NDArray[np.float64]

MOST_ITERATIONS, TOL = 100, 1e-5

MIXTURE = Problem("nonnegative", 0.0, 0.0, unobserved=False, relative=False)
"""Weighted topics are mixtures of topics, of whatever size."""


def local_topics(commons: Commons, k: int, seed: int, problem: Problem, penalty: Penalty) -> Array:
    """Topics that everybody's own weighted topics are mixtures of."""
    bits = 0, start_bits(commons, problem)
    number, squared_norm = commons.sum(begin_local, k, seed, problem, penalty, bits=bits)
    topics = on_simplex(np.random.default_rng(seed).random((k, commons.n_features)))
    norm = float(squared_norm[0])
    objective: list[float] = []
    for _ in range(MOST_ITERATIONS if number[0] else 0):
        products, grams = commons.sum(mix_topics, topics, bits=_bits(commons, topics, norm))
        topics = update_topics(topics, products, grams, Penalty(0.0, 0.0, simplex=True))
        objective.append(block_objective(norm, topics, products, grams))
        if has_converged(objective, TOL):
            break
    return topics


def _bits(commons: Commons, topics: Array, squared_norm: float) -> int:
    """Room for weights: mixtures begin at nothing and never rebuild a row larger than twice it."""
    least = float((topics**2).sum(axis=1).min())
    return bits_for(4.0 * squared_norm / least, commons.holders)


def begin_local(
    rows: Any, memory: Memory, k: int, seed: int, problem: Problem, penalty: Penalty
) -> tuple[NDArray[np.int64], Array]:
    """How many topics of their own all holders have, and the squared norm of these, weighted."""
    documents = matrix_of(rows, memory, problem)
    k = min(k, int((~documents.empty).sum()) // MANY)
    own = np.zeros((0, documents.d))
    if k:
        own = _own_topics(Alone(counts_in(rows)), k, seed, problem, penalty)
    mixed = Documents(own)
    memory["own"] = mine = Memory(memory.index, memory.holders)
    mine["matrix"] = mixed
    return np.array([len(own)], dtype=np.int64), np.array([mixed.squared_norm])


def _own_topics(alone: Alone, k: int, seed: int, problem: Problem, penalty: Penalty) -> Array:
    """The topics of one holder's documents, weighted, without those that too few carry."""
    start = nndsvd_start(alone, k, seed, problem)
    topics, objective = start.topics, list[float]()
    for _ in range(MOST_ITERATIONS):
        products, grams, sizes = alone.sum(topic_statistics, topics, start.scale, problem)
        topics = update_topics(topics, products, grams, penalty)
        objective.append(block_objective(start.squared_norm, topics, products, grams))
        if has_converged(objective, TOL):
            break
    squares = _largest_squares(grams, k) if problem.unobserved else sizes[2]
    carried = alone.sum(count_carriers) >= LEAST
    return np.asarray(np.sqrt(squares)[carried, None] * topics[carried])


def _largest_squares(grams: Array, k: int) -> Array:
    """Each topic's squared weights over the documents that have a word, for the word with most."""
    first, second = np.triu_indices(k)
    return np.asarray(grams[:, first == second].max(axis=0))


def count_carriers(rows: Any, memory: Memory) -> Array:
    """By how many documents each topic is carried, as it were: (Σw)²/Σw²."""
    weights: Array = memory["weights"]
    squares = (weights**2).sum(axis=0)
    return np.asarray(weights.sum(axis=0) ** 2 / np.where(squares > 0, squares, 1.0))


def mix_topics(rows: Any, memory: Memory, topics: Array) -> tuple[Array, Array]:
    """Sums over all holders' own topics of weight × word, and of weight × weight."""
    mine: Memory = memory["own"]
    if "weights" not in mine:
        mine["weights"] = np.zeros((mine["matrix"].n, len(topics)))
    return topic_statistics(rows, mine, topics, np.ones(len(topics)), MIXTURE)[:2]
