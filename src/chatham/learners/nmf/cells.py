"""Which cells of X count, and how much: all of them alike, or each by its weight Ψ (eq. 2.23).

A cell that isn't stored is a zero for texts, and unknown for ratings, which is a weight of zero.
Everything in which the two readings of a matrix differ stands here, side by side; schedules and
starts don't know which it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.learners.documents import Documents
from chatham.learners.nmf.problem import Problem
from chatham.learners.nmf.weights import update_topic_weights, update_weights
from chatham.numerics.observed import descend_observed, pack, residues
from chatham.numerics.products import gram, multiply, sums_by

Array = NDArray[np.float64]


@dataclass(frozen=True)
class AllCells:
    """Documents and their weights, where cells that aren't stored are zeros.

    No array of n × d numbers is ever formed: the residue R is there in products alone.
    """

    documents: Documents
    weights: Array
    problem: Problem

    def descend(self, by_word: Array, sweeps: int = 1) -> None:
        """Sweeps of all weights towards the least error, in place."""
        update_weights(self.documents, self.weights, by_word, self.problem, sweeps)

    def descend_topic(self, memory: Memory, topics: Array, topic: int, norms: Array) -> None:
        """One topic's weights; X × topicsᵀ is brought up to date for the topic before."""
        by_word = np.ascontiguousarray(topics.T)
        if topic == 0:
            memory["products"] = multiply(self.documents, by_word)
        else:
            changed = slice(topic - 1, topic)
            column = np.ascontiguousarray(by_word[:, changed])
            memory["products"][:, changed] = multiply(self.documents, column)
        inner, products = topics @ by_word, memory["products"]
        update_topic_weights(self.weights, products, inner, topic, norms, self.problem)

    def sums(self) -> tuple[Array, Array, Array | None]:
        """(WᵀX)ᵀ, words × topics; WᵀW, or one packed Gram matrix per word; Σw² where known."""
        important = self._important()
        inner = gram(self.weights, important, self.documents.blocks)
        squares, by_word = np.diag(inner), multiply(self.documents.by_word, important)
        if self.problem.by_word:  # other holders' cells have weights: here all words are alike
            inner = np.tile(inner[np.triu_indices(len(inner))], (self.documents.d, 1))
        return by_word, inner, squares

    def residue(self, topics: Array, topic: int) -> tuple[Array, Array]:
        """W:tᵀRₜ, and W:tᵀW:t (one number, or one per word); documents count by importance."""
        important = self.documents.importance * self.weights[:, topic]
        with_words = multiply(self.documents.by_word, important[:, None])[:, 0]
        with_topics = self.weights.T @ important
        squares = with_topics[topic]
        residue = with_words - with_topics @ topics + squares * topics[topic]
        return residue, np.full(self.documents.d if self.problem.by_word else 1, squares)

    def squared_error(self, by_word: Array) -> float:
        """‖X − WT‖² = ‖X‖² − 2⟨X, WT⟩ + ‖WT‖², documents as important as they are."""
        important = self._important()
        fit = float((multiply(self.documents, by_word) * important).sum())
        inner = gram(self.weights, important, self.documents.blocks)
        size = float((inner * (by_word.T @ by_word)).sum())
        return self.documents.squared_norm - 2 * fit + size

    def errors(self, by_word: Array) -> Array:
        """Each document's squared error; not below zero, where rounding may lead."""
        fit = (multiply(self.documents, by_word) * self.weights).sum(axis=1)
        size = ((self.weights @ (by_word.T @ by_word)) * self.weights).sum(axis=1)
        return np.maximum(self.documents.squared_norms - 2 * fit + size, 0.0)

    def fit(self, topics: Array) -> tuple[float, float]:
        """⟨X, WT⟩ and ‖WT‖²."""
        by_word, important = np.ascontiguousarray(topics.T), self._important()
        inner = gram(self.weights, important, self.documents.blocks)
        fit = (multiply(self.documents, by_word) * important).sum()
        return float(fit), float((inner * (topics @ by_word)).sum())

    def _important(self) -> Array:
        return self.problem.important(self.documents, self.weights)


class WeightedCells(AllCells):
    """The same where each cell has a weight, and one that isn't stored has none: each row, and each
    word, has a Gram matrix of its own, over its cells. Time and memory go by their number."""

    def descend(self, by_word: Array, sweeps: int = 1) -> None:
        """Each document over its own cells."""
        self._descend(by_word, (0, by_word.shape[1]), sweeps)

    def descend_topic(self, memory: Memory, topics: Array, topic: int, norms: Array) -> None:
        """One topic's weights, over each document's own cells."""
        self._descend(np.ascontiguousarray(topics.T), (topic, topic + 1), 1)

    def sums(self) -> tuple[Array, Array, Array | None]:
        """A packed Gram matrix per word, over the documents that have it."""
        documents = self.documents
        return *pack(documents.by_word, documents.counting_by_word, self.weights), None

    def residue(self, topics: Array, topic: int) -> tuple[Array, Array]:
        """Over stored cells, word by word."""
        by_word, documents = np.ascontiguousarray(topics.T), self.documents
        left = self._residues(by_word)
        mine = np.repeat(self.weights[:, topic], np.diff(documents.indptr))
        counted = documents.counting_in_all * mine
        squares = sums_by(documents.indices, counted * mine, documents.d)
        with_left = sums_by(documents.indices, counted * left, documents.d)
        return with_left + squares * by_word[:, topic], squares

    def squared_error(self, by_word: Array) -> float:
        """Over stored cells, as they count."""
        left = self._residues(by_word)
        return float((self.documents.counting_in_all * left) @ left)

    def errors(self, by_word: Array) -> Array:
        """Over each document's stored cells."""
        left = self._residues(by_word)
        squares = self.documents.counting * left * left
        return sums_by(self.documents.owners, squares, self.documents.n)

    def fit(self, topics: Array) -> tuple[float, float]:
        """Over stored cells, as they count."""
        rebuilt = self.documents.data - self._residues(np.ascontiguousarray(topics.T))
        counted = self.documents.counting_in_all * rebuilt
        return float(self.documents.data @ counted), float(counted @ rebuilt)

    def _descend(self, by_word: Array, span: tuple[int, int], sweeps: int) -> None:
        rule = self.problem.l1, self.problem.l2, self.problem.simplex
        counting = self.documents.counting
        descend_observed(self.documents, counting, by_word, self.weights, *rule, span, sweeps)

    def _residues(self, by_word: Array) -> Array:
        cells = self.documents.indptr, self.documents.indices, self.documents.data
        return np.asarray(residues(*cells, self.weights, by_word))


def cells_of(documents: Documents, weights: Array, problem: Problem) -> AllCells:
    """Documents and weights in the reading that the problem, or their own weights, ask for."""
    weighted = problem.unobserved or documents.cell_weight is not None
    reading = WeightedCells if weighted else AllCells
    return reading(documents, weights, problem)
