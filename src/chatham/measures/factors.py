"""How well the factors of an anchor-word model reconstruct word co-occurrence.

Such a model factorises the co-occurrence C of two words into topics B, their correlations A and an
anchor for each topic: C ≈ BABᵀ, where every word is a mixture of anchors. After Lee (2018),
sections 1.4.2, 2.4 and A.4; the arithmetic is in `spectral`. C is that of the documents as a fit
counts it: weighted as the model's were, and not rectified. The topics of a word, p(z|x), are
p(x|z)·p(z) by Bayes' rule, with the topics' shares of the training documents as p(z); a word
with probability zero in all topics is a mixture of none.

They are computed only if requested by name: C has a number for each pair of words of the
vocabulary. Exact totals such as C and the sums of its rows give documents away: words that one
document brings share 1/n(n−1), or 1/n. So between parties these measures are refused unless all
know that exact totals cross; a model without anchors and correlations is refused before anything
does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.commons.interface import Step
from chatham.commons.precision import BY_DOCUMENT, BY_TOKEN, PAIRS, PAIRS_BY_LENGTH, Budgets
from chatham.errors import InputError
from chatham.learners.cooccurrence import Pairing, joint_distribution, statistics_of_pairs
from chatham.learners.documents import Documents
from chatham.learners.words import as_probabilities
from chatham.measures import spectral
from chatham.measures.evidence import documents_at
from chatham.measures.measure import Measure, Score, UndefinedError
from chatham.measures.subject import Subject
from chatham.naming import value_shown

Array = NDArray[np.float64]

MEANS = ("auto", "documents", "tokens")
"""What co-occurrence may be the mean over; "auto" is what the model's own fit took."""


def meeting_words(
    rows: Any, memory: Memory, subject: Subject, by_length: bool = False
) -> tuple[Array, Array]:
    """Word co-occurrence in my documents (upper half); how many have two words."""
    documents = _as_fitted(rows, memory, subject)
    packed, _, (kept, _) = statistics_of_pairs(documents, Pairing(by_length))
    return packed, np.array([kept])


def word_frequencies(
    rows: Any, memory: Memory, subject: Subject, by_length: bool = False
) -> tuple[Array, Array]:
    """The sum of the words, or their frequencies, of my documents with two or more; how many."""
    documents = _as_fitted(rows, memory, subject)
    has_pairs, sizes = Pairing().takes(documents.sizes), documents.sizes
    worth = has_pairs if by_length else np.where(has_pairs, 1.0 / np.maximum(sizes, 1.0), 0.0)
    share = worth[documents.owners] * documents.data
    sums = np.bincount(documents.indices, weights=share, minlength=documents.d)
    return np.asarray(sums, dtype=np.float64), np.array([float(has_pairs.sum())])


def _as_fitted(rows: Any, memory: Memory, subject: Subject) -> Documents:
    """This holder's documents as a fit of the subject would read them."""
    return Documents(subject.weighed(documents_at(rows, memory, subject).counts))


def topics_of_words(subject: Subject) -> Array:
    """p(z|x) of every word (d×k): rows that sum to one, or zeros for a word in no topic."""
    return as_probabilities((subject.shares[:, None] * subject.distributions).T)


def _anchors(subject: Subject) -> NDArray[np.int64]:
    """Each topic's anchor; a measure that needs them is never computed without."""
    assert subject.anchors is not None, "these topics have no anchors"
    return subject.anchors


def _correlations(subject: Subject) -> Array:
    """The topics' correlations; a measure that needs them is never computed without."""
    assert subject.correlations is not None, "these topics have no correlations"
    return subject.correlations


def mean_of_fit(subject: Subject) -> str:
    """What the co-occurrence that this model was fitted to is the mean over.

    A fit inside one organisation takes documents by length unless it is asked otherwise; parties'
    takes them alike, and its model says so. Of topics that weren't fitted to co-occurrence here
    nothing is known, and documents count alike, as in the source.
    """
    parameters = subject.estimator.get_params(deep=False) if subject.estimator is not None else {}
    return "documents" if parameters.get("mean_over", "documents") == "documents" else "tokens"


@dataclass(frozen=True)
class _OfFactors(Measure):
    """What all of them share: computed only by name, and lower is better by default."""

    higher_is_better: ClassVar[bool] = False
    by_default: ClassVar[bool] = False


@dataclass(frozen=True)
class _OfPairs(_OfFactors):
    """A measure against what pairs of words are, on the mean over documents or over tokens."""

    mean_over: str = "auto"
    by_length: ClassVar[Budgets] = PAIRS_BY_LENGTH
    """The budget where documents count by their length."""
    exact_totals: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse any other mean."""
        if self.mean_over not in MEANS:
            raise InputError(
                f"A mean over {value_shown(self.mean_over)} isn't known; choose 'auto', "
                "'documents' or 'tokens'."
            )

    def suited(self, subject: Subject) -> Measure:
        """By "auto", over what this model's fit took the mean over."""
        return replace(self, mean_over=mean_of_fit(subject)) if self.mean_over == "auto" else self

    def shared(self, subject: Subject) -> tuple[Any, ...]:
        """Whether documents count by their length."""
        return (self.mean_over == "tokens",)

    @property
    def most(self) -> Budgets:
        """Cells may be as large as documents are long where these count by their length."""
        return self.by_length if self.mean_over == "tokens" else type(self).budget


@dataclass(frozen=True)
class _OfCooccurrence(_OfPairs):
    """A measure against the documents' co-occurrence C."""

    local_statistics: ClassVar[Step | None] = staticmethod(meeting_words)
    budget: ClassVar[Budgets] = PAIRS

    def cooccurrence(self, totals: tuple[Array, Array], subject: Subject) -> Array:
        """C, a joint distribution."""
        matrix = joint_distribution(totals[0], len(subject.vocabulary))
        if matrix is None:
            raise UndefinedError("No two words of the model's vocabulary co-occur in any document.")
        return matrix


@dataclass(frozen=True)
class RecoveryError(_OfCooccurrence):
    """(1/N) Σ_i ‖C̄_i − Σ_t p(z=t|x=i) C̄_{s_t}‖₂: are words mixtures of the anchors? (eq. 1.6)

    C̄ is C with rows that sum to one, s_t the anchor of topic t (of several, the first). Words that
    co-occur with no other are left out, and counted in the notes; undefined where an anchor is one.
    C is what the model's fit took: with `mean_over="documents"` documents count alike, with
    "tokens" by their length.
    """

    name: ClassVar[str] = "recovery_error"
    needs: ClassVar[frozenset[str]] = frozenset({"topics", "corpus", "anchors"})
    source: ClassVar[str] = "Lee eq. 1.6"

    def value(self, totals: Any, subject: Subject) -> Score:
        """The mean over words."""
        matrix = self.cooccurrence(totals, subject)
        score = spectral.recovery_error(matrix, topics_of_words(subject), _anchors(subject))
        return Score(score.value, notes={"documents": int(totals[1][0]), **score.notes})


@dataclass(frozen=True)
class ApproximationError(_OfCooccurrence):
    """‖C − BABᵀ‖_F: the co-occurrence that topics B and their correlations A don't explain.

    Entries of C are about one over the square of the vocabulary, so values can be
    compared only on the same documents and words, and the same `mean_over`. Sweeps make A a mean
    over documents; an unrefined A is that of the co-occurrence it was read from.
    """

    name: ClassVar[str] = "approximation_error"
    needs: ClassVar[frozenset[str]] = frozenset({"topics", "corpus", "correlations"})
    source: ClassVar[str] = "Lee section 2.4"

    def value(self, totals: Any, subject: Subject) -> Score:
        """The norm of the residual."""
        matrix = self.cooccurrence(totals, subject)
        score = spectral.approximation_error(matrix, subject.distributions, _correlations(subject))
        return Score(score.value, notes={"documents": int(totals[1][0])})


@dataclass(frozen=True)
class Validity(_OfPairs):
    """KL(p‖q) + KL(q‖p) of two ways to p(z): p_t = Σ_u A_tu, q_t = Σ_i p(z=t|x=i) p(x=i).

    p(x) are the sums of C's rows: the mean of the documents' frequencies, for which C needn't be
    counted. A isn't normalised first, so that correlations that aren't a distribution show here
    too; a marginal of zero or less counts as 1e-12. A topic's value is its term of the sum, none of
    which is negative. With `mean_over="tokens"` p(x) is that of a token.
    """

    name: ClassVar[str] = "validity"
    needs: ClassVar[frozenset[str]] = frozenset({"topics", "corpus", "correlations"})
    source: ClassVar[str] = "Lee section A.4"
    local_statistics: ClassVar[Step | None] = staticmethod(word_frequencies)
    budget: ClassVar[Budgets] = BY_DOCUMENT
    by_length: ClassVar[Budgets] = BY_TOKEN

    def value(self, totals: Any, subject: Subject) -> Score:
        """The sum over topics, and each topic's term."""
        words, (documents,) = totals
        if documents == 0:
            raise UndefinedError("No document has two words of the model's vocabulary.")
        score = spectral.validity(_correlations(subject), topics_of_words(subject), words)
        return Score(score.value, score.per_topic, {"documents": int(documents)})


@dataclass(frozen=True)
class Legality(_OfFactors):
    """|Σ_tu A_tu − 1|: how far the topics' correlations A are from a joint distribution.

    The source prints the sum itself, of which nearer 1 is better; the notes have it as `sum`. It is
    informative for correlations computed from anchors (`refine=0`): sweeps over documents make
    them sum to one.
    """

    name: ClassVar[str] = "legality"
    needs: ClassVar[frozenset[str]] = frozenset({"correlations"})
    source: ClassVar[str] = "Lee section A.4"

    def value(self, totals: Any, subject: Subject) -> Score:
        """From the correlations alone."""
        total = spectral.legality(_correlations(subject)).value
        return Score(abs(total - 1.0), notes={"sum": total})


@dataclass(frozen=True)
class Dominancy(_OfFactors):
    """(1/K) Σ_t p(z₂=t|z₁=t): how likely the second of two words has the topic of the first.

    The diagonal of the correlations A with rows that sum to one. The larger, the less topics
    co-occur; Lee doesn't say how large is good, and looks at how near it is to that of a Gibbs
    sampler. Undefined where a topic has no probability at all.
    """

    name: ClassVar[str] = "dominancy"
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"correlations"})
    source: ClassVar[str] = "Lee section 2.4"

    def value(self, totals: Any, subject: Subject) -> Score:
        """From the correlations alone."""
        return spectral.dominancy(_correlations(subject))


@dataclass(frozen=True)
class HardRank(_OfFactors):
    """The rank, from zero, of each topic's anchor among the topic's words; the mean over topics.

    Words as probable as the anchor count one half each. A topic without words has no value.
    """

    name: ClassVar[str] = "hard_rank"
    needs: ClassVar[frozenset[str]] = frozenset({"topics", "anchors"})
    source: ClassVar[str] = "Lee section 1.4.2"

    def value(self, totals: Any, subject: Subject) -> Score:
        """From the topics and their anchors."""
        return spectral.hard_rank(subject.distributions, _anchors(subject))


@dataclass(frozen=True)
class SoftRank(_OfFactors):
    """(1/K) Σ_t log T_{t,x*_t} / T_{t,s_t}: how much likelier the top word x* is than the anchor s.

    In nats; 0 where each topic's anchor is its top word. Undefined where a topic gives its own
    anchor probability zero.
    """

    name: ClassVar[str] = "soft_rank"
    needs: ClassVar[frozenset[str]] = frozenset({"topics", "anchors"})
    source: ClassVar[str] = "Lee eq. 1.11"

    def value(self, totals: Any, subject: Subject) -> Score:
        """From the topics and their anchors."""
        return spectral.soft_rank(subject.distributions, _anchors(subject))
