"""k-means between parties: unit rows, noised totals, a number of rounds that is fixed beforehand.

Exact totals give documents away: what changed between two rounds is often one document, and in a
single total words of one document share value/idf (`tests/attacks/kmeans_totals.py`). So a document
is scaled to unit length, and every holder adds Gaussian noise to each cell, large beside a word of
one document and small beside a topic's words. Nothing else is told on the way: no norms, no numbers
of documents that moved, no documents to restart an empty topic from, and no tolerance, for when a
fit ends would tell something too. Sizes are told once, at the end, noised as well. All the rest is
made of noised totals, and tells nothing that they don't.

A total of unit rows, divided by its sum, is a mean of frequencies in which a document counts 1/‖x‖:
less than by the relative loss and more than by the absolute one. The noise is taken out of it as
far as can be (`estimated_topics`), and documents go to the nearest topic as ever.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons, Memory
from chatham.learners.documents import Documents, frequencies_of, own_seed
from chatham.learners.nearest import nearest, totals_by
from chatham.learners.parameters import normalised
from chatham.numerics.keyed import uniforms

Array = NDArray[np.float64]

NOISE = 0.2
"""The standard deviation of what each party adds to a cell: a document's norm is one."""
SIZE_NOISE = 1.0
"""The same for the number of a topic's documents, to which a document adds one."""
BEYOND = 2.0
"""By how many standard deviations of the noise a word must differ from what is usual."""
EMPTY = 3.0
"""How far beyond its average the noise's squared norm may be, in standard deviations."""
DIGITS = 2.0**16
"""The steps, from nothing to its most frequent word, in which a topic's words are told apart."""
ROUNDS = 10
"""How often documents are added up at most: whoever averages over rounds averages the noise."""


class NoisedMeans:
    """What is told in one fit, and what can be made of it.

    `noise` is the standard deviation of what each holder adds to a cell.
    """

    def __init__(self, commons: Commons, noise: float) -> None:
        assert commons.counted is not None
        self.documents = commons.counted.with_words
        self._commons, self._noise = commons, noise
        self._deviation = float(noise * np.sqrt(commons.holders))
        self._all = np.zeros(commons.n_features)

    def random_groups(self, groups: int, seed: int) -> Array:
        """Topics to begin from: averages of so many random groups of documents."""
        return self._estimated(
            self._commons.sum(add_random_groups, groups, seed, noise=self._noise)
        )

    def next_topics(self, topics: Array) -> tuple[Array, Array]:
        """The next topics, and the squared norm of each one's total, as far as it isn't noise.

        Noise adds d·σ² to a squared norm, give or take a few σ²√(2d): less than that is nothing.
        """
        totals = self._commons.sum(add_unit_rows, topics, noise=self._noise)
        d, variance = totals.shape[1], self._deviation**2
        squares = (totals**2).sum(axis=1) - d * variance
        least = EMPTY * variance * np.sqrt(2 * d)
        return self._estimated(totals), np.where(squares > least, squares, 0.0)

    def sizes(self, topics: Array) -> Array:
        """How many documents are nearest to each topic, about; never less than none."""
        return np.maximum(self._commons.sum(count_by_topic, topics, noise=SIZE_NOISE), 0.0)

    def _estimated(self, totals: Array) -> Array:
        # In all rounds the topics together are all documents, so the rounds' noise averages out.
        self._all += totals.sum(axis=0)
        return estimated_topics(totals, self._deviation, self._all)


def estimated_topics(totals: Array, deviation: float, together: Array) -> Array:
    """Topics, from totals with noise of this standard deviation in each cell.

    A word is taken to be as frequent in a topic as in all documents `together`, unless the total
    differs from that by more than noise does; then the excess counts (soft thresholding).
    """
    usual = np.maximum(together, 0.0)
    if not usual.any():
        usual = np.ones_like(usual)
    usual = usual / usual.sum()
    expected = np.maximum(totals.sum(axis=1, keepdims=True), 0.0) * usual
    differences = totals - expected
    beyond = np.sign(differences) * np.maximum(np.abs(differences) - BEYOND * deviation, 0.0)
    topics = np.maximum(expected + beyond, 0.0)
    return normalised(np.where(topics.any(axis=1, keepdims=True), topics, usual))


def cosine_distance(squares: Array, documents: int) -> float:
    """1 − the mean cosine of documents and their topic's total: Σ‖total‖ is the sum of cosines."""
    return float(1 - np.sqrt(squares).sum() / documents)


def without_empty(topics: Array, squares: Array, seed: int) -> Array:
    """The same topics, but those without documents become variations of the largest, one each."""
    draws, topics = np.random.default_rng(seed), topics.copy()
    largest = np.argsort(-squares, kind="stable")
    for topic, model in zip(np.flatnonzero(squares == 0), largest, strict=False):
        topics[topic] = topics[model] * draws.uniform(0.5, 1.5, topics.shape[1])
    return normalised(topics)


def rounded(topics: Array) -> Array:
    """Topics with as many digits as they have: finer ones would be those of noise.

    A model is given to people who weren't told the totals, and has no more than it needs.
    """
    largest = topics.max(axis=1, keepdims=True)
    return normalised(np.rint(topics / largest * DIGITS))


def add_unit_rows(rows: Any, memory: Memory, topics: Array) -> Array:
    """Each topic's documents of unit length, added up; noise is added before it leaves."""
    documents = frequencies_of(rows, memory)
    return unit_totals(documents, nearest(documents, topics)[0], len(topics))


def add_random_groups(rows: Any, memory: Memory, groups: int, seed: int) -> Array:
    """Random groups of documents of unit length, added up; noise is added before it leaves."""
    documents = frequencies_of(rows, memory)
    return unit_totals(documents, group_at_random(documents, memory, groups, seed), groups)


def count_by_topic(rows: Any, memory: Memory, topics: Array) -> Array:
    """How many documents are nearest to each topic; noise is added before it leaves."""
    documents = frequencies_of(rows, memory)
    labels = nearest(documents, topics)[0][~documents.empty]
    return np.bincount(labels, minlength=len(topics)).astype(np.float64)


def group_at_random(
    documents: Documents, memory: Memory, groups: int, seed: int
) -> NDArray[np.int64]:
    """A group for each document, by its content and this holder's secret; −1 for an empty one."""
    draws = uniforms(documents.keys(own_seed(seed, memory)), 1)[:, 0]
    group_of = np.minimum((draws * groups).astype(np.int64), groups - 1)
    return np.where(documents.empty, -1, group_of)


def unit_totals(documents: Documents, labels: NDArray[np.int64], topics: int) -> Array:
    """The sum of each topic's documents, each of unit length; a label of −1 is no topic's."""
    norms = np.sqrt(documents.squared_norms)
    return totals_by(documents, 1.0 / np.where(norms > 0, norms, 1.0), labels, topics)
