"""Weights as one product with the document's words: SPI and TLI (Lee 2018, section 4.3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.models.documents import Documents
from chatham.models.inference.base import UTTERED, Inference, products
from chatham.models.inference.inverse import check_delta, left_inverse

Array = NDArray[np.float64]

LESS_CONSERVATIVE = 4.5
"""What the proven threshold is divided by in practice (footnote 13)."""


@dataclass(frozen=True, eq=False)
class SPI(Inference):
    """The simple probabilistic inverse, W = B̆H̃: the mean of p(z|x) over a document's words."""

    def _estimate(self, documents: Documents, shares: Array) -> Array:
        weights = products(documents, coefficients(self.topics, self.prevalence), shares)
        totals = weights.sum(axis=1, keepdims=True)
        found = weights / np.where(totals > 0, totals, 1.0)
        return np.where(totals > 0, found, self.prevalence)  # all from topics of no prevalence


def coefficients(topics: Array, prevalence: Array) -> Array:
    """p(z|x) ∝ p(x|z)·p(z), by Bayes' rule, as k×d; zero for a word that no topic utters.

    >>> coefficients(np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]]), np.array([0.5, 0.5])).round(3)
    array([[1.   , 0.333, 0.   ],
           [0.   , 0.667, 0.   ]])
    """
    joint = topics * prevalence[:, None]
    totals = joint.sum(axis=0)
    uttered = topics.max(axis=0) >= UTTERED
    return np.where(uttered, joint / np.where(uttered & (totals > 0), totals, 1.0), 0.0)


@dataclass(frozen=True, eq=False)
class TLI(Inference):
    """Thresholded linear inference: B†h̃, without the topics that may be there by chance only.

    B† is the left inverse with the smallest entries among those with |B†B − I|_∞ ≤ `delta`; λ is
    its largest entry. Weights below (2λ√(log K / n) + δ) / `divisor` become zero, n the number of
    the document's words, and the rest is brought to sum one. Where all are below, the largest one
    is kept.
    """

    delta: float = 0.0
    divisor: float = LESS_CONSERVATIVE

    def __post_init__(self) -> None:
        check_delta(self.delta)
        if not isinstance(self.divisor, Real) or not 0 < float(self.divisor) < np.inf:
            raise InputError(
                f"divisor={self.divisor!r}: what TLI's threshold is divided by must be a finite "
                "number above 0."
            )

    @cached_property
    def inverse(self) -> Array:
        """B† (k×d): found when first asked for."""
        return left_inverse(self.topics, self.delta)

    def _estimate(self, documents: Documents, shares: Array) -> Array:
        weights = products(documents, self.inverse, shares)
        sizes = np.maximum(documents.sizes * shares, np.finfo(float).tiny)
        spread = 2.0 * np.abs(self.inverse).max() * np.sqrt(np.log(len(self.topics)) / sizes)
        thresholds = (spread + self.delta) / self.divisor
        largest = weights.argmax(axis=1)
        kept = np.where((weights >= thresholds[:, None]) & (weights > 0), weights, 0.0)
        fallen = kept.sum(axis=1) == 0
        kept[fallen, largest[fallen]] = 1.0
        return kept / kept.sum(axis=1, keepdims=True)
