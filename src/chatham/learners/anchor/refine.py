"""Refinement: the spectral solution as the start of a few sweeps over the documents.

Anchor words only use pairs of words. A sweep uses documents: for fixed topics φ and a prior α, each
word of a document belongs to topic k with probability γ_wk ∝ (N_k − γ'_wk + α_k)·φ_kw, N being the
document's expected topic counts and γ' what the word itself added to them (nothing in a sweep's
first step, for γ isn't kept from sweep to sweep); three steps of that, and the topics become φ_kw ∝
Σ_documents n_w·γ_wk + β. This is the zero-order collapsed variational update of LDA (Asuncion et
al., 2009) with a word's own contribution removed from its document but not from its topic. α is
learned by Minka's fixed point. One sweep is one sum.

From a random start hundreds of such sweeps are needed, and the result depends on the start; from
the spectral start a few are enough. docs/refinement.md has the figures, and what else was tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numba import njit
from numpy.typing import NDArray

from chatham.commons import Commons, Memory, keeps
from chatham.commons.precision import (
    EXPECTED_WORDS,
    LOG_LIKELIHOOD,
    MOMENTS,
    PRIOR_TERMS,
    Budget,
)
from chatham.errors import InputError
from chatham.learners.documents import Documents, counts_of, own_seed
from chatham.numerics.dirichlet import digamma, next_prior
from chatham.numerics.keyed import uniform
from chatham.numerics.leaning import lean, take
from chatham.numerics.products import dot, gram, sums_by
from chatham.numerics.threads import blocks, each
from chatham.wording import say

Array = NDArray[np.float64]

STEPS = 3
"""Steps for each document in a sweep: more gain little, fewer need more sweeps and so more sums."""
FIRST_SUM, LARGEST_SUM = 5.0, 50.0
"""The initial Σα, as if five words of each document were known; and its upper bound."""
LEARN_FROM = 3
"""The first sweep after which α is learned: before, documents haven't converged."""
UNIGRAM = 1e-3
"""The share of the words' overall distribution in the starting topics: a zero is absorbing."""
LEAST_BETA = 1e-6
"""The lower bound of β: a zero is absorbing, even one from rounding."""
LEAST = 1e-100
"""The smallest probability that is divided by."""
SHARE, HALF = 0.1, 0.5
"""The share of documents that is left out, and of their words that is held out, where these decide
when to stop."""
FOLDING = 10
"""Steps for the weights of such a document, from the prior."""
LEAST_GAIN, PATIENCE, MOST_SWEEPS = 1e-4, 10, 100
"""It ends when held-out words have gained less, in nats per token, in so many sweeps; or with these
many."""
BUDGETS: tuple[Budget, ...] = (
    EXPECTED_WORDS, MOMENTS, PRIOR_TERMS, PRIOR_TERMS, MOMENTS, LOG_LIKELIHOOD, LOG_LIKELIHOOD
)  # fmt: skip
"""Of a sweep's sum."""
PARTS = 8
"""Blocks of documents that are counted separately, whatever the number of threads."""


@dataclass(frozen=True)
class Refined:
    """Topics after some sweeps, with the prior and sums over documents."""

    topics: Array
    alpha: Array
    sizes: Array
    """The sum of the documents' weights, by topic."""
    correlations: Array
    """The mean of E[wwᵀ] over documents: not negative, positive semidefinite, sum one."""
    likelihood: list[float]
    """The log-likelihood per token under each sweep's old topics: of all words, or of those held
    out."""
    converged: bool = True
    """Whether held-out words ended it, where these should."""


def refine(
    commons: Commons,
    topics: Array,
    shares: Array,
    unigram: Array,
    *,
    sweeps: int,
    beta: float,
    report: Callable[[int, float], None] | None = None,
) -> Refined:
    """`sweeps` sweeps, each one sum, from topics with these shares of all words."""
    topics, alpha = started(topics, shares, unigram)
    likelihood: list[float] = []
    for sweep in range(1, sweeps + 1):
        totals = Totals(*commons.sum(sweep_documents, topics, alpha, most=BUDGETS))
        topics, alpha = totals.next_state(alpha, beta, sweep)
        likelihood.append(totals.likelihood)
        if report:
            report(sweep, likelihood[-1])
    return Refined(topics, alpha, totals.sizes, totals.correlations, likelihood)


def refine_by_held_out(
    commons: Commons,
    topics: Array,
    shares: Array,
    unigram: Array,
    *,
    seed: int,
    beta: float,
    most: int = MOST_SWEEPS,
    report: Callable[[int, float], None] | None = None,
) -> Refined:
    """As many sweeps as held-out words gain by, at most `most`; a last one over all documents.

    A sweep's held-out likelihood is that of the topics it began with; the best of these begin the
    last sweep. All is decided on totals, so every party decides the same.
    """
    topics, alpha = started(topics, shares, unigram)
    best, best_sweep = (topics, alpha), 1
    likelihood: list[float] = []
    gained = -np.inf
    for sweep in range(1, most + 1):
        *totals, of_held, held = commons.sum(
            sweep_some_documents,
            topics,
            alpha,
            seed,
            most=(*BUDGETS, LOG_LIKELIHOOD, LOG_LIKELIHOOD),
        )
        if not held > 0:
            raise InputError(
                say(
                    "Not a word was held out of so few, so nothing can tell when to stop; give "
                    "{refine} a number of sweeps."
                )
            )
        likelihood.append(float(of_held / held))
        if report:
            report(sweep, likelihood[-1])
        if likelihood[-1] >= gained + LEAST_GAIN:
            best, best_sweep, gained = (topics, alpha), sweep, likelihood[-1]
        if sweep - best_sweep >= PATIENCE:
            break
        topics, alpha = Totals(*totals).next_state(alpha, beta, sweep)
    last = Totals(*commons.sum(sweep_all_documents, *best, most=BUDGETS))
    topics, alpha = last.next_state(best[1], beta, best_sweep)
    ended = sweep - best_sweep >= PATIENCE
    return Refined(topics, alpha, last.sizes, last.correlations, likelihood, ended)


def started(topics: Array, shares: Array, unigram: Array) -> tuple[Array, Array]:
    """The topics and the prior that the first sweep begins with."""
    mixed = (1.0 - UNIGRAM) * topics + UNIGRAM * unigram
    return mixed, FIRST_SUM * np.maximum(shares, UNIGRAM / len(shares))


@dataclass(frozen=True)
class Totals:
    """What a sweep's one sum brings; see `sweep_documents`."""

    expected: Array
    moments: Array
    of_topics: Array
    of_all: Array
    sizes: Array
    n_words: Array
    chance: Array

    def next_state(self, alpha: Array, beta: float, sweep: int) -> tuple[Array, Array]:
        """Topics and prior after this sweep."""
        topics = self.expected.T + max(beta, LEAST_BETA)
        topics /= topics.sum(axis=1, keepdims=True)
        if sweep >= LEARN_FROM:
            alpha = next_prior(alpha, self.of_topics, float(self.of_all))
            alpha = alpha * min(1.0, LARGEST_SUM / float(alpha.sum()))
        return topics, alpha

    @property
    def correlations(self) -> Array:
        """A: the moments, so that they sum to one."""
        correlations = self.moments / self.moments.sum()
        return np.asarray((correlations + correlations.T) / 2)

    @property
    def likelihood(self) -> float:
        """Per token."""
        return float(self.chance / self.n_words)


@keeps(expected="each document's expected topic counts")
def sweep_documents(rows: Any, memory: Memory, topics: Array, alpha: Array) -> tuple[Array, ...]:
    """Expected word–topic counts; sums of weights, products, α's terms; tokens; log-likelihood.

    Sums are over documents: of E[wwᵀ], of what the prior is learned from, and of the weights w.
    """
    documents = counts_of(rows, memory)
    if "expected" not in memory:
        memory["expected"] = documents.sizes[:, None] * (alpha / alpha.sum())
    return _swept(documents, topics, alpha, memory["expected"])


@keeps(expected="each document's expected topic counts, of those left out none")
def sweep_some_documents(
    rows: Any, memory: Memory, topics: Array, alpha: Array, seed: int
) -> tuple[Array, ...]:
    """A sweep's sums without a tenth of the documents; words of these, and their log-likelihood.

    Which documents are left out, and which half of their words is held out, is drawn from each
    document's content and the seed, and where a party has a secret also from that.
    """
    seed = own_seed(seed, memory)
    split = memory.derived("held-out words", hold_out, counts_of(rows, memory), seed)
    if "expected" not in memory:
        memory["expected"] = split.swept.sizes[:, None] * (alpha / alpha.sum())
    totals = _swept(split.swept, topics, alpha, memory["expected"])
    weights = posterior_weights(split.seen, topics, alpha, FOLDING)
    likelihood = likelihood_of(split.held, topics, weights)
    return *totals, np.array(likelihood), np.array(split.held.sizes.sum())


@keeps(expected="each document's expected topic counts")
def sweep_all_documents(
    rows: Any, memory: Memory, topics: Array, alpha: Array
) -> tuple[Array, ...]:
    """The last sweep's sums, over all documents.

    After sweeps without some of them, which begin with counts as the prior has them.
    """
    documents, before = counts_of(rows, memory), memory["expected"]
    beginning = documents.sizes[:, None] * (alpha / alpha.sum())
    memory["expected"] = np.where(before.sum(axis=1, keepdims=True) > 0, before, beginning)
    settle(documents, topics, alpha, memory["expected"], FOLDING)
    return sweep_documents(rows, memory, topics, alpha)


@dataclass(frozen=True, eq=False)
class Split:
    """A holder's documents in three, each with a row for every document."""

    swept: Documents
    """Those that sweeps are over, whole."""
    seen: Documents
    """What is known of the others."""
    held: Documents
    """The rest of their words."""


def hold_out(documents: Documents, seed: int) -> Split:
    """Leave out a share of the documents, each by its own draw, and hold out half of their words.

    A cell of c words is divided into halves that are rounded up or down by its own draw; a document
    of which nothing would be known isn't left out.
    """
    keys = documents.keys(seed)
    owners, counts = documents.owners, documents.data
    drawn = _draws(keys, documents.indptr, documents.indices)
    held = np.minimum(np.floor(counts * HALF + drawn), counts)
    known = sums_by(owners, counts - held, documents.n)
    left_out = (_draw_of_each(keys, documents.d) < SHARE) & (known > 0)
    held = np.where(left_out[owners], held, 0.0)
    seen = np.where(left_out[owners], counts - held, 0.0)
    shape = documents.n, documents.d
    return Split(*(
        Documents(sp.csr_array((data, documents.indices, documents.indptr), shape=shape))
        for data in (counts - held - seen, seen, held)
    ))  # fmt: skip


def likelihood_of(documents: Documents, topics: Array, weights: Array) -> float:
    """The log-likelihood of documents with these weights."""
    by_word = np.ascontiguousarray(topics.T)
    cells = documents.indptr, documents.indices, documents.data

    def work(block: tuple[int, int]) -> float:
        return float(_log_likelihood(*cells, by_word, weights, *block))

    return sum(each(work, blocks(documents.indptr, PARTS)))


def _swept(documents: Documents, topics: Array, alpha: Array, counts: Array) -> tuple[Array, ...]:
    """What crosses in a sweep; the documents' topic counts are updated in place."""
    expected, likelihood = settle(documents, topics, alpha, counts, STEPS)
    weights = mean_weights(counts, alpha)
    moments = second_moments(weights, counts, alpha, documents.blocks)
    of_topics, of_all = _prior_sums(counts, alpha)
    numbers = documents.sizes.sum(), np.array(likelihood)
    return expected, moments, of_topics, np.array(of_all), weights.sum(axis=0), *numbers


def posterior_weights(documents: Documents, topics: Array, alpha: Array, steps: int) -> Array:
    """The weights of documents by themselves, after this many steps from weights as in α.

    Words that no topic has are ignored; a document without others has zeros.
    """
    counts = documents.sizes[:, None] * (alpha / alpha.sum())
    settle(documents, topics, alpha, counts, steps)
    return mean_weights(counts, alpha)


def settle(
    documents: Documents, topics: Array, alpha: Array, counts: Array, steps: int
) -> tuple[Array, float]:
    """Update documents' topic counts in place; expected word–topic counts (d×k), log-likelihood."""
    by_word = np.ascontiguousarray(topics.T)
    cells = documents.indptr, documents.indices, documents.data

    def work(block: tuple[int, int]) -> tuple[Array, float]:
        expected = np.zeros_like(by_word)
        return expected, _settle(*cells, by_word, alpha, counts, expected, steps, *block)

    parts = each(work, blocks(documents.indptr, PARTS))
    expected, likelihood = np.zeros_like(by_word), 0.0
    for words, value in parts:
        expected += words
        likelihood += value
    return expected, likelihood


def mean_weights(counts: Array, alpha: Array) -> Array:
    """(N + α) / (n + Σα), the posterior mean, n being the number of words that some topic has.

    Where there are none the weights are zeros.
    """
    numbers = counts.sum(axis=1, keepdims=True)
    return np.where(numbers > 0, (counts + alpha) / (numbers + alpha.sum()), 0.0)


def second_moments(
    weights: Array, counts: Array, alpha: Array, parts: list[tuple[int, int]]
) -> Array:
    """Σ_documents E[wwᵀ], each document's w being distributed as Dir(N + α).

    With s = n + Σα that is (s·wwᵀ + diag w)/(s + 1) for the mean w: the product of the means and
    the covariance. Means alone would have topics co-occur more evenly than they do, the more so the
    shorter documents are, since each mean is drawn towards the prior's.
    """
    known = counts.sum(axis=1, keepdims=True) + alpha.sum()
    scaled = weights * np.sqrt(known / (known + 1.0))
    moments: Array = gram(scaled, scaled, parts)
    moments[np.diag_indices_from(moments)] += (weights / (known + 1.0)).sum(axis=0)
    return moments


@njit(cache=True, nogil=True)
def _add(count: float, own: Array, expected: Array) -> None:
    for topic in range(len(own)):
        expected[topic] += count * own[topic]


@njit(cache=True, nogil=True)
def _settle(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: Array,
    by_word: Array,
    alpha: Array,
    counts: Array,
    expected: Array,
    steps: int,
    first: int,
    last: int,
) -> float:
    longest = 0
    for row in range(first, last):
        longest = max(longest, indptr[row + 1] - indptr[row])
    k, likelihood = len(alpha), 0.0
    own, chances, leaning = np.zeros((longest, k)), np.empty(k), np.empty(k)
    for row in range(first, last):
        start, stop, topic_counts = indptr[row], indptr[row + 1], counts[row]
        own[: stop - start] = 0.0
        for step in range(steps):
            for topic in range(k):
                leaning[topic] = topic_counts[topic] + alpha[topic]
                topic_counts[topic] = 0.0
            total = leaning.sum()
            for cell in range(start, stop):
                count, word, gamma = data[cell], by_word[indices[cell]], own[cell - start]
                # (N + α − γ)·φ. N includes the word's own γ, and α is far above rounding,
                # so what is left is positive.
                chance = max(lean(leaning, gamma, word, min(count, 1.0), chances), LEAST)
                take(chances, 1.0 / chance, count, gamma, topic_counts)
                if step == steps - 1:
                    rest = total - (min(count, 1.0) if step > 0 else 0.0)
                    likelihood += count * np.log(chance / rest)
                    _add(count, gamma, expected[indices[cell]])
    return likelihood


@njit(cache=True, nogil=True)
def _draw_of_each(keys: NDArray[np.uint64], number: int) -> NDArray[np.float64]:
    """A number in (0, 1) for each document: the one that would be the next word's."""
    drawn = np.empty(len(keys))
    for row in range(len(keys)):
        drawn[row] = uniform(keys[row], number)
    return drawn


@njit(cache=True, nogil=True)
def _draws(
    keys: NDArray[np.uint64], indptr: NDArray[Any], indices: NDArray[Any]
) -> NDArray[np.float64]:
    """A number in (0, 1) for each cell, from its document's key and its word."""
    drawn = np.empty(len(indices))
    for row in range(len(keys)):
        for cell in range(indptr[row], indptr[row + 1]):
            drawn[cell] = uniform(keys[row], indices[cell])
    return drawn


@njit(cache=True, nogil=True)
def _log_likelihood(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: Array,
    by_word: Array,
    weights: Array,
    first: int,
    last: int,
) -> float:
    total = 0.0
    for row in range(first, last):
        for cell in range(indptr[row], indptr[row + 1]):
            chance = dot(weights[row], by_word[indices[cell]])
            total += data[cell] * np.log(max(chance, LEAST))
    return total


@njit(cache=True, nogil=True)
def _prior_sums(counts: Array, alpha: Array) -> tuple[Array, float]:
    """Σ_documents E[ψ(n_k + α_k) − ψ(α_k)] for each topic, and ψ(n + Σα) − ψ(Σα).

    n_k is whole and only its mean N is known. Between two whole numbers the mean of ψ is taken to
    lie on the line between them: at N itself ψ would be far too high for the small counts of most
    topics, and α would run away.
    """
    k, total = len(alpha), alpha.sum()
    of_topics, of_all = np.zeros(k), 0.0
    at_zero = np.array([digamma(prior) for prior in alpha])
    for row in range(len(counts)):
        for topic in range(k):
            floor = np.floor(counts[row, topic])
            below = floor + alpha[topic]
            between = (counts[row, topic] - floor) / below
            of_topics[topic] += between + (digamma(below) - at_zero[topic] if floor > 0 else 0.0)
        of_all += digamma(counts[row].sum() + total) - digamma(total)
    return of_topics, of_all
