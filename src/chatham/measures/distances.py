"""How far topics are from four known bad outcomes (thesis section 1.3.5, Fig. 1.16).

A topic says nothing if it is uniform over words, if it is the mean of all topics, if it is the mean
document, or if every document has the same share of it. Each measure is the Kullback–Leibler
divergence from such an outcome, in nats, averaged over topics by their weights in the documents,
w_t = Σ_i W_it / ‖W‖₁. A topic without words, or without any weight where documents are
compared, has no value and is left out of the average.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from chatham.commons import Memory
from chatham.commons.interface import Step
from chatham.learners.words import TINY
from chatham.measures.evidence import documents_at, weights_at
from chatham.measures.measure import Measure, Score, UndefinedError, known_or_none, weighted_mean
from chatham.measures.settings import check_share
from chatham.measures.subject import Subject, smoothed
from chatham.wording import say

Array = NDArray[np.float64]


def weight_sums(rows: Any, memory: Memory, subject: Subject) -> Array:
    """The sum of my documents' weights, topic by topic."""
    return np.asarray(weights_at(rows, memory, subject).sum(axis=0))


def weight_spread(rows: Any, memory: Memory, subject: Subject) -> tuple[Array, Array, Array]:
    """Per topic, the sums of my documents' weights W and of W log W; how many have words."""
    weights = weights_at(rows, memory, subject)
    return weights.sum(axis=0), xlogy(weights, weights).sum(axis=0), np.array([float(len(weights))])


def weights_and_words(rows: Any, memory: Memory, subject: Subject) -> tuple[Array, Array]:
    """The sums of my documents' weights, topic by topic, and of their frequencies, by word."""
    words = documents_at(rows, memory, subject).frequencies.sum(axis=0)
    return weight_sums(rows, memory, subject), np.asarray(words)


def topic_weights(sums: Array) -> Array:
    """w_t = Σ_i W_it / ‖W‖₁, from the sums of weights."""
    total = float(np.sum(sums))
    if total <= 0:
        raise UndefinedError("No document has any word of the model's vocabulary.")
    return np.asarray(sums / total)


def divergences(topics: Array, background: Array) -> list[float | None]:
    """KL(T_t: ‖ background) of each topic; None for a topic without words.

    The background is floored at the smallest normal number: for a meaningful result it must be
    positive wherever a topic is.

    >>> [round(value, 4) for value in divergences(np.array([[0.5, 0.5, 0.0]]), np.full(3, 1 / 3))]
    [0.4055]
    """
    logs = np.log(np.maximum(background, TINY))
    # One topic at a time: all at once would take three more arrays as large as the topics.
    values = [max(float((xlogy(topic, topic) - topic * logs).sum()), 0.0) for topic in topics]
    return known_or_none(values, topics.sum(axis=1) > 0)


def weight_divergences(totals: tuple[Array, Array, Array]) -> list[float | None]:
    """KL(W_:t/ΣW_:t ‖ 1/n) = log n − H of each topic; None for a topic that no document has.

    With s = Σ_i W_it, the entropy of the normalised column is log s − (Σ_i W_it log W_it) / s.
    """
    sums, logs, (documents,) = totals
    topic_weights(sums)
    largest = math.log(max(float(documents), 1.0))
    return [
        min(max(largest - math.log(s) + float(log) / float(s), 0.0), largest) if s > 0 else None
        for s, log in zip(sums, logs, strict=True)
    ]


def score_by_weight(values: list[float | None], sums: Array) -> Score:
    """The mean of the topics' values by their weights in the documents."""
    return Score(weighted_mean(values, topic_weights(sums).tolist()), values)


@dataclass(frozen=True)
class TopicUniform(Measure):
    """The distance of topics from the uniform one, Σ_t w_t KL(T_t: ‖ 1/d) = Σ_t w_t (log d − H).

    Between 0, uniform, and log d, one word per topic. d is the size of the vocabulary, so values
    of models over different vocabularies can't be compared.
    """

    name: ClassVar[str] = "topic_uniform"
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"topics", "weights"})
    source: ClassVar[str] = "Fig. 1.16"
    local_statistics: ClassVar[Step | None] = staticmethod(weight_sums)

    def value(self, totals: Any, subject: Subject) -> Score:
        """From the topics and their weights."""
        d = subject.distributions.shape[1]
        return score_by_weight(divergences(subject.distributions, np.full(d, 1.0 / d)), totals)


@dataclass(frozen=True)
class TopicAverage(Measure):
    """The distance of topics from their mean, Σ_t w_t KL(T_t: ‖ t^a), t^a = (1/k) Σ_t T_t:.

    The source's mean is over (WT)_t:, which are documents and not topics; the mean topic that its
    text means is over T_t:. Topics without words aren't part of the mean. Between 0 (always so
    for one topic) and log k, topics that share no word.
    """

    name: ClassVar[str] = "topic_average"
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"topics", "weights"})
    source: ClassVar[str] = "Fig. 1.16"
    local_statistics: ClassVar[Step | None] = staticmethod(weight_sums)

    def value(self, totals: Any, subject: Subject) -> Score:
        """From the topics and their weights."""
        topics = subject.distributions
        n_with_words = max(int((topics.sum(axis=1) > 0).sum()), 1)
        return score_by_weight(divergences(topics, topics.sum(axis=0) / n_with_words), totals)


@dataclass(frozen=True)
class DocumentAverage(Measure):
    """The distance of topics from the mean document, Σ_t w_t KL(T_t: ‖ t^d), t^d = (1/n) Σ_i X_i:.

    A word with a probability in a topic that no document has would make it infinite, so t^d has a
    share `smoothing` of the uniform distribution: little enough to change nothing else. With
    `smoothing=0` it is as defined, and has no value if there is such a word.
    """

    smoothing: float = 1e-6
    name: ClassVar[str] = "document_average"
    exact_totals: ClassVar[bool] = True
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"topics", "weights"})
    source: ClassVar[str] = "Fig. 1.16"
    local_statistics: ClassVar[Step | None] = staticmethod(weights_and_words)

    def __post_init__(self) -> None:
        check_share("smoothing", self.smoothing)

    def value(self, totals: Any, subject: Subject) -> Score:
        """From the topics, their weights and the mean document."""
        sums, words = totals
        topic_weights(sums)
        average = smoothed((words / words.sum())[None, :], self.smoothing)[0]
        topics = subject.distributions
        if (topics[:, average <= 0] > 0).any():
            raise UndefinedError(
                say("A word of a topic is in no document; set {smoothing} above zero.")
            )
        return score_by_weight(divergences(topics, average), sums)


@dataclass(frozen=True)
class WeightsBackground(Measure):
    """The distance of topics' weights over documents from uniform, Σ_t w_t KL(W_:t ‖ 1/n).

    The column W_:t is first normalised, which a divergence needs and the source doesn't mention;
    then it is log n − H. Between 0, every document with the same share of a topic (always
    so for one topic or one document), and log n, so corpora of different sizes can't be compared.
    """

    name: ClassVar[str] = "weights_background"
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"weights"})
    source: ClassVar[str] = "Fig. 1.16"
    local_statistics: ClassVar[Step | None] = staticmethod(weight_spread)

    def value(self, totals: Any, subject: Subject) -> Score:
        """From the weights alone."""
        notes = {"documents": round(float(totals[2][0]))}
        scored = score_by_weight(weight_divergences(totals), totals[0])
        return Score(scored.value, scored.per_topic, notes)
