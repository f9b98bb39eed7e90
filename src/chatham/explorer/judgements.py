"""What people think of topics: ratings, junk, notes and answers, in `judgements.sqlite`.

The file lies in the model's folder, or where it is told to, and belongs to one model, by the hash
of its arrays; loading a model never opens it. Its content is hostile until it is checked: it has
exactly the tables below and nothing that runs, or it is refused. What was answered with "saved" is
on the disk (`synchronous=FULL`), so that a server that is killed loses nothing.

Where the folder can't be written, judgements are kept as long as the server runs, and it says so.
"""

from __future__ import annotations

import csv
import io
import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

from chatham.errors import InputError
from chatham.naming import path_shown

FILE = "judgements.sqlite"
FORMAT = "chatham judgements 1"
LONGEST_NOTE = 4000
RATINGS = (1, 2, 3, 4, 5)
SCHEMA = {
    "about": "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "topics": (
        "CREATE TABLE topics (model TEXT NOT NULL, topic INTEGER NOT NULL, rating INTEGER, "
        "junk INTEGER NOT NULL, note TEXT NOT NULL, PRIMARY KEY (model, topic))"
    ),
    "answers": (
        "CREATE TABLE answers (model TEXT NOT NULL, question TEXT NOT NULL, topic INTEGER NOT NULL,"
        " answer TEXT NOT NULL, intruder TEXT NOT NULL, PRIMARY KEY (model, question))"
    ),
}
SETTINGS = ("trusted_schema=OFF", "synchronous=FULL", "cell_size_check=ON")
MOST_BYTES = 1 << 26
"""A larger file isn't opened: it would be read for minutes, and no people judge that much."""
ODD = {
    "topics": (
        "typeof(model) <> 'text' OR typeof(topic) <> 'integer' OR typeof(junk) <> 'integer' "
        "OR typeof(note) <> 'text' OR (rating IS NOT NULL AND "
        "(typeof(rating) <> 'integer' OR rating NOT BETWEEN 1 AND 5))"
    ),
    "answers": (
        "typeof(model) <> 'text' OR typeof(question) <> 'text' OR typeof(topic) <> 'integer' "
        "OR typeof(answer) <> 'text' OR typeof(intruder) <> 'text'"
    ),
}
"""Rows that we wouldn't have written; a column of SQLite takes values of any type."""
COLUMNS = ("topic", "name", "rating", "junk", "note", "intruder_found")

NAMES_ANOTHER = bytes.fromhex("d9d505f920a163d7")
"""How a journal ends that names a further one, which SQLite deletes, whatever file that is."""
WITH_WAL = b"\2\2"
"""Bytes 18 and 19 of a base whose changes are written ahead, into a file beside it."""


class Judgements:
    """The judgements of one model; `kept` says whether they are on the disk.

    A file is made for the first of them: who only looks leaves nothing behind.
    """

    def __init__(self, path: Path | None, model: str) -> None:
        self.model, self.path = model, path
        self.kept = path is not None and _is_writable(path)
        is_there = path is not None and os.path.lexists(path)
        self._base = _checked(path, self.kept) if path and is_there else _made()
        self._in_file = is_there and self.kept

    def _to_write(self) -> sqlite3.Connection:
        """The base on the disk, if it can be there; what was read before is in it."""
        if self.kept and not self._in_file and self.path is not None:
            opened = _checked(self.path, True)
            self._base.close()
            self._base, self._in_file = opened, True
        return self._base

    def _write(self, statement: str, values: tuple[Any, ...]) -> None:
        """Write a row, on the disk if it can be; a refusal of SQLite's is a sentence."""
        try:
            with self._to_write() as base:
                base.execute(statement, values)
        except sqlite3.DatabaseError as error:
            where = "The judgements" if self.path is None else path_shown(self.path)
            raise InputError(
                f"{where} can't be written ({error}), and nothing was saved; close other programs "
                "that have it open, or make space, and try again."
            ) from None

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()

    def topics(self) -> list[dict[str, Any]]:
        """What was said of each topic that anything was said of."""
        rows = self._base.execute(
            "SELECT topic, rating, junk, note FROM topics WHERE model = ? ORDER BY topic",
            (self.model,),
        )
        return [
            {"topic": topic, "rating": rating, "junk": bool(junk), "note": note}
            for topic, rating, junk, note in rows
        ]

    def answers(self) -> list[dict[str, Any]]:
        """The questions of word intrusion that were answered."""
        rows = self._base.execute(
            "SELECT question, topic, answer, intruder FROM answers WHERE model = ? "
            "ORDER BY question",
            (self.model,),
        )
        return [
            dict(zip(("question", "topic", "answer", "intruder"), row, strict=True)) for row in rows
        ]

    def judge(self, topic: int, rating: Any, junk: Any, note: Any) -> None:
        """Say something of a topic, in place of what was said before."""
        rated = rating is None or (type(rating) is int and rating in RATINGS)
        if not rated or type(junk) is not bool or not isinstance(note, str):
            raise InputError(
                "A judgement has a rating from 1 to 5 or none, junk as true or false, and a note."
            )
        if len(note) > LONGEST_NOTE:
            raise InputError(
                f"The note has {len(note):,} characters, and at most {LONGEST_NOTE:,} are kept; "
                "shorten it."
            )
        self._write(
            "INSERT OR REPLACE INTO topics VALUES (?, ?, ?, ?, ?)",
            (self.model, topic, rating, int(junk), note),
        )

    def answer(self, question: str, topic: int, answer: str, intruder: str) -> None:
        """Keep what was answered to a question; the first answer counts."""
        self._write(
            "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?)",
            (self.model, question, topic, answer, intruder),
        )

    def as_csv(self, names: dict[int, str]) -> str:
        """All judgements as a table, one row for each topic; cells that begin as formulas do begin
        with an apostrophe."""
        said = {each["topic"]: each for each in self.topics()}
        found = {each["topic"]: each["answer"] == each["intruder"] for each in self.answers()}
        written = io.StringIO()
        table = csv.writer(written, lineterminator="\n")
        table.writerow(COLUMNS)
        for topic, name in names.items():
            each = said.get(topic, {"rating": None, "junk": False, "note": ""})
            rating = "" if each["rating"] is None else each["rating"]
            table.writerow(
                [
                    topic,
                    _guarded(name),
                    rating,
                    _yes(each["junk"]),
                    _guarded(each["note"]),
                    "" if topic not in found else _yes(found[topic]),
                ]
            )
        return written.getvalue()


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _guarded(cell: str) -> str:
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r", "\n") else cell


def _made() -> sqlite3.Connection:
    base = sqlite3.connect(":memory:", check_same_thread=False)
    _set_up(base)
    return base


def _set_up(base: sqlite3.Connection) -> None:
    """Make the tables where there is nothing: all of them or, if it is cut short, none."""
    for setting in SETTINGS:
        base.execute(f"PRAGMA {setting}")
    with base:
        base.execute("BEGIN IMMEDIATE")  # of two that begin at a time, the second finds the first's
        if base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            for statement in SCHEMA.values():
                base.execute(statement)
            base.execute("INSERT INTO about VALUES ('format', ?)", (FORMAT,))


def _is_writable(path: Path) -> bool:
    """Whether the file can be written, or made; beside it a journal, too."""
    return os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))


def _checked(path: Path, to_write: bool) -> sqlite3.Connection:
    """The file, if it is what we would have made; a new one if there is none.

    Of one that can't be written, a copy in memory: what is said from now on is kept there.
    """
    _check_before_opening(path)
    mode = "rwc" if to_write else "ro"
    base: sqlite3.Connection | None = None
    try:
        base = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}",
                               uri=True, check_same_thread=False)  # fmt: skip
        if to_write and not (path.exists() and path.stat().st_size):
            _set_up(base)
        for setting in SETTINGS:
            base.execute(f"PRAGMA {setting}")
        if not _is_ours(base):
            raise InputError(_refusal(path))
    except (sqlite3.DatabaseError, InputError) as error:
        if base is not None:
            base.close()
        if isinstance(error, sqlite3.OperationalError):  # it may be ours: somebody has it locked
            raise InputError(f"{path_shown(path)} can't be opened: {error}.") from None
        raise InputError(_refusal(path)) from None
    if to_write:
        return base
    copy = sqlite3.connect(":memory:", check_same_thread=False)
    base.backup(copy)
    base.close()
    return copy


def _check_before_opening(path: Path) -> None:
    """Refuse what would make SQLite read, write or delete files that aren't the judgements.

    Ours has no journal but the one that a killed process leaves, which is to be rolled back.
    """
    journal, *others = (path.with_name(path.name + end) for end in ("-journal", "-wal", "-shm"))
    for each in (path, journal):
        if each.is_symlink():
            raise InputError(
                f"{path_shown(each)} is a link, and isn't followed; give --judgements the file "
                "itself."
            )
        if each.exists() and not (each.is_file() and each.stat().st_size <= MOST_BYTES):
            raise InputError(_refusal(path))
    if any(os.path.lexists(each) for each in others) or _part(path, 18, 20) == WITH_WAL:
        raise InputError(_refusal(path))
    if _part(journal, -len(NAMES_ANOTHER), None) == NAMES_ANOTHER:
        raise InputError(_refusal(path))


def _part(path: Path, begin: int, end: int | None) -> bytes:
    """Some bytes of a small file; none if it can't be read."""
    try:
        return path.read_bytes()[begin:end]
    except OSError:
        return b""


def _is_ours(base: sqlite3.Connection) -> bool:
    """Whether it has our tables, nothing else under any name, and only rows that we would write."""
    entries = base.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    found = sorted(each for each in entries if each[3] is not None)
    expected = sorted(("table", name, name, statement) for name, statement in SCHEMA.items())
    return (
        found == expected
        and _format(base) == FORMAT
        and _is_whole(base)
        and not any(
            base.execute(f"SELECT 1 FROM {table} WHERE {odd} LIMIT 1").fetchone()
            for table, odd in ODD.items()
        )
    )


def _format(base: sqlite3.Connection) -> str | None:
    row = base.execute("SELECT value FROM about WHERE name = 'format'").fetchone()
    return None if row is None else row[0]


def _is_whole(base: sqlite3.Connection) -> bool:
    with suppress(sqlite3.DatabaseError):
        return bool(base.execute("PRAGMA quick_check").fetchone()[0] == "ok")
    return False


def _refusal(path: Path) -> str:
    return (
        f"{path_shown(path)} doesn't hold judgements as this Chatham keeps them; move it away, and "
        "a new one is made."
    )
