"""NMF between parties: noised sums of weight × word, for a number of rounds fixed beforehand.

Exact sums of NMF tie words of a document together where few documents have a topic, and the start
by singular vectors gives away which words occur with a rare one (`tests/attacks`). So what crosses
has noise, as for k-means (see `noised_totals`), and topics start from averages of random groups.

A document's squared error counts 1/‖x‖, which makes what it adds to WᵀX a row of unit length, times
its weights; that is more than by the absolute loss and less than by the relative one. Since X, W
and T have rows that sum to one, W:tᵀRₜ sums to W:tᵀW:t, and so the size of a topic is known better
than from its words: what is left of a total beyond that size times the usual words, and beyond
noise, is what makes the topic. That replaces the projection on the simplex of Algorithm 2, which
would spread over all words whatever noise is left.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons, Memory, keeps
from chatham.learners.documents import OWN_WORDS, Documents, with_words
from chatham.learners.nmf.problem import Problem
from chatham.learners.nmf.schedules import block_sums
from chatham.learners.nmf.topics import block_objective
from chatham.learners.noised_totals import (
    EMPTY,
    SIZE_NOISE,
    NoisedTotals,
    estimated_topics,
    inverse_norms,
)

Array = NDArray[np.float64]

NOISE = 0.1
"""The standard deviation of what each party adds to a cell of WᵀX: less than for k-means, where a
document adds all of itself to one topic."""
GRAM_NOISE = 1.0
"""The standard deviation of what each party adds to a sum of weight × weight. A document adds its
weights' product divided by its norm, up to about ten; but these sums have no words in them."""
PROBLEM = Problem("simplex", 0.0, 0.0, unobserved=False, relative=True)


class NoisedFactors(NoisedTotals):
    """Topics and weights that approximate the documents, from noised totals."""

    def __init__(self, commons: Commons, noise: float, l2_weights: float = 0.0) -> None:
        super().__init__(commons, noise)
        self.problem = PROBLEM._replace(l2=l2_weights)
        self.products_noise, self.gram_noise = noise, GRAM_NOISE

    def add_up(self, topics: Array) -> tuple[Array, Array, float]:
        """Noised sums of weight × word, of weight × weight, and of norms."""
        products, grams, norm = self.commons.sum(
            add_by_weight, topics, self.problem,
            most=(1.0, float(np.sqrt(self.commons.n_features)), 1.0),
            noise=(self.products_noise, self.gram_noise, SIZE_NOISE),
        )  # fmt: skip
        return products, grams, float(norm)

    def next_topics(self, topics: Array) -> tuple[Array, Array, float]:
        """The next topics, each one's WᵀW, zero where that may be noise, and the objective."""
        products, grams, norm = self.add_up(topics)
        deviation = self.of_all(self.products_noise)
        grams = (grams + grams.T) / 2
        usual, sizes = self.usual(products.T), np.diag(grams)
        used = sizes > EMPTY * self.of_all(self.gram_noise)
        topics = topics.copy()
        for topic in np.flatnonzero(used):
            others = grams[topic] @ topics - sizes[topic] * topics[topic]
            residue = (products[:, topic] - others)[None]
            (topics[topic],) = estimated_topics(residue, sizes[[topic]], usual, deviation)
        objective = block_objective(norm, topics, products, grams)
        objective += 0.5 * self.problem.l2 * float(sizes.sum())
        return topics, np.where(used, sizes, 0.0), objective

    def sizes(self, topics: Array, worth: Array | None = None) -> Array:
        """Each topic's shares of all documents, about; never less than none."""
        total = self.commons.sum(add_weights, topics, worth, self.problem, noise=SIZE_NOISE)
        return np.maximum(total, 0.0)


@keeps(weights="each document's topic weights")
def add_by_weight(
    rows: Any, memory: Memory, topics: Array, problem: Problem
) -> tuple[Array, Array, Array]:
    """Sums of weight × word, of weight × weight, and of norms; noise is added before they leave."""
    documents = unit_rows_of(rows, memory)
    if "weights" not in memory:
        memory["weights"] = np.full((documents.n, len(topics)), 1.0 / len(topics))
    products, grams, *_ = block_sums(documents, memory["weights"], topics, problem)
    return products, grams, np.array(documents.squared_norm)


@keeps(weights="each document's topic weights")
def add_weights(
    rows: Any, memory: Memory, topics: Array, worth: Array | None, problem: Problem
) -> Array:
    """Each topic's weights, added up over documents; noise is added before they leave."""
    documents = unit_rows_of(rows, memory)
    _, _, shares, *_ = block_sums(documents, memory["weights"], topics, problem, worth)
    return shares


def unit_rows_of(rows: Any, memory: Memory) -> Documents:
    """My documents without rare words, prepared once per fit."""
    return memory.derived("unit rows", rows_of_unit_length, rows, memory.get(OWN_WORDS))


def rows_of_unit_length(rows: Any, own_words: NDArray[np.bool_] | None = None) -> Documents:
    """Documents as frequencies; times its importance, each has unit length."""
    kept = rows if own_words is None else with_words(rows, own_words)
    documents = Documents(kept, frequencies=True)
    documents.importance = inverse_norms(documents)
    return documents
