"""NMF's other half: the topics' update from totals, the same at every party."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numba import njit
from numpy.typing import NDArray

from chatham.numerics.observed import descend_packed
from chatham.numerics.rows import descend_nonnegative
from chatham.numerics.simplex import (
    least_on_simplex,
    least_on_weighted_simplex,
    project,
    project_in_place,
)
from chatham.numerics.threads import each

Array = NDArray[np.float64]


WORD_BLOCKS = 8
"""The number of blocks of words for our threads."""

UNUSED = 1e-12
"""The share of the largest topic's squared weights below which no document uses a topic."""


@dataclass(frozen=True)
class Penalty:
    """The penalties on topics, and whether each must be a distribution over words."""

    l1: float
    l2: float
    simplex: bool

    def of(self, topics: Array) -> float:
        """ℓ1‖T‖₁ + ½ℓ2‖T‖²."""
        if self.l1 == self.l2 == 0:
            return 0.0
        return self.l1 * float(np.abs(topics).sum()) + 0.5 * self.l2 * float((topics**2).sum())


def update_topics(topics: Array, products: Array, grams: Array, penalty: Penalty) -> Array:
    """One sweep over the topics, each to its exact minimum given the others.

    `products` is (WᵀX)ᵀ, words × topics; `grams` is WᵀW, or one packed Gram matrix per word
    where only stored cells count.
    """
    by_word = np.array(topics.T, order="C")
    k = by_word.shape[1]
    one_gram = grams.shape == (k, k)
    if penalty.simplex:
        sweep = _sweep_simplex if one_gram else _sweep_weighted_simplex
        sweep(by_word, products, grams, penalty.l2)
    else:
        _sweep_nonnegative(by_word, products, grams, penalty, one_gram)
    return by_word.T  # kernels read topics by word: a copy in the other order would only cost time


def _sweep_nonnegative(
    by_word: Array, products: Array, grams: Array, penalty: Penalty, one_gram: bool
) -> None:
    k = by_word.shape[1]

    def work(words: slice) -> None:
        if one_gram:
            descend_nonnegative(
                by_word[words], products[words], grams, penalty.l1, penalty.l2, 0, k, 1
            )
        else:
            descend_packed(
                by_word[words],
                products[words],
                grams[words],
                penalty.l1,
                penalty.l2,
                False,
                0,
                k,
                1,
            )

    edges = np.linspace(0, len(by_word), WORD_BLOCKS + 1).astype(int)
    each(work, [slice(first, last) for first, last in pairwise(edges) if last > first])


@njit(cache=True, nogil=True)
def _sweep_simplex(by_word: Array, products: Array, gram: Array, l2: float) -> None:
    """Topic after topic on the simplex; a word whose share stays the same costs nothing more."""
    d, k = by_word.shape
    residual = products - by_word @ gram
    unused = UNUSED * np.max(np.diag(gram))
    best = np.empty(d)
    for topic in range(k):
        squares = gram[topic, topic]
        curvature = squares + l2
        if l2 == 0.0 and squares <= unused:
            continue  # hardly any document uses it: every distribution is as good, so it stays
        for word in range(d):
            best[word] = residual[word, topic] + squares * by_word[word, topic]
        if curvature > 0.0:
            for word in range(d):
                best[word] /= curvature
            project_in_place(best)
        else:
            corner = np.argmax(best)
            best[:] = 0.0
            best[corner] = 1.0
        for word in range(d):
            change = best[word] - by_word[word, topic]
            if change != 0.0:
                by_word[word, topic] = best[word]
                for other in range(k):
                    residual[word, other] -= change * gram[topic, other]


def _sweep_weighted_simplex(by_word: Array, products: Array, grams: Array, l2: float) -> None:
    """The same where only stored cells count: each word has its own curvature."""
    k = by_word.shape[1]
    columns = np.empty((k, k), dtype=np.int64)
    columns[np.triu_indices(k)] = np.arange(grams.shape[1])
    columns = np.triu(columns) + np.triu(columns, 1).T
    for topic in range(k):
        row = grams[:, columns[topic]]
        squares = row[:, topic]
        residue = products[:, topic] - (row * by_word).sum(axis=1) + squares * by_word[:, topic]
        by_word[:, topic] = update_topic(
            residue, squares, by_word[:, topic], Penalty(0.0, l2, True)
        )


def update_topic(residue: Array, squares: Array, before: Array, penalty: Penalty) -> Array:
    """One topic's minimum, from W:tᵀRₜ and W:tᵀW:t (one number, or one per word).

    On the simplex the minimum is the projection of residue/curvature as it is. Setting its
    negative entries to zero first, as Algorithm 2 prints it, would miss the minimum whenever the
    positive ones sum to less than one.
    """
    curvature = squares + penalty.l2
    if not penalty.simplex:
        safe = np.where(curvature > 0, curvature, 1.0)
        return np.where(curvature > 0, np.maximum(residue - penalty.l1, 0.0) / safe, before)
    if penalty.l2 == 0 and squares.max() <= 0:
        return before  # no document uses it: every distribution is as good
    if len(squares) == 1:
        return least_on_simplex(-residue, 0.5 * float(curvature[0]))
    return least_on_weighted_simplex(-residue, curvature)


def publish_topic(residue: Array, squares: Array, penalty: Penalty) -> tuple[float, Array]:
    """One topic as Algorithm 2 prints it, and sₜ, its norm before projection."""
    curvature = float(squares[0]) + penalty.l2
    if not (residue > 0).any():
        return 1.0, np.zeros(len(residue))
    if curvature <= 0:
        return 1.0, least_on_simplex(-residue, 0.5 * curvature)
    clipped = np.maximum(residue, 0.0) / curvature
    return float(clipped.sum()), project(clipped)


def change_of_objective(residue: Array, squares: Array, before: Array, after: Array) -> float:
    """By how much ½‖X − WT‖² changes when one topic moves from `before` to `after`."""
    quadratic = 0.5 * float((squares * (after**2 - before**2)).sum())
    return quadratic - float(residue @ (after - before))


def block_objective(squared_norm: float, topics: Array, products: Array, grams: Array) -> float:
    """½‖X − WT‖² from totals alone."""
    k = len(topics)
    fit = float(np.vdot(products, topics.T))
    if grams.shape == (k, k):
        size = float((grams * (topics @ topics.T)).sum())
    else:
        upper = np.triu_indices(k)
        multiplicity = np.where(upper[0] == upper[1], 1.0, 2.0)
        size = float((grams * (topics[upper[0]] * topics[upper[1]]).T * multiplicity).sum())
    return 0.5 * squared_norm - fit + 0.5 * size
