"""Rectification: C as a joint distribution of nearly low rank (Lee 2018, Algorithm 1).

Alternating projection repeats three steps: the K largest eigenvalues that are positive (PSD of
rank K), a shift of all entries so that they sum to one, negative entries set to zero. The last
step leaves a matrix without negative entries whose rank is no longer K, and whose smallest
eigenvalues are slightly negative; both shrink from iteration to iteration.

Between iterations a matrix is given by K eigenvectors, K eigenvalues, the shift and the positions
of its negative entries, so none is stored. The eigenvectors of one iteration are the start of the
next, and are improved until they are as accurate as C's precision warrants: less accurate ones
change which words become anchors. C itself is looked at once, for its leading eigenvectors; where
they are known from elsewhere (see `products`), it isn't needed at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.learners.anchor.clipped import Clipped, LowRank, clipped
from chatham.numerics.eigen import leading, orthonormal
from chatham.numerics.threads import each

Array = NDArray[np.float64]

Left = Callable[[LowRank], float]
"""Called after each projection: how much is left to gain."""

OVERSAMPLED, LANES = 8, 16
"""Extra eigenvectors beyond K, at least: the more, the faster the last of the K converges. Their
number is rounded up to what suits matrix products best."""
ACCURATE = {4: 1e-5, 8: 1e-7}
"""‖Cv − λv‖ / λ of the K eigenvectors, by the number of bytes of a float."""
FIRST_DEPTH, FIRST_MOST = 5, 40
"""Products before a restart, and in total, for the first eigenvectors, from a random start."""
DEPTH, MOST = 3, 12
"""The same for later ones, which start from those before."""
ROWS_AT_ONCE = 256


@dataclass(frozen=True)
class Leading:
    """The leading eigenvectors of C, some more than K, with their eigenvalues."""

    vectors: Array
    values: Array
    occurs: NDArray[np.bool_]
    """The words that occur: the only ones in which the vectors have entries."""


@dataclass(frozen=True)
class Projected:
    """The last projection, and how it was reached."""

    low_rank: LowRank
    changes: list[float]
    """What was left after each iteration but the first: ‖change of the projection‖_F /
    ‖projection‖_F, or what the measure says that was given."""
    converged: bool = True
    """Whether it ended by itself; False if `max_iter` ended it."""

    @property
    def n_iter(self) -> int:
        """The number of projections."""
        return len(self.changes) + 1


@dataclass(frozen=True)
class Rectified:
    """A rectified matrix and how it was reached."""

    matrix: NDArray[Any]
    projected: Projected
    eigenvalues: Array
    """The leading eigenvalues of C itself, as it was before the first projection."""

    @property
    def low_rank(self) -> LowRank:
        """The last projection."""
        return self.projected.low_rank

    @property
    def changes(self) -> list[float]:
        """See `Projected`."""
        return self.projected.changes

    @property
    def n_iter(self) -> int:
        """The number of projections."""
        return self.projected.n_iter


def alternate(
    joint: NDArray[Any],
    k: int,
    *,
    max_iter: int = 15,
    tol: float = 1e-4,
    left: Left | None = None,
    report: Callable[[int, float], None] | None = None,
) -> Rectified:
    """Project alternately until at most `tol` is left, or `max_iter` times.

    What is left is what `left` says of each projection; without it, by how much of itself the
    projection changed. Words that never occur are left out: the shift would give them a share.
    With `tol` zero it never stops early; changes below 1e-7 are lost in rounding.
    """
    first = leading_of(joint, k)
    found = project(first, k, joint.dtype, max_iter=max_iter, tol=tol, left=left, report=report)
    return Rectified(clipped(found.low_rank, joint.dtype), found, first.values[:k])


def project(
    first: Leading,
    k: int,
    dtype: Any,
    *,
    max_iter: int = 15,
    tol: float = 1e-4,
    left: Left | None = None,
    report: Callable[[int, float], None] | None = None,
) -> Projected:
    """The same from C's leading eigenvectors alone; C's precision is that of `dtype`."""
    accurate = ACCURATE[np.dtype(dtype).itemsize]
    basis, occurs = first.vectors, first.occurs
    projection = _shifted(basis, first.values, k, occurs)
    changes: list[float] = []
    converged = False
    if left is not None:
        left(projection)
    for _ in range(1, max_iter):
        before, times = projection, Clipped(projection, dtype).times
        basis, values = leading(times, basis, k, tol=accurate, depth=DEPTH, most=MOST)
        projection = _shifted(basis, values, k, occurs)
        changes.append(left(projection) if left else _relative_change(projection, before))
        if report:
            report(len(changes) + 1, changes[-1])
        converged = 0 < tol >= changes[-1]
        if converged:
            break
    return Projected(projection, changes, converged)


def _relative_change(projection: LowRank, before: LowRank) -> float:
    size = float(np.linalg.norm(projection.values))
    return float(np.sqrt(projection.squared_distance(before)) / max(size, np.finfo(float).tiny))


def leading_of(joint: NDArray[Any], k: int) -> Leading:
    """Those of a matrix that is there in full, as accurate as its precision warrants."""
    occurs = np.asarray(joint.any(axis=1))
    words = int(occurs.sum())
    width = -(-(k + OVERSAMPLED) // LANES) * LANES
    width = width if 2 * width <= words else words  # too few words for a search: take them all
    vectors, values = leading(
        partial(_times, joint),
        first_block(occurs, width),
        k,
        tol=ACCURATE[joint.dtype.itemsize],
        depth=FIRST_DEPTH,
        most=FIRST_MOST,
        blind=FIRST_DEPTH + 1,
    )
    return Leading(vectors, values, occurs)


def first_block(occurs: NDArray[np.bool_], width: int) -> Array:
    """Orthonormal random vectors over the words that occur: what eigenvectors are sought from.

    Random, but the same in every fit: the seed is fixed.
    """
    start = np.zeros((len(occurs), width))
    start[occurs] = np.random.default_rng(0).standard_normal((int(occurs.sum()), width))
    return orthonormal(start)


def _times(joint: NDArray[Any], right: Array) -> Array:
    """C × right, by blocks of rows."""
    product, right = np.empty_like(right), np.ascontiguousarray(right, dtype=joint.dtype)

    def work(first: int) -> None:
        rows = slice(first, first + ROWS_AT_ONCE)
        product[rows] = joint[rows] @ right

    each(work, range(0, len(joint), ROWS_AT_ONCE))
    return product


def _shifted(basis: Array, values: Array, k: int, occurs: NDArray[np.bool_]) -> LowRank:
    """The K largest eigenvalues, negative ones as zero, and the shift that makes the sum one."""
    vectors, positive_values = np.ascontiguousarray(basis[:, :k]), np.maximum(values[:k], 0.0)
    total = float(positive_values @ vectors.sum(axis=0) ** 2)
    return LowRank(vectors, positive_values, (1.0 - total) / float(occurs.sum()) ** 2, occurs)
