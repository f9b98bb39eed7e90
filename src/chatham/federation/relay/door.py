"""Who is let in at the relay, and for how long: limits in number and time that hold before TLS.

A relay stands in the open, and a process can have only so many connections: whoever opens that many
and says nothing would keep the parties out. So there are two kinds of connections. *Known* is one
over which a party's signed message has come: one for each party of each session, the latest. All
others are *strangers'*, from the moment they are accepted: there are only so many of them, in all
and from one address, and each has only so long to become known. Where there are too many, the
oldest goes. A stranger who says nothing costs a socket: TLS begins when its first record is whole.
From then on it costs half a megabyte, so there are fewer of those who have come that far.

Behind a proxy all come from the proxy's address, so there the limit for an address is off: the
proxy knows the addresses, and must have the limit itself.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import ipaddress
import socket
import ssl
import struct
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

PATIENCE = 10.0
"""Seconds in which a stranger must become known: TLS, HTTP's head and a party's signed header."""
PARTING = 5.0
"""Seconds that a TLS connection has to say goodbye."""
MOST_STRANGERS = 2048
"""Strangers' connections at a time."""
MOST_ENTERED = 256
"""Those of them for whom TLS or HTTP has begun."""
SHARE = 2
"""One address may have one in so many of either."""
SWEPT = 64
"""After so many, memory is freed of those who have left: asyncio's TLS refers to itself, and Python
looks for such things far too rarely."""
RECORD, HANDSHAKE, LONGEST_RECORD = 5, 22, 2**14
"""Bytes before a TLS record, the kind of the first one, and the most bytes in it."""
KEPT_FREE, FILES = 64, 4
"""How many files the relay needs for itself, and for each party: its connection, its contribution,
the total that it is shown, and one that ends just now."""
AT_ONCE = 16
"""Connections that are accepted in one go; then those who are in get their turn."""
RETRY = 0.05
"""Seconds until accepting is tried again after it failed."""
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
"""Reasons why no more connections can be accepted just now."""
RECOGNISE = "recognise"
"""What a request's state calls the function that says whose message came over a connection."""
_NO_GOODBYE = struct.pack("ii", 1, 0)

NewHttp = Callable[["Visitor"], AutoHTTPProtocol]  # type: ignore[valid-type]


class Http(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """uvicorn's HTTP protocol; it says when a connection has ended."""

    def __init__(self, gone: Callable[[], None], **given: Any) -> None:
        super().__init__(**given)
        self._gone = gone

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended."""
        super().connection_lost(exc)
        self._gone()


class Visitor:
    """A connection, from the moment it is accepted."""

    def __init__(self, line: socket.socket, origin: Hashable) -> None:
        self.line, self.origin = line, origin
        self.since = 0.0
        """When it became a stranger's."""
        self.entering: asyncio.Task[None] | None = None
        """What waits for the end of TLS's handshake."""
        self.http: Any = None
        self.known_as: set[Hashable] = set()
        self.has_begun = False
        """Whether asyncio has the socket, and closes it."""
        self.needed = 1
        """Bytes that must have come before it can enter."""


class _Crowd:
    """Visitors in the order in which they came: only so many, in all and from one address."""

    def __init__(self, most: int, most_from_one: int | None) -> None:
        self._most, self._most_from_one = most, most_from_one
        self._all: dict[Visitor, None] = {}
        self._by_origin: dict[Hashable, dict[Visitor, None]] = {}

    def __iter__(self) -> Iterator[Visitor]:
        return iter(list(self._all))

    @property
    def first(self) -> Visitor | None:
        """Who came first."""
        return next(iter(self._all), None)

    def add(self, visitor: Visitor) -> Visitor | None:
        """One more; who has to go for it."""
        self._all[visitor] = None
        alike = self._by_origin.setdefault(visitor.origin, {})
        alike[visitor] = None
        if self._most_from_one is not None and len(alike) > self._most_from_one:
            return next(iter(alike))
        return self.first if len(self._all) > self._most else None

    def remove(self, visitor: Visitor) -> None:
        """One less, if it was there."""
        self._all.pop(visitor, None)
        alike = self._by_origin.get(visitor.origin, {})
        alike.pop(visitor, None)
        if not alike:
            self._by_origin.pop(visitor.origin, None)


class Door:
    """Accepts connections, and keeps strangers from taking the parties' place.

    `new_http` makes the protocol for a visitor that has come through; it tells `gone` of its end,
    and `recognise` whose message has come over it. For a uvicorn server it is one of its `servers`.
    """

    def __init__(
        self,
        listening: socket.socket,
        new_http: NewHttp,
        tls: ssl.SSLContext | None = None,
        most: int = MOST_STRANGERS,
        by_address: bool = True,
    ) -> None:
        self._listening, self._new_http, self._tls = listening, new_http, tls
        self._strangers, self._entered = (
            _Crowd(number, max(number // SHARE, 1) if by_address else None)
            for number in (most, min(most, MOST_ENTERED))
        )
        self._known: dict[Hashable, Visitor] = {}
        self._clock: asyncio.TimerHandle | None = None
        self._begun = 0

    def open(self) -> None:
        """Accept connections from now on."""
        self._loop = asyncio.get_running_loop()
        self._listening.setblocking(False)
        self._accepting = self._loop.create_task(self._accept())

    def close(self) -> None:
        """Accept nobody any more; whoever hasn't come through is sent away."""
        self._accepting.cancel()
        for visitor in self._strangers:
            if visitor.http is None:
                self._drop(visitor)

    async def wait_closed(self) -> None:
        """Wait until it is closed."""
        with suppress(asyncio.CancelledError):
            await self._accepting

    def recognise(self, visitor: Visitor, party: Hashable) -> None:
        """A party's signed message came over this connection; an earlier one is a stranger's."""
        earlier = self._known.get(party)
        if earlier is visitor or visitor.line.fileno() < 0:
            return
        self._known[party] = visitor
        visitor.known_as.add(party)
        self._remove(visitor)
        if earlier is not None:
            earlier.known_as.discard(party)
            if not earlier.known_as:
                self._add(earlier)

    def gone(self, visitor: Visitor) -> None:
        """A connection has ended."""
        self._remove(visitor)
        for party in visitor.known_as:
            del self._known[party]
        visitor.known_as.clear()

    # -- strangers

    def _add(self, visitor: Visitor) -> None:
        visitor.since = self._loop.time()
        if too_many := self._strangers.add(visitor):
            self._drop(too_many)
        if visitor.http is not None:
            self._add_entered(visitor)
        if self._clock is None:
            self._check_later()

    def _add_entered(self, visitor: Visitor) -> None:
        if too_many := self._entered.add(visitor):
            self._drop(too_many)

    def _remove(self, visitor: Visitor) -> None:
        self._strangers.remove(visitor)
        self._entered.remove(visitor)

    def _check_later(self) -> None:
        """One timer for all: they are in the order in which their time is up."""
        self._clock = None
        if first := self._strangers.first:
            self._clock = self._loop.call_at(first.since + PATIENCE, self._check)

    def _check(self) -> None:
        now = self._loop.time()
        while (first := self._strangers.first) and first.since + PATIENCE <= now:
            self._drop(first)
        self._check_later()

    def _drop(self, visitor: Visitor) -> None:
        """End a connection at once: nothing of it stays behind, not even in the kernel."""
        self._remove(visitor)
        with suppress(OSError):
            visitor.line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_GOODBYE)
        if visitor.http is not None:
            visitor.http.transport.abort()
        elif visitor.entering is not None:
            visitor.entering.cancel()
        else:
            with suppress(NotImplementedError):
                self._loop.remove_reader(visitor.line)
        if not visitor.has_begun:
            visitor.line.close()

    # -- the way in

    async def _accept(self) -> None:
        accepted = 0
        while True:
            try:
                line, address = await self._loop.sock_accept(self._listening)
            except OSError as error:  # it has ended already, or there is no room for another
                if error.errno in EXHAUSTED and (first := self._strangers.first):
                    self._drop(first)
                await asyncio.sleep(RETRY)
                continue
            self._let_in(Visitor(line, origin_of(address)))
            accepted += 1
            if accepted % AT_ONCE == 0:
                await asyncio.sleep(0)

    def _let_in(self, visitor: Visitor) -> None:
        self._add(visitor)
        try:
            self._loop.add_reader(visitor.line, self._heard, visitor)
        except NotImplementedError:  # where a loop can't tell, TLS waits for the first byte itself
            self._begin(visitor)

    def _heard(self, visitor: Visitor) -> None:
        """As many bytes have come as were needed, or the end."""
        try:
            came = visitor.line.recv(visitor.needed, socket.MSG_PEEK)
            if len(came) < visitor.needed:
                self._drop(visitor)
                return
            needed = _needed(came) if self._tls else visitor.needed
            visitor.line.setsockopt(
                socket.SOL_SOCKET, socket.SO_RCVLOWAT, needed if needed > len(came) else 1
            )
        except OSError:
            self._drop(visitor)
            return
        if needed > len(came):
            visitor.needed = needed
        else:
            self._loop.remove_reader(visitor.line)
            self._begin(visitor)

    def _begin(self, visitor: Visitor) -> None:
        visitor.entering = self._loop.create_task(self._enter(visitor))
        self._add_entered(visitor)
        self._begun += 1
        if self._begun % SWEPT == 0:
            self._loop.call_soon(gc.collect)

    async def _enter(self, visitor: Visitor) -> None:
        visitor.has_begun = True
        limits = {"ssl_handshake_timeout": PATIENCE, "ssl_shutdown_timeout": PARTING}
        try:
            _, visitor.http = await self._loop.connect_accepted_socket(
                partial(self._new_http, visitor),
                visitor.line,
                ssl=self._tls,
                **(limits if self._tls else {}),
            )
        except OSError:  # whatever it said, it wasn't TLS; or it has left
            self.gone(visitor)


def _needed(came: bytes) -> int:
    """How many bytes TLS needs to begin: those of the first record; 1 if it can't be one."""
    if len(came) < RECORD:
        return RECORD
    length = int.from_bytes(came[RECORD - 2 : RECORD], "big")
    is_record = came[0] == HANDSHAKE and length <= LONGEST_RECORD
    return RECORD + length if is_record else 1


def origin_of(address: Any) -> Hashable:
    """What one guest can't have many of: an IPv4 address, or an IPv6 network of 64 bits."""
    try:
        ip = ipaddress.ip_address(address[0].partition("%")[0])
    except (ValueError, TypeError, IndexError, AttributeError):
        return None
    if isinstance(ip, ipaddress.IPv6Address):
        return ip.ipv4_mapped or ip.packed[:8]
    return ip


def make_room(parties: int) -> int:
    """Allow as many open files as the system permits; how many strangers there is room for."""
    try:
        import resource
    except ImportError:  # this system has neither the module nor such a limit
        return MOST_STRANGERS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    except (OSError, ValueError):  # the limit stays as it was
        pass
    if soft == resource.RLIM_INFINITY:
        return MOST_STRANGERS
    return min(MOST_STRANGERS, max(soft - KEPT_FREE - FILES * parties, 1))
