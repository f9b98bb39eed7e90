"""Which agents average next, how fast that mixes, and how active each agent is.

Averaging of the pair (i, j) multiplies the agents' statistics by W = I − ½(e_i − e_j)(e_i − e_j)ᵀ
(Colin and Dupuy, section 3), that of a larger group by a matrix of the same kind: a projection. So
the squared distance from the average, over all agents, has E‖Wy‖² = yᵀE[W]y ≤ λ₂‖y‖²: one exchange
leaves at most the share λ₂, the second largest eigenvalue of E[W], and t exchanges λ₂ᵗ. Boyd,
Ghosh, Prabhakar and Shah (2006) is where gossip is studied in this way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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

Step = Callable[[float], float]
"""ρ at a time, counted in updates of an average agent."""

FEW = 1e-3
"""What is left of the disagreement where `str` says how long that takes."""


@dataclass(frozen=True, eq=False)
class Schedule:
    """Exchanges drawn independently, each group of agents with its own probability."""

    graph: Graph
    groups: Sequence[Sequence[int]]
    """The agents that may average together: the pairs of edges, or larger groups."""
    probabilities: Array
    """Of each group."""
    kind: str

    @cached_property
    def activity(self) -> Array:
        """p_k: the probability that agent k takes part in an exchange."""
        activity = np.zeros(self.graph.n)
        for group, probability in zip(self.groups, self.probabilities, strict=True):
            activity[list(group)] += probability
        return activity

    @cached_property
    def corrections(self) -> Array:
        """p̄/p_k: what Remark 1 multiplies agent k's steps by, so that all agents count alike.

        An agent that is active twice as often as another would otherwise pull the common
        statistics twice as hard towards its own documents.
        """
        return self.activity.mean() / self.activity

    @cached_property
    def averaging(self) -> Array:
        """E[W], where a group's W has 1/m in the rows and columns of its m agents.

        For pairs that is I − ½ Σ P_ij (e_i − e_j)(e_i − e_j)ᵀ.
        """
        mean = np.diag(1 - self.activity)
        for group, probability in zip(self.groups, self.probabilities, strict=True):
            mean[np.ix_(group, group)] += probability / len(group)
        return mean

    @cached_property
    def second_eigenvalue(self) -> float:
        """λ₂ of E[W]."""
        # The largest, 1, belongs to the vector of ones: taken off, so that λ₂ is the largest.
        rest = self.averaging - 1 / self.graph.n
        return max(float(np.linalg.eigvalsh(rest)[-1]), 0.0)

    def exchanges(self, share: float) -> int:
        """The least t with λ₂ᵗ ≤ share²: then agents are, in mean square, at most `share` as far
        from their average as they were, wherever they began and if nobody updates meanwhile."""
        if not 0 < share < 1:
            raise InputError(say("{share=} must lie between 0 and 1.", share=share))
        if self.second_eigenvalue < share**2:
            return 1
        return math.ceil(2 * math.log(share) / math.log(self.second_eigenvalue))

    def draw(self, seed: int, first: int, last: int) -> Numbers:
        """The groups of exchanges first … last − 1: each follows from the seed and its number."""
        (key,) = np.random.SeedSequence(seed).generate_state(1, np.uint64)
        numbers = np.arange(first, last, dtype=np.uint64)
        drawn = uniforms(key + GOLDEN * numbers, 1)[:, 0]
        shares = np.cumsum(self.probabilities)
        return np.searchsorted(shares / shares[-1], drawn, side="right")

    def __str__(self) -> str:
        least = self.exchanges(FEW)
        return (
            f"{self.graph}, {self.kind}: λ₂ = {self.second_eigenvalue:.6f}, so that a thousandth "
            f"of the disagreement is left after {plural(least, 'exchange')} at most (root of the "
            f"mean square), {least * self.activity.mean():,.0f} for each agent"
        )


def share_of(step: Step, update: int, pace: float, correction: float) -> float:
    """How far an agent moves in its n-th update: ρ of what that time is for an average agent,
    n·`pace`, times the correction, at most 1."""
    return min(step(update * pace) * correction, 1.0)


def uniform_edges(graph: Graph) -> Schedule:
    """Each exchange is over an edge, all equally likely: the source's Algorithm 1. p_k = d_k/|E|.

    E[W] is I − L/(2|E|), and so λ₂ = 1 − μ₂/(2|E|), with L the graph's Laplacian and μ₂ the second
    smallest of its eigenvalues.
    """
    pairs, even = graph.edges.tolist(), np.full(len(graph.edges), 1 / len(graph.edges))
    return Schedule(graph, pairs, even, "uniform edges")


def waking_nodes(graph: Graph) -> Schedule:
    """An agent wakes, all equally likely, and chooses one of its neighbours: what agents can do.

    The pair (i, j) then has probability (1/d_i + 1/d_j)/n, and p_k = (1 + Σ_{j∼k} 1/d_j)/n.
    """
    first, second = graph.edges.T
    inverse = 1 / graph.degrees
    probabilities = (inverse[first] + inverse[second]) / graph.n
    return Schedule(graph, graph.edges.tolist(), probabilities, "waking nodes")


def waking_neighbourhoods(graph: Graph) -> Schedule:
    """An agent with at least two neighbours wakes, and averages with all of them at once.

    In a masked sum over such a group nobody sees another's statistics: three or more are in it, and
    each learns the total alone. Neighbourhoods overlap, though, and statistics change by little
    between two exchanges, so whoever is in two of them, or compares notes with somebody who is, can
    subtract the totals.
    """
    centres = np.flatnonzero(graph.degrees >= 2).tolist()
    if not centres:
        raise InputError(
            "No agent has two neighbours, so a sum would show each of the two the other's "
            "statistics; add an agent, or let them average in pairs."
        )
    groups = [sorted((centre, *graph.neighbours[centre])) for centre in centres]
    return Schedule(graph, groups, np.full(len(groups), 1 / len(groups)), "waking neighbourhoods")
