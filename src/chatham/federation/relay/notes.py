"""The relay's record of what parties sent: signed notes in SQLite, and the open ones in memory.

A note is on disk before anybody is told of it, so a relay that is killed says the same when it
comes back. An epoch's notes are deleted when it ends, except for agreements on totals.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from chatham.commons.secure.agreement import Message
from chatham.commons.secure.frames import Frame
from chatham.errors import CheckpointError, ProtocolError

_TABLES = """
CREATE TABLE IF NOT EXISTS hellos (party INTEGER PRIMARY KEY, raw BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS seen (raw BLOB PRIMARY KEY);
CREATE TABLE IF NOT EXISTS notes (
    kind TEXT, round INTEGER, party INTEGER, raw BLOB NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (kind, round, party));
"""
ONCE = ("shares", "confirm")
"""The kinds of notes that are sent once in an epoch, in whatever round."""
LARGE = "totals"
"""The kind of notes whose bodies stay on disk."""

Slot = tuple[str, int]
"""A kind of notes, and the round they are about."""


class Notes:
    """Hellos, and other notes by kind, round and party."""

    def __init__(self, path: Path, read: Callable[[bytes], Frame]) -> None:
        self._base = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self.hellos: dict[int, Frame] = {}
        self._open: dict[Slot, dict[int, Message]] = {}
        try:
            self._load(read)
        except (sqlite3.DatabaseError, ProtocolError):
            raise CheckpointError(
                f"{path} is damaged: it isn't what a relay wrote there for this session. Move it "
                "away and start again: the parties agree on new keys and resume where they stopped."
            ) from None

    def _load(self, read: Callable[[bytes], Frame]) -> None:
        self._base.execute("PRAGMA journal_mode=WAL")
        self._base.execute("PRAGMA synchronous=NORMAL")
        self._base.executescript(_TABLES)
        for (raw,) in self._base.execute("SELECT raw FROM hellos"):
            frame = read(raw)
            self.hellos[frame.party] = frame
        for raw, body in self._base.execute("SELECT raw, body FROM notes"):
            self._remember(read(raw), body)

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def messages(self, kind: str, round_: int) -> list[Message]:
        """All notes of a kind about a round, in the roster's order."""
        by_party = self._open.get(_slot(kind, round_), {})
        return [self._with_body(by_party[party]) for party in sorted(by_party)]

    def senders(self, kind: str, round_: int) -> set[int]:
        """The parties that sent a note of a kind about a round."""
        return set(self._open.get(_slot(kind, round_), ()))

    def records(self) -> list[int]:
        """How many records, from 0 on, each party that has confirmed its keys says it has."""
        return [message.frame.round for message in self.messages("confirm", 0)]

    def rounds(self, kind: str) -> list[int]:
        """The rounds about which there is a note of this kind."""
        return sorted(round_ for slot_kind, round_ in self._open if slot_kind == kind)

    def get(self, frame: Frame) -> Frame | None:
        """The note that its party sent before about the same."""
        earlier = self._open.get(_slot(frame.kind, frame.round), {}).get(frame.party)
        return earlier.frame if earlier else None

    def add(self, messages: Iterable[Message], *, forget_after: int | None = None) -> None:
        """Save notes, all or none; delete agreements on rounds after `forget_after`."""
        messages = list(messages)
        rows = [(*_key(m.frame), m.frame.raw, m.body) for m in messages]
        with _transaction(self._base):
            self._base.executemany("INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?, ?)", rows)
            if forget_after is not None:
                self._base.execute(
                    "DELETE FROM notes WHERE kind = 'agree' AND round > ?", (forget_after,)
                )
        for message in messages:
            self._remember(message.frame, message.body)
        if forget_after is not None:
            self._drop(lambda slot: slot[0] == "agree" and slot[1] > forget_after)

    def settle(self, round_: int) -> None:
        """All have signed a round: delete its sum and the agreements on earlier rounds, which a
        party that lacks one gets from another party."""
        self._base.execute(
            "DELETE FROM notes WHERE kind = 'sum' OR (kind = 'agree' AND round < ?)", (round_,)
        )
        self._drop(lambda slot: slot[0] == "sum" or (slot[0] == "agree" and slot[1] < round_))

    def was_seen(self, hello: Frame) -> bool:
        """Whether this hello was sent before."""
        seen = self._base.execute("SELECT 1 FROM seen WHERE raw = ?", (hello.raw,))
        return seen.fetchone() is not None

    def begin(self, hello: Frame) -> None:
        """A party starts again, and with it an epoch."""
        with _transaction(self._base):
            self._base.execute("INSERT INTO seen VALUES (?)", (hello.raw,))
            self._base.execute("REPLACE INTO hellos VALUES (?, ?)", (hello.party, hello.raw))
            self._base.execute("DELETE FROM notes WHERE kind != 'agree'")
        self.hellos[hello.party] = hello
        self._drop(lambda slot: slot[0] != "agree")

    def _drop(self, is_over: Callable[[Slot], bool]) -> None:
        self._open = {slot: notes for slot, notes in self._open.items() if not is_over(slot)}

    def _remember(self, frame: Frame, body: bytes) -> None:
        note = Message(frame, b"" if frame.kind == LARGE else body)
        self._open.setdefault(_slot(frame.kind, frame.round), {})[frame.party] = note

    def _with_body(self, message: Message) -> Message:
        if message.frame.kind != LARGE:
            return message
        (body,) = self._base.execute(
            "SELECT body FROM notes WHERE kind = ? AND round = ? AND party = ?",
            _key(message.frame),
        ).fetchone()
        return Message(message.frame, body)


@contextmanager
def _transaction(base: sqlite3.Connection) -> Iterator[None]:
    """Everything that is done within, or nothing."""
    base.execute("BEGIN IMMEDIATE")
    try:
        yield
        base.execute("COMMIT")
    except BaseException:
        if base.in_transaction:
            base.execute("ROLLBACK")
        raise


def _slot(kind: str, round_: int) -> Slot:
    return kind, 0 if kind in ONCE else round_


def _key(frame: Frame) -> tuple[str, int, int]:
    return (*_slot(frame.kind, frame.round), frame.party)
