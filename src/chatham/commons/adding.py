"""The relay's adding machine: masked words of the open round, which it can't read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from chatham.commons import steps
from chatham.commons.fixed_point import Words
from chatham.commons.secure.agreement import Message
from chatham.commons.secure.frames import Frame
from chatham.errors import Refused


class Adding:
    """What was added up so far of one round."""

    def __init__(self, first: Frame, parties: int, words: Words | None = None) -> None:
        self.round, self._digest, self._parties = first.round, first.header["digest"], parties
        self._words = np.zeros(first.size // 8, np.uint64) if words is None else words
        self.frames: dict[int, Frame] = {}
        self.kept = False
        """Whether all was added, and is on disk."""

    @property
    def is_whole(self) -> bool:
        """Whether every party's words are in it."""
        return len(self.frames) == self._parties

    @property
    def messages(self) -> list[Message]:
        """Everybody's signed header, in the roster's order."""
        return [Message(frame) for _, frame in sorted(self.frames.items())]

    @property
    def total(self) -> memoryview:
        """The sum's bytes."""
        return self._words.astype("<u8", copy=False).data.cast("B")

    def check(self, frame: Frame) -> None:
        """Refuse words that can't be added to these."""
        if frame.header["digest"] != self._digest or frame.size != self._words.nbytes:
            raise Refused("unlike", "The parties don't add up the same statistics.")
        if self.frames.get(frame.party, frame).raw != frame.raw:
            raise Refused("unlike", "This party sent another contribution to this round before.")

    def add(self, frame: Frame, body: bytes | memoryview) -> None:
        """Add a party's words, once."""
        if frame.party not in self.frames:
            self._words += np.frombuffer(body, "<u8")
            self.frames[frame.party] = frame

    def write(self, path: Path) -> None:
        """Write the sum in full or not at all."""
        temporary = path.with_name("total.tmp")
        temporary.write_bytes(self.total)
        steps.reached("relay written")
        os.replace(temporary, path)
        steps.reached("relay renamed")


def recalled(messages: Sequence[Message], path: Path, parties: int) -> Adding | None:
    """A sum that was written, if it was and is what it was."""
    if len(messages) < parties or not path.exists():
        return None
    words = np.fromfile(path, "<u8").astype(np.uint64, copy=False)
    if words.nbytes != messages[0].frame.size or path.stat().st_size != words.nbytes:
        return None
    found = Adding(messages[0].frame, parties, words)
    found.frames = {message.frame.party: message.frame for message in messages}
    found.kept = True
    return found
