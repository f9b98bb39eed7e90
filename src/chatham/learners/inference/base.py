"""What all inferences share: fixed topics in, the weights of each document by itself out.

A word that no topic utters says nothing about topics. Whatever the inference, a document is read as
if it had only its other words; one that has none of those gets the topics' prevalence.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chatham.learners.documents import Documents
from chatham.numerics.products import multiply

Array = NDArray[np.float64]

UTTERED = 1e-12
"""The least probability that counts as uttering a word: below it is rounding."""


@dataclass(frozen=True, eq=False)
class Inference(ABC):
    """Topics (k×d, rows sum to one), their prevalence, and a way to the weights of documents."""

    topics: Array
    prevalence: Array

    def weights(self, documents: Documents) -> Array:
        """The weights (n×k, rows sum to one) of documents that are given as frequencies."""
        shares = heard(documents, self.topics)
        weights = self._estimate(documents, np.where(shares > 0, shares, 1.0))
        weights[shares == 0] = self.prevalence
        return weights

    @abstractmethod
    def _estimate(self, documents: Documents, shares: Array) -> Array:
        """The weights of documents, of whose words `shares` are uttered by some topic."""


def heard(documents: Documents, topics: Array) -> Array:
    """Which share of each document's words is uttered by some topic."""
    uttered = (topics.max(axis=0) >= UTTERED).astype(np.float64)
    return multiply(documents, uttered[:, None])[:, 0]


def products(documents: Documents, topics: Array, shares: Array) -> Array:
    """h̃ᵀB of each document (n×k), of the words that some topic utters."""
    return multiply(documents, np.ascontiguousarray(topics.T)) / shares[:, None]
