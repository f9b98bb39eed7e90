"""What a holder knows of its documents' true weights, beside the weights that a model finds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.errors import InputError
from chatham.measures.evidence import holding_at, weights_at
from chatham.measures.subject import Subject
from chatham.measures.truth.topics import Places, align, true_topics_of

Array = NDArray[np.float64]


def aligned_at(rows: Any, memory: Memory, subject: Subject, places: Places) -> tuple[Array, Array]:
    """The found and the true weights of this holder's documents, in columns that match."""
    if "aligned_with_truth" not in memory:
        truth = _known_truth(rows, memory, subject)
        known = truth.sum(axis=1) > 0
        found = weights_at(rows, memory, subject)[known]
        truth = truth[known] / truth[known].sum(axis=1, keepdims=True)
        memory["aligned_with_truth"] = align(found, truth, places)
    aligned: tuple[Array, Array] = memory["aligned_with_truth"]
    return aligned


def _known_truth(rows: Any, memory: Memory, subject: Subject) -> Array:
    given, k = getattr(rows, "true_weights", None), len(true_topics_of(subject))
    if given is not None:
        check_true_weights(given, k)
    holding = holding_at(rows, memory, subject)
    if holding.true_weights is None:
        if holding.n:
            raise InputError("There are documents here without true weights; give them all.")
        return np.zeros((0, k))
    return np.asarray(holding.true_weights, dtype=np.float64)


def check_true_weights(given: Any, k: int) -> None:
    """Refuse what can't be documents' weights of `k` true topics.

    >>> check_true_weights([[0.25, 0.75], [1, 0]], 2)
    """
    try:
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.full((1, k), np.nan)
    if weights.ndim != 2:
        raise InputError(
            f"True weights must have a row for each document and a column for each true topic. Got "
            f"an array of shape {weights.shape} instead."
        )
    if not np.isfinite(weights).all():
        raise InputError("Some true weights are no finite numbers; give zeros where none is known.")
    if weights.shape[1] != k:
        raise InputError(
            f"The true weights are of {weights.shape[1]:,} topics and there are {k:,} true topics; "
            "give a column for each."
        )
    if (weights < 0).any():
        raise InputError("Some true weights are negative; give shares of documents.")
