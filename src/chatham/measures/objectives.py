"""How closely a model reconstructs documents: the two objectives that learners optimise.

Documents are their frequencies X (each sums to one), whatever weighting the model was fitted with,
so that all models are measured on the same words. In sample the weights W are those that the model
itself gives the documents; out of sample they are the best possible ones for fixed topics, as
Fig. 1.11 asks (whose "arg min L" must be an arg max: L is a log-likelihood).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.commons.interface import Step
from chatham.commons.precision import BY_LOGARITHM, Budgets
from chatham.measures.evidence import KnownDocuments, documents_at, weights_at
from chatham.measures.likelihood import log_likelihoods
from chatham.measures.measure import Measure, Score, UndefinedError, by_settings, named
from chatham.measures.settings import check_share
from chatham.measures.subject import Subject, folding, smoothed
from chatham.wording import say

Array = NDArray[np.float64]

SMOOTHING = 0.01
"""The share of the uniform distribution in a prediction: no word is impossible."""
NEEDED = {False: frozenset({"topics", "weights"}), True: frozenset({"topics", "held_out"})}
"""What both objectives need of seen documents, and of those held out."""


def squared_error(documents: KnownDocuments, weights: Array, topics: Array) -> Array:
    """½‖X − WT‖² and how many documents it is over, without ever forming the residual."""
    frequencies = documents.frequencies
    squares = float(frequencies.data @ frequencies.data)
    inner = float((weights * (frequencies @ topics.T)).sum())
    reconstructed = float(((weights.T @ weights) * (topics @ topics.T)).sum())
    return np.array([0.5 * max(squares - 2 * inner + reconstructed, 0.0), documents.n])


def likelihood_sums(documents: KnownDocuments, weights: Array, topics: Array) -> Array:
    """Σ_ij X_ij log (WT)_ij over possible documents; how many there are, and impossible ones.

    An impossible document has a word of probability zero: what is infinite can't cross.
    """
    logs = log_likelihoods(documents.frequencies, weights, topics)
    possible = np.isfinite(logs)
    return np.array([logs[possible].sum(), documents.n, (~possible).sum()])


@dataclass(frozen=True)
class FrobeniusError(Measure):
    """Half the squared error of the documents' frequencies, ½ Σ_ij (X_ij − W_i: T_:j)² (Fig. 1.9).

    The sum over documents as defined, so it grows with their number; `per_document` in the notes
    is its mean, for corpora of different sizes. With `held_out` it is of unseen documents, for the
    weights of the least error.
    """

    held_out: bool = False
    name: ClassVar[str] = named("frobenius")
    higher_is_better: ClassVar[bool] = False
    counts_absence: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = by_settings(lambda m: NEEDED[m.held_out])
    source: ClassVar[str] = by_settings(lambda m: "Fig. 1.11" if m.held_out else "Fig. 1.9")

    @property
    def step(self) -> Step:
        """Weights as the model finds them, or the best possible ones."""
        return self.held_out_statistics if self.held_out else self.local_statistics

    @staticmethod
    def local_statistics(rows: Any, memory: Memory, subject: Subject) -> Array:
        """The squared error of my documents, halved; how many documents have words."""
        documents = documents_at(rows, memory, subject)
        return squared_error(documents, weights_at(rows, memory, subject), subject.distributions)

    @staticmethod
    def held_out_statistics(rows: Any, memory: Memory, subject: Subject) -> Array:
        """The least squared error of my documents, halved; how many documents have words."""
        documents = documents_at(rows, memory, subject)
        if not documents.n:
            return np.zeros(2)
        weights = folding("nmf", subject.distributions).transform(documents.counts)
        return squared_error(documents, weights, subject.distributions)

    def value(self, totals: Any, subject: Subject) -> Score:
        """The sum, and its mean over documents."""
        weighed_by = "least squares" if self.held_out else "the model"
        return Score(float(totals[0]), notes=_notes(totals, weighed_by))

    @property
    def definition(self) -> str:
        """For unseen documents it is another one."""
        best = "½ Σ_ij (E_ij − W_i: T_:j)² of unseen documents E, for the best weights W"
        return f"{best} (Fig. 1.11)." if self.held_out else super().definition


@dataclass(frozen=True)
class LogLikelihood(Measure):
    """The log-likelihood of the documents' frequencies, Σ_ij X_ij log W_i: T_:j (Fig. 1.10).

    Topics are mixed with a share `smoothing` of the uniform distribution, since one word of
    probability zero would make the sum minus infinity; with `smoothing=0` it is as defined.
    With `held_out` it is of unseen documents, for the likeliest weights.
    """

    smoothing: float = SMOOTHING
    held_out: bool = False
    name: ClassVar[str] = named("log_likelihood")
    higher_is_better: ClassVar[bool] = True
    counts_absence: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = by_settings(lambda m: NEEDED[m.held_out])
    source: ClassVar[str] = by_settings(lambda m: "Fig. 1.11" if m.held_out else "Fig. 1.10")
    budget: ClassVar[Budgets] = BY_LOGARITHM

    def __post_init__(self) -> None:
        check_share("smoothing", self.smoothing)

    def shared(self, subject: Subject) -> tuple[Any, ...]:
        """How much the topics are smoothed."""
        return (self.smoothing,)

    @property
    def step(self) -> Step:
        """Weights as the model finds them, or the likeliest."""
        return self.held_out_statistics if self.held_out else self.local_statistics

    @staticmethod
    def local_statistics(rows: Any, memory: Memory, subject: Subject, smoothing: float) -> Array:
        """The log-likelihood of my documents; how many there are, and how many are impossible."""
        documents, topics = documents_at(rows, memory, subject), smoothed_topics(subject, smoothing)
        return likelihood_sums(documents, weights_at(rows, memory, subject), topics)

    @staticmethod
    def held_out_statistics(rows: Any, memory: Memory, subject: Subject, smoothing: float) -> Array:
        """The highest log-likelihood of my documents; how many, and how many are impossible."""
        documents, topics = documents_at(rows, memory, subject), smoothed_topics(subject, smoothing)
        weights = np.full((documents.n, len(topics)), 1.0 / len(topics))
        possible = (documents.counts @ ~topics.any(axis=0)) == 0
        if possible.any():
            weights[possible] = folding("plsa", topics).transform(documents.counts[possible])
        return likelihood_sums(documents, weights, topics)

    def value(self, totals: Any, subject: Subject) -> Score:
        """The sum, and its mean over documents."""
        weighed_by = "highest likelihood" if self.held_out else "the model"
        notes, impossible = _notes(totals, weighed_by), int(totals[2])
        if impossible:
            raise UndefinedError(
                say(
                    "{impossible:,} of the documents have a word of probability zero in their "
                    "topics; set {smoothing} above zero.",
                    impossible=impossible,
                )
            )
        return Score(float(totals[0]), notes=notes)

    @property
    def definition(self) -> str:
        """For unseen documents it is another one."""
        best = "Σ_ij E_ij log W_i: T_:j of unseen documents E, for the likeliest weights W"
        return f"{best} (Fig. 1.11)." if self.held_out else super().definition


@dataclass(frozen=True)
class AverageWeightsPerplexity(Measure):
    """The perplexity of unseen documents under the average weights of the seen ones (Fig. 1.12).

    exp(−Σ_mj E_mj log((1/n) Σ_i W_i: T_:j) / ‖E‖₁): no weights are fitted to the unseen documents
    E, so it measures only the corpus's average. What is called perplexity elsewhere is the
    measure `perplexity`. The average weights are the model's topic shares; topics without words
    are left out.
    """

    smoothing: float = SMOOTHING
    name: ClassVar[str] = "perplexity_of_average_weights"
    exact_totals: ClassVar[bool] = True
    higher_is_better: ClassVar[bool] = False
    counts_absence: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"topics", "held_out"})
    source: ClassVar[str] = "Fig. 1.12"

    def __post_init__(self) -> None:
        check_share("smoothing", self.smoothing)

    @staticmethod
    def local_statistics(rows: Any, memory: Memory, subject: Subject) -> tuple[Array, Array]:
        """The sum of my documents' frequencies, word by word; how many documents have words."""
        documents = documents_at(rows, memory, subject)
        return np.asarray(documents.frequencies.sum(axis=0)), np.array([float(documents.n)])

    def value(self, totals: Any, subject: Subject) -> Score:
        """From the average document alone."""
        words, documents = totals
        _check_documents(documents[0])
        has_words = subject.uttering
        shares = subject.shares[has_words]
        topics = smoothed_topics(subject, self.smoothing)[has_words]
        probabilities = shares @ topics / shares.sum()
        occurs = words > 0
        if (probabilities[occurs] <= 0).any():
            raise UndefinedError(
                say("A word of the documents is in no topic; set {smoothing} above zero.")
            )
        cross_entropy = -float(words[occurs] @ np.log(probabilities[occurs])) / float(words.sum())
        return Score(float(np.exp(cross_entropy)), notes={"documents": int(documents[0])})


def smoothed_topics(subject: Subject, smoothing: float) -> Array:
    """The subject's topics with a share of the uniform distribution."""
    return smoothed(subject.distributions, smoothing)


def _notes(totals: Array, weighed_by: str) -> dict[str, Any]:
    _check_documents(totals[1])
    mean = float(totals[0] / totals[1])
    return {"documents": int(totals[1]), "per_document": mean, "weighed_by": weighed_by}


def _check_documents(documents: float) -> None:
    if documents == 0:
        raise UndefinedError("No document has any word of the model's vocabulary.")
