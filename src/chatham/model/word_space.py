"""From a fitted estimator to plain words: what its topics and its weights say about documents.

A learner approximates rows by W̃C, as they were given to it: counts, frequencies, or words weighted
by idf. Its topics C need not sum to one (those of a general NMF don't), and a word's share of one
isn't the word's share of a document where words were weighted. With v the weights of the words (all
ones where there are none), the documents themselves are approximated by

    X ≈ W̃ C diag(v)⁻¹ = (W̃ diag s) P,    s_t = Σ_j C_tj / v_j,    P_tj = C_tj / (v_j s_t).

So P are the topics as distributions over plain words, and a document's weights are W̃ diag(s),
scaled to sum to one: the shares of its words that come from each topic. Tables, measures and plots
all show these; `estimator.components_` and `estimator.transform` stay in the learner's own terms.

One thing stays as the learner weighed it: the order of a topic's words. By P the words that are
common everywhere come first again, which idf had put behind, and the words that people are shown
cohere less (`experiments/results/word_order.md`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.learners.words import as_probabilities

Array = NDArray[np.float64]

ROUNDING = 1e-9
"""Sums that are this near to one are one."""


@dataclass(frozen=True, eq=False)
class WordSpace:
    """The topics of a model as distributions over plain words, and how weights follow."""

    topics: Array
    """P (k×d), each row with sum one; a topic without words stays zero."""
    ordering: Array
    """C with rows that sum to one: by these a topic's words are ordered."""
    masses: Array | None
    """s: how many plain words a unit of a topic's weight stands for; None where all are one."""

    def weights(self, coordinates: Array, of_nothing: Array) -> Array:
        """Documents' weights (n×k, rows sum to one) from what the estimator gives them.

        A document that has nothing of any topic gets `of_nothing`.

        >>> space = word_space(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 8.0]]))
        >>> space.weights(np.array([[4.0, 1.0], [0.0, 0.0]]), np.array([0.5, 0.5])).tolist()
        [[0.5, 0.5], [0.5, 0.5]]
        """
        words = np.maximum(coordinates, 0.0) * (1.0 if self.masses is None else self.masses)
        totals = words.sum(axis=1, keepdims=True)
        # Weights that sum to one already, as those of most learners do, stay as they are.
        scales = np.where((totals > 0) & (np.abs(totals - 1.0) > ROUNDING), totals, 1.0)
        return np.where(totals > 0, words / scales, of_nothing)


def word_space(components: Array, idf: Any = None) -> WordSpace:
    """The map of an estimator with these topics, fitted to words that were weighted by `idf`.

    >>> word_space(np.array([[0.5, 0.5], [0.2, 0.8]]), idf=np.array([1.0, 4.0])).topics.tolist()
    [[0.8, 0.2], [0.5, 0.5]]
    """
    plain = components if idf is None else components / idf
    masses = plain.sum(axis=1)
    if idf is None and np.allclose(masses, 1.0, rtol=0.0, atol=ROUNDING):
        return WordSpace(components, components, None)
    topics = as_probabilities(plain)
    return WordSpace(topics, topics if idf is None else as_probabilities(components), masses)
