"""What a reader is told, and what it returns: a table with texts, or words already counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from chatham.corpus.readers.files import File
from chatham.errors import FileError, InputError
from chatham.naming import columns_listed

LARGEST_TABLE = 250_000_000
"""In cells: a small file can speak of more than any memory holds."""

MOST_NOTES = 10
"""Of many files that were read as one."""


@dataclass(frozen=True)
class Reading:
    """How files are to be read, where they don't say so themselves."""

    format: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    header: bool = True
    skip_bad_rows: bool = False


@dataclass
class Table:
    """Rows of columns, one or more of which hold the text."""

    frame: pd.DataFrame
    notes: list[str] = field(default_factory=list)
    text: str | None = None
    """The text column, where the source leaves no doubt about it."""
    all_strings: bool = False
    """Numbers are still strings, as CSV has no types."""
    header: bool = False
    """Whether its names are from a first line, which may have been a document."""


@dataclass
class Bag:
    """A matrix of counts, the words of its columns if found, and metadata of its rows."""

    counts: Any
    words: list[str] | None = None
    rows: pd.DataFrame | None = None
    looked_for: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check_cells(file: File, n_rows: int, n_columns: int) -> None:
    """Refuse a table that would fill the memory with cells that its file needn't have.

    >>> from pathlib import Path
    >>> check_cells(File(Path("news.xlsx")), 1000, 10)
    """
    if n_rows * n_columns > LARGEST_TABLE:
        raise FileError(
            f"The file {file} has {n_rows:,} rows of {n_columns:,} columns, and {LARGEST_TABLE:,} "
            "cells are the limit: leave out columns, or split it.",
            path=file.path,
        )


def left_out(number: int, first: str, file: File) -> list[str]:
    """What to say of rows that can't be parsed, if there are any; `first` is where.

    >>> from pathlib import Path
    >>> left_out(2, "line 7", File(Path("news.csv")))
    ["Left out 2 rows of news.csv that can't be parsed, the first on line 7."]
    """
    if number == 0:
        return []
    rows, which = (f"{number:,} rows", "the first on") if number > 1 else ("1 row", "on")
    return [f"Left out {rows} of {file.name} that can't be parsed, {which} {first}."]


def together(tables: list[Table]) -> Table:
    """One table of several, with the columns that all of them have.

    >>> one, two = pd.DataFrame({"text": ["tea"], "n": [1]}), pd.DataFrame({"text": ["milk"]})
    >>> both = together([Table(one), Table(two)])
    >>> both.frame["text"].tolist(), both.notes
    (['tea', 'milk'], ["Columns that not all files have are left out: 'n'."])
    """
    if len(tables) == 1:
        return tables[0]
    frames = [table.frame.rename(columns=str) for table in tables]
    if not all(frame.columns.is_unique for frame in frames):
        raise InputError("One of the tables has columns of the same name: rename them.")
    strings = [table.all_strings for table in tables]
    names = dict.fromkeys(name for frame in frames for name in frame.columns)
    shared = [name for name in names if all(name in frame.columns for frame in frames)]
    notes = _fewer(list(dict.fromkeys(note for table in tables for note in table.notes)))
    if len(shared) < len(names):
        others = columns_listed(name for name in names if name not in shared)
        notes.append(f"Columns that not all files have are left out: {others}.")
    columns = {name: _end_to_end([frame[name] for frame in frames], strings) for name in shared}
    texts = {table.text for table in tables}
    return Table(
        pd.DataFrame(columns, index=pd.RangeIndex(sum(map(len, frames)))),
        notes,
        text=texts.pop() if len(texts) == 1 else None,
        all_strings=all(table.all_strings for table in tables),
        header=any(table.header for table in tables),
    )


def _end_to_end(columns: list[pd.Series], strings: list[bool]) -> pd.Series:
    if any(column.dtype.kind in "iufb" for column in columns):
        # What is a number in one file was one in a file without types too.
        columns = [
            _numbers_if_all(column) if untyped else column
            for column, untyped in zip(columns, strings, strict=True)
        ]
    if len({column.dtype for column in columns}) > 1:
        # Numbers here and texts there stay what they are, instead of what they share.
        columns = [column.astype(object) for column in columns]
    return pd.concat(columns, ignore_index=True)


def _fewer(notes: list[str]) -> list[str]:
    if len(notes) <= MOST_NOTES:
        return notes
    more = len(notes) - MOST_NOTES
    return [*notes[:MOST_NOTES], f"{more:,} more notes of this kind on other files."]


def with_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn columns of digits into numbers, unless a leading zero shows that they are codes.

    >>> table = with_numbers(pd.DataFrame({"year": ["2016", "2020"], "code": ["007", "12"]}))
    >>> table["year"].tolist(), table["code"].tolist()
    ([2016, 2020], ['007', '12'])
    """
    return frame.apply(_numbers_if_all)


def _numbers_if_all(column: pd.Series) -> pd.Series:
    if len(column) == 0 or not all(isinstance(value, str) for value in column):
        return column
    if any(value[:1] == "0" and value[1:2].isdigit() for value in column):
        return column
    try:
        return pd.to_numeric(column)
    except (ValueError, TypeError):
        return column
