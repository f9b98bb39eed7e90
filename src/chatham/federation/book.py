"""The book of sessions: in which ones a key took part, with whom, and with which documents.

Totals of two sessions can be subtracted. If d took part in one and not in the other, what remains
are d's own sums; if a party's documents changed, what changed. So each key has a book beside it
(`KEY.joined`), made with the key. A line is a session: its id and hash, the keys of its parties, a
hash of its rules for words, and a hash of each document, keyed with the identity so that nobody
else can test guesses. It is on disk before anything but the question (see `question`) has left.
What linear measurements of documents reveal adds up, so there is also a line for each fit in which
some leave.

A book that is missing, or holds a line that doesn't say all this, as books of 0.3.0 did, can't say
no: then documents count as having been in a session of other parties.
"""

from __future__ import annotations

import hmac
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from chatham.errors import InputError, SessionError
from chatham.federation.contents import document_digests
from chatham.federation.locking import lock_file
from chatham.federation.session import Session
from chatham.naming import plural

if TYPE_CHECKING:
    from chatham.commons.secure.keys import Identity

SHORT = 16
"""Bytes of a document's hash."""
LATE = json.dumps({"begun": "later than its key"}) + "\n"
"""The first line of a book that wasn't made with its key: what was before isn't known."""


@dataclass(frozen=True)
class Line:
    """What the book says of one session; of which parties and documents is None if it doesn't."""

    session: str
    """Its hash."""
    time: str
    parties: frozenset[str] | None = None
    documents: frozenset[str] | None = None
    number: int = 0
    """How many documents there were: different ones, and none of them empty."""
    words: str = ""
    """A hash of the rules for words."""
    fit: int = 0
    """Which fit of the session the line is about; 0 for the session itself."""
    measurements: int = 0
    """How many linear measurements of each document left in that fit; `told` in the file."""
    id: str = ""
    """The session's id, by which people know it; the first books didn't have it."""
    tables: frozenset[str] = frozenset()
    """What tables it made, each as JSON."""

    @classmethod
    def of(cls, text: str) -> Line:
        """Read a line; one that is damaged says nothing."""
        try:
            plain = json.loads(text)
            session, time = str(plain["session"]), str(plain["time"])
            if "fit" in plain:
                fit, left = _whole(plain["fit"]), _whole(plain["told"])
                return cls(session, time, frozenset(), frozenset(), fit=fit, measurements=left)
            if type(plain["documents"]) is int:  # as 0.3.0 wrote it
                return cls(session, time, number=plain["documents"])
            parties, documents = _texts(plain["parties"]), _texts(plain["documents"])
            about = len(documents), str(plain["words"])
            called, tables = str(plain.get("id", "")), _texts(plain.get("tables", []))
            return cls(session, time, parties, documents, *about, id=called, tables=tables)
        except (ValueError, KeyError, TypeError, RecursionError):
            return cls("", "")

    def to_json(self) -> str:
        """The line, as the file has it."""
        plain: dict[str, Any] = {"time": self.time, "session": self.session}
        if self.fit:
            return json.dumps(plain | {"fit": self.fit, "told": self.measurements}) + "\n"
        about = {"id": self.id, "parties": sorted(self.parties or ()), "words": self.words}
        about |= {"tables": sorted(self.tables)} if self.tables else {}
        return json.dumps(plain | about | {"documents": sorted(self.documents or ())}) + "\n"


def _texts(values: Any) -> frozenset[str]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError
    return frozenset(values)


def _whole(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise TypeError
    return value


class Book:
    """The book beside a key."""

    def __init__(self, path: Path, identity: Identity) -> None:
        self.path, self._identity = path, identity

    @classmethod
    def beside(cls, key: str | Path, identity: Identity) -> Book:
        """The book of the key in this file."""
        return cls(book_of(Path(key)), identity)

    def page(self, session: Session, rows: Any) -> Page:
        """What the book says of a session with these documents."""
        key = self._identity.derive(b"documents")
        digests = (hmac.digest(key, each, "sha256") for each in document_digests(rows) if each)
        return Page(self, session, frozenset(digest[:SHORT].hex() for digest in digests))

    def lines(self) -> list[Line] | None:
        """The sessions joined with this key; None if there is no book that would say so.

        A last line without its end was cut short by a crash, before anything left.
        """
        try:
            text = self.path.read_text("utf-8", errors="replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(f"'{self.path}' can't be read: {error.strerror}.") from None
        return [Line.of(each) for each in text[: text.rfind("\n") + 1].splitlines()]

    @contextmanager
    def writing(self) -> Iterator[Callable[[str], None]]:
        """A function that adds a line, while no other process writes any."""
        try:
            if not self.path.exists():
                self._begin_late()
            with open(self.path, "a+b", opener=_for_me_alone) as file:
                lock_file(file.fileno(), wait=True)
                yield lambda line: _append(file, line)
        except OSError as error:
            raise self._unwritten(error) from None

    def _begin_late(self) -> None:
        """A book in place of a missing one, which says so from its first moment: an empty book
        would say that its key never joined anything."""
        whole = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        try:
            with open(whole, "wb", opener=_for_me_alone) as file:
                file.write(LATE.encode())
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileExistsError):  # another process was quicker
                os.link(whole, self.path)
        finally:
            whole.unlink(missing_ok=True)

    def _unwritten(self, error: OSError) -> InputError:
        return InputError(
            f"'{self.path}' can't be written ({error.strerror}), so nothing leaves: it must say "
            "with which documents you took part. Make room, and join again."
        )


@dataclass(eq=False)
class Page:
    """What the book says of one session with these documents."""

    book: Book
    session: Session
    documents: frozenset[str]
    """The keyed hash of each."""
    _fits: int = field(default=0, init=False)

    @cached_property
    def parties(self) -> frozenset[str]:
        """The keys of the roster."""
        return frozenset(member.key for member in self.session.parties)

    @property
    def is_elsewhere(self) -> bool:
        """Whether any of these documents was, or may have been, in a session of other parties."""
        lines = self.book.lines()
        return lines is None or any(map(self._is_elsewhere, lines))

    def concerns(self) -> list[str]:
        """Warnings of what earlier sessions, together with this one, could reveal."""
        lines = self.book.lines()
        if lines is None:
            return [
                f"There is no '{self.book.path}', the book of sessions that is made with a key: "
                f"these documents may have been in sessions of other parties.{self._then}"
            ]
        unknown = [line for line in lines if line.parties is None]
        others = [line for line in lines if line.parties and self._is_elsewhere(line)]
        same = [self._changed(line) for line in lines if line.parties == self.parties]
        unlike = [*map(self._unknown, unknown[-1:]), *map(self._elsewhere, others[-1:])]
        tabled = [self._tabled(line) for line in lines]
        return [*unlike, *list(filter(None, same))[-1:], *list(filter(None, tabled))[-1:]]

    def next_fit(self) -> int:
        """Another fit begins: how many measurements left before it.

        That is in other sessions with any of these documents, and in earlier fits of this one.
        After a restart the same fits come in the same order.
        """
        told = self.told
        self._fits += 1
        return told

    @property
    def told(self) -> int:
        """How many measurements were told before the fit that comes next."""
        lines = self.book.lines() or []
        others = {line.session for line in lines if self._is_other(line) and self._shared(line)}
        of_fit: dict[tuple[str, int], int] = {}
        for line in lines:
            if line.session in others or (not self._is_other(line) and line.fit <= self._fits):
                fit = line.session, line.fit
                of_fit[fit] = max(of_fit.get(fit, 0), line.measurements)
        return sum(of_fit.values())

    def enter_measurements(self, number: int) -> None:
        """Write how many measurements this fit has, before the first of them leaves."""
        mine = self.session.hash.hex(), self._fits
        with self.book.writing() as write:
            lines = self.book.lines() or []
            written = [line.measurements for line in lines if (line.session, line.fit) == mine]
            if number > max(written, default=0):
                write(Line(mine[0], _now(), fit=mine[1], measurements=number).to_json())

    def enter(self) -> None:
        """Write that these documents take part, before anything else leaves.

        Refused here if meanwhile, after the question, they took part with other parties.
        """
        with self.book.writing() as write:
            lines = self.book.lines() or []
            mine = [line for line in lines if not self._is_other(line)]
            if any(line.documents == self.documents for line in mine):
                return
            if not self.session.roster_changed_know and any(map(self._is_elsewhere, lines)):
                raise SessionError(
                    "Since all were asked, some of these documents took part with this key in a "
                    "session of other parties, and totals of the two can be subtracted; this party "
                    "stops here. If all accept that, make a session with "
                    "'chatham session --roster-changed-know'.",
                    kind="roster",
                )
            write(self._line().to_json())

    def _line(self) -> Line:
        rules = json.dumps(dict(self.session.vocabulary), sort_keys=True).encode()
        words = sha256(b"chatham words" + rules).hexdigest()
        about = self.parties, self.documents, len(self.documents), words
        ours = self.session
        return Line(ours.hash.hex(), _now(), *about, id=ours.id, tables=self.tables)

    def _is_other(self, line: Line) -> bool:
        return line.session != self.session.hash.hex()

    def _shared(self, line: Line) -> int:
        return len(self.documents & (line.documents or frozenset()))

    def _is_elsewhere(self, line: Line) -> bool:
        if line.parties is None:
            return self._is_other(line)
        return line.parties != self.parties and self._shared(line) > 0

    def _changed(self, line: Line) -> str:
        shared = self._shared(line)
        new, gone = len(self.documents) - shared, line.number - shared
        if not shared or not (new or gone):
            return ""
        left = f", and {gone:,} that were in it aren't here now" if gone else ""
        return (
            f"Of your {self._number} {shared:,} were in {self._which(line)} on {line.time[:10]}, "
            f"with the same parties{left}. If the other parties' documents are "
            f"the same as then, the totals of the two differ by those {new + gone:,}: so few can "
            "be recognised."
        )

    def _tabled(self, line: Line) -> str:
        """What tables of another session, with these of this one, could tell."""
        shared = self._shared(line)
        if not (shared and self._is_other(line) and line.tables and self.tables - line.tables):
            return ""
        return (
            f"{shared:,} of your {self._number} were in {self._which(line)} on {line.time[:10]}, "
            "which made other tables of them, over time or by group. Tables of the same documents "
            "can be subtracted, and those of two sessions aren't made with each other in mind: a "
            "year less its months may be few documents."
        )

    @cached_property
    def tables(self) -> frozenset[str]:
        """What tables the session makes, each as JSON."""
        return frozenset(json.dumps(dict(table), sort_keys=True) for table in self.session.tables)

    def _elsewhere(self, line: Line) -> str:
        return (
            f"{self._shared(line):,} of your {self._number} were in {self._which(line)} on "
            f"{line.time[:10]}, with other parties. The totals of the two differ by the parties "
            "that came or left: who knows both has a sum over their documents alone."
            f"{self._then}"
        )

    @property
    def _number(self) -> str:
        """How many there are, and what isn't counted: the same one twice, or an empty one."""
        return plural(len(self.documents), "different, non-empty document")

    def _which(self, line: Line) -> str:
        if not self._is_other(line):
            return "this session"
        if not line.id:
            return f"the session with the hash {line.session[:8]}…"
        return f"session {line.id[:8]}…"

    def _unknown(self, line: Line) -> str:
        if not line.session:
            return (
                f"'{self.book.path}' doesn't say of all sessions joined with this key which "
                f"documents were in them: they may have been in one of other parties.{self._then}"
            )
        which = "another" if self._is_other(line) else "this"
        return (
            f"With this key you took part in {which} session on {line.time[:10]}, with documents "
            f"that the book of that time doesn't list ({line.number:,} of them). If they were "
            "these but for a few, the two totals differ by those few."
            f"{self._then if self._is_other(line) else ''}"
        )

    @property
    def _then(self) -> str:
        if self.session.roster_changed_know:
            return " This session says that all parties know of that."
        return (
            " You will say so, without giving your name, and all stop; only a session made with "
            "'chatham session --roster-changed-know' goes on."
        )


def _append(file: BinaryIO, text: str) -> None:
    """Write to the end, and wait until it is on the disk; a line cut short by a crash goes."""
    file.seek(0)
    file.truncate(file.read().rfind(b"\n") + 1)
    file.write(text.encode())
    file.flush()
    os.fsync(file.fileno())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _for_me_alone(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def book_of(key: Path) -> Path:
    """The path of a key's book."""
    return key.with_name(f"{key.name}.joined")


def save_identity(identity: Identity, key: Path) -> None:
    """Write a new identity's private key, and beside it a book in which no session is yet."""
    identity.save(key)
    book = book_of(key)
    try:
        os.close(os.open(book, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        key.unlink()
        raise InputError(
            f"{book} exists, the book of sessions of another key; move it away with its key, or "
            "choose another name."
        ) from None
    except OSError as error:
        key.unlink()
        raise InputError(f"{book} can't be written: {error.strerror}.") from None
