"""What the SVD does where the rows are: the size of X, and XᵀX times some directions of words.

Fixed-point sums have room for whole numbers up to a bound. No entry of XᵀXv exceeds ‖X‖² for a unit
vector v; so, once ‖X‖² is known to a power of two, images are multiplied by the power of two that
fills the room. That changes no digit here, and leaves as few as possible behind there.
"""

from __future__ import annotations

from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons, Memory
from chatham.commons.fixed_point import LARGEST
from chatham.models.documents import Documents
from chatham.numerics.products import multiply

Array = NDArray[np.float64]

SHIFTS = (5, 30, 55)
"""Powers of two by which ‖X‖² is multiplied: it may be anything from 2⁻⁵⁰ to 2⁵⁰."""


def measure(commons: Commons, hidden: bool) -> tuple[int, int, float]:
    """How many rows there are, how many aren't empty, and a power of two of at least ‖X‖²."""
    rows, sizes = commons.sum(size_of_rows, hidden, bits=0)
    fits = np.flatnonzero(sizes < room(commons.holders))
    best = int(fits[-1]) if len(fits) else 0
    size = float(sizes[best])
    exponent = ceil(log2(size)) - SHIFTS[best] if size > 0 else 0
    return int(rows[0]), int(rows[1]), 2.0**exponent


def size_of_rows(rows: Any, memory: Memory, hidden: bool) -> tuple[NDArray[np.int64], Array]:
    """How many rows there are, how many aren't empty, and ‖X‖² (if hidden: to a power of 16).

    ‖X‖² goes as three whole numbers, none larger than there is room for: a total below this is
    right, and the last of those that are is best.
    """
    documents = rows_of(rows, memory)
    size = documents.squared_norm
    if hidden and size > 0:
        size = 16.0 ** ceil(log2(size) / 4)
    sizes = np.minimum(size * 2.0 ** np.array(SHIFTS), room(memory.holders))
    return np.array([documents.n, (~documents.empty).sum()], dtype=np.int64), np.rint(sizes)


def room(holders: int) -> float:
    """The largest power of two for which a sum of whole numbers of so many holders has room."""
    return 2.0 ** ((LARGEST // holders).bit_length() - 1)


def gram_image(rows: Any, memory: Memory, basis: Array, factor: float) -> Array:
    """XᵀX times some directions of words, times a power of two."""
    documents = rows_of(rows, memory)
    image = multiply(documents, np.ascontiguousarray(basis))
    return multiply(documents.by_word, image) * factor


def rows_of(rows: Any, memory: Memory) -> Documents:
    """My rows as they are, negative numbers too, prepared once a fit."""
    if "rows" not in memory:
        memory["rows"] = Documents(rows, signed=True)
    documents: Documents = memory["rows"]
    return documents
