"""LDA by collapsed Gibbs sampling: Algorithm 4 of the thesis, eqs. 1.12–1.19.

Each sweep is one sum. Where the rows are, every token's topic is resampled (eq. 1.14) against the
counts of the last sum and the holder's own changes since; what crosses is how often each word has
each topic. With one holder and one shard this is the exact sequential sampler. With several, each
draws against what the others had at the last sum: the approximation known as AD-LDA.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons
from chatham.commons.precision import WORD_COUNTS
from chatham.learners.base import TopicLearner
from chatham.learners.documents import Documents
from chatham.learners.fitted import Fitted
from chatham.learners.lda.gibbs import tokens_of
from chatham.learners.lda.sampler import ByWord, draw_from
from chatham.learners.lda.steps import (
    EXACT,
    Tally,
    checked_size,
    count_start,
    count_words,
    sweep_documents,
)
from chatham.learners.parameters import check_topics, normalised, prior_of
from chatham.learners.rare_words import leave_out_rare
from chatham.learners.settings.lda import INTERVAL, LDASettings
from chatham.learners.spectral_start import StartsFromAnchors, anchored_topics, asks_for_anchors
from chatham.numerics.dirichlet import best_scale, log_likelihood, next_prior

Array = NDArray[np.float64]

ALPHA_SUM = 5.0
"""The initial Σα: as if five tokens of each document were known in advance. The 50 of Griffiths and
Steyvers outweighs documents of a hundred words, and then most topics are in most documents."""

MOST_ALPHA, MOST_BETA = 50.0, 1.0
"""Upper bounds of learned priors: a few documents would be explained best by equal topics."""

SMOOTHING = 1e-6
"""Added to each word of starting topics: a word that none of them has could not be drawn."""

NEW_BURN_IN, NEW_SAMPLES = 20, 30
"""Sweeps over a new document that are discarded, and that are kept."""


class LDA(LDASettings, StartsFromAnchors, TopicLearner):
    """Latent Dirichlet allocation: topics and weights with Dirichlet priors, by Gibbs sampling.

    Parameters
    ----------
    n_components : number of topics.
    alpha : prior of a document's weights. One number per topic, one for all, or None: a sum of 5.
    beta : prior of a topic's words. One number per word, or one for all.
    init : "random"; "anchor", the topics that anchor words find, which pays where topics differ
        much in size; or topics to start from, an array or another fitted model. From topics all
        tokens are drawn three times before the chain starts.
    n_init : number of chains, of which the one that ended with the highest `objective_` is kept.
        Several pay where topics differ much in size: a chain may leave two small ones in one topic
        for longer than anybody waits.
    learn_priors : estimate alpha for each topic, and the scale of beta, by Minka's fixed point: one
        step every ten sweeps after `burn_in`. A beta given per word keeps its proportions.
    max_iter : sweeps over all tokens.
    burn_in : sweeps before priors are learned (at most half of all) and samples taken.
    n_samples : number of samples, ten sweeps apart and the last at the end, averaged to topics.
    shards : 1 samples exactly, one token after another. S > 1 sweeps S fixed shards of the
        documents in parallel, each against the counts of the last merge and its own changes:
        approximate, and faster with more threads; use as many shards as threads. The result
        depends on `shards` and `random_state`, never on `n_jobs`.
    n_jobs : threads. A fit has work for `shards` of them, so for one by default; `transform` for
        all.
    tol : stop when ten sweeps changed the log-likelihood by at most this share of what it gained
        over topics at random; 0, the default, never stops early. It goes up and down by chance and
        never comes to rest, so this finds where it levels off, and no more.

    Attributes
    ----------
    components_ : topics (eq. 1.19), rows sum to one, the most prevalent first.
    alpha_, beta_ : the priors as learned; beta_ is a number where `beta` was one.
    prevalence_ : the average weights of the training documents.
    objective_ : log p(words, topics of tokens | alpha, beta) per token, every ten sweeps.

    Several holders sample in parallel like shards, so their model is an approximation too; a
    holder's draws are also keyed by its position in the roster. A cell that isn't whole, such as
    2.7, counts as two tokens and one of weight 0.7. `transform` samples each document by itself
    with the topics fixed and averages 30 samples (eq. 1.17). Between parties that don't all know of
    exact totals, each leaves out of its part the words that fewer than five of its own documents
    have: see `rare_words`.

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
        k, d = self.n_components, commons.n_features
        alpha = prior_of(self, "alpha", ALPHA_SUM / k, k, "topic")
        beta = prior_of(self, "beta", 0.01, d, "word")
        start = self._start(commons, seed)
        leave_out_rare(commons)
        words = commons.sum(count_words, most=WORD_COUNTS)
        n_tokens = checked_size(words)
        nothing = log_likelihood(words[:, None], beta) / n_tokens - np.log(k)
        # Initialise z.
        counts = commons.sum(count_start, k, self.shards, seed, start, alpha, total=EXACT)
        topics, weights, samples = np.zeros((k, d)), np.zeros(k), 0
        objective: list[float] = []
        sweep, last, levelled = 0, self.max_iter, False
        while sweep < last:  # repeat
            sweep += 1
            tallied = (self.max_iter - sweep) % INTERVAL == 0
            # Update every z_i by eq. 1.14.
            counts = counts.astype(np.float32, copy=False)
            shared = counts, alpha, beta, self.shards, sweep, tallied
            bound = largest_tally(commons, n_tokens, alpha)
            counts, *sums = commons.sum(sweep_documents, *shared, total=(EXACT, *[bound] * 4))
            if tallied:
                tally = Tally(*sums)
                likelihood = float(tally.log_likelihood) + log_likelihood(counts, beta)
                objective.append(likelihood / n_tokens)
                if not levelled and has_levelled(objective, self.tol, nothing):
                    levelled, last = True, min(last, sweep + self._sampled_sweeps)
                if last - sweep <= self._sampled_sweeps:
                    topics, weights = topics + mean_topics(counts, beta), weights + tally.weights
                    samples += 1
                if self.learn_priors and min(self.burn_in, self.max_iter // 2) <= sweep < last:
                    alpha, beta = learned_priors(alpha, beta, counts, tally)
            self._report(sweep, objective[-1] if tallied else None)
        more = {"alpha_": alpha, "beta_": beta if np.ndim(self.beta) else float(beta[0])}
        return Fitted(topics / samples, weights, objective, sweep, more, converged=levelled)

    def _start(self, commons: Commons, seed: int) -> Array:
        """Topics to start from; no rows for a random start."""
        n_features = commons.n_features
        if asks_for_anchors(self.init):
            return normalised(anchored_topics(commons, self.n_components, seed) + SMOOTHING)
        if isinstance(self.init, str):
            return np.zeros((0, n_features))
        return normalised(check_topics(self, self.init, n_features) + SMOOTHING)

    def _documents(self, rows: Any) -> Documents:
        return Documents(rows)

    def _weights(self, documents: Documents) -> Array:
        # One seed for all models: a document's weights depend on the model and itself alone.
        tokens = tokens_of(documents, documents.keys(0))
        draws = NEW_BURN_IN, NEW_SAMPLES
        return draw_from(tokens, documents.blocks, self.components_, self.alpha_, *draws)


def has_levelled(objective: list[float], tol: float, nothing: float) -> bool:
    """Whether ten sweeps changed the log-likelihood by little beside what it gained by sampling."""
    if tol == 0 or len(objective) < 2:
        return False
    return abs(objective[-1] - objective[-2]) <= tol * abs(objective[-1] - nothing)


def largest_tally(commons: Commons, n_tokens: float, alpha: Array) -> float:
    """An upper bound of all sums over documents: log Γ(n) < 64 n, and ψ(α) isn't far below −1/α."""
    assert commons.counted is not None
    documents = commons.counted.documents
    from_tokens = 64 * (n_tokens + len(alpha) * documents)
    return from_tokens + documents / float(alpha.min())


def learned_priors(alpha: Array, beta: Array, counts: ByWord, tally: Tally) -> tuple[Array, Array]:
    """α for each topic and the scale of β, after one more step of Minka's fixed point."""
    alpha = next_prior(alpha, tally.prior_terms, float(tally.prior_term))
    alpha = alpha * min(1.0, MOST_ALPHA / float(alpha.sum()))
    beta = beta * best_scale(counts, beta)
    return alpha, beta * min(1.0, MOST_BETA / float(beta.mean()))


def mean_topics(counts: ByWord, beta: Array) -> Array:
    """The expected topics given the tokens' topics (eq. 1.19): k × d, rows sum to one."""
    posterior = counts.T.astype(np.float64) + beta
    return np.asarray(posterior / posterior.sum(axis=1, keepdims=True))
