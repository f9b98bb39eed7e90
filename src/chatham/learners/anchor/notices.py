"""Errors and warnings of `AnchorWords` where its settings can't work, or work badly."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.anchor.recover import GAP, Recovered
from chatham.learners.anchor.rectify import Rectified
from chatham.learners.anchor.select import ROUNDING
from chatham.learners.convergence import UnconvergedWarning
from chatham.learners.cooccurrence import check_pairs
from chatham.learners.parameters import EXACT
from chatham.learners.settings.given_anchors import topics_need
from chatham.naming import plural
from chatham.notes import ChathamWarning
from chatham.wording import Parameter, say

SMALL_SHARE, PART_OF_EVEN = 1e-3, 0.1
"""A topic below both this share and this fraction of 1/k is practically empty."""
MOST_NAMED = 10


def warn_unsettled(learner: Any, n_iter: int) -> None:
    """Warn that the projections ran out before the anchors had settled."""
    warnings.warn(
        say(
            "{learner} took all its {n_iter} projections and its anchors hadn't settled to "
            "{tol=:g}; allow more with {max_iter}, or accept this with a larger {rule} (at 0 it "
            "always takes all).",
            learner=type(learner).__name__,
            n_iter=n_iter,
            tol=learner.tol,
            rule=Parameter("tol"),
        ),
        UnconvergedWarning,
        stacklevel=5,
    )


def warn_unstopped(sweeps: int) -> None:
    """Warn that held-out words still gained when the sweeps ran out."""
    warnings.warn(
        say(
            "Held-out words still gained in the last of {sweeps} sweeps, which are all that "
            "{refine='held-out'} takes; give {refine} a larger number.",
            sweeps=sweeps,
        ),
        UnconvergedWarning,
        stacklevel=6,
    )


def check_width(k: int, n_features: int) -> None:
    """There are at least as many words as topics."""
    if k > n_features:
        raise InputError(
            f"{topics_need(k)} as many anchors, and there are only n_features={n_features} "
            "words; choose fewer topics."
        )


def check_candidates(n_candidates: int, n_anchors: int, n_documents: int, least: Any) -> None:
    """There are enough words that may be anchors."""
    if n_candidates < n_anchors:
        raise InputError(
            say(
                "{anchors} must be found, and only {words} can be anchors, being in enough "
                "of the {documents} for {limit}; choose fewer topics or a smaller "
                "{min_anchor_df}.",
                anchors=plural(n_anchors, "anchor"),
                words=plural(n_candidates, "word"),
                documents=plural(n_documents, "document"),
                limit=Parameter("min_anchor_df", repr(least)),
            )
        )


def has_rank(rectified: Rectified, k: int) -> bool:
    """Whether there are as many positive eigenvalues as topics; warn if not."""
    rounding = ROUNDING * float(np.finfo(rectified.matrix.dtype).eps)
    ends = rectified.eigenvalues, rectified.low_rank.values  # projections may add one, or lose one
    positive = min(int((values > rounding * values[0]).sum()) for values in ends)
    if positive < k:
        warnings.warn(
            f"The co-occurrence has no more than {plural(positive, 'positive eigenvalue')}, too "
            f"few for {plural(k, 'topic')}, so it is used without rectification; fewer topics or "
            "more documents would do better.",
            ChathamWarning,
            stacklevel=8,
        )
    return positive >= k


def check_rank(values: NDArray[np.float64], k: int, least: float) -> None:
    """Where C is known by products alone, it can't be used without rectification instead."""
    positive = int((values[:k] > least).sum())
    if positive < k:
        raise InputError(
            say(
                "The co-occurrence has no more than {values} that stand out from rounding, too few "
                "for {topics}, and between parties it isn't there to be used without "
                "rectification; choose fewer topics, bring more documents, or agree that exact "
                "totals cross ({exact_totals_know}).",
                values=plural(positive, "positive eigenvalue"),
                topics=plural(k, "topic"),
            ),
            kind=EXACT,
        )


def check_products(learner: Any) -> None:
    """Refuse what needs C itself where only products with it may cross."""
    for name, usual in (("rectify", "alternating"), ("keep_cooccurrence", False)):
        value = getattr(learner, name)
        if value != usual:
            raise InputError(
                say(
                    "{setting} needs every co-occurrence of two words in one exact total, and such "
                    "a total gives documents away; leave it at {usual}, or let all parties know "
                    "({exact_totals_know}).",
                    setting=Parameter(name, repr(value)),
                    usual=repr(usual),
                ),
                kind=EXACT,
            )


def warn_without_dual(k: int, dual: Any) -> None:
    """Warn that PADD with a dual of zeros is just least squares."""
    if k > 1 and not dual.any():
        warnings.warn(
            say(
                "The dual is zero, so that PADD is least squares; if this model was fitted "
                "for another inference, fit it again with {inference='padd'}."
            ),
            ChathamWarning,
            stacklevel=7,
        )


def warn_unconverged(recovered: Recovered, method: str) -> None:
    """Warn if some words' mixtures hadn't converged when the iterations ran out."""
    if recovered.settled:
        return
    unit = "nats" if method == "kl" else "times the anchors' mean square"
    instead = "" if method == "admm" else say("{recover='admm'}, which converges better, or ")
    warnings.warn(
        say(
            "Recovering topics by {method!r} stopped after {n_iter} iterations, with a "
            "duality gap of {gap:.3g} {unit} left where at most {most:g} is allowed, so "
            "the words' mixtures have not quite converged; try {instead}fewer topics, or "
            "a larger {min_anchor_df}.",
            method=method,
            n_iter=recovered.n_iter,
            gap=recovered.gap,
            unit=unit,
            most=GAP,
            instead=instead,
        ),
        UnconvergedWarning,
        stacklevel=6,
    )


def warn_of_empty(shares: NDArray[np.float64]) -> None:
    """Warn if some topics are practically empty."""
    least = min(SMALL_SHARE, PART_OF_EVEN / len(shares))
    small = np.flatnonzero(shares < least)
    if len(small):
        numbers = ", ".join(map(str, small[:MOST_NAMED])) + ", …" * (len(small) > MOST_NAMED)
        have = f"Topic {numbers} has" if len(small) == 1 else f"Topics {numbers} have"
        warnings.warn(
            say(
                "{have} a share of less than {least:.2%}, which is practically nothing; "
                "try fewer topics, or a larger {min_anchor_df}, since the co-occurrence "
                "of rare words is noise.",
                have=have,
                least=least,
            ),
            ChathamWarning,
            stacklevel=5,
        )


def check_sizes(rows: Any) -> None:
    """Refuse rows at hand with too large a document (see `check_pairs`)."""
    with np.errstate(over="ignore"):
        check_pairs(np.asarray(rows.sum(axis=1)))
