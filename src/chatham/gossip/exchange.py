"""Exchanges between neighbours, without sockets, files or clocks: messages in, effects out.

An agent that wakes *calls* the others of an exchange: one neighbour or, under masks, all of them.
One that is called and has nothing else under way writes down that it *promises*, gives its
statistics, and keeps them as they are until it knows how the exchange ended. When all have given,
the caller takes the average by one write, in which the average is its own new statistics and what
it *owes* the others. This write alone decides: before it nothing has happened, after it all.

Whoever has promised and hears nothing asks. The caller returns the average that it owes; or it says
that there never will be one, which needs no write of its own: what isn't written now won't be,
since the numbers of exchanges are drawn anew each time and an open one is in memory only. So at any
moment any process may be killed and any message lost: no exchange is done at one end only, and the
sum of all statistics stays what it is, once those who promised have heard how it ended.

How many updates everybody has made spreads from neighbour to neighbour. An agent that is ahead of
the slowest averages, but doesn't update until that one has caught up: who goes on learning when the
others have ended would pull everybody towards its own documents. One whose updates are done is
*settled* and goes on averaging. When all have, agents say goodbye: that they have promised nothing
and never will again. One that has all its neighbours' goodbyes, and their word that they have its
own, may leave.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from chatham.errors import ProtocolError
from chatham.gossip.graph import Graph

Array = NDArray[np.float64]

NO_EXCHANGE = bytes(32)
COUNT = 4
"""Bytes of a number of updates."""
LARGEST = 1e15
"""Statistics count tokens: nobody has more of them."""
AHEAD = 3.0
"""Updates of an average agent by which one may be ahead of the slowest."""
ROUNDING = 1e-6
"""By how much an average may lie below one's own share of it: fixed point rounds."""


@dataclass(frozen=True)
class Promise:
    """Whose exchange my statistics were given to, and wait for."""

    caller: int
    exchange: bytes


@dataclass(frozen=True, eq=False)
class Owed:
    """The average of an exchange that I called, for one who gave and hasn't said it has it."""

    exchange: bytes
    average: Array


@dataclass(frozen=True, eq=False)
class State:
    """What an agent keeps on its disk. Agents are numbered as in the graph."""

    statistics: Array
    exchanges: int = 0
    updates: int = 0
    due: bool = False
    """Whether the local update that follows the last average is still to come."""
    promise: Promise | None = None
    owed: Mapping[int, Owed] = field(default_factory=dict)
    progress: tuple[int, ...] = ()
    """How many updates everybody is known to have made; nothing is known at first."""
    left: frozenset[int] = frozenset()
    """Neighbours that have said goodbye."""
    finished: bool = False
    """Whether this agent has left itself."""


@dataclass(frozen=True)
class Message:
    """What one agent says to a neighbour, about an exchange if there is one."""

    kind: str
    exchange: bytes = NO_EXCHANGE
    body: bytes = b""


@dataclass(frozen=True)
class Keep:
    """Write the state to the disk; it is there in full, or the one before it is."""

    state: State


@dataclass(frozen=True, eq=False)
class Show:
    """Enter in the ledger that these statistics are about to be shown."""

    exchange: bytes
    to: tuple[int, ...]
    array: Array
    averaged: bool
    """Whether the average, and not what I gave."""


@dataclass(frozen=True)
class Send:
    """Send a message, if there is a link just now."""

    to: int
    message: Message


Effect = Keep | Show | Send


class Sum(Protocol):
    """How what the agents of one exchange give is added up: in the open or under masks."""

    def opening(self) -> bytes | None:
        """The first message about keys; None if there are no keys."""
        ...

    def answer(self, body: bytes) -> bytes | None:
        """Mine, after everybody's last; None when all keys are there."""
        ...

    def collect(self, member: int, body: bytes) -> bytes | None:
        """At the caller: a member's message about keys; everybody's, once all are there."""
        ...

    def given(self, statistics: Array) -> bytes:
        """What leaves of my statistics."""
        ...

    def take(self, member: int, body: bytes) -> bool:
        """At the caller: what a member gave; whether all have."""
        ...

    def has(self, member: int) -> bool:
        """At the caller: whether this member has given."""
        ...

    def average(self, own: Array) -> Array:
        """At the caller: the average of what all gave and of its own."""
        ...


Sums = Callable[[int, tuple[int, ...], bytes], Sum]
"""The sum of an exchange, by its caller, the others, and its number."""


@dataclass(frozen=True)
class Plan:
    """What all agents know of all: who talks to whom, and how long each learns."""

    graph: Graph
    updates: tuple[int, ...]
    """How many updates make each agent settled."""
    paces: tuple[float, ...]
    """How many updates of an average agent one of each takes the place of."""
    everybody: bool
    """Whether an agent calls all its neighbours, under masks, and not one."""

    def settled(self, progress: Sequence[int]) -> frozenset[int]:
        """Who has done all updates."""
        pairs = enumerate(zip(progress, self.updates, strict=True))
        return frozenset(agent for agent, (done, all_) in pairs if done >= all_)

    def slowest(self, progress: Sequence[int]) -> float:
        """The updates of those that have done least, in those of an average agent."""
        return min(done * pace for done, pace in zip(progress, self.paces, strict=True))


@dataclass
class _Call:
    exchange: bytes
    members: tuple[int, ...]
    sum: Sum


@dataclass
class _Joined:
    """An exchange that I was called to, whose keys are being agreed on: nothing is promised yet."""

    caller: int
    exchange: bytes
    sum: Sum


class Exchanges:
    """One agent's side of all its exchanges, one after another.

    Each method returns what must be done, in this order. Killed in between, an agent goes on from
    the last state that was kept.
    """

    def __init__(self, me: int, plan: Plan, state: State, sums: Sums) -> None:
        self.me, self.state, self._plan, self._sums = me, state, plan, sums
        self._graph, self._everybody = plan.graph, plan.everybody
        self.neighbours = plan.graph.neighbours[me]
        self._call: _Call | None = None
        self._joined: _Joined | None = None
        self._last = NO_EXCHANGE
        """The exchange that I was called to last and that is over."""
        self._farewells: set[int] = set()
        self._said_goodbye = False
        known = state.progress or (0,) * plan.graph.n
        mine = tuple(state.updates if each == me else known[each] for each in range(len(known)))
        self.state = replace(state, progress=mine)

    @property
    def settled(self) -> bool:
        """Whether all my updates are done."""
        return self.me in self.all_settled

    @property
    def all_settled(self) -> frozenset[int]:
        """Who is known to have done all updates."""
        return self._plan.settled(self.state.progress)

    @property
    def ending(self) -> bool:
        """Whether everybody has."""
        return len(self.all_settled) == self._graph.n

    @property
    def ahead(self) -> bool:
        """Whether the next update has to wait for somebody slower."""
        mine = self.state.updates * self._plan.paces[self.me]
        return mine > self._plan.slowest(self.state.progress) + AHEAD

    @property
    def idle(self) -> bool:
        """Whether no exchange is under way here, nor the update after one."""
        under_way = self.state.promise, self._call, self._joined
        return not self.state.due and all(each is None for each in under_way)

    @property
    def calling(self) -> bytes | None:
        """The exchange that I have called, if one is open."""
        return None if self._call is None else self._call.exchange

    @property
    def joining(self) -> bytes | None:
        """The exchange that I was called to, if I haven't given to it yet."""
        return None if self._joined is None else self._joined.exchange

    @property
    def finished(self) -> bool:
        """Whether nobody needs me any more, and all neighbours know that."""
        all_left = set(self.neighbours) <= self.state.left
        return self._at_rest and all_left and set(self.neighbours) <= self._farewells

    @property
    def missing(self) -> tuple[int, ...]:
        """The neighbours whose goodbye, or whose word that they have mine, isn't here."""
        there = self.state.left & self._farewells
        return tuple(each for each in self.neighbours if each not in there)

    @property
    def _at_rest(self) -> bool:
        return self.ending and self.idle

    # -- what an agent does by itself

    def partners(self) -> list[tuple[int, ...]]:
        """Whom this agent may call: one neighbour, or all of two or more."""
        if self._everybody:
            return [self.neighbours] if len(self.neighbours) > 1 else []
        return [(each,) for each in self.neighbours]

    def call(self, exchange: bytes, members: tuple[int, ...]) -> list[Effect]:
        """Begin an exchange with these; only when idle, and under a number never used before."""
        assert self.idle
        assert not self.ending
        assert members in self.partners()
        self._call = _Call(exchange, members, self._sums(self.me, members, exchange))
        self._call.sum.opening()
        call = Message("call", exchange)
        return [Send(each, said) for each in members for said in (self._progress_so_far(), call)]

    def give_up(self) -> list[Effect]:
        """End the exchange that I called, as if it had never been."""
        call, self._call = self._call, None
        if call is None:
            return []
        # Who hasn't got so far as to promise forgets it too.
        told: list[Effect] = [Send(each, Message("never", call.exchange)) for each in call.members]
        return told + self._goodbyes()

    def forget(self) -> list[Effect]:
        """Leave an exchange that I was called to and haven't promised anything to."""
        joined, self._joined = self._joined, None
        if joined is None:
            return []
        return [Send(joined.caller, Message("busy", joined.exchange)), *self._goodbyes()]

    def moved(self, statistics: Array) -> list[Effect]:
        """The local update that was due is made."""
        assert self.state.due
        updates = self.state.updates + 1
        self.state = replace(self.state, statistics=statistics, updates=updates, due=False)
        news = self._learn({self.me: updates})
        return [Keep(self.state), *news, *self._goodbyes()]

    def leave(self) -> list[Effect]:
        """This agent ends here."""
        self.state = replace(self.state, finished=True)
        return [Keep(self.state)]

    # -- links that come and go

    def linked(self, peer: int) -> list[Effect]:
        """There is a new link with a neighbour; what was said on the one before may be lost."""
        effects: list[Effect] = [Send(peer, self._progress_so_far())]
        promise = self.state.promise
        if promise is not None and promise.caller == peer:
            effects.append(Send(peer, Message("unsure", promise.exchange)))
        if self._said_goodbye:
            effects.append(Send(peer, Message("goodbye")))
        return effects

    def lost(self, peer: int) -> list[Effect]:
        """The link with a neighbour is gone."""
        if self._joined is not None and self._joined.caller == peer:
            return self.forget()
        call = self._call
        if call is not None and peer in call.members and not call.sum.has(peer):
            return self.give_up()
        return []

    # -- what others say

    def hear(self, peer: int, message: Message) -> list[Effect]:
        """A neighbour's message; a ProtocolError if it breaks the rules, and nothing is changed."""
        hear: Mapping[str, Callable[[int, bytes, bytes], list[Effect]]] = {
            "call": self._called,
            "busy": self._busy,
            "keys": self._keys,
            "give": self._given,
            "average": self._averaged,
            "never": self._never,
            "received": self._received,
            "unsure": self._unsure,
            "progress": self._progress,
            "goodbye": self._goodbye,
            "farewell": self._farewell,
        }
        if message.kind not in hear:
            raise ProtocolError(f"A message of the kind {message.kind} isn't one between agents.")
        return hear[message.kind](peer, message.exchange, message.body)

    def _called(self, peer: int, exchange: bytes, body: bytes) -> list[Effect]:
        if self._everybody and len(self._graph.neighbours[peer]) < 2:
            raise ProtocolError(
                "An agent with one neighbour calls for a masked sum of two, which would show each "
                "the other's statistics."
            )
        self._settle_with(peer)  # who calls has no promise open
        if not self.idle or self.ending:
            return [Send(peer, Message("busy", exchange))]
        members = self._graph.neighbours[peer] if self._everybody else (self.me,)
        joined = _Joined(peer, exchange, self._sums(peer, members, exchange))
        opening = joined.sum.opening()
        if opening is None:
            return self._give(joined)
        self._joined = joined
        return [Send(peer, Message("keys", exchange, opening))]

    def _give(self, joined: _Joined) -> list[Effect]:
        given = joined.sum.given(self.state.statistics)
        self._joined = None
        self.state = replace(self.state, promise=Promise(joined.caller, joined.exchange))
        return [
            Keep(self.state),
            Show(joined.exchange, (joined.caller,), self.state.statistics, averaged=False),
            Send(joined.caller, self._progress_so_far()),
            Send(joined.caller, Message("give", joined.exchange, given)),
        ]

    def _busy(self, peer: int, exchange: bytes, body: bytes) -> list[Effect]:
        return self.give_up() if self._is_mine(peer, exchange) else []

    def _keys(self, peer: int, exchange: bytes, body: bytes) -> list[Effect]:
        joined = self._joined
        if joined is not None and (joined.caller, joined.exchange) == (peer, exchange):
            answer = joined.sum.answer(body)
            if answer is None:
                return self._give(joined)
            return [Send(peer, Message("keys", exchange, answer))]
        if not self._is_mine(peer, exchange):  # of an exchange that is over for me, whoever called
            return [Send(peer, Message(kind, exchange)) for kind in ("never", "busy")]
        assert self._call is not None
        everybodys = self._call.sum.collect(peer, body)
        if everybodys is None:
            return []
        self._call.sum.answer(everybodys)
        members = self._call.members
        return [Send(each, Message("keys", exchange, everybodys)) for each in members]

    def _given(self, peer: int, exchange: bytes, body: bytes) -> list[Effect]:
        if not self._is_mine(peer, exchange):
            return self._unsure(peer, exchange, b"")
        call = self._call
        assert call is not None
        if not call.sum.take(peer, body):
            return []
        average = call.sum.average(self.state.statistics)
        for each in call.members:
            self._settle_with(each)
        owed = {**self.state.owed, **{each: Owed(exchange, average) for each in call.members}}
        self._call, self.state = None, self._with(average, owed=owed)
        return [
            Keep(self.state),
            Show(exchange, call.members, average, averaged=True),
            *(Send(each, Message("average", exchange, as_bytes(average))) for each in call.members),
            *self._goodbyes(),
        ]

    def _averaged(self, peer: int, exchange: bytes, body: bytes) -> list[Effect]:
        promise = self.state.promise
        if promise != Promise(peer, exchange):
            if exchange == self._last:  # I asked, and it was on its way already
                return []
            raise ProtocolError("An average belongs to no exchange that I gave to.")
        average = statistics_in(body, self.state.statistics.shape)
        members = len(self._graph.neighbours[peer]) + 1 if self._everybody else 2
        share = self.state.statistics / members
        if (average < share * (1 - ROUNDING) - ROUNDING).any():
            raise ProtocolError("An average is less than my own share of it.")
        self._last, self.state = exchange, self._with(average, promise=None)
        return [
            Keep(self.state),
            Send(peer, Message("received", exchange)),
            *self._goodbyes(),
        ]

    def _never(self, peer: int, exchange: bytes, body: bytes) -> list[Effect]:
        joined = self._joined
        if joined is not None and (joined.caller, joined.exchange) == (peer, exchange):
            self._last = exchange
            return self.forget()
        if self.state.promise != Promise(peer, exchange):
            return []
        self._last, self.state = exchange, replace(self.state, promise=None)
        return [Keep(self.state), *self._goodbyes()]

    def _received(self, peer: int, exchange: bytes, body: bytes) -> list[Effect]:
        owed = self.state.owed.get(peer)
        if owed is not None and owed.exchange == exchange:
            self._settle_with(peer)
        return []

    def _unsure(self, peer: int, exchange: bytes, body: bytes) -> list[Effect]:
        """A neighbour that promised asks how it ended."""
        owed = self.state.owed.get(peer)
        if owed is not None and owed.exchange == exchange:
            return [
                Show(exchange, (peer,), owed.average, averaged=True),
                Send(peer, Message("average", exchange, as_bytes(owed.average))),
            ]
        if self._is_mine(peer, exchange):
            return []  # what it gave is here: else this call had ended with the link
        return [Send(peer, Message("never", exchange))]

    def _progress(self, peer: int, exchange: bytes, body: bytes) -> list[Effect]:
        n = self._graph.n
        if len(body) != COUNT * n:
            raise ProtocolError(f"A list of updates isn't one of {n} agents.")
        counts = np.frombuffer(body, "<u4").tolist()
        return [*self._learn(dict(enumerate(counts))), *self._goodbyes()]

    def _goodbye(self, peer: int, exchange: bytes, body: bytes) -> list[Effect]:
        if not self.settled:
            raise ProtocolError("A neighbour says that all have settled, and I haven't.")
        self._settle_with(peer)
        news = self._learn(dict(enumerate(self._plan.updates)))
        farewell = Send(peer, Message("farewell"))
        if peer in self.state.left:
            return [farewell]
        self.state = replace(self.state, left=self.state.left | {peer})
        return [Keep(self.state), farewell, *news, *self._goodbyes()]

    def _farewell(self, peer: int, exchange: bytes, body: bytes) -> list[Effect]:
        if not self._said_goodbye:
            raise ProtocolError("A neighbour answers a goodbye that I haven't said.")
        self._farewells.add(peer)
        return []

    # -- what all this has in common

    def _is_mine(self, peer: int, exchange: bytes) -> bool:
        call = self._call
        return call is not None and call.exchange == exchange and peer in call.members

    def _with(self, average: Array, **more: Any) -> State:
        """After an exchange: the average, and an update to come unless all are done."""
        due, exchanges = not (self.settled or self.ahead), self.state.exchanges + 1
        return replace(self.state, statistics=average, exchanges=exchanges, due=due, **more)

    def _settle_with(self, peer: int) -> None:
        """This neighbour has what I owed it. It is kept with the next state: until then it would
        only be offered once more to somebody who doesn't ask."""
        if peer in self.state.owed:
            owed = {each: owed for each, owed in self.state.owed.items() if each != peer}
            self.state = replace(self.state, owed=owed)

    def _learn(self, counts: Mapping[int, int]) -> list[Effect]:
        """How far others are; of myself I know better. What matters to somebody is passed on: who
        has settled, and that the slowest have gone on."""
        before, known = self.state.progress, list(self.state.progress)
        for agent, count in counts.items():
            known[agent] = max(known[agent], count)
        known[self.me] = self.state.updates
        self.state = replace(self.state, progress=tuple(known))
        old, new = (self._plan.settled(each) for each in (before, self.state.progress))
        went_on = int(self._plan.slowest(before)) < int(self._plan.slowest(self.state.progress))
        if old == new and not went_on:
            return []
        return [Send(each, self._progress_so_far()) for each in self.neighbours]

    def _progress_so_far(self) -> Message:
        counts = np.array(self.state.progress, dtype="<u4")
        return Message("progress", body=counts.tobytes())

    def _goodbyes(self) -> list[Effect]:
        """As soon as all have settled and nothing is under way here: never again."""
        if self._said_goodbye or not self._at_rest:
            return []
        self._said_goodbye = True
        return [Send(each, Message("goodbye")) for each in self.neighbours]


class InTheOpen:
    """Statistics as they are, from each to the caller."""

    def __init__(self, caller: int, members: tuple[int, ...], shape: tuple[int, ...]) -> None:
        self._members, self._shape = members, shape
        self._taken: dict[int, Array] = {}

    def opening(self) -> bytes | None:
        """There are no keys."""
        return None

    def answer(self, body: bytes) -> bytes | None:
        """There are no keys."""
        raise ProtocolError("Keys came for an exchange in the open.")

    def collect(self, member: int, body: bytes) -> bytes | None:
        """There are no keys."""
        raise ProtocolError("Keys came for an exchange in the open.")

    def given(self, statistics: Array) -> bytes:
        """The statistics."""
        return as_bytes(statistics)

    def take(self, member: int, body: bytes) -> bool:
        """Check and keep what a member gave."""
        if member in self._taken:
            raise ProtocolError("Statistics came twice for one exchange.")
        self._taken[member] = statistics_in(body, self._shape)
        return len(self._taken) == len(self._members)

    def has(self, member: int) -> bool:
        """Whether it has given."""
        return member in self._taken

    def average(self, own: Array) -> Array:
        """The mean of all."""
        return np.mean([own, *(self._taken[each] for each in self._members)], axis=0)


def as_bytes(statistics: Array) -> bytes:
    """Statistics as they travel."""
    return np.ascontiguousarray(statistics, dtype="<f8").tobytes()


def statistics_in(body: bytes, shape: tuple[int, ...]) -> Array:
    """The statistics in a message; refused unless they could be expected counts."""
    if len(body) != 8 * int(np.prod(shape)):
        raise ProtocolError(
            f"Statistics of {len(body):,} bytes came, and those of "
            f"{' × '.join(f'{n:,}' for n in shape)} have {8 * int(np.prod(shape)):,}."
        )
    array = np.frombuffer(body, "<f8").astype(np.float64).reshape(shape)
    if not ((array >= 0) & (array <= LARGEST)).all():  # NaN is neither
        raise ProtocolError("Statistics came that can't be expected counts: negative or no numbers")
    return array
