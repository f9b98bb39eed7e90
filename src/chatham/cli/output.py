"""What commands print: tables that fit the terminal, JSON that machines can trust.

Where nothing may be cut, columns that don't fit side by side go below each other.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, cast

from chatham.interrupts import CUT_SHORT, say_instead

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from chatham.model.topic_model import TopicModel

WIDE = 100_000
"""Width of a line in a pipe: nothing is wrapped there, so that lines can be searched."""
PAGE = 100
"""The widest rule in a pipe, however long the lines below it."""
GAP = 3
"""Blanks between columns."""
BETTER = {True: "higher", False: "lower"}


def console(errors: bool = False) -> Console:
    """Standard output; as wide as the terminal, or as COLUMNS says, or unwrapped in a pipe.

    Or, with `errors`, standard error, for what people should read that isn't a result.
    """
    from rich.console import Console

    stream = sys.stderr if errors else sys.stdout
    how: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}
    if stream.isatty():
        return Console(stderr=errors, **how)
    width = None if "COLUMNS" in os.environ else WIDE
    return Console(file=cast("IO[str]", Unpadded(stream)), width=width, **how)


class Unpadded:
    """A stream that isn't a terminal: lines end where their text ends, and rules with a page."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write whole lines without the blanks behind them; what is no line yet, as it is."""
        *lines, rest = text.split("\n")
        self._stream.write("".join(f"{_unpadded(line)}\n" for line in lines) + rest)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _unpadded(line: str) -> str:
    """The line without what only fills a table.

    >>> _unpadded("topic   words    "), len(_unpadded("─" * 1021))
    ('topic   words', 100)
    """
    line = line.rstrip(" ")
    return line[:PAGE] if set(line) == {"─"} else line


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    say_instead(CUT_SHORT)
    print(json.dumps(value, indent=2, allow_nan=False))


def plain_table(*columns: tuple[str, str]) -> Table:
    """A table with a ruled head; each column has a name, and 'left', 'right' or 'fold'."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False)
    for name, how in columns:
        table.add_column(
            name,
            justify="right" if how == "right" else "left",
            no_wrap=how != "fold",
            overflow="fold",
        )
    return table


def topic_table(
    model: TopicModel, words: Sequence[Sequence[str]], related: Sequence[str] | None = None
) -> Table:
    """Topics with numbers, shares, names if any were given, anchors if they have any, words.

    Or the directions of a decomposition, with the words of both ends.
    """
    from chatham.learners.words import printable
    from chatham.model.tables import in_a_row, rows_of_words

    anchors, names = model.anchors, model.names
    columns = {
        model.kind: [str(number) for number in model.numbers],
        "share": [f"{share:.1%}" for share in model.prevalence],
        "name": [printable(names[number]) for number in model.numbers] if names.given else None,
        "anchor": None if anchors is None else [printable(in_a_row(group)) for group in anchors],
        "words": [printable(row) for row in rows_of_words(model, words)],
        "goes with": related,
    }
    filled = {name: cells for name, cells in columns.items() if cells is not None}
    how = {model.kind: "right", "share": "right", "goes with": "left"}
    table = plain_table(*((name, how.get(name, "fold")) for name in filled))
    for row in zip(*filled.values(), strict=True):
        table.add_row(*row)
    return table


def topics_as_json(model: TopicModel, words: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """The same for machines."""
    anchors = model.anchors
    return [
        {
            model.kind: number,
            "name": model.names[number],
            "prevalence": float(model.prevalence[row]),
            **({} if anchors is None else {"anchor": anchors[row]}),
            "words": list(listed),
        }
        for row, (number, listed) in enumerate(zip(model.numbers.tolist(), words, strict=True))
    ]


@dataclass(frozen=True)
class Column:
    """A column: its head, how it is aligned ('left' or 'right'), and its cells."""

    name: str
    how: str
    cells: Sequence[str]

    @property
    def width(self) -> int:
        """The width of its widest cell."""
        from rich.cells import cell_len

        return max(map(cell_len, (self.name, *self.cells)))


def blocks(first: Sequence[Column], rest: Sequence[Column], width: int) -> list[list[Column]]:
    """As few blocks as hold all columns in order; `first` are repeated in each.

    A block has at least one column of the rest, however narrow the terminal is.
    """
    start = sum(column.width + GAP for column in first) - GAP
    filled: list[list[Column]] = []
    room = 0
    for column in rest:
        needed = GAP + column.width
        if not filled or needed > room:
            filled.append([*first])
            room = width - start
        filled[-1].append(column)
        room -= needed
    return filled or [[*first]]


def print_blocks(screen: Console, column_blocks: Sequence[Sequence[Column]]) -> None:
    """The blocks below each other; the terminal wraps a line that is still too long."""
    for number, columns in enumerate(column_blocks):
        if number:
            screen.print()
        print_whole(screen, _table(columns))


def print_whole(screen: Console, table: Table, least: int = 0) -> None:
    """A table as wide as the terminal, or if needed as its unwrapped columns plus `least`."""
    fixed = [column for column in table.columns if column.no_wrap]
    cells = [Column(str(c.header), "left", [str(cell) for cell in c.cells]) for c in fixed]
    needed = sum(column.width + GAP for column in cells) - GAP + (least and GAP + least)
    if needed > screen.width:
        table.width = needed
    screen.print(table, crop=False)


def _table(columns: Sequence[Column]) -> Table:
    table = plain_table(*((column.name, column.how) for column in columns))
    for row in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*row)
    return table


def print_rows(rows: Iterable[tuple[str, str]], errors: bool = False) -> None:
    """A heading, and sentences beside it; on standard error if they aren't results."""
    from rich.table import Table

    from chatham.learners.words import printable

    screen = console(errors)
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")  # a path that is too long goes on in the next line
    for head, text in rows:
        table.add_row(head, printable(text))
    screen.print(table, width=min(screen.width, 100))


def plain(value: Any) -> Any:
    """A value that JSON can hold; numbers that aren't finite are None."""
    from chatham.model.plain import finite

    return finite(value)
