"""What a merge of any kind finds: topics of which all parties' topics are mixtures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Mixture:
    """Topics over all words, and each party's base topics as mixtures of them.

    `shares` has p(y|z) for each party: of a base topic's words, those that come from each topic.
    """

    topics: Array
    shares: list[Array]
    objective: list[float]
    n_iter: int
    converged: bool = True
    more: dict[str, Any] = field(default_factory=dict)
    """What else the learner of this kind leaves behind."""
    coordinates: list[Array] | None = None
    """Each party's base topics in the learner's own terms, where p(y|z) isn't that: NMF's Ŵ."""


def truncated_topics(
    topics: Array,
    counts: Array,
    tokens: Array,
    observed: NDArray[np.bool_],
    extra: float,
    steps: int,
    usual: Usual | None = None,
) -> Array:
    """Topics under which counted words are likelier, where each party counts only its own words.

    For topic y and party m with n_my `tokens` among the words V_m that it observes, the
    log-likelihood is Σ_j n_yj log φ_yj − Σ_m n_my log S_my, with S_my = Σ_{j∈V_m} φ_yj, and
    `counts` n_yj over all parties. Minus the logarithm is convex, so a tangent bounds it from
    below, and φ_yj ∝ n_yj / Σ_{m: j∈V_m} n_my/S_my never lowers the likelihood. Where all words are
    observed that is the exact maximum. `extra` is added to each count, as if another party, that
    observes all words, had counted it. `usual` is what is thought beforehand of S.

    >>> observed = np.array([[True, True, False], [True, True, True]])
    >>> counts, tokens = np.array([[4.0, 2, 2]]), np.array([[3.0], [5.0]])
    >>> start = np.full((1, 3), 1 / 3)
    >>> truncated_topics(start, counts, tokens, observed, 0.0, 200).round(6).tolist()
    [[0.4, 0.2, 0.4]]
    """
    d = topics.shape[1]
    totals = tokens.sum(axis=0)[:, None] + extra * d
    if observed.all():
        return np.asarray((counts + extra) / np.where(totals > 0, totals, 1.0))
    known = observed.astype(np.float64)
    for _ in range(steps):
        inside = topics @ known.T
        rates = extra * d + (tokens.T / inside) @ known
        raised = counts + extra
        if usual is not None:
            raised = raised + topics * usual.pull(topics, known, inside)
            rates = rates + usual.strength
        topics = raised / np.where(rates > 0, rates, 1.0)
        topics = topics / topics.sum(axis=1, keepdims=True)
    return topics


@dataclass(frozen=True, eq=False)
class Usual:
    """What is thought beforehand: a topic has as many of the words that a party lacks as others do.

    Without it, a topic could have two faces. A word that party A lacks costs the topic nothing in
    A's eyes, however probable it is; so a topic that is nearly all A's could at the same time be
    one of another party's, made of words that A lacks, and these would be its first words. So each
    topic gets `strength` tokens of which is known only which party's words they are: the share
    `inside` of them in the words of each party that lacks some. That is a Beta prior on S.
    """

    strength: float
    inside: Array
    """Each party's words' share of all words, over all parties' documents."""

    @property
    def each(self) -> Array:
        """The strength by party: none for a party that has all words."""
        lacks = self.inside < 1.0
        return np.asarray(self.strength * lacks / max(int(lacks.sum()), 1))

    def pull(self, topics: Array, known: Array, inside: Array) -> Array:
        """These tokens, distributed as the topic has their words, divided by the topic."""
        outside = topics @ (1.0 - known).T
        told = self.each * self.inside / inside
        lacked = self.each * (1.0 - self.inside) / np.maximum(outside, TINY)
        return np.asarray(told @ known + lacked @ (1.0 - known))

    def log(self, topics: Array, observed: NDArray[np.bool_]) -> float:
        """The logarithm of the prior."""
        known = observed.astype(np.float64)
        inside, outside = topics @ known.T, np.maximum(topics @ (1.0 - known).T, TINY)
        each = self.inside * np.log(inside) + (1.0 - self.inside) * np.log(outside)
        return float((self.each * each).sum())


TINY = float(np.finfo(np.float64).tiny)
USUAL = 0.3
"""The strength of what is thought beforehand, as a share of the tokens of a topic of mean size."""


def usual_of(observed: NDArray[np.bool_], overall: Array, tokens: float, k: int) -> Usual | None:
    """The prior for k topics of so many tokens in all; None where every party has every word."""
    if observed.all():
        return None
    inside = np.where(observed.all(axis=1), 1.0, observed @ overall)
    return Usual(USUAL * tokens / k, inside)
