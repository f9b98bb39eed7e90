"""The spectral solution, from the one sum alone (Lee 2018, section 3.3), one step per line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons
from chatham.learners.anchor.completion import complete_diagonal
from chatham.learners.anchor.conditional import Conditional, Group
from chatham.learners.anchor.correlations import correlations_of
from chatham.learners.anchor.hull import hull_anchors
from chatham.learners.anchor.notices import check_candidates, has_rank, warn_unconverged
from chatham.learners.anchor.projected import fast_anchors
from chatham.learners.anchor.recover import Recovered, recover
from chatham.learners.anchor.rectify import alternate
from chatham.learners.anchor.select import candidate_words, pivoted_qr, usual_least
from chatham.learners.cooccurrence import Cooccurrence, cooccurrence

Array = NDArray[np.float64]
Report = Callable[[int, float], None]


@dataclass(frozen=True)
class Spectral:
    """Topics with their anchors, correlations and shares; C only on request."""

    topics: Array
    anchors: list[Group]
    correlations: Array
    """A as computed; its sum is only about one."""
    shares: Array
    """p(z), which sums to one."""
    unigram: Array
    """p(x)."""
    changes: list[float]
    """How much each projection after the first changed C."""
    cooccurrence: NDArray[Any] | None
    """C as it was counted, if it is to be kept."""


def spectral_solution(
    commons: Commons,
    settings: Any,
    given_anchors: list[Group],
    *,
    single: bool,
    seed: int,
    report: Report,
) -> Spectral:
    """One sum, then the four steps; `settings` has an `AnchorWords`'s parameters.

    Each d×d array is released as soon as it is no longer needed.
    """
    k = settings.n_components
    counted = cooccurrence(commons, single=single)
    candidates = candidates_among(counted, settings.min_anchor_df, k, k - len(given_anchors))
    joint, changes = _rectified(counted.matrix, settings, seed, report)
    was_rectified = joint is not counted.matrix
    counted_matrix = counted.matrix if settings.keep_cooccurrence else None
    del counted
    words = Conditional(joint)
    anchors = choose_anchors(
        words, k, candidates,
        method=settings.anchors, given_anchors=given_anchors,
        dimensions=settings.dimensions, seed=seed,
    )  # fmt: skip
    recovered = recover(words, anchors, settings.recover, smoothing=settings.smoothing)
    warn_unconverged(recovered, settings.recover)
    correlations = correlations_of(words, recovered.topics, anchors)
    shares = _shares(recovered, correlations, was_rectified)
    return Spectral(
        recovered.topics, anchors, correlations, shares, words.totals, changes, counted_matrix
    )


def _rectified(
    counted: NDArray[Any], settings: Any, seed: int, report: Report
) -> tuple[NDArray[Any], list[float]]:
    """C rectified as the settings say, and the changes; C itself if it isn't or can't be."""
    k = settings.n_components
    if settings.rectify == "none":
        return counted, []
    if settings.rectify == "diagonal":
        return complete_diagonal(counted, k, seed=seed).matrix, []
    rectified = alternate(counted, k, max_iter=settings.max_iter, tol=settings.tol, report=report)
    if not has_rank(rectified, k):
        return counted, []
    return rectified.matrix, rectified.changes


def _shares(recovered: Recovered, correlations: Array, was_rectified: bool) -> Array:
    """p(z): the sums of A's rows, or Σ_x p(z|x)p(x) where C wasn't rectified.

    A is read off the few entries of C for anchors, among them those of anchors with themselves,
    which bursts of words distort and rectification corrects. Without it A's sum may be far from
    one, and those of its rows by different factors; p(z|x) uses all of C, and these shares of the
    topics reproduce p(x) exactly. The inversion has no p(z|x).
    """
    by_bayes = recovered.shares
    shares = correlations.sum(axis=1) if was_rectified or by_bayes is None else by_bayes
    return np.asarray(shares / shares.sum())


def candidates_among(
    counted: Cooccurrence, least: Any, k: int, n_anchors: int
) -> NDArray[np.bool_]:
    """Which words may be anchors; an error if too few are frequent enough."""
    frequencies = counted.document_frequencies
    if isinstance(least, str):
        least = usual_least(frequencies, counted.kept, k)
    candidates = candidate_words(frequencies, counted.kept, least)
    check_candidates(int(candidates.sum()), n_anchors, counted.kept, least)
    return candidates


def choose_anchors(
    words: Conditional,
    k: int,
    candidates: NDArray[np.bool_],
    *,
    method: Any,
    given_anchors: list[Group],
    dimensions: int,
    seed: int,
) -> list[Group]:
    """k anchors: those given and what the pivoted QR adds to them, or found by `method`."""
    if given_anchors or method == "qr":
        return pivoted_qr(words, k, candidates, given_anchors)[0]
    if method == "fast":
        return fast_anchors(words, k, candidates, seed=seed)[0]
    return hull_anchors(words, k, candidates, method=method, dimensions=dimensions, seed=seed)[0]
