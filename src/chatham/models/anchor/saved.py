"""What the numbers of a fitted anchor model are, and so must be in a file that is read back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.models.anchor import given
from chatham.models.anchor.correlations import LEAST_CONCENTRATION, LEAST_SHARE, MOST_CONCENTRATION

Array = NDArray[np.float64]

FARTHEST = 1e9
"""The sum of correlations that were read off anchors is about one where C is rectified. Where it
isn't, bursts of words more than double it on real text, and an anchor that its topic hardly utters
may do far worse; but no fit that means anything is off by more than this factor."""
LEAST_PRIOR = 0.5 * LEAST_SHARE * LEAST_CONCENTRATION
MOST_PRIOR = 2.0 * MOST_CONCENTRATION


def check_fitted(learner: Any) -> None:
    """Refuse correlations, a prior or given anchors that no fit has."""
    _check_correlations(learner.correlations_, refined=len(learner.likelihood_) > 0)
    if not ((learner.alpha_ >= LEAST_PRIOR) & (learner.alpha_ <= MOST_PRIOR)).all():
        raise InputError(
            f"its array 'fitted.alpha_' must be a prior from {LEAST_PRIOR:g} to {MOST_PRIOR:g}; it "
            f"goes from {learner.alpha_.min():g} to {learner.alpha_.max():g}."
        )
    if given.is_given(learner.anchors):
        given.check_anchors(learner.anchors, *learner.components_.shape)


def _check_correlations(correlations: Array, *, refined: bool) -> None:
    """Joint probabilities of two topics: none negative; means of wwᵀ sum to one, others about."""
    total = float(correlations.sum())
    near = abs(total - 1.0) <= 1e-6 if refined else 1.0 / FARTHEST <= total <= FARTHEST
    if not near or not correlations.min() >= 0:
        raise InputError(
            "its array 'fitted.correlations_' must hold joint probabilities of two topics; the "
            f"least is {correlations.min():g}, and their sum is {total:g}."
        )
