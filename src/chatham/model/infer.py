"""The weights of documents for given topics, whatever learner they are from.

The user's input is checked, completed from the fitted model, and put into the form that inferences
read.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import as_commons
from chatham.corpus import Corpus
from chatham.errors import InputError
from chatham.learners.documents import Documents
from chatham.learners.inference.linear import LESS_CONSERVATIVE
from chatham.learners.inference.methods import inference_by, numbers, symmetric_in
from chatham.learners.inference.padd import learn_dual
from chatham.model.intake import as_matrix, plain, take_in
from chatham.naming import plural
from chatham.notes import ChathamWarning
from chatham.numerics.threads import threads
from chatham.numerics.topics import as_topics
from chatham.wording import Either, say

Array = NDArray[np.float64]


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
        of a document without any word that has a probability in some topic. By default the model's
        own, else that of `correlations`, else equal.
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
    from_model = correlations is None
    correlations = own(topics, "correlations", correlations)
    joint = None if correlations is None else correlations_in(correlations, k)
    shares = prevalence_in(own(topics, "prevalence", prevalence), joint, k)
    with threads(n_jobs):
        if method == "padd" and dual is None:
            dual = _learned(array, counts, joint, from_model)
        inference = inference_by(method, array, shares, dual=dual, delta=delta, divisor=divisor)
        return inference.weights(Documents(counts, frequencies=True))


def _learned(topics: Array, counts: Any, correlations: Array | None, from_model: bool) -> Array:
    """PADD's dual for these documents; a warning if the model should have had its own."""
    if correlations is None:
        raise InputError(
            say(
                "PADD matches the topics' correlations, and neither they nor a dual were given; "
                "{advice}.",
                advice=Either(
                    say(
                        "give {correlations=}, {dual=} or a model that has them, or use "
                        "{method='least-squares'}"
                    ),
                    "use a model that has them, as --model anchor gives, or --inference "
                    "least-squares",
                ),
            )
        )
    if from_model:
        warnings.warn(
            say(
                "The model was not fitted with {inference='padd'}, so PADD's dual "
                "variables are learned from these documents, and the weights of each depend on "
                "the others; fit it with {inference='padd'}, or use 'least-squares'."
            ),
            ChathamWarning,
            stacklevel=3,
        )
    commons = as_commons(counts)
    with commons.fitting():
        return learn_dual(commons, topics, correlations)


def own(model: Any, name: str, value: Any) -> Any:
    """The value, or if None, what a topic model or a fitted estimator has by that name."""
    if value is not None:
        return value
    fitted = getattr(model, "_fitted", model)
    kept = getattr(fitted, name + "_", None)
    if kept is None or getattr(model, "_edits", None) is None:
        return kept
    if name == "dual":  # it is of the topics as they were fitted
        return None
    return model.prevalence if name == "prevalence" else model._correlations


def own_dual(model: Any) -> Any:
    """The dual that a fitted model has learned; it is all zeros if fitted for another inference."""
    dual = own(model, "dual", None)
    return None if dual is None or not np.any(dual) else dual


def counts_for(model: Any, documents: Any) -> Any:
    """Documents over the columns of the topics: plain counts for a topic model, or as they are."""
    if hasattr(model, "vocabulary"):
        return take_in(documents, model.vocabulary, plain(model.vectorizer)).counts
    return as_matrix(documents.counts if isinstance(documents, Corpus) else documents)


def topics_in(model: Any, width: int) -> Array:
    """The topics, over as many words as the documents, each scaled to sum to one."""
    topics = as_topics(model, each_with_words=True)
    if topics.shape[1] != width:
        raise InputError(
            f"The topics have shape {topics.shape} and the documents {width:,} columns; give both "
            "over the same words."
        )
    return topics / topics.sum(axis=1, keepdims=True)


def correlations_in(values: Any, k: int) -> Array:
    """A as an array, if it can be the correlations of k topics."""
    correlations = symmetric_in(values, "correlations", k)
    if not correlations.sum() > 0:
        raise InputError("The correlations sum to zero; give joint probabilities of two topics.")
    return correlations


def prevalence_in(values: Any, correlations: Array | None, k: int) -> Array:
    """p(z), by default the row sums of the correlations, else equal; scaled to sum to one."""
    if values is None and correlations is not None:
        values = np.maximum(correlations.sum(axis=1), 0.0)
    prevalence = np.ones(k) if values is None else numbers(values, "prevalence")
    if prevalence.shape != (k,) or prevalence.min() < 0 or not prevalence.sum() > 0:
        raise InputError(
            f"The prevalence must be {plural(k, 'number')} of at least 0, not all 0; got shape "
            f"{prevalence.shape}."
        )
    return prevalence / prevalence.sum()
