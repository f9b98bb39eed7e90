"""What a user gives an inference: checked, completed, and in the form that it reads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.corpus import Corpus
from chatham.errors import InputError
from chatham.models.intake import as_matrix, take_in
from chatham.naming import plural

Array = NDArray[np.float64]


def own(model: Any, name: str, given: Any) -> Any:
    """What was given, or else what a topic model or a fitted estimator knows by that name."""
    estimator = getattr(model, "estimator", model)
    return getattr(estimator, name + "_", None) if given is None else given


def own_dual(model: Any) -> Any:
    """The dual that a fitted model has learned; zeros are of one fitted for another inference."""
    dual = own(model, "dual", None)
    return None if dual is None or not np.any(dual) else dual


def counts_for(model: Any, documents: Any) -> Any:
    """Documents over the columns of the topics: read by a topic model, or taken as they are."""
    if hasattr(model, "vocabulary"):
        return take_in(documents, model.vocabulary, model.vectorizer).counts
    return as_matrix(documents.counts if isinstance(documents, Corpus) else documents)


def topics_in(model: Any, width: int) -> Array:
    """The topics of an estimator, a topic model or an array, each brought to sum one."""
    found = getattr(model, "components_", getattr(model, "topics", model))
    topics = _numbers(found, "topics")
    if topics.ndim != 2 or not len(topics) or topics.shape[1] != width:
        raise InputError(
            f"The topics have shape {topics.shape} and the documents {width:,} columns; give "
            "topics × words, at least one topic, over the same words."
        )
    totals = topics.sum(axis=1, keepdims=True)
    if topics.min() < 0 or not (totals > 0).all():
        raise InputError("Topics must have no negative entry, and each at least one above 0.")
    return topics / totals


def correlations_in(given: Any, k: int) -> Array:
    """A as given, if it can be the correlations of k topics."""
    correlations = symmetric_in(given, "correlations", k)
    if not correlations.sum() > 0:
        raise InputError("The correlations sum to nothing; give joint probabilities of two topics.")
    return correlations


def symmetric_in(given: Any, name: str, k: int) -> Array:
    """A symmetric k×k array of finite numbers."""
    array = _numbers(given, name)
    if array.shape != (k, k):
        raise InputError(
            f"The {name} have shape {array.shape}; for {plural(k, 'topic')} give ({k}, {k})."
        )
    if not np.allclose(array, array.T, rtol=1e-6, atol=1e-9 * float(np.abs(array).max())):
        raise InputError(f"The {name} are not symmetric; give one number for two topics.")
    return (array + array.T) / 2.0


def prevalence_in(given: Any, correlations: Array | None, k: int) -> Array:
    """p(z) as given, else the row sums of the correlations, else equal; of sum one."""
    if given is None and correlations is not None:
        given = np.maximum(correlations.sum(axis=1), 0.0)
    prevalence = np.ones(k) if given is None else _numbers(given, "prevalence")
    if prevalence.shape != (k,) or prevalence.min() < 0 or not prevalence.sum() > 0:
        raise InputError(
            f"The prevalence must be {plural(k, 'number')} of at least 0, not all 0; got shape "
            f"{prevalence.shape}."
        )
    return prevalence / prevalence.sum()


def _numbers(given: Any, name: str) -> Array:
    try:
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"The {name} are a {type(given).__name__}; give numbers.") from None
    if not np.isfinite(array).all():
        raise InputError(f"The {name} hold NaN or infinity; give finite numbers.")
    return array
