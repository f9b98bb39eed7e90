"""The joint distribution of two draws, such as the topics of two words of a document (k×k).

Normalised to sum to one, and its lift: how many times as often as by chance two topics co-occur.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError

Array = NDArray[np.float64]

LEAST_SHARE = 1e-9
"""The share of a topic that is never drawn, where a share must be above zero."""


def normalised(correlations: Array) -> Array:
    """A divided by its sum: a joint distribution, if no entry is negative."""
    total = float(correlations.sum())
    if not total > 0:
        raise InputError(
            f"The correlations sum to {total:.3g} and can't be made to sum to one; use those read "
            "off the anchors of a rectified co-occurrence matrix."
        )
    return np.asarray(correlations / total)


def lifts(correlations: Array) -> Array:
    """How many times as often as by chance two different topics co-occur in a document (k×k).

    By chance they co-occur in proportion to their sizes a = A1: under any Dirichlet prior A_kl is
    the same share of a_k·a_l for all k ≠ l. So the lift is A_kl / (a_k·a_l), divided by what that
    is over all pairs of different topics; a topic has none with itself, nor has one that is never
    drawn, and there it is zero. (The plain correlation of weights, from A − aaᵀ, would not do:
    weights sum to one, so where most documents have one main topic, every two topics seem to avoid
    each other.)

    >>> lifts(np.array([[0.2, 0.1, 0.1], [0.1, 0.15, 0.0], [0.1, 0.0, 0.25]])).round(2)
    array([[0.  , 1.64, 1.17],
           [1.64, 0.  , 0.  ],
           [1.17, 0.  , 0.  ]])
    """
    joint = normalised(correlations)
    sizes = joint.sum(axis=1)
    chance = np.multiply.outer(sizes, sizes)
    drawn = sizes > LEAST_SHARE
    pairs = np.multiply.outer(drawn, drawn) & ~np.eye(len(joint), dtype=bool)
    overall = joint[pairs].sum() / max(chance[pairs].sum(), LEAST_SHARE**2)
    if not overall > 0:
        return np.zeros_like(joint)
    return np.where(pairs, joint / overall / np.where(pairs, chance, 1.0), 0.0)
