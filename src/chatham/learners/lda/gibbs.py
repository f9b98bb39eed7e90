"""Collapsed Gibbs sampling for LDA: the inner loops of Algorithm 4.

A document is a list of tokens, each with a topic. A token's topic is resampled by eq. 1.14,

    P(z = t | all other topics) ∝ (n_jt + β_j) / (n_t + Σβ) · (n_it + α_t),

where the counts leave out the token itself. Counts are kept in single precision, in which whole
numbers up to 2^24 are exact, by word, and padded to whole vectors; see `chatham.numerics.lanes`.

Numba's cache of compiled code watches this file alone: after a change to `lanes`, `keyed` or
`dirichlet` in a working copy, touch this file too.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from chatham.learners.documents import Documents, token_starts
from chatham.numerics.dirichlet import digamma
from chatham.numerics.keyed import GOLDEN, mix
from chatham.numerics.lanes import add_at, aligned, choose, fetch_ahead, put_at, take_at

_ONE = np.float32(1.0)


class Tokens(NamedTuple):
    """Documents as tokens: document i has cells indptr[i] : indptr[i+1], and cell c the tokens
    starts[c] : starts[c+1] of word words[c]."""

    indptr: NDArray[np.int64]
    words: NDArray[np.int32]
    starts: NDArray[np.int64]
    weights: NDArray[np.float32]
    """Each token's weight; empty where every token has weight one."""
    keys: NDArray[np.uint64]
    """Each document's key for its own randomness."""
    topics: NDArray[np.int32]


def tokens_of(
    documents: Documents, keys: NDArray[np.uint64], topics: NDArray[np.int32] | None = None
) -> Tokens:
    """A cell of 2.7 as two tokens of weight 1 and one of weight 0.7, all of topic 0 by default."""
    starts = token_starts(documents)
    per_cell = np.diff(starts)
    weights = np.empty(0, np.float32)
    if (per_cell != documents.data).any():
        weights = np.ones(starts[-1], np.float32)
        weights[starts[1:] - 1] -= (per_cell - documents.data).astype(np.float32)
    return Tokens(
        documents.indptr.astype(np.int64),
        documents.indices.astype(np.int32),
        starts,
        weights,
        keys,
        np.zeros(starts[-1], np.int32) if topics is None else topics,
    )


class Counts(NamedTuple):
    """The sampler's counts: n_jt by word (flat); n_t + Σβ over all words, and its inverse."""

    by_word: NDArray[np.float32]
    totals: NDArray[np.float64]
    inverse: NDArray[np.float32]


def counts_from(
    by_word: NDArray[np.float32], totals: NDArray[np.float64], beta_sum: float
) -> Counts:
    """Counts over padded topics, whose word counts are already in `by_word` (d × width)."""
    width, k = by_word.shape[1], len(totals)
    padded_totals, inverse = aligned(width, dtype=np.float64), aligned(width)
    padded_totals[:k] = totals + beta_sum
    inverse[:k] = 1 / padded_totals[:k]
    return Counts(by_word.reshape(-1), padded_totals, inverse)


class Priors(NamedTuple):
    """alpha over padded topics (zero where padded), and beta by word."""

    alpha: NDArray[np.float32]
    beta: NDArray[np.float32]


def priors_of(alpha: Any, beta: Any, width: int) -> Priors:
    """Priors in the form that the kernels read."""
    padded_alpha = aligned(width)
    padded_alpha[: len(alpha)] = alpha
    return Priors(padded_alpha, np.asarray(beta, np.float32))


@njit(cache=True, nogil=True, inline="always")
def _stream(key, number):  # type: ignore[no-untyped-def]
    """Where a document's random numbers of one sweep begin."""
    return mix(key + GOLDEN * np.uint64(number + 1))


@njit(cache=True, nogil=True, inline="always")
def _weight(weights, token):  # type: ignore[no-untyped-def]
    return weights[token] if len(weights) else _ONE


@njit(cache=True, nogil=True)
def draw_start(tokens: Tokens, k: int) -> None:
    """Give every token a topic at random: the first line of Algorithm 4."""
    for i in range(len(tokens.indptr) - 1):
        state = _stream(tokens.keys[i], 0)
        for token in range(tokens.starts[tokens.indptr[i]], tokens.starts[tokens.indptr[i + 1]]):
            state += GOLDEN
            tokens.topics[token] = ((mix(state) >> np.uint64(32)) * np.uint64(k)) >> np.uint64(32)


@njit(cache=True, nogil=True)
def count_topics(tokens: Tokens, d: int, k: int) -> NDArray[np.float64]:
    """The weight of each word in each topic (d × k)."""
    counts = np.zeros((d, k))
    for cell in range(len(tokens.words)):
        for token in range(tokens.starts[cell], tokens.starts[cell + 1]):
            weight = _weight(tokens.weights, token)
            counts[tokens.words[cell], tokens.topics[token]] += weight
    return counts


@njit(cache=True, nogil=True)
def topic_totals(by_word: NDArray[np.float32]) -> NDArray[np.float64]:
    """The weight of each topic over all words."""
    totals = np.zeros(by_word.shape[1])
    for word in range(by_word.shape[0]):
        for topic in range(by_word.shape[1]):
            totals[topic] += by_word[word, topic]
    return totals


@njit(cache=True, nogil=True, error_model="numpy")
def sweep(
    tokens: Tokens, first: int, last: int, number: int, counts: Counts, priors: Priors,
    document: NDArray[np.float32], sums: NDArray[np.float32],
) -> None:  # fmt: skip
    """Resample the topic of every token of documents first : last, each given all the others.

    `document` is zeros of the padded width, and `sums` scratch; both can be reused afterwards.
    """
    by_word, totals, inverse = counts
    alpha, betas = priors
    width = np.int64(len(alpha))
    last_cell = len(tokens.words) - 1
    for i in range(first, last):
        state = _stream(tokens.keys[i], number)
        for token in range(tokens.starts[tokens.indptr[i]], tokens.starts[tokens.indptr[i + 1]]):
            document[tokens.topics[token]] += _weight(tokens.weights, token)
        for cell in range(tokens.indptr[i], tokens.indptr[i + 1]):
            row = np.int64(tokens.words[cell]) * width
            beta = betas[tokens.words[cell]]
            fetch_ahead(by_word, np.int64(tokens.words[min(cell + 2, last_cell)]) * width, width)
            for token in range(tokens.starts[cell], tokens.starts[cell + 1]):
                weight = _weight(tokens.weights, token)
                old = np.int64(tokens.topics[token])
                take_at(by_word, row, old, weight)
                take_at(document, 0, old, weight)
                with_it, without_it = inverse[old], totals[old] - weight
                put_at(inverse, old, _ONE / np.float32(without_it))
                state += GOLDEN
                new = choose(by_word, row, beta, document, alpha, inverse, sums, mix(state))
                if new == old:  # a branch, so that the processor can speculate on the next draw
                    put_at(inverse, old, with_it)
                    add_at(by_word, row, old, weight)
                    add_at(document, 0, old, weight)
                else:
                    tokens.topics[token] = new
                    totals[old] = without_it
                    totals[new] += weight
                    put_at(inverse, new, _ONE / np.float32(totals[new]))
                    add_at(by_word, row, new, weight)
                    add_at(document, 0, new, weight)
        document[:] = 0


@njit(cache=True, nogil=True)
def merge_shards(
    live: NDArray[np.float32], mine: NDArray[np.float32], total: NDArray[np.float32],
    first: int, last: int,
) -> None:  # fmt: skip
    """Add to `mine` and `total`, for words first : last, what all shards changed since `total`.

    `live` (shards × d × width) holds each shard's counts.
    """
    k = mine.shape[1]
    change = np.empty(k, np.float32)
    for word in range(first, last):
        change[:] = 0
        for shard in range(live.shape[0]):
            for topic in range(k):
                change[topic] += live[shard, word, topic] - total[word, topic]
        for topic in range(k):
            mine[word, topic] += change[topic]
            total[word, topic] += change[topic]


@njit(cache=True, nogil=True)
def tally_documents(
    tokens: Tokens, first: int, last: int, alpha: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sums over documents first : last, one after the other in one array of length 2k + 2.

    Σ ψ(n_it + α_t) − ψ(α_t) for each topic; Σ ψ(n_i + Σα) − ψ(Σα); log p(z | α); and the sum of the
    mean weights (n_it + α_t) / (n_i + Σα) of eq. 1.17 for each topic. Empty documents add nothing.
    """
    k, alpha_sum = len(alpha), alpha.sum()
    statistics, document = np.zeros(2 * k + 2), np.zeros(k)
    psi, log_gamma = np.empty(k), np.empty(k)
    for topic in range(k):
        psi[topic], log_gamma[topic] = digamma(alpha[topic]), math.lgamma(alpha[topic])
    psi_sum, log_gamma_sum = digamma(alpha_sum), math.lgamma(alpha_sum)
    for i in range(first, last):
        size = 0.0
        for token in range(tokens.starts[tokens.indptr[i]], tokens.starts[tokens.indptr[i + 1]]):
            weight = _weight(tokens.weights, token)
            document[tokens.topics[token]] += weight
            size += weight
        if size == 0:
            continue
        statistics[k] += digamma(alpha_sum + size) - psi_sum
        statistics[k + 1] += log_gamma_sum - math.lgamma(alpha_sum + size)
        for topic in range(k):
            posterior = document[topic] + alpha[topic]
            statistics[k + 2 + topic] += posterior / (size + alpha_sum)
            if document[topic] > 0:
                statistics[topic] += digamma(posterior) - psi[topic]
                statistics[k + 1] += math.lgamma(posterior) - log_gamma[topic]
                document[topic] = 0
    return statistics


@njit(cache=True, nogil=True)
def draw_weights(
    tokens: Tokens, first: int, last: int, by_word: NDArray[np.float32],
    alpha: NDArray[np.float32], burn_in: int, samples: int, room: NDArray[np.float32],
    weights: NDArray[np.float64], numbered: int,
) -> None:  # fmt: skip
    """The mean weights (eq. 1.17) of documents first : last, topics fixed, over several samples.

    `by_word` (flat d × width) holds each topic's probability of each word, and is only read.
    `room` is zeros, three times the scratch space of a draw. Draws take random numbers as sweeps
    do, from number `numbered` on.
    """
    width, k = np.int64(len(alpha)), weights.shape[1]
    document, ones, sums = room[0, :width], room[1, :width], room[2]
    ones[:] = 1
    for i in range(first, last):
        for number in range(burn_in + samples):
            state = _stream(tokens.keys[i], numbered + number)
            for cell in range(tokens.indptr[i], tokens.indptr[i + 1]):
                row = np.int64(tokens.words[cell]) * width
                for token in range(tokens.starts[cell], tokens.starts[cell + 1]):
                    weight = _weight(tokens.weights, token)
                    if number > 0:
                        take_at(document, 0, np.int64(tokens.topics[token]), weight)
                    state += GOLDEN
                    new = choose(
                        by_word, row, np.float32(0.0), document, alpha, ones, sums, mix(state)
                    )
                    tokens.topics[token] = new
                    add_at(document, 0, new, weight)
            if number >= burn_in:
                for topic in range(k):
                    weights[i, topic] += document[topic]
        for topic in range(k):
            weights[i, topic] = weights[i, topic] / samples + alpha[topic]
        weights[i] /= weights[i].sum()
        document[:] = 0
