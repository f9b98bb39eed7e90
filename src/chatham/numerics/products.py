"""Products of sparse rows with tall dense arrays, by blocks and by threads.

Dense factors are kept with the topics side by side (word × topic, document × topic), so that one
nonzero cell adds one contiguous row.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Protocol

import numpy as np
from numba import njit
from numpy.typing import NDArray

from chatham.numerics.threads import each

Array = NDArray[np.float64]


class SparseRows(Protocol):
    """CSR arrays with fixed blocks of rows."""

    indptr: NDArray[Any]
    indices: NDArray[Any]
    data: Array

    @property
    def blocks(self) -> list[tuple[int, int]]:
        """Ranges of rows that don't depend on the number of threads."""
        ...


@njit(cache=True, nogil=True, fastmath={"reassoc"})
def dot(left: Array, right: Array) -> float:
    """Σ left·right in an order that suits the machine's vectors; it stays within one holder.

    The order is fixed when the loop is compiled and depends on the length alone. That holds only
    because nothing is stored here: `numerics/leaning.py` says what happens otherwise.
    """
    total = 0.0
    for entry in range(len(left)):
        total += left[entry] * right[entry]
    return total


@njit(cache=True, nogil=True)
def multiply_rows(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: Array,
    dense: Array,
    first: int,
    last: int,
    out: Array,
) -> None:
    """Rows `first` to `last` of (sparse × dense) into `out`, whose row 0 is row `first`.

    Four cells at a time save three quarters of the target's reads and writes; they are added one
    after the other still, so the sum is the same to the last bit.
    """
    width = dense.shape[1]
    for row in range(first, last):
        target = out[row - first]
        target[:] = 0.0
        cell, end = indptr[row], indptr[row + 1]
        while cell + 4 <= end:
            a, b = dense[indices[cell]], dense[indices[cell + 1]]
            c, d = dense[indices[cell + 2]], dense[indices[cell + 3]]
            at_a, at_b, at_c, at_d = data[cell], data[cell + 1], data[cell + 2], data[cell + 3]
            for column in range(width):
                upto_b = (target[column] + at_a * a[column]) + at_b * b[column]
                target[column] = (upto_b + at_c * c[column]) + at_d * d[column]
            cell += 4
        for remaining in range(cell, end):
            source = dense[indices[remaining]]
            value = data[remaining]
            for column in range(width):
                target[column] += value * source[column]


def multiply(rows: SparseRows, dense: Array) -> Array:
    """rows × dense: each row is added up in the order of its cells, whatever the blocks."""
    product = np.empty((len(rows.indptr) - 1, dense.shape[1]), dtype=dense.dtype)
    each(partial(_multiply_block, rows, dense, product), rows.blocks)
    return product


def _multiply_block(rows: SparseRows, dense: Array, product: Array, block: tuple[int, int]) -> None:
    first, last = block
    multiply_rows(rows.indptr, rows.indices, rows.data, dense, first, last, product[first:last])


class Gathered(SparseRows, Protocol):
    """The transpose of a matrix by rows; `order` leads from its cells to those of the matrix."""

    order: NDArray[np.int64]


def gather_by_word(words: Gathered, values: Array, weights: Array) -> Array:
    """valuesᵀ × weights, word by word, for values that stand in the cells of the documents."""
    gathered = np.empty((len(words.indptr) - 1, weights.shape[1]))

    def work(block: tuple[int, int]) -> None:
        cells = slice(words.indptr[block[0]], words.indptr[block[1]])
        pointers = words.indptr[block[0] : block[1] + 1] - cells.start
        moved = values[words.order[cells]]
        target = gathered[slice(*block)]
        multiply_rows(pointers, words.indices[cells], moved, weights, 0, len(target), target)

    each(work, words.blocks)
    return gathered


def gram(left: Array, right: Array, blocks: list[tuple[int, int]]) -> Array:
    """leftᵀ × right, block by block and added in the order of the blocks."""
    parts = each(lambda block: left[slice(*block)].T @ right[slice(*block)], blocks)
    total = np.zeros((left.shape[1], right.shape[1]))
    for part in parts:
        total += part
    return total


def sums_by(groups: NDArray[Any], values: Array, count: int) -> Array:
    """The sum of the values that belong to each of `count` groups."""
    return np.bincount(groups, values, count).astype(np.float64, copy=False)
