"""How close the weights of documents are to the true ones, where these are known.

After Lee (2018), section 4.4. Topics are first matched with the true ones (`match_topics`). All
comparisons are over the true topics, followed by the found ones that match none: in these the
truth has weight zero, as a document has in a true topic that was missed. Documents whose true
weights aren't known (a row of zeros) are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from chatham.commons import Memory
from chatham.commons.precision import BY_LOGARITHM, Budgets
from chatham.errors import InputError
from chatham.measures.evidence import documents_at, weights_at
from chatham.measures.measure import Measure, Score, UndefinedError
from chatham.measures.settings import check_share
from chatham.measures.subject import Subject
from chatham.measures.truth.topics import Numbers, align, match_of, true_topics_of

Array = NDArray[np.float64]

CLOSE = 1e-9
"""Weights that differ by less are equal, and a sum that lacks less has reached `mass`."""


def prominent(weights: Array, mass: float) -> NDArray[np.bool_]:
    """The fewest topics of each document, largest first, whose weights sum to `mass` at least.

    Topics as large as the last of them are prominent too: only their order distinguishes them.

    >>> prominent(np.array([[0.5, 0.1, 0.3, 0.1]]), 0.8).tolist()
    [[True, False, True, False]]
    """
    largest_first = -np.sort(-weights, axis=1)
    reached = largest_first.cumsum(axis=1) >= mass - CLOSE
    threshold = np.take_along_axis(largest_first, reached.argmax(axis=1)[:, None], axis=1)
    return (weights >= threshold - CLOSE) & (weights > 0)


@dataclass(frozen=True)
class _OverDocuments(Measure):
    """The mean over documents of one of the columns that a step sums."""

    column: ClassVar[int]
    higher_is_better: ClassVar[bool] = False
    needs: ClassVar[frozenset[str]] = frozenset({"weights", "true_weights", "true_topics"})
    source: ClassVar[str] = "Lee section 4.4"

    def __post_init__(self) -> None:
        """All settings here are shares, and none may be zero: what is infinite can't cross."""
        for name, share in self.settings.items():
            check_share(name, share, above_zero=True)

    def shared(self, subject: Subject) -> tuple[Any, ...]:
        """Which true topic each topic is, and the settings."""
        return match_of(subject).partners, *self.settings.values()

    def value(self, totals: Any, subject: Subject) -> Score:
        """The mean."""
        notes = {"documents": _documents(totals[-1])}
        return Score(float(totals[self.column] / totals[-1]), notes=notes)


@dataclass(frozen=True)
class _Prominent(_OverDocuments):
    """Prominent topics: the largest whose weights sum to `mass` (Lee: "close to 0.8")."""

    mass: float = 0.8

    @staticmethod
    def local_statistics(
        rows: Any, memory: Memory, subject: Subject, partners: Numbers, mass: float
    ) -> Array:
        """Sums of my documents' precision, recall, F1 and non-support; how many documents."""
        weights, true_weights = aligned_at(rows, memory, subject, partners)
        large, truly_large = prominent(weights, mass), prominent(true_weights, mass)
        both = large & truly_large
        n_right, n_prominent, n_truly_prominent = (
            x.sum(axis=1) for x in (both, large, truly_large)
        )
        sums = (
            n_right / n_prominent,
            n_right / n_truly_prominent,
            2 * n_right / (n_prominent + n_truly_prominent),
        )
        return _summed(*sums, np.where(truly_large, 0.0, weights).sum(axis=1))


@dataclass(frozen=True)
class PrecisionOfTopics(_Prominent):
    """The share of a document's prominent topics that are truly prominent, mean over documents.

    Prominent are the fewest topics, largest first, whose weights sum to `mass`, and those as large
    as the last of them. A topic that matches no true one is never right.
    """

    column: ClassVar[int] = 0
    name: ClassVar[str] = "precision_of_topics"
    higher_is_better: ClassVar[bool] = True


@dataclass(frozen=True)
class RecallOfTopics(_Prominent):
    """The share of a document's truly prominent topics that are prominent, mean over documents."""

    column: ClassVar[int] = 1
    name: ClassVar[str] = "recall_of_topics"
    higher_is_better: ClassVar[bool] = True


@dataclass(frozen=True)
class F1OfTopics(_Prominent):
    """The harmonic mean of a document's precision and recall of topics, mean over documents."""

    column: ClassVar[int] = 2
    name: ClassVar[str] = "f1_of_topics"
    higher_is_better: ClassVar[bool] = True


@dataclass(frozen=True)
class NonSupport(_Prominent):
    """The weight that a document has in topics not prominent in truth, mean over documents.

    The truth itself isn't at zero: what lies beyond `mass` of it is non-support too.
    """

    column: ClassVar[int] = 3
    name: ClassVar[str] = "non_support"


@dataclass(frozen=True)
class _Distance(_OverDocuments):
    """Distances of a document's weights from the true ones that need no settings."""

    @staticmethod
    def local_statistics(rows: Any, memory: Memory, subject: Subject, partners: Numbers) -> Array:
        """Sums of my documents' Hellinger, ℓ1 and ℓ∞ distances to the truth; how many documents."""
        weights, true_weights = aligned_at(rows, memory, subject, partners)
        roots, gaps = np.sqrt(weights) - np.sqrt(true_weights), np.abs(weights - true_weights)
        hellinger = np.sqrt(np.square(roots).sum(axis=1) / 2)
        return _summed(hellinger, gaps.sum(axis=1), gaps.max(axis=1))


@dataclass(frozen=True)
class Hellinger(_Distance):
    """√(½ Σ_t (√W_it − √W*_it)²), in [0, 1], mean over documents."""

    column: ClassVar[int] = 0
    name: ClassVar[str] = "hellinger"


@dataclass(frozen=True)
class L1OfWeights(_Distance):
    """Σ_t |W_it − W*_it|, in [0, 2], mean over documents."""

    column: ClassVar[int] = 1
    name: ClassVar[str] = "l1_of_weights"


@dataclass(frozen=True)
class LInfOfWeights(_Distance):
    """max_t |W_it − W*_it|, in [0, 1], mean over documents."""

    column: ClassVar[int] = 2
    name: ClassVar[str] = "linf_of_weights"


@dataclass(frozen=True)
class KLToTrueWeights(_OverDocuments):
    """Σ_t W*_it log(W*_it / W_it) in nats, mean over documents.

    Found weights are mixed with a share `smoothing` of the uniform distribution, since one true
    topic without weight would make it infinite.
    """

    smoothing: float = 1e-6
    column: ClassVar[int] = 0
    name: ClassVar[str] = "kl_to_true_weights"
    budget: ClassVar[Budgets] = BY_LOGARITHM

    @staticmethod
    def local_statistics(
        rows: Any, memory: Memory, subject: Subject, partners: Numbers, smoothing: float
    ) -> Array:
        """The sum of my documents' divergences from the truth; how many documents."""
        weights, true_weights = aligned_at(rows, memory, subject, partners)
        mixed = (1 - smoothing) * weights + smoothing / weights.shape[1]
        return _summed(rel_entr(true_weights, mixed).sum(axis=1))


@dataclass(frozen=True)
class PriorDistance(_OverDocuments):
    """‖A₀ − (1/M) Σ_i W_i:ᵀ W_i:‖_F: does the model know which topics co-occur?

    A₀ is the second moment of the true weights, (1/M) Σ_i W*_i:ᵀ W*_i:.
    """

    name: ClassVar[str] = "prior_distance"

    @staticmethod
    def local_statistics(
        rows: Any, memory: Memory, subject: Subject, partners: Numbers
    ) -> tuple[Array, Array]:
        """True minus found products of topics' weights, summed over my documents; how many."""
        weights, true_weights = aligned_at(rows, memory, subject, partners)
        difference = true_weights.T @ true_weights - weights.T @ weights
        return difference, np.array([float(len(weights))])

    def value(self, totals: Any, subject: Subject) -> Score:
        """The norm of the mean difference."""
        difference, documents = totals
        notes = {"documents": _documents(documents[0])}
        return Score(float(np.linalg.norm(difference)) / notes["documents"], notes=notes)


def _summed(*values: Array) -> Array:
    return np.array([*(each.sum() for each in values), len(values[0])], dtype=np.float64)


def _documents(number: float) -> int:
    if number <= 0:
        raise UndefinedError("No document with words has true weights.")
    return round(float(number))


def aligned_at(
    rows: Any, memory: Memory, subject: Subject, partners: Numbers
) -> tuple[Array, Array]:
    """The weights of this holder's documents and the true ones, in columns that match."""
    return memory.derived("aligned with truth", _aligned, rows, memory, subject, partners)


def _aligned(rows: Any, memory: Memory, subject: Subject, partners: Numbers) -> tuple[Array, Array]:
    truth = _known_truth(rows, memory, subject)
    has_truth = truth.sum(axis=1) > 0
    truth = truth[has_truth] / truth[has_truth].sum(axis=1, keepdims=True)
    weights = weights_at(rows, memory, subject)[has_truth]
    return align(weights, truth, partners)


def _known_truth(rows: Any, memory: Memory, subject: Subject) -> Array:
    true_weights, k = getattr(rows, "true_weights", None), len(true_topics_of(subject))
    if true_weights is not None:
        check_true_weights(true_weights, k)
    documents = documents_at(rows, memory, subject)
    if documents.true_weights is None:
        if documents.n:
            raise InputError("There are documents here without true weights; give them all.")
        return np.zeros((0, k))
    return np.asarray(documents.true_weights, dtype=np.float64)


def check_true_weights(true_weights: Any, k: int) -> None:
    """Refuse what can't be documents' weights of `k` true topics.

    >>> check_true_weights([[0.25, 0.75], [1, 0]], 2)
    """
    try:
        weights = np.asarray(true_weights, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.full((1, k), np.nan)
    if weights.ndim != 2:
        raise InputError(
            f"True weights must have a row for each document and a column for each true topic. Got "
            f"an array of shape {weights.shape} instead."
        )
    if not np.isfinite(weights).all():
        raise InputError("Some true weights aren't finite numbers; give zeros where none is known.")
    if weights.shape[1] != k:
        raise InputError(
            f"The true weights are of {weights.shape[1]:,} topics and there are {k:,} true topics; "
            "give a column for each."
        )
    if (weights < 0).any():
        raise InputError("Some true weights are negative; give shares of documents.")
