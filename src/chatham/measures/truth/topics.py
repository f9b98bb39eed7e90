"""How close topics are to the true ones, where documents were made from known topics.

ℓ1 after bipartite matching (Arora et al. 2013, section 5.1), and the distance of the true topics
from all mixtures of the found ones (Colin and Dupuy 2016, section 4).
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from chatham.errors import InputError
from chatham.learners.words import as_probabilities
from chatham.measures.measure import Measure, Score, UndefinedError
from chatham.measures.subject import Subject

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

FARTHEST = 2.0
"""The largest ℓ1 distance that two distributions can have."""


def match_topics(topics: Array, true_topics: Array) -> Numbers:
    """For each topic the number of its true topic or −1, at the least total ℓ1 distance.

    Where there are more of one kind than of the other, some of them stay without a match. The
    order of topics changes nothing: it could decide only between topics that are identical to the
    last bit.

    >>> match_topics(np.array([[0.1, 0.9], [0.8, 0.2]]), np.eye(2)).tolist()
    [1, 0]
    """
    return _match(topics, true_topics).partners


@dataclass(frozen=True, eq=False)
class Match:
    """For each topic the number of its true topic or −1; and all distances (K×K*)."""

    partners: Numbers
    distances: Array


_matches: WeakKeyDictionary[Subject, Match] = WeakKeyDictionary()


def match_of(subject: Subject) -> Match:
    """The subject's topics matched with the true ones: once, for all measures against the truth."""
    if subject not in _matches:
        _matches[subject] = _match(subject.distributions, true_topics_of(subject))
    return _matches[subject]


def _match(topics: Array, true_topics: Array) -> Match:
    distances = l1_distances(topics, true_topics)
    order, true_order = _by_content(topics), _by_content(true_topics)
    rows, columns = linear_sum_assignment(distances[np.ix_(order, true_order)])
    partners = np.full(len(order), -1, dtype=np.int64)
    partners[order[rows]] = true_order[columns]
    return Match(partners, distances)


def _by_content(topics: Array) -> Numbers:
    """An order of the topics that depends only on their content."""
    digests = [blake2b(row.tobytes()).digest() for row in np.asarray(topics, dtype=np.float64)]
    return np.array(sorted(range(len(digests)), key=digests.__getitem__), dtype=np.int64)


def l1_distances(topics: Array, truth: Array) -> Array:
    """Σ_j |T_tj − T*_uj| of every found topic and every true one; a topic without words is at 2."""
    if topics.shape[1] != truth.shape[1]:
        raise InputError(
            f"The topics are over {topics.shape[1]:,} words and the true ones over "
            f"{truth.shape[1]:,}; give both over the same words."
        )
    topics, truth = as_probabilities(topics), as_probabilities(truth)
    filled = (topics.sum(axis=1) > 0)[:, None] & (truth.sum(axis=1) > 0)
    return np.where(filled, cdist(topics, truth, "cityblock"), FARTHEST)


def align(weights: Array, true_weights: Array, partners: Numbers) -> tuple[Array, Array]:
    """Both weights over the true topics, then over the topics that match none of them.

    >>> align(np.array([[0.7, 0.2, 0.1]]), np.array([[0.4, 0.6]]), np.array([1, -1, 0]))
    (array([[0.1, 0.7, 0.2]]), array([[0.4, 0.6, 0. ]]))
    """
    unmatched = partners < 0
    k, extra = true_weights.shape[1], int(unmatched.sum())
    columns = np.where(unmatched, k - 1 + np.cumsum(unmatched), partners)
    moved = np.zeros((len(weights), k + extra))
    moved[:, columns] = weights
    return moved, np.hstack([true_weights, np.zeros((len(true_weights), extra))])


def true_topics_of(subject: Subject) -> Array:
    """The true topics; a measure that needs them is never computed without."""
    assert subject.true_topics is not None, "no true topics were given"
    return subject.true_topics


@dataclass(frozen=True)
class L1ToTruth(Measure):
    """The mean of Σ_j |T_tj − T*_uj| over topics t and their true topics u, best matched.

    Each true topic belongs to at most one topic. Found or true, a topic without a match counts 2,
    the largest distance there is, so the mean is over max(K, K*); both topics that were missed and
    superfluous ones cost something. `matched` in the notes is the mean over the pairs alone. A
    topic without words is at distance 2 of every other.
    """

    name: ClassVar[str] = "l1_to_truth"
    higher_is_better: ClassVar[bool] = False
    needs: ClassVar[frozenset[str]] = frozenset({"topics", "true_topics"})
    source: ClassVar[str] = "Arora 5.1"

    def value(self, totals: Any, subject: Subject) -> Score:
        """The mean over matched and unmatched topics, and each found topic's distance."""
        match = match_of(subject)
        paired = match.partners >= 0
        if not paired.any():
            raise UndefinedError("There are no topics to match.")
        distances = match.distances[np.arange(len(paired)), match.partners]
        per_topic = np.where(paired, distances, FARTHEST)
        missed = match.distances.shape[1] - int(paired.sum())
        mean = (float(np.sort(per_topic).sum()) + FARTHEST * missed) / (len(paired) + missed)
        notes = {"pairs": int(paired.sum()), "matched": float(np.sort(per_topic[paired]).mean())}
        return Score(mean, per_topic.tolist(), notes)


@dataclass(frozen=True)
class DistanceToTruth(Measure):
    """D(T, T*) = min_M ‖MT − T*‖_F / ‖T*‖_F: what no mixture reconstructs of the true topics.

    The least is at M = T*Tᵀ(TTᵀ)⁻¹; the source's closed form misses a factor and must read
    ‖T*Tᵀ(TTᵀ)⁻¹T − T*‖_F, with the last T. It is found by least squares, so topics may be
    identical, empty, or of another number than the true ones. 0 says that the topics span the true
    ones, not that they equal them: M is any matrix, with negative entries too.
    """

    name: ClassVar[str] = "distance_to_truth"
    higher_is_better: ClassVar[bool] = False
    needs: ClassVar[frozenset[str]] = frozenset({"topics", "true_topics"})
    source: ClassVar[str] = "Colin section 4"

    def value(self, totals: Any, subject: Subject) -> Score:
        """The relative residual of the true topics."""
        topics, true_topics = subject.distributions, as_probabilities(true_topics_of(subject))
        norm = float(np.linalg.norm(true_topics))
        if norm == 0:
            raise UndefinedError("The true topics have no words.")
        mixtures = np.linalg.lstsq(topics.T, true_topics.T, rcond=None)[0]
        return Score(float(np.linalg.norm(topics.T @ mixtures - true_topics.T)) / norm)
