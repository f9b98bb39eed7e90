"""The weights of documents for given topics, whatever learner they are from."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import as_commons
from chatham.errors import InputError
from chatham.models.documents import Documents
from chatham.models.inference.base import Inference
from chatham.models.inference.given import (
    correlations_in,
    counts_for,
    own,
    own_dual,
    prevalence_in,
    symmetric_in,
    topics_in,
)
from chatham.models.inference.least_squares import LeastSquares
from chatham.models.inference.linear import LESS_CONSERVATIVE, SPI, TLI
from chatham.models.inference.padd import PADD, learn_dual
from chatham.numerics.threads import threads

Array = NDArray[np.float64]

METHODS = ("padd", "spi", "tli", "least-squares")


def infer(
    topics: Any,
    documents: Any,
    method: str = "least-squares",
    *,
    prevalence: Any = None,
    correlations: Any = None,
    dual: Any = None,
    delta: float = 0.0,
    divisor: float = LESS_CONSERVATIVE,
    n_jobs: int | None = None,
) -> Array:
    """The weights (n×k, rows sum to one) of documents under topics of any learner.

    Parameters
    ----------
    topics : an array (k×d), a fitted estimator or a `TopicModel`.
    documents : counts (n×d) or a corpus; for a `TopicModel` also texts.
    method : "padd", "spi", "tli" or "least-squares".
    prevalence : how large each topic is (k). It is p(z) for SPI and, for all methods, the weights
        of a document with no word that any topic utters. If it is not given it is the model's own,
        else that of `correlations`, else equal.
    correlations : A (k×k), for PADD; a fitted model's own if it has them.
    dual : PADD's Λ/M (k×k) as learned on the training documents; a fitted model's own if it has
        one and no correlations are given. **Without a dual it is learned on the documents given
        here**, and then each one's weights depend on the others.
    delta, divisor : for TLI, the bias allowed to the left inverse and what its threshold is
        divided by.

    >>> topics = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]])
    >>> counts = np.array([[2, 2, 0, 0], [3, 3, 1, 1]])
    >>> infer(topics, counts, "least-squares").round(3)
    array([[1.  , 0.  ],
           [0.75, 0.25]])
    """
    counts = counts_for(topics, documents)
    array = topics_in(topics, counts.shape[1])
    k = len(array)
    dual = own_dual(topics) if dual is None and correlations is None else dual
    correlations_own = correlations is None
    correlations = own(topics, "correlations", correlations)
    known = None if correlations is None else correlations_in(correlations, k)
    shares = prevalence_in(own(topics, "prevalence", prevalence), known, k)
    with threads(n_jobs):
        if method == "padd" and dual is None:
            dual = _learned(array, counts, known, correlations_own)
        inference = inference_by(method, array, shares, dual=dual, delta=delta, divisor=divisor)
        return inference.weights(Documents(counts, frequencies=True))


def inference_by(
    method: str,
    topics: Array,
    prevalence: Array,
    *,
    dual: Any = None,
    delta: float = 0.0,
    divisor: float = LESS_CONSERVATIVE,
) -> Inference:
    """The inference of that name for fixed topics; its `weights` take one document at a time."""
    if method == "spi":
        return SPI(topics, prevalence)
    if method == "tli":
        return TLI(topics, prevalence, delta, divisor)
    if method == "least-squares":
        return LeastSquares(topics, prevalence)
    if method == "padd":
        return PADD(topics, prevalence, symmetric_in(dual, "dual", len(topics)))
    raise InputError(f"method={method!r}: give one of {', '.join(map(repr, METHODS))}.")


def _learned(topics: Array, counts: Any, correlations: Array | None, unasked: bool) -> Array:
    """PADD's dual for the documents at hand; a warning if a model's own was to be expected."""
    if correlations is None:
        raise InputError(
            "PADD matches the topics' correlations, and neither they nor a dual were given; give "
            "correlations=, dual= or a model that has them, or take method='least-squares'."
        )
    if unasked:
        warnings.warn(
            "The model was not fitted with inference='padd', so what PADD has to learn is learned "
            "from these documents, and the weights of each depend on the others; fit it with "
            "inference='padd', or take 'least-squares'.",
            stacklevel=3,
        )
    commons = as_commons(counts)
    with commons.fitting():
        return learn_dual(commons, topics, correlations)
