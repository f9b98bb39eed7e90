"""The weights of new documents: their posterior means, or by the inference that was asked for."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from chatham.models.anchor.refine import posterior_weights
from chatham.models.anchor.settings import warn_without_dual
from chatham.models.documents import Documents
from chatham.models.inference.base import Inference
from chatham.models.inference.infer import inference_by

Array = NDArray[np.float64]

SETTLED = 30
"""Steps that settle a new document's weights."""


def weights_of(learner: Any, documents: Documents) -> Array:
    """The weights (n×k) of documents under a fitted `AnchorWords`."""
    if learner.inference != "posterior":
        return _inference(learner).weights(documents)
    weights = posterior_weights(documents, learner.components_, learner.alpha_, SETTLED)
    weights[~weights.any(axis=1)] = learner.prevalence_
    return weights


def _inference(learner: Any) -> Inference:
    """Made once for these topics: TLI's left inverse takes a linear programme for each."""
    own = learner.components_, learner.prevalence_, learner.dual_
    method, of, made = _MADE.get(learner, ("", (), None))
    same = len(of) == len(own) and all(a is b for a, b in zip(of, own, strict=True))
    if made is None or method != learner.inference or not same:
        topics, shares, dual = own
        if learner.inference == "padd":
            warn_without_dual(len(topics), dual)
        made = inference_by(learner.inference, topics, shares, dual=dual)
        _MADE[learner] = learner.inference, own, made
    return made


_MADE: WeakKeyDictionary[Any, tuple[str, tuple[Array, ...], Inference]] = WeakKeyDictionary()
"""The inferences of estimators in use: a transform may not change an estimator itself."""
