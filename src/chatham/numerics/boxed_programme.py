"""Linear programmes in a box, by an interior-point method: min cᵀx with Mx = r and 0 ≤ x ≤ h.

Mehrotra's predictor and corrector. With few rows and many columns a step is one m×m system,
M·Θ·Mᵀ, which BLAS makes quickly however dense M is; general solvers took twenty times as long over
the programmes that we have.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

Array = NDArray[np.float64]

MOST_STEPS, GAP = 100, 1e-11
"""The most steps, and the gap between the two sides at which there is nothing left to gain."""

TO_THE_WALL = 0.9995
"""How far a step goes towards the nearest bound."""


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
        primal = min(_most(self.x, step.x), _most(self.room, step.room))
        dual = min(_most(self.z, step.z), _most(self.w, step.w))
        self.x, self.room = self.x + primal * step.x, self.room + primal * step.room
        self.z, self.w = self.z + dual * step.z, self.w + dual * step.w
        self.y = self.y + dual * step.y

    def gap_after(self, step: _Point) -> float:
        ahead = _Point(self.x, self.room, self.z, self.w, self.y)
        ahead.move(step)
        return ahead.gap()


def least_in_bounds(costs: Array, matrix: Array, right: Array, bounds: Array) -> Array:
    """The x with the least costs·x among those with matrix·x = right and 0 ≤ x ≤ bounds.

    There must be one, and all bounds must be above zero.

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
        except LinAlgError:  # so near to the end that the system is singular to the last digit
            break
    return point.x


def _step(point: _Point, costs: Array, matrix: Array, right: Array) -> _Point:
    """Newton's step to a smaller gap: how much smaller is read off the step to none at all."""
    theta = 1.0 / (point.z / point.x + point.w / point.room)
    normal = (matrix * theta) @ matrix.T
    normal[np.diag_indices_from(normal)] += 1e-15 * np.trace(normal) / len(normal)
    factor = cho_factor(normal)
    missing = right - matrix @ point.x
    unpaid = costs - matrix.T @ point.y - point.z + point.w

    def solve(below: Array, above: Array) -> _Point:
        """The step with which x·z becomes `below` and (h − x)·w `above`, to first order."""
        pull = below / point.x - point.z - above / point.room + point.w - unpaid
        y = cho_solve(factor, missing - matrix @ (theta * pull))
        x = theta * (matrix.T @ y + pull)
        z = below / point.x - point.z - point.z / point.x * x
        w = above / point.room - point.w + point.w / point.room * x
        return _Point(x, -x, z, w, y)

    nothing = np.zeros_like(costs)
    greedy = solve(nothing, nothing)
    gap = point.gap()
    aim = (point.gap_after(greedy) / gap) ** 3 * gap / (2 * len(costs))
    return solve(aim - greedy.x * greedy.z, aim - greedy.room * greedy.w)


def _most(values: Array, changes: Array) -> float:
    """The longest step, at most one, after which no value is below zero."""
    falling = changes < 0
    if not falling.any():
        return 1.0
    return min(1.0, TO_THE_WALL * float((values[falling] / -changes[falling]).min()))
