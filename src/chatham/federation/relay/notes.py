"""The relay's memory of what parties said: signed notes in SQLite, and the open ones at hand.

A note is on disk before anybody is told of it, so a relay that is killed says the same when it
comes back. What an epoch's parties said ends with their epoch, but for agreements on totals.
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
"""What is said once in an epoch, in whatever round."""
LARGE = "totals"
"""The kind of notes whose bodies stay on disk."""

Place = tuple[str, int]


class Notes:
    """Hellos, and other notes by kind, round and party."""

    def __init__(self, path: Path, read: Callable[[bytes], Frame]) -> None:
        self._base = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self.hellos: dict[int, Frame] = {}
        self._open: dict[Place, dict[int, Message]] = {}
        try:
            self._load(read)
        except (sqlite3.DatabaseError, ProtocolError):
            raise CheckpointError(
                f"{path} is damaged: it isn't what a relay wrote there for this session. Move it "
                "away and start again: the parties agree on new keys and go on where they were."
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
        """Let go of the file."""
        self._base.close()

    def said(self, kind: str, round_: int) -> list[Message]:
        """All notes of a kind about a round, in the roster's order."""
        known = self._open.get(_place(kind, round_), {})
        return [self._whole(known[party]) for party in sorted(known)]

    def who(self, kind: str, round_: int) -> set[int]:
        """The parties that said something of a kind about a round."""
        return set(self._open.get(_place(kind, round_), ()))

    def records(self) -> list[int]:
        """How many records, from 0 on, each party that has confirmed its keys says it has."""
        return [message.frame.round for message in self.said("confirm", 0)]

    def rounds(self, kind: str) -> list[int]:
        """The rounds about which there is a note of this kind."""
        return sorted(round_ for known, round_ in self._open if known == kind)

    def get(self, frame: Frame) -> Frame | None:
        """What its party said before about the same."""
        known = self._open.get(_place(frame.kind, frame.round), {}).get(frame.party)
        return known.frame if known else None

    def add(self, messages: Iterable[Message], *, forget_after: int | None = None) -> None:
        """Keep notes, all or none; and forget agreements on rounds after one that isn't reached."""
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
            self._drop(lambda place: place[0] == "agree" and place[1] > forget_after)

    def settle(self, round_: int) -> None:
        """A round that all signed: its sum is over, and so are agreements on earlier rounds, which
        whoever lacks one gets from another party."""
        self._base.execute(
            "DELETE FROM notes WHERE kind = 'sum' OR (kind = 'agree' AND round < ?)", (round_,)
        )
        self._drop(lambda place: place[0] == "sum" or (place[0] == "agree" and place[1] < round_))

    def was_seen(self, hello: Frame) -> bool:
        """Whether this hello was said before."""
        seen = self._base.execute("SELECT 1 FROM seen WHERE raw = ?", (hello.raw,))
        return seen.fetchone() is not None

    def begin(self, hello: Frame) -> None:
        """A party starts again, and with it an epoch."""
        with _transaction(self._base):
            self._base.execute("INSERT INTO seen VALUES (?)", (hello.raw,))
            self._base.execute("REPLACE INTO hellos VALUES (?, ?)", (hello.party, hello.raw))
            self._base.execute("DELETE FROM notes WHERE kind != 'agree'")
        self.hellos[hello.party] = hello
        self._drop(lambda place: place[0] != "agree")

    def _drop(self, is_over: Callable[[Place], bool]) -> None:
        self._open = {place: known for place, known in self._open.items() if not is_over(place)}

    def _remember(self, frame: Frame, body: bytes) -> None:
        kept = Message(frame, b"" if frame.kind == LARGE else body)
        self._open.setdefault(_place(frame.kind, frame.round), {})[frame.party] = kept

    def _whole(self, message: Message) -> Message:
        if message.frame.kind != LARGE:
            return message
        (body,) = self._base.execute(
            "SELECT body FROM notes WHERE kind = ? AND round = ? AND party = ?",
            _key(message.frame),
        ).fetchone()
        return Message(message.frame, body)


@contextmanager
def _transaction(base: sqlite3.Connection) -> Iterator[None]:
    """All of what is done within, or nothing."""
    base.execute("BEGIN IMMEDIATE")
    try:
        yield
        base.execute("COMMIT")
    except BaseException:
        if base.in_transaction:
            base.execute("ROLLBACK")
        raise


def _place(kind: str, round_: int) -> Place:
    return kind, 0 if kind in ONCE else round_


def _key(frame: Frame) -> tuple[str, int, int]:
    return (*_place(frame.kind, frame.round), frame.party)
