"""Descent for many small least-squares problems at once, one for each row.

Row i minimises ½ wᵀGw − pᵢᵀw (+ ℓ1‖w‖₁ + ½ℓ2‖w‖²): G is one Gram matrix for all rows and p the
row's own products. A sweep is a fixed amount of work in a fixed order, never makes a row's
objective rise, and is continuous in G and p, so that rounding differences between machines stay
rounding differences. Of several sweeps, a row that has come to rest needs no more.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
Columns = NDArray[np.int64]

NOTHING = 1e-14
"""The share of the largest curvature below which a curvature counts as zero."""

WELL_CURVED = 1e-10
"""The share of the largest curvature that every direction must have for a row to jump."""

STILL = 1e-10
"""A row that a sweep moved by no more than this, relative to its largest entry, is at rest."""


@njit(cache=True, nogil=True)
def gradient_of(weights: Array, products: Array, gram: Array, gradient: Array) -> None:
    """Gw − p into `gradient`; the many zeros of w cost nothing."""
    width = len(weights)
    for topic in range(width):
        gradient[topic] = -products[topic]
    for topic in range(width):
        weight = weights[topic]
        if weight != 0.0:
            for other in range(width):
                gradient[other] += weight * gram[topic, other]


@njit(cache=True, nogil=True)
def descend_nonnegative(
    weights: Array,
    products: Array,
    gram: Array,
    l1: float,
    l2: float,
    first: int,
    last: int,
    sweeps: int,
) -> None:
    """Coordinates `first` to `last` in turn, with w ≥ 0, each to its exact minimum (eq. 1.3).

    The gradient is kept up to date, so that a coordinate that stays where it is (most stay at
    zero) costs one comparison instead of a pass over the topics.
    """
    width = weights.shape[1]
    gradient = np.empty(width)
    # A topic that is nearly zero would get a weight that is nearly infinite.
    nothing = NOTHING * (np.max(np.diag(gram)) + l2)
    for row in range(weights.shape[0]):
        w = weights[row]
        gradient_of(w, products[row], gram, gradient)
        for _ in range(sweeps):
            moved = 0.0
            for topic in range(first, last):
                curvature = gram[topic, topic] + l2
                if curvature <= nothing:
                    continue
                best = w[topic] - (gradient[topic] + l1 + l2 * w[topic]) / curvature
                change = max(best, 0.0) - w[topic]
                if change != 0.0:
                    w[topic] += change
                    moved = max(moved, abs(change))
                    for other in range(width):
                        gradient[other] += change * gram[topic, other]
            if moved <= STILL * np.max(w):
                break


@njit(cache=True, nogil=True)
def exchange_with(w: Array, gradient: Array, gram: Array, l2: float, topic: int) -> float:
    """Trade weight between one topic and each other in turn, every trade to its exact minimum.

    Along a trade the objective is a parabola. Where it opens upwards the best point is its vertex,
    or the nearer end; where it doesn't (a negative ℓ2), it is the better end. Returns the largest
    weight that was moved.
    """
    width, largest = len(w), 0.0
    for other in range(width):
        if other == topic or (w[other] == 0.0 and w[topic] == 0.0):
            continue
        slope = gradient[topic] - gradient[other] + l2 * (w[topic] - w[other])
        curvature = gram[topic, topic] + gram[other, other] - 2.0 * gram[topic, other] + 2.0 * l2
        least, most = -w[topic], w[other]
        if curvature > 0.0:
            moved = min(max(-slope / curvature, least), most)
        else:
            gain_at_least = slope * least + 0.5 * curvature * least * least
            gain_at_most = slope * most + 0.5 * curvature * most * most
            moved = least if gain_at_least < gain_at_most else most
            if min(gain_at_least, gain_at_most) >= 0.0:
                moved = 0.0
        if moved != 0.0:
            largest = max(largest, abs(moved))
            # Ends are set, not computed: a weight that is all traded away is exactly zero.
            w[topic] = 0.0 if moved == least else w[topic] + moved
            w[other] = 0.0 if moved == most else w[other] - moved
            for column in range(width):
                gradient[column] += moved * (gram[topic, column] - gram[other, column])
    return largest


@njit(cache=True, nogil=True)
def jump_on_simplex(
    w: Array, gradient: Array, gram: Array, l2: float, support: Columns, factor: Array, step: Array
) -> None:
    """Jump to the best division among the positive weights, or to where the first is used up.

    Trades between two get there slowly where many weights are positive. The jump d solves
    (G + ℓ2) d = ν1 − (Gw − p + ℓ2 w) with Σd = 0 over the support, by Cholesky's factor; where that
    doesn't exist (topics that are alike, a negative ℓ2), nobody jumps. `support`, `factor` and
    `step` (two rows) are space to work in.
    """
    width, size, largest = len(w), 0, 0.0
    for topic in range(width):
        if w[topic] > 0.0:
            support[size] = topic
            size += 1
            largest = max(largest, gram[topic, topic] + l2)
    if size < 2 or not factorise(gram, l2, support[:size], factor, WELL_CURVED * largest):
        return
    for place in range(size):
        topic = support[place]
        step[0, place] = -(gradient[topic] + l2 * w[topic])
        step[1, place] = 1.0
    solve_factorised(factor, step[0], size)
    solve_factorised(factor, step[1], size)
    share = -np.sum(step[0, :size]) / np.sum(step[1, :size])
    length, first = 1.0, -1
    for place in range(size):
        step[0, place] += share * step[1, place]
        if step[0, place] * length < -w[support[place]]:
            length, first = -w[support[place]] / step[0, place], place
    for place in range(size):
        topic = support[place]
        moved = -w[topic] if place == first else length * step[0, place]
        w[topic] = 0.0 if place == first else max(w[topic] + moved, 0.0)
        for column in range(width):
            gradient[column] += moved * gram[topic, column]


@njit(cache=True, nogil=True)
def factorise(gram: Array, l2: float, support: Columns, factor: Array, least: float) -> bool:
    """Cholesky's lower factor of G + ℓ2 over the support; False where a pivot is below `least`."""
    for row in range(len(support)):
        for column in range(row + 1):
            value = gram[support[row], support[column]] + (l2 if row == column else 0.0)
            for k in range(column):
                value -= factor[row, k] * factor[column, k]
            if row > column:
                factor[row, column] = value / factor[column, column]
            elif value <= least:
                return False
            else:
                factor[row, row] = np.sqrt(value)
    return True


@njit(cache=True, nogil=True)
def solve_factorised(factor: Array, x: Array, size: int) -> None:
    """Solve LLᵀx = b in place, forwards and backwards."""
    for row in range(size):
        for k in range(row):
            x[row] -= factor[row, k] * x[k]
        x[row] /= factor[row, row]
    for row in range(size - 1, -1, -1):
        for k in range(row + 1, size):
            x[row] -= factor[k, row] * x[k]
        x[row] /= factor[row, row]


@njit(cache=True, nogil=True)
def descend_simplex(
    weights: Array, products: Array, gram: Array, l2: float, first: int, last: int, sweeps: int
) -> None:
    """Topics `first` to `last` trade with all others, rows on the simplex, any curvature.

    Between two sweeps over all topics a row jumps, so that a few sweeps are enough.
    """
    width = weights.shape[1]
    gradient = np.empty(width)
    jumps = sweeps > 1 and first == 0 and last == width
    support = np.empty(width, dtype=np.int64)
    factor = np.empty((width, width) if jumps else (0, 0))
    step = np.empty((2, width))
    for row in range(weights.shape[0]):
        gradient_of(weights[row], products[row], gram, gradient)
        for sweep in range(sweeps):
            moved = 0.0
            for topic in range(first, last):
                moved = max(moved, exchange_with(weights[row], gradient, gram, l2, topic))
            if moved <= STILL:
                break
            if jumps and sweep < sweeps - 1:
                jump_on_simplex(weights[row], gradient, gram, l2, support, factor, step)
