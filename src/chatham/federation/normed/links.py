"""Direct links between parties: from each to each, under TLS, as MPyC's runtime uses them.

A party listens for those before it in the roster and calls those after it. Its certificate shows
who is at the other end; then both must name the same session. Messages have labels and arrive in
any order. There are limits to how long one may be, and to how much may wait to be fetched.
"""

from __future__ import annotations

import asyncio
import hmac
import struct
from asyncio import Future
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from typing import Any

from chatham.errors import ChathamError, LinkError, ProtocolError
from chatham.federation.addresses import address_of, interface_of, port_error
from chatham.federation.session import Session
from chatham.federation.tls import Credentials, owner_of

_PAUSE = 0.05
"""Seconds between attempts to call a party that isn't there yet."""
_HEAD = struct.Struct("<qI")
"""A message's label and length."""
_GOODBYE = 0
"""The label of a party's last message, which says how many sums it has done. No other has it."""


class Links:
    """All of a party's links; `lost` has an error as soon as one of them breaks."""

    def __init__(self, session: Session, index: int, credentials: Credentials) -> None:
        self._members, self._index, self._credentials = session.parties, index, credentials
        self._hello = sha256(b"chatham direct links 1" + session.hash).digest()
        self._loop = asyncio.get_running_loop()
        self.wires: dict[int, Wire] = {}
        self.lost: Future[None] = self._loop.create_future()
        self._complete: Future[None] = self._loop.create_future()
        self._created: list[Wire] = []
        self.sums = 0
        """How many sums have begun over these links."""

    async def open(self, listen: str | None, limit: float) -> None:
        """Open a link with every other party, or say which are missing."""
        server = await self._listen(listen) if self._index else None
        after = range(self._index + 1, len(self._members))
        calls = [self._loop.create_task(self._call(peer)) for peer in after]
        try:
            ends = [self._complete, self.lost]
            await asyncio.wait(ends, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
            if server is not None:
                server.close()
        if self.lost.done():
            self.lost.result()
        if not self._complete.done():
            raise LinkError(
                f"No direct link with {self._missing()} could be opened within {limit:g} seconds; "
                "the normed sum needs every party to reach every other one directly, at the "
                "address and with the certificate that the session names."
            )

    async def _listen(self, listen: str | None) -> asyncio.Server:
        host, port = address_of(self._members[self._index])
        interface = interface_of(host, listen)
        context = self._credentials.server(self._members[: self._index])
        try:
            return await self._loop.create_server(self._wire, interface, port, ssl=context)
        except OSError as error:
            raise port_error(port, error) from None

    async def _call(self, peer: int) -> None:
        host, port = address_of(self._members[peer])
        context = self._credentials.client(self._members[peer])
        while peer not in self.wires:
            with suppress(OSError):  # nobody there yet, or somebody with another certificate
                transport, _ = await self._loop.create_connection(
                    self._wire, host, port, ssl=context
                )
                while not transport.is_closing() and peer not in self.wires:
                    await asyncio.sleep(_PAUSE)
            await asyncio.sleep(_PAUSE)

    def _wire(self) -> Wire:
        self._created.append(Wire(self._hello, self._peer_of, self._opened, self._broken))
        return self._created[-1]

    def _peer_of(self, certificate: bytes) -> int | None:
        others = [each for i, each in enumerate(self._members) if i != self._index]
        owner = owner_of(certificate, others)
        return None if owner is None else self._members.index(owner)

    def _opened(self, wire: Wire) -> None:
        assert wire.peer is not None
        self.wires[wire.peer] = wire
        if len(self.wires) == len(self._members) - 1 and not self._complete.done():
            self._complete.set_result(None)

    def _broken(self, wire: Wire, kind: type[ChathamError], sentence: str) -> None:
        if wire.peer is None:
            return
        if kind is LinkError:
            # A party that has done this sum has sent all that others need, and may leave.
            has_finished = wire.finished is not None and wire.finished >= self.sums
            if has_finished or self.wires.get(wire.peer) is not wire:
                return
        self.lose(kind(sentence.format(self._members[wire.peer].name)))

    def lose(self, error: ChathamError) -> None:
        """Mark these links as broken."""
        if not self.lost.done():
            self.lost.set_exception(error)

    @property
    def usable(self) -> bool:
        """Whether another sum can be tried over these links."""
        return not self.lost.done() and all(w.finished is None for w in self.wires.values())

    def _missing(self) -> str:
        return ", ".join(
            member.name
            for peer, member in enumerate(self._members)
            if peer != self._index and peer not in self.wires
        )

    def begin(self, largest: int) -> None:
        """Begin another sum, whose messages have at most `largest` bytes."""
        self.sums += 1
        for wire in self.wires.values():
            wire.largest = largest
            if wire.finished is not None and wire.finished < self.sums:
                self._broken(wire, LinkError, "{} has left.")

    def close(self, finished: int | None = None) -> None:
        """Close all links; `finished` is how many sums were done, if all went well."""
        if not self.lost.done():
            self.lost.cancel()
        elif not self.lost.cancelled():
            self.lost.exception()  # retrieved, so that asyncio doesn't warn
        for wire in self._created:
            wire.close(finished)


class Wire(asyncio.Protocol):
    """One link: messages with labels, in any order.

    `opened` is called when the other end has presented its certificate and named the same session;
    `broken` when the link is lost or what arrives breaks the rules.
    """

    def __init__(
        self,
        hello: bytes,
        peer_of: Callable[[bytes], int | None],
        opened: Callable[[Wire], None],
        broken: Callable[[Wire, type[ChathamError], str], None],
    ) -> None:
        self._hello, self._peer_of, self._opened, self._broken = hello, peer_of, opened, broken
        self.peer: int | None = None
        self.largest = 64
        """The most bytes of a message: at first a hash, until the parties agree on the sum."""
        self.finished: int | None = None
        """How many sums the other end had done when it left."""
        self.nbytes_sent = 0
        self._transport: Any = None
        self._greeted = False
        self._bytes = bytearray()
        self._waiting_bytes = 0
        self._messages: dict[int, bytes | Future[bytes]] = {}

    def connection_made(self, transport: Any) -> None:
        """TLS is up: see who the other end is, and greet it."""
        self._transport = transport
        certificate = transport.get_extra_info("ssl_object").getpeercert(binary_form=True)
        self.peer = self._peer_of(certificate or b"")
        if self.peer is None:
            transport.abort()
        else:
            transport.write(self._hello)

    def data_received(self, data: bytes) -> None:
        """Take complete messages out of what has arrived so far."""
        self._bytes += data
        if not self._greeted and not self._greet():
            return
        while len(self._bytes) >= _HEAD.size:
            label, size = _HEAD.unpack_from(self._bytes)
            if size > self.largest or self._waiting_bytes > 8 * self.largest:
                self._refuse("sent more than this step of the protocol allows")
                return
            end = _HEAD.size + size
            if len(self._bytes) < end:
                return
            self._deliver(label, bytes(self._bytes[_HEAD.size : end]))
            del self._bytes[:end]

    def _greet(self) -> bool:
        length = len(self._hello)
        if len(self._bytes) < length:
            return False
        if not hmac.compare_digest(bytes(self._bytes[:length]), self._hello):
            self._refuse("has a different session file from mine")
            return False
        del self._bytes[:length]
        self._greeted = True
        self._opened(self)
        return True

    def _deliver(self, label: int, message: bytes) -> None:
        if label == _GOODBYE:
            self.finished = int.from_bytes(message, "little")
            return
        promise = self._messages.pop(label, None)
        if isinstance(promise, Future):
            if not promise.done():
                promise.set_result(message)
        else:
            self._messages[label] = message
            self._waiting_bytes += len(message) + _HEAD.size

    def _refuse(self, reason: str) -> None:
        self._transport.abort()
        self._broken(self, ProtocolError, f"{{}} {reason}; the direct link is closed.")

    def connection_lost(self, exc: Exception | None) -> None:
        """No more messages will arrive on this link."""
        self._broken(self, LinkError, "The direct link with {} is lost.")

    def send(self, label: int, message: bytes) -> None:
        """Send one message."""
        self._transport.write(_HEAD.pack(label, len(message)) + message)
        self.nbytes_sent += _HEAD.size + len(message)

    def receive(self, label: int) -> bytes | Future[bytes]:
        """The message with this label, or a future for it."""
        message = self._messages.pop(label, None)
        if isinstance(message, bytes):
            self._waiting_bytes -= len(message) + _HEAD.size
            return message
        promise: Future[bytes] = asyncio.get_running_loop().create_future()
        self._messages[label] = promise
        return promise

    def close(self, finished: int | None) -> None:
        """Close the link after sending what was written; with `finished`, say goodbye first."""
        if self._transport is None or self._transport.is_closing():
            return
        if finished is not None and self._greeted:
            self.send(_GOODBYE, finished.to_bytes(8, "little"))
        self._transport.close()
