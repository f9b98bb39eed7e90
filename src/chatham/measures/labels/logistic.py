"""Logistic regression as local statistics plus a sum: the loss and its gradient are sums over rows.

Either one problem of all classes (multinomial), or one of two classes for every pair of them, all
pairs at once. `columns` says which: a vector of classes, or a pair of classes in each row.
Parameters are a matrix with a column for each of `columns`, a row for each feature, and the
intercepts as the last row. What is minimised is

    Σ_i −log P(class of row i | row i) + ½·penalty·‖parameters without intercepts‖²

over features that were all divided by one number, so that a penalty means the same whatever the
features' scale. With penalty = 1/C that is what scikit-learn's LogisticRegression(C=C) minimises.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logsumexp

Array = NDArray[np.float64]
ClassNumbers = NDArray[np.intp]

PIECE, CELLS = 2**14, 2**22
"""How many rows, and scores, there are at a time, so that they aren't rows × pairs at once."""

FLAT = 1e-6
"""The search ends where the loss per row changes less than this with any parameter."""

TIE = 1e-6
"""Scores this close are a tie: the last bits of a sum depend on how it is split."""


def pairs_of(classes: ClassNumbers) -> ClassNumbers:
    """All pairs of these classes, one per row.

    >>> pairs_of(np.array([0, 2, 3])).tolist()
    [[0, 2], [0, 3], [2, 3]]
    """
    return np.stack([classes[side] for side in np.triu_indices(len(classes), 1)], axis=1)


def scores(features: sp.csr_array, parameters: Array) -> Array:
    """Each row's score for each column of the parameters."""
    return np.asarray(features @ parameters[:-1] + parameters[-1])


def loss_and_gradient(
    features: sp.csr_array, classes: ClassNumbers, columns: ClassNumbers, parameters: Array
) -> tuple[Array, Array]:
    """The loss of these rows, a single number, and its gradient, of the parameters' shape.

    Features are sparse and stay so. The loss of all pairs is the sum of each pair's loss over the
    rows of its two classes, so that each is minimised as if by itself.
    """
    loss, gradient = 0.0, np.zeros_like(parameters)
    slope = _multinomial if columns.ndim == 1 else _binary
    for part, own in _pieces(features, classes, len(columns)):
        piece, slopes = slope(scores(part, parameters), own, columns)
        loss += piece
        gradient[:-1] += part.T @ slopes
        gradient[-1] += slopes.sum(axis=0)
    return np.array([loss]), gradient


def _pieces(
    features: sp.csr_array, classes: ClassNumbers, columns: int
) -> Iterator[tuple[sp.csr_array, ClassNumbers]]:
    rows = min(PIECE, max(CELLS // columns, 1))
    for start in range(0, len(classes), rows):
        yield features[start : start + rows], classes[start : start + rows]


def _multinomial(
    logits: Array, classes: ClassNumbers, columns: ClassNumbers
) -> tuple[float, Array]:
    """The loss, and its slope by each score."""
    own = classes[:, None] == columns
    logs = logits - logsumexp(logits, axis=1, keepdims=True)
    return -float(logs[own].sum()), np.exp(logs) - own


def _binary(logits: Array, classes: ClassNumbers, columns: ClassNumbers) -> tuple[float, Array]:
    """The loss, and its slope by each score: positive scores are for a pair's first class."""
    side = _sides(classes, columns)
    against = -side * logits
    loss = float((np.logaddexp(0.0, against) * np.abs(side)).sum())
    return loss, -side * expit(against)


def _sides(classes: ClassNumbers, pairs: ClassNumbers) -> Array:
    """For each row and pair: 1 for the pair's first class, −1 for its second, 0 for any other."""
    first, second = (classes[:, None] == pairs[:, side] for side in (0, 1))
    return np.asarray(first.astype(np.float64) - second)


def right(
    features: sp.csr_array, classes: ClassNumbers, columns: ClassNumbers, parameters: Array
) -> tuple[Array, Array]:
    """How many rows get their own class, and of how many: by pair, or a single number each.

    A tie between classes counts in equal parts. A row whose class has no column is never right in
    the problem of all classes, and in no pair.
    """
    judged = _right_of_all if columns.ndim == 1 else _right_of_pairs
    problems = 1 if columns.ndim == 1 else len(columns)
    hits, tests = np.zeros(problems), np.zeros(problems)
    for part, own in _pieces(features, classes, len(columns)):
        more_hits, more_tests = judged(scores(part, parameters), own, columns)
        hits += more_hits
        tests += more_tests
    return hits, tests


def _right_of_all(logits: Array, classes: ClassNumbers, columns: ClassNumbers) -> tuple[Any, Any]:
    best = logits >= logits.max(axis=1, keepdims=True) - TIE
    is_right = (best & (classes[:, None] == columns)).any(axis=1)
    return (is_right / best.sum(axis=1)).sum(), len(classes)


def _right_of_pairs(logits: Array, classes: ClassNumbers, columns: ClassNumbers) -> tuple[Any, Any]:
    side = _sides(classes, columns)
    lead = side * logits
    tied = (np.abs(logits) <= TIE) & (side != 0)
    return ((lead > TIE) + 0.5 * tied).sum(axis=0), np.abs(side).sum(axis=0)


@dataclass(frozen=True, eq=False)
class Moments:
    """How many rows there are, the sum of them, and the sum of their squares."""

    rows: float
    sums: Array
    squares: float

    @property
    def scale(self) -> float:
        """What features are multiplied by, for a mean squared distance of one from their mean.

        One number for all features: one each would give a word that occurs once as much
        weight as any other. Where all rows are equal it is 1.
        """
        square = self.squares / self.rows
        spread = square - float(((self.sums / self.rows) ** 2).sum())
        return 1.0 / math.sqrt(spread) if spread > 1e-12 * square else 1.0


def moments(features: sp.csr_array) -> tuple[Array, Array]:
    """The sum of the rows; how many there are, and the sum of their squares."""
    totals = np.array([features.shape[0], features.data @ features.data], dtype=np.float64)
    return np.asarray(features.sum(axis=0), dtype=np.float64), totals


@dataclass(frozen=True, eq=False)
class Fit:
    """Parameters for features as they are, and how many sums it took to find them."""

    parameters: Array
    rounds: int
    converged: bool


def fit(
    total: Callable[[Array], tuple[Array, Array]],
    spread: Moments,
    columns: int,
    penalty: float,
    max_rounds: int,
) -> Fit:
    """Minimise the loss with its penalty; `total` returns everyone's loss and gradient.

    Each call of `total` is a round, and the search (L-BFGS-B, from zero) ends with the first step
    after `max_rounds` of them. All who see the same totals take the same steps. The loss is
    taken per row, so that when to stop doesn't depend on how many there are.
    """
    shape = (len(spread.sums) + 1, columns)
    scales = np.full((shape[0], 1), spread.scale)
    scales[-1] = 1.0

    def objective(flat: Array) -> tuple[float, Array]:
        parameters = flat.reshape(shape)
        loss, gradient = total(parameters * scales)
        penalised = parameters * penalty
        penalised[-1] = 0.0
        value = float(loss[0]) + 0.5 * float((parameters * penalised).sum())
        return value / spread.rows, ((gradient * scales + penalised) / spread.rows).ravel()

    optimum = _minimum(objective, math.prod(shape), max_rounds)
    return Fit(optimum.x.reshape(shape) * scales, int(optimum.nfev), bool(optimum.success))


def _minimum(objective: Callable[[Array], tuple[float, Array]], size: int, max_rounds: int) -> Any:
    options = {"maxfun": max_rounds, "maxiter": max_rounds, "gtol": FLAT, "ftol": 1e-13}
    return minimize(objective, np.zeros(size), jac=True, method="L-BFGS-B", options=options)
