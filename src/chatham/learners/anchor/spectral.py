"""The spectral solution, from pairs of words alone (Lee 2018, section 3.3), one step per line.

Pairs are counted in one sum, C. Between parties, unless all know what exact totals give away, C is
known by a few products only (see `products`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons
from chatham.learners.anchor.clipped import ClippedRows
from chatham.learners.anchor.completion import complete_diagonal
from chatham.learners.anchor.conditional import Conditional, Group, Joint
from chatham.learners.anchor.correlations import correlations_of
from chatham.learners.anchor.hull import hull_anchors
from chatham.learners.anchor.notices import (
    check_candidates,
    check_rank,
    has_rank,
    warn_unconverged,
)
from chatham.learners.anchor.products import leading_by_products, least_value
from chatham.learners.anchor.projected import fast_anchors
from chatham.learners.anchor.recover import Recovered, recover
from chatham.learners.anchor.rectify import alternate, project
from chatham.learners.anchor.select import candidate_words, pivoted_qr, usual_least
from chatham.learners.cooccurrence import PairedDocuments, cooccurrence

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


@dataclass(frozen=True)
class _Pairs:
    """What is known of pairs of words, rectified as the settings say."""

    joint: Joint
    changes: list[float]
    was_rectified: bool
    candidates: NDArray[np.bool_]
    """The words that may be anchors."""
    counted: NDArray[Any] | None = None
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
    """C or a few products with it, then the four steps; `settings` has an `AnchorWords`'s.

    Each d×d array is released as soon as it is no longer needed.
    """
    k, n_anchors = settings.n_components, settings.n_components - len(given_anchors)
    if commons.exact_totals:
        pairs = _counted(commons, settings, n_anchors, single, seed, report)
    else:
        pairs = _by_products(commons, settings, n_anchors, single, report)
    words = Conditional(pairs.joint)
    anchors = choose_anchors(
        words, k, pairs.candidates,
        method=settings.anchors, given_anchors=given_anchors,
        dimensions=settings.dimensions, seed=seed,
    )  # fmt: skip
    recovered = recover(words, anchors, settings.recover, smoothing=settings.smoothing)
    warn_unconverged(recovered, settings.recover)
    correlations = correlations_of(words, recovered.topics, anchors)
    shares = _shares(recovered, correlations, pairs.was_rectified)
    return Spectral(
        recovered.topics, anchors, correlations, shares, words.totals, pairs.changes, pairs.counted
    )


def _counted(
    commons: Commons, settings: Any, n_anchors: int, single: bool, seed: int, report: Report
) -> _Pairs:
    """C in one sum, rectified."""
    counted = cooccurrence(commons, single=single)
    candidates = candidates_among(counted, settings.min_anchor_df, settings.n_components, n_anchors)
    joint, changes = _rectified(counted.matrix, settings, seed, report)
    kept = counted.matrix if settings.keep_cooccurrence else None
    return _Pairs(joint, changes, joint is not counted.matrix, candidates, kept)


def _by_products(
    commons: Commons, settings: Any, n_anchors: int, single: bool, report: Report
) -> _Pairs:
    """C's leading eigenvectors by sums of products, from which alone the projections go on."""
    k, dtype = settings.n_components, np.float32 if single else np.float64
    first, documents = leading_by_products(commons, k)
    candidates = candidates_among(documents, settings.min_anchor_df, k, n_anchors)
    check_rank(first.values, k, least_value(int(first.occurs.sum())))
    found = project(first, k, dtype, max_iter=settings.max_iter, tol=settings.tol, report=report)
    return _Pairs(ClippedRows(found.low_rank, dtype), found.changes, True, candidates)


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
    documents: PairedDocuments, least: Any, k: int, n_anchors: int
) -> NDArray[np.bool_]:
    """Which words may be anchors; an error if too few are frequent enough."""
    frequencies = documents.document_frequencies
    if isinstance(least, str):
        least = usual_least(frequencies, documents.kept, k)
    candidates = candidate_words(frequencies, documents.kept, least)
    check_candidates(int(candidates.sum()), n_anchors, documents.kept, least)
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
