"""Which documents NMF explains worst: one, inside an organisation; many, between parties."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.models.candidates import add_worst, candidate, count_by_error
from chatham.models.documents import Documents
from chatham.models.nmf_steps import Problem, matrix_of
from chatham.numerics.observed import residues
from chatham.numerics.products import multiply, sums_by

Array = NDArray[np.float64]


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
