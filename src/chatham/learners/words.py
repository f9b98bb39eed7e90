"""Which words best describe a topic: four orderings of a topic's words.

Prevalence and discriminability (eq. 1.31), uplift (eq. 1.32, the weighted uplift of a word in a
topic), and the relevance of Sievert and Shirley (2014). A word with probability zero in
a topic is never among its words, whatever the ordering.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.naming import value_shown
from chatham.wording import say

Array = NDArray[np.float64]

ORDERINGS = ("prevalence", "discriminability", "uplift", "relevance")

TINY = float(np.finfo(np.float64).tiny)


def as_probabilities(topics: Array) -> Array:
    """Topics with rows that sum to one: as they are, or normalised (those of a general NMF).

    A topic of zeros stays one. Of a direction, such as an SVD's, the positive part counts.
    """
    topics = np.ascontiguousarray(topics, dtype=np.float64)
    if topics.min(initial=0.0) < 0:
        topics = np.maximum(topics, 0.0)
    if np.allclose(topics.sum(axis=1), 1.0, rtol=0.0, atol=1e-9):
        return topics
    return _divided_by_sum(topics, axis=1)


def prevalence(topics: Array) -> Array:
    """P(j|t): the probability of the word in the topic."""
    return as_probabilities(topics)


def discriminability(topics: Array) -> Array:
    """How much a word says about the topic it came from, 1 − H(P(·|j)) / log k (eq. 1.31).

    The column T_:j doesn't sum to one, so it is first normalised to P(t|j), the topic given the
    word with a uniform prior; otherwise its entropy would mean nothing. One number per word, in
    [0, 1]. With a single topic there is nothing to discriminate, and every word has 1, so that
    words stay ordered by prevalence.

    >>> discriminability(np.array([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]])).tolist()
    [0.0, 1.0, 1.0]
    """
    given_word = _share_of_word(as_probabilities(topics))
    k, d = given_word.shape
    if k == 1:
        return np.ones(d)
    logs = np.log(given_word, where=given_word > 0, out=np.zeros_like(given_word))
    return np.asarray(np.clip(1.0 + (given_word * logs).sum(axis=0) / math.log(k), 0.0, 1.0))


def discriminating_prevalence(topics: Array) -> Array:
    """P(j|t)·disc(j).

    Discriminability alone belongs to the word and names no topic: ordered by it, every topic
    would begin with the same rare words. Times P(j|t) it orders the words within a topic.
    """
    return as_probabilities(topics) * discriminability(topics)


def uplift(topics: Array, lam: float) -> Array:
    """(1 − λ)·T_tj + λ·T_tj / Σ_t' T_t'j (eq. 1.32): λ = 0 is prevalence, λ = 1 exclusivity."""
    given_topic = as_probabilities(topics)
    lifted = _share_of_word(given_topic)
    lifted *= lam
    for row, probabilities in zip(lifted, given_topic, strict=True):  # no third array of k×d
        row += (1.0 - lam) * probabilities
    return lifted


def relevance(topics: Array, shares: Array, lam: float) -> Array:
    """λ·log P(j|t) + (1 − λ)·log(P(j|t) / P(j)), with P(j) = Σ_t share_t·P(j|t).

    λ = 1 is prevalence, λ = 0 the lift of the word in the topic: the reverse of `uplift`, both as
    published. Where P(j|t) is zero the relevance is minus infinity.
    """
    given_topic = as_probabilities(topics)
    # A topic without any documents still has words: without a floor their P(j) would be zero.
    floored = np.maximum(np.asarray(shares, dtype=np.float64), 1e-12)
    overall = np.maximum((given_topic * (floored / floored.sum())[:, None]).sum(axis=0), TINY)
    logs = np.log(given_topic, where=given_topic > 0, out=np.full_like(given_topic, -np.inf))
    return np.asarray(logs - (1.0 - lam) * np.log(overall))


def effective_words(topics: Array) -> Array:
    """The effective number of words of each topic: the exponential of its entropy.

    >>> effective_words(np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])).tolist()
    [2.0, 1.0]
    """
    given_topic = as_probabilities(topics)
    logs = np.log(given_topic, where=given_topic > 0, out=np.zeros_like(given_topic))
    return np.asarray(np.exp(-(given_topic * logs).sum(axis=1)))


def score_words(topics: Array, shares: Array, by: str = "prevalence", lam: float = 0.6) -> Array:
    """The score of every word in every topic (k×d), by the name of the ordering."""
    check_ordering(by, lam)
    if by == "uplift":
        return uplift(topics, lam)
    if by == "relevance":
        return relevance(topics, shares, lam)
    return prevalence(topics) if by == "prevalence" else discriminating_prevalence(topics)


def check_ordering(by: Any, lam: Any) -> None:
    """The ordering is one of the four and λ lies between 0 and 1."""
    if by not in ORDERINGS:
        listed = ", ".join(repr(ordering) for ordering in ORDERINGS)
        raise InputError(f"Words can't be ordered by {value_shown(by)}; choose one of {listed}.")
    if not isinstance(lam, Real) or not 0 <= float(lam) <= 1:
        raise InputError(say("{lam} must be a number between 0 and 1. Got {it!r} instead.", it=lam))


def best_words(
    scores: Array, topics: Array, vocabulary: Sequence[str], n: int
) -> list[NDArray[np.intp]]:
    """For each topic, the indices of its `n` best words, best first; ties go by spelling.

    Only words with a probability above zero count, so a topic may have fewer than `n`.
    """
    candidates = [_candidates(*rows, n) for rows in zip(scores, topics, strict=True)]
    rank = _ranks_by_spelling(candidates, vocabulary)
    return [
        indices[np.lexsort((rank[indices], -row[indices]))[:n]]
        for row, indices in zip(scores, candidates, strict=True)
    ]


def _candidates(scores: Array, topic: Array, n: int) -> NDArray[np.intp]:
    """The indices of words with fewer than `n` above them: the best, and those that tie with them.

    Finding them takes one pass over the words, where sorting all of them would take many.
    """
    indices = np.flatnonzero(topic > 0)
    if not 0 < n < len(indices):
        return indices
    negated = -scores[indices]
    last = np.partition(negated, n - 1)[n - 1]
    return np.asarray(indices[~(negated > last)])


def _ranks_by_spelling(
    candidates: Sequence[NDArray[np.intp]], vocabulary: Sequence[str]
) -> NDArray[np.intp]:
    """The alphabetical rank of each word that is a candidate anywhere, among these words."""
    anywhere = np.zeros(len(vocabulary), dtype=np.bool_)
    for indices in candidates:
        anywhere[indices] = True
    spelled = sorted(np.flatnonzero(anywhere).tolist(), key=vocabulary.__getitem__)
    rank = np.zeros(len(vocabulary), dtype=np.intp)
    rank[spelled] = np.arange(len(spelled))
    return rank


def _share_of_word(given_topic: Array) -> Array:
    """P(t|j) under a uniform prior; zero for a word with probability zero in all topics."""
    return _divided_by_sum(given_topic, axis=0)


def _divided_by_sum(values: Array, axis: int) -> Array:
    """Divide by the largest first: subnormal numbers over their sum could lose all their digits."""
    largest = values.max(axis=axis, keepdims=True, initial=0.0)
    scaled = np.divide(values, largest, out=np.zeros(values.shape), where=largest > 0)
    scaled /= np.maximum(scaled.sum(axis=axis, keepdims=True), TINY)
    return scaled


def own_words_fit(topics: Array, groups: Sequence[NDArray[np.int64]]) -> NDArray[np.bool_]:
    """Whether no other topic gives a topic's group of words more probability than its own does.

    >>> topics = np.array([[0.6, 0.3, 0.1], [0.0, 0.2, 0.8]])
    >>> own_words_fit(topics, [np.array([0]), np.array([1])]).tolist()
    [True, False]
    """
    probabilities = np.stack([topics[:, group].sum(axis=1) for group in groups])
    return np.asarray(np.diag(probabilities) >= probabilities.max(axis=1))


def printable(text: str) -> str:
    r"""Escape what would move a terminal's cursor, change its colours or reverse its lines.

    >>> printable("caf\xe9 \x1b[31m")
    'café \\x1b[31m'
    """
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
    )


def words_of_topics(
    topics: Array,
    shares: Array,
    vocabulary: Sequence[Any],
    n: int,
    by: str = "prevalence",
    lam: float = 0.6,
) -> list[list[str]]:
    """The `n` best words of each topic, ordered as a model's top words are.

    >>> topics = np.array([[0.6, 0.3, 0.1], [0.0, 0.2, 0.8]])
    >>> words_of_topics(topics, np.array([0.5, 0.5]), ["tea", "milk", "rain"], 2)
    [['tea', 'milk'], ['rain', 'milk']]
    """
    indices = best_words(score_words(topics, shares, by, lam), topics, vocabulary, n)
    return [[str(vocabulary[index]) for index in best] for best in indices]
