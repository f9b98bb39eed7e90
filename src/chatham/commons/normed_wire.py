"""One direct link between two parties, as MPyC's runtime uses it; what comes in has bounds."""

from __future__ import annotations

import asyncio
import hmac
import struct
from asyncio import Future
from collections.abc import Callable
from typing import Any

from chatham.errors import ChathamError, LinkError, ProtocolError

_HEAD = struct.Struct("<qI")
"""A message's label and length."""
_GOODBYE = 0
"""The label of a party's last message: how many sums it has done. No other has it."""


class Wire(asyncio.Protocol):
    """One link: messages with labels, in any order.

    `opened` is told when the other end has shown its certificate and named the same session;
    `broken` when the link is lost or what comes breaks the rules.
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
        """Bytes that a message may have: at first only a hash, before sums are known to agree."""
        self.finished: int | None = None
        """How many sums the other end had done when it said goodbye."""
        self.nbytes_sent = 0
        self._transport: Any = None
        self._greeted = False
        self._bytes = bytearray()
        self._kept = 0
        self._messages: dict[int, bytes | Future[bytes]] = {}

    def connection_made(self, transport: Any) -> None:
        """TLS is up: see who it is, and greet."""
        self._transport = transport
        shown = transport.get_extra_info("ssl_object").getpeercert(binary_form=True)
        self.peer = self._peer_of(shown or b"")
        if self.peer is None:
            transport.abort()
        else:
            transport.write(self._hello)

    def data_received(self, data: bytes) -> None:
        """Take whole messages out of what came so far."""
        self._bytes += data
        if not self._greeted and not self._greet():
            return
        while len(self._bytes) >= _HEAD.size:
            label, size = _HEAD.unpack_from(self._bytes)
            if size > self.largest or self._kept > 8 * self.largest:
                self._refuse("sent more than its turn asked for")
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
            self._refuse("has another session file than I have")
            return False
        del self._bytes[:length]
        self._greeted = True
        self._opened(self)
        return True

    def _deliver(self, label: int, message: bytes) -> None:
        if label == _GOODBYE:
            self.finished = int.from_bytes(message, "little")
            return
        waiting = self._messages.pop(label, None)
        if isinstance(waiting, Future):
            if not waiting.done():
                waiting.set_result(message)
        else:
            self._messages[label] = message
            self._kept += len(message) + _HEAD.size

    def _refuse(self, what: str) -> None:
        self._transport.abort()
        self._broken(self, ProtocolError, f"{{}} {what}; the direct link is closed.")

    def connection_lost(self, exc: Exception | None) -> None:
        """Whoever waits for a message from there waits in vain."""
        self._broken(self, LinkError, "The direct link with {} is lost.")

    def send(self, label: int, message: bytes) -> None:
        """Send one message."""
        self._transport.write(_HEAD.pack(label, len(message)) + message)
        self.nbytes_sent += _HEAD.size + len(message)

    def receive(self, label: int) -> bytes | Future[bytes]:
        """The message with this label, or its promise."""
        message = self._messages.pop(label, None)
        if isinstance(message, bytes):
            self._kept -= len(message) + _HEAD.size
            return message
        promise: Future[bytes] = asyncio.get_running_loop().create_future()
        self._messages[label] = promise
        return promise

    def close(self, finished: int | None) -> None:
        """Hang up, in peace if a number of finished sums is given; what was written goes out."""
        if self._transport is None or self._transport.is_closing():
            return
        if finished is not None and self._greeted:
            self.send(_GOODBYE, finished.to_bytes(8, "little"))
        self._transport.close()
