"""The relay's work for one session: it keeps signed notes, and adds up masked words it can't read.

It knows the session's public keys and no secret: it can refuse what isn't signed, doesn't fit or
comes too late. In an epoch come all hellos, all shares, all confirms (each says how many records
its party has), then round by round all sums, all agreements. A new hello ends it at any moment: any
party that waits for something in it is told so, and begins again with its own hello.

A board can be killed and opened again. Notes are in SQLite. Contributions are added up in memory as
they come, and parties send them again when asked to; a total is in a file before anybody is told of
it, and is valid only with everybody's signed header in the notes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from chatham.commons.fixed_point import Words
from chatham.commons.secure.agreement import Message, epoch_of
from chatham.commons.secure.frames import LONGEST_HEADER, Frame, read_frame
from chatham.errors import Refused
from chatham.federation.files import write_whole
from chatham.federation.relay.notes import Notes
from chatham.federation.session import Session
from chatham.federation.wire import NO_EPOCH, SMALL, Answer

ASKED = ("sum", "totals", "hello")
"""Kinds of messages whose answer may be asked for without sending one. The next hello is asked for
by a party that waits for the end of an epoch: it is told nothing until then."""
TAKEN = ("hello", "shares", "confirm", "sum", "agree", "totals", "ask")


class Board:
    """What the parties of one session have sent so far, and the answer when all have."""

    def __init__(self, session: Session, folder: Path) -> None:
        self.session = session
        self.parties = len(session.keys)
        self._file = folder / "total"
        folder.mkdir(parents=True, exist_ok=True)
        self._notes = Notes(folder / "board.sqlite", self.read)
        self.epoch = self._current_epoch()
        self._open = self._recalled()

    def close(self) -> None:
        """Close the file."""
        self._notes.close()

    def read(self, raw: bytes) -> Frame:
        """A frame of this session, checked except for its body."""
        return read_frame(raw, self.session.hash, self.session.keys)

    # -- what is accepted

    def check(self, frame: Frame) -> None:
        """Refuse, before its body is read, what couldn't be accepted anyway."""
        if frame.kind not in TAKEN:
            raise Refused("kind", f"A relay doesn't accept messages of the kind {frame.kind}.")
        if frame.kind not in ("hello", "agree") and frame.hash_of("epoch") != self.epoch:
            raise Refused("epoch", "A party has started again, so there is a new epoch.")
        longest = self._longest(frame.kind)
        if frame.size > longest:
            raise Refused("size", f"A message of {frame.size} bytes is longer than {longest}.")
        last = {"sum": self.session.rounds, "agree": self.session.rounds + 1}
        if frame.round > last.get(frame.kind, frame.round):
            raise Refused("round", f"There is no round {frame.round} in this session.")
        if frame.kind == "ask" and frame.header["about"] not in ASKED:
            raise Refused("ask", "Only sums, totals and the next hello can be asked for.")
        if frame.kind in ("sum", "totals"):
            (self._check_sum if frame.kind == "sum" else self._check_totals)(frame)

    def take(self, frame: Frame, body: bytes | memoryview) -> None:
        """Note a party's message. The same again changes nothing; a different one is refused."""
        frame.check_body(body)
        self.take_checked(frame, body)

    def take_checked(self, frame: Frame, body: bytes | memoryview) -> None:
        """The same for a body that was checked against its signed header."""
        self.check(frame)
        if frame.kind == "hello":
            self._take_hello(frame)
        elif frame.kind == "sum":
            self._add(frame, body)
        elif frame.kind != "ask":
            self._note(frame, bytes(body))

    def _longest(self, kind: str) -> int:
        if kind == "totals":  # a total with everybody's signatures
            return self.session.largest_message + SMALL + self.parties * 2 * LONGEST_HEADER
        return {"sum": self.session.largest_message, "confirm": 0, "agree": 0}.get(kind, SMALL)

    # -- what is answered

    def answer(self, frame: Frame) -> Answer | None:
        """All parties' messages of the kind that a frame is or asks about, once all are there."""
        kind = frame.header["about"] if frame.kind == "ask" else frame.kind
        if kind == "hello":
            return Answer(self._all_hellos()) if self.epoch and frame.kind == "hello" else None
        if kind == "sum":
            return self._total(frame)
        if len(self._notes.senders(kind, frame.round)) >= (1 if kind == "totals" else self.parties):
            return Answer(self._notes.messages(kind, frame.round))
        if kind == "agree":
            self._check_agreeing(frame)
        return None

    def _check_agreeing(self, frame: Frame) -> None:
        """Refuse if signatures that are missing can't come any more.

        A party that was stopped after it got the total signs it before it says hello. While that
        total is the open one, those that are still there will sign it too, and may leave afterwards
        if it was the last one: so they are waited for.
        """
        if frame.hash_of("epoch") not in (self.epoch, NO_EPOCH):
            raise Refused("epoch", "A party has started again before it signed.")
        is_open = self._open is not None and self._open.is_saved and self._open.round == frame.round
        if frame.hash_of("epoch") == NO_EPOCH and not is_open:
            raise Refused("waiting", "Not all have signed this total.")

    def missing(self, frame: Frame) -> list[int]:
        """The parties that an answer waits for."""
        kind = frame.header["about"] if frame.kind == "ask" else frame.kind
        if kind == "hello":
            present = set(self._notes.hellos)
        elif kind == "sum":
            present = set(self._open.frames) if self._open else set()
        else:
            present = self._notes.senders(kind, frame.round)
        return [party for party in range(self.parties) if party not in present]

    # -- hellos and epochs

    def _take_hello(self, frame: Frame) -> None:
        earlier = self._notes.hellos.get(frame.party)
        if earlier and earlier.raw == frame.raw:
            return
        if self._notes.was_seen(frame):
            raise Refused("replay", "This hello was sent before, and another one after it.")
        self._notes.begin(frame)
        self.epoch, self._open = self._current_epoch(), None
        self._clear()

    def _all_hellos(self) -> list[Message]:
        return [Message(frame) for _, frame in sorted(self._notes.hellos.items())]

    def _current_epoch(self) -> bytes | None:
        hellos = self._all_hellos()
        if len(hellos) < self.parties:
            return None
        return epoch_of(self.session.hash, [message.frame for message in hellos])

    def _completed(self) -> int | None:
        """The last round that all parties have, or will when they have caught up."""
        if len(records := self._notes.records()) < self.parties:
            return None
        complete = [r for r in self._notes.rounds("agree") if self._is_agreed(r)]
        return max([max(records) - 1, *complete])

    def _is_agreed(self, round_: int) -> bool:
        return len(self._notes.senders("agree", round_)) == self.parties

    # -- notes

    def _note(self, frame: Frame, body: bytes) -> None:
        earlier = self._notes.get(frame)
        if earlier and earlier.raw != frame.raw and not _same_agreement(earlier, frame):
            raise Refused("unlike", "This party sent something else about this before.")
        if earlier is not None:
            return
        self._notes.add([Message(frame, body)], forget_after=self._unreached(frame))
        if frame.kind == "agree" and self._is_agreed(frame.round):
            self._notes.settle(frame.round)
            self._open = None
            self._clear()

    def _unreached(self, frame: Frame) -> int | None:
        """The last confirm says how far the furthest party is: later rounds are done again, so
        signatures under them are of no use."""
        records = self._notes.records()
        if frame.kind != "confirm" or len(records) < self.parties - 1:
            return None
        return max([*records, frame.round]) - 1

    def _check_totals(self, frame: Frame) -> None:
        """Only records that a party lacks, from the first with most: nobody can fill the disk."""
        records = self._notes.records()
        is_ahead = len(records) == self.parties and frame.party == records.index(max(records))
        if not is_ahead or not min(records) <= frame.round < max(records):
            raise Refused("totals", f"Nobody waits for record {frame.round} of this party.")

    # -- sums

    def _check_sum(self, frame: Frame) -> None:
        if frame.size % 8 or frame.size == 0:
            raise Refused("size", f"{frame.size} bytes aren't a number of 8-byte words.")
        completed = self._completed()
        if completed is None or frame.round != completed + 1:
            raise Refused("stale", f"Round {frame.round} isn't the open one.")
        if self._open:
            self._open.check(frame)

    def _add(self, frame: Frame, body: bytes | memoryview) -> None:
        open_sum = self._open = self._open or Adding(frame, self.parties)
        open_sum.add(frame, body)
        if open_sum.is_complete and not open_sum.is_saved:
            self._save(open_sum)

    def _save(self, open_sum: Adding) -> None:
        """Before anybody is told, so that a board that is killed tells the others the same. The
        notes come last: the file is the open total only if they are there."""
        open_sum.write(self._file)
        self._notes.add(open_sum.messages)
        open_sum.is_saved = True

    def _recalled(self) -> Adding | None:
        """The total that was complete when the board was closed."""
        completed = self._completed()
        if completed is None:
            return None
        contributions = self._notes.messages("sum", completed + 1)
        return recalled(contributions, self._file, self.parties)

    def _total(self, frame: Frame) -> Answer | None:
        open_sum = self._open
        if open_sum is None or open_sum.round != frame.round or frame.party not in open_sum.frames:
            raise Refused("again", "Your contribution isn't here; send it again.")
        return Answer(open_sum.messages, open_sum.total) if open_sum.is_saved else None

    def _clear(self) -> None:
        """Delete a total that everybody has, or that nobody will ask for."""
        self._file.unlink(missing_ok=True)


def _same_agreement(earlier: Frame, frame: Frame) -> bool:
    """A total that is signed again, in another epoch, is the same total."""
    return frame.kind == "agree" and earlier.header["chain"] == frame.header["chain"]


class Adding:
    """The sum so far of one round."""

    def __init__(self, first: Frame, parties: int, words: Words | None = None) -> None:
        self.round, self._digest, self._parties = first.round, first.header["digest"], parties
        self._words = np.zeros(first.size // 8, np.uint64) if words is None else words
        self.frames: dict[int, Frame] = {}
        self.is_saved = False
        """Whether it is complete and on disk."""

    @property
    def is_complete(self) -> bool:
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
            raise Refused("statistics", "The parties aren't summing the same statistics.")
        if self.frames.get(frame.party, frame).raw != frame.raw:
            raise Refused("unlike", "This party sent another contribution to this round before.")

    def add(self, frame: Frame, body: bytes | memoryview) -> None:
        """Add a party's words, once."""
        if frame.party not in self.frames:
            self._words += np.frombuffer(body, "<u8")
            self.frames[frame.party] = frame

    def write(self, path: Path) -> None:
        """Write the sum in full or not at all."""
        write_whole(path, self.total)


def recalled(messages: Sequence[Message], path: Path, parties: int) -> Adding | None:
    """A sum that was saved, if there is one and it is intact."""
    if len(messages) < parties or not path.exists():
        return None
    words = np.fromfile(path, "<u8").astype(np.uint64, copy=False)
    if words.nbytes != messages[0].frame.size or path.stat().st_size != words.nbytes:
        return None
    open_sum = Adding(messages[0].frame, parties, words)
    open_sum.frames = {message.frame.party: message.frame for message in messages}
    open_sum.is_saved = True
    return open_sum
