"""Answers of the relay as bytes: messages one after the other, then a total.

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
"""The longest body of a message that isn't words."""


@dataclass(frozen=True)
class Answer:
    """Notes of all parties, in the roster's order, and the total if they were contributions."""

    messages: Sequence[Message]
    total: bytes | memoryview = b""


class Link(Protocol):
    """A way to a relay."""

    def say(self, frame: Frame, body: bytes | memoryview) -> Answer | None:
        """Say something and wait for everybody's answer; None if it isn't there yet.

        The answer's frames are checked and signed by whom they name, but for those of a sum, whose
        signatures nobody checked: the total's tag tells more than they do. Refused says what the
        relay doesn't take, LinkError that it can't be reached.
        """
        ...

    def waiting_for(self) -> list[int]:
        """The parties that the last answer waited for, if there was none."""
        ...


def length_of(answer: Answer) -> int:
    """How many bytes an answer takes."""
    heads = sum(12 + len(m.frame.raw) + len(m.body) for m in answer.messages)
    return 4 + heads + len(answer.total)


def longest_answer(session: Session) -> int:
    """More bytes than this no answer of a relay can have."""
    each = 2 * LONGEST_HEADER + SMALL
    return session.largest_message + SMALL + 2 * len(session.parties) * each


def write_answer(answer: Answer) -> Iterator[bytes | memoryview]:
    """The bytes of an answer, part by part."""
    yield len(answer.messages).to_bytes(4, "big")
    for message in answer.messages:
        yield len(message.frame.raw).to_bytes(4, "big") + message.frame.raw
        yield len(message.body).to_bytes(8, "big") + message.body
    yield answer.total


def read_answer(data: bytes, read: Callable[[bytes], Frame], parties: int) -> Answer:
    """The answer in these bytes; `read` checks each frame."""
    view = memoryview(data)
    count, place = _number(view, 0, 4), 4
    if count > parties:
        raise ProtocolError("The relay's answer has more messages than there are parties.")
    messages = []
    for _ in range(count):
        length = _number(view, place, 4)
        if length > START + LONGEST_HEADER + SIGNATURE:
            raise ProtocolError("The relay's answer has a header that is too long.")
        raw = _part(view, place + 4, length)
        place += 4 + length
        size = _number(view, place, 8)
        body = _part(view, place + 8, size)
        place += 8 + size
        messages.append(Message(read(raw), body))
    return Answer(messages, view[place:])


def _number(view: memoryview, place: int, width: int) -> int:
    return int.from_bytes(_part(view, place, width), "big")


def _part(view: memoryview, place: int, length: int) -> bytes:
    if place + length > len(view):
        raise ProtocolError("The relay's answer ends too early.")
    return bytes(view[place : place + length])
