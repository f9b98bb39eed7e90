"""Weights as one product with the document's words: SPI and TLI (Lee 2018, section 4.3.1).

TLI takes the left inverse of the topics with the smallest entries: B† minimises |B†|_∞ subject to
|B†B − I|_∞ ≤ δ. Its rows are independent: row k is the b with the smallest t = |b|_∞ and
|Bᵀb − e_k|_∞ ≤ δ. With u = b/t and s = 1/t that becomes: the largest s for which some u with
|u| ≤ 1 has |Bᵀu − s·e_k|_∞ ≤ δs. So the many words only have bounds, and there are k rows (2k with
a δ) instead of two per word.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.documents import Documents
from chatham.learners.inference.base import LEAST_PROBABILITY, Inference, products
from chatham.naming import plural
from chatham.numerics.boxed_programme import least_in_bounds
from chatham.numerics.threads import each
from chatham.wording import Parameter, say

Array = NDArray[np.float64]

LESS_CONSERVATIVE = 4.5
"""What the proven threshold is divided by in practice (footnote 13)."""
LEAST_SCALE = 1e-7
"""A left inverse with entries beyond one over this is useless for documents of any length."""


@dataclass(frozen=True, eq=False)
class SPI(Inference):
    """The simple probabilistic inverse, W = B̆H̃: the mean of p(z|x) over a document's words."""

    def _estimate(self, documents: Documents, shares: Array) -> Array:
        weights = products(documents, coefficients(self.topics, self.prevalence), shares)
        totals = weights.sum(axis=1, keepdims=True)
        averages = weights / np.where(totals > 0, totals, 1.0)
        return np.where(totals > 0, averages, self.prevalence)  # all from topics of no prevalence


def coefficients(topics: Array, prevalence: Array) -> Array:
    """p(z|x) ∝ p(x|z)·p(z), by Bayes' rule, as k×d; zero for a word that no topic has.

    >>> coefficients(np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]]), np.array([0.5, 0.5])).round(3)
    array([[1.   , 0.333, 0.   ],
           [0.   , 0.667, 0.   ]])
    """
    joint = topics * prevalence[:, None]
    totals = joint.sum(axis=0)
    in_topics = topics.max(axis=0) >= LEAST_PROBABILITY
    return np.where(in_topics, joint / np.where(in_topics & (totals > 0), totals, 1.0), 0.0)


@dataclass(frozen=True, eq=False)
class TLI(Inference):
    """Thresholded linear inference: B†h̃, without topics that may be there only by chance.

    B† is the left inverse with the smallest entries among those with |B†B − I|_∞ ≤ `delta`; λ is
    its largest entry. Weights below (2λ√(log K / n) + δ) / `divisor` become zero, n the number of
    the document's words, and the rest is normalised to sum to one. Where all are below, the largest
    one is kept.
    """

    delta: float = 0.0
    divisor: float = LESS_CONSERVATIVE

    def __post_init__(self) -> None:
        check_delta(self.delta)
        if not isinstance(self.divisor, Real) or not 0 < float(self.divisor) < np.inf:
            raise InputError(
                say(
                    "{divisor=!r}: what TLI's threshold is divided by must be a finite number "
                    "above 0.",
                    divisor=self.divisor,
                )
            )

    @cached_property
    def inverse(self) -> Array:
        """B† (k×d), computed when it is first needed."""
        return left_inverse(self.topics, self.delta)

    def _estimate(self, documents: Documents, shares: Array) -> Array:
        weights = products(documents, self.inverse, shares)
        sizes = np.maximum(documents.sizes * shares, np.finfo(float).tiny)
        spread = 2.0 * np.abs(self.inverse).max() * np.sqrt(np.log(len(self.topics)) / sizes)
        thresholds = (spread + self.delta) / self.divisor
        largest = weights.argmax(axis=1)
        thresholded = np.where((weights >= thresholds[:, None]) & (weights > 0), weights, 0.0)
        all_below = thresholded.sum(axis=1) == 0
        thresholded[all_below, largest[all_below]] = 1.0
        return thresholded / thresholded.sum(axis=1, keepdims=True)


def left_inverse(topics: Array, delta: float = 0.0) -> Array:
    """B† as k×d; words that no topic has get zeros.

    >>> left_inverse(np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]])).round(6)
    array([[ 1.,  1., -1.],
           [-1.,  1.,  1.]])
    """
    check_delta(delta)
    in_topics = topics.max(axis=0) >= LEAST_PROBABILITY
    rows = each(partial(_row, topics[:, in_topics], delta), range(len(topics)))
    inverse = np.zeros_like(topics)
    inverse[:, in_topics] = np.stack(rows)
    return inverse


def check_delta(delta: Any) -> None:
    """Refuse a bias that no left inverse can have."""
    if not isinstance(delta, Real) or not 0 <= float(delta) < 1:
        raise InputError(
            say(
                "{delta=!r}: the bias of a left inverse must be a number from 0 to below 1.",
                delta=delta,
            )
        )


def _row(topics: Array, delta: float, topic: int) -> Array:
    k, d = topics.shape
    matrix, bounds = _programme(topics, delta, topic)
    costs = np.zeros(len(bounds))
    costs[d] = -1.0
    middle = np.concatenate([np.ones(d), np.zeros(len(bounds) - d)])  # where u is 0
    solution = least_in_bounds(costs, matrix, matrix @ middle, bounds)
    scale = float(solution[d])
    if scale < LEAST_SCALE:
        raise InputError(
            say(
                "Topic {topic} is nearly a mixture of the other {topics}, so they have no "
                "left inverse within {limit}; drop near-duplicate topics, give "
                "a larger {delta}, or use another inference than 'tli'.",
                topic=topic,
                topics=plural(k - 1, "topic"),
                limit=Parameter("delta", f"{delta:g}"),
            )
        )
    return (solution[:d] - 1.0) / scale


def _programme(topics: Array, delta: float, topic: int) -> tuple[Array, Array]:
    """The rows and the bounds of u + 1, s and, with a δ, the slack on either side of it.

    s is at most 1/(1 − δ): |Bᵀu|_∞ ≤ 1, since a topic's words sum to one.
    """
    k, d = topics.shape
    own = np.zeros((k, 1))
    own[topic] = 1.0
    most = 1.0 / (1.0 - delta)
    if not delta:
        return np.hstack([topics, -own]), np.append(np.full(d, 2.0), most)
    eye, none = np.eye(k), np.zeros((k, k))
    upper = np.hstack([topics, -own - delta, eye, none])
    both = np.hstack([np.zeros((k, d)), np.full((k, 1), -2.0 * delta), eye, eye])
    sides = np.full(2 * k, 2.0 * delta * most)
    return np.vstack([upper, both]), np.concatenate([np.full(d, 2.0), [most], sides])
