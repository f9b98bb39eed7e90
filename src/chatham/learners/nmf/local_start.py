"""A start from every holder's own topics: PD-NMF-Init (Algorithm 8 of the thesis).

Every holder fits a model to its own documents, and weights each of its topics by the root of the
sum of its documents' squared weights and of the ℓ2 penalty on topics (Theorem 1 with Corollary 3,
or Corollary 4 where only stored cells count; Algorithm 8 leaves the penalty out, Algorithm 6
doesn't): by so much an error in the topic costs. Then these weighted topics take the place of
documents in PD-NMF-Iter, which starts from random topics: what crosses are sums over *topics* of
weight × word and of weight × weight. NMF proper starts from the result.

A holder's own topic that few of its documents have reveals as much as one of these documents, so it
never leaves: a holder has at most one topic per ten documents, and shares none that fewer than five
have. And the random topics come from a shared seed, not from a sum of private ones (Algorithm 8,
steps 6 and 7): nothing depends on their being secret.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Alone, Commons, Memory, keeps
from chatham.commons.precision import Bound
from chatham.learners.beginnings import LEAST, MANY
from chatham.learners.convergence import has_converged
from chatham.learners.documents import Documents
from chatham.learners.nmf.bounds import most_of_norm
from chatham.learners.nmf.problem import Problem, Sizes, matrix_of, on_simplex
from chatham.learners.nmf.schedules import block_sums, topic_statistics
from chatham.learners.nmf.start import nndsvd_start
from chatham.learners.nmf.topics import Penalty, block_objective, update_topics

Array = NDArray[np.float64]

MOST_ITERATIONS, TOL = 100, 1e-3

MIXTURE = Problem("nonnegative", 0.0, 0.0, unobserved=False, relative=False)
"""Weighted topics are mixtures of topics, of any size."""


def local_topics(commons: Commons, k: int, seed: int, problem: Problem, penalty: Penalty) -> Array:
    """Topics of which every holder's own weighted topics are mixtures."""
    number, squared_norm = commons.sum(
        begin_local, k, seed, problem, penalty, most=_most_of_own(commons, problem, penalty)
    )
    topics = on_simplex(np.random.default_rng(seed).random((k, commons.n_features)))
    norm = float(squared_norm)
    objective: list[float] = []
    for _ in range(MOST_ITERATIONS if number else 0):
        products, grams = commons.sum(mix_topics, topics, total=_largest_mixture(topics, norm))
        topics = update_topics(topics, products, grams, Penalty(0.0, 0.0, simplex=True))
        objective.append(block_objective(norm, topics, products, grams))
        if has_converged(objective, TOL, nothing=0.5 * norm):
            break
    return topics


def _most_of_own(commons: Commons, problem: Problem, penalty: Penalty) -> Bound:
    """The bound on weighted topics' squared norm: a topic's own is at most one on the simplex."""
    most = most_of_norm(commons, problem)
    return most + _convex(penalty) / MANY if isinstance(most, float) else most


def _convex(penalty: Penalty) -> float:
    """‖S‖ of Theorem 1, which holds for convex penalties: a negative one counts as none."""
    return max(penalty.l2, 0.0)


def _largest_mixture(topics: Array, squared_norm: float) -> float:
    """The bound on sums of weights: they start at zero and never make more than twice a row."""
    return 4.0 * squared_norm / float((topics**2).sum(axis=1).min())


@keeps(own="the topics of my own documents, each weighted by what an error in it costs")
def begin_local(
    rows: Any, memory: Memory, k: int, seed: int, problem: Problem, penalty: Penalty
) -> tuple[NDArray[np.int64], Array]:
    """The number of all holders' own topics, and the squared norm of these weighted topics."""
    documents = matrix_of(rows, memory, problem)
    k = min(k, int((~documents.empty).sum()) // MANY)
    own = np.zeros((0, documents.d))
    if k:
        own = _own_topics(Alone(rows), k, seed, problem, penalty)
    memory["own"] = own
    return np.array(len(own), dtype=np.int64), np.array(_own_rows(memory).squared_norm)


def _own_topics(alone: Alone, k: int, seed: int, problem: Problem, penalty: Penalty) -> Array:
    """The topics of one holder's documents, weighted, without those that too few documents have."""
    alone.count()
    start = nndsvd_start(alone, k, seed, problem)
    topics, objective = start.topics, list[float]()
    for _ in range(MOST_ITERATIONS):
        products, grams, *sums = alone.sum(topic_statistics, topics, start.scale, None, problem)
        topics = update_topics(topics, products, grams, penalty)
        objective.append(block_objective(start.squared_norm, topics, products, grams))
        if has_converged(objective, TOL, nothing=0.5 * start.squared_norm):
            break
    squares = _largest_squares(grams, k) if problem.by_word else Sizes(*sums).squares
    carried = alone.sum(count_carriers) >= LEAST
    return np.asarray(np.sqrt(squares + _convex(penalty))[carried, None] * topics[carried])


def _largest_squares(grams: Array, k: int) -> Array:
    """Per topic, the sum of squared weights over the documents with a word, largest over words."""
    first, second = np.triu_indices(k)
    return np.asarray(grams[:, first == second].max(axis=0))


def count_carriers(rows: Any, memory: Memory) -> Array:
    """The effective number of documents that have each topic: (Σw)²/Σw²."""
    weights: Array = memory["weights"]
    squares = (weights**2).sum(axis=0)
    return np.asarray(weights.sum(axis=0) ** 2 / np.where(squares > 0, squares, 1.0))


@keeps(mixtures="the share of each topic in each of my own topics")
def mix_topics(rows: Any, memory: Memory, topics: Array) -> tuple[Array, Array]:
    """Sums over all holders' own topics of weight × word, and of weight × weight."""
    own = _own_rows(memory)
    weights = memory.setdefault("mixtures", np.zeros((own.n, len(topics))))
    products, grams, *_ = block_sums(own, weights, topics, MIXTURE)
    return products, grams


def _own_rows(memory: Memory) -> Documents:
    """My own topics as if they were documents."""
    return memory.derived("own rows", Documents, memory["own"])
