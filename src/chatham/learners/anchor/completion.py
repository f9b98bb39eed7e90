"""Rectification by the diagonal alone: C of low rank, the rest as observed (Lee 2018, Algorithm 7).

How often a word co-occurs with itself is the least reliable entry of C: words come in bursts, songs
once. Diagonal completion discards the diagonal and estimates it from the rest. The words are split
into two halves; the columns of C₁₁ must lie in the range of C₁₂, which has no diagonal, and the
least-squares fit of each column without its j-th entry predicts that entry (eqs. A.3–A.5). Another
split gives another estimate, so words are split at random many times and each word takes its
median.

C₂₁ is C₁₂ᵀ, so one truncated SVD of C₁₂ = UΣVᵀ serves both halves: U is the basis for the first, V
for the second. The result sums to one and has no negative entry; it may have negative eigenvalues,
on text larger ones than C, whose bursty diagonal raises them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.numerics.eigen import mixed, new_directions
from chatham.numerics.threads import each
from chatham.wording import say

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

ROWS_AT_ONCE = 256
OVERSAMPLED, DEPTH = 10, 4
"""The number of singular vectors computed beyond K, and the number of products with GᵀG."""
SLACK = 1e-6
"""The smallest 1 − ‖u_j‖² to divide by: below it, a word alone spans a direction of its half."""


@dataclass(frozen=True)
class Completed:
    """A matrix with a new diagonal, and how it was found."""

    matrix: NDArray[Any]
    runs: int
    kept: Indices
    """Words that kept their old diagonal entry: without co-occurrences, or without an estimate."""
    clipped: int
    """The number of words whose new entries were negative, and are zero."""


def complete_diagonal(joint: NDArray[Any], k: int, *, runs: int = 30, seed: int = 0) -> Completed:
    """Replace the diagonal by what the rest of a matrix of rank `k` implies.

    Each word's entry is the median over `runs` random splits of the words into halves. A run in
    which ‖u_j‖ is one gives no estimate for word j (the rest of its half doesn't determine it) and
    is left out; where all are, and for a word that never co-occurs with another, the old entry
    stays. A negative median becomes zero, and the matrix is divided by its sum.

    >>> words = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [0.2, 0.8], [0.7, 0.3], [0.4, 0.6]])
    >>> joint = words @ np.array([[0.6, 0.1], [0.1, 0.2]]) @ words.T
    >>> bursty = joint + np.diag([9.0, 0, 7, 0, 0, 3])
    >>> completed = complete_diagonal(bursty, 2, runs=9).matrix
    >>> bool(np.allclose(completed, joint / joint.sum()))
    True
    """
    matrix = joint.copy()
    diagonal = np.einsum("ii->i", matrix)
    old = diagonal.astype(np.float64)
    diagonal[:] = 0
    words = np.flatnonzero(matrix.any(axis=1))
    _check(len(words), k, runs)
    rng = np.random.default_rng(seed)
    estimates = np.full((runs, len(joint)), np.nan)
    block = np.empty((len(words) // 2, len(words) - len(words) // 2))
    for run in estimates:
        first, second = _halves(words, rng)
        _fill(block, matrix, first, second)
        left, right = singular_spaces(block, k, rng)
        run[first], run[second] = _diagonal(matrix, first, left), _diagonal(matrix, second, right)
    new = _medians(estimates)
    has_estimate = ~np.isnan(new)
    diagonal[:] = np.maximum(np.where(has_estimate, new, old), 0.0)
    matrix /= matrix.dtype.type(matrix.sum(axis=1, dtype=np.float64).sum())
    return Completed(
        matrix, runs, np.flatnonzero(~has_estimate), int((new[has_estimate] < 0).sum())
    )


def _check(words: int, k: int, runs: int) -> None:
    if runs < 1:
        raise InputError(
            say("Diagonal completion got {runs=}; it needs at least one run.", runs=runs)
        )
    if words < 2 * k + 2:
        raise InputError(
            f"Diagonal completion to rank {k} needs at least {2 * k + 2} words that co-occur with "
            f"others, since each half must have more words than the rank; there are {words}. Ask "
            "for fewer topics, or rectify by alternating projection."
        )


def _halves(words: Indices, rng: np.random.Generator) -> tuple[Indices, Indices]:
    """A random bisection; each half in ascending order, in which memory is read."""
    shuffled, middle = rng.permutation(words), len(words) // 2
    return np.sort(shuffled[:middle]), np.sort(shuffled[middle:])


def _diagonal(matrix: NDArray[Any], half: Indices, basis: Array) -> Array:
    """d_j = u_jᵀ L_j / (1 − ‖u_j‖²) with L = Uᵀ(F − diag F); NaN where the divisor is zero."""
    slack = 1.0 - np.einsum("jk,jk->j", basis, basis)
    determined = slack > SLACK

    def work(start: int) -> Array:
        rows = slice(start, start + ROWS_AT_ONCE)
        columns_of_l = matrix[np.ix_(half[rows], half)] @ basis  # F is symmetric
        return np.einsum("jk,jk->j", basis[rows], columns_of_l)

    fitted = np.concatenate(each(work, range(0, len(half), ROWS_AT_ONCE)))
    return np.where(determined, fitted / np.where(determined, slack, 1.0), np.nan)


def _medians(estimates: Array) -> Array:
    """The median of each column's known entries, NaN where there is none."""
    unknown = np.isnan(estimates).all(axis=0)
    return np.where(unknown, np.nan, np.nanmedian(np.where(unknown, 0.0, estimates), axis=0))


def _fill(block: Array, matrix: NDArray[Any], rows: Indices, columns: Indices) -> None:
    """Write C₁₂, a quarter of C, in double precision."""

    def work(start: int) -> None:
        block_rows = slice(start, start + ROWS_AT_ONCE)
        block[block_rows] = matrix[np.ix_(rows[block_rows], columns)]

    each(work, range(0, len(rows), ROWS_AT_ONCE))


def singular_spaces(block: Array, k: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Orthonormal bases of the spaces of the `k` first left and right singular vectors.

    They are found within [GV, GGᵀGV, …] for a random V of a few more than K columns, or by a dense
    SVD where that would be no smaller than G. There are fewer than K where G has a lower rank:
    directions that are rounding error span nothing.
    """
    width = k + OVERSAMPLED
    small = DEPTH * width > min(block.shape)
    left, values, _ = np.linalg.svd(
        block if small else _krylov_images(block, width, rng), full_matrices=False
    )
    rank = int((values[:k] > values[0] * max(block.shape) * np.finfo(float).eps).sum())
    left = np.ascontiguousarray(left[:, :rank])
    return left, np.linalg.qr(mixed(block.T, left))[0]


def _krylov_images(block: Array, width: int, rng: np.random.Generator) -> Array:
    """G × an orthonormal basis of [V, GᵀGV, (GᵀG)²V, …], whose left singular vectors are G's."""
    parts = [np.linalg.qr(rng.standard_normal((block.shape[1], width)))[0]]
    images = [mixed(block, parts[0])]
    for _ in range(1, DEPTH):
        parts.append(new_directions(np.hstack(parts), mixed(block.T, images[-1])))
        images.append(mixed(block, parts[-1]))
    return np.hstack(images)
