"""Probabilistic latent semantic analysis by EM (thesis, section 1.2.3, Algorithm 3).

Maximises Σ Xᵢⱼ log Σₜ WᵢₜTₜⱼ. P(z=t|i,j) is never held for all pairs: with q = x/(WT) on the
nonzero cells, the M-steps read W ← W∘(qTᵀ) and T ← T∘(Wᵀq), normalised.

Algorithm 3 takes both M-steps from one E-step. Here the E-step is repeated in between (an ECM
iteration): the words of a document are at hand, so it costs little more, the likelihood still never
falls, and fewer iterations, and so fewer sums, reach the same point (docs/decisions/0004).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from chatham.commons import Commons, Memory, keeps
from chatham.learners.base import TopicLearner
from chatham.learners.convergence import has_converged
from chatham.learners.documents import Documents, frequencies_of
from chatham.learners.fitted import Fitted
from chatham.learners.parameters import check_topics, normalised
from chatham.learners.rare_words import leave_out_rare
from chatham.learners.settings.plsa import PLSASettings
from chatham.learners.spectral_start import StartsFromAnchors, anchored_topics, asks_for_anchors
from chatham.numerics.products import dot, gather_by_word
from chatham.numerics.rows import exchange_with, gradient_of
from chatham.numerics.threads import each

Array = NDArray[np.float64]

PSEUDO_COUNT = 1e-6
"""Added to every cell of the topics' M-step: in EM a zero is absorbing, even one from rounding."""

GAP, STILL = 1e-7, 1e-9
"""A new document's weights are those sought when no others can be more likely than by so many nats
a word, and EM moves them by no more than this."""
MOST_STRIDES, MOST_NEWTON, MOST_TRADES = 50, 50, 50
"""Maximum numbers of EM's strides for a new document, of Newton's steps, and of rounds of trades in
each of these."""
SMALLEST_STEP = 1e-9
"""The smallest part of a step of Newton's method that is tried before it is given up."""

UNLIKELY = 1000.0
"""−log of the smallest probability of a word: no floating-point number is smaller."""

FLOOR = 1e-100
"""The smallest weight of a topic in a document: below any effect, above the slow denormals."""


class PLSA(PLSASettings, StartsFromAnchors, TopicLearner):
    """Topics and weights under which the documents are most likely.

    Parameters
    ----------
    n_components : number of topics.
    init : "random" for random topics and equal weights (as in the source); "anchor" for the topics
        that anchor words find, which pays where topics differ much in size; an array of topics, or
        another fitted model.
    n_init : number of random starts, of which the fit with the highest likelihood is kept. Several
        pay where topics differ much in size: a start may leave two small ones in one topic.
    tol : stop when as many iterations again, at the pace of the last ten, would raise the
        likelihood by at most this share of what it gained over a single topic for all documents.
        0 takes all of `max_iter`; if these end before, an `UnconvergedWarning` says so.

    `objective_` is the log-likelihood of the frequencies plus the pseudo-count's Σ 1e-6·log T, the
    quantity that every iteration of EM raises, as it stands before the topics' own step.

    Between parties that don't all know of exact totals, each leaves out of its part the words that
    fewer than five of its own documents have: see `rare_words`.

    >>> import numpy as np
    >>> from chatham import PLSA
    >>> counts = np.array([[4, 2, 0, 0], [2, 1, 0, 0], [4, 2, 0, 0], [0, 0, 3, 3]])
    >>> PLSA(2, random_state=0).fit(counts).components_.round(2)
    array([[0.67, 0.33, 0.  , 0.  ],
           [0.  , 0.  , 0.5 , 0.5 ]])
    """

    def _fit(self, commons: Commons, seed: int) -> Fitted:
        topics = self._start(commons, seed)
        leave_out_rare(commons)
        objective: list[float] = []
        converged = False
        for iteration in range(1, self.max_iter + 1):
            expected, sizes, likelihood = commons.sum(
                expectations, topics, most=(1.0, 1.0, UNLIKELY)
            )
            objective.append(float(likelihood) + PSEUDO_COUNT * float(np.log(topics).sum()))
            self._report(iteration, objective[-1])
            topics = normalised(np.ascontiguousarray(expected.T) + PSEUDO_COUNT)
            converged = has_converged(objective, self.tol, of_one_topic(expected.sum(axis=1)))
            if converged:
                break
        return Fitted(topics, sizes, objective, iteration, converged=converged)

    def _start(self, commons: Commons, seed: int) -> Array:
        if asks_for_anchors(self.init):
            topics = anchored_topics(commons, self.n_components, seed)
            return normalised(topics + PSEUDO_COUNT)
        if isinstance(self.init, str):
            return normalised(
                np.random.default_rng(seed).random((self.n_components, commons.n_features))
            )
        return normalised(check_topics(self, self.init, commons.n_features) + PSEUDO_COUNT)

    def _weights(self, documents: Documents) -> Array:
        by_word = np.ascontiguousarray(self.components_.T)
        weights = np.full((documents.n, by_word.shape[1]), 1.0 / by_word.shape[1])
        cells = documents.indptr, documents.indices, documents.data
        kernel = partial(_settle_rows, *cells, by_word, weights)
        each(lambda block: kernel(*block), documents.blocks)
        return weights


def of_one_topic(frequencies: Array) -> float:
    """The log-likelihood of all documents if each drew its words from their overall shares."""
    used = frequencies[frequencies > 0]
    return float(used @ np.log(used / used.sum()))


@keeps(weights="each document's topic weights")
def expectations(rows: Any, memory: Memory, topics: Array) -> tuple[Array, Array, Array]:
    """Expected word–topic counts; topic sizes; log-likelihood."""
    documents = frequencies_of(rows, memory)
    k = len(topics)
    weights = memory.setdefault("weights", np.full((documents.n, k), 1.0 / k))
    ratios = memory.derived("room for ratios", np.empty, len(documents.data))
    by_word = np.ascontiguousarray(topics.T)
    likelihood = reweigh(documents, by_word, weights, ratios)
    sizes = weights[~documents.empty].sum(axis=0)
    # Times the topics here: Wᵀq by itself has no bound, and this never exceeds the documents.
    expected = by_word * gather_by_word(documents.by_word, ratios, weights)
    return expected, sizes, np.array(likelihood)


def reweigh(
    documents: Documents, by_word: Array, weights: Array, ratios: Array, *, move: bool = True
) -> float:
    """The weights' M-step, in place; the log-likelihood after it, with x/(WT) left in `ratios`."""
    cells = documents.indptr, documents.indices, documents.data
    kernel = partial(_reweigh, *cells, by_word, weights, ratios, move)
    parts = each(lambda block: kernel(*block), documents.blocks)
    return float(sum(parts))


@njit(cache=True, nogil=True)
def _reweigh(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: Array,
    by_word: Array,
    weights: Array,
    ratios: Array,
    move: bool,
    first: int,
    last: int,
) -> float:
    likelihood = 0.0
    new = np.empty(by_word.shape[1])
    for row in range(first, last):
        cells = slice(indptr[row], indptr[row + 1])
        if move:
            _move(indices[cells], data[cells], by_word, weights[row], new)
        for cell in range(indptr[row], indptr[row + 1]):
            probability = dot(weights[row], by_word[indices[cell]])
            ratios[cell] = data[cell] / probability
            likelihood += data[cell] * np.log(probability)
    return likelihood


@njit(cache=True, nogil=True)
def _move(
    indices: NDArray[Any], data: Array, by_word: Array, w: Array, new: Array
) -> tuple[float, float]:
    """One document's M-step in place; by how much its weights moved, and how far it was from best.

    The likelihood is concave, so no weights are more likely than these were by more than the
    steepest slope towards any topic, less the mean slope towards those the document has.
    """
    new[:] = 0.0
    for cell in range(len(indices)):
        word = by_word[indices[cell]]
        ratio = data[cell] / dot(w, word)
        for topic in range(len(w)):
            new[topic] += ratio * word[topic]
    total, mean, steepest = 0.0, 0.0, 0.0
    for topic in range(len(w)):
        steepest = max(steepest, new[topic])
        mean += new[topic] * w[topic]
        new[topic] = max(new[topic] * w[topic], FLOOR)
        total += new[topic]
    moved = 0.0
    for topic in range(len(w)):
        new[topic] /= total
        moved += abs(new[topic] - w[topic])
        w[topic] = new[topic]
    return moved, steepest - mean


@njit(cache=True, nogil=True)
def _settle_rows(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: Array,
    by_word: Array,
    weights: Array,
    first: int,
    last: int,
) -> None:
    room = np.empty((4, by_word.shape[1]))
    for row in range(first, last):
        cells = slice(indptr[row], indptr[row + 1])
        _settle(indices[cells], data[cells], by_word, weights[row], room)


@njit(cache=True, nogil=True)
def _settle(indices: NDArray[Any], data: Array, by_word: Array, w: Array, room: Array) -> None:
    """One document's most likely weights for fixed topics, to within `GAP` of the best there are.

    EM in strides (SQUAREM) is quick where topics differ. Where they are alike it hardly moves, far
    from the end; so what it moves says nothing, and what may be missing decides. Newton's steps do
    the rest: each is a quadratic problem on the simplex, in which weight is traded between topics.
    """
    for _ in range(MOST_STRIDES):
        moved, gap = _stride(indices, data, by_word, w, room)
        if gap <= GAP and moved <= STILL:
            return
    curvature = np.empty((len(w), len(w)))
    for _ in range(MOST_NEWTON):
        if _newton(indices, data, by_word, w, curvature) <= GAP:
            return


@njit(cache=True, nogil=True)
def _stride(
    indices: NDArray[Any], data: Array, by_word: Array, w: Array, room: Array
) -> tuple[float, float]:
    """Two steps of EM and a leap on; how much the first moved, and the gap before it.

    Two steps show EM's direction; a stride extrapolates them, and is undone if it makes the
    document less likely than the two steps did.
    """
    begun, once, twice, new = room
    begun[:] = w
    moved, gap = _move(indices, data, by_word, w, new)
    if gap <= GAP and moved <= STILL:
        return moved, gap
    once[:] = w
    _move(indices, data, by_word, w, new)
    twice[:] = w
    step = np.sum((once - begun) ** 2)
    bend = np.sum((twice - 2 * once + begun) ** 2)
    stride = max(np.sqrt(step / bend), 1.0) if bend > 0.0 else 1.0
    for topic in range(len(w)):
        bent = twice[topic] - 2 * once[topic] + begun[topic]
        ahead = begun[topic] + 2 * stride * (once[topic] - begun[topic]) + stride**2 * bent
        w[topic] = max(ahead, 0.1 * twice[topic])  # never to zero, where EM would stay
    w /= np.sum(w)
    if _log_likelihood(indices, data, by_word, w) < _log_likelihood(indices, data, by_word, twice):
        w[:] = twice
    return moved, gap


@njit(cache=True, nogil=True)
def _newton(
    indices: NDArray[Any], data: Array, by_word: Array, w: Array, curvature: Array
) -> float:
    """A step of Newton's method on the simplex, in place; the gap before it.

    With slopes g and curvature H at w, the likelihood of v is about 2gᵀv − ½vᵀHv, as Hw = g.
    """
    slopes, gradient = np.zeros(len(w)), np.empty(len(w))
    curvature[:] = 0.0
    for cell in range(len(indices)):
        word = by_word[indices[cell]]
        probability = dot(w, word)
        ratio = data[cell] / probability
        for topic in range(len(w)):
            slopes[topic] += ratio * word[topic]
            share = ratio * word[topic] / probability
            for other in range(len(w)):
                curvature[topic, other] += share * word[other]
    gap = np.max(slopes) - np.sum(slopes * w)
    if gap <= GAP:
        return gap
    best = w.copy()
    gradient_of(best, 2.0 * slopes, curvature, gradient)
    for _ in range(MOST_TRADES):
        moved = 0.0
        for topic in range(len(w)):
            moved = max(moved, exchange_with(best, gradient, curvature, 0.0, topic))
        if moved <= STILL:
            break
    before, step = _log_likelihood(indices, data, by_word, w), 1.0
    while step > SMALLEST_STEP:
        ahead = w + step * (best - w)
        if _log_likelihood(indices, data, by_word, ahead) > before:
            w[:] = ahead
            return gap
        step *= 0.5
    return 0.0  # only rounding is left


@njit(cache=True, nogil=True)
def _log_likelihood(indices: NDArray[Any], data: Array, by_word: Array, w: Array) -> float:
    total = 0.0
    for cell in range(len(indices)):
        total += data[cell] * np.log(dot(w, by_word[indices[cell]]))
    return total
