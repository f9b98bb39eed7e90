"""The relay's record of what parties sent: signed notes in SQLite, and the open ones in memory.

A note is on disk before anybody is told of it, so a relay that is killed says the same when it
comes back. An epoch's notes are deleted when it ends, except for agreements on totals and refusals
to take part, which are kept: whoever was away then must hear of them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from chatham.commons.secure.agreement import Message
from chatham.commons.secure.frames import Frame
from chatham.errors import CheckpointError, ProtocolError

_TABLES = """
CREATE TABLE IF NOT EXISTS hellos (party INTEGER PRIMARY KEY, raw BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS greeted (
    number INTEGER PRIMARY KEY, party INTEGER NOT NULL, hash BLOB NOT NULL UNIQUE);
DROP TABLE IF EXISTS seen;
CREATE TABLE IF NOT EXISTS notes (
    kind TEXT, round INTEGER, party INTEGER, raw BLOB NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (kind, round, party));
"""
ONCE = ("shares", "confirm", "refuse")
"""The kinds of notes that are sent once, in an epoch or at all, in whatever round."""
KEPT = ("agree", "refuse")
"""The kinds of notes that outlast an epoch."""
HELLOS = 1000
"""How many of a party's hellos are remembered, as hashes, so that none is replayed."""

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
            self._remember(Message(read(raw), body))

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def messages(self, kind: str, round_: int) -> list[Message]:
        """All notes of a kind about a round, in the roster's order."""
        by_party = self._open.get(_slot(kind, round_), {})
        return [by_party[party] for party in sorted(by_party)]

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
            self._remember(message)
        if forget_after is not None:
            self._drop(lambda slot: slot[0] == "agree" and slot[1] > forget_after)

    def settle(self, round_: int) -> None:
        """All have signed a round: delete its sum, what led to it, and the agreements on earlier
        rounds, which a party that lacks one gets from another party."""
        self._base.execute(
            "DELETE FROM notes WHERE kind IN ('announce', 'sum') OR (kind = 'agree' AND round < ?)",
            (round_,),
        )
        self._drop(
            lambda slot: slot[0] in ("announce", "sum") or (slot[0] == "agree" and slot[1] < round_)
        )

    def forget(self, kind: str, rounds: Iterable[int]) -> None:
        """Delete notes of a kind about these rounds."""
        slots = {_slot(kind, round_) for round_ in rounds}
        if slots:
            self._base.executemany("DELETE FROM notes WHERE kind = ? AND round = ?", slots)
            self._drop(slots.__contains__)

    def forget_agreements(self, party: int, most: int) -> None:
        """Delete a party's agreements on all but so many of the latest rounds."""
        signed = [r for r in self.rounds("agree") if party in self.senders("agree", r)]
        for round_ in signed[: max(len(signed) - most, 0)]:
            self._base.execute(
                "DELETE FROM notes WHERE kind = 'agree' AND round = ? AND party = ?",
                (round_, party),
            )
            del self._open[_slot("agree", round_)][party]
        self._drop(lambda slot: not self._open[slot])

    def was_seen(self, hello: Frame) -> bool:
        """Whether this hello was sent before."""
        seen = self._base.execute("SELECT 1 FROM greeted WHERE hash = ?", (_hash(hello),))
        return seen.fetchone() is not None

    def begin(self, hello: Frame) -> None:
        """A party starts again, and with it an epoch."""
        party = hello.party
        with _transaction(self._base):
            self._base.execute(
                "INSERT INTO greeted (party, hash) VALUES (?, ?)", (party, _hash(hello))
            )
            self._base.execute(
                "DELETE FROM greeted WHERE party = ? AND number NOT IN "
                "(SELECT number FROM greeted WHERE party = ? ORDER BY number DESC LIMIT ?)",
                (party, party, HELLOS),
            )
            self._base.execute("REPLACE INTO hellos VALUES (?, ?)", (party, hello.raw))
            self._base.execute("DELETE FROM notes WHERE kind NOT IN (?, ?)", KEPT)
        self._base.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # or a thousand hellos leave a log
        self.hellos[party] = hello
        self._drop(lambda slot: slot[0] not in KEPT)

    def _drop(self, is_over: Callable[[Slot], bool]) -> None:
        self._open = {slot: notes for slot, notes in self._open.items() if not is_over(slot)}

    def _remember(self, message: Message) -> None:
        frame = message.frame
        self._open.setdefault(_slot(frame.kind, frame.round), {})[frame.party] = message


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


def _hash(hello: Frame) -> bytes:
    return sha256(hello.raw).digest()
