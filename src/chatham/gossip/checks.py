"""Checks of what a user gives a graph, a schedule or a simulation."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.naming import value_shown
from chatham.wording import Parameter, say


def check_whole(value: Any, least: int, name: str) -> int:
    """A whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        given = Parameter(name, value_shown(value))
        raise InputError(say("{given} must be a whole number of at least {least}.",
                             given=given, least=least))  # fmt: skip
    return int(value)


def check_number(value: Any, least: float, most: float, name: str, rule: str) -> float:
    """A number between two bounds; `rule` says what it must be."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or not least <= value <= most:
        given = Parameter(name, value_shown(value))
        raise InputError(say("{given} must be {rule}.", given=given, rule=rule))
    return float(value)


def as_numbers(value: Any, name: str) -> NDArray[np.float64]:
    """An array of finite numbers of its own."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if not np.isfinite(array).all():
        raise InputError(say("{name} must be finite numbers.", name=Parameter(name)))
    return array


def as_list(value: Any, what: str) -> list[Any]:
    """What a loop can go over, as a list."""
    if not isinstance(value, Iterable) or isinstance(value, str | bytes):
        raise InputError(f"{what}; got a {type(value).__name__}.")
    return list(value)
