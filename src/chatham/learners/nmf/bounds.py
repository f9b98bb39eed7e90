"""How large the cells of NMF's sums can become: what `commons.sum` is told of them.

Everybody works it out alike, from what everybody knows: the number of documents, the topics, and
the squared norm of all rows once it is a total. On the simplex a document adds at most one to a
cell, or as much as it is important: with a relative loss no more than it has words.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons
from chatham.commons.precision import NORM, Bound
from chatham.learners.nmf.problem import Problem

Array = NDArray[np.float64]

LOOSE = 4.0
"""How far beyond its norm a row of few observed cells may send its weights."""


def most_of_norm(commons: Commons, problem: Problem, k: int = 1) -> Bound:
    """Of ‖X‖² and, with k topics, of what random weights and topics rebuild."""
    return _most(commons, problem) * k**2 if problem.simplex else NORM


def bound_of_image(problem: Problem, squared_norm: float) -> dict[str, Any]:
    """Of XᵀX × a unit vector: ‖X‖², and on the simplex one a document."""
    return {"most": 1.0} if problem.simplex else {"total": squared_norm}


def bound_of_block(
    commons: Commons, problem: Problem, topics: Array, squared_norm: float
) -> dict[str, Any]:
    """Of sums of weight × word, of weight × weight, and of three kinds of weights."""
    if not problem.simplex:
        return {"total": _largest(commons, problem, topics, squared_norm)}
    most = _most(commons, problem)
    root = math.sqrt(commons.n_features) if problem.relative else 1.0
    return {"most": (most / root, most, most, most, most)}


def bound_of_residue(
    commons: Commons, problem: Problem, topics: Array, squared_norm: float
) -> dict[str, Any]:
    """Of one topic's sums, and of the loss with its penalties."""
    penalties = 2.0 * (1.0 + abs(problem.l1) + abs(problem.l2))
    if problem.simplex:
        return {"most": penalties * _most(commons, problem)}
    return {"total": penalties * _largest(commons, problem, topics, squared_norm)}


def _most(commons: Commons, problem: Problem) -> float:
    """On the simplex. The published step doesn't keep to it between two projections."""
    wide = problem.relative or problem.rule == "published"
    return float(commons.n_features) if wide else 1.0


def _largest(commons: Commons, problem: Problem, topics: Array, squared_norm: float) -> float:
    """No row is rebuilt larger than itself, so weights are to X as one is to topics.

    The mean topic's size is meant: one that has almost vanished shall not take all the bits.
    """
    assert commons.counted is not None
    size = float((topics**2).sum()) / len(topics)
    slack = LOOSE if problem.unobserved else 1.0
    return commons.counted.documents + slack * squared_norm * max(1.0, 1.0 / size if size else 1.0)
