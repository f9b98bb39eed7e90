"""Tables over time and by group, and those that parties made together, in a file beside the model.

Whoever has only the model can't make these again, since they are over everybody's documents. As the
file of scores, it says which session they are of and, by a hash, which model; those of another
aren't read, and every byte is checked.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from chatham.errors import ModelFileError
from chatham.model.packing import check_size, described
from chatham.model.plain import finite

if TYPE_CHECKING:
    import pandas as pd

FILE = "tables.json"
MOST_BYTES = 1 << 27
DAY = 10
"""Characters of a day, as 2017-02-07."""
SHARES = ("share", "low", "high")
ABOUT = ("every", "session", "skipped")
"""What a table says of itself: its spans, whose it is, and why there is none."""
COMMON = ("documents", "topic", *SHARES, "words")


def cell_table(column: str, every: str | None, values: Mapping[str, Any]) -> pd.DataFrame:
    """A table of cells: spans of time as `start` and `span`, or a column's groups, and the rest.

    A column that is called like one of the others is called "group".
    """
    import pandas as pd

    if every is None:
        named = {_group_column(column): values["name"]}
    else:
        starts = np.array(list(values["start"]), dtype="datetime64[us]")
        named = {"start": starts, "span": values["name"]}
    table = pd.DataFrame({**named, **{name: values[name] for name in COMMON}}).astype(
        {"documents": "int64", "topic": "int64", **dict.fromkeys(SHARES, "float64")}
    )
    table.attrs["every"] = every
    return table


def _group_column(column: str) -> str:
    return "group" if column in COMMON else column


def packed(tables: Mapping[str, pd.DataFrame], arrays_sha256: str) -> bytes:
    """The file's content: the tables with what is said of each, and whose they are."""
    content = {
        "tables": [
            {
                "column": column,
                **{name: table.attrs.get(name) for name in ABOUT},
                "cells": _rows_of(table),
            }
            for column, table in tables.items()
        ],
        "arrays_sha256": arrays_sha256,
    }
    return (json.dumps(finite(content), indent=1, allow_nan=False) + "\n").encode("ascii")


def _rows_of(table: pd.DataFrame) -> list[list[Any]]:
    """One list for each row: first day or nothing, name, and the rest in its order."""
    if table.attrs.get("every") is None:
        starts: list[Any] = [None] * len(table)
        names = table.iloc[:, 0]
    else:
        starts = [None if day != day else str(day)[:DAY] for day in table["start"]]
        names = table["span"]
    rest = (table[name].tolist() for name in COMMON)
    return [list(row) for row in zip(starts, names.tolist(), *rest, strict=True)]


def read(folder: Path, arrays_sha256: Any) -> dict[str, pd.DataFrame]:
    """The tables of the model in the folder, by their columns; none if nobody made any."""
    path = folder / FILE
    if not path.exists():
        return {}
    try:
        check_size(path, MOST_BYTES, "a model's tables")
        content = described(path.read_bytes(), path, "model's tables")
    except OSError as error:
        raise ModelFileError(f"'{path}' could not be read: {error.strerror or error}.") from error
    if content.get("arrays_sha256") != arrays_sha256:
        raise ModelFileError(f"'{path}' has the tables of another model; delete it, or move it.")
    tables: Any = content.get("tables")
    if set(content) != {"tables", "arrays_sha256"} or not _are_tables(tables):
        raise ModelFileError(
            f"'{path}' doesn't hold tables as a fit of several parties leaves them: it is damaged, "
            "or something else; without it the model can be loaded."
        )
    return {table["column"]: _table(table) for table in tables}


def _table(plain: dict[str, Any]) -> pd.DataFrame:
    names, cells = ("start", "name", *COMMON), plain["cells"]
    values = {name: [row[place] for row in cells] for place, name in enumerate(names)}
    table = cell_table(plain["column"], plain["every"], values)
    table.attrs.update({name: plain[name] for name in ABOUT})
    return table


def _are_tables(tables: Any) -> bool:
    listed = isinstance(tables, list) and all(map(_is_table, tables))
    return listed and len({table["column"] for table in tables}) == len(tables)


def _is_table(table: Any) -> bool:
    if not isinstance(table, dict) or set(table) != {"column", "cells", *ABOUT}:
        return False
    texts = all(table[name] is None or isinstance(table[name], str) for name in ABOUT)
    dated, cells = table["every"] is not None, table["cells"]
    listed = isinstance(cells, list) and all(_is_row(row, dated) for row in cells)
    return texts and isinstance(table["column"], str) and listed


def _is_row(row: Any, dated: bool) -> bool:
    if not isinstance(row, list) or len(row) != 2 + len(COMMON):
        return False
    start, name, documents, topic, share, low, high, words = row
    return (
        (start is None or (dated and _is_day(start)))
        and isinstance(name, str)
        and isinstance(words, str)
        and all(type(number) is int and 0 <= number < 2**53 for number in (documents, topic))
        and all(map(_is_share, (share, low, high)))
    )


def _is_day(text: Any) -> bool:
    from datetime import date

    try:
        return isinstance(text, str) and date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_share(value: Any) -> bool:
    """A share, or none where a cell has no document."""
    if value is None:
        return True
    return type(value) in (int, float) and math.isfinite(value) and 0 <= value <= 1
