"""The same model at every party to the last bit, on whatever machines it was computed.

What follows from totals is computed by each party for itself, and unlike machines may differ in the
last bit of it. Between sums that is found out and mended; this does so after the last one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from chatham.commons import Commons
from chatham.models.topic_model import TopicModel


def made_alike(model: TopicModel, commons: Commons) -> TopicModel:
    """The model with the numbers of the roster's first party, where anybody's differ."""
    estimator, vectorizer = model.estimator, model.vectorizer
    names = [name for name, value in vars(estimator).items() if _is_fitted(name, value)]
    idf = () if vectorizer is None or vectorizer.idf is None else (vectorizer.idf,)
    agreed = commons.agreed(*(getattr(estimator, name) for name in names), *idf)
    for name, value in zip(names, agreed, strict=False):
        setattr(estimator, name, value)
    if idf:
        vectorizer = replace(vectorizer, idf=agreed[-1])
    return TopicModel(estimator, model.vocabulary, vectorizer=vectorizer)


def _is_fitted(name: str, value: Any) -> bool:
    floats = isinstance(value, np.ndarray) and value.dtype == np.float64
    return name.endswith("_") and (floats or isinstance(value, float))
