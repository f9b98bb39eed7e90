"""Counts that somebody gives us: checked, copied, and put into the one form used everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.errors import InputError

LARGEST_WHOLE_FLOAT = 2.0**53


def as_counts(matrix: Any) -> sp.csr_array:
    """Copy a matrix into a CSR array of counts: sorted, duplicates added, explicit zeros kept.

    Integers stay integers and floats become float64, whatever their values: else a few rows of a
    weighted corpus could have another type than the rest.

    >>> as_counts(np.array([[1, 0], [2, 3]])).dtype, as_counts(np.array([[0.5, 0.0]])).dtype
    (dtype('int64'), dtype('float64'))
    """
    counts = _as_csr(matrix)
    counts.data = _checked_values(counts)
    counts.sum_duplicates()
    if counts.nnz <= np.iinfo(np.int32).max:
        counts.indices = counts.indices.astype(np.int32, copy=False)
        counts.indptr = counts.indptr.astype(np.int32, copy=False)
    return counts


def whole_as_integers(counts: sp.csr_array) -> sp.csr_array:
    """Turn counts that came as floats into integers, if all of them are whole.

    >>> whole_as_integers(as_counts(np.array([[1.0, 0.0], [2.0, 3.0]]))).dtype
    dtype('int64')
    """
    data = counts.data
    # Casting is exact, there and back, only for whole numbers in this range.
    if np.all((data == np.floor(data)) & (data < LARGEST_WHOLE_FLOAT)):
        integers = data if data.dtype.kind == "i" else data.astype(np.int64)
        return sp.csr_array((integers, counts.indices, counts.indptr), shape=counts.shape)
    return counts


def _as_csr(matrix: Any) -> sp.csr_array:
    if not sp.issparse(matrix):
        matrix = np.asarray(matrix)
    if matrix.ndim != 2:
        raise InputError(f"Counts must have two dimensions, documents by words, not {matrix.ndim}.")
    if matrix.dtype.kind not in "biuf":
        raise InputError(f"Counts must be numbers, not of type {matrix.dtype}.")
    if matrix.dtype.kind == "f":
        matrix = matrix.astype(np.float64)  # SciPy has no sparse half precision
    try:
        counts = sp.csr_array(matrix, copy=True)
        # Without the full check, a wrong index makes compiled code read outside its memory.
        counts.check_format(full_check=True)
    except (ValueError, IndexError) as error:
        raise InputError(f"The sparse matrix is damaged: {str(error).rstrip('.')}.") from None
    return counts


def _checked_values(counts: sp.csr_array) -> NDArray[Any]:
    data: NDArray[Any] = counts.data
    _refuse(counts, ~np.isfinite(data), "isn't a finite number", "replace it by a count or by 0")
    _refuse(counts, data < 0, "is negative", "counts are 0 or more")
    if data.dtype == np.int32 and counts.has_canonical_format:
        return data
    if data.dtype.kind == "f":
        return data
    _refuse(counts, data > np.iinfo(np.int64).max, "is too large", "counts must be below 2^63")
    return data.astype(np.int64)


def _refuse(counts: sp.csr_array, wrong: NDArray[np.bool_], what: str, cure: str) -> None:
    if wrong.any():
        place = int(np.argmax(wrong))
        row = int(np.searchsorted(counts.indptr, place, side="right")) - 1
        column = int(counts.indices[place])
        raise InputError(f"The count in row {row}, column {column} {what}: {cure}.")
