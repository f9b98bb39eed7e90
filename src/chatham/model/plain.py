"""Parameters as plain JSON values, separate from arrays: for model files and for people."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.numerics.topics import topics_of

Arrays = dict[str, NDArray[Any]]


def separated(parameters: Mapping[str, Any]) -> tuple[dict[str, Any], Arrays]:
    """Plain values by name, and the arrays; an array is replaced by a note of its shape.

    >>> plain, arrays = separated({"tol": np.float64(0.5), "init": np.ones((2, 3))})
    >>> plain
    {'tol': 0.5, 'init': {'array': [2, 3]}}
    >>> arrays["init"].shape
    (2, 3)
    """
    plain: dict[str, Any] = {}
    arrays: Arrays = {}
    for name, value in parameters.items():
        array = as_array(value)
        if array is None:
            plain[name] = as_plain(name, value)
        else:
            plain[name] = {"array": list(array.shape)}
            arrays[name] = array
    return plain, arrays


def joined(plain: Mapping[str, Any], arrays: Arrays) -> dict[str, Any]:
    """Undo `separated`; a note without its array, or an array without its note, is refused."""
    noted = {name for name, value in plain.items() if isinstance(value, dict)}
    if noted != set(arrays):
        raise InputError("its parameters and its arrays don't fit together.")
    return {**plain, **arrays}


def is_plain(value: Any, depth: int = 8) -> bool:
    """Whether a value is as plain as `separated` leaves it, of 64 bits, and nested no deeper."""
    if isinstance(value, list):
        return depth > 0 and all(is_plain(part, depth - 1) for part in value)
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return -(2**63) <= value < 2**64
    return value is None or isinstance(value, str)


def as_plain(name: str, value: Any) -> Any:
    """None, a number, a string or a list of such; a random generator has no plain form: None."""
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return None
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, np.ndarray):
        return as_plain(name, value.tolist())
    if isinstance(value, np.generic):
        return as_plain(name, value.item())
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real) and np.isfinite(float(value)):
        return float(value)
    if isinstance(value, list | tuple):
        return [as_plain(name, part) for part in value]
    raise InputError(
        f"The parameter {name!r} is a {type(value).__name__}, which can't be saved; it must be a "
        "finite number, a string, a list or an array."
    )


def as_array(value: Any) -> NDArray[Any] | None:
    """An array of numbers, or the topics of another model; None for anything else.

    Arrays of words give None: they are as plain as lists.
    """
    value = topics_of(value)
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf":
        return None
    whole = np.issubdtype(value.dtype, np.integer) or value.dtype == bool
    return np.ascontiguousarray(value, dtype=np.int64 if whole else np.float64)


def finite(value: Any) -> Any:
    """A value that JSON can hold; numbers that aren't finite are None.

    >>> finite({"a": [1.5, float("inf"), True], 2: ("x", None)})
    {'a': [1.5, None, True], '2': ['x', None]}
    """
    if isinstance(value, dict):
        return {str(name): finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [finite(each) for each in value]
    if value is None or isinstance(value, bool | str):
        return value
    if hasattr(value, "tolist"):
        return finite(value.tolist())
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if math.isfinite(value) else None
    return str(value)
