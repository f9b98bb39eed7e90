"""Which cells of X count: all of them, or those alone that are stored.

A cell that isn't stored is a zero for texts, and unknown for ratings. Everything in which the two
readings of a matrix differ stands here, side by side; schedules and starts don't know which it is.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.learners.documents import Documents
from chatham.learners.nmf.problem import Problem, important_weights
from chatham.learners.nmf.weights import update_topic_weights, update_weights
from chatham.numerics.observed import descend_observed, pack, residues
from chatham.numerics.products import gram, multiply, sums_by

Array = NDArray[np.float64]


class Cells(Protocol):
    """The cells that an error is about: what weights and topics are moved by, and the error."""

    def descend(
        self, documents: Documents, weights: Array, by_word: Array, problem: Problem, sweeps: int
    ) -> None:
        """Sweeps of all weights towards the least error, in place."""

    def descend_topic(
        self,
        documents: Documents,
        memory: Memory,
        weights: Array,
        topics: Array,
        topic: int,
        norms: Array,
        problem: Problem,
    ) -> None:
        """One topic's weights, in place."""

    def sums(
        self, documents: Documents, weights: Array, problem: Problem
    ) -> tuple[Array, Array, Array | None]:
        """(WᵀX)ᵀ, words × topics; WᵀW, or one packed Gram matrix a word; Σw² where it is known."""

    def residue(
        self, documents: Documents, weights: Array, topics: Array, topic: int
    ) -> tuple[Array, Array]:
        """W:tᵀRₜ, and W:tᵀW:t: one number, or one a word."""

    def squared_error(
        self, documents: Documents, weights: Array, by_word: Array, problem: Problem
    ) -> float:
        """‖X − WT‖², documents as important as they are."""

    def errors(self, documents: Documents, weights: Array, by_word: Array) -> Array:
        """Each document's squared error."""

    def fit(
        self, documents: Documents, weights: Array, topics: Array, problem: Problem
    ) -> tuple[float, float]:
        """⟨X, WT⟩ and ‖WT‖²."""


class AllCells:
    """Cells that aren't stored are zeros: no array of n × d numbers is ever formed."""

    def descend(
        self, documents: Documents, weights: Array, by_word: Array, problem: Problem, sweeps: int
    ) -> None:
        """By blocks of documents, with one Gram matrix of the topics for all."""
        update_weights(documents, weights, by_word, problem, sweeps)

    def descend_topic(
        self,
        documents: Documents,
        memory: Memory,
        weights: Array,
        topics: Array,
        topic: int,
        norms: Array,
        problem: Problem,
    ) -> None:
        """By the problem's rule; X × topicsᵀ is brought up to date for the topic before."""
        by_word = np.ascontiguousarray(topics.T)
        if topic == 0:
            memory["products"] = multiply(documents, by_word)
        else:
            changed = slice(topic - 1, topic)
            column = np.ascontiguousarray(by_word[:, changed])
            memory["products"][:, changed] = multiply(documents, column)
        update_topic_weights(weights, memory["products"], topics @ by_word, topic, norms, problem)

    def sums(
        self, documents: Documents, weights: Array, problem: Problem
    ) -> tuple[Array, Array, Array | None]:
        """One Gram matrix, whose diagonal is Σw²."""
        important = important_weights(documents, weights, problem)
        inner = gram(weights, important, documents.blocks)
        return multiply(documents.by_word, important), inner, np.diag(inner)

    def residue(
        self, documents: Documents, weights: Array, topics: Array, topic: int
    ) -> tuple[Array, Array]:
        """Without ever forming Rₜ; documents count by their importance."""
        important = documents.importance * weights[:, topic]
        with_words = multiply(documents.by_word, important[:, None])[:, 0]
        with_topics = weights.T @ important
        squares = with_topics[topic]
        return with_words - with_topics @ topics + squares * topics[topic], np.array([squares])

    def squared_error(
        self, documents: Documents, weights: Array, by_word: Array, problem: Problem
    ) -> float:
        """‖X‖² − 2⟨X, WT⟩ + ‖WT‖²."""
        important = important_weights(documents, weights, problem)
        fit = float((multiply(documents, by_word) * important).sum())
        inner = gram(weights, important, documents.blocks)
        return documents.squared_norm - 2 * fit + float((inner * (by_word.T @ by_word)).sum())

    def errors(self, documents: Documents, weights: Array, by_word: Array) -> Array:
        """The same for each document; not below zero, where rounding may lead."""
        fit = (multiply(documents, by_word) * weights).sum(axis=1)
        size = ((weights @ (by_word.T @ by_word)) * weights).sum(axis=1)
        return np.maximum(documents.squared_norms - 2 * fit + size, 0.0)

    def fit(
        self, documents: Documents, weights: Array, topics: Array, problem: Problem
    ) -> tuple[float, float]:
        """Documents count by their importance."""
        by_word = np.ascontiguousarray(topics.T)
        important = important_weights(documents, weights, problem)
        fit = (multiply(documents, by_word) * important).sum()
        size = (gram(weights, important, documents.blocks) * (topics @ by_word)).sum()
        return float(fit), float(size)


class ObservedCells:
    """Cells that aren't stored are unknown: each document, and each word, has a Gram matrix."""

    def descend(
        self, documents: Documents, weights: Array, by_word: Array, problem: Problem, sweeps: int
    ) -> None:
        """Each document over its own cells."""
        span = (0, by_word.shape[1])
        rule = problem.l1, problem.l2, problem.simplex
        descend_observed(documents, by_word, weights, *rule, span, sweeps)

    def descend_topic(
        self,
        documents: Documents,
        memory: Memory,
        weights: Array,
        topics: Array,
        topic: int,
        norms: Array,
        problem: Problem,
    ) -> None:
        """Each document over its own cells."""
        by_word, rule = np.ascontiguousarray(topics.T), (problem.l1, problem.l2, problem.simplex)
        descend_observed(documents, by_word, weights, *rule, (topic, topic + 1))

    def sums(
        self, documents: Documents, weights: Array, problem: Problem
    ) -> tuple[Array, Array, Array | None]:
        """A packed Gram matrix a word, over the documents that have it."""
        return *pack(documents.by_word, weights), None

    def residue(
        self, documents: Documents, weights: Array, topics: Array, topic: int
    ) -> tuple[Array, Array]:
        """Over stored cells, word by word."""
        by_word = np.ascontiguousarray(topics.T)
        left = self._residues(documents, weights, by_word)
        mine = np.repeat(weights[:, topic], np.diff(documents.indptr))
        squares = sums_by(documents.indices, mine * mine, documents.d)
        with_left = sums_by(documents.indices, mine * left, documents.d)
        return with_left + squares * by_word[:, topic], squares

    def squared_error(
        self, documents: Documents, weights: Array, by_word: Array, problem: Problem
    ) -> float:
        """Over stored cells."""
        left = self._residues(documents, weights, by_word)
        return float(left @ left)

    def errors(self, documents: Documents, weights: Array, by_word: Array) -> Array:
        """Over each document's stored cells."""
        left = self._residues(documents, weights, by_word)
        return sums_by(documents.owners, left * left, documents.n)

    def fit(
        self, documents: Documents, weights: Array, topics: Array, problem: Problem
    ) -> tuple[float, float]:
        """Over stored cells."""
        left = self._residues(documents, weights, np.ascontiguousarray(topics.T))
        model = documents.data - left
        return float(documents.data @ model), float(model @ model)

    @staticmethod
    def _residues(documents: Documents, weights: Array, by_word: Array) -> Array:
        cells = documents.indptr, documents.indices, documents.data
        return np.asarray(residues(*cells, weights, by_word))


def cells_of(problem: Problem) -> Cells:
    """The reading of the matrix that the problem asks for."""
    return ObservedCells() if problem.unobserved else AllCells()
