"""The priors that LDA is given: numbers that can be ones, and as many as there must be."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError

Array = NDArray[np.float64]

SMALLEST_PRIOR = 1e-10


def check_prior(given: Any, name: str) -> None:
    """Refuse numbers that no prior can be; how many there must be is known with the documents."""
    try:
        prior = np.asarray(1.0 if given is None else given, dtype=np.float64)
    except (TypeError, ValueError):
        prior = np.array(np.nan)
    if not (np.isfinite(prior).all() and prior.min(initial=1.0) >= SMALLEST_PRIOR):
        raise InputError(
            f"The {name!r} parameter of LDA must be finite and at least {SMALLEST_PRIOR:g} "
            f"everywhere. Got {given!r} instead."
        )


def prior_of(given: Any, default: float, length: int, name: str, each_of: str) -> Array:
    """A prior as an array: one number for all, or one for each topic or word."""
    prior = np.asarray(default if given is None else given, dtype=np.float64)
    if prior.ndim == 0:
        prior = np.full(length, float(prior))
    if prior.shape != (length,):
        raise InputError(
            f"The {name!r} parameter of LDA must be a number, or one for each {each_of} "
            f"({length}). Got an array of shape {prior.shape} instead."
        )
    return prior
