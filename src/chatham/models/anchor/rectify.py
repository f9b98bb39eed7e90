"""Rectification: C as a joint distribution of low rank, nearly (Lee 2018, Algorithm 1).

Alternating projection repeats three steps: the K largest eigenvalues that are positive (PSD of
rank K), a shift of all entries so that they sum to one, negative entries set to zero. The last
step leaves a matrix without negative entries whose rank is no longer K, and whose smallest
eigenvalues are slightly negative; both shrink from iteration to iteration.

Between iterations a matrix is known by K eigenvectors, K eigenvalues and the shift, so none is
stored: products with it are taken square by square, half the squares, each made and clipped in the
cache. The eigenvectors of one iteration are the start of the next: two products with the matrix
span the space [Q, CQ], in which the best K vectors are found (Rayleigh–Ritz).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.numerics.eigen import new_directions, ritz
from chatham.numerics.threads import each

Array = NDArray[np.float64]

TILE = 256
"""Rows and columns of a square: small enough for a core's own cache."""
OVERSAMPLED, LANES = 8, 16
"""Eigenvectors carried along beyond K, at least: the more, the better the last of the K. Their
number is rounded up to what products of matrices like best."""
FIRST_DEPTH = 12
"""Products with C from which the first eigenvectors are found, beginning anywhere."""


@dataclass(frozen=True)
class LowRank:
    """UΛUᵀ + shift, before its negative entries are set to zero."""

    vectors: Array
    values: Array
    shift: float

    def squared_distance(self, other: LowRank) -> float:
        """‖UΛUᵀ − VMVᵀ‖²_F, without making either."""
        mixed = (self.vectors.T @ other.vectors) ** 2
        both = float((self.values**2).sum() + (other.values**2).sum())
        return max(both - 2.0 * float(self.values @ mixed @ other.values), 0.0)


@dataclass(frozen=True)
class Rectified:
    """A rectified matrix and how it was reached."""

    matrix: NDArray[Any]
    n_iter: int
    changes: list[float]
    """‖change of the projection‖_F / ‖projection‖_F in each iteration after the first."""
    low_rank: LowRank


def alternate(
    joint: NDArray[Any],
    k: int,
    *,
    max_iter: int = 15,
    tol: float = 1e-4,
    report: Callable[[int, float], None] | None = None,
) -> Rectified:
    """Project alternately until the projection changes by at most `tol` of itself, or `max_iter`.

    Words that never occur take no part: the shift would give them a share. Zero as `tol` never
    stops.
    """
    occurs = np.flatnonzero(joint.any(axis=1))
    if len(occurs) < len(joint):
        found = alternate(
            joint[np.ix_(occurs, occurs)], k, max_iter=max_iter, tol=tol, report=report
        )
        matrix = np.zeros_like(joint)
        matrix[np.ix_(occurs, occurs)] = found.matrix
        return replace(found, matrix=matrix)
    return _alternate(joint, k, max_iter, tol, report)


def _alternate(
    joint: NDArray[Any],
    k: int,
    max_iter: int,
    tol: float,
    report: Callable[[int, float], None] | None,
) -> Rectified:
    """Algorithm 1."""
    d = len(joint)
    width = -(-(k + OVERSAMPLED) // LANES) * LANES
    width = width if 2 * width <= d else d  # so few words leave no room to search: take them all
    basis, values = _first_eigenvectors(joint, width)
    found = _shifted(basis, values, k)
    changes: list[float] = []
    for _ in range(1, max_iter):
        low_rank = found
        basis, values = _next_eigenvectors(low_rank, basis, joint.dtype)
        found = _shifted(basis, values, k)
        size = float(np.linalg.norm(found.values))
        changes.append(np.sqrt(found.squared_distance(low_rank)) / max(size, np.finfo(float).tiny))
        if report:
            report(len(changes) + 1, changes[-1])
        if tol > 0 and changes[-1] <= tol:
            break
    return Rectified(clipped(found, joint.dtype), len(changes) + 1, changes, found)


def clipped(low_rank: LowRank, dtype: Any = np.float64) -> NDArray[Any]:
    """max(UΛUᵀ + shift, 0), divided by its sum: symmetric to the last bit."""
    strips = _Strips(low_rank, dtype)
    d = len(low_rank.vectors)
    matrix = np.empty((d, d), dtype=dtype)

    def work(rows: slice) -> float:
        total = 0.0
        for columns, square in strips.squares(rows):
            if rows == columns:
                square = np.triu(square) + np.triu(square, 1).T
            matrix[rows, columns] = square
            matrix[columns, rows] = square.T
            total += float(square.sum(dtype=np.float64)) * (1.0 if rows == columns else 2.0)
        return total

    total = sum(each(work, strips.cuts))

    def divide(rows: slice) -> None:
        matrix[rows] /= matrix.dtype.type(total)

    each(divide, strips.cuts)
    return matrix


def clipped_times(low_rank: LowRank, right: NDArray[Any]) -> NDArray[Any]:
    """max(UΛUᵀ + shift, 0) × right, each square made once for its two places."""
    strips = _Strips(low_rank, right.dtype)

    def work(rows: slice) -> tuple[NDArray[Any], NDArray[Any]]:
        upper = np.zeros((rows.stop - rows.start, right.shape[1]), dtype=right.dtype)
        lower = np.zeros((len(right) - rows.start, right.shape[1]), dtype=right.dtype)
        for columns, square in strips.squares(rows):
            upper += square @ right[columns]
            if rows != columns:
                lower[columns.start - rows.start : columns.stop - rows.start] = (
                    square.T @ right[rows]
                )
        return upper, lower

    product = np.zeros_like(right)
    for rows, (upper, lower) in zip(strips.cuts, each(work, strips.cuts), strict=True):
        product[rows] += upper
        product[rows.start :] += lower
    return product


class _Strips:
    """The squares on and above the diagonal, made row of squares by row of squares."""

    def __init__(self, low_rank: LowRank, dtype: Any) -> None:
        self.left = (low_rank.vectors * low_rank.values).astype(dtype)
        self.right = low_rank.vectors.astype(dtype)
        self.shift = self.left.dtype.type(low_rank.shift)
        d = len(self.left)
        self.cuts = [slice(first, min(first + TILE, d)) for first in range(0, d, TILE)]

    def squares(self, rows: slice) -> Iterator[tuple[slice, NDArray[Any]]]:
        """The squares of one row, each in the same place of memory: it stays in the cache."""
        room = np.empty((TILE, TILE), dtype=self.left.dtype)
        for columns in self.cuts[rows.start // TILE :]:
            square = room[: rows.stop - rows.start, : columns.stop - columns.start]
            np.matmul(self.left[rows], self.right[columns].T, out=square)
            square += self.shift
            np.maximum(square, 0, out=square)
            yield columns, square


def _first_eigenvectors(joint: NDArray[Any], width: int) -> tuple[Array, Array]:
    """The largest eigenvalues of C, from the space [Q, CQ, C²Q, …] of a random Q.

    Random, but the same in every fit: nothing here is left to chance.
    """
    start = np.random.default_rng(0).standard_normal((len(joint), width))
    basis = np.linalg.qr(start)[0]
    image = following = _times(joint, basis)
    for _ in range(FIRST_DEPTH - 1):
        more = new_directions(basis, following)
        following = _times(joint, more)
        basis, image = np.hstack([basis, more]), np.hstack([image, following])
    return ritz(basis, image, width)


def _next_eigenvectors(low_rank: LowRank, basis: Array, dtype: Any) -> tuple[Array, Array]:
    """Those of the clipped matrix, from the space [Q, CQ] of the last ones."""
    width = basis.shape[1]
    image = _clipped_image(low_rank, basis, dtype)
    more = new_directions(basis, image)
    further = _clipped_image(low_rank, more, dtype)
    return ritz(np.hstack([basis, more]), np.hstack([image, further]), width)


def _clipped_image(low_rank: LowRank, vectors: Array, dtype: Any) -> Array:
    return clipped_times(low_rank, vectors.astype(dtype)).astype(np.float64)


def _times(joint: NDArray[Any], right: Array) -> Array:
    """C × right, by blocks of rows."""
    product, right = np.empty_like(right), np.ascontiguousarray(right, dtype=joint.dtype)

    def work(first: int) -> None:
        rows = slice(first, first + TILE)
        product[rows] = joint[rows] @ right

    each(work, range(0, len(joint), TILE))
    return product


def _shifted(basis: Array, values: Array, k: int) -> LowRank:
    """The K largest eigenvalues, negative ones as zero, and the shift that makes the sum one."""
    vectors, kept = np.ascontiguousarray(basis[:, :k]), np.maximum(values[:k], 0.0)
    total = float(kept @ vectors.sum(axis=0) ** 2)
    return LowRank(vectors, kept, (1.0 - total) / len(basis) ** 2)
