"""Local Gibbs sampling: what topics can expect of documents, each sampled by itself.

The E-step of G-OEM (Dupuy and Bach 2016; eq. 2 of Colin and Dupuy 2016). For fixed topics β the
posterior of a document's topics is intractable. So its tokens are swept P times; in each sweep a
token's topic is drawn by

    p(z_n = t | z_−n, x) ∝ β_t,x_n · (n_t + α_t),

where n_t counts the document's other tokens of topic t. After a burn-in these conditional
probabilities themselves are averaged, and not the draws, which estimates the same expectation with
less noise (Rao–Blackwell). The number of sweeps is fixed.

The normalisers of the same conditionals tell how well each token was predicted by the others: since
E[1 / p(x_n | z_−n)] under the posterior is 1 / p(x_n | x_−n), their harmonic mean estimates the
probability of a token given the rest of its document (the conditional predictive ordinate of
Geisser and Eddy, 1979), and no further sweep is needed.

What a document adds to a cell is rounded to a multiple of `QUANTUM`, far below its own noise. Sums
of such numbers are exact in double precision, in whatever order and wherever the documents are.

Numba's cache of compiled code watches this file alone: after a change to `lanes`, `keyed` or
`dirichlet` in a working copy, touch this file too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.documents import Documents, token_starts
from chatham.learners.settings.learned import SMALLEST
from chatham.numerics.dirichlet import digamma
from chatham.numerics.keyed import GOLDEN, mix
from chatham.numerics.lanes import add_at, aligned, choose, padded, scratch, sum_lanes, take_at
from chatham.numerics.threads import blocks, each, thread_count, threads

Array = NDArray[np.float64]
Block = tuple[int, int]

QUANTUM = 2.0**-26
"""Expected counts and weights are multiples of this: a sum is exact up to 2²⁷ of them."""
COARSE = 2.0**-20
"""Sums of logarithms over documents are multiples of this."""

CELLS = 2**11
"""The approximate number of cells of a block of documents: a block takes some milliseconds."""
BLOCKS_AT_ONCE = 32
"""After so many blocks what they found is added up, so that space doesn't grow with documents."""


class Expectations(NamedTuple):
    """Sums over documents of what they are expected to hold."""

    counts: Array
    """E[S]: how many tokens of each word have each topic (k × d)."""
    log_weights: Array
    """E[log θ] for each topic, over the documents that have words."""
    weights: Array
    """E[θ] for each topic, over the same documents."""
    log_likelihood: Array
    """log p(x_n | x_−n) over all tokens: how well each is predicted by the rest of its document."""


def expected_counts(
    counts: Any, topics: Array, alpha: Array, *, sweeps: int, burn_in: int, seed: int,
    n_jobs: int | None = 1,
) -> Array:  # fmt: skip
    """The sum over documents of E[S]: how many tokens of each word have each topic (k × d).

    `counts` is a matrix with a row for each document, or `Documents`; each row of `topics` sums to
    one. Of all `sweeps` the first `burn_in` are discarded. Draws are keyed by the seed and each
    document's content, so neither its place nor the number of threads changes a bit.
    """
    documents = counts if isinstance(counts, Documents) else Documents(counts)
    # Threads that somebody set up already are used as they are.
    with nullcontext() if thread_count(n_jobs) == 1 else threads(n_jobs):
        return expectations(documents, topics, alpha, sweeps, burn_in, seed).counts


def expectations(
    documents: Documents, topics: Array, alpha: Array, sweeps: int, burn_in: int, seed: int
) -> Expectations:
    """The same with further sums, on the threads that are set up."""
    k, d = topics.shape
    by_topic, others = np.zeros((d, k)), np.zeros(2 * k + 1)
    for (first, last), found, sums in _sampled(documents, topics, alpha, sweeps, burn_in, seed):
        cells = slice(documents.indptr[first], documents.indptr[last])
        add_cells(documents.indices[cells], found, by_topic)
        others += sums
    log_weights, weights, log_likelihood = np.split(others, [k, 2 * k])
    return Expectations(by_topic.T, log_weights, weights, log_likelihood.reshape(()))


def expected_weights(
    documents: Documents, topics: Array, alpha: Array, sweeps: int, burn_in: int, seed: int
) -> Array:
    """E[θ] of each document: (E[n_t] + α_t) / (n + Σα); n × k, rows sum to one."""
    weights = np.zeros((documents.n, len(topics)))
    for (first, last), found, _ in _sampled(documents, topics, alpha, sweeps, burn_in, seed):
        ends = documents.indptr[first : last + 1] - documents.indptr[first]
        add_rows(ends, found, weights[first:last])
    weights += alpha
    return weights / weights.sum(axis=1, keepdims=True)


def _sampled(
    documents: Documents, topics: Array, alpha: Array, sweeps: int, burn_in: int, seed: int
) -> Iterator[tuple[Block, NDArray[np.float32], Array]]:
    """Ranges of documents, with the expected topics of their cells (cells × at least k) and sums.

    There is room for so many ranges at a time, however many there are.
    """
    if not 0 <= burn_in < sweeps:
        raise InputError(
            f"Of {sweeps} sweeps, {burn_in} are to be discarded; keep at least one of them."
        )
    k, d = topics.shape
    _check_reachable(documents, topics)
    width = padded(k)
    by_word, prior, starts = aligned(d, width), aligned(width), token_starts(documents)
    by_word[:, :k], prior[:k] = topics.T, alpha
    cells = documents.indptr.astype(np.int64), documents.indices, documents.data, starts
    keys = documents.keys(seed)

    def sample(block: Block) -> tuple[Block, NDArray[np.float32], Array]:
        sums = np.zeros(2 * k + 1)
        found = aligned(documents.indptr[block[1]] - documents.indptr[block[0]], width)
        room = aligned(2, width), scratch(width)
        draws = sweeps, burn_in, np.asarray(alpha, np.float64)
        sample_documents(*cells, keys, *block, by_word.reshape(-1), prior, *draws, *room,
                         found.reshape(-1), sums)  # fmt: skip
        return block, found, sums

    parts = blocks(documents.indptr, max(1, len(documents.data) // CELLS))
    for group in range(0, len(parts), BLOCKS_AT_ONCE):
        yield from each(sample, parts[group : group + BLOCKS_AT_ONCE])


def rounded_sum(values: Array) -> NDArray[np.float64]:
    """The sum of positive numbers as a multiple of `COARSE`, the same in whatever order."""
    return np.asarray((np.rint(values / COARSE) * COARSE).sum())


def _check_reachable(documents: Documents, topics: Array) -> None:
    """Refuse a word that no topic has: it could have come from none of them."""
    lost = topics.T[documents.indices].max(axis=1) < SMALLEST
    if lost.any():
        word = int(documents.indices[lost][0])
        raise InputError(
            f"Word {word} occurs and has a probability below {SMALLEST:g} in each of the "
            f"{len(topics)} topics; smooth the topics, or leave the word out."
        )


@njit(cache=True, nogil=True, inline="always")
def _rounded(value, quantum):  # type: ignore[no-untyped-def]
    """The nearest multiple of a power of two, halves to even."""
    return np.rint(value / quantum) * quantum


@njit(cache=True, nogil=True, error_model="numpy")
def sample_documents(
    indptr: NDArray[np.int64], words: NDArray[Any], data: Array, starts: NDArray[np.int64],
    keys: NDArray[np.uint64], first: int, last: int,
    by_word: NDArray[np.float32], alpha: NDArray[np.float32],
    sweeps: int, burn_in: int, exact_alpha: Array, room: NDArray[np.float32],
    sums: NDArray[np.float32], found: NDArray[np.float32], others: Array,
) -> None:  # fmt: skip
    """Sweep documents first : last; `found` gets each cell's expected topics, `others` the sums.

    `by_word` (flat d × width) holds each topic's probability of each word. `room`, `found` and
    `others` are zeros at the start, `sums` is scratch.
    """
    width, k = np.int64(len(alpha)), len(exact_alpha)
    kept, alpha_sum = sweeps - burn_in, exact_alpha.sum()
    document, ones = room[0], room[1]
    ones[:] = 1
    psi, log_weights = np.empty(k), np.empty(k)
    for topic in range(k):
        psi[topic] = digamma(exact_alpha[topic])
    begin, longest = indptr[first], 0
    for i in range(first, last):
        longest = max(longest, starts[indptr[i + 1]] - starts[indptr[i]])
    topics, surprise = np.zeros(longest, np.int64), np.zeros(longest)
    for i in range(first, last):
        if indptr[i] == indptr[i + 1]:
            continue
        start, size, state = starts[indptr[i]], 0.0, mix(keys[i] + GOLDEN)
        for cell in range(indptr[i], indptr[i + 1]):
            size += data[cell]
        log_weights[:] = 0
        for number in range(sweeps):
            for cell in range(indptr[i], indptr[i + 1]):
                row, to = np.int64(words[cell]) * width, (cell - begin) * width
                left = data[cell]
                for token in range(starts[cell] - start, starts[cell + 1] - start):
                    weight = np.float32(min(left, 1.0))  # of 2.7, two of weight 1 and one of 0.7
                    left -= 1.0
                    if number > 0:
                        take_at(document, 0, topics[token], weight)
                    state += GOLDEN
                    new = choose(
                        by_word, row, np.float32(0.0), document, alpha, ones, sums, mix(state)
                    )
                    if number >= burn_in:
                        inverse = np.float32(1.0) / sum_lanes(sums, width)
                        share = weight * inverse
                        for topic in range(width):
                            found[to + topic] += (
                                by_word[row + topic] * (document[topic] + alpha[topic]) * share
                            )
                        surprise[token] += inverse
                    topics[token] = new
                    add_at(document, 0, new, weight)
            if number >= burn_in:
                for topic in range(k):
                    if document[topic] > 0:
                        log_weights[topic] += digamma(exact_alpha[topic] + document[topic])
                    else:
                        log_weights[topic] += psi[topic]
        scale = np.float32(1.0 / kept)
        for place in range((indptr[i] - begin) * width, (indptr[i + 1] - begin) * width):
            found[place] *= scale
        psi_sum = digamma(alpha_sum + size)
        for topic in range(k):
            others[topic] += _rounded(log_weights[topic] / kept - psi_sum, COARSE)
            mean = exact_alpha[topic]
            for cell in range(indptr[i] - begin, indptr[i + 1] - begin):
                mean += found[cell * width + topic]
            others[k + topic] += _rounded(mean / (size + alpha_sum), QUANTUM)
        predicted = 0.0
        for cell in range(indptr[i], indptr[i + 1]):
            left = data[cell]
            for token in range(starts[cell] - start, starts[cell + 1] - start):
                mass = min(left, 1.0)
                left -= 1.0
                surprise[token] *= (size - mass + alpha_sum) / kept
                predicted -= mass * math.log(surprise[token])
                surprise[token] = 0.0
        others[2 * k] += _rounded(predicted, COARSE)
        document[:] = 0


@njit(cache=True, nogil=True)
def add_cells(words: NDArray[Any], found: NDArray[np.float32], total: Array) -> None:
    """Add each cell's expected topics to its word's row of `total` (d × k), exactly."""
    for cell in range(len(words)):
        for topic in range(total.shape[1]):
            total[words[cell], topic] += _rounded(np.float64(found[cell, topic]), QUANTUM)


@njit(cache=True, nogil=True)
def add_rows(indptr: NDArray[Any], found: NDArray[np.float32], total: Array) -> None:
    """Add each cell's expected topics to its document's row of `total` (documents × k)."""
    for row in range(len(total)):
        for cell in range(indptr[row], indptr[row + 1]):
            for topic in range(total.shape[1]):
                total[row, topic] += found[cell, topic]
