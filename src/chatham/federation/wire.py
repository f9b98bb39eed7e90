"""The relay's answers as bytes: messages one after another, then a total.

4 bytes    how many messages
each       4 bytes length, header and signature; 8 bytes length, body
the rest   the total's words, if there are any
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from chatham.commons.secure.agreement import Message
from chatham.commons.secure.frames import LONGEST_HEADER, SIGNATURE, START, Frame
from chatham.errors import ProtocolError
from chatham.federation.session import Session

NO_EPOCH = bytes(32)


SMALL = 2**16
"""Bytes of the longest message body, other than contributions and totals; a contribution that is
longer is announced first."""
COUNT = 8
"""Bytes of an announcement: how many bytes a contribution has."""


@dataclass(frozen=True)
class Answer:
    """Notes of all parties, in the roster's order, and the total if they were contributions."""

    messages: Sequence[Message]
    total: bytes | memoryview = b""


class Link(Protocol):
    """A party's link to a relay."""

    def say(self, frame: Frame, body: bytes | memoryview) -> Answer | None:
        """Send a message and wait for everybody's; None if they aren't all there yet.

        The answer's frames are checked to be signed by the parties they name, except for those of a
        sum, whose signatures are unchecked: the total's tag proves more than they do. Or they are
        refusals of parties to take part, unchecked as well. Refused says why the relay doesn't
        accept the message, LinkError that the relay can't be reached.
        """
        ...

    def waiting_for(self) -> list[int]:
        """The parties that the last message still waits for, if it has no answer."""
        ...


def length_of(answer: Answer) -> int:
    """How many bytes an answer takes."""
    heads = sum(12 + len(m.frame.raw) + len(m.body) for m in answer.messages)
    return 4 + heads + len(answer.total)


def longest_answer(session: Session) -> int:
    """The most bytes that a relay's answer can have."""
    per_message = 2 * LONGEST_HEADER + SMALL
    return session.largest_message + SMALL + 2 * len(session.parties) * per_message


def write_answer(answer: Answer) -> Iterator[bytes | memoryview]:
    """The bytes of an answer, in parts."""
    yield len(answer.messages).to_bytes(4, "big")
    for message in answer.messages:
        yield len(message.frame.raw).to_bytes(4, "big") + message.frame.raw
        yield len(message.body).to_bytes(8, "big")
        yield message.body
    yield answer.total


def read_answer(data: bytes, read: Callable[[bytes], Frame], parties: int) -> Answer:
    """The answer in these bytes; `read` checks each frame."""
    view = memoryview(data)
    count, offset = _number(view, 0, 4), 4
    if count > parties:
        raise ProtocolError("The relay's answer has more messages than there are parties.")
    messages = []
    for _ in range(count):
        length = _number(view, offset, 4)
        if length > START + LONGEST_HEADER + SIGNATURE:
            raise ProtocolError("The relay's answer has a header that is too long.")
        raw = _part(view, offset + 4, length)
        offset += 4 + length
        size = _number(view, offset, 8)
        body = _part(view, offset + 8, size)
        offset += 8 + size
        messages.append(Message(read(raw), body))
    return Answer(messages, view[offset:])


def _number(view: memoryview, offset: int, width: int) -> int:
    return int.from_bytes(_part(view, offset, width), "big")


def _part(view: memoryview, offset: int, length: int) -> bytes:
    if offset + length > len(view):
        raise ProtocolError("The relay's answer ends too early.")
    return bytes(view[offset : offset + length])
