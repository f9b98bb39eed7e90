"""Reader of .xlsx: the values of a sheet's cells, and nothing that a spreadsheet could do.

Formulas aren't computed: what the spreadsheet program saw last is read. Links to other files are
never followed. The file is an archive of XML, so it has the limits of archives, and XML in which
entities are declared is refused, since they unpack to anything.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from typing import Any

import pandas as pd

from chatham.corpus.readers.archives import Archive
from chatham.corpus.readers.delimited import numbered, refuse_repeated
from chatham.corpus.readers.files import OR_SKIP, File, read_bytes
from chatham.corpus.readers.sources import LARGEST_TABLE, Reading, Table, check_cells, left_out
from chatham.errors import InputError
from chatham.naming import plural
from chatham.wording import say

MOST_ROWS = 2**20
"""That a sheet can have; a damaged file may speak of more."""

ERRORS = frozenset(
    ("#N/A", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#GETTING_DATA")
)
"""What a formula that failed leaves: no value."""

DECLARATIONS = (b"<!DOCTYPE", b"<!ENTITY")


def read_xlsx(file: File, reading: Reading) -> Table:
    """Read the first sheet of a spreadsheet, with a header; the notes say what it is called."""
    openpyxl = _openpyxl()
    content = read_bytes(file)
    _check(content, file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what openpyxl would lose on writing
            book = openpyxl.load_workbook(
                io.BytesIO(content), read_only=True, data_only=True, keep_links=False
            )
            sheets = book.worksheets
            if not sheets:
                raise InputError(f"The file {file} has no sheet of cells: give one that does.")
            rows = list(_rows(sheets[0], file))
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"The file {file} is damaged or isn't .xlsx ({type(error).__name__}): save it again as "
            ".xlsx, or as .csv."
        ) from None
    notes = []
    if len(sheets) > 1:
        notes.append(f"Of the {len(sheets):,} sheets of {file.name} the first was read.")
    return _table(rows, file, reading, notes)


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError:
        raise InputError(
            "Reading .xlsx needs the extra 'excel', which isn't installed: install "
            "chatham[excel], or save the table as .csv."
        ) from None
    return openpyxl


def _check(content: bytes, file: File) -> None:
    """Refuse a bomb, of either kind, before any of it is parsed."""
    with Archive(io.BytesIO(content), file, ".xlsx") as archive:
        members = archive.members()
        archive.check(members)
        for member in members:
            before = b""
            for block in member.blocks():
                # Without zeros, UTF-16 looks like ASCII here.
                now = before + block.replace(b"\0", b"")
                if any(declaration in now for declaration in DECLARATIONS):
                    raise InputError(
                        f"The file {file} declares entities, which no spreadsheet needs and a bomb "
                        "is made of: save it again as .xlsx, or as .csv."
                    )
                before = now[-len(DECLARATIONS[0]) :]


def _rows(sheet: Any, file: File) -> Iterator[list[Any]]:
    """The values of each row, without the empty cells at its end."""
    sheet.reset_dimensions()  # what the file says of its size may be wrong
    n_rows = n_cells = 0
    for row in sheet.iter_rows(values_only=True):
        n_rows, n_cells = n_rows + 1, n_cells + len(row)
        if n_rows > MOST_ROWS or n_cells > LARGEST_TABLE:
            raise InputError(
                f"The file {file} has more than {MOST_ROWS:,} rows or {LARGEST_TABLE:,} cells, "
                "which is the limit: save it as .csv."
            )
        values = [None if isinstance(value, str) and value in ERRORS else value for value in row]
        while values and values[-1] in (None, ""):
            values.pop()
        yield values


def _table(rows: list[list[Any]], file: File, reading: Reading, notes: list[str]) -> Table:
    while rows and not rows[-1]:  # rows that were only formatted
        rows.pop()
    filled = [(number, row) for number, row in enumerate(rows, start=1) if row]
    if not filled:
        raise InputError(f"The file {file} is empty: give one with a header and documents.")
    if len(filled) < len(rows):
        notes.append(f"Skipped {plural(len(rows) - len(filled), 'blank row')} of {file.name}.")
    names = numbered(max(len(row) for _, row in filled))
    if reading.header:
        _, header = filled.pop(0)
        refuse_repeated([str(name) for name in header if name is not None], file)
        names = [_name(header, position) for position in range(len(header))]
        wide = [number for number, row in filled if len(row) > len(names)]
        if wide and not reading.skip_bad_rows:
            raise InputError(
                say(
                    "Row {number:,} of {file} has more cells than the {width} columns that the "
                    "header names: name them all, or {skip}.",
                    number=wide[0],
                    file=file,
                    width=len(names),
                    skip=OR_SKIP,
                )
            )
        notes += left_out(len(wide), f"row {wide[0]:,}" if wide else "", file)
        filled = [(number, row) for number, row in filled if len(row) <= len(names)]
    check_cells(file, len(filled), len(names))
    columns = {
        name: _values([row[place] if place < len(row) else None for _, row in filled])
        for place, name in enumerate(names)
    }
    frame = pd.DataFrame(columns, index=pd.RangeIndex(len(filled)))
    return Table(frame, notes, header=reading.header)


def _name(header: list[Any], position: int) -> str:
    value = header[position]
    return f"column {position + 1}" if value is None else str(value)


def _values(values: list[Any]) -> pd.Series:
    """A column's values; where some are texts all are, as people type numbers among words."""
    if any(isinstance(value, str) for value in values):
        values = [None if value is None else _as_text(value) for value in values]
        return pd.Series(values, dtype=object)
    return pd.Series(values)


def _as_text(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)
