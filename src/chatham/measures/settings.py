"""What a measure's settings may be: one sentence names the setting, the rule and what was given."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from chatham.errors import InputError
from chatham.wording import Parameter, say


def check_whole(name: str, value: Any, least: int) -> None:
    """A whole number of at least this.

    >>> check_whole("n_words", 10, least=1)
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError(
            say(
                "{name} must be a whole number of at least {least}. Got {value!r} instead.",
                name=Parameter(name),
                least=least,
                value=value,
            )
        )


def check_positive(name: str, value: Any) -> None:
    """A finite number above zero."""
    if not isinstance(value, Real) or not 0 < float(value) < math.inf:
        raise InputError(
            say(
                "{name} must be a finite number above 0. Got {value!r} instead.",
                name=Parameter(name),
                value=value,
            )
        )


def check_share(
    name: str, value: Any, *, above_zero: bool = False, below_one: bool = False
) -> None:
    """A number from 0 to 1, with the ends or without."""
    number = float(value) if isinstance(value, Real) else math.nan
    if not 0 <= number <= 1 or (above_zero and number == 0) or (below_one and number == 1):
        least = "above 0" if above_zero else "at least 0"
        most = "below 1" if below_one else "at most 1"
        raise InputError(
            say(
                "{name} must be a number {least} and {most}. Got {value!r} instead.",
                name=Parameter(name),
                least=least,
                most=most,
                value=value,
            )
        )
