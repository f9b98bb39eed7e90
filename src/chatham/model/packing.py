"""Arrays as bytes and back, for files that anybody may have made: sizes and shapes before trust.

A description in JSON announces arrays and their hash; the arrays are a safetensors file. Neither
can hold anything that runs. A model is a folder of the two, a published summary one file of both.
"""

from __future__ import annotations

import json
import math
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from safetensors import SafetensorError
from safetensors import numpy as safetensors

from chatham.errors import ModelFileError
from chatham.model.plain import Arrays

DTYPES = ("float64", "int64")
MOST_HEADER_BYTES = 1 << 20
MOST_ARRAY_BYTES = 1 << 40

Shapes = dict[str, tuple[int, ...]]


def packed_arrays(arrays: Mapping[str, Any], where: str) -> bytes:
    """The arrays as safetensors, the same bytes each time; what couldn't be read is refused."""
    ordered = {name: np.asarray(arrays[name], order="C") for name in sorted(arrays)}
    for name, array in ordered.items():
        check_array(name, array, where)
    return safetensors.save(ordered)


def unpacked_arrays(content: bytes, shapes: Shapes, path: Path) -> Arrays:
    """The arrays of a safetensors file: those that were announced, finite, and no others."""
    try:
        arrays = {name: array.copy() for name, array in safetensors.load(content).items()}
    except (SafetensorError, KeyError, ValueError, TypeError, AttributeError) as error:
        raise ModelFileError(f"'{path}' is not a readable safetensors file.") from error
    for name in shapes | arrays:
        _check_announced(path, name, arrays.get(name), shapes.get(name))
        check_array(name, arrays[name], f"in '{path}'")
    return arrays


def announced_shapes(announced: Any, path: Path, beside: str) -> Shapes:
    """The shapes that a description announces; `beside` says which one."""
    if not isinstance(announced, dict) or not all(map(is_shape, announced.values())):
        raise ModelFileError(f"{beside} '{path}' lists no shapes of arrays.")
    shapes = {name: tuple(shape) for name, shape in announced.items()}
    size = bytes_of(shapes)
    if size > MOST_ARRAY_BYTES:
        raise ModelFileError(f"'{path}' should hold {size:,} bytes of arrays, which is absurd.")
    return shapes


def bytes_of(shapes: Shapes) -> int:
    """The number of bytes that arrays of these shapes take."""
    return sum(8 * math.prod(shape) for shape in shapes.values())


def is_shape(shape: Any) -> bool:
    """Whether this can be an array's shape."""
    return (
        isinstance(shape, list)
        and len(shape) <= 3
        and all(type(length) is int and 0 <= length <= 1 << 40 for length in shape)
    )


def check_array(name: str, array: Any, where: str) -> None:
    """What is asked of an array before it is written and after it was read."""
    if not is_shape(list(array.shape)):
        raise ModelFileError(
            f"The array {name[:40]!r} {where} has {array.ndim} dimensions; give it at most 3."
        )
    if not np.isfinite(array).all():
        raise ModelFileError(f"The array {name[:40]!r} {where} contains NaN or infinity.")


def _check_announced(path: Path, name: str, array: Any, shape: tuple[int, ...] | None) -> None:
    if array is None or shape is None:
        raise ModelFileError(
            f"The array {name[:40]!r} is {'missing from' if array is None else 'unexpected in'} "
            f"'{path}'."
        )
    if array.shape != shape or str(array.dtype) not in DTYPES:
        raise ModelFileError(
            f"The array {name[:40]!r} in '{path}' is {array.dtype} of shape {array.shape}, where "
            f"float64 or int64 of shape {shape} was announced."
        )


def described(content: bytes, path: Path, what: str) -> dict[str, Any]:
    """The JSON object that describes `what`, of which every reader must read the same.

    So numbers that JSON doesn't have are refused, and so is a name that an object has twice.
    """
    try:
        description = json.loads(
            content.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_names_once
        )
    except (ValueError, RecursionError) as error:
        raise ModelFileError(
            f"'{path}' is not the JSON of a {what}; it is damaged, or something else."
        ) from error
    if not isinstance(description, dict):
        raise ModelFileError(f"'{path}' is not the JSON of a {what}: it holds no object.")
    return description


def _names_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    described = dict(pairs)
    if len(described) < len(pairs):
        raise ValueError("a name stands twice")
    return described


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def check_size(path: Path, most: int, whose: str) -> None:
    """Refuse what isn't an ordinary file, or is too large, before a byte of it is read."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise ModelFileError(f"'{path}' is not an ordinary file and was not opened.")
    if status.st_size > most:
        raise ModelFileError(
            f"'{path}' has {status.st_size:,} bytes, where at most {most:,} can belong to "
            f"{whose}; it is damaged, or something else."
        )
