"""Tables in which nothing is cut: columns that don't fit beside each other go below each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chatham.cli.output import plain_table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

GAP = 3
"""Blanks between columns."""


@dataclass(frozen=True)
class Column:
    """A column: its head, how it is aligned ('left' or 'right'), and its cells."""

    name: str
    how: str
    cells: Sequence[str]

    @property
    def width(self) -> int:
        """As many places as its widest cell takes."""
        from rich.cells import cell_len

        return max(map(cell_len, (self.name, *self.cells)))


def blocks(first: Sequence[Column], rest: Sequence[Column], width: int) -> list[list[Column]]:
    """As few blocks as hold all columns in their order; `first` are repeated in each.

    A block has at least one column of the rest, however narrow the terminal is.
    """
    start = sum(column.width + GAP for column in first) - GAP
    made: list[list[Column]] = []
    left = 0
    for column in rest:
        needed = GAP + column.width
        if not made or needed > left:
            made.append([*first])
            left = width - start
        made[-1].append(column)
        left -= needed
    return made or [[*first]]


def print_blocks(screen: Console, made: Sequence[Sequence[Column]]) -> None:
    """The blocks below each other; a line that is too long all the same is left to the terminal."""
    for number, columns in enumerate(made):
        if number:
            screen.print()
        print_whole(screen, _table(columns))


def print_whole(screen: Console, table: Table, least: int = 0) -> None:
    """A table as wide as the terminal, or as its columns that can't be wrapped and `least` more."""
    fixed = [column for column in table.columns if column.no_wrap]
    cells = [Column(str(c.header), "left", [str(cell) for cell in c.cells]) for c in fixed]
    whole = sum(column.width + GAP for column in cells) - GAP + (least and GAP + least)
    if whole > screen.width:
        table.width = whole
    screen.print(table, crop=False)


def _table(columns: Sequence[Column]) -> Table:
    table = plain_table(*((column.name, column.how) for column in columns))
    for row in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*row)
    return table
