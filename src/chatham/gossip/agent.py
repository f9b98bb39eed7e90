"""What an agent does with its own documents: the local update of G-OEM, eq. 2.

An agent's statistics s (k × d) are expected counts of words by topic. They stand for the topics
η*(s), their rows normalised, and G(s) is the expected counts of the agent's documents under these
topics, by local Gibbs sampling. Counts are summed over documents and not averaged: then the mean of
G over agents is, but for a factor that topics don't depend on, that of all documents in one place,
and a document counts the same whoever has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.gossip.checks import as_list, as_numbers, check_number, check_whole
from chatham.learners.documents import Documents
from chatham.learners.online_lda import expected_counts, topics_of
from chatham.learners.parameters import check_seed
from chatham.learners.settings.learned import LARGEST, SMALLEST
from chatham.wording import say

Array = NDArray[np.float64]


def starting_topics(k: int, d: int, random_state: int) -> Array:
    """Topics from a Dirichlet distribution of parameter one: the same wherever they are drawn."""
    return np.random.default_rng(random_state).dirichlet(np.ones(d), size=k)


def _matrix(counts: Any) -> Any:
    """Something with rows and columns, sparse or not."""
    if sp.issparse(counts):
        return counts
    array = as_numbers(counts, "counts")
    if array.ndim != 2:
        raise InputError(
            say("{counts} must have one matrix for each agent, documents × words. Got an array of "
                "shape {shape} instead.", shape=array.shape)
        )  # fmt: skip
    return array


class GibbsAgents:
    """Agents with documents, as the local update of a `Simulation`.

    `counts` has one matrix for each agent, all over the same words; `alpha` is one number for each
    topic. An update sweeps each of the agent's documents `sweeps` times, the first `burn_in` of
    which are discarded, under topics smoothed by `smoothing` tokens of every word. What is random
    follows from `random_state`, the number of the agent's update, and a document's content.
    """

    def __init__(
        self,
        counts: Sequence[Any],
        alpha: Any,
        *,
        smoothing: float = 0.01,
        sweeps: int = 20,
        burn_in: int = 10,
        random_state: int = 0,
    ) -> None:
        rule = "Counts must be a list with one matrix for each agent"
        self._documents = [Documents(_matrix(each)) for each in as_list(counts, rule)]
        self._alpha = as_numbers(alpha, "alpha")
        self._smoothing = check_number(
            smoothing, SMALLEST, LARGEST, "smoothing", f"a number of at least {SMALLEST:g}"
        )
        self._sweeps = check_whole(sweeps, 1, "sweeps")
        self._burn_in = check_whole(burn_in, 0, "burn_in")
        if self._burn_in >= self._sweeps:
            raise InputError(
                say("{burn_in=} leaves none of {sweeps=} to count; keep at least one of them.",
                    burn_in=burn_in, sweeps=sweeps)
            )  # fmt: skip
        self._random_state = check_seed(random_state)
        if self._alpha.ndim != 1 or not (self._alpha > 0).all():
            raise InputError(say("{alpha} must be one number above 0 for each topic."))
        words = {documents.d for documents in self._documents}
        if len(words) != 1:
            raise InputError(
                say(
                    "{counts} must have one matrix for each agent, all over the same words. Got "
                    "matrices of {words} columns instead.",
                    words=" and ".join(map(str, sorted(words))) or "no",
                )
            )
        self._words = words.pop()

    def start(self, random_state: int = 0) -> Array:
        """Statistics for all agents to begin from: alike, so that they mean the same by topic 1.

        The topics are drawn from a Dirichlet distribution of parameter one and weigh as much as
        the documents of an average agent.
        """
        k, agents = len(self._alpha), len(self._documents)
        topics = starting_topics(k, self._words, check_seed(random_state))
        tokens = sum(float(documents.data.sum()) for documents in self._documents)
        return np.tile(topics * (tokens / agents / k), (agents, 1, 1))

    def topics(self, statistics: Array) -> Array:
        """η*(s): the topics that one agent's statistics stand for (k × d)."""
        return topics_of(statistics, self._smoothing)

    def __call__(self, agent: int, statistics: Array, number: int) -> Array:
        """G of this agent for these statistics, in its update of this number."""
        return expected_counts(
            self._documents[agent], self.topics(statistics), self._alpha,
            sweeps=self._sweeps, burn_in=self._burn_in,
            seed=(self._random_state << 32) + number,
        )  # fmt: skip
