"""The inferences by name: from fixed topics to the weights of documents."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.inference.base import Inference
from chatham.learners.inference.least_squares import LeastSquares
from chatham.learners.inference.linear import LESS_CONSERVATIVE, SPI, TLI
from chatham.learners.inference.padd import PADD
from chatham.learners.settings.inference import METHODS
from chatham.naming import plural
from chatham.wording import say

Array = NDArray[np.float64]


def inference_by(
    method: str,
    topics: Array,
    prevalence: Array,
    *,
    dual: Any = None,
    delta: float = 0.0,
    divisor: float = LESS_CONSERVATIVE,
) -> Inference:
    """The inference of that name for fixed topics; its `weights` treat each document by itself."""
    if method == "spi":
        return SPI(topics, prevalence)
    if method == "tli":
        return TLI(topics, prevalence, delta, divisor)
    if method == "least-squares":
        return LeastSquares(topics, prevalence)
    if method == "padd":
        return PADD(topics, prevalence, symmetric_in(dual, "dual", len(topics)))
    raise InputError(
        say(
            "{method=!r}: give one of {listed}.",
            method=method,
            listed=", ".join(map(repr, METHODS)),
        )
    )


def symmetric_in(values: Any, name: str, k: int) -> Array:
    """A symmetric k×k array of finite numbers."""
    array = numbers(values, name)
    if array.shape != (k, k):
        raise InputError(
            f"The {name} have shape {array.shape}; for {plural(k, 'topic')} give ({k}, {k})."
        )
    if not np.allclose(array, array.T, rtol=1e-6, atol=1e-9 * float(np.abs(array).max())):
        raise InputError(f"The {name} are not symmetric; give one number for two topics.")
    return (array + array.T) / 2.0


def numbers(values: Any, name: str) -> Array:
    """Finite numbers, as an array."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"The {name} are a {type(values).__name__}; give numbers.") from None
    if not np.isfinite(array).all():
        raise InputError(f"The {name} hold NaN or infinity; give finite numbers.")
    return array
