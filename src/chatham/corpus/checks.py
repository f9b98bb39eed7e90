"""Ids, labels, vocabularies and counts as users give them: put into one form each, or refused."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.naming import plural, shown
from chatham.wording import Parameter, clause, say

if TYPE_CHECKING:
    import scipy.sparse as sp

LONGEST_NAME = 500
"""A longer id or word is a mistake, and would make every other one as wide in memory."""
LARGEST_WHOLE_FLOAT = 2.0**53


def as_vocabulary(words: Any, n_words: int, n_documents: int) -> NDArray[np.str_]:
    """Make the array of words, one per column of counts.

    >>> as_vocabulary(["tea", "milk"], n_words=2, n_documents=5).tolist()
    ['tea', 'milk']
    """
    listed_words = _strings(words, "vocabulary")
    if len(listed_words) != n_words:
        transposed = len(listed_words) == n_documents
        cure = "the matrix seems to be transposed, turn it" if transposed else "check the pair"
        raise InputError(
            f"The vocabulary has {plural(len(listed_words), 'word')} and the counts have "
            f"{plural(n_words, 'column')}: the numbers must be equal; {cure}."
        )
    if n_words == 0:
        raise InputError("The vocabulary is empty: give counts of at least one word.")
    first, second = _repeated(listed_words)
    if first >= 0:
        raise InputError(
            f"The vocabulary has the word {shown(listed_words[first])} twice, as columns {first} "
            f"and {second} (counted from 0): add the columns up or rename one."
        )
    return string_array(listed_words, "word")


def as_ids(ids: Any, n_documents: int) -> NDArray[np.str_]:
    """Make the array of ids, by default the row numbers.

    >>> as_ids(None, 2).tolist(), as_ids([7.0, 8.0], 2).tolist()
    (['0', '1'], ['7', '8'])
    """
    if ids is None:
        return np.array([str(row) for row in range(n_documents)], dtype=np.str_)
    names = id_strings(ids)
    _same_length("ids", len(names), n_documents)
    if "" in names:
        raise InputError(
            f"Row {names.index('')} (counted from 0) has no id: fill it in, or choose another id."
        )
    first, second = _repeated(names)
    if first >= 0:
        raise InputError(
            f"Ids must be unique, and rows {first} and {second} (counted from 0) have the same "
            "one: choose another id column, or none to use row numbers."
        )
    return string_array(names, "id")


def id_strings(ids: Iterable[Any]) -> list[str]:
    """Write ids as strings; a whole number given as a float loses its decimal point.

    >>> id_strings([1.0, "b", None])
    ['1', 'b', '']
    """
    return [_id_string(value) for value in ids]


def _id_string(value: Any) -> str:
    if missing(value):
        return ""
    whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value)) if whole else str(value)


def as_labels(labels: Any, n_documents: int) -> NDArray[np.object_] | None:
    """Make the array of labels, None where one is missing.

    >>> as_labels(["a", "", float("nan")], 3).tolist()
    ['a', None, None]
    """
    if labels is None:
        return None
    values = [None if missing(value) else value for value in labels]
    _same_length("labels", len(values), n_documents)
    array = np.empty(n_documents, dtype=object)
    # One by one, as numpy would take labels that are lists for further dimensions.
    for row, value in enumerate(values):
        array[row] = value
    return array


def missing(value: Any) -> bool:
    """Say whether there is no value: None, NaN, pandas' NA or an empty string.

    >>> import pandas as pd
    >>> [missing(value) for value in (None, float("nan"), pd.NA, "", 0, [], "tea")]
    [True, True, True, True, False, False, False]
    """
    if isinstance(value, str):
        return value == ""
    if value is None:
        return True
    import pandas as pd

    # Lists and arrays are values, whatever is in them; asking them for NA gives an array.
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def generator(random_state: Any) -> np.random.Generator:
    """Random numbers from a seed, or from a generator as it is."""
    with suppress(TypeError, ValueError):
        return np.random.default_rng(random_state)
    raise refused_seed(random_state)


def refused_seed(random_state: Any) -> InputError:
    """The error to raise; NumPy's own would quote what it got."""
    return InputError(
        say(
            "{random_state} must be None, a whole number of at least 0, a Generator or a "
            "RandomState, not {it!r}.",
            it=random_state,
        )
    )


def whole(value: Any) -> bool:
    """Say whether a value is a whole number, and not True or False.

    >>> whole(3), whole(3.0), whole(True)
    (True, False, False)
    """
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _same_length(name: str, length: int, n_documents: int) -> None:
    if length != n_documents:
        raise InputError(
            say(
                "{name} has {values} for {documents}: the numbers must be equal.",
                name=Parameter(name),
                values=plural(length, "value"),
                documents=plural(n_documents, "document"),
            )
        )


def _strings(values: Any, name: str) -> list[str]:
    if values is None or isinstance(values, str | bytes):
        raise InputError(
            say(
                "{name} must be a list of words, one for each column of the counts.",
                name=Parameter(name),
            )
        )
    return [str(value) for value in values]


def _repeated(values: list[str]) -> tuple[int, int]:
    """Find the first two equal values, or (-1, -1)."""
    first_position: dict[str, int] = {}
    for position, value in enumerate(values):
        if first_position.setdefault(value, position) != position:
            return first_position[value], position
    return -1, -1


def string_array(values: list[str], kind: str) -> NDArray[np.str_]:
    """Make an array of strings, after checking that none would make all the others huge.

    >>> string_array(["tea", "milk"], "word").tolist()
    ['tea', 'milk']
    """
    longest = max(map(len, values), default=0)
    if longest > LONGEST_NAME:
        raise InputError(
            f"The longest {kind} has {longest:,} characters and {LONGEST_NAME} are allowed: "
            f"choose something shorter as {kind}."
        )
    # numpy drops zeros at the end of a string, so two different ones could become the same.
    if any(value.endswith("\0") for value in values):
        raise InputError(f"A {kind} must not end with a zero character: clean it first.")
    return np.array(values, dtype=np.str_)


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
    import scipy.sparse as sp

    data = counts.data
    # Casting is exact, there and back, only for whole numbers in this range.
    if np.all((data == np.floor(data)) & (data < LARGEST_WHOLE_FLOAT)):
        integers = data if data.dtype.kind == "i" else data.astype(np.int64)
        return sp.csr_array((integers, counts.indices, counts.indptr), shape=counts.shape)
    return counts


def _as_csr(matrix: Any) -> sp.csr_array:
    import scipy.sparse as sp

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
        raise InputError(f"The sparse matrix is damaged: {clause(error)}.") from None
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


def _refuse(counts: sp.csr_array, wrong: NDArray[np.bool_], problem: str, cure: str) -> None:
    if wrong.any():
        position = int(np.argmax(wrong))
        row = int(np.searchsorted(counts.indptr, position, side="right")) - 1
        column = int(counts.indices[position])
        raise InputError(f"The count in row {row}, column {column} {problem}: {cure}.")
