"""Differentially private NMF between parties: noise on every sum that crosses (thesis, 3.3.1).

It is `noised` with more noise, as much as (ε, δ) asks for, and with sums to which every document
adds a bounded amount. A document enters as a row of unit length, and its squared error counts
1/‖x‖, at most `HEAVIEST`. Its weights are a distribution; so it adds at most 1 to WᵀX in Euclidean
norm, at most `HEAVIEST` to WᵀW, and at most 1 to the sum of weights. Nothing that it adds is
negative: with another document in its place a sum moves by at most √2 times as much.

What each document adds depends on itself and on totals that all have seen, never on other
documents. So words that few documents have aren't left out (whether a word is rare changes with one
document), no topic is restarted from documents, there is a fixed number of rounds, and the norm of
the documents isn't told: `objective_` lacks it. Outside of ε are the number of documents and how
many of them have words, and all that was told before the fit: words and their document frequencies.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons, Memory, keeps
from chatham.commons.privacy import Spending
from chatham.learners.documents import Documents
from chatham.learners.nmf.noised import NoisedFactors
from chatham.learners.nmf.problem import Problem
from chatham.learners.nmf.schedules import block_sums
from chatham.learners.noised_totals import inverse_norms

Array = NDArray[np.float64]

ROUNDS = 5
"""How often documents are added up: more rounds leave less for each."""
HEAVIEST = 10.0
"""The most that a document's squared error counts."""
REPLACED = sqrt(2.0)
"""How far apart two rows of unit length without negative numbers are at most."""
SHARES = {"start": 0.05, "products": 0.8, "grams": 0.1, "sizes": 0.05}
"""How much of the privacy goes into each kind of total."""


class PrivateFactors(NoisedFactors):
    """Topics and weights from totals that are (ε, δ)-private together."""

    def __init__(self, commons: Commons, rounds: int, l2_weights: float = 0.0) -> None:
        assert commons.privacy is not None
        self.spending = Spending(commons.privacy)
        start = self.spending.noise("random groups", SHARES["start"], REPLACED)
        super().__init__(commons, start, l2_weights)
        spend = self.spending.noise
        self.products_noise = spend("weight × word", SHARES["products"], REPLACED, rounds)
        heaviest = REPLACED * HEAVIEST
        self.gram_noise = spend("weight × weight", SHARES["grams"], heaviest, rounds)
        self.size_noise = spend("weights", SHARES["sizes"], REPLACED)

    def add_up(self, topics: Array) -> tuple[Array, Array, float]:
        """Noised sums of weight × word and of weight × weight; 0 for the norm, which stays."""
        products, grams = self.commons.sum(
            add_bounded, topics, self.problem,
            most=(1.0, HEAVIEST), noise=(self.products_noise, self.gram_noise),
        )  # fmt: skip
        return products, grams, 0.0

    def sizes(self, topics: Array, worth: Array | None = None) -> Array:
        """Each topic's shares of all documents, about; never less than none."""
        total = self.commons.sum(
            add_bounded_weights, topics, worth, self.problem, noise=self.size_noise
        )
        return np.maximum(total, 0.0)


@keeps(weights="each document's topic weights")
def add_bounded(rows: Any, memory: Memory, topics: Array, problem: Problem) -> tuple[Array, Array]:
    """Sums of weight × word and weight × weight, each document's bounded; noise is added before."""
    documents = bounded_rows_of(rows, memory)
    if "weights" not in memory:
        memory["weights"] = np.full((documents.n, len(topics)), 1.0 / len(topics))
    products, grams, *_ = block_sums(documents, memory["weights"], topics, problem)
    return products, grams


@keeps(weights="each document's topic weights")
def add_bounded_weights(
    rows: Any, memory: Memory, topics: Array, worth: Array | None, problem: Problem
) -> Array:
    """Each topic's weights, added up over documents; noise is added before they leave."""
    documents = bounded_rows_of(rows, memory)
    _, _, shares, *_ = block_sums(documents, memory["weights"], topics, problem, worth)
    return shares


def bounded_rows_of(rows: Any, memory: Memory) -> Documents:
    """My documents, prepared once per fit."""
    return memory.derived("bounded rows", bounded_rows, rows)


def bounded_rows(rows: Any) -> Documents:
    """Documents as frequencies; times its importance, each has at most unit length."""
    documents = Documents(rows, frequencies=True)
    documents.importance = np.minimum(inverse_norms(documents), HEAVIEST)
    return documents
