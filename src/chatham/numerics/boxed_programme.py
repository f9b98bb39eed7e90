"""Linear programmes in a box, by an interior-point method: min cᵀx with Mx = r and 0 ≤ x ≤ h.

Mehrotra's predictor and corrector. With few rows and many columns a step is one m×m system,
M·Θ·Mᵀ, which BLAS computes quickly however dense M is; general solvers took twenty times as long on
our programmes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

Array = NDArray[np.float64]

MOST_STEPS, GAP = 100, 1e-11
"""The maximum number of steps, and the relative duality gap at which the method stops."""

TO_THE_WALL = 0.9995
"""The share of the way to the nearest bound that a step may go."""


@dataclass
class _Point:
    """x and h − x, the multipliers of both bounds, and those of the rows."""

    x: Array
    room: Array
    z: Array
    w: Array
    y: Array

    def gap(self) -> float:
        return float(self.x @ self.z + self.room @ self.w)

    def move(self, step: _Point) -> None:
        primal = min(_longest_step(self.x, step.x), _longest_step(self.room, step.room))
        dual = min(_longest_step(self.z, step.z), _longest_step(self.w, step.w))
        self.x, self.room = self.x + primal * step.x, self.room + primal * step.room
        self.z, self.w = self.z + dual * step.z, self.w + dual * step.w
        self.y = self.y + dual * step.y

    def gap_after(self, step: _Point) -> float:
        ahead = _Point(self.x, self.room, self.z, self.w, self.y)
        ahead.move(step)
        return ahead.gap()


def least_in_bounds(costs: Array, matrix: Array, right: Array, bounds: Array) -> Array:
    """The x that minimises costs·x subject to matrix·x = right and 0 ≤ x ≤ bounds.

    It must exist, and all bounds must be above zero.

    >>> costs, bounds = np.array([1.0, 2.0]), np.array([0.75, 0.75])
    >>> least_in_bounds(costs, np.ones((1, 2)), np.ones(1), bounds).round(6)
    array([0.75, 0.25])
    """
    half = bounds / 2.0
    point = _Point(half, half, costs.clip(min=0) + 1.0, (-costs).clip(min=0) + 1.0, 0.0 * right)
    size = 1.0 + float(np.abs(costs) @ bounds)
    for _ in range(MOST_STEPS):
        if point.gap() <= GAP * size:
            break
        try:
            point.move(_step(point, costs, matrix, right))
        except LinAlgError:  # so close to the optimum that the system is numerically singular
            break
    return point.x


def _step(point: _Point, costs: Array, matrix: Array, right: Array) -> _Point:
    """The corrector's step; how far the predictor's step would close the gap sets its aim."""
    theta = 1.0 / (point.z / point.x + point.w / point.room)
    normal = (matrix * theta) @ matrix.T
    normal[np.diag_indices_from(normal)] += 1e-15 * np.trace(normal) / len(normal)
    factor = cho_factor(normal)
    primal_residual = right - matrix @ point.x
    dual_residual = costs - matrix.T @ point.y - point.z + point.w

    def solve(below: Array, above: Array) -> _Point:
        """The step with which x·z becomes `below` and (h − x)·w `above`, to first order."""
        pull = below / point.x - point.z - above / point.room + point.w - dual_residual
        y = cho_solve(factor, primal_residual - matrix @ (theta * pull))
        x = theta * (matrix.T @ y + pull)
        z = below / point.x - point.z - point.z / point.x * x
        w = above / point.room - point.w + point.w / point.room * x
        return _Point(x, -x, z, w, y)

    nothing = np.zeros_like(costs)
    predictor = solve(nothing, nothing)
    gap = point.gap()
    aim = (point.gap_after(predictor) / gap) ** 3 * gap / (2 * len(costs))
    return solve(aim - predictor.x * predictor.z, aim - predictor.room * predictor.w)


def _longest_step(values: Array, changes: Array) -> float:
    """The longest step, at most one, after which no value is below zero."""
    falling = changes < 0
    if not falling.any():
        return 1.0
    return min(1.0, TO_THE_WALL * float((values[falling] / -changes[falling]).min()))
