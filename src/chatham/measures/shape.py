"""The shape of topics of any learner: specificity, dissimilarity, entropy, sparsity.

Lee's measures of topics (2018, sections 1.4.2, 2.4 and 3.5.1) that need no co-occurrence matrix
and no anchors; the arithmetic is in `spectral`. The number of words that no other topic has, Lee's
other dissimilarity, is the measure `unique_words`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.commons.precision import BY_TOKEN, Budgets
from chatham.measures import spectral
from chatham.measures.evidence import documents_at
from chatham.measures.measure import Measure, Score, UndefinedError
from chatham.measures.subject import Subject

Array = NDArray[np.float64]

WORDS_AT_ONCE = 4096
"""Words that are processed together, so that no array is as large as the topics."""


@dataclass(frozen=True)
class Specificity(Measure):
    """How far topics are from the documents as a whole, (1/K) Σ_t KL(T_t: ‖ p) (eq. 1.8).

    p is the unigram distribution of the documents: every token counts the same. Words that the
    documents don't have are left out, each topic is normalised over the rest, and the notes count
    them; a topic without any other word has no value.
    """

    name: ClassVar[str] = "specificity"
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"topics", "corpus"})
    source: ClassVar[str] = "Lee eq. 1.8"
    exact_totals: ClassVar[bool] = True
    budget: ClassVar[Budgets] = BY_TOKEN

    @staticmethod
    def local_statistics(rows: Any, memory: Memory, subject: Subject) -> Array:
        """How often each word occurs in my documents."""
        documents = documents_at(rows, memory, subject)
        return np.asarray(documents.counts.sum(axis=0), dtype=np.float64)

    def value(self, totals: Any, subject: Subject) -> Score:
        """The mean over topics, and each topic's divergence in nats."""
        if totals.sum() <= 0:
            raise UndefinedError("No document has any word of the model's vocabulary.")
        return spectral.specificity(subject.distributions, totals)


@dataclass(frozen=True)
class Dissimilarity(Measure):
    """The radius of the topics about their mean, max_t ‖(1/K) Σ_t' T_t': − T_t:‖₂ (eq. 1.9).

    The per-topic values are the distances from the mean. Topics without words are left out, of the
    mean too; a single topic has radius 0.
    """

    name: ClassVar[str] = "dissimilarity"
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"topics"})
    source: ClassVar[str] = "Lee eq. 1.9"

    def value(self, totals: Any, subject: Subject) -> Score:
        """The largest distance, and each topic's."""
        return spectral.dissimilarity_radius(subject.distributions)


@dataclass(frozen=True)
class Entropy(Measure):
    """How undecided words are between topics, (1/N) Σ_j H(z|x=j) / log K (eq. 1.7), in [0, 1].

    p(z=t|x=j) ∝ share_t·T_tj by Bayes' rule, with each topic's share of the training documents
    (equal where it isn't known). Words in no topic are left out, and counted in the notes; with a
    single topic it is 0. Topics without words don't count among the K.
    """

    name: ClassVar[str] = "entropy"
    higher_is_better: ClassVar[bool] = False
    needs: ClassVar[frozenset[str]] = frozenset({"topics"})
    source: ClassVar[str] = "Lee eq. 1.7"

    def value(self, totals: Any, subject: Subject) -> Score:
        """The mean over words."""
        return spectral.entropy_of_blocks(_joint(subject))


def _joint(subject: Subject) -> Iterator[Array]:
    """share_t·T_tj of the topics with words, a few words (rows) at a time."""
    has_words, d = subject.uttering, subject.distributions.shape[1]
    shares = subject.shares[has_words]
    for start in range(0, d, WORDS_AT_ONCE):
        yield subject.distributions[has_words, start : start + WORDS_AT_ONCE].T * shares


@dataclass(frozen=True)
class Sparsity(Measure):
    """(1/K) Σ_t (√N − ‖T_t:‖₁/‖T_t:‖₂) / (√N − 1), Hoyer's: 1 for one word, 0 if all N are equal.

    A topic without words has no value; with a vocabulary of one word there is none at all.
    """

    name: ClassVar[str] = "sparsity"
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"topics"})
    source: ClassVar[str] = "Lee section 3.5.1"

    def value(self, totals: Any, subject: Subject) -> Score:
        """The mean over topics, and each topic's."""
        return spectral.sparsity(subject.distributions)
