"""Many files as one corpus: a folder, an archive, or several files that were named.

In a folder or an archive, each file of text is a document, and tables are read one after the other.
Everything goes in the order of names, so that the corpus doesn't depend on the disk. What is hidden
is left alone, and what else isn't read is counted in the notes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

import pandas as pd

from chatham.corpus.readers.archives import ARCHIVES, Archive, Member
from chatham.corpus.readers.files import File, ending
from chatham.corpus.readers.formats import (
    ENDINGS,
    TABLES,
    TXT,
    WITHOUT_HEADER,
    check_reading,
    reader_of,
)
from chatham.corpus.readers.plain_text import read_document
from chatham.corpus.readers.sources import Bag, Reading, Table, together
from chatham.errors import FileError, InputError
from chatham.naming import plural
from chatham.wording import Otherwise, say

NOT_FROM_PEOPLE = (".", "__MACOSX", "~$")
"""How names begin of what systems keep for themselves, the last for a spreadsheet that is open."""

LOOKED_AT = 8192
"""Bytes at the beginning of a file, of which none is zero in text."""

MOST_ENDINGS, LONGEST_ENDING = 5, 10
"""That a note names."""


@dataclass(frozen=True)
class Found:
    """A file in a folder or an archive, and its path there."""

    inner: PurePath
    file: File

    @property
    def is_hidden(self) -> bool:
        """Whether its name says that it isn't meant for people."""
        return any(part.startswith(NOT_FROM_PEOPLE) for part in self.inner.parts)

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders on the way to it."""
        return self.inner.parts[:-1]


def read_folder(folder: Path, reading: Reading) -> Table:
    """Read every file below a folder that can be read, by its ending."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    found = [Found(path.relative_to(folder), File(path)) for path in paths]
    return _read(f"The folder {folder}", found, reading)


def read_archive(file: File, reading: Reading) -> Table:
    """Read every file in a .zip that can be read, without unpacking it to anywhere."""
    try:
        with file.path.open("rb") as stream, Archive(stream, file) as archive:
            found = [Found(member.inner, member) for member in archive.members()]
            return _read(f"The archive {file}", found, reading, archive)
    except OSError as error:
        raise FileError(
            f"The file {file} can't be read: {error.strerror}.", path=file.path
        ) from None


def read_several(tables: Sequence[Table | Bag]) -> Table:
    """Several files as one table, in the order in which they were named."""
    read = [table for table in tables if isinstance(table, Table)]
    if len(read) < len(tables):
        raise InputError("Counts can't be read from several files at once: give one, or the texts.")
    return together(read)


def _read(
    place: str, found: list[Found], reading: Reading, archive: Archive | None = None
) -> Table:
    visible = [each for each in found if not each.is_hidden]
    chosen, read = _chosen(place, visible, reading)
    if archive is not None:
        archive.check(each.file for each in chosen)
    table = read(place, chosen, reading)
    others = [each for each in visible if each not in set(chosen)]
    table.notes += _others_note(others)
    return table


def _chosen(
    place: str, found: list[Found], reading: Reading
) -> tuple[list[Found], Callable[[str, list[Found], Reading], Table]]:
    """Which files are read, and how: those of one kind, unless a format was named."""
    for each in found:
        if isinstance(each.file, Member) and each.file.is_archive:
            raise FileError(
                f"{place} holds another archive, and archives in archives aren't read: unpack it "
                "yourself, and give the folder.",
                path=each.file.path,
            )
    if reading.format is not None:
        check_reading(reading.format, reading)
        chosen = [each for each in found if _format_of(each) == reading.format] or found
        return _some(place, chosen), _documents if reading.format == TXT else _tables
    if reading.delimiter is not None or not reading.header:
        tables = [each for each in found if _format_of(each) in WITHOUT_HEADER]
        return _some(place, tables or [e for e in found if _looks_like_text(e)]), _tables
    texts = [each for each in found if _format_of(each) == TXT]
    tables = [each for each in found if _format_of(each) in TABLES]
    if texts or tables:
        # A table has a readme beside it, and texts have a list of them.
        is_texts = sum(each.file.size for each in texts) >= sum(each.file.size for each in tables)
        return (texts, _documents) if texts and (is_texts or not tables) else (tables, _tables)
    return _some(place, [each for each in found if _looks_like_text(each)]), _documents


def _some(place: str, found: list[Found]) -> list[Found]:
    if not found:
        raise InputError(f"{place} holds no file of text and no table: give one that does.")
    return found


def _format_of(each: Found) -> str | None:
    return ENDINGS.get(ending(each.file.path))


def _looks_like_text(each: Found) -> bool:
    """Whether nothing speaks against text: no ending of another kind, no zeros."""
    path = each.file.path
    if _format_of(each) not in (None, TXT) or path.suffix.lower() in ARCHIVES:
        return False
    beginning = next(each.file.blocks(), b"")[:LOOKED_AT]
    return b"\0" not in beginning or beginning[:2] in (b"\xff\xfe", b"\xfe\xff")


def _documents(place: str, found: list[Found], reading: Reading) -> Table:
    """One document per file; its id is the path, its label a folder."""
    texts, read, bad = [], [], []
    for each in found:
        try:
            texts.append(read_document(each.file, reading))
            read.append(each)
        except FileError:  # of the archive, or of the disk
            raise
        except InputError:
            if not reading.skip_bad_rows:
                raise
            bad.append(each)
    frame = pd.DataFrame({"id": [each.inner.as_posix() for each in read], "text": texts})
    kinds = {ending(each.file.path) for each in read}
    kind = _ending_shown(kinds.pop()) if len(kinds) == 1 else ""
    noun = f"{kind} file" if kind.startswith(".") else "file"
    notes = [f"Read {plural(len(read), noun)}, one document each."]
    if bad:
        notes.append(f"Left out {plural(len(bad), 'file')} in another encoding.")
    labels = _labels(read)
    if any(labels):
        frame["label"] = labels
    return Table(frame, notes, text="text")


def _tables(place: str, found: list[Found], reading: Reading) -> Table:
    """Tables one after the other; rows have a folder as label if they have none."""
    labels = _labels(found)
    tables = []
    for each, label in zip(found, labels, strict=True):
        table = reader_of(each.file.path, reading)(each.file, reading)
        if isinstance(table, Bag):
            raise InputError(f"{place} holds counts: give one file of counts, or the texts.")
        if any(labels) and "label" not in table.frame.columns:
            table.frame["label"] = pd.Series([label] * len(table.frame), dtype=object)
        tables.append(table)
    table = together(tables)
    if len(found) > 1:
        table.notes.insert(0, f"Read {len(found):,} tables, one after the other.")
    return table


def _labels(found: list[Found]) -> list[str | None]:
    """The first folder on the way to each that not all have in common, as an archive's own is."""
    shared = _shared([each.folders for each in found])
    below = [each.folders[shared:] for each in found]
    return [folders[0] if folders else None for folders in below]


def _shared(paths: Sequence[tuple[str, ...]]) -> int:
    """How many folders all paths begin with: as many as the first and the last in order."""
    first, last = min(paths, default=()), max(paths, default=())
    alike = [ours == theirs for ours, theirs in zip(first, last, strict=False)]
    return alike.index(False) if False in alike else len(alike)


def _ending_shown(ending: str) -> str:
    """An ending that is one; whoever named a file may have put anything behind a point."""
    if not ending:
        return "no ending"
    is_usual = len(ending) <= LONGEST_ENDING and ending[1:].isalnum()
    return ending if is_usual else "another ending"


def _others_note(others: list[Found]) -> list[str]:
    if not others:
        return []
    endings = Counter(_ending_shown(each.file.path.suffix.lower()) for each in others)
    named = [name for name, _ in endings.most_common(MOST_ENDINGS)]
    more = ", ..." if len(endings) > MOST_ENDINGS else ""
    return [
        say(
            "Left out {others} ({named}{more}){choose}.",
            others=plural(len(others), "other file"),
            named=", ".join(named),
            more=more,
            choose=Otherwise(say("; pass {format=} to choose what is read"), ""),
        )
    ]
