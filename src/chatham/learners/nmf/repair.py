"""Which documents the topics explain worst: what a topic that died begins anew from."""

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
    """The document that the topics explain worst, from each holder (a document crosses)."""
    documents = matrix_of(rows, memory, problem)
    return candidate(documents, memory, _important_errors(rows, memory, topics, problem))


def count_errors(rows: Any, memory: Memory, topics: Array, problem: Problem) -> NDArray[np.int64]:
    """How many documents are explained how badly, or worse."""
    errors = _important_errors(rows, memory, topics, problem)
    return count_by_error(matrix_of(rows, memory, problem), errors)


def add_badly_explained(
    rows: Any, memory: Memory, topics: Array, problem: Problem, least: float
) -> tuple[Array, NDArray[np.int64]]:
    """The sum and the number of the documents explained worst, of at least five a holder."""
    errors = _important_errors(rows, memory, topics, problem)
    return add_worst(matrix_of(rows, memory, problem), errors, least)


WORST = Worst(worst_document, count_errors, add_badly_explained)


def _important_errors(rows: Any, memory: Memory, topics: Array, problem: Problem) -> Array:
    documents = matrix_of(rows, memory, problem)
    cells = cells_of(documents, memory["weights"], problem)
    return documents.importance * cells.errors(np.ascontiguousarray(topics.T))
