"""How large the cells of NMF's sums can become: the bounds that `commons.sum` is given.

Every holder derives them in the same way, from what all know: the number of documents, the topics,
and the squared norm of all rows once it is a total. On the simplex a document adds at most one to a
cell or, with a relative loss, its importance, which is at most its number of words. Weights of rows
and cells are at most one wherever a bound matters.
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
"""How far beyond its norm the weights of a row with few observed cells may go."""


def most_of_norm(commons: Commons, problem: Problem, k: int = 1) -> Bound:
    """The bound on ‖X‖² and, with k topics, on ⟨X, WT⟩ and ‖WT‖² of random weights and topics."""
    return _most(commons, problem) * k**2 if problem.simplex else NORM


def bound_of_image(problem: Problem, squared_norm: float) -> dict[str, Any]:
    """The bound on XᵀX × a unit vector: ‖X‖², and on the simplex one per document."""
    return {"most": 1.0} if problem.simplex else {"total": squared_norm}


def bound_of_block(
    commons: Commons, problem: Problem, topics: Array, squared_norm: float
) -> dict[str, Any]:
    """The bounds on sums of weight × word, of weight × weight, and of three kinds of weights."""
    if not problem.simplex:
        return {"total": _largest(commons, problem, topics, squared_norm)}
    most = _most(commons, problem)
    root = math.sqrt(commons.n_features) if problem.relative else 1.0
    return {"most": (most / root, most, most, most, most)}


def bound_of_residue(
    commons: Commons, problem: Problem, topics: Array, squared_norm: float
) -> dict[str, Any]:
    """The bound on one topic's sums, and on the loss with its penalties."""
    penalties = 2.0 * (1.0 + abs(problem.l1) + abs(problem.l2))
    if problem.simplex:
        return {"most": penalties * _most(commons, problem)}
    return {"total": penalties * _largest(commons, problem, topics, squared_norm)}


def _most(commons: Commons, problem: Problem) -> float:
    """The bound per document on the simplex; the published step leaves it between projections."""
    wide = problem.relative or problem.rule == "published"
    return float(commons.n_features) if wide else 1.0


def _largest(commons: Commons, problem: Problem, topics: Array, squared_norm: float) -> float:
    """No row's approximation is larger than the row, so weights are at most ‖X‖ / ‖topic‖.

    The mean topic's size is used: one that has almost vanished must not take all the bits.
    """
    assert commons.counted is not None
    size = float((topics**2).sum()) / len(topics)
    slack = LOOSE if problem.by_word else 1.0
    return commons.counted.documents + slack * squared_norm * max(1.0, 1.0 / size if size else 1.0)
