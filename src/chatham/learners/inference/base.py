"""What all inferences share: fixed topics in, the weights of each document by itself out.

A word with probability zero in all topics says nothing about topics. Whatever the inference, a
document is read as if it had only its other words; one that has none of those gets the topics'
prevalence.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chatham.learners.documents import Documents
from chatham.numerics.products import multiply

Array = NDArray[np.float64]

LEAST_PROBABILITY = 1e-12
"""A word's smallest probability in a topic that counts as above zero: below it is rounding."""


@dataclass(frozen=True, eq=False)
class Inference(ABC):
    """Topics (k×d, rows sum to one), their prevalence, and a way to the weights of documents."""

    topics: Array
    prevalence: Array

    def weights(self, documents: Documents) -> Array:
        """The weights (n×k, rows sum to one) of documents given as frequencies."""
        shares = known_shares(documents, self.topics)
        weights = self._estimate(documents, np.where(shares > 0, shares, 1.0))
        weights[shares == 0] = self.prevalence
        return weights

    @abstractmethod
    def _estimate(self, documents: Documents, shares: Array) -> Array:
        """The weights of documents; `shares` of their words have a probability in some topic."""


def known_shares(documents: Documents, topics: Array) -> Array:
    """The share of each document's words that have a probability above zero in some topic."""
    in_topics = (topics.max(axis=0) >= LEAST_PROBABILITY).astype(np.float64)
    return multiply(documents, in_topics[:, None])[:, 0]


def products(documents: Documents, topics: Array, shares: Array) -> Array:
    """h̃ᵀB of each document (n×k), over the words that some topic has."""
    return multiply(documents, np.ascontiguousarray(topics.T)) / shares[:, None]
