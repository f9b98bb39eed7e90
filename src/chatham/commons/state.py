"""A hash of what parties share before a step: they must start from the same state, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.errors import InputError

Update = Callable[[Any], None]


def state_hash(shared: Any) -> bytes:
    """The hash of arrays, numbers, texts, and whatever is made of them.

    An object that is shared only in part returns that part from `shared_state()`: a model's number
    of threads and the file that it was read from concern nobody else.

    >>> state_hash((np.zeros(2), 1)) == state_hash((np.zeros(2), 1))
    True
    >>> state_hash(np.zeros(2)) == state_hash(-np.zeros(2))
    False
    """
    hashed = sha256(b"chatham state 2")
    _feed(hashed.update, shared)
    return hashed.digest()


def _feed(update: Update, value: Any) -> None:
    """Two different values never give the same bytes: each is prefixed with its type and length."""
    if value is None or type(value) in (bool, int, float, complex, str, bytes):
        text = repr(value).encode()
        update(f"{type(value).__name__}:{len(text)}:".encode() + text)
    elif isinstance(value, np.ndarray | np.generic):
        _feed_array(update, np.asarray(value, order="C"), value)
    elif sp.issparse(value):
        csr = value.tocsr().copy()
        csr.sum_duplicates()  # one matrix may be written in several ways
        indices = csr.indptr.astype(np.int64), csr.indices.astype(np.int64)
        _feed_parts(update, "sparse", [csr.shape, *indices, csr.data])
    elif hasattr(value, "shared_state") and not isinstance(value, type):
        _feed_parts(update, f"shared {_name(value)}", [value.shared_state()])
    elif isinstance(value, dict):
        _feed_parts(update, "dict", [part for pair in value.items() for part in pair])
    elif isinstance(value, tuple | list):
        _feed_parts(update, _name(value), value)
    elif is_dataclass(value) and not isinstance(value, type):
        named = [(field.name, getattr(value, field.name)) for field in fields(value)]
        _feed_parts(update, f"dataclass {_name(value)}", named)
    else:
        raise InputError(f"A {type(value).__name__} can't be shared between parties.")


def _feed_array(update: Update, array: NDArray[Any], original: Any) -> None:
    """An array's numbers in little-endian order, without a copy on machines that use it."""
    if array.dtype.kind not in "biufcSU" or isinstance(original, np.ma.MaskedArray):
        raise InputError(f"An array of dtype {array.dtype} can't be shared between parties.")
    array = array.astype(array.dtype.newbyteorder("<"), copy=False)
    update(f"array {array.dtype.str} {array.shape}:{array.nbytes}:".encode())
    update(array.reshape(-1).view(np.uint8).data if array.size else b"")


def _feed_parts(update: Update, kind: str, parts: Iterable[Any]) -> None:
    parts = list(parts)
    update(f"{kind}:{len(parts)}:".encode())
    for part in parts:
        _feed(update, part)


def _name(value: Any) -> str:
    """A value's type: a named tuple isn't a plain one, nor one of another name."""
    return f"{type(value).__module__}.{type(value).__qualname__}"


def floats_of(shared: tuple[Any, ...]) -> NDArray[np.float64]:
    """All floats among the shared values, end to end."""
    parts = [np.asarray(part, dtype=np.float64).ravel() for part in shared if _is_float(part)]
    return np.concatenate([np.empty(0), *parts])


def with_floats(shared: tuple[Any, ...], numbers: NDArray[np.float64]) -> tuple[Any, ...]:
    """The same values with other floats.

    >>> with_floats((1.5, "a", np.zeros(2)), np.array([2.5, 3.0, 4.0]))
    (2.5, 'a', array([3., 4.]))
    """
    replaced, offset = [], 0
    for part in shared:
        if not _is_float(part):
            replaced.append(part)
            continue
        size, shape = np.size(part), np.shape(part)
        chunk = numbers[offset : offset + size].reshape(shape).astype(np.asarray(part).dtype)
        replaced.append(chunk if shape or isinstance(part, np.ndarray) else float(chunk))
        offset += size
    return tuple(replaced)


def _is_float(part: Any) -> bool:
    array = isinstance(part, np.ndarray) and part.dtype in (np.float32, np.float64)
    return array or isinstance(part, float | np.floating)
