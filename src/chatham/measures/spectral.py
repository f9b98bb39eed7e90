"""How good the factors of a co-occurrence matrix are: topics, their correlations, their anchors.

Plain functions of arrays, after Lee (2018), sections 1.4.2, 2.4, 3.5.1 and A.4. `cooccurrence` C
(d×d, dense or sparse) is the joint distribution of two words, `topics` (k×d) are Lee's Bᵀ,
`correlations` A (k×k) the joint distribution of two topics, `anchors` one word's column per topic,
`coefficients` (d×k) are p(z|x), `unigram` (d) is p(x). Each function returns a `Score`: its value,
and one for each topic where that has a meaning. Logarithms are natural.

`shape` makes measures of those that take topics alone, whatever learner they come from, `factors`
of those that take a co-occurrence matrix, correlations or anchors, as `AnchorWords` finds them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import entr

from chatham.learners.words import as_probabilities
from chatham.measures.distances import divergences
from chatham.measures.measure import NO_TOPIC, Score, UndefinedError, known_or_none, mean_known

Array = NDArray[np.float64]
Anchors = Sequence[int] | NDArray[np.int64]
"""One column per topic."""

FLOOR = 1e-12
"""The least that a marginal probability counts as where its logarithm is taken."""

ROWS_AT_ONCE = 256
"""Rows of C made dense at a time: the whole residual of C is never in memory."""


def recovery_error(
    cooccurrence: Any, coefficients: Array, anchors: Anchors, *, normalised: bool = True
) -> Score:
    """(1/N) Σ_i ‖C̄_i − Σ_k p(z=k|x=i) C̄_{s_k}‖₂ (eq. 1.6): are words mixtures of the anchors?

    C̄ has rows that sum to one. Section 2.4 prints C itself instead; `normalised=False` does so,
    but the coefficients mix rows of C̄, so there even an exact factorisation has an error. A word
    that co-occurs with none has no C̄_i: it is left out, and counted in the notes; an anchor
    without one leaves the error undefined.

    >>> C = np.array([[0.5, 0.0], [0.0, 0.5]])
    >>> recovery_error(C, np.eye(2), [0, 1]).value
    0.0
    """
    totals = np.asarray(cooccurrence.sum(axis=1), dtype=np.float64).ravel()
    defined = totals > 0
    if not defined[list(anchors)].all():
        raise UndefinedError("An anchor co-occurs with no word, so nothing can be a mixture of it.")
    scale = np.where(defined, 1.0 / np.where(defined, totals, 1.0), 0.0)
    scale = scale if normalised else defined.astype(np.float64)
    basis = scale[list(anchors), None] * _dense(cooccurrence, list(anchors))
    residuals = [
        np.linalg.norm(scale[rows, None] * block - coefficients[rows] @ basis, axis=1)
        for rows, block in _blocks(cooccurrence)
    ]
    mean = mean_known(np.concatenate(residuals)[defined], "No word has a value for this measure.")
    return Score(mean, notes={"words_alone": int((~defined).sum())})


def approximation_error(cooccurrence: Any, topics: Array, correlations: Array) -> Score:
    """‖C − BABᵀ‖_F (section 2.4), a few rows at a time.

    The squares aren't expanded: where entries are about 1e-9, only rounding would be left.
    """
    right = correlations @ topics
    squares = [
        float(np.square(block - topics[:, rows].T @ right).sum())
        for rows, block in _blocks(cooccurrence)
    ]
    return Score(math.sqrt(math.fsum(squares)))


def dominancy(correlations: Array) -> Score:
    """(1/K) Σ_k p(z₂=k | z₁=k) (section 2.4): the diagonal of A with rows that sum to one.

    A topic that is never drawn twice counts 0. One that is never drawn at all (its row doesn't sum
    to more than zero) leaves dominancy undefined, as in Lee's footnote 12: a mean over the others
    would reward the model for the topic it lost.
    """
    totals = correlations.sum(axis=1)
    if (totals <= 0).any():
        lost = int(np.argmax(totals <= 0)) + 1
        raise UndefinedError(f"Topic {lost} has no probability in the correlations.")
    return _averaged(np.diagonal(correlations) / totals)


def specificity(topics: Array, unigram: Array) -> Score:
    """(1/K) Σ_k KL(p(x|z=k) ‖ p(x)) (eq. 1.8): how far topics are from the corpus as a whole.

    Words with p(x) = 0 would make it infinite: they are left out, each topic is normalised over the
    rest, and the notes count them. A topic without any other word has no value.

    >>> round(specificity(np.eye(2), np.array([0.5, 0.5])).value, 6)  # log 2
    0.693147
    """
    present = np.asarray(unigram) > 0
    overall = unigram[present] / unigram[present].sum()
    values = divergences(as_probabilities(topics[:, present]), overall)
    notes = {"words_left_out": int((topics[:, ~present] > 0).any(axis=0).sum())}
    return Score(mean_known(values), values, notes)


def dissimilarity_radius(topics: Array) -> Score:
    """max_k ‖(1/K) Σ_k' B_k' − B_k‖₂ (eq. 1.9): the radius of the topics about their mean.

    Topics without words are left out of the mean too; a single topic has radius 0.

    >>> round(dissimilarity_radius(np.eye(2)).value ** 2, 9)
    0.5
    """
    filled = topics.sum(axis=1) > 0
    if not filled.any():
        raise UndefinedError(NO_TOPIC)
    distances = np.linalg.norm(topics - topics[filled].mean(axis=0), axis=1)
    return Score(float(distances[filled].max()), known_or_none(distances, filled))


def dissimilarity_words(lists: Sequence[Sequence[Hashable]], n: int = 20) -> Score:
    """The mean number of a topic's `n` top words that no other topic has among its own (3.5.1).

    Lists are of words or of their columns, best first; a topic without words counts 0.

    >>> dissimilarity_words([["tea", "milk"], ["tea", "rain"]]).per_topic
    [1.0, 1.0]
    """
    tops = [set(words[:n]) for words in lists]
    topics_with = Counter(chain.from_iterable(tops))
    return _averaged([sum(topics_with[word] == 1 for word in top) for top in tops])


def normalised_entropy(coefficients: Array) -> Score:
    """(1/N) Σ_i H(z|x=i) / log K (eq. 1.7): 0 if each word is of one topic, 1 if of all equally.

    Both logarithms are of one base; section 3.5.1 writes log₂ K, right only for H in bits. A single
    topic leaves no doubt, so 0. Words that belong to no topic (rows of zeros) are left out, and
    counted in the notes.

    >>> normalised_entropy(np.array([[0.5, 0.5], [1.0, 0.0]])).value
    0.5
    """
    return entropy_of_blocks(block for _, block in _blocks(coefficients))


def entropy_of_blocks(blocks: Iterable[Array]) -> Score:
    """`normalised_entropy` of coefficients that come a few words (rows) at a time."""
    entropies = [entropy for block in blocks for entropy in _entropies(block)]
    without = {"words_without_topic": entropies.count(None)}
    return Score(mean_known(entropies, "No word has a value for this measure."), notes=without)


def _entropies(coefficients: Array) -> list[float | None]:
    given_word = as_probabilities(coefficients)
    largest = math.log(max(given_word.shape[1], 2))
    entropies = np.maximum(entr(given_word).sum(axis=1), 0.0) / largest
    return known_or_none(entropies, given_word.sum(axis=1) > 0)


def sparsity(topics: Array) -> Score:
    """(1/K) Σ_k (√N − ‖B_k‖₁/‖B_k‖₂) / (√N − 1), Hoyer's (3.5.1): 1 for one word, 0 if all equal.

    N is the number of words in the vocabulary; with a single word it is undefined. A topic without
    words has no value.

    >>> sparsity(np.array([[1.0, 0.0, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25]])).per_topic
    [1.0, 0.0]
    """
    if topics.shape[1] < 2:
        raise UndefinedError("With a single word every topic is as sparse as it is dense.")
    filled, root = topics.sum(axis=1) > 0, math.sqrt(topics.shape[1])
    norms = np.where(filled, np.linalg.norm(topics, axis=1), 1.0)
    return _averaged((root - np.abs(topics).sum(axis=1) / norms) / (root - 1.0), filled)


def legality(correlations: Array) -> Score:
    """Σ_kl A_kl (section A.4): 1 for a joint distribution, so nearer 1 is better."""
    return Score(float(correlations.sum()))


def validity(correlations: Array, coefficients: Array, unigram: Array) -> Score:
    """KL_sym of two ways to p(z): Σ_l A_kl, and Σ_i p(z=k|x=i) p(x=i) (section A.4).

    The symmetric KL(p‖q) + KL(q‖p) = Σ_k (p_k − q_k) log(p_k/q_k), whose terms are the per-topic
    values. None of them is negative even where A isn't a distribution, so A isn't normalised:
    then its illegality shows here too. A marginal of zero, or below it, counts as 1e-12.
    """
    from_correlations = np.maximum(correlations.sum(axis=1), FLOOR)
    by_bayes = np.maximum(unigram / unigram.sum() @ coefficients, FLOOR)
    terms = (from_correlations - by_bayes) * np.log(from_correlations / by_bayes)
    return Score(float(terms.sum()), terms.tolist())


def hard_rank(topics: Array, anchors: Anchors) -> Score:
    """The mean rank, from zero, of each anchor among its topic's words (section 1.4.2).

    Words as probable as the anchor count one half each, so that it has the middle of the ranks
    they share. A topic without words has no ranks.

    >>> hard_rank(np.array([[0.5, 0.2, 0.2, 0.1]]), [1]).value
    1.5
    """
    of_anchors = topics[np.arange(len(topics)), anchors][:, None]
    ranks = (topics > of_anchors).sum(axis=1) + ((topics == of_anchors).sum(axis=1) - 1) / 2
    return _averaged(ranks, topics.sum(axis=1) > 0)


def soft_rank(topics: Array, anchors: Anchors) -> Score:
    """(1/K) Σ_k log p(x*_k|z=k) / p(s_k|z=k) (eq. 1.11), where x*_k is the topic's top word.

    Undefined where a topic gives its own anchor probability zero.

    >>> round(soft_rank(np.array([[0.8, 0.2]]), [1]).value, 6)  # log 4
    1.386294
    """
    of_anchors = topics[np.arange(len(topics)), anchors]
    if (of_anchors <= 0).any():
        raise UndefinedError(
            f"Topic {int(np.argmax(of_anchors <= 0)) + 1} gives its own anchor probability zero."
        )
    return _averaged(np.log(topics.max(axis=1)) - np.log(of_anchors))


def _blocks(matrix: Any) -> Iterator[tuple[slice, Array]]:
    """Rows of a matrix, dense, a few at a time."""
    matrix = sp.csr_array(matrix) if sp.issparse(matrix) else matrix
    for start in range(0, matrix.shape[0], ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        yield rows, _dense(matrix, rows)


def _dense(matrix: Any, rows: Any) -> Array:
    if not sp.issparse(matrix):
        return np.asarray(matrix[rows], dtype=np.float64)
    return np.asarray(sp.csr_array(matrix)[rows].toarray(), dtype=np.float64)


def _averaged(values: Sequence[float] | Array, defined: NDArray[np.bool_] | None = None) -> Score:
    """The mean over the topics that have a value; None for the others."""
    by_topic = known_or_none(
        values, np.ones(len(values), dtype=bool) if defined is None else defined
    )
    return Score(mean_known(by_topic), by_topic)
