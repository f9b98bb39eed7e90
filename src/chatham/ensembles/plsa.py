"""PLSA ensembles (Shen et al. 2010, section III): base topics as pseudo-documents.

A base topic z is a document of p(z)·p(w|z) tokens of each word, where p(z) is the topic's share of
all parties' tokens (eq. 3), and EM finds topics y with p(w|z) ≈ Σ_y p(y|z) p(w|y). The steps are
those of the learner PLSA: with every word observed by every party, this is PLSA of the
pseudo-documents.

A word that a party doesn't publish is unknown there. So what is maximised is the likelihood of
multinomials that are truncated to the words of each party: Σ_z Σ_{w∈V} n_zw log (f(w|z) / Σ_{V}
f(·|z)), with f(w|z) = Σ_y p(y|z) p(w|y). Written with a topic's distribution over the party's own
words, the weights' step is as ever, and the topics' step is `truncated_topics`; neither lowers it.

The bound: for any documents d with counts n, weights p(z|d) and topics p(w|z), Jensen's inequality
gives Σ n log Σ_z p(z|d) f(w|z) ≥ Σ n log Σ_z p(z|d) p(w|z) + Σ_zw O_zw log (f(w|z) / p(w|z)), with
O_zw = Σ_d n(d,w)·p(z|d,w). (Proposition 2 of the source takes p(z|d) in place of n·p(z|d,w), and
drops the counts from its likelihoods, eqs. 6 and 12: so its bound is another one, and is loose even
where the merged topics are the base topics; here it is then an equality.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.ensembles.alignment import Aligned
from chatham.ensembles.mixture import Mixture, truncated_topics, usual_of
from chatham.ensembles.starts import overall_words, start_from_base
from chatham.ensembles.summary import Summary
from chatham.errors import InputError
from chatham.learners.convergence import has_converged
from chatham.learners.documents import Documents
from chatham.learners.parameters import check_topics
from chatham.learners.plsa import PLSA, PSEUDO_COUNT, reweigh
from chatham.numerics.products import gather_by_word
from chatham.wording import say

Array = NDArray[np.float64]

STEPS = 5
"""How often topics are updated for the same expected counts where parties' words differ."""


SAME = 1e-9
"""Within this, two topics are the same."""


class Pseudo:
    """One party's base topics as documents, and their weights p(y|z)."""

    def __init__(self, together: Aligned, party: int, k: int) -> None:
        summary = together.summaries[party]
        tokens = summary.statistics["expected"].sum(axis=1, keepdims=True)
        self.documents = Documents(together.spread(party, tokens * summary.topics))
        self.known = together.observed[party]
        self.weights = np.full((summary.n_topics, k), 1.0 / k)

    def begin(self, topics: Array) -> None:
        """The likeliest weights for these topics; all of a base topic that is one of them is it."""
        own = topics / topics[:, self.known].sum(axis=1, keepdims=True)
        learner = PLSA(len(topics))
        learner.components_ = np.where(self.known, own, 0.0)
        rows = self._dense() / self.documents.sizes[:, None]
        # As frequencies: how near weights must come to the likeliest is said for each word.
        self.weights = np.ascontiguousarray(learner._weights(learner._documents(rows)))
        for number, row in enumerate(rows):
            same = np.flatnonzero(np.abs(learner.components_ - row).max(axis=1) <= SAME)
            if len(same):
                self.weights[number] = np.arange(len(topics)) == same[0]

    def _dense(self) -> Array:
        cells = self.documents.data, self.documents.indices, self.documents.indptr
        return sp.csr_array(cells, (self.documents.n, self.documents.d)).toarray()

    def expect(self, topics: Array) -> tuple[Array, float]:
        """One step of the weights; expected counts (topics × words), and the log-likelihood."""
        own = topics / topics[:, self.known].sum(axis=1, keepdims=True)
        by_word, ratios = np.ascontiguousarray(own.T), np.empty(len(self.documents.data))
        likelihood = reweigh(self.documents, by_word, self.weights, ratios)
        expected = by_word * gather_by_word(self.documents.by_word, ratios, self.weights)
        return np.ascontiguousarray(expected.T), likelihood


def merge_plsa(
    together: Aligned,
    k: int,
    *,
    init: Any = "base",
    n_init: int = 4,
    max_iter: int = 500,
    tol: float = 1e-3,
    seed: int = 0,
) -> Mixture:
    """The topics of which all base topics are the likeliest mixtures; the best of several starts.

    `init` is "base" for chosen base topics, "random" for random topics, or topics (k × words).
    """
    starts = n_init if isinstance(init, str) else 1
    settled = not (isinstance(init, str) and init == "random")
    found = [
        _climb(together, _start(together, k, init, seed + number), max_iter, tol, settled)
        for number in range(starts)
    ]
    return max(found, key=lambda each: each.objective[-1])


def _start(together: Aligned, k: int, init: Any, seed: int) -> Array:
    if isinstance(init, str):
        if init == "base":
            return start_from_base(together, k, seed)
        if init != "random":
            raise InputError(
                say("{init} must be 'base', 'random', or topics; got {it!r}.", it=init)
            )
        random = np.random.default_rng(seed).random((k, len(together.vocabulary)))
        return np.asarray(random / random.sum(axis=1, keepdims=True))
    topics = check_topics(PLSA(k), init, len(together.vocabulary)) + PSEUDO_COUNT**2
    return np.asarray(topics / topics.sum(axis=1, keepdims=True))


def _climb(together: Aligned, topics: Array, max_iter: int, tol: float, settled: bool) -> Mixture:
    """EM from these topics, and from their likeliest weights if `settled`, else from equal ones."""
    k = len(topics)
    parties = [Pseudo(together, party, k) for party in range(len(together.summaries))]
    for party in parties if settled else ():
        party.begin(topics)
    nothing = _of_one_topic(together, parties)
    spoken = sum(float(party.documents.data.sum()) for party in parties)
    usual = usual_of(together.observed, overall_words(together), spoken, k)
    objective: list[float] = []
    converged = False
    for iteration in range(1, max_iter + 1):  # noqa: B007 - told at the end
        told = [party.expect(topics) for party in parties]
        counted = [expected for expected, _ in told]
        penalty = PSEUDO_COUNT * float(np.log(topics).sum())
        penalty += 0.0 if usual is None else usual.log(topics, together.observed)
        objective.append(sum(likelihood for _, likelihood in told) + penalty)
        tokens = np.stack([expected.sum(axis=1) for expected in counted])
        counts = np.sum(counted, axis=0)
        known = together.observed
        topics = truncated_topics(topics, counts, tokens, known, PSEUDO_COUNT, STEPS, usual)
        converged = has_converged(objective, tol, nothing)
        if converged:
            break
    shares = [party.weights for party in parties]
    return Mixture(topics, shares, objective, iteration, converged)


def _of_one_topic(together: Aligned, parties: list[Pseudo]) -> float:
    """The log-likelihood of all pseudo-documents if they had one topic."""
    overall, likelihood = overall_words(together), 0.0
    for party in parties:
        own = np.log(overall / overall[party.known].sum())
        likelihood += float(party.documents.data @ own[party.documents.indices])
    return likelihood


def own_mixture(together: Aligned, mixture: Mixture, party: int) -> Array:
    """f(w|z): a party's base topics as the merged ones give them, over its own words."""
    topics = mixture.topics[:, together.columns[party]]
    own = topics / topics.sum(axis=1, keepdims=True)
    return np.asarray(mixture.shares[party] @ own)


def least_likelihood(summary: Summary, mixed: Array) -> float:
    """The bound: no less likely are the party's documents under its mixtures `mixed` = f(w|z).

    That is with p(y|d) = Σ_z p(z|d) p(y|z), and so also with the likeliest weights.
    """
    expected, topics = summary.statistics["expected"], summary.topics
    used = expected > 0
    gained = float(expected[used] @ np.log(mixed[used] / topics[used]))
    return float(summary.statistics["log_likelihood"]) + gained


def true_likelihood(together: Aligned, mixture: Mixture, party: int, rows: Any) -> float:
    """The log-likelihood of a party's documents, plain counts over its words, under the merged
    topics over these words, with the likeliest weights."""
    topics = mixture.topics[:, together.columns[party]]
    learner = PLSA(len(topics))
    learner.components_ = topics / topics.sum(axis=1, keepdims=True)
    documents = Documents(rows)
    weights = np.ascontiguousarray(learner._weights(documents))
    by_word, room = np.ascontiguousarray(learner.components_.T), np.empty(len(documents.data))
    return reweigh(documents, by_word, weights, room, move=False)
