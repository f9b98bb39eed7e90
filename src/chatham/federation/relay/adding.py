"""The sum so far of one round: words that the relay can't read, added up part by part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from chatham.commons.secure.agreement import Message
from chatham.commons.secure.frames import Frame
from chatham.errors import Refused
from chatham.federation.files import write_all
from chatham.federation.relay.spool import Spool, parts_of, scratch, stored


class Adding:
    """The sum so far of one round, and who is in it."""

    def __init__(self, first: Frame, parties: int, folder: Path) -> None:
        self.round, self.digest, self.size = first.round, first.header["digest"], first.size
        self._parties, self._sum = parties, scratch(folder)
        self._saved: Path | None = None
        self.frames: dict[int, Frame] = {}

    @property
    def is_complete(self) -> bool:
        """Whether every party's words are in it."""
        return len(self.frames) == self._parties

    @property
    def is_saved(self) -> bool:
        """Whether it is complete and on disk."""
        return self._saved is not None

    @property
    def messages(self) -> list[Message]:
        """Everybody's signed header, in the roster's order."""
        return [Message(frame) for _, frame in sorted(self.frames.items())]

    @property
    def total(self) -> memoryview:
        """The sum's bytes, once it is saved."""
        assert self._saved is not None
        return stored(self._saved)

    def check(self, frame: Frame) -> None:
        """Refuse words that can't be added to these."""
        check_alike(frame, frame.size, self.digest, self.size)
        if self.frames.get(frame.party, frame).raw != frame.raw:
            raise Refused("unlike", "This party sent another contribution to this round before.")

    def add(self, frame: Frame, body: Spool) -> None:
        """Add a party's words, once. If that fails, the sum is of no use any more."""
        if frame.party in self.frames:
            return
        place = 0
        for part in body.parts():
            self._sum.seek(place)
            words = np.frombuffer(part, "<u8")
            if so_far := self._sum.read(len(part)):
                words = words + np.frombuffer(so_far, "<u8")
                self._sum.seek(place)
            self._sum.write(words.data.cast("B"))
            place += len(part)
        self.frames[frame.party] = frame

    def write(self, path: Path) -> None:
        """Write the sum in full or not at all."""
        write_all(path, parts_of(self._sum))

    def saved_in(self, path: Path) -> None:
        """From now on it is what lies there."""
        self._saved = path
        self.close()

    def close(self) -> None:
        """Let go of what isn't saved."""
        self._sum.close()


def check_alike(frame: Frame, size: int, digest: str, other_size: int) -> None:
    """Refuse what can't be added up: other statistics, or another number of words."""
    if frame.header["digest"] != digest or size != other_size:
        raise Refused("statistics", "The parties aren't summing the same statistics.")


def recalled(messages: Sequence[Message], path: Path, parties: int) -> Adding | None:
    """A sum that was saved, if there is one and it is intact."""
    if len(messages) < parties or not path.exists():
        return None
    if path.stat().st_size != messages[0].frame.size:
        return None
    open_sum = Adding(messages[0].frame, parties, path.parent)
    open_sum.frames = {message.frame.party: message.frame for message in messages}
    open_sum.saved_in(path)
    return open_sum
