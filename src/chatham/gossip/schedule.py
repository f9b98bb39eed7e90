"""Which two agents average next, how fast that mixes, and how active each agent is.

Averaging with the pair (i, j) multiplies the agents' statistics by W = I − ½(e_i − e_j)(e_i − e_j)ᵀ
(Colin and Dupuy, section 3), a projection. So the squared distance from the average, over all
agents, has E‖Wy‖² = yᵀE[W]y ≤ λ₂‖y‖²: one pairing leaves at most the share λ₂, the second largest
eigenvalue of E[W], and t pairings λ₂ᵗ. Boyd, Ghosh, Prabhakar and Shah (2006) is where gossip is
studied in this way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.gossip.graph import Graph
from chatham.naming import plural
from chatham.numerics.keyed import GOLDEN, uniforms
from chatham.wording import say

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

FEW = 1e-3
"""What is left of the disagreement where `str` says how long that takes."""


@dataclass(frozen=True, eq=False)
class Schedule:
    """Pairings drawn independently, each edge with its own probability."""

    graph: Graph
    probabilities: Array
    """Of each edge, in the order of the graph's."""
    kind: str

    @cached_property
    def activity(self) -> Array:
        """p_k: the probability that agent k is one of a pairing's two. They sum to 2."""
        activity = np.zeros(self.graph.n)
        np.add.at(activity, self.graph.edges, self.probabilities[:, None])
        return activity

    @cached_property
    def corrections(self) -> Array:
        """p̄/p_k: what Remark 1 multiplies agent k's steps by, so that all agents count alike.

        An agent that is active twice as often as another would otherwise pull the common
        statistics twice as hard towards its own documents.
        """
        return 2 / (self.graph.n * self.activity)

    @cached_property
    def averaging(self) -> Array:
        """E[W] = I − ½ Σ P_ij (e_i − e_j)(e_i − e_j)ᵀ over edges."""
        return np.eye(self.graph.n) - 0.5 * self.graph.laplacian(self.probabilities)

    @cached_property
    def second_eigenvalue(self) -> float:
        """λ₂ of E[W]; for uniform edges 1 − μ₂/(2|E|), μ₂ the graph's algebraic connectivity."""
        # The largest, 1, belongs to the vector of ones: taken off, so that λ₂ is the largest.
        rest = self.averaging - 1 / self.graph.n
        return max(float(np.linalg.eigvalsh(rest)[-1]), 0.0)

    def pairings(self, share: float) -> int:
        """The least t with λ₂ᵗ ≤ share²: then agents are, in mean square, at most `share` as far
        from their average as they were, wherever they began and if nobody updates meanwhile."""
        if not 0 < share < 1:
            raise InputError(say("{share=} must lie between 0 and 1.", share=share))
        if self.second_eigenvalue < share**2:
            return 1
        return math.ceil(2 * math.log(share) / math.log(self.second_eigenvalue))

    def draw(self, seed: int, first: int, last: int) -> Numbers:
        """The edges of the pairings first … last − 1: each follows from the seed and its number."""
        (key,) = np.random.SeedSequence(seed).generate_state(1, np.uint64)
        numbers = np.arange(first, last, dtype=np.uint64)
        drawn = uniforms(key + GOLDEN * numbers, 1)[:, 0]
        shares = np.cumsum(self.probabilities)
        return np.searchsorted(shares / shares[-1], drawn, side="right")

    def __str__(self) -> str:
        least = self.pairings(FEW)
        return (
            f"{self.graph}, {self.kind}: λ₂ = {self.second_eigenvalue:.6f}, so that a thousandth "
            f"of the disagreement is left after {plural(least, 'pairing')} at most (root of the "
            f"mean square), {2 * least / self.graph.n:,.0f} for each agent"
        )


def uniform_edges(graph: Graph) -> Schedule:
    """Each pairing is an edge, all equally likely: the source's Algorithm 1. p_k = d_k/|E|."""
    return Schedule(graph, np.full(len(graph.edges), 1 / len(graph.edges)), "uniform edges")


def waking_nodes(graph: Graph) -> Schedule:
    """An agent wakes, all equally likely, and chooses one of its neighbours: what agents can do.

    The pair (i, j) then has probability (1/d_i + 1/d_j)/n, and p_k = (1 + Σ_{j∼k} 1/d_j)/n.
    """
    first, second = graph.edges.T
    inverse = 1 / graph.degrees
    return Schedule(graph, (inverse[first] + inverse[second]) / graph.n, "waking nodes")
