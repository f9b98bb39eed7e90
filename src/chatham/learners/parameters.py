"""Checks of what a user gives an estimator: documents, parameters, topics to start from.

A message names the parameter, the rule, and the value that broke it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.naming import holds_texts
from chatham.numerics.topics import as_topics
from chatham.wording import Parameter, say

EXACT = "exact totals"
"""The kind of errors about what only exact totals between parties allow."""

SMALLEST_PRIOR = 1e-10
"""The smallest parameter of a Dirichlet prior that may be given."""


def check_matrix(estimator: Any, X: Any) -> None:
    """Documents × words in numbers; scikit-learn would quote what isn't, or NumPy speak."""
    if hasattr(X, "nnz"):
        return
    if holds_texts(X):
        raise InputError(
            say(
                "{learner} takes a matrix of counts, documents × words, and got texts; {advice}.",
                learner=learner_called(estimator),
                advice="ch.fit counts the words of texts, and so does read_corpus",
            )
        )
    if hasattr(X, "counts") and not hasattr(X, "__array__"):
        raise InputError(
            f"{learner_called(estimator)} takes a matrix of counts, documents × words, and got a "
            f"{type(X).__name__}; give its counts."
        )
    if isinstance(X, list | tuple):
        lengths = {_length(row) for row in X}
        if len(lengths) > 1:
            raise InputError(
                f"{learner_called(estimator)} takes a matrix of counts, documents × words, and got "
                "rows of different lengths; give each document one number for each word."
            )
    if len(getattr(X, "shape", (0, 0))) == 1 or (isinstance(X, list) and lengths == {None}):
        raise InputError(
            f"{learner_called(estimator)} takes a matrix of counts, documents × words, and got a "
            "single row or column. Reshape your data: give a list of rows, even of one."
        )


def _length(row: Any) -> int | None:
    """Of a row of a list, also where it is an array; None of a number."""
    if isinstance(row, list | tuple):
        return len(row)
    shape = getattr(row, "shape", ())
    return int(shape[0]) if shape else None


def check_whole(estimator: Any, name: str, minimum: int = 1) -> None:
    """The parameter is a whole number of at least `minimum`."""
    value = getattr(estimator, name)
    if not isinstance(value, Integral) or isinstance(value, bool) or value < minimum:
        raise refused(estimator, name, f"a whole number of at least {minimum}", value)
    if int(value) >= 2**63:  # what a model's file takes
        raise refused(estimator, name, "a whole number below 2**63", value)


def check_real(estimator: Any, name: str, minimum: float = -math.inf) -> None:
    """The parameter is a finite number of at least `minimum`."""
    value = getattr(estimator, name)
    is_finite = isinstance(value, Real) and not isinstance(value, bool)
    # Unlike math.isfinite, comparing takes whole numbers of any size.
    is_finite = is_finite and -sys.float_info.max <= value <= sys.float_info.max
    if not is_finite or value < minimum:
        bound = "" if minimum == -math.inf else f" of at least {minimum:g}"
        raise refused(estimator, name, f"a finite number{bound}", value)


def check_seed(seed: Any) -> int:
    """A whole number as a seed, where nothing else may be one, so that results can be repeated."""
    if not isinstance(seed, Integral) or isinstance(seed, bool) or not 0 <= int(seed) < 2**32:
        raise InputError(
            say("{random_state} must be a whole number from 0 to 4294967295; got {it!r}.", it=seed)
        )
    return int(seed)


def check_choice(estimator: Any, name: str, choices: Collection[str]) -> None:
    """The parameter is one of the names."""
    value = getattr(estimator, name)
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise refused(estimator, name, f"one of {listed}", value)


def check_restarts(estimator: Any) -> None:
    """`n_init` is a whole number, and more than one only where starts differ."""
    check_whole(estimator, "n_init")
    settled = not isinstance(estimator.init, str) or estimator.init == "anchor"
    if estimator.n_init > 1 and settled:
        raise InputError(
            say(
                "{learner} got {n_init=} with topics to start from, and would find the same each "
                "time; leave {n} at 1, or let it start at random.",
                learner=learner_called(estimator),
                n_init=estimator.n_init,
                n=Parameter("n_init"),
            )
        )


def check_jobs(estimator: Any) -> None:
    """`n_jobs` is None or a whole number other than zero."""
    value = estimator.n_jobs
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if value is not None and (not is_whole or value == 0):
        raise refused(estimator, "n_jobs", "None or a whole number other than 0", value)


def refused(estimator: Any, name: str, rule: str, value: Any) -> InputError:
    """The error to raise: which parameter breaks which rule."""
    return InputError(
        say(
            "The {name!r} parameter of {learner} must be {rule}. Got {value!r} instead.",
            name=Parameter(name),
            learner=learner_called(estimator),
            rule=rule,
            value=value,
        )
    )


def learner_called(learner: Any) -> str:
    """The name of the learner's class, also of its settings alone, or of an object of either.

    One that isn't known here has no class, and is called what its model's file calls it.
    """
    if not isinstance(learner, type) and "algorithm" in vars(learner):
        return str(learner.algorithm)
    kind = learner if isinstance(learner, type) else type(learner)
    return kind.__name__.removesuffix("Settings")


def check_prior(estimator: Any, name: str) -> None:
    """Refuse an invalid Dirichlet prior; how many numbers there must be is known only later."""
    value = getattr(estimator, name)
    try:
        prior = np.asarray(1.0 if value is None else value, dtype=np.float64)
    except (TypeError, ValueError):
        prior = np.array(np.nan)
    if not (np.isfinite(prior).all() and prior.min(initial=1.0) >= SMALLEST_PRIOR):
        raise refused(estimator, name, f"finite and at least {SMALLEST_PRIOR:g} everywhere", value)


def prior_of(
    estimator: Any, name: str, default: float, length: int, each_of: str
) -> NDArray[np.float64]:
    """A Dirichlet prior as an array: one number for all, or one for each topic or word."""
    value = getattr(estimator, name)
    prior = np.asarray(default if value is None else value, dtype=np.float64)
    if prior.ndim == 0:
        prior = np.full(length, float(prior))
    if prior.shape != (length,):
        raise InputError(
            say(
                "The {name!r} parameter of {learner} must be a number, or one for each {each_of} "
                "({length}). Got an array of shape {shape} instead.",
                name=Parameter(name),
                learner=learner_called(estimator),
                each_of=each_of,
                length=length,
                shape=prior.shape,
            )
        )
    return prior


def check_topics(estimator: Any, init: Any, n_features: int) -> NDArray[np.float64]:
    """The given start as an array, with one row per topic and one column per word."""
    name = f"The 'init' parameter of {learner_called(estimator)}"
    topics, expected = as_topics(init, name), (estimator.n_components, n_features)
    if topics.shape != expected:
        raise InputError(
            say(
                "The {init!r} parameter of {learner} must be topics × words, here {expected}. Got "
                "an array of shape {shape} instead.",
                learner=learner_called(estimator),
                expected=expected,
                shape=topics.shape,
            )
        )
    return topics


def normalised(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows divided by their sums."""
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))
