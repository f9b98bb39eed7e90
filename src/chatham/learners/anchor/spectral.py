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
from chatham.learners.anchor.correlations import correlations_of, least_squares_correlations
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
from chatham.learners.anchor.rectify import Left, Projected, alternate, project
from chatham.learners.anchor.select import candidate_words, pivoted_qr, usual_least
from chatham.learners.anchor.settling import Settling
from chatham.learners.cooccurrence import PairedDocuments, Pairing, cooccurrence
from chatham.learners.settings.anchor_words import FAST_DIMENSIONS, PROJECTIONS

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
    """How far the anchors were from settled after each projection but the first."""
    converged: bool
    """Whether they were settled when the projections ended."""
    cooccurrence: NDArray[Any] | None
    """C as it was counted, if it is to be kept."""


@dataclass(frozen=True)
class _Pairs:
    """What is known of pairs of words, rectified as the settings say."""

    joint: Joint
    projected: Projected | None
    """How it was rectified by projections, if it was."""
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
    k = settings.n_components
    if commons.exact_totals:
        pairs = _counted(commons, settings, given_anchors, single, seed, report)
    else:
        pairs = _by_products(commons, settings, given_anchors, single, report)
    words = Conditional(pairs.joint)
    anchors = choose_anchors(
        words, k, pairs.candidates,
        method=settings.anchors, given_anchors=given_anchors,
        dimensions=settings.dimensions, fast_dimensions=settings.fast_dimensions,
        fast_projection=settings.fast_projection, seed=seed,
    )  # fmt: skip
    recovered = recover(words, anchors, settings.recover, smoothing=settings.smoothing)
    if settings.tol > 0:
        warn_unconverged(recovered, settings.recover)
    if settings.correlations == "least-squares":
        correlations = least_squares_correlations(words, recovered.topics)
    else:
        correlations = correlations_of(words, recovered.topics, anchors)
    shares = _shares(recovered, correlations, pairs.was_rectified)
    projected = pairs.projected
    return Spectral(
        recovered.topics, anchors, correlations, shares, words.totals,
        changes=projected.changes if projected else [],
        converged=projected is None or projected.converged,
        cooccurrence=pairs.counted,
    )  # fmt: skip


def pairing_of(settings: Any, private: bool) -> Pairing:
    """How much each document counts; "auto" is by length, but not between parties.

    There a long document would have a larger part of what all others see.
    """
    by_length = settings.mean_over == "tokens" or (settings.mean_over == "auto" and not private)
    return Pairing(by_length, float(settings.min_length))


def _counted(
    commons: Commons,
    settings: Any,
    given_anchors: list[Group],
    single: bool,
    seed: int,
    report: Report,
) -> _Pairs:
    """C in one sum, rectified."""
    pairing = pairing_of(settings, commons.private)
    counted = cooccurrence(commons, single=single, pairing=pairing)
    candidates = _candidates(counted, settings, given_anchors)
    left = Settling(settings.n_components, candidates, given_anchors).left
    joint, projected = _rectified(counted.matrix, settings, seed, left, report)
    kept = counted.matrix if settings.keep_cooccurrence else None
    return _Pairs(joint, projected, joint is not counted.matrix, candidates, kept)


def _by_products(
    commons: Commons, settings: Any, given_anchors: list[Group], single: bool, report: Report
) -> _Pairs:
    """C's leading eigenvectors by sums of products, from which alone the projections go on."""
    k, dtype = settings.n_components, np.float32 if single else np.float64
    first, documents = leading_by_products(commons, k, pairing_of(settings, private=True))
    candidates = _candidates(documents, settings, given_anchors)
    check_rank(first.values, k, least_value(int(first.occurs.sum())))
    found = project(
        first, k, dtype,
        max_iter=settings.max_iter, tol=settings.tol,
        left=Settling(k, candidates, given_anchors).left, report=report,
    )  # fmt: skip
    return _Pairs(ClippedRows(found.low_rank, dtype), found, True, candidates)


def _rectified(
    counted: NDArray[Any], settings: Any, seed: int, left: Left, report: Report
) -> tuple[NDArray[Any], Projected | None]:
    """C rectified as the settings say, and how by projections; C itself if it isn't or can't be."""
    k = settings.n_components
    if settings.rectify == "none":
        return counted, None
    if settings.rectify == "diagonal":
        return complete_diagonal(counted, k, seed=seed).matrix, None
    rectified = alternate(
        counted, k, max_iter=settings.max_iter, tol=settings.tol, left=left, report=report
    )
    if not has_rank(rectified, k):
        return counted, None
    return rectified.matrix, rectified.projected


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


def _candidates(
    documents: PairedDocuments, settings: Any, given_anchors: list[Group]
) -> NDArray[np.bool_]:
    k = settings.n_components
    return candidates_among(documents, settings.min_anchor_df, k, k - len(given_anchors))


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
    fast_dimensions: int = FAST_DIMENSIONS,
    fast_projection: str = PROJECTIONS[0],
) -> list[Group]:
    """k anchors: those given and what the pivoted QR adds to them, or found by `method`."""
    if given_anchors or method == "qr":
        return pivoted_qr(words, k, candidates, given_anchors)[0]
    if method == "fast":
        return fast_anchors(
            words, k, candidates,
            dimensions=fast_dimensions, projection=fast_projection, seed=seed,
        )[0]  # fmt: skip
    return hull_anchors(words, k, candidates, method=method, dimensions=dimensions, seed=seed)[0]
