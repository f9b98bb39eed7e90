"""What every holder must know of a factorisation besides the topics, and its own private state.

The objective is ½(‖X − WT‖² + ℓ2ʷ‖W‖² + ℓ2ᵗ‖T‖²) + ℓ1ʷ‖W‖₁ + ℓ1ᵗ‖T‖₁; a `Problem` is the part of it
that concerns documents.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.learners.documents import Documents, counts_in
from chatham.learners.weighted import Weighted

Array = NDArray[np.float64]


class Problem(NamedTuple):
    """How weights move ("nonnegative", "simplex", or "published": Algorithm 2 to the letter), their
    penalties, whether cells that aren't stored are unknown, and whether errors are relative."""

    rule: str
    l1: float
    l2: float
    unobserved: bool
    relative: bool

    @property
    def simplex(self) -> bool:
        """Whether each document's weights are a distribution."""
        return self.rule != "nonnegative"

    @property
    def by_word(self) -> bool:
        """Whether each word has a Gram matrix of its own."""
        return self.unobserved

    def important(self, documents: Documents, weights: Array) -> Array:
        """Weights times the importance of their documents: how the sums for topics count them."""
        return weights if documents.alike else weights * documents.importance[:, None]


class WeightedProblem(Problem):
    """The same where some holder's cells have weights."""

    @property
    def by_word(self) -> bool:
        """As where cells are unknown, each word has a Gram matrix of its own."""
        return True


class Sizes(NamedTuple):
    """Sums over all documents, topic by topic."""

    shares: Array
    """The topic's shares of the documents: of each document's words, those that come from it."""
    important: Array
    """Each weight times the importance of its document."""
    squares: Array
    """The weights' squares, times the importance of their documents."""


def matrix_of(rows: Any, memory: Memory, problem: Problem) -> Documents:
    """My rows: as given for general NMF, as frequencies on the simplex; prepared once per fit."""
    return memory.derived("matrix", documents_for, rows, problem)


def documents_for(rows: Any, problem: Problem) -> Documents:
    """Rows in the form that the problem needs, with their weights if they have any."""
    mine = rows if isinstance(rows, Weighted) else Weighted(counts_in(rows))
    return Documents(
        mine.counts,
        frequencies=problem.simplex,
        keep_zeros=problem.unobserved,
        relative=problem.relative,
        sample_weight=mine.sample_weight,
        cell_weight=mine.cell_weight,
    )


def weights_of(memory: Memory, problem: Problem, scale: Array) -> Array:
    """My documents' weights: those of the last step, or the start, multiplied by `scale` once."""
    if "start" in memory:
        weights = np.maximum(memory.pop("start") * scale, 0.0)
        memory["weights"] = on_simplex(weights) if problem.simplex else weights
    return memory["weights"]


def on_simplex(rows: Array) -> Array:
    """Rows divided by their sums; a row without any weight becomes uniform."""
    totals = rows.sum(axis=1, keepdims=True)
    return np.where(totals > 0, rows / np.where(totals > 0, totals, 1.0), 1.0 / rows.shape[1])


def worth_of(topics: Array, problem: Problem, plain: Array | None) -> Array | None:
    """How many words a unit of each topic's weight stands for; None where it is one for all.

    `plain` is how many words a unit of each column stands for: one over its idf, if it has any.
    """
    if plain is None:
        return None if problem.simplex else topics.sum(axis=1)
    return np.asarray((topics * plain).sum(axis=1))


def shares_in(weights: Array, worth: Array | None, repeats: Array) -> Array:
    """The sum over documents of each topic's share of their words; of one without any, nothing."""
    if worth is not None:
        words = weights * worth
        totals = words.sum(axis=1, keepdims=True)
        weights = words / np.where(totals > 0, totals, 1.0)
    return repeats @ weights


def sizes_of(
    documents: Documents,
    weights: Array,
    squares: Array | None = None,
    worth: Array | None = None,
) -> Sizes:
    """My documents' contribution; `squares` where they are already known."""
    if squares is None:
        squares = documents.importance @ (weights * weights)
    return Sizes(
        shares_in(weights, worth, documents.repeats), documents.importance @ weights, squares
    )
