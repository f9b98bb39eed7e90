"""How finely NMF's sums can be added up in fixed point, for whatever the documents may hold.

Everybody works these numbers out alike, from what everybody knows: how many documents there are,
the topics, and the squared norm of all rows once it is a total. On the simplex a document adds at
most one to a sum, or as much as it is important: with a relative loss no more than it has words.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons
from chatham.commons.fixed_point import bits_for
from chatham.models.nmf_steps import Problem

Array = NDArray[np.float64]

NORM_BITS = 22
"""For a matrix that is taken as it is, while its size isn't known: totals up to 2³⁸."""

LOOSE = 4.0
"""How far beyond its norm a row of few observed cells may send its weights."""


def start_bits(commons: Commons, problem: Problem, k: int = 1) -> int:
    """For ‖X‖² and, with k topics, what random weights and topics rebuild."""
    if not problem.simplex:
        return NORM_BITS
    return bits_for(_most(commons, problem) * k**2, commons.holders)


def power_bits(commons: Commons, largest: float) -> int:
    """For the image of unit vectors under XᵀX: fine enough to tell what has no direction at all."""
    return bits_for(largest, commons.holders)


def topic_bits(
    commons: Commons, problem: Problem, topics: Array, squared_norm: float
) -> tuple[int, int, int]:
    """For sums of weight × word, of weight × weight, and of weights."""
    most = _largest(commons, problem, topics, squared_norm)
    root = math.sqrt(commons.n_features) if problem.simplex and problem.relative else 1.0
    plain = bits_for(most, commons.holders)
    return bits_for(most / root, commons.holders), plain, plain


def residue_bits(commons: Commons, problem: Problem, topics: Array, squared_norm: float) -> int:
    """For one topic's sums, and the loss with its penalties."""
    penalties = 1.0 + abs(problem.l1) + abs(problem.l2)
    return bits_for(
        2.0 * penalties * _largest(commons, problem, topics, squared_norm), commons.holders
    )


def _most(commons: Commons, problem: Problem) -> float:
    """On the simplex. The published step doesn't keep to it between two projections."""
    wide = problem.relative or problem.rule == "published"
    return float(problem.documents * (commons.n_features if wide else 1))


def _largest(commons: Commons, problem: Problem, topics: Array, squared_norm: float) -> float:
    """No row is rebuilt larger than itself, so weights are to X as one is to topics.

    The mean topic's size is meant: one that has almost vanished shall not take all the bits.
    """
    if problem.simplex:
        return _most(commons, problem)
    size = float((topics**2).sum()) / len(topics)
    slack = LOOSE if problem.unobserved else 1.0
    return problem.documents + slack * squared_norm * max(1.0, 1.0 / size if size else 1.0)
