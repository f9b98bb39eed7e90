"""Readers of tables: CSV, TSV, JSON lines and Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

from chatham.corpus.readers.files import read_bytes, read_text, split_lines
from chatham.corpus.readers.sources import Table
from chatham.errors import InputError
from chatham.naming import plural

DELIMITERS = (",", ";", "\t")
LARGEST_FIELD = 2**31 - 1

Records = list[tuple[int, list[str]]]
"""Fields, with the number of the line that the record ends on."""


def read_csv(path: Path, encoding: str | None = None) -> Table:
    """Read comma-separated columns with a header; semicolons or tabs are detected and reported."""
    text = read_text(path, encoding)
    delimiter = _likely_delimiter(text)
    notes = [] if delimiter == "," else [f"Columns of {path.name} are separated by {delimiter!r}."]
    records = _records(text, delimiter, csv.QUOTE_MINIMAL, path)
    return _as_table(records, path, notes)


def read_tsv(path: Path, encoding: str | None = None) -> Table:
    """Read tab-separated columns with a header, with quoted fields or without."""
    text = read_text(path, encoding)
    plain = _records(text, "\t", csv.QUOTE_NONE, path)
    if '"' not in text:
        return _as_table(plain, path, [])
    try:
        table = _as_table(_records(text, "\t", csv.QUOTE_MINIMAL, path), path, [])
        swallowed = _rectangular(plain) and _n_filled(plain) > len(table.frame) + 1
    except InputError:
        swallowed = True
    # Many TSV files use no quoting, so that a quotation mark is just a character.
    note = f"Quotation marks in {path.name} are taken as plain characters."
    return _as_table(plain, path, [note]) if swallowed else table


def _rectangular(records: Records) -> bool:
    """Say whether every line has as many columns as the header, and more than one."""
    widths = {len(record) for _, record in records if record}
    return len(widths) == 1 and widths != {1}


def _n_filled(records: Records) -> int:
    return sum(bool(record) for _, record in records)


def _likely_delimiter(text: str) -> str:
    header = next(iter(text.split("\n", 1)), "")
    return max(DELIMITERS, key=header.count)


def _records(text: str, delimiter: str, quoting: int, path: Path) -> Records:
    """Parse all records, each with the number of the line it ends on."""
    before = csv.field_size_limit(LARGEST_FIELD)
    try:
        lines = io.StringIO(text, newline="")
        reader = csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True)  # type: ignore[arg-type]
        return [(reader.line_num, record) for record in reader]
    except csv.Error:
        raise InputError(
            f"The file {path} is malformed near line {reader.line_num}: a quoted field must end "
            "with a quotation mark, and marks inside it must be doubled."
        ) from None
    finally:
        csv.field_size_limit(before)


def _as_table(records: Records, path: Path, notes: list[str]) -> Table:
    filled = [(line, record) for line, record in records if record]
    if not filled:
        raise InputError(f"The file {path} is empty: give one with a header and documents.")
    header = filled[0][1]
    _check_header(header, path)
    _check_widths(filled, path)
    notes = [*notes, *_long_field_notes(filled, path)]
    if len(filled) < len(records):
        skipped = plural(len(records) - len(filled), "blank line")
        notes = [*notes, f"Skipped {skipped} of {path.name}."]
    columns = zip(*(record for _, record in filled[1:]), strict=True)
    frame = pd.DataFrame(
        {name: list(values) for name, values in zip(header, columns, strict=False)},
        columns=header,
    )
    return Table(frame, notes, all_strings=True)


def _check_widths(filled: Records, path: Path) -> None:
    width = len(filled[0][1])
    for line, record in filled[1:]:
        if len(record) != width:
            raise InputError(
                f"The record that ends on line {line:,} of {path} has "
                f"{plural(len(record), 'field')} and the header has {width}: the numbers must be "
                "equal; quote fields that hold delimiters."
            )


def _long_field_notes(filled: Records, path: Path) -> list[str]:
    """Report how many fields span lines: a lone quotation mark swallows whole records that way."""
    spans = [
        len(split_lines(f"{field}."))
        for _, record in filled
        for field in record
        if "\n" in field or "\r" in field
    ]
    if not spans:
        return []
    spanning = "1 quoted field spans" if len(spans) == 1 else f"{len(spans):,} quoted fields span"
    return [f"{spanning} several lines of {path.name}, the longest {max(spans):,}."]


def _check_header(header: list[str], path: Path) -> None:
    for position, name in enumerate(header):
        if name in header[:position]:
            raise InputError(
                f"Columns {header.index(name) + 1} and {position + 1} of {path} have the same "
                "name: rename one of them, or give the file a header line if it has none."
            )


def read_jsonl(path: Path, encoding: str | None = None) -> Table:
    """Read one JSON object per line; blank lines are skipped and reported."""
    lines = split_lines(read_text(path, encoding))
    filled = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    rows = [_json_object(line, number, path) for number, line in filled]
    skipped = plural(len(lines) - len(filled), "blank line")
    notes = [f"Skipped {skipped} of {path.name}."] if len(filled) < len(lines) else []
    # Key by key, as building a frame from a million dictionaries is slow and guesses types.
    names = list(dict.fromkeys(name for row in rows for name in row))
    return Table(pd.DataFrame({name: [row.get(name) for row in rows] for name in names}), notes)


def _json_object(line: str, number: int, path: Path) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise InputError(
            f"Line {number:,} of {path} isn't a JSON object: each line must be one, such as "
            '{"id": "1", "text": "..."}.'
        )
    return row


def read_parquet(path: Path, encoding: str | None = None) -> Table:
    """Read a Parquet file; its strings are UTF-8 by definition, so an encoding changes nothing."""
    content = read_bytes(path)
    try:
        return Table(pq.read_table(io.BytesIO(content)).to_pandas())
    except Exception as error:
        raise InputError(
            f"The file {path} is damaged or isn't Parquet ({type(error).__name__}): "
            "write or fetch it again."
        ) from None


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


READERS: dict[str, Callable[[Path, str | None], Table]] = {
    ".csv": read_csv,
    ".tsv": read_tsv,
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".parquet": read_parquet,
}
"""By file extension."""
