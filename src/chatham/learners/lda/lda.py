"""LDA by collapsed Gibbs sampling: Algorithm 4 of the thesis, eqs. 1.12–1.19.

Each sweep is one sum. Where the rows are, every token's topic is drawn anew (eq. 1.14) against
the counts of the last sum and whatever changed there since; what crosses is how often each word
has each topic. With one holder and one shard this is the exact sequential sampler. With several,
each draws against what the others had at the last sum: the approximation known as AD-LDA.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons
from chatham.errors import InputError
from chatham.learners.base import Fitted, TopicLearner, has_converged
from chatham.learners.documents import Documents
from chatham.learners.lda.counts import (
    WORD_BITS,
    ByWord,
    checked_size,
    count_bits,
    count_start,
    count_words,
    sweep_documents,
    tally_bits,
)
from chatham.learners.lda.gibbs import draw_weights, priors_of, tokens_of
from chatham.learners.parameters import check_topics, normalised
from chatham.learners.settings.lda import INTERVAL, LDASettings
from chatham.numerics.dirichlet import best_scale, log_likelihood, next_prior
from chatham.numerics.lanes import LANES, aligned, padded
from chatham.numerics.threads import each

Array = NDArray[np.float64]

ALPHA_SUM = 5.0
"""Σα to begin with: as if five tokens of each document were known beforehand. The 50 of Griffiths
and Steyvers outweighs documents of a hundred words, and then most topics are in most documents."""

MOST_ALPHA, MOST_BETA = 50.0, 1.0
"""Learned priors stay below: a handful of documents would be explained best by topics all alike."""

UTTERED = 1e-6
"""Added to each word of topics to begin from: a word that none has could not be drawn."""

NEW_BURN_IN, NEW_SAMPLES = 20, 30
"""Sweeps over a new document that aren't kept, and that are."""


class LDA(LDASettings, TopicLearner):
    """Latent Dirichlet allocation: topics and weights with Dirichlet priors, by Gibbs sampling.

    Parameters
    ----------
    n_components : how many topics.
    alpha : prior of a document's weights. A number for each topic, one for all, or None: 5 in all.
    beta : prior of a topic's words. A number for each word, or one for all.
    init : "random", or topics to begin from, an array or another fitted model: tokens are then
        drawn from these topics three times over before the chain begins.
    learn_priors : estimate alpha for each topic, and the size of beta, by Minka's fixed point: a
        step every ten sweeps after `burn_in`. A beta given word by word keeps its proportions.
    max_iter : sweeps over all tokens.
    burn_in : sweeps before priors are learned (at most half of all) and samples taken.
    n_samples : from how many samples, ten sweeps apart and the last at the end, topics are taken.
    shards : 1 samples exactly, one token after the other. S > 1 sweeps S fixed shards of the
        documents side by side, each against the counts when they last met and its own changes:
        approximate, and faster with more threads; as many shards as threads serve best. The
        result depends on `shards` and `random_state`, never on `n_jobs`.
    tol : stop when ten sweeps changed the log-likelihood by at most this share of its first value;
        0 never stops early.

    Attributes
    ----------
    components_ : topics (eq. 1.19), rows sum to one, the most prevalent first.
    alpha_, beta_ : the priors as learned; beta_ is a number where `beta` was one.
    prevalence_ : the average weights of the training documents.
    objective_ : log p(words, topics of tokens | alpha, beta) per token, every ten sweeps.

    Several holders sample side by side as shards do, so their model is an approximation too; a
    holder's place in the roster is part of what its draws are keyed by. A
    cell that isn't whole, such as 2.7, counts as two tokens and one of weight 0.7. `transform`
    samples each document by itself with the topics fixed and averages 30 samples (eq. 1.17).

    >>> import numpy as np
    >>> from chatham.learners.lda import LDA
    >>> counts = np.repeat([[4, 4, 4, 0, 0, 0], [0, 0, 0, 4, 4, 4]], [15, 5], axis=0)
    >>> lda = LDA(2, max_iter=50, random_state=0).fit(counts)
    >>> (lda.components_ > 0.3).astype(int).tolist()
    [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]]
    >>> lda.transform([[5, 5, 0, 0, 0, 0]]).round().tolist()
    [[1.0, 0.0]]
    """

    def _fit(self, commons: Commons, seed: int) -> Fitted:
        k = self.n_components
        alpha = prior_of(self.alpha, ALPHA_SUM / k, k, "alpha", "topic")
        beta = prior_of(self.beta, 0.01, commons.n_features, "beta", "word")
        n_tokens = checked_size(commons.sum(count_words, bits=WORD_BITS))
        start = self._start(commons.n_features)
        whole = count_bits(commons.holders)
        counts = commons.sum(count_start, k, self.shards, seed, start, alpha, bits=whole)
        topics, sizes, samples = np.zeros((k, commons.n_features)), np.zeros(k), 0
        objective: list[float] = []
        sweep, last = 0, self.max_iter
        while sweep < last:
            sweep += 1
            looks = (self.max_iter - sweep) % INTERVAL == 0
            bits = whole, tally_bits(commons.holders, self._n_documents, n_tokens, alpha)
            counts = counts.astype(np.float32, copy=False)
            shared = counts, alpha, beta, sweep, looks
            counts, sums = commons.sum(sweep_documents, *shared, bits=bits)
            if looks:
                objective.append((sums[k + 1] + log_likelihood(counts, beta)) / n_tokens)
                if last == self.max_iter and has_converged(objective, self.tol):
                    last = min(last, sweep + self._sampled_sweeps)
                if last - sweep <= self._sampled_sweeps:
                    topics, sizes = topics + mean_topics(counts, beta), sizes + sums[k + 2 :]
                    samples += 1
                if self.learn_priors and min(self.burn_in, self.max_iter // 2) <= sweep < last:
                    alpha = next_prior(alpha, sums[:k], float(sums[k]))
                    alpha = alpha * min(1.0, MOST_ALPHA / float(alpha.sum()))
                    beta = beta * best_scale(counts, beta)
                    beta = beta * min(1.0, MOST_BETA / float(beta.mean()))
            self._report(sweep, objective[-1] if looks else None)
        more = {"alpha_": alpha, "beta_": beta if np.ndim(self.beta) else float(beta[0])}
        return Fitted(topics / samples, sizes, objective, sweep, more, per_topic=("alpha_",))

    def _start(self, n_features: int) -> Array:
        """Topics to begin from; no rows for a random start."""
        if isinstance(self.init, str):
            return np.zeros((0, n_features))
        return normalised(check_topics(self, self.init, n_features) + UTTERED)

    def _documents(self, rows: Any) -> Documents:
        return Documents(rows)

    def _weights(self, documents: Documents) -> Array:
        # One key for all models: what a document is given depends on the model and itself alone.
        tokens = tokens_of(documents, documents.keys(0))
        width = padded(len(self.alpha_))
        by_word = aligned(documents.d, width)
        by_word[:, : len(self.alpha_)] = self.components_.T
        alpha = priors_of(self.alpha_, 0.0, width).alpha
        weights = np.zeros((documents.n, len(self.alpha_)))

        def draw_block(block: tuple[int, int]) -> None:
            room = aligned(3, width + LANES)
            draw_weights(
                tokens, *block, by_word.reshape(-1), alpha, NEW_BURN_IN, NEW_SAMPLES, room, weights
            )

        each(draw_block, documents.blocks)
        return weights


def mean_topics(counts: ByWord, beta: Array) -> Array:
    """The expected topics given the tokens' topics (eq. 1.19): k × d, rows sum to one."""
    posterior = counts.T.astype(np.float64) + beta
    return np.asarray(posterior / posterior.sum(axis=1, keepdims=True))


def prior_of(given: Any, default: float, length: int, name: str, each_of: str) -> Array:
    """A prior as an array: one number for all, or one for each topic or word."""
    prior = np.asarray(default if given is None else given, dtype=np.float64)
    if prior.ndim == 0:
        prior = np.full(length, float(prior))
    if prior.shape != (length,):
        raise InputError(
            f"The {name!r} parameter of LDA must be a number, or one for each {each_of} "
            f"({length}). Got an array of shape {prior.shape} instead."
        )
    return prior
