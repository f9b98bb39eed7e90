"""Topics that a user gives a learner to begin from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError


def check_topics(estimator: Any, given: Any, n_features: int) -> NDArray[np.float64]:
    """The given start, an array or a fitted model, as topics × words; or what it should be."""
    found = getattr(given, "components_", getattr(given, "topics", given))
    topics = np.asarray(found, dtype=np.float64)
    wanted = (estimator.n_components, n_features)
    if topics.shape != wanted:
        raise InputError(
            f"The 'init' parameter of {type(estimator).__name__} must be topics × words, here "
            f"{wanted}. Got an array of shape {topics.shape} instead."
        )
    if not np.isfinite(topics).all() or topics.min() < 0:
        raise InputError(
            f"The 'init' parameter of {type(estimator).__name__} must hold finite numbers of at "
            "least 0."
        )
    return topics


def normalised(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows divided by their sums."""
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))
