"""Least squares where cells don't all count alike, each row with its own Gram matrix.

For recommender data a cell that isn't stored is unknown, not zero; others count by a weight ψᵢⱼ.
Row i then minimises ½ wᵀGᵢw − pᵢᵀw with Gᵢ = Σ ψᵢⱼtⱼtⱼᵀ and pᵢ = Σ ψᵢⱼxᵢⱼtⱼ over the cells j that
it has. Symmetric matrices are packed: the upper half, row by row.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from chatham.numerics.products import SparseRows
from chatham.numerics.rows import descend_nonnegative, descend_simplex
from chatham.numerics.threads import each

Array = NDArray[np.float64]


@njit(cache=True, nogil=True)
def pack_cells(
    indices: NDArray[Any],
    data: Array,
    counting: Array,
    dense: Array,
    packed: Array,
    products: Array,
) -> None:
    """Add one row's cells up as they count: its packed Gram matrix and its products, into zeros."""
    width, n = dense.shape[1], len(indices)
    own = np.empty((n, width))
    for cell in range(n):
        own[cell] = dense[indices[cell]]
        for topic in range(width):
            products[topic] += counting[cell] * data[cell] * own[cell, topic]
    start = 0
    for topic in range(width):
        row = packed[start : start + width - topic]
        for cell in range(n):
            factor, others = counting[cell] * own[cell, topic], own[cell, topic:]
            for other in range(len(row)):
                row[other] += factor * others[other]
        start += width - topic


@njit(cache=True, nogil=True)
def unpack(packed: Array, gram: Array) -> None:
    """The whole symmetric matrix from its upper half."""
    position = 0
    for topic in range(gram.shape[0]):
        for other in range(topic, gram.shape[0]):
            gram[topic, other] = packed[position]
            gram[other, topic] = packed[position]
            position += 1


@njit(cache=True, nogil=True)
def descend_packed(
    weights: Array,
    products: Array,
    packed: Array,
    l1: float,
    l2: float,
    simplex: bool,
    first: int,
    last: int,
    sweeps: int,
) -> None:
    """Sweeps of topics `first` to `last` for each row, with the row's own packed Gram matrix."""
    width = weights.shape[1]
    gram = np.empty((width, width))
    for row in range(weights.shape[0]):
        unpack(packed[row], gram)
        own = slice(row, row + 1)
        if simplex:
            descend_simplex(weights[own], products[own], gram, l2, first, last, sweeps)
        else:
            descend_nonnegative(weights[own], products[own], gram, l1, l2, first, last, sweeps)


@njit(cache=True, nogil=True)
def _descend_cells(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: Array,
    counting: Array,
    dense: Array,
    weights: Array,
    l1: float,
    l2: float,
    simplex: bool,
    topics: tuple[int, int],
    sweeps: int,
    rows: tuple[int, int],
) -> None:
    width = dense.shape[1]
    packed = np.empty((1, width * (width + 1) // 2))
    products = np.empty((1, width))
    for row in range(rows[0], rows[1]):
        packed[:] = 0.0
        products[:] = 0.0
        cells = slice(indptr[row], indptr[row + 1])
        pack_cells(indices[cells], data[cells], counting[cells], dense, packed[0], products[0])
        row_weights = weights[row : row + 1]
        descend_packed(row_weights, products, packed, l1, l2, simplex, topics[0], topics[1], sweeps)


def descend_observed(
    rows: SparseRows,
    counting: Array,
    dense: Array,
    weights: Array,
    l1: float,
    l2: float,
    simplex: bool,
    topics: tuple[int, int],
    sweeps: int = 1,
) -> None:
    """Sweeps over the topics in the range, for every row of `weights`, in place.

    `counting` is the weight of each cell.
    """

    cells = rows.indptr, rows.indices, rows.data, counting
    work = partial(_descend_cells, *cells, dense, weights, l1, l2, simplex, topics, sweeps)
    each(work, rows.blocks)


@njit(cache=True, nogil=True)
def _pack_rows(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: Array,
    counting: Array,
    dense: Array,
    packed: Array,
    products: Array,
    first: int,
    last: int,
) -> None:
    for row in range(first, last):
        cells = slice(indptr[row], indptr[row + 1])
        pack_cells(indices[cells], data[cells], counting[cells], dense, packed[row], products[row])


def pack(rows: SparseRows, counting: Array, dense: Array) -> tuple[Array, Array]:
    """Every row's products and packed Gram matrix, over cells that count by a weight each."""
    n, width = len(rows.indptr) - 1, dense.shape[1]
    products, packed = np.zeros((n, width)), np.zeros((n, width * (width + 1) // 2))
    cells = rows.indptr, rows.indices, rows.data, counting
    kernel = partial(_pack_rows, *cells, dense, packed, products)
    each(lambda block: kernel(*block), rows.blocks)
    return products, packed


@njit(cache=True, nogil=True)
def residues(
    indptr: NDArray[Any], indices: NDArray[Any], data: Array, weights: Array, dense: Array
) -> Array:
    """The residual of each stored cell under weights × topics."""
    residuals = np.empty(len(data))
    for row in range(len(indptr) - 1):
        for cell in range(indptr[row], indptr[row + 1]):
            fit = 0.0
            for topic in range(weights.shape[1]):
                fit += weights[row, topic] * dense[indices[cell], topic]
            residuals[cell] = data[cell] - fit
    return residuals
