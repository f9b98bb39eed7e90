"""Agents, disks and links in one process, in which anything may be lost and anybody killed."""

from collections import deque
from functools import partial

import numpy as np

from chatham.commons.secure.keys import Identity
from chatham.gossip.exchange import Exchanges, InTheOpen, Keep, Plan, Send, Show, State
from chatham.gossip.masked import UnderMasks

SHAPE = (2, 3)
BITS = 30


class World:
    """Every agent's disk outlives it; a link is first in, first out, and loses what is on its way
    when it breaks."""

    def __init__(self, graph, *, updates=2, private=False, seed=0):
        self.graph, self.private = graph, private
        n = graph.n
        self.plan = Plan(graph, (updates,) * n, (1.0,) * n, everybody=private)
        self.identities = [Identity.new() for _ in range(graph.n)] if private else []
        start = np.random.default_rng(seed).random((graph.n, *SHAPE)) * 100
        self.disks = [State(each) for each in start]
        self.total = start.sum(axis=0)
        self.shown = [[] for _ in range(graph.n)]
        self.queues, self.numbers = {}, 0
        self.agents = [None] * graph.n
        self.left = set()
        for agent in range(graph.n):
            self.restart(agent)
        self.heal()

    def sum_of(self, me, caller, members, exchange):
        if not self.private:
            return InTheOpen(caller, members, SHAPE)
        group = sorted({caller, *members})
        keys = [self.identities[each].public for each in group]
        return UnderMasks(self.identities[me], me, group, keys, exchange, SHAPE, BITS)

    # -- what may happen

    def restart(self, agent):
        self.agents[agent] = Exchanges(
            agent, self.plan, self.disks[agent], partial(self.sum_of, agent)
        )  # fmt: skip

    def connect(self, i, j):
        if (i, j) in self.queues or self.left & {i, j} or None in (self.agents[i], self.agents[j]):
            return
        self.queues[i, j], self.queues[j, i] = deque(), deque()
        for one, other in ((i, j), (j, i)):
            self.do(one, self.agents[one].linked(other))

    def cut(self, i, j):
        if self.queues.pop((i, j), None) is None:
            return
        del self.queues[j, i]
        for one, other in ((i, j), (j, i)):
            if self.agents[one] is not None:
                self.do(one, self.agents[one].lost(other))

    def kill(self, agent):
        self.agents[agent] = None
        for other in self.graph.neighbours[agent]:
            self.cut(agent, other)

    def do(self, agent, effects, until=None):
        """Carry effects out; killed before the one of that number."""
        for number, effect in enumerate(effects):
            if number == until:
                break
            if isinstance(effect, Keep):
                self.disks[agent] = effect.state
            elif isinstance(effect, Show):
                self.shown[agent].append(effect)
            elif isinstance(effect, Send) and (agent, effect.to) in self.queues:
                if effect.message.kind in ("give", "average"):  # nothing leaves unsaid
                    said = self.shown[agent][-1]
                    assert (said.exchange, effect.to in said.to) == (effect.message.exchange, True)
                self.queues[agent, effect.to].append(effect.message)
        if until is not None:
            self.kill(agent)

    def deliver(self, sender, receiver, until=None):
        message = self.queues[sender, receiver].popleft()
        self.do(receiver, self.agents[receiver].hear(sender, message), until)

    def until(self, sender, receiver, kind):
        """Deliver what comes before the next message of this kind."""
        while self.queues[sender, receiver][0].kind != kind:
            self.deliver(sender, receiver)

    def wake(self, agent, choice=0, until=None):
        mind = self.agents[agent]
        there = [m for m in mind.partners() if all((agent, each) in self.queues for each in m)]
        if mind.idle and not mind.ending and there:
            self.numbers += 1
            exchange = self.numbers.to_bytes(32, "big")
            self.do(agent, mind.call(exchange, there[choice % len(there)]), until)

    def update(self, agent, until=None):
        """A local update; one that changes nothing, so that the sum shows what is lost."""
        mind = self.agents[agent]
        if mind.state.due:
            self.do(agent, mind.moved(mind.state.statistics), until)

    # -- what must hold

    @property
    def sum(self):
        """What all disks hold, where those who promised are counted by what they are owed."""
        total = np.zeros(SHAPE)
        for agent, disk in enumerate(self.disks):
            mine, promise = disk.statistics, disk.promise
            if promise is not None:
                owed = self.disks[promise.caller].owed.get(agent)
                if owed is not None and owed.exchange == promise.exchange:
                    mine = owed.average
            total += mine
        return total

    def check(self):
        np.testing.assert_allclose(
            self.sum, self.total, rtol=0, atol=1e-6 if self.private else 1e-9
        )

    def heal(self):
        """Everybody is back, and all that is on its way arrives."""
        for agent in range(self.graph.n):
            if self.agents[agent] is None and agent not in self.left:
                self.restart(agent)
        for i, j in self.graph.edges.tolist():
            self.connect(i, j)
        while waiting := [pair for pair, queue in self.queues.items() if queue]:
            self.deliver(*waiting[0])
            self.check()

    def finish(self, rng):
        """Until all have left."""
        for _ in range(500):
            for agent in rng.sample(range(self.graph.n), self.graph.n):
                self.heal()
                if agent in self.left:
                    continue
                self.update(agent)
                self.wake(agent, rng.randrange(8))
                if self.agents[agent].finished:
                    self.do(agent, self.agents[agent].leave())
                    self.left.add(agent)
                    self.kill(agent)
            if len(self.left) == self.graph.n:
                return
        raise AssertionError("somebody never leaves")


def random_life(world, rng, events):
    """So many events of all kinds; after each, what must hold is checked."""
    for _ in range(events):
        alive = [agent for agent in range(world.graph.n) if world.agents[agent] is not None]
        dead = [agent for agent in range(world.graph.n) if world.agents[agent] is None]
        until = rng.choice([None] * 12 + [0, 1, 2, 3])
        kind = rng.choice(["deliver"] * 12 + ["wake"] * 4 + ["update"] * 4 + ["cut", "connect"] * 2)
        waiting = [pair for pair, queue in world.queues.items() if queue]
        i, j = rng.choice(world.graph.edges.tolist())
        if dead and rng.random() < 0.2:
            world.restart(rng.choice(dead))
        elif kind == "deliver" and waiting:
            world.deliver(*rng.choice(waiting), until=until)
        elif kind == "wake" and alive:
            world.wake(rng.choice(alive), rng.randrange(8), until)
        elif kind == "update" and alive:
            world.update(rng.choice(alive), until)
        elif kind == "cut":
            world.cut(i, j)
        else:
            world.connect(i, j)
        world.check()
