"""Least squares on the simplex, for many rows at once (Lee 2018, Algorithms 3 and 6).

For each row we seek the y on the simplex that minimises ½ yᵀGy − fᵀy. ADMM with Douglas–Rachford
splitting alternates between the quadratic, whose proximal point is a product with one k×k matrix
for all rows, and the simplex, onto which each row is projected.

Three things are added to the algorithm as printed. On the simplex Σy = 1, so what all anchors have
in common changes no minimum but slows convergence: G and f are centred, which saves half to three
quarters of the steps on text. γ is measured in the mean of Gᵢᵢ + Gⱼⱼ − 2Gᵢⱼ over pairs, the squared
distance between two anchors, so that one γ suits any data. And with a negative eigenvalue in G
(PADD's dual can bring one) the printed steps run away, however small γ; so the negative part enters
as its tangent at y, updated as rows near convergence, and γG₊ + I is positive definite for any γ. A
tangent lies above a concave function, so the row ends at a stationary point.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.numerics.simplex import project_rows
from chatham.numerics.threads import each
from chatham.wording import say

Array = NDArray[np.float64]

ROWS_AT_ONCE = 128
"""Rows in a block: its arrays stay in a core's own cache for a hundred topics."""

CHECK_EVERY = 10
"""Iterations between two checks for rows that have come to rest."""

MOSTLY_GOING = 0.75
"""Rows at rest are removed from a block once less than this share of its rows still moves."""

NEWTON_STEPS = 60
"""Maximum number of steps to a threshold; two are usual, and dividing by the sum mends the rest."""


class _Quadratic(NamedTuple):
    """What all rows share: F = (γG₊ + I)⁻¹, and FγG₋ if G has a negative part."""

    proximal: Array
    concave: Array | None
    rate: float
    max_iter: int
    tol: float


def least_on_simplices(
    gram: Array,
    linear: Array,
    start: Array | None = None,
    *,
    rate: float = 1.9,
    gamma: float = 3.0,
    max_iter: int = 500,
    tol: float = 1e-8,
) -> tuple[Array, int]:
    """For each row f of `linear` the y on the simplex that minimises ½ yᵀ·gram·y − fᵀy.

    `rate` is λ, between 0 and 2. Without a `start` the rows start at the projection of their
    unconstrained minimum (line 6). A row is at rest once no entry of q moves by more than `tol` in
    a step: y can't move further than q does, but may stand still in a corner while q still moves.
    Returns the rows and the largest number of iterations that any of them took.

    >>> least_on_simplices(np.eye(2), np.array([[0.6, 0.4], [3.0, 0.0]]))[0].round(6)
    array([[0.6, 0.4],
           [1. , 0. ]])
    """
    gram, linear = _checked(gram, linear, start, rate, gamma)
    k = gram.shape[0]
    if k == 1 or len(linear) == 0:
        return np.full((len(linear), k), 1.0 / k), 0
    curves, slopes = _centred(gram, linear)
    values, vectors = np.linalg.eigh(curves)
    proximal = (vectors / (gamma * np.maximum(values, 0.0) + 1.0)) @ vectors.T
    quadratic = _Quadratic(proximal, _negative(values, vectors, gamma), rate, max_iter, tol)
    minima = _unconstrained(values, vectors, slopes) if start is None else np.array(start, float)

    def work(first: int) -> int:
        rows = slice(first, first + ROWS_AT_ONCE)
        project_rows(minima[rows])
        return _settle(quadratic, gamma * (slopes[rows] @ proximal), minima[rows])

    return minima, max(each(work, range(0, len(linear), ROWS_AT_ONCE)))


def _checked(gram: Any, linear: Any, start: Any, rate: float, gamma: float) -> tuple[Array, Array]:
    gram, linear = np.asarray(gram, dtype=np.float64), np.asarray(linear, dtype=np.float64)
    if gram.ndim != 2 or linear.ndim != 2 or gram.shape != (linear.shape[1],) * 2 or not len(gram):
        raise InputError(
            f"A {gram.shape} gram doesn't go with a {linear.shape} linear part: give k×k and m×k."
        )
    if start is not None and np.shape(start) != linear.shape:
        raise InputError(
            f"The start is {np.shape(start)}; it must be {linear.shape} like the rows."
        )
    if not (np.isfinite(gram).all() and np.isfinite(linear).all()):
        raise InputError("The quadratic holds numbers that are not finite; leave those rows out.")
    if not (0 < rate < 2 and gamma > 0):
        both = say("{rate=} and {gamma=}", rate=rate, gamma=gamma)
        raise InputError(say("{both}: give 0 < rate < 2 and gamma > 0.", both=both))
    return gram, linear


def _centred(gram: Array, linear: Array) -> tuple[Array, Array]:
    """The same problem without what is constant on the simplex, and in its own unit."""
    k = len(gram)
    shared = gram.mean(axis=1)
    quadratic = gram - shared - shared[:, None] + shared.mean()
    slopes = linear - shared
    slopes -= slopes.max(axis=1, keepdims=True)
    unit = 2.0 * float(np.trace(quadratic)) / (k - 1)
    if not unit > np.finfo(float).eps * k * float(np.abs(gram).max()):
        unit = float(np.abs(slopes).max()) or 1.0  # no curvature to measure by
    quadratic, slopes = (quadratic + quadratic.T) / (2.0 * unit), slopes / unit
    return quadratic, _bounded(slopes, 4.0 * float(np.abs(quadratic).max()) + 1.0)


def _bounded(slopes: Array, most: float) -> Array:
    """Slopes so far below a row's largest that their entries are zero anyway, raised.

    No two entries of Gy differ by more than 2·max|G|, so a topic whose slope lacks more than that
    has no weight at the minimum. Raised it still has none, and no number grows so large that the
    sum of one is lost beside it.
    """
    slopes = np.maximum(slopes - slopes.max(axis=1, keepdims=True), -most)
    return slopes - slopes.mean(axis=1, keepdims=True)


def _unconstrained(values: Array, vectors: Array, slopes: Array) -> Array:
    """The minimum on the plane Σy = 1, within the space in which there is curvature."""
    curved = values > 1e-10 * float(np.abs(values).max(initial=0.0))
    basis = vectors[:, curved]
    return slopes @ (basis / values[curved]) @ basis.T + 1.0 / len(vectors)


def _negative(values: Array, vectors: Array, gamma: float) -> Array | None:
    """FγG₋ of the negative eigenvalues, on which F is one; None if they are only rounding."""
    if values[0] >= -1e-12 * float(np.abs(values).max()):
        return None
    return gamma * (vectors * np.maximum(-values, 0.0)) @ vectors.T


def _settle(quadratic: _Quadratic, pull: Array, rows: Array) -> int:
    """Lines 8–12 for one block, in place: rows at rest are set aside, the others go on."""
    block, iteration = _Block(quadratic, pull, rows), 0
    for iteration in range(1, quadratic.max_iter + 1):
        block.step()
        if iteration % CHECK_EVERY == 0 or iteration == quadratic.max_iter:
            rows[block.row_indices] = block.y.T
            going = block.still_going()
            if not going.any():
                break
            if going.mean() < MOSTLY_GOING:
                block.keep(going)
    rows /= rows.sum(axis=1, keepdims=True)
    return iteration


class _Block:
    """The rows of a block that still move, side by side: k×rows."""

    def __init__(self, quadratic: _Quadratic, pull: Array, rows: Array) -> None:
        self.quadratic = quadratic
        self.row_indices = np.arange(len(rows))
        self.state = np.stack([rows.T] * 3)  # q, y, 2y − q
        self.pull, self.tangent_points = np.ascontiguousarray(pull.T), rows.T.copy()
        self.slope = self._tangent()
        self.taus, self.moved = np.zeros(len(rows)), np.empty(len(rows))

    @property
    def y(self) -> Array:
        return self.state[1]

    def step(self) -> None:
        p = self.quadratic.proximal @ self.state[2]
        _step(p, self.slope, self.quadratic.rate, self.state, self.taus, self.moved)

    def still_going(self) -> NDArray[np.bool_]:
        """Which rows aren't at rest; tangents are updated where the rows nearly are."""
        if self.quadratic.concave is None:
            return self.moved > self.quadratic.tol
        far = np.abs(self.y - self.tangent_points).max(axis=0)
        near = self.moved <= np.maximum(0.1 * far, self.quadratic.tol)
        self.tangent_points = np.where(near, self.y, self.tangent_points)
        self.slope = self._tangent()
        return np.maximum(self.moved, far) > self.quadratic.tol

    def _tangent(self) -> Array:
        concave = self.quadratic.concave
        return self.pull if concave is None else self.pull + concave @ self.tangent_points

    def keep(self, going: NDArray[np.bool_]) -> None:
        for name in (
            "row_indices",
            "state",
            "tangent_points",
            "pull",
            "slope",
            "taus",
            "moved",
        ):
            setattr(self, name, np.ascontiguousarray(getattr(self, name)[..., going]))


@njit(cache=True, nogil=True)
def _step(p: Array, slope: Array, rate: float, state: Array, taus: Array, moved: Array) -> None:
    """Lines 10 and 11, and the 2y − q of the next line 9; `state` is q, y and that.

    Rows lie along the last axis, so that vectors run across rows and no sum is reordered.
    """
    q, y, ahead = state
    k, width = q.shape
    moved[:] = 0.0
    for topic in range(k):
        for row in range(width):
            change = rate * (p[topic, row] + slope[topic, row] - y[topic, row])
            q[topic, row] += change
            moved[row] = max(moved[row], abs(change))
    _find_thresholds(q, taus)
    for topic in range(k):
        for row in range(width):
            nearest = max(q[topic, row] - taus[row], 0.0)
            y[topic, row] = nearest
            ahead[topic, row] = 2.0 * nearest - q[topic, row]


@njit(cache=True, nogil=True)
def _find_thresholds(q: Array, taus: Array) -> None:
    """The τ of each row for which max(q − τ, 0) sums to one: Newton's steps from the last τ.

    Entries above τ are nested sets, so a step that leaves their number alone has found them. After
    the first step τ comes from below and their number only falls, but for rounding: hence the cap.
    """
    k, width = q.shape
    totals, counts, before = np.empty(width), np.empty(width), np.full(width, -1.0)
    for _ in range(NEWTON_STEPS):
        totals[:] = 0.0
        counts[:] = 0.0
        for topic in range(k):
            for row in range(width):
                excess = q[topic, row] - taus[row]
                totals[row] += max(excess, 0.0)
                counts[row] += 1.0 if excess > 0.0 else 0.0
        unsettled = 0
        for row in range(width):
            if counts[row] == 0.0:
                taus[row] = np.max(q[:, row]) - 1.0
                unsettled += 1
            elif counts[row] != before[row]:
                taus[row] += (totals[row] - 1.0) / counts[row]
                unsettled += 1
            before[row] = counts[row]
        if unsettled == 0:
            return
