"""Whole counts that solve more equations than they have words: least squares with sparsity.

Counts aren't negative and mostly zero, so that non-negative least squares finds them from fewer
equations than there are words; and they are whole, which no other solution is by chance. Each
equation is divided by how far it may be off, so that those that are known best count most.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

Array = NDArray[np.float64]

MOST_STEPS = 6_000
"""Changes of the set of words that are tried."""
NEAR_WHOLE = 0.2
"""How far a count may be from a whole number before it is rounded."""
AGREES = 20.0
"""By how many times its expected error an equation may be off: errors are estimates."""
CHANCE = -6.0
"""The decimal logarithm of how probable whole counts may be by chance."""
FINEST = 1e-6
"""Numbers aren't taken to be nearer to whole ones than this, whatever they seem to be."""


class Solved(NamedTuple):
    """Whole counts, one for each column, and how probable these are by chance."""

    counts: NDArray[np.int64]
    log10_chance: float


def solve_whole(
    matrix: Array,
    right: Array,
    off: Array,
    *,
    total: int | None = None,
    given: tuple[int, int] | None = None,
) -> Solved | None:
    """Counts with matrix × counts = right, each equation within about `off`; None if none is sure.

    `total` is what counts must add up to, if that is known. Where a column's count is `given`, the
    equations are known up to a factor alone, and that count tells it.
    """
    if not matrix.shape[1]:
        return None
    scaled, wanted = matrix / off[:, None], right / off
    try:
        found, _ = nnls(scaled, wanted, maxiter=MOST_STEPS)
    except RuntimeError:  # it goes in circles: the equations say too little
        return None
    unit = 1.0 if given is None else float(found[given[0]]) / given[1]
    if unit <= 0:
        return None
    found = found / unit
    counts = np.rint(found)
    away = float(np.abs(found - counts).max())
    words = int(np.count_nonzero(counts))
    if away > NEAR_WHOLE or not words or (total is not None and counts.sum() != total):
        return None
    image = scaled @ counts
    if given is not None:  # counts tell the factor better than one of them did before rounding
        unit = float(image @ wanted) / float(image @ image)
    if np.abs(unit * image - wanted).max() > AGREES:
        return None
    chance = words * float(np.log10(2 * max(away, FINEST)))
    return Solved(counts.astype(np.int64), chance) if chance < CHANCE else None
