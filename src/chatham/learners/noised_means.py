"""k-means between parties: noised totals of unit rows, for a number of rounds fixed beforehand.

See `noised_totals` for the noise. Besides totals nothing is told on the way: no norms, no numbers
of documents that moved, no documents to restart an empty topic from. Sizes are told once, at the
end, noised as well.

A total of unit rows, divided by its sum, is a mean of frequencies in which a document counts 1/‖x‖:
less than by the relative loss and more than by the absolute one. Documents go to the nearest topic
as ever.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.learners.documents import frequencies_of
from chatham.learners.nearest import nearest
from chatham.learners.noised_totals import (
    EMPTY,
    SIZE_NOISE,
    NoisedTotals,
    estimated_topics,
    unit_totals,
)

Array = NDArray[np.float64]


class NoisedMeans(NoisedTotals):
    """Topics as means of their documents, from noised totals."""

    def next_topics(self, topics: Array) -> tuple[Array, Array]:
        """The next topics, and the squared norm of each one's total, as far as it isn't noise.

        Noise adds d·σ² to a squared norm, give or take a few σ²√(2d): less than that is nothing.
        """
        totals = self.commons.sum(add_unit_rows, topics, noise=self.noise)
        d, variance = totals.shape[1], self.deviation**2
        squares = (totals**2).sum(axis=1) - d * variance
        least = EMPTY * variance * np.sqrt(2 * d)
        topics = estimated_topics(totals, totals.sum(axis=1), self.usual(totals), self.deviation)
        return topics, np.where(squares > least, squares, 0.0)

    def sizes(self, topics: Array) -> Array:
        """How many documents are nearest to each topic, about; never less than none."""
        return np.maximum(self.commons.sum(count_by_topic, topics, noise=SIZE_NOISE), 0.0)


def cosine_distance(squares: Array, documents: int) -> float:
    """1 − the mean cosine of documents and their topic's total: Σ‖total‖ is the sum of cosines."""
    return float(1 - np.sqrt(squares).sum() / documents)


def add_unit_rows(rows: Any, memory: Memory, topics: Array) -> Array:
    """Each topic's documents of unit length, added up; noise is added before it leaves."""
    documents = frequencies_of(rows, memory)
    return unit_totals(documents, nearest(documents, topics)[0], len(topics))


def count_by_topic(rows: Any, memory: Memory, topics: Array) -> Array:
    """How many documents are nearest to each topic; noise is added before it leaves."""
    documents = frequencies_of(rows, memory)
    labels = nearest(documents, topics)[0][~documents.empty]
    return np.bincount(labels, minlength=len(topics)).astype(np.float64)
