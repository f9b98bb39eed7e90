"""Parameters as plain JSON values, with arrays kept apart: for model files and for people."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError

Arrays = dict[str, NDArray[Any]]


def parted(parameters: Mapping[str, Any]) -> tuple[dict[str, Any], Arrays]:
    """Plain values by name, and the arrays; an array leaves a note of its shape behind.

    >>> plain, arrays = parted({"tol": np.float64(0.5), "init": np.ones((2, 3))})
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
    """Undo `parted`; a note without its array, or an array without its note, is refused."""
    noted = {name for name, value in plain.items() if isinstance(value, dict)}
    if noted != set(arrays):
        raise InputError("its parameters and its arrays don't fit together.")
    return {**plain, **arrays}


def check_seed(parameters: Mapping[str, Any]) -> None:
    """A seed that was saved is a whole number that numpy takes, or none."""
    seed = parameters.get("random_state")
    if seed is not None and (type(seed) is not int or not 0 <= seed < 2**32):
        raise InputError("its random_state must be a whole number below 2**32, or null.")


def as_pairs(events: Any, name: str, k: int) -> list[tuple[int, int]]:
    """The list of (iteration, topic) of that name, read back from JSON."""
    pairs = events.get(name) if isinstance(events, Mapping) else None
    if not isinstance(pairs, list) or not all(_is_pair(pair, k) for pair in pairs):
        raise InputError(f"its list {name!r} must hold pairs of an iteration and a topic.")
    return [(iteration, topic) for iteration, topic in pairs]


def as_groups(groups: Any, name: str, k: int, d: int) -> list[NDArray[np.int64]]:
    """The list of that name with some places of words for each topic, read back from JSON."""
    listed = groups.get(name) if isinstance(groups, Mapping) else None
    if (
        not isinstance(listed, list)
        or len(listed) != k
        or not all(_are_places(group, d) for group in listed)
        or len({place for group in listed for place in group}) < sum(map(len, listed))
    ):
        raise InputError(
            f"its list {name!r} must hold places of words for each of {k} topics, none twice."
        )
    return [np.array(group, dtype=np.int64) for group in listed]


def _are_places(group: Any, d: int) -> bool:
    whole = isinstance(group, list) and all(type(place) is int for place in group)
    return whole and len(group) > 0 and all(0 <= place < d for place in group)


def _is_pair(pair: Any, k: int) -> bool:
    whole = isinstance(pair, list) and len(pair) == 2 and all(type(part) is int for part in pair)
    return whole and pair[0] >= 0 and 0 <= pair[1] < k


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

    Arrays of words aren't: they are as plain as lists.
    """
    for attribute in ("components_", "topics"):
        value = getattr(value, attribute, value)
    if hasattr(value, "toarray"):
        value = value.toarray()
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf":
        return None
    whole = np.issubdtype(value.dtype, np.integer) or value.dtype == bool
    return np.ascontiguousarray(value, dtype=np.int64 if whole else np.float64)
