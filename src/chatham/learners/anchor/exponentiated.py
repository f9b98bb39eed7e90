"""Words as mixtures of anchors by exponentiated gradient (Arora et al. 2013: RecoverL2, RecoverKL).

For each word we seek the y on the simplex with Σ yₖ·anchorₖ nearest to its row of C̄, by squared
distance or by Kullback–Leibler divergence. A step multiplies y by exp(−η∇f) and divides by the sum.

There is nothing to tune. A word's first η is one over the range of its slopes. A step is accepted
if the slope at its end, along the step, doesn't point further on: by convexity f is then no greater
than before, and no value of f is ever needed. Otherwise η shrinks to where the two slopes place the
minimum. After an accepted step, η is what the slopes' change suggests (Barzilai and Borwein's rule,
in the geometry of the simplex), at most four times as much.

A word is done when its duality gap ⟨∇f, y⟩ − min ∇f, which bounds f − min f, is at most `tol` times
a scale: the mean ‖anchor‖² for squared distance, one nat for the divergence. Where a topic's weight
is only just zero, the gap falls about as one over the square of the steps: 1e-5 takes hundreds.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numba import njit
from numpy.typing import NDArray

from chatham.learners.anchor.conditional import Conditional
from chatham.numerics.threads import each

Array = NDArray[np.float64]

SQUARES_AT_ONCE, DIVERGENCES_AT_ONCE = 128, 64
"""Words in a block, for either loss."""

CHECK_EVERY = 10
"""Steps between two checks for converged words."""

FURTHEST = 30.0
"""The most by which one step may lower the logarithm of a weight."""

LEAST_WEIGHT = 1e-16
"""No weight falls below this: from zero it could never come back."""

FLOOR = 1e-12
"""A probability in an anchor's row counts as at least this share of a uniform one. A word that
co-occurs with words that no anchor does would otherwise be infinitely far from every mixture."""


class Descended(NamedTuple):
    """Weights (m×k), the most steps that a row took, and the largest gap left, in its scale."""

    weights: Array
    n_iter: int
    gap: float


class Loss(Protocol):
    """A convex loss for each of a block's rows."""

    def slopes(self, weights: Array) -> Array:
        """∇f of every row, in the loss's scale."""

    def keep(self, going: NDArray[np.bool_]) -> None:
        """Forget all rows but these."""


def nearest_by_squares(
    gram: Array, linear: Array, *, max_iter: int = 1000, tol: float = 1e-5
) -> Descended:
    """For each row f of `linear` the y that minimises ½ yᵀ·gram·y − fᵀy (RecoverL2).

    With gram = anchors·anchorsᵀ and linear = rows·anchorsᵀ that is the nearest mixture; the cost
    doesn't depend on the size of the vocabulary.

    >>> nearest_by_squares(np.eye(2), np.array([[0.7, 0.3]])).weights.round(3)
    array([[0.7, 0.3]])
    """
    scale = float(np.trace(gram)) / len(gram) or 1.0

    def work(first: int) -> Descended:
        rows = slice(first, first + SQUARES_AT_ONCE)
        loss = _Squares(gram / scale, linear[rows] / scale)
        return descend(loss, linear[rows].shape, max_iter, tol)

    return _joined(each(work, range(0, len(linear), SQUARES_AT_ONCE)), len(gram))


def nearest_by_divergence(
    conditional: Conditional,
    words: NDArray[np.int64],
    anchors: Array,
    *,
    max_iter: int = 500,
    tol: float = 1e-5,
) -> Descended:
    """For each of these words the y that minimises KL(C̄ᵢ ‖ Σ yₖ·anchorₖ) (RecoverKL).

    >>> joint = np.array([[0.3, 0.1], [0.1, 0.5]])
    >>> words = np.array([0, 1])
    >>> nearest_by_divergence(Conditional(joint), words, np.eye(2)).weights.round(3)
    array([[0.75 , 0.25 ],
           [0.167, 0.833]])
    """
    floored = np.maximum(anchors, FLOOR / anchors.shape[1])

    def work(first: int) -> Descended:
        rows = conditional.rows(words[first : first + DIVERGENCES_AT_ONCE])
        return descend(_Divergence(floored, rows), (len(rows), len(anchors)), max_iter, tol)

    return _joined(each(work, range(0, len(words), DIVERGENCES_AT_ONCE)), len(anchors))


class _Squares:
    """½ yᵀGy − fᵀy."""

    def __init__(self, gram: Array, linear: Array) -> None:
        self.gram, self.linear = gram, linear

    def slopes(self, weights: Array) -> Array:
        return weights @ self.gram - self.linear

    def keep(self, going: NDArray[np.bool_]) -> None:
        self.linear = self.linear[going]


class _Divergence:
    """Σ v log(v / yU): where v is zero there is nothing to add, and its slope is zero."""

    def __init__(self, anchors: Array, rows: Array) -> None:
        self.anchors, self.rows = anchors, rows

    def slopes(self, weights: Array) -> Array:
        mixtures = weights @ self.anchors
        np.divide(self.rows, mixtures, out=mixtures)
        return -(mixtures @ self.anchors.T)

    def keep(self, going: NDArray[np.bool_]) -> None:
        self.rows = self.rows[going]


def descend(loss: Loss, shape: tuple[int, int], max_iter: int, tol: float) -> Descended:
    """Exponentiated gradient from uniform weights, for all rows of a block together."""
    weights, gaps, active = np.full(shape, 1.0 / shape[1]), np.zeros(shape[0]), np.arange(shape[0])
    # y, ∇f(y), and both where a step would end
    state = np.stack([weights, loss.slopes(weights)] * 2)
    steps, left, iteration = _first_steps(state[1]), np.empty(shape[0]), 0
    for iteration in range(1, max_iter + 1):
        _propose(state, steps)
        state[3] = loss.slopes(state[2])
        _judge(state, steps, left)
        if iteration % CHECK_EVERY == 0 or iteration == max_iter:
            weights[active], gaps[active] = state[0], left
            going = left > tol
            if not going.any():
                break
            loss.keep(going)
            active, steps, left = active[going], steps[going], left[going]
            state = np.ascontiguousarray(state[:, going])
    return Descended(weights, iteration, float(gaps.max(initial=0.0)))


def _first_steps(slopes: Array) -> Array:
    ranges = np.ptp(slopes, axis=1)
    return 1.0 / np.where(ranges > 0, ranges, 1.0)


def _joined(parts: list[Descended], k: int) -> Descended:
    weights = np.concatenate([part.weights for part in parts] or [np.empty((0, k))])
    n_iter = max((part.n_iter for part in parts), default=0)
    return Descended(weights, n_iter, max((part.gap for part in parts), default=0.0))


@njit(cache=True, nogil=True)
def _propose(state: Array, steps: Array) -> None:
    """Where a step from y would end."""
    y, slopes, end, _ = state
    for row in range(y.shape[0]):
        least, total = np.min(slopes[row]), 0.0
        for topic in range(y.shape[1]):
            fall = min(steps[row] * (slopes[row, topic] - least), FURTHEST)
            end[row, topic] = max(y[row, topic] * np.exp(-fall), LEAST_WEIGHT)
            total += end[row, topic]
        for topic in range(y.shape[1]):
            end[row, topic] /= total


@njit(cache=True, nogil=True)
def _judge(state: Array, steps: Array, gaps: Array) -> None:
    """Accept or reject each row's step, with the next η; the gap where the row then is."""
    y, slopes, end, end_slopes = state
    for row in range(y.shape[0]):
        begun, _ = _along(y[row], end[row], slopes[row])
        ended, rounding = _along(y[row], end[row], end_slopes[row])
        if ended <= rounding:
            steps[row] *= _growth(end[row], slopes[row], end_slopes[row])
            y[row], slopes[row] = end[row], end_slopes[row]
        else:
            lowest = -begun / (ended - begun) if begun < 0.0 else 0.0
            steps[row] *= max(0.9 * lowest, 0.1)
        gaps[row] = np.sum(y[row] * (slopes[row] - np.min(slopes[row])))


@njit(cache=True, nogil=True)
def _along(start: Array, end: Array, slopes: Array) -> tuple[float, float]:
    """⟨slopes, end − start⟩ and its rounding; what the slopes have in common would drown it."""
    common, total, size = np.sum(end * slopes), 0.0, 0.0
    for topic in range(len(start)):
        part = (slopes[topic] - common) * (end[topic] - start[topic])
        total += part
        size += abs(part)
    return total, 1e-15 * size


@njit(cache=True, nogil=True)
def _growth(y: Array, before: Array, after: Array) -> float:
    """By how much η may grow: the step was −η·before, and it changed the slopes to `after`."""
    mean_before, mean_after = np.sum(y * before), np.sum(y * after)
    own, mixed = 0.0, 0.0
    for topic in range(len(y)):
        own += y[topic] * (before[topic] - mean_before) ** 2
        mixed += y[topic] * (before[topic] - mean_before) * (after[topic] - mean_after)
    return max(own / (own - mixed), 0.1) if own > 4.0 / 3.0 * mixed else 4.0
