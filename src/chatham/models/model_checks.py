"""What the arrays of a model file must be: their shapes, their range, and what a fit makes true.

Kernels trust all of it, so a file that breaks it is refused, however its hashes fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from chatham.errors import ModelFileError
from chatham.models.learners import Learner, Shape
from chatham.models.model_folder import Arrays
from chatham.naming import plural

Lengths = tuple[int, ...]

ALWAYS = ("topics", "prevalence", "objective")
PARAMETER = "parameter."
FITTED = "fitted."
SMALLEST, LARGEST = 1e-37, 1e30
"""Between these, numbers stay above zero and finite in single precision, which some kernels use."""


def check_numbers(arrays: Arrays, learner: Learner, d: int) -> None:
    """Every array has the shape that topics and vocabulary dictate, and numbers in range."""
    topics = arrays.get("topics")
    k = len(topics) if topics is not None and topics.ndim == 2 else 0
    wanted = _wanted_shapes(learner, {"k": k, "d": d})
    for name, allowed in wanted.items():
        array = arrays.get(name)
        if array is None or array.shape not in allowed or array.dtype != np.float64 or k == 0:
            raise ModelFileError(
                f"The model's array {name!r} must be float64 of shape {allowed[0]}, for "
                f"{plural(k, 'topic')} and {plural(d, 'word')}; it is "
                f"{'missing' if array is None else _kind(array)}."
            )
        if name.removeprefix(FITTED) in learner.signed:
            _check_range(name, array, -LARGEST)
            _check_symmetry(name, array)
        else:
            above_zero = name.startswith(FITTED) or (name == "topics" and learner.utters_all)
            below = -LARGEST if name == "topics" and learner.directions else 0.0
            _check_range(name, array, SMALLEST if above_zero else below)
    _check_shares(arrays["prevalence"])
    series = {FITTED + name for name in learner.series}
    for name in series:
        _check_series(name, arrays.get(name))
    for name in arrays.keys() - {*ALWAYS, *wanted, *series}:
        if not name.startswith(PARAMETER):
            raise ModelFileError(f"The model's array {name[:40]!r} belongs to no model.")


def _wanted_shapes(learner: Learner, lengths: Mapping[str, int]) -> dict[str, list[Lengths]]:
    """The arrays that a model of this learner has, with the shapes that each may have."""
    shapes: dict[str, tuple[Shape, ...]] = {"topics": (("k", "d"),), "prevalence": (("k",),)}
    shapes |= {FITTED + name: allowed for name, allowed in learner.fitted.items()}
    shapes |= {FITTED + name: (shape,) for name, shape in learner.signed.items()}
    return {
        name: [tuple(lengths[part] for part in shape) for shape in allowed]
        for name, allowed in shapes.items()
    }


def _check_symmetry(name: str, array: Any) -> None:
    if not np.allclose(array, array.T, rtol=1e-6, atol=1e-9 * float(np.abs(array).max())):
        raise ModelFileError(f"The model's array {name!r} is not symmetric, as every fit's is.")


def _check_series(name: str, array: Any) -> None:
    if array is None or array.ndim != 1 or array.dtype != np.float64:
        raise ModelFileError(
            f"The model's array {name!r} must be a row of float64 numbers; it is "
            f"{'missing' if array is None else _kind(array)}."
        )
    _check_range(name, array, -LARGEST)


def _check_shares(prevalence: Any) -> None:
    if abs(prevalence.sum() - 1) > 1e-6:
        raise ModelFileError("The model's topic shares do not sum to one.")
    # Topics are numbered by their shares rounded to nine digits, so the last may be out of order.
    if (np.diff(prevalence) > 2e-9).any():
        raise ModelFileError("The model's topics are not numbered by size, the largest first.")


def check_simplex(topics: Any) -> None:
    """Topics are probabilities."""
    if (np.abs(topics.sum(axis=1) - 1) > 1e-6).any():
        raise ModelFileError("The model's topics are not probabilities: a row doesn't sum to one.")


def _check_range(name: str, array: Any, least: float) -> None:
    if not ((array >= least) & (array <= LARGEST)).all():
        raise ModelFileError(
            f"The model's array {name!r} holds numbers below {least:g} or above {LARGEST:g}, which "
            "no fit gives."
        )


def _kind(array: Any) -> str:
    return f"{array.dtype} of shape {array.shape}"
