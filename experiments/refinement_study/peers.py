"""LDA by tomotopy's Gibbs sampler, with its own defaults but for Σα = 5."""

from __future__ import annotations

import importlib.util
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ALPHA_SUM = 5.0
SMALLEST = 1e-12


def has_tomotopy() -> bool:
    """Say whether it can be asked."""
    return importlib.util.find_spec("tomotopy") is not None


def tomotopy_topics(
    counts: Any, k: int, sweeps: int, *, workers: int, seed: int
) -> tuple[Array, Array]:
    """Topics over the columns of `counts`, and α."""
    import tomotopy

    model = tomotopy.LDAModel(k=k, alpha=ALPHA_SUM / k, seed=seed + 1)
    for row in range(counts.shape[0]):
        cells = slice(counts.indptr[row], counts.indptr[row + 1])
        words = np.repeat(counts.indices[cells], counts.data[cells].astype(int))
        model.add_doc([str(word) for word in words])
    with warnings.catch_warnings(action="ignore"):
        model.train(sweeps, workers=workers)
    topics = np.full((k, counts.shape[1]), SMALLEST)
    places = np.array([int(word) for word in model.used_vocabs])
    for topic in range(k):
        topics[topic, places] = model.get_topic_word_dist(topic)
    return topics / topics.sum(axis=1, keepdims=True), np.asarray(model.alpha, dtype=np.float64)
