"""Minima on the probability simplex: projection, and the quadratics of Lemma 1 and Corollary 1.

The thesis (section 1.2.2) has to solve min wᵀx + c·xᵀx over the simplex, with c of either
sign: a negative ℓ2 penalty pushes towards the corners and so towards sparse topics.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]


@njit(cache=True, nogil=True)
def _threshold(point: Array) -> float:
    """The τ for which max(point − τ, 0) sums to one (Michelot's algorithm).

    Each pass drops entries below the mean threshold of those kept, so the count can only fall:
    it stops when the count doesn't, never on equality of floats.
    """
    count_before = len(point) + 1
    tau = -np.inf
    while True:
        total, count = 0.0, 0
        for value in point:
            if value > tau:
                total += value
                count += 1
        if count >= count_before or count == 0:
            return tau
        count_before = count
        tau = (total - 1.0) / count


@njit(cache=True, nogil=True)
def project_in_place(point: Array) -> None:
    """Move a point to the nearest one of the simplex.

    A shift changes nothing, so the largest entry is moved to zero first: beside large numbers the
    sum of one would be lost.
    """
    largest = np.max(point)
    for entry in range(len(point)):
        point[entry] -= largest
    tau = _threshold(point)
    for entry in range(len(point)):
        point[entry] = max(point[entry] - tau, 0.0)


@njit(cache=True, nogil=True)
def project_rows(points: Array) -> None:
    """Move each row to the nearest point of the simplex, in place."""
    for row in range(points.shape[0]):
        project_in_place(points[row])


def project(point: Array) -> Array:
    """The nearest point of the simplex.

    >>> import numpy as np
    >>> project(np.array([0.5, 1.5, -1.0]))
    array([0., 1., 0.])
    """
    nearest = np.array(point, dtype=np.float64)
    project_in_place(nearest)
    return nearest


def least_on_simplex(w: Array, c: float) -> Array:
    """The x on the simplex that minimises wᵀx + c·xᵀx.

    For c > 0 that is the projection of −w/2c; otherwise the best corner (Lemma 1).

    >>> import numpy as np
    >>> least_on_simplex(np.array([0.0, -1.0, 3.0]), -0.5)
    array([0., 1., 0.])
    """
    if c > 0:
        return project(-w / (2 * c))
    corner = np.zeros(len(w))
    corner[int(np.argmin(w))] = 1.0
    return corner


def least_in_box(w: Array, c: float) -> Array:
    """The x in [0, 1]ᵈ that minimises wᵀx + c·xᵀx for c ≤ 0: all or nothing (Corollary 1).

    >>> import numpy as np
    >>> least_in_box(np.array([0.2, 0.7]), -0.5)
    array([1., 0.])
    """
    return (w + c <= 0).astype(np.float64)


def least_on_weighted_simplex(w: Array, curvature: Array) -> Array:
    """The x on the simplex that minimises wᵀx + ½ Σ curvatureⱼ xⱼ², no curvature negative.

    At the minimum xⱼ = max(0, (λ − wⱼ)/curvatureⱼ) with one λ for all. Sorted by w, the entries
    in use are the first ones, and the right number of them is the last whose own w lies below
    the λ that they would share. An entry without curvature takes all that is left once λ would
    pass its w.

    >>> import numpy as np
    >>> least_on_weighted_simplex(np.array([0.0, 0.0]), np.array([1.0, 3.0]))
    array([0.75, 0.25])
    >>> least_on_weighted_simplex(np.array([0.0, 0.5]), np.array([2.0, 0.0]))
    array([0.25, 0.75])
    """
    curved = np.flatnonzero(curvature > 1e-12 * curvature.max(initial=0.0))
    flat = np.flatnonzero(curvature <= 1e-12 * curvature.max(initial=0.0))
    level = _shared_level(w[curved], curvature[curved]) if len(curved) else np.inf
    least = np.zeros(len(w))
    if len(flat):
        level = min(level, float(w[flat].min()))
    least[curved] = np.maximum((level - w[curved]) / curvature[curved], 0.0)
    if len(flat) and level == w[flat].min():
        least[flat[int(np.argmin(w[flat]))]] = max(1.0 - least.sum(), 0.0)
    return least


def _shared_level(w: Array, curvature: Array) -> float:
    """The λ at which the entries max(0, (λ − w)/curvature) sum to one."""
    order = np.argsort(w, kind="stable")
    inverse = 1.0 / curvature[order]
    shared = (1.0 + np.cumsum(w[order] * inverse)) / np.cumsum(inverse)
    return float(shared[np.flatnonzero(w[order] < shared)[-1]])
