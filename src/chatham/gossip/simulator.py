"""Gossip in one process: agents average, mostly in pairs, and update with their own data.

Synchronous, Algorithm 1 of Colin and Dupuy (2016): one pair averages, then every agent updates.
Asynchronous: only those that averaged update. The local update is eq. 2,

    s_k ← (1 − ρ) s_k + ρ G_k(s_k),

and what G_k is, an agent's data decide: a constant, or the expected counts of its documents under
the topics that s_k stands for (`agent`). Without any, agents average and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.gossip.checks import as_numbers, check_number, check_whole
from chatham.gossip.schedule import Schedule, Step, share_of
from chatham.wording import say

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

Local = Callable[[int, Array, int], Any]
"""G of agent k for statistics s in its n-th update, from 1: `local(k, s, n)`, of s's shape."""


class Simulation:
    """Agents on a graph, from where they begin to any number of exchanges.

    Agents have no common clock, so each takes its time from its own updates: after c of them an
    agent that is active with probability p_k takes the time to be c·p̄/p_k, which is what an
    average agent has done by then. Its step is ρ of that time, times `corrections` (p̄/p_k by
    default: Remark 1; ones for none), at most 1. Where all update together, all have p_k = 1.

    >>> from chatham.gossip import complete, uniform_edges
    >>> three = Simulation(uniform_edges(complete(3)), np.array([0.0, 0.0, 3.0]))
    >>> three.run(100).statistics.round(6).tolist()
    [1.0, 1.0, 1.0]
    """

    def __init__(
        self,
        schedule: Schedule,
        statistics: Any,
        local: Local | None = None,
        step: Step | None = None,
        *,
        synchronous: bool = False,
        corrections: Any = None,
        random_state: int = 0,
    ) -> None:
        """`statistics` has a first axis of one for each agent: where they begin."""
        if not isinstance(schedule, Schedule):
            raise InputError(
                say("{schedule} must be a Schedule, such as waking_nodes(ring(5)); got a {kind}.",
                    kind=type(schedule).__name__)
            )  # fmt: skip
        n = schedule.graph.n
        self.schedule, self.synchronous = schedule, bool(synchronous)
        self.random_state = check_whole(random_state, 0, "random_state")
        self.statistics = as_numbers(statistics, "statistics")
        if self.statistics.ndim < 1 or len(self.statistics) != n:
            raise InputError(
                say(
                    "{statistics} must have one row for each of the {n} agents. Got an array of "
                    "shape {shape} instead.",
                    n=n,
                    shape=self.statistics.shape,
                )
            )
        if (local is None) != (step is None):
            raise InputError(
                say("{local} and {step} belong together: give both, or neither to average alone.")
            )
        self._local, self._step = local, step
        self._pace = np.ones(n) if synchronous else schedule.corrections
        factors = as_numbers(self._pace if corrections is None else corrections, "corrections")
        if factors.shape not in ((), (n,)) or (factors < 0).any():
            raise InputError(
                say("{corrections} must be one number of at least 0 for each of the {n} agents, or "
                    "one for all.", n=n)
            )  # fmt: skip
        self._corrections = np.broadcast_to(factors, (n,))
        self.exchanges = 0
        self.updates: Numbers = np.zeros(n, dtype=np.int64)
        """How often each agent has updated."""

    def run(self, exchanges: int) -> Simulation:
        """So many more exchanges."""
        check_whole(exchanges, 0, "exchanges")
        first = self.exchanges
        everybody = range(len(self.statistics))
        for number in self.schedule.draw(self.random_state, first, first + exchanges).tolist():
            group = self.schedule.groups[number]
            self.statistics[group] = self.statistics[group].mean(axis=0)
            if self._local is not None and self._step is not None:
                for agent in everybody if self.synchronous else group:
                    self._move(agent, self._local, self._step)
            self.exchanges += 1
        return self

    @property
    def average(self) -> Array:
        """s̄, the mean over agents."""
        return self.statistics.mean(axis=0)

    @property
    def disagreement(self) -> float:
        """‖S − s̄‖², summed over agents."""
        return float(np.square(self.statistics - self.average).sum())

    def _move(self, agent: int, local: Local, step: Step) -> None:
        """One step of an agent towards what its own data say (eq. 2)."""
        self.updates[agent] += 1
        number = int(self.updates[agent])
        pace, correction = float(self._pace[agent]), float(self._corrections[agent])
        share = share_of(step, number, pace, correction)
        check_number(share, 0, 1, "step", "a function whose values are at least 0")
        mine = self.statistics[agent]
        found = as_numbers(local(agent, mine, number), "local")
        if found.shape not in ((), mine.shape):
            raise InputError(
                say("{local} must return an array like the statistics, of shape {shape}; got one "
                    "of shape {other}.", shape=mine.shape, other=found.shape)
            )  # fmt: skip
        self.statistics[agent] = mine + share * (found - mine)
