"""Other sweeps from the same start: smoothed EM, variational Bayes, and all of CVB0.

In each, a word w of a document belongs to topic k with probability γ_wk ∝ a_k·b_kw; N are the
document's expected topic counts, φ the topics, M_kw and M_k what all documents expect.

- "em": a = N + α, b = φ;
- "vb": a = exp ψ(N + α), b = φ (Blei et al., 2003, with smoothed topics);
- "document": a = N − γ' + α, b = φ, which is what AnchorWords does;
- "cvb0": a = N − γ' + α, b = (M_kw − γ'' + β) / (M_k − γ'' + dβ), γ'' being the word's part in the
  last sweep's counts (Asuncion et al., 2009): cells × topics numbers are kept between sweeps.

α is learned as AnchorWords does ("learned"), with ψ taken at the expected counts ("plain"), or
stays as it was ("fixed").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from chatham.learners.anchor.refine import (
    FIRST_SUM,
    LARGEST_SUM,
    LEARN_FROM,
    PARTS,
    STEPS,
    UNIGRAM,
    _prior_sums,
    settle,
)
from chatham.learners.documents import Documents
from chatham.numerics.dirichlet import digamma, next_prior
from chatham.numerics.threads import blocks, each
from refinement_study.starts import Start

Array = NDArray[np.float64]

KINDS = {"em": 0, "vb": 1, "cvb0": 2}
UPDATES = ("em", "vb", "document", "cvb0")
LEAST = 1e-100


def sweeps_by(
    update: str, learning: str, counts: Any, start: Start, beta: float
) -> Iterator[tuple[Array, Array]]:
    """Topics and α after each sweep, for ever."""
    documents, d = Documents(counts), counts.shape[1]
    topics = (1.0 - UNIGRAM) * start.topics + UNIGRAM * start.unigram
    alpha = FIRST_SUM * np.maximum(start.shares, UNIGRAM / len(start.shares))
    doc_counts = documents.sizes[:, None] * (alpha / alpha.sum())
    sweep = 0
    expected = topics.T * start.shares * documents.sizes.sum()
    kept = np.zeros((len(documents.data) if update == "cvb0" else 0, len(alpha)), np.float32)
    while True:
        sweep += 1
        if update == "document":
            expected = settle(documents, topics, alpha, doc_counts, STEPS)[0]
        else:
            by_word, sizes = (
                (expected, expected.sum(axis=0) + d * beta) if update == "cvb0"
                else (topics.T, np.ones(len(alpha)))
            )  # fmt: skip
            expected = _swept(update, documents, by_word, sizes, beta, alpha, doc_counts, kept)
        topics = expected.T + beta
        topics /= topics.sum(axis=1, keepdims=True)
        if sweep >= LEARN_FROM:
            alpha = _next_alpha(learning, alpha, doc_counts[~documents.empty])
        yield topics, alpha


def _next_alpha(learning: str, alpha: Array, counts: Array) -> Array:
    if learning == "fixed":
        return alpha
    sums = _prior_sums if learning == "learned" else _plain_sums
    learned = next_prior(alpha, *sums(counts, alpha))
    return learned * min(1.0, LARGEST_SUM / float(learned.sum()))


def _swept(
    update: str, documents: Documents, by_word: Array, sizes: Array, beta: float, alpha: Array,
    counts: Array, kept: NDArray[np.float32],
) -> Array:  # fmt: skip
    """Move the documents' counts; what they now expect of each word (d×k)."""
    by_word = np.ascontiguousarray(by_word)
    cells = documents.indptr, documents.indices, documents.data

    def work(block: tuple[int, int]) -> Array:
        expected = np.zeros_like(by_word)
        kind = KINDS[update]
        _sweep(kind, *cells, by_word, sizes, beta, alpha, counts, kept, expected, *block)
        return expected

    return np.sum(each(work, blocks(documents.indptr, PARTS)), axis=0)


@njit(cache=True, nogil=True)
def _plain_sums(counts: Array, alpha: Array) -> tuple[Array, float]:
    """Σ_documents ψ(N_k + α_k) − ψ(α_k) for each topic, and ψ(n + Σα) − ψ(Σα)."""
    k, whole = len(alpha), alpha.sum()
    of_topics, of_all = np.zeros(k), 0.0
    for row in range(len(counts)):
        for topic in range(k):
            of_topics[topic] += digamma(counts[row, topic] + alpha[topic]) - digamma(alpha[topic])
        of_all += digamma(counts[row].sum() + whole) - digamma(whole)
    return of_topics, of_all


@njit(cache=True, nogil=True)
def _sweep(
    kind: int, indptr: NDArray[Any], indices: NDArray[Any], data: Array, by_word: Array,
    sizes: Array, beta: float, alpha: Array, counts: Array, kept: NDArray[np.float32],
    expected: Array, first: int, last: int,
) -> None:  # fmt: skip
    k = len(alpha)
    leaning, chances = np.empty(k), np.empty(k)
    longest = 0
    for row in range(first, last):
        longest = max(longest, indptr[row + 1] - indptr[row])
    own = np.zeros((longest, k))
    for row in range(first, last):
        begin, end, mine = indptr[row], indptr[row + 1], counts[row]
        if kind == 2:
            own[: end - begin] = kept[begin:end]
        for step in range(STEPS):
            for topic in range(k):
                leaning[topic] = mine[topic] + alpha[topic]
                if kind == 1:
                    leaning[topic] = np.exp(digamma(leaning[topic]))
                mine[topic] = 0.0
            for cell in range(begin, end):
                its, word, share = own[cell - begin], by_word[indices[cell]], min(data[cell], 1.0)
                total = 0.0
                for topic in range(k):
                    chance = leaning[topic] * word[topic]
                    if kind == 2:
                        past = share * kept[cell, topic]
                        left = max(word[topic] - past, 0.0) + beta
                        mine_left = max(leaning[topic] - share * its[topic], 0.0)
                        chance = mine_left * left / (sizes[topic] - past)
                    chances[topic] = chance
                    total += chance
                total = max(total, LEAST)
                for topic in range(k):
                    its[topic] = chances[topic] / total
                    mine[topic] += data[cell] * its[topic]
                    if step == STEPS - 1:
                        expected[indices[cell], topic] += data[cell] * its[topic]
        if kind == 2:
            kept[begin:end] = own[: end - begin]
