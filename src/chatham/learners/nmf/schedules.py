"""The order in which an iteration of Algorithm 2 updates weights and topics, and its sums.

`Block`: all weights where the documents are, one sum, then all topics. `Interleaved`: one topic
after another as the thesis prints it: its weights, a sum, its words. An iteration returns the
topics, the objective and the sizes of the topics, all from totals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons, Memory, keeps
from chatham.learners.documents import Documents
from chatham.learners.nmf.bounds import bound_of_block, bound_of_residue
from chatham.learners.nmf.cells import AllCells, cells_of
from chatham.learners.nmf.problem import (
    Problem,
    Sizes,
    matrix_of,
    sizes_of,
    weights_of,
    worth_of,
)
from chatham.learners.nmf.start import Start
from chatham.learners.nmf.topics import (
    Penalty,
    block_objective,
    change_of_objective,
    publish_topic,
    update_topic,
    update_topics,
)

Array = NDArray[np.float64]


class Iterated(NamedTuple):
    """The result of an iteration."""

    topics: Array
    objective: float
    sizes: Sizes


class Schedule(Protocol):
    """One iteration after another."""

    def iterate(self, commons: Commons, topics: Array) -> Iterated:
        """Update all weights and all topics once."""


class Block:
    """All weights, one sum, all topics: one round per iteration."""

    def __init__(
        self, start: Start, problem: Problem, penalty: Penalty, plain: Array | None
    ) -> None:
        self.start, self.problem, self.penalty, self.plain = start, problem, penalty, plain

    def iterate(self, commons: Commons, topics: Array) -> Iterated:
        """One sum of WᵀX and WᵀW, a topics × words and a topics × topics array."""
        problem, norm = self.problem, self.start.squared_norm
        bound = bound_of_block(commons, problem, topics, norm)
        products, grams, *sums = commons.sum(
            topic_statistics, topics, self.start.scale, worth_of(topics, problem, self.plain),
            problem, **bound,
        )  # fmt: skip
        topics, sizes = update_topics(topics, products, grams, self.penalty), Sizes(*sums)
        value = block_objective(norm, topics, products, grams)
        value += problem.l1 * float(sizes.important.sum()) + self.penalty.of(topics)
        return Iterated(topics, value + 0.5 * problem.l2 * float(sizes.squares.sum()), sizes)


class Interleaved:
    """Topic after topic (Algorithm 2; between parties Algorithm 7): k rounds per iteration.

    Algorithm 7 counts topics from 0 to k where there are k, and leaves out Algorithm 2's projection
    of weights; on the simplex we keep them there.
    """

    def __init__(
        self, start: Start, problem: Problem, penalty: Penalty, plain: Array | None
    ) -> None:
        self.start, self.problem, self.penalty, self.plain = start, problem, penalty, plain
        self.norms = np.ones(len(start.topics))
        """sₜ of Algorithm 2, each topic's norm before its projection: for the published step."""

    def iterate(self, commons: Commons, topics: Array) -> Iterated:
        """A sum of W:tᵀRₜ and W:tᵀW:t for each topic t."""
        topics, scale = topics.copy(), self.start.scale
        for topic in range(len(topics)):
            bound = bound_of_residue(commons, self.problem, topics, self.start.squared_norm)
            residue, squares, loss, *sums = commons.sum(
                residue_statistics, topics, topic, scale, self.norms,
                worth_of(topics, self.problem, self.plain), self.problem, **bound,
            )  # fmt: skip
            before = topics[topic].copy()
            topics[topic] = self._updated(topic, residue, squares, before)
        change = change_of_objective(residue, squares, before, topics[-1])
        return Iterated(topics, float(loss) + change + self.penalty.of(topics), Sizes(*sums))

    def _updated(self, topic: int, residue: Array, squares: Array, before: Array) -> Array:
        """The topic's new distribution: at the minimum, or as published."""
        if self.problem.rule != "published":
            return update_topic(residue, squares, before, self.penalty)
        norm, words = publish_topic(residue, squares, self.penalty)
        self.norms[topic] = norm if self.problem.l2 == self.penalty.l2 == 0 else 1.0
        return words


SCHEDULES: dict[str, Callable[[Start, Problem, Penalty, Array | None], Schedule]] = {
    "block": Block,
    "interleaved": Interleaved,
}


@keeps(start="read and gone in the first step", weights="each document's topic weights")
def topic_statistics(
    rows: Any,
    memory: Memory,
    topics: Array,
    scale: Array,
    worth: Array | None,
    problem: Problem,
) -> tuple[Array, ...]:
    """Sums over documents of weight × word, of weight × weight, of weights and their squares."""
    documents = matrix_of(rows, memory, problem)
    return block_sums(documents, weights_of(memory, problem, scale), topics, problem, worth)


def block_sums(
    documents: Documents,
    weights: Array,
    topics: Array,
    problem: Problem,
    worth: Array | None = None,
) -> tuple[Array, ...]:
    """The same for these documents, whose weights are updated in place."""
    cells = cells_of(documents, weights, problem)
    cells.descend(np.ascontiguousarray(topics.T))
    weights[documents.empty] = 0.0
    products, grams, squares = cells.sums()
    return products, grams, *sizes_of(documents, weights, squares, worth)


@keeps(
    start="read and gone in the first step",
    weights="each document's topic weights",
    products="X × topicsᵀ, as of the topics before",
)
def residue_statistics(
    rows: Any,
    memory: Memory,
    topics: Array,
    topic: int,
    scale: Array,
    norms: Array,
    worth: Array | None,
    problem: Problem,
) -> tuple[Array, ...]:
    """Sums over documents, for one topic, of weight × residue and of squared weight; the loss."""
    documents, weights = matrix_of(rows, memory, problem), weights_of(memory, problem, scale)
    cells = cells_of(documents, weights, problem)
    cells.descend_topic(memory, topics, topic, norms)
    weights[documents.empty] = 0.0
    residue, squares = cells.residue(topics, topic)
    loss = _loss(cells, topics) if topic == len(topics) - 1 else 0.0
    return residue, squares, np.array(loss), *sizes_of(documents, weights, worth=worth)


def _loss(cells: AllCells, topics: Array) -> float:
    """My documents' contribution to the objective, with the penalties on their weights."""
    error = cells.squared_error(np.ascontiguousarray(topics.T))
    sizes = sizes_of(cells.documents, cells.weights)
    with_l1 = 0.5 * error + cells.problem.l1 * sizes.important.sum()
    return float(with_l1 + 0.5 * cells.problem.l2 * sizes.squares.sum())
