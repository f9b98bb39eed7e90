"""LDA of a stream: G-OEM, online EM with local Gibbs sampling (Dupuy and Bach 2016).

Each mini-batch is one sum. Where its documents are, each is sampled by itself under the topics so
far (`local_gibbs`); what crosses is how many tokens of each word they are expected to have in each
topic, and sums for the prior. The total moves the running means of all documents so far, and topics
and prior follow from these (`online_em`). Nothing is kept of a document.

Which mini-batch of a pass a document is in, and its draws, are keyed by the seed, the pass and the
document's content. All that crosses is whole multiples of a power of two, so sums are exact: any
split of the documents over any holders gives the same model, bit for bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from chatham.commons import Commons, Memory, as_commons
from chatham.commons.precision import WORD_COUNTS
from chatham.errors import InputError
from chatham.learners.base import TopicLearner, seed_of
from chatham.learners.convergence import has_converged
from chatham.learners.documents import Documents, check_counts, counts_of, own_seed
from chatham.learners.fitted import Fitted
from chatham.learners.online_lda.local_gibbs import (
    Expectations,
    expectations,
    expected_weights,
    rounded_sum,
)
from chatham.learners.online_lda.online_em import RunningMeans, topics_of
from chatham.learners.parameters import check_topics, normalised, prior_of
from chatham.learners.settings.online_lda import OnlineLDASettings
from chatham.numerics.dirichlet import most_likely_prior
from chatham.numerics.keyed import mixed
from chatham.numerics.products import sums_by
from chatham.numerics.threads import threads

Array = NDArray[np.float64]

ALPHA_SUM = 5.0
"""The initial Σα: as if five tokens of each document were known in advance."""

LEAST_ALPHA, MOST_ALPHA = 1e-3, 50.0
"""Bounds of a learned prior: of each topic's part, so that a topic without documents may still get
some, and of the sum."""

SMOOTHING = 1e-6
"""Added to each word of starting topics: a word that none of them has could not be drawn."""

MOST_LOG = 1000.0
"""Beyond any −log of a token's probability: topics have no smaller probabilities than 1e-37, nor a
prior that small a share of a document."""

NEW_SWEEPS, NEW_BURN_IN = 50, 20
"""Sweeps over a new document, and how many of them are discarded."""


class OnlineLDA(OnlineLDASettings, TopicLearner):
    """Latent Dirichlet allocation of a stream of documents, each seen once or a few times.

    Parameters
    ----------
    n_components : number of topics.
    alpha : prior of a document's weights. One number per topic, one for all, or None: a sum of 5.
    beta : prior of a topic's words, in tokens. What is added to the running means, which are per
        document, is this divided by `evidence_`; it matters less the more documents have come.
    learn_alpha : estimate alpha for each topic after every mini-batch but the first.
    batch_size : about how many documents are learned at a time. Smaller ones learn more of the
        first documents, larger ones take less time per document.
    kappa, offset : the t-th mini-batch moves the means by (t + offset)^−kappa, or in proportion
        where it is smaller or larger than `batch_size`. The smaller kappa, the sooner old documents
        are forgotten; with kappa = 1 and offset = 0 all count the same.
    sweeps, burn_in : Gibbs sweeps over each document, and how many of these are discarded first.
    init : "random", or topics to start from, an array or another fitted model: the first
        mini-batch's documents are sampled under them, and then they are forgotten.
    max_iter : passes of `fit` over all documents. `partial_fit` makes one over what it is given.
    tol : `fit` stops when as many passes again, at the pace of the last ten, would raise the
        objective by at most this share of what it gained over a single topic; 0, the default, makes
        all passes. If they end before, an `UnconvergedWarning` says so.

    Attributes
    ----------
    components_ : topics, rows sum to one; after `fit` the most prevalent first. `partial_fit` never
        changes their numbers.
    alpha_ : the prior as learned.
    prevalence_ : the running mean of documents' weights.
    objective_ : log p(token | the rest of its document) per token, for every mini-batch before it
        is learned. In a first pass that is held-out text ("progressive validation"); later passes
        have seen it. It falls and rises with the texts in a batch; `score` is for one held-out set.
    n_iter_ : passes; after `partial_fit`, calls of it besides.
    statistics_, log_weights_ : the running means per document of E[S] (k × d, in tokens) and of
        E[log θ], from which `partial_fit` goes on, also after the model was saved and loaded.
    documents_seen_, mass_, evidence_ : how many documents have been learned; how much they weigh
        together; how many documents weighed alike would be as good evidence as the running means.

    Equal documents are in the same mini-batch of a pass and have the same draws. A cell that isn't
    whole, such as 2.7, counts as two tokens and one of weight 0.7. `transform` samples each
    document by itself, 30 sweeps after 20. **Not offered between parties**: nobody has tried to
    rebuild documents from the totals of mini-batches yet.

    >>> import numpy as np
    >>> from chatham import OnlineLDA
    >>> rng = np.random.default_rng(0)
    >>> lda = OnlineLDA(2, batch_size=10, random_state=0)
    >>> for _ in range(20):  # batches of documents of one topic or the other
    ...     rates = np.where(rng.random((10, 1)) < 0.7, [4, 4, 4, 0, 0, 0], [0, 0, 0, 4, 4, 4])
    ...     lda = lda.partial_fit(rng.poisson(rates))
    >>> sorted((lda.components_ > 0.2).astype(int).tolist())
    [[0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0]]
    >>> lda.documents_seen_
    200.0
    """

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn further documents, a matrix of counts or a Commons; the first call begins.

        The number of words is fixed by the first call. After `fit` it goes on from there.
        """
        self._check_parameters()
        begins = not hasattr(self, "components_")
        commons = self._further(X, begins)
        self._check_here(commons)
        self._check_privacy(commons.privacy)
        seed = self._seed()
        with threads(self.n_jobs), commons.fitting():
            if begins:
                self._check_documents(commons)
            elif commons.count().with_words == 0:
                return self
            stream = self._begun(commons, seed) if begins else self._resumed()
            past = [] if begins else self.objective_.tolist()
            passes = 0 if begins else self.n_iter_
            scores = stream.learn_all(commons, self, seed, passes + 1)
        self.components_ = np.ascontiguousarray(stream.topics)
        self.prevalence_ = stream.means.weights / stream.means.weights.sum()
        self.objective_, self.n_iter_ = np.array([*past, *scores.each]), passes + 1
        for name, value in stream.learned.items():
            setattr(self, name, value)
        return self

    def _fit(self, commons: Commons, seed: int) -> Fitted:
        self._check_here(commons)
        stream = self._begun(commons, seed)
        objective: list[float] = []
        by_pass: list[float] = []
        converged = False
        for passed in range(1, self.max_iter + 1):
            scores = stream.learn_all(commons, self, seed, passed)
            objective.extend(scores.each)
            by_pass.append(scores.mean)
            self._report(passed, by_pass[-1])
            converged = has_converged(by_pass, self.tol, scores.of_one_topic)
            if converged:
                break
        return Fitted(
            stream.topics,
            stream.means.weights,
            objective,
            passed,
            stream.learned,
            converged=converged,
        )

    def _check_between_parties(self, exact_totals: bool = False) -> None:
        raise InputError(
            "OnlineLDA isn't offered between parties: nobody has tried yet to rebuild documents "
            "from the totals of its mini-batches; fit LDA together instead."
        )

    def _check_here(self, commons: Commons) -> None:
        """Refuse a party's commons, and one whose totals mustn't be exact."""
        if not commons.exact_totals or (commons.index is not None and commons.holders > 1):
            self._check_between_parties()

    def _further(self, X: Any, begins: bool) -> Commons:
        """The documents of a call of `partial_fit`, with as many words as there were before."""
        if begins:
            return self._commons(X)
        if isinstance(X, Commons):
            if X.n_features != self.n_features_in_:
                raise InputError(
                    f"The commons has {X.n_features} words, and OnlineLDA has learned "
                    f"{self.n_features_in_} so far; count the same words."
                )
            return X
        rows = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        check_counts(rows.data if sp.issparse(rows) else rows)
        return as_commons(rows)

    def _begun(self, commons: Commons, seed: int) -> Stream:
        """The stream before its first document."""
        k, d = self.n_components, commons.n_features
        alpha = prior_of(self, "alpha", ALPHA_SUM / k, k, "topic")
        return Stream(self._start(d, seed), alpha, RunningMeans.of_nothing(k, d))

    def _start(self, d: int, seed: int) -> Array:
        if isinstance(self.init, str):
            return normalised(
                np.random.default_rng(seed).random((self.n_components, d)) + SMOOTHING
            )
        return normalised(check_topics(self, self.init, d) + SMOOTHING)

    def _resumed(self) -> Stream:
        """The stream where it was left."""
        means = RunningMeans(
            np.asfortranarray(self.statistics_),
            self.log_weights_,
            self.prevalence_,
            self.documents_seen_,
            self.mass_,
            self.evidence_,
        )
        return Stream(np.asfortranarray(self.components_), self.alpha_, means)

    def _documents(self, rows: Any) -> Documents:
        return Documents(rows)

    def _weights(self, documents: Documents) -> Array:
        # One seed for all models: a document's weights depend on the model and itself alone.
        sweeps = NEW_SWEEPS, NEW_BURN_IN
        return expected_weights(documents, self.components_, self.alpha_, *sweeps, seed=0)


class Scores(NamedTuple):
    """How well the documents of a pass were predicted before they were learned."""

    each: list[float]
    """The log-probability of a token given the rest of its document, for each mini-batch."""
    mean: float
    """The same over the whole pass."""
    of_one_topic: float
    """What it would be if there were one topic for all documents."""


class Stream:
    """Topics, prior and running means, moved on by one mini-batch after another."""

    def __init__(self, topics: Array, alpha: Array, means: RunningMeans) -> None:
        self.topics, self.alpha, self.means = topics, alpha, means

    @property
    def learned(self) -> dict[str, Any]:
        """What has been learned besides topics and their shares."""
        return {
            "alpha_": self.alpha,
            "statistics_": self.means.counts,
            "log_weights_": self.means.log_weights,
            "documents_seen_": self.means.documents,
            "mass_": self.means.mass,
            "evidence_": self.means.evidence,
        }

    def learn_all(
        self, commons: Commons, settings: OnlineLDASettings, seed: int, passed: int
    ) -> Scores:
        """One pass over all documents."""
        assert commons.counted is not None
        documents = commons.counted.with_words
        words = commons.sum(count_words, most=WORD_COUNTS)
        batches = max(1, round(documents / settings.batch_size))
        draws = settings.sweeps, settings.burn_in, seed_of(passed, seed)
        each, likelihood, n_tokens = [], 0.0, 0.0
        for batch in range(batches):
            *sums, tokens, size = commons.sum(
                learn_batch, self.topics, self.alpha, *draws, batch, batches,
                total=self._bounds(float(words.sum()), documents),
            )  # fmt: skip
            if size == 0:  # no document's key is in this part of the numbers
                continue
            found = Expectations(*sums)
            each.append(float(found.log_likelihood / tokens))
            likelihood, n_tokens = (
                likelihood + float(found.log_likelihood),
                n_tokens + float(tokens),
            )
            self._learn(found, int(size), settings)
        used = words[words > 0]
        of_one_topic = float(used @ np.log(used / used.sum()) / used.sum())
        return Scores(each, likelihood / n_tokens, of_one_topic)

    def _bounds(self, tokens: float, documents: int) -> tuple[float | None, ...]:
        """Upper bounds of a mini-batch's totals: ψ(α) isn't far below −1/α."""
        logs = documents * (64.0 + 1.0 / float(self.alpha.min()))
        return tokens, logs, documents, MOST_LOG * tokens, tokens, None

    def _learn(self, found: Expectations, documents: int, settings: OnlineLDASettings) -> None:
        """Move the means, and then topics and prior."""
        first = self.means.documents == 0
        self.means.learn(found, documents, settings.batch_size, settings.kappa, settings.offset)
        self.topics = topics_of(self.means.counts, settings.beta / self.means.evidence)
        # Under the first topics, which are no more than noise, weights say nothing.
        if settings.learn_alpha and not first:
            alpha = most_likely_prior(self.means.log_weights, self.alpha)
            alpha = alpha * min(1.0, MOST_ALPHA / float(alpha.sum()))
            self.alpha = np.maximum(alpha, LEAST_ALPHA)


def count_words(rows: Any, memory: Memory) -> Array:
    """How often each word occurs."""
    documents = counts_of(rows, memory)
    return sums_by(documents.indices, documents.data, documents.d)


def learn_batch(
    rows: Any,
    memory: Memory,
    topics: Array,
    alpha: Array,
    sweeps: int,
    burn_in: int,
    seed: int,
    batch: int,
    batches: int,
) -> tuple[Array, Array, Array, Array, Array, NDArray[np.int64]]:
    """How many tokens of each word a mini-batch is expected to have in each topic; further sums.

    These are E[log θ] and E[θ] for each topic, the log-likelihood, tokens, and documents.
    """
    everything, own = counts_of(rows, memory), own_seed(seed, memory)
    parts = memory.derived("mini-batches", mini_batches, everything, own, batches)
    documents = documents_in(everything, parts[batch])
    found = expectations(documents, topics, alpha, sweeps, burn_in, own)
    tokens, size = rounded_sum(documents.sizes), np.array(documents.n, dtype=np.int64)
    return *found, tokens, size


def mini_batches(documents: Documents, seed: int, batches: int) -> list[NDArray[np.int64]]:
    """The documents with words of each mini-batch, by their keys: in whatever order they are."""
    with_words = np.flatnonzero(~documents.empty)
    # Mixed once more: the keys themselves begin the documents' draws.
    keys = mixed(documents.keys(seed)[with_words])
    numbers = (keys >> np.uint64(32)) * np.uint64(batches) >> np.uint64(32)
    order = np.argsort(numbers, kind="stable")
    ends = np.searchsorted(numbers[order], np.arange(1, batches, dtype=np.uint64))
    return np.split(with_words[order], ends)


def documents_in(documents: Documents, rows: NDArray[np.int64]) -> Documents:
    """Some of the documents."""
    cells = documents.data, documents.indices, documents.indptr
    return Documents(sp.csr_array(cells, (documents.n, documents.d))[rows])
