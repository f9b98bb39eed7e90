"""A matrix of low rank whose negative entries are set to zero, known by few numbers.

A few per cent of the entries of UΛUᵀ + shift are negative, so max(UΛUᵀ + shift, 0) is the same
matrix plus a sparse one that cancels the negative entries. Products with it cost about as much as
with the factors; the full matrix is formed only once, at the end, or where words are too many for
that not at all (`ClippedRows`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from chatham.numerics.eigen import inner, mixed
from chatham.numerics.products import multiply
from chatham.numerics.threads import blocks, each

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

CHUNK = 64
"""Columns that are counted at once: most chunks have no negative entry, and are skipped."""
TILE = 256
"""Rows and columns of a square, small enough for a core's own cache."""


@dataclass(frozen=True)
class LowRank:
    """UΛUᵀ + shift·ooᵀ, where o is one for words that occur: only these are shifted."""

    vectors: Array
    values: Array
    shift: float
    occurs: NDArray[np.bool_]

    @cached_property
    def left(self) -> Array:
        """[UΛ, shift·o]: with `right`, the two factors of the whole."""
        return np.column_stack([self.vectors * self.values, self.shift * self.occurs])

    @cached_property
    def right(self) -> Array:
        """[U, o]."""
        return np.column_stack([self.vectors, self.occurs])

    def squared_distance(self, other: LowRank) -> float:
        """‖UΛUᵀ − VMVᵀ‖²_F, without forming either."""
        crossing = inner(self.vectors, other.vectors) ** 2
        both = float((self.values**2).sum() + (other.values**2).sum())
        return max(both - 2.0 * float(self.values @ crossing @ other.values), 0.0)


class Clipped:
    """max(low rank, 0), for products: low rank plus what sets its negative entries to zero."""

    def __init__(self, low_rank: LowRank, dtype: Any = np.float64) -> None:
        self.low_rank = low_rank
        self.raised = _negative_entries(low_rank, np.dtype(dtype))

    def times(self, right: Array) -> Array:
        """max(low rank, 0) × right. The small sparse part is computed in the precision of C."""
        raised = multiply(self.raised, right.astype(self.raised.data.dtype, copy=False))
        return mixed(self.low_rank.left, inner(self.low_rank.right, right)) + raised


class ClippedRows:
    """max(low rank, 0), divided by its sum, whose rows are computed whenever they are needed.

    To whoever reads rows it is the array that `clipped` returns, up to rounding; but it takes no
    more memory than the factors.
    """

    def __init__(self, low_rank: LowRank, dtype: Any = np.float64) -> None:
        self.dtype = np.dtype(dtype)
        self._left = low_rank.left.astype(dtype)
        self._right = np.ascontiguousarray(low_rank.right.T.astype(dtype))
        slices = [slice(first, first + TILE) for first in range(0, len(self), TILE)]
        sums = each(lambda rows: self._raw(rows).sum(axis=1, dtype=np.float64), slices)
        self._row_sums = np.concatenate(sums)
        self._total = float(self._row_sums.sum())

    def __len__(self) -> int:
        """Count the rows."""
        return len(self._left)

    def __getitem__(self, rows: Any) -> NDArray[Any]:
        """Some rows, by their indices or as a slice."""
        return np.asarray(self._raw(rows) / self.dtype.type(self._total))

    def sum(self, axis: int, dtype: Any = np.float64) -> Array:
        """The sums of the rows, which are also those of the columns."""
        return np.asarray(self._row_sums / self._total, dtype=dtype)

    def _raw(self, rows: Any) -> NDArray[Any]:
        return np.maximum(self._left[rows] @ self._right, 0)


@dataclass
class _Cells:
    """A symmetric sparse matrix by rows, in blocks that threads share."""

    indptr: Indices
    indices: NDArray[np.int32]
    data: NDArray[Any]

    @cached_property
    def blocks(self) -> list[tuple[int, int]]:
        return blocks(self.indptr)


def clipped(low_rank: LowRank, dtype: Any = np.float64) -> NDArray[Any]:
    """max(low rank, 0), divided by its sum, in full: symmetric to the last bit."""
    left, right = low_rank.left.astype(dtype), low_rank.right.T.astype(dtype)
    d = len(left)
    matrix = np.empty((d, d), dtype=dtype)
    starts = range(0, d, TILE)

    def work(first: int) -> float:
        rows, total = slice(first, min(first + TILE, d)), 0.0
        for start in range(first, d, TILE):
            columns = slice(start, min(start + TILE, d))
            square = np.maximum(left[rows] @ right[:, columns], 0)
            if rows == columns:
                square = np.triu(square) + np.triu(square, 1).T
            matrix[rows, columns], matrix[columns, rows] = square, square.T
            total += float(square.sum(dtype=np.float64)) * (1.0 if rows == columns else 2.0)
        return total

    total = sum(each(work, starts))

    def divide(first: int) -> None:
        matrix[first : first + TILE] /= matrix.dtype.type(total)

    each(divide, starts)
    return matrix


def _negative_entries(low_rank: LowRank, dtype: np.dtype[Any]) -> _Cells:
    """The sizes of the negative entries, found above the diagonal and mirrored."""
    left, right = low_rank.left.astype(dtype), low_rank.right.T.astype(dtype)
    d = len(left)

    def work(first: int) -> tuple[Indices, NDArray[np.int32], NDArray[Any]]:
        room = np.empty((min(TILE, d - first), d - first), dtype=dtype)
        return _above_diagonal(
            np.matmul(left[first : first + TILE], right[:, first:], out=room), first
        )

    counts, indices, sizes = zip(*each(work, range(0, d, TILE)), strict=True)
    return _Cells(
        *_mirrored(np.concatenate(counts), np.concatenate(indices), np.concatenate(sizes))
    )


@njit(cache=True, nogil=True)
def _above_diagonal(
    strip: NDArray[Any], first: int
) -> tuple[Indices, NDArray[np.int32], NDArray[Any]]:
    """For rows that start on the diagonal: negative entries per row, their columns, their sizes."""
    chunks = np.empty((len(strip), strip.shape[1] // CHUNK + 1), np.int64)
    for row in range(len(strip)):
        for chunk in range(chunks.shape[1]):
            entries = strip[row, max(chunk * CHUNK, row) : (chunk + 1) * CHUNK]
            count = 0
            for column in range(len(entries)):
                count += entries[column] < 0
            chunks[row, chunk] = count
    counts = chunks.sum(axis=1)
    indices = np.empty(counts.sum(), np.int32)
    sizes = np.empty(len(indices), strip.dtype)
    cursor = 0
    for row in range(len(strip)):
        for chunk in range(chunks.shape[1]):
            if chunks[row, chunk] == 0:
                continue
            for column in range(max(chunk * CHUNK, row), min((chunk + 1) * CHUNK, strip.shape[1])):
                if strip[row, column] < 0:
                    indices[cursor] = first + column
                    sizes[cursor] = -strip[row, column]
                    cursor += 1
    return counts, indices, sizes


@njit(cache=True, nogil=True)
def _mirrored(
    counts: Indices, indices: NDArray[np.int32], sizes: NDArray[Any]
) -> tuple[Indices, NDArray[np.int32], NDArray[Any]]:
    """The whole symmetric matrix, from its entries on and above the diagonal, row by row.

    Rows are filled from the first on: entries left of a row's diagonal come from rows before it,
    and so are written before its own.
    """
    d = len(counts)
    pointers = np.zeros(d + 1, np.int64)
    cursor = 0
    for row in range(d):
        for _ in range(counts[row]):
            pointers[row + 1] += 1
            if indices[cursor] != row:
                pointers[indices[cursor] + 1] += 1
            cursor += 1
    pointers = np.cumsum(pointers)
    ends = pointers[:-1].copy()
    columns = np.empty(pointers[-1], np.int32)
    values = np.empty(pointers[-1], sizes.dtype)
    cursor = 0
    for row in range(d):
        for _ in range(counts[row]):
            column = indices[cursor]
            columns[ends[row]], values[ends[row]] = column, sizes[cursor]
            ends[row] += 1
            if column != row:
                columns[ends[column]], values[ends[column]] = row, sizes[cursor]
                ends[column] += 1
            cursor += 1
    return pointers, columns, values
