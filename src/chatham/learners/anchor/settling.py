"""How far rectification still moves the anchors, and so topics: what its end is decided by.

‖C‖ is mostly that of frequent words, which settle long before the rows that topics come from. So
after each projection the anchors are chosen that would be chosen now, among the rows of the factors
UΛUᵀ + shift, and each one's distribution p(x₂|x₁) is compared with what it was before. A projection
changes it by ever less, though not by a constant factor: by about 1/t² in the t-th. So it counts
how far as many projections again would move it at the pace of the last few, t times that; where one
of these has replaced an anchor, nothing has settled. That a word nearly as far as an anchor will
replace it much later can't be foreseen.

The factors' rows have k + 1 coordinates, so this costs next to nothing beside a projection; setting
negative entries to zero changes some rows a little, and hardly ever which are the farthest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chatham.learners.anchor.clipped import LowRank

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

APART = 2.0
"""The ℓ1 distance of two distributions that share nothing: that of an anchor which is new."""
AS_FAR = 1e-6
"""Squared distances within this share of the largest count as equal (see `select`)."""
FLAT = 1e-10
"""What is left of a squared distance where the other anchors span all there is."""
NOTHING = 1e-12
"""A word whose row has a smaller share of the rows' largest sum is no anchor."""


RECENT = 5
"""Projections by which the pace is judged: the one after an anchor was replaced may move little."""


class Settling:
    """The anchors after each projection, and how far they are from settled."""

    def __init__(
        self, k: int, candidates: NDArray[np.bool_], given: Sequence[Indices] = ()
    ) -> None:
        self.k = k
        self.candidates = candidates
        self.given = list(given)
        self.moves: list[float] = []
        """How far each projection moved the row that moved farthest."""
        self._rows: dict[tuple[int, ...], Array] = {}

    def left(self, projection: LowRank) -> float:
        """The largest ℓ1 distance that an anchor's row would move by in as many projections again.

        A word that wasn't an anchor before counts as having moved by as much as can be.
        """
        anchors = provisional_anchors(projection, self.k, self.candidates, self.given)
        rows = {tuple(group.tolist()): row_of(projection, group) for group in anchors}
        moved = [
            float(np.abs(row - self._rows[group]).sum()) if group in self._rows else APART
            for group, row in rows.items()
        ]
        self._rows = rows
        self.moves.append(max(moved, default=0.0))
        return len(self.moves) * max(self.moves[-RECENT:])


def provisional_anchors(
    projection: LowRank, k: int, candidates: NDArray[np.bool_], given: Sequence[Indices] = ()
) -> list[Indices]:
    """The given anchors, and then the words farthest from the span of those before, one by one.

    >>> U = np.linalg.qr(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))[0]
    >>> low_rank = LowRank(U, np.array([1.0, 1.0]), 0.0, np.ones(3, bool))
    >>> [group.tolist() for group in provisional_anchors(low_rank, 2, np.ones(3, bool))]
    [[0], [1]]
    """
    points, sums = coordinates(projection)
    usable = sums > NOTHING * sums.max(initial=0.0)
    rest = points / np.where(usable, sums, 1.0)[:, None]
    free = candidates & usable
    least = FLAT * float(np.einsum("ij,ij->i", rest, rest).max(initial=0.0, where=usable))
    anchors = [np.asarray(group, dtype=np.int64) for group in given]
    for group in anchors:
        free[group] = False
        rest = _without(rest, rest[group].T @ np.maximum(sums[group], 0.0))
    while len(anchors) < k:
        squared = np.where(free, np.einsum("ij,ij->i", rest, rest), 0.0)
        farthest = int(np.argmax(squared >= squared.max() * (1.0 - AS_FAR)))
        if squared[farthest] <= least:
            break
        rest = _without(rest, rest[farthest])
        free[farthest] = False
        anchors.append(np.array([farthest], dtype=np.int64))
    return anchors


def coordinates(projection: LowRank) -> tuple[Array, Array]:
    """Each word's row of UΛUᵀ + shift, in an orthonormal basis of k + 1 vectors, and its sum."""
    ones = projection.occurs.astype(np.float64)
    within = projection.vectors.T @ ones
    beside = np.sqrt(max(float(ones @ ones - within @ within), 0.0))
    scaled = projection.vectors * projection.values
    shifted = projection.shift * ones
    points = np.column_stack([scaled + np.multiply.outer(shifted, within), shifted * beside])
    return points, scaled @ within + shifted * float(ones @ ones)


def row_of(projection: LowRank, group: Indices) -> Array:
    """p(x₂ | x₁ is one of the group), negative entries as zeros."""
    rows = projection.left[group] @ projection.right.T
    merged = np.maximum(rows, 0.0).sum(axis=0)
    return np.asarray(merged / max(float(merged.sum()), np.finfo(float).tiny))


def _without(points: Array, direction: Array) -> Array:
    """The points' parts that are orthogonal to a direction."""
    length = float(np.linalg.norm(direction))
    if length == 0:
        return points
    unit = direction / length
    return np.asarray(points - np.multiply.outer(points @ unit, unit))
