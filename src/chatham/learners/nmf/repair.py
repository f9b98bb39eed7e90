"""The documents that topics explain worst, from which an unused topic is restarted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.learners.beginnings import Worst, add_worst, candidate, count_by_error
from chatham.learners.nmf.cells import cells_of
from chatham.learners.nmf.problem import Problem, matrix_of

Array = NDArray[np.float64]


def worst_document(rows: Any, memory: Memory, topics: Array, problem: Problem) -> Array:
    """Each holder's document that the topics explain worst (a document crosses)."""
    documents = matrix_of(rows, memory, problem)
    return candidate(documents, memory, _important_errors(rows, memory, topics, problem))


def count_errors(rows: Any, memory: Memory, topics: Array, problem: Problem) -> NDArray[np.int64]:
    """The number of documents with each size of error or a larger one."""
    errors = _important_errors(rows, memory, topics, problem)
    return count_by_error(matrix_of(rows, memory, problem), errors)


def add_badly_explained(
    rows: Any, memory: Memory, topics: Array, problem: Problem, least: float
) -> tuple[Array, NDArray[np.int64]]:
    """The sum and number of the documents explained worst, at least five per holder."""
    errors = _important_errors(rows, memory, topics, problem)
    return add_worst(matrix_of(rows, memory, problem), errors, least)


WORST = Worst(worst_document, count_errors, add_badly_explained)


def _important_errors(rows: Any, memory: Memory, topics: Array, problem: Problem) -> Array:
    documents = matrix_of(rows, memory, problem)
    cells = cells_of(documents, memory["weights"], problem)
    repeats = documents.repeats  # a row that stands for two is no worse explained than one alone
    importance = np.divide(documents.importance, repeats, where=repeats > 0, out=0.0 * repeats)
    return importance * cells.errors(np.ascontiguousarray(topics.T))
