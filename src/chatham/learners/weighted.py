"""Rows and how much they count: as a whole, and cell by cell.

Weights are a holder's own data: they stay with its rows, and no sum is over them alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.commons.interface import Commons, as_rows
from chatham.errors import InputError

Array = NDArray[np.float64]


class Weighted:
    """A matrix whose rows, or cells, don't all count alike; for learners that can weight them.

    Parameters
    ----------
    counts : the rows, as without weights.
    sample_weight : one number for each row. A row of weight two counts as two rows, with its error
        and the penalties on its weights; one of weight zero doesn't count at all.
    cell_weight : Ψ, rows × columns: how much each cell's squared error counts (thesis, eq. 2.23).
        A cell that a sparse Ψ doesn't store has weight zero, as has one that is zero in a dense
        one: its value then doesn't matter. Penalties are what they are without it.
    start : topic weights of each row to begin from, if topics to begin from are given.

    Between several holders each wraps its own rows.

    >>> import chatham as ch
    >>> heavy, light = [[5, 3, 0], [4, 4, 1]], [[0, 1, 5]]
    >>> parties = ch.Simulated([ch.Weighted(heavy, sample_weight=[0.5, 0.5]), ch.Weighted(light)])
    >>> ch.NMF(2, constraint="none", random_state=0).fit(parties).components_.shape
    (2, 3)
    """

    def __init__(
        self, counts: Any, *, sample_weight: Any = None, cell_weight: Any = None, start: Any = None
    ) -> None:
        rows = as_rows(counts)
        self.shape: tuple[int, int] = tuple(rows.shape)
        self.sample_weight = None if sample_weight is None else _of_rows(sample_weight, self.shape)
        self.cell_weight = None if cell_weight is None else _of_cells(cell_weight, self.shape)
        self.counts = _without_what_never_counts(rows, self.sample_weight, self.cell_weight)
        self.start = None if start is None else _start(start, self.shape)

    def around(self, counts: Any) -> Weighted:
        """The same weights for these rows in another form."""
        same = Weighted(counts)
        same.sample_weight, same.cell_weight = self.sample_weight, self.cell_weight
        same.start = self.start
        return same

    @property
    def counted(self) -> sp.csr_array:
        """The cells that count at all, and as they are: zeros elsewhere."""
        rows = sp.csr_array(self.counts, dtype=np.float64, copy=True)
        if self.sample_weight is not None:
            rows.data[np.repeat(self.sample_weight == 0, np.diff(rows.indptr))] = 0.0
        if self.cell_weight is not None:
            rows = sp.csr_array(rows * (self.cell_weight > 0))
        rows.eliminate_zeros()
        return rows

    def sum(self, axis: int | None = None) -> Any:
        """Sums of the cells that count at all, as of a matrix."""
        return self.counted.sum(axis=axis)

    def of_words(self, words: NDArray[np.bool_]) -> Weighted:
        """The same rows without the cells of other words, whose columns stay; zeros that are
        stored stay too, where what is stored is what is known."""
        rows = sp.csr_array(self.counts, dtype=np.float64, copy=True)
        kept = self.around(_of_words(rows, words))
        if self.cell_weight is not None:
            kept.cell_weight = _of_words(self.cell_weight, words)
        return kept

    @property
    def largest(self) -> float:
        """The most that a cell counts."""
        rows, cells = self.sample_weight, self.cell_weight
        return float(
            (1.0 if rows is None else rows.max(initial=0.0))
            * (1.0 if cells is None else cells.data.max(initial=0.0))
        )


def counted_in(rows: Any) -> Any:
    """A holder's matrix as far as it counts."""
    return rows.counted if isinstance(rows, Weighted) else rows


def _of_words(rows: sp.csr_array, words: NDArray[np.bool_]) -> sp.csr_array:
    kept = words[rows.indices]
    ends = np.concatenate([[0], np.cumsum(kept)])[rows.indptr]
    return sp.csr_array((rows.data[kept], rows.indices[kept], ends), shape=rows.shape)


def _without_what_never_counts(rows: Any, of_rows: Array | None, psi: sp.csr_array | None) -> Any:
    """The rows, with a zero for whatever is no count in a cell of no weight."""
    sparse = sp.issparse(rows)
    values = rows.data if sparse else np.asarray(rows)
    if values.dtype.kind not in "fiub" or ((values >= 0) & np.isfinite(values)).all():
        return rows
    matrix = sp.csr_array(rows, dtype=np.float64, copy=True)  # NaN is stored where it stands
    wrong = ~((matrix.data >= 0) & np.isfinite(matrix.data))
    owners = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))[wrong]
    counts = np.ones(len(owners), dtype=bool)
    if psi is not None:
        counts = np.asarray(psi[owners, matrix.indices[wrong]]).ravel() > 0
    if of_rows is not None:
        counts &= of_rows[owners] > 0
    matrix.data[np.flatnonzero(wrong)[~counts]] = 0.0
    return matrix if sparse else matrix.toarray()


def weighted_cells(counts: sp.csr_array, psi: sp.csr_array, stored: bool) -> Any:
    """The cells of positive weight, with zeros among them, and their weights in the same order.

    With `stored` only those that `counts` stores. It takes time by the number of these cells.
    """
    rows, d = np.repeat(np.arange(psi.shape[0]), np.diff(psi.indptr)), psi.shape[1]
    mine = np.repeat(np.arange(psi.shape[0]), np.diff(counts.indptr)) * d + counts.indices
    wanted = rows * d + psi.indices
    place = np.searchsorted(mine, wanted)
    known = np.zeros(len(wanted), dtype=bool)
    inside = place < len(mine)
    known[inside] = mine[place[inside]] == wanted[inside]
    values = np.zeros(len(wanted))
    values[known] = counts.data[place[known]]
    kept = known if stored else np.ones(len(wanted), dtype=bool)
    ends = np.cumsum(np.bincount(rows[kept], minlength=psi.shape[0]))
    cells = values[kept], psi.indices[kept], np.concatenate([[0], ends])
    return sp.csr_array(cells, shape=psi.shape), psi.data[kept]


def _of_rows(given: Any, shape: tuple[int, int]) -> Array:
    weights = _numbers(given, "sample_weight")
    if weights.shape != shape[:1]:
        raise InputError(
            f"sample_weight has shape {weights.shape} for {shape[0]:,} rows; give one number for "
            "each row."
        )
    _check_weights(weights, "sample_weight")
    return weights


def _of_cells(given: Any, shape: tuple[int, int]) -> sp.csr_array:
    if not sp.issparse(given):
        given = _numbers(given, "cell_weight")
    if tuple(given.shape) != shape:
        raise InputError(
            f"cell_weight has shape {tuple(given.shape)} for rows of shape {shape}; give one "
            "number for each cell."
        )
    psi = sp.csr_array(given, dtype=np.float64, copy=True)
    psi.check_format(full_check=True)
    psi.sum_duplicates()
    _check_weights(psi.data, "cell_weight")
    psi.eliminate_zeros()
    return psi


def _start(given: Any, shape: tuple[int, int]) -> Array:
    start = _numbers(given, "start")
    if start.ndim != 2 or len(start) != shape[0]:
        raise InputError(
            f"start has shape {start.shape} for {shape[0]:,} rows; give each row's topic weights."
        )
    _check_weights(start, "start")
    return start


def _numbers(given: Any, name: str) -> Array:
    with suppress(TypeError, ValueError):
        return np.array(given, dtype=np.float64)
    raise InputError(f"{name} holds something else than numbers; give numbers.")


def _check_weights(weights: Array, name: str) -> None:
    if not np.isfinite(weights).all() or weights.min(initial=0.0) < 0:
        raise InputError(f"{name} has weights that are negative or not finite; give others.")


def check_masked(commons: Commons, weighted: Sequence[Weighted]) -> None:
    """Refuse weights that could overflow fixed point: a cell of a masked sum counts one at most."""
    largest = max(rows.largest for rows in weighted)
    if commons.private and largest > 1:
        raise InputError(
            f"NMF got a weight of {largest:g}, and in masked sums weights may be at most 1; divide "
            "all parties' weights by the largest."
        )
