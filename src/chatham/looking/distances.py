"""How far two topics are from each other by their words (thesis 1.3.6.2): distances of T's rows.

Topics are distributions over words, and three distances between distributions can be chosen:
Hellinger's, √(1 − Σ √(p q)), which is Euclidean between the roots of probabilities and between 0
and 1; Jensen–Shannon's, the root of the mean divergence from the mean of both, in bits, between 0
and 1 too; and the Euclidean one. What two topics share is told to people as their overlap,
Σ min(p, q): the share of their words that they have in common.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from chatham.errors import InputError
from chatham.naming import value_shown
from chatham.wording import say

Array = NDArray[np.float64]


def hellinger(profiles: Array) -> Array:
    """√(1 − Σ √(p q)) (k×k).

    >>> hellinger(np.array([[1.0, 0, 0], [0, 1, 0], [0, 0.5, 0.5]])).round(3)
    array([[0.   , 1.   , 1.   ],
           [1.   , 0.   , 0.541],
           [1.   , 0.541, 0.   ]])
    """
    roots = np.sqrt(profiles)
    return _from_squares(1.0 - roots @ roots.T)


def jensen_shannon(profiles: Array) -> Array:
    """√(H((p + q)/2) − (H(p) + H(q))/2) in bits (k×k).

    >>> jensen_shannon(np.array([[1.0, 0], [0, 1]])).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    entropies = -xlogy(profiles, profiles).sum(axis=1)
    squared = np.zeros((len(profiles),) * 2)
    for row, profile in enumerate(profiles):  # all pairs at once would take k times the memory
        means = (profiles[row:] + profile) / 2
        between = -xlogy(means, means).sum(axis=1) - (entropies[row] + entropies[row:]) / 2
        squared[row, row:] = squared[row:, row] = between / np.log(2)
    return _from_squares(squared)


def euclidean(profiles: Array) -> Array:
    """‖p − q‖ (k×k).

    >>> euclidean(np.array([[1.0, 0], [0, 1]])).round(3).tolist()
    [[0.0, 1.414], [1.414, 0.0]]
    """
    products = profiles @ profiles.T
    sizes = np.diag(products)
    return _from_squares(sizes[:, None] + sizes[None, :] - 2 * products)


def overlap(profiles: Array) -> Array:
    """Σ min(p, q): the share of words that two topics have in common (k×k).

    >>> overlap(np.array([[0.5, 0.5, 0], [0, 0.25, 0.75]])).tolist()
    [[1.0, 0.25], [0.25, 1.0]]
    """
    shared = np.zeros((len(profiles),) * 2)
    for row, profile in enumerate(profiles):
        shared[row, row:] = shared[row:, row] = np.minimum(profiles[row:], profile).sum(axis=1)
    return shared


DISTANCES = {"hellinger": hellinger, "jensen-shannon": jensen_shannon, "euclidean": euclidean}


def word_distances(profiles: Array, distance: str = "hellinger") -> Array:
    """The distances of that name between topics; one without words is as far as can be from all."""
    if distance not in DISTANCES:
        raise InputError(
            say(
                "{distance} must be one of {names}. Got {it} instead.",
                names=", ".join(map(repr, DISTANCES)), it=value_shown(distance),
            )
        )  # fmt: skip
    return DISTANCES[distance](profiles)


def _from_squares(squared: Array) -> Array:
    """Roots of squared distances, which rounding may have left below zero."""
    squared = np.maximum((squared + squared.T) / 2, 0.0)
    np.fill_diagonal(squared, 0.0)
    return np.sqrt(squared)
