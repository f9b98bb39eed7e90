"""Tables over time and by group, as commands print them: cells beside topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chatham.cli.output import Column, blocks, console, plain, print_blocks
from chatham.learners.words import printable

if TYPE_CHECKING:
    import pandas as pd

DAY = 10
"""Characters of a day, as 2017-02-07."""


def name_column(table: pd.DataFrame) -> str:
    """The column that names a table's cells."""
    return str(table.columns[0]) if table.attrs.get("every") is None else "span"


def print_cells(table: pd.DataFrame) -> None:
    """A row for each cell: its documents, and each topic's share; in blocks, if topics are many."""
    name, screen = name_column(table), console()
    cells = table.drop_duplicates(name)
    first = [
        Column(printable(name), "left", [printable(str(cell)) for cell in cells[name]]),
        Column("documents", "right", [f"{number:,}" for number in cells["documents"]]),
    ]
    rest = [
        Column(f"topic {topic}", "right", [_share(share) for share in rows["share"]])
        for topic, rows in table.groupby("topic", sort=True)
    ]
    print_blocks(screen, blocks(first, rest, screen.width))


def _share(share: float) -> str:
    """A share, or nothing of a cell without documents."""
    return "" if share != share else f"{share:.1%}"


def records_of(table: pd.DataFrame) -> list[dict[str, Any]]:
    """A table's rows for machines; first days as 2017-02-07."""
    records: list[dict[str, Any]] = plain(table.to_dict("records"))
    for record in records:
        if "start" in record:
            start = record["start"]
            record["start"] = None if start in (None, "NaT") else str(start)[:DAY]
    return records
