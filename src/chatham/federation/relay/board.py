"""The relay's work for one session: it keeps signed notes, and adds up masked words it can't read.

It knows the session's public keys and no secret: it can refuse what isn't signed, doesn't fit or
comes too late. In an epoch come all hellos, all shares, all confirms (each says how many records
its party has), then round by round all sums, all agreements. A new hello ends it at any moment: any
party that waits for something in it is told so, and begins again with its own hello. A party may
refuse to take part in a round; then that is the answer to whoever waits for anything, in whatever
epoch, since no round can be completed without it.

A round's size is what all parties' signed messages say: where a contribution is large, all announce
it first, and no byte of any is read before they agree. So no party can fill the disk by itself, nor
can all of them: a session may take only so much of it.

A board can be killed and opened again. Notes are in SQLite. Contributions are added up as they
come, and parties send them again when asked to; a total is in a file before anybody is told of it,
and is valid only with everybody's signed header in the notes. Records that one party hands over to
others are files too, each until all who lack it have asked for the next.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from chatham.commons.secure.agreement import Message, epoch_of
from chatham.commons.secure.frames import LONGEST_HEADER, Frame, read_frame
from chatham.errors import Refused
from chatham.federation.files import write_all
from chatham.federation.relay.adding import Adding, check_alike, recalled
from chatham.federation.relay.notes import Notes
from chatham.federation.relay.spool import Spool, stored
from chatham.federation.session import Session
from chatham.federation.wire import COUNT, NO_EPOCH, SMALL, Answer

ASKED = ("sum", "totals", "hello")
"""Kinds of messages whose answer may be asked for without sending one. The next hello is asked for
by a party that waits for the end of an epoch: it is told nothing until then."""
TAKEN = ("hello", "shares", "confirm", "announce", "sum", "agree", "totals", "ask", "refuse")
EVER = ("hello", "agree", "refuse")
"""Kinds of messages that belong to no epoch, or are accepted after theirs."""
AGREEMENTS = 4
"""The most rounds on which a party's signatures are kept; it signs one after the other."""
RECORDS = 64
"""The most records that are here at a time, on their way to parties that lack them."""
USUAL_DISK = 10**10
"""The most bytes of the disk that a session may take."""


class Board:
    """What the parties of one session have sent so far, and the answer when all have."""

    def __init__(self, session: Session, folder: Path, disk: int = USUAL_DISK) -> None:
        self.session, self.folder, self._disk = session, folder, disk
        self.parties = len(session.keys)
        self._file = folder / "total"
        folder.mkdir(parents=True, exist_ok=True)
        self._notes = Notes(folder / "board.sqlite", self.read)
        self.epoch = self._current_epoch()
        self._open = self._recalled()
        self._asked: dict[int, int] = {}
        """The record that each party asked for last."""
        self._forget_records([r for r in self._notes.rounds("totals") if not self._has_record(r)])

    def close(self) -> None:
        """Close the files."""
        self._drop_open()
        self._notes.close()

    def read(self, raw: bytes) -> Frame:
        """A frame of this session, checked except for its body."""
        return read_frame(raw, self.session.hash, self.session.keys)

    # -- what is accepted

    def check(self, frame: Frame) -> None:
        """Refuse, before its body is read, what couldn't be accepted anyway."""
        if frame.kind not in TAKEN:
            raise Refused("kind", f"A relay doesn't accept messages of the kind {frame.kind}.")
        if frame.kind not in EVER and frame.hash_of("epoch") != self.epoch:
            raise Refused("epoch", "A party has started again, so there is a new epoch.")
        longest = self._longest(frame.kind)
        if frame.size > longest:
            raise Refused("size", f"A message of {frame.size} bytes is longer than {longest}.")
        rounds = self.session.rounds
        last = {"announce": rounds, "sum": rounds, "agree": rounds + 1, "refuse": rounds}
        if frame.round > last.get(frame.kind, frame.round):
            raise Refused("round", f"There is no round {frame.round} in this session.")
        if frame.kind == "ask" and frame.header["about"] not in ASKED:
            raise Refused("ask", "Only sums, totals and the next hello can be asked for.")
        checks = {"announce": self._check_round, "sum": self._check_sum}
        checks |= {"totals": self._check_totals}
        if frame.kind in checks:
            checks[frame.kind](frame)

    def spool(self, frame: Frame) -> Spool:
        """Where the body of a message goes as it comes in."""
        return Spool(frame, self.folder)

    def take(self, frame: Frame, body: bytes | memoryview) -> None:
        """Note a party's message. The same again changes nothing; a different one is refused."""
        with closing(self.spool(frame)) as spool:
            spool.write(body)
            spool.check()
            self.take_checked(frame, spool)

    def take_checked(self, frame: Frame, body: Spool) -> None:
        """The same for a body that was checked against its signed header."""
        self.check(frame)
        if frame.kind == "hello":
            self._take_hello(frame)
        elif frame.kind == "sum":
            self._add(frame, body)
        elif frame.kind == "totals":
            self._take_record(frame, body)
        elif frame.kind == "ask":
            self._take_question(frame)
        elif frame.kind == "refuse":
            self._take_refusal(frame)
        else:
            if frame.kind == "announce":
                self._check_announced(frame, body.read())
            self._note(frame, body.read())

    def _longest(self, kind: str) -> int:
        if kind == "totals":  # a total with everybody's signatures
            return self.session.largest_message + SMALL + self.parties * 2 * LONGEST_HEADER
        longest = {"sum": self.session.largest_message, "announce": COUNT}
        return (longest | {"confirm": 0, "agree": 0, "refuse": 0}).get(kind, SMALL)

    # -- what is answered

    def answer(self, frame: Frame) -> Answer | None:
        """All parties' messages of the kind that a frame is or asks about, once all are there; or
        that a party refuses to go on, and they won't be."""
        answer = self._answer(frame)
        if answer is None and (refusals := self._refusals()):
            return Answer(refusals)
        return answer

    def _refusals(self) -> list[Message]:
        """Refusals to take part in a round that isn't over."""
        over = max([r for r in self._notes.rounds("agree") if self._is_agreed(r)], default=0)
        return [m for m in self._notes.messages("refuse", 0) if m.frame.round > over]

    def _answer(self, frame: Frame) -> Answer | None:
        kind = frame.header["about"] if frame.kind == "ask" else frame.kind
        if kind == "hello":
            return Answer(self._all_hellos()) if self.epoch and frame.kind == "hello" else None
        if kind == "refuse":
            return Answer(self._notes.messages(kind, 0))
        if kind == "sum":
            return self._total(frame)
        if kind == "totals":
            return self._record(frame.round)
        if len(self._notes.senders(kind, frame.round)) == self.parties:
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
        if kind == "totals" and len(records := self._notes.records()) == self.parties:
            return [records.index(max(records))]  # who is ahead hands them over
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
            raise Refused(
                "replay",
                "This hello was sent before, and another one after it: another process joined with "
                "the same key. One of them is too many.",
            )
        records = self._notes.rounds("totals")
        self._notes.begin(frame)
        self.epoch = self._current_epoch()
        self._clear()
        self._asked = {}
        self._forget_records(records)

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
        if frame.kind == "agree":
            self._notes.forget_agreements(frame.party, AGREEMENTS - 1)
        self._notes.add([Message(frame, body)], forget_after=self._unreached(frame))
        if frame.kind == "agree" and self._is_agreed(frame.round):
            records = self._notes.rounds("totals")  # all have gone on since, so all have them
            self._notes.settle(frame.round)
            self._clear()
            self._forget_records(records)

    def _unreached(self, frame: Frame) -> int | None:
        """The last confirm says how far the furthest party is: later rounds are done again, so
        signatures under them are of no use."""
        records = self._notes.records()
        if frame.kind != "confirm" or len(records) < self.parties - 1:
            return None
        return max([*records, frame.round]) - 1

    def _take_refusal(self, frame: Frame) -> None:
        """One for each party: the first that isn't over."""
        if frame.party not in {message.frame.party for message in self._refusals()}:
            self._notes.add([Message(frame)])

    # -- records that are handed over

    def _check_totals(self, frame: Frame) -> None:
        """Only records that a party lacks, from the first with most, and only as many at a time as
        there is room for: whoever hands them over waits until others have taken some."""
        records = self._notes.records()
        is_ahead = len(records) == self.parties and frame.party == records.index(max(records))
        if not is_ahead or not min(records) <= frame.round < max(records):
            raise Refused("totals", f"Nobody waits for record {frame.round} of this party.")
        if frame.size == 0:
            raise Refused("size", "A record that is handed over isn't empty.")
        if self._notes.get(frame) is None:
            sizes = [self._path(number).stat().st_size for number in self._notes.rounds("totals")]
            if len(sizes) >= RECORDS or (sizes and sum(sizes) + frame.size > self._disk):
                raise Refused("full", "The parties must first take the records that are here.")

    def _take_record(self, frame: Frame, body: Spool) -> None:
        if self._notes.get(frame) is None:
            write_all(self._path(frame.round), body.parts())
        self._note(frame, b"")

    def _take_question(self, frame: Frame) -> None:
        """Whoever asks for a record has those before it."""
        if frame.header["about"] == "totals":
            self._asked[frame.party] = frame.round
            self._forget_records([r for r in self._notes.rounds("totals") if self._is_taken(r)])

    def _is_taken(self, number: int) -> bool:
        records = enumerate(self._notes.records())
        lacking = [party for party, count in records if count <= number]
        return all(self._asked.get(party, -1) > number for party in lacking)

    def _record(self, number: int) -> Answer | None:
        messages = self._notes.messages("totals", number)
        bodies = [stored(self._path(number)) for _ in messages]
        pairs = zip(messages, bodies, strict=True)
        return Answer([Message(m.frame, body) for m, body in pairs]) if messages else None

    def _has_record(self, number: int) -> bool:
        (message,) = self._notes.messages("totals", number)
        path = self._path(number)
        return path.exists() and path.stat().st_size == message.frame.size

    def _forget_records(self, numbers: list[int]) -> None:
        self._notes.forget("totals", numbers)
        for number in numbers:
            self._path(number).unlink(missing_ok=True)

    def _path(self, number: int) -> Path:
        return self.folder / f"record-{number}"

    # -- sums

    def _check_round(self, frame: Frame) -> None:
        completed = self._completed()
        if completed is None or frame.round != completed + 1:
            raise Refused("stale", f"Round {frame.round} isn't the open one.")

    def _check_announced(self, frame: Frame, body: bytes) -> None:
        """Refuse a size that can't be one, that there is no room for, or that others don't have."""
        size = _count(body)
        if not 0 < size <= self.session.largest_message or size % 8:
            raise Refused("size", f"No contribution to this session can have {size} bytes.")
        needed = (self.parties + 2) * size  # everybody's, their sum, and the total that is shown
        if needed > self._disk:
            raise Refused(
                "size",
                f"A round of {size} bytes takes {needed} bytes of the relay's disk, and a session "
                f"may take {self._disk}; run the relay with more, or agree on fewer words.",
            )
        for other in self._notes.messages("announce", frame.round):
            check_alike(frame, size, other.frame.header["digest"], _count(other.body))

    def _check_sum(self, frame: Frame) -> None:
        if frame.size % 8 or frame.size == 0:
            raise Refused("size", f"{frame.size} bytes aren't a number of 8-byte words.")
        self._check_round(frame)
        announced = self._notes.messages("announce", frame.round)
        for other in announced:
            check_alike(frame, frame.size, other.frame.header["digest"], _count(other.body))
        if frame.size > SMALL and len(announced) < self.parties:
            raise Refused("announce", "Not all parties have announced so large a contribution.")
        if self._open:
            self._open.check(frame)

    def _add(self, frame: Frame, body: Spool) -> None:
        open_sum = self._open = self._open or Adding(frame, self.parties, self.folder)
        try:
            open_sum.add(frame, body)
        except Exception:  # part of it may be in the sum: all send theirs again
            self._drop_open()
            raise
        if open_sum.is_complete and not open_sum.is_saved:
            self._save(open_sum)

    def _save(self, open_sum: Adding) -> None:
        """Before anybody is told, so that a board that is killed tells the others the same. The
        notes come last: the file is the open total only if they are there."""
        open_sum.write(self._file)
        self._notes.add(open_sum.messages)
        open_sum.saved_in(self._file)

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
        self._drop_open()
        self._file.unlink(missing_ok=True)

    def _drop_open(self) -> None:
        if self._open is not None:
            self._open.close()
        self._open = None


def _count(body: bytes | memoryview) -> int:
    return int.from_bytes(body, "big")


def _same_agreement(earlier: Frame, frame: Frame) -> bool:
    """A total that is signed again, in another epoch, is the same total."""
    return frame.kind == "agree" and earlier.header["chain"] == frame.header["chain"]
