"""What `AnchorWords` may be told, and what it answers where that can't be done."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np

from chatham.errors import InputError
from chatham.models.anchor import given
from chatham.models.anchor.hull import DIMENSIONS
from chatham.models.anchor.rectify import Rectified
from chatham.models.anchor.select import ROUNDING
from chatham.models.inference.infer import METHODS
from chatham.models.parameters import check_choice, check_real, check_whole

CHOICES = {
    "rectify": ("alternating", "diagonal", "none"),
    "recover": ("admm", "l2", "kl", "inverse"),
    "inference": ("posterior", *METHODS),
    "precision": ("auto", "single", "double"),
}
ANCHORS = ("qr", "fast", "tsne", "pca")


def check_settings(estimator: Any) -> None:
    """Refuse parameters that can't be meant, before anything is counted."""
    if given.is_given(estimator.anchors):
        _check_given(estimator.anchors, estimator.n_components)
    else:
        check_choice(estimator, "anchors", ANCHORS)
    for name, choices in CHOICES.items():
        check_choice(estimator, name, choices)
    for name in ("smoothing", "beta"):
        check_real(estimator, name, 0)
    check_whole(estimator, "refine", 0)
    check_whole(estimator, "dimensions", DIMENSIONS[0])
    _check_least_frequency(estimator.min_anchor_df)
    if estimator.dimensions > DIMENSIONS[-1]:
        raise InputError(
            "The 'dimensions' parameter of AnchorWords must be 2, 3 or 4. Got "
            f"{estimator.dimensions!r} instead."
        )


def check_width(k: int, n_features: int) -> None:
    """There are as many words as topics."""
    if k > n_features:
        raise InputError(
            f"{k} topics need as many anchors, and there are only n_features={n_features} words; "
            "choose fewer topics."
        )


def check_candidates(number: int, wanted: int, kept: int, least: Any) -> None:
    """There are as many words that may be anchors as are wanted."""
    if number < wanted:
        raise InputError(
            f"{wanted} anchors are wanted, and only {number} words are in enough of the {kept} "
            f"documents for min_anchor_df={least!r}; choose fewer topics or a smaller "
            "min_anchor_df."
        )


def has_rank(rectified: Rectified, k: int) -> bool:
    """Whether there are as many positive eigenvalues as topics; warn if not."""
    values = rectified.low_rank.values
    least = ROUNDING * float(np.finfo(rectified.matrix.dtype).eps) * values[0]
    positive = int((values > least).sum())
    if positive < k:
        warnings.warn(
            f"The co-occurrence has no more than {positive} positive eigenvalues, too few for {k} "
            "topics, so it is used without rectification; fewer topics or more documents would do "
            "better.",
            stacklevel=5,
        )
    return positive >= k


def warn_without_dual(k: int, dual: Any) -> None:
    """PADD with a dual of zeros does what least squares does."""
    if k > 1 and not dual.any():
        warnings.warn(
            "The dual is zero, so that PADD is least squares; if this model was fitted for another "
            "inference, fit it again with inference='padd'.",
            stacklevel=6,
        )


def _check_given(anchors: Any, k: int) -> None:
    number = len(given.listed(anchors))
    if number > k:
        raise InputError(
            f"{number} anchors were given for {k} topics; give at most one group of words for each "
            "topic, or ask for more topics."
        )


def _check_least_frequency(least: Any) -> None:
    if isinstance(least, str) and least == "auto":
        return
    number = isinstance(least, Real) and not isinstance(least, bool)
    whole = isinstance(least, Integral)
    if not number or not (least >= 1 if whole else 0 <= least < 1):
        raise InputError(
            "The 'min_anchor_df' parameter of AnchorWords must be 'auto', a whole number of "
            "documents of at least 1, or a share of them from 0 up to but not including 1. Got "
            f"{least!r} instead."
        )
