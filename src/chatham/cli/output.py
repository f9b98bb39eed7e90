"""What commands print: tables that fit the terminal, JSON that machines can trust."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from chatham.model.topic_model import TopicModel

WIDE = 1000
"""Columns of a line in a pipe: nothing is wrapped there, so that lines can be searched."""


def console(errors: bool = False) -> Console:
    """Standard output; as wide as the terminal, or as COLUMNS says, or unwrapped in a pipe.

    Or standard error, where what people are to read is that isn't a result.
    """
    from rich.console import Console

    stream = sys.stderr if errors else sys.stdout
    free = not stream.isatty() and "COLUMNS" not in os.environ
    width = WIDE if free else None
    return Console(width=width, stderr=errors, highlight=False, markup=False, emoji=False)


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    print(json.dumps(value, indent=2, allow_nan=False))


def plain_table(*columns: tuple[str, str]) -> Table:
    """A table with a line under its head; each column has a name and 'left', 'right' or 'fold'."""
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
    """Topics with their numbers, shares, anchors if they have any, words, and what they go with."""
    from chatham.learners.words import printable
    from chatham.model.tables import in_a_row

    anchors = model.anchors
    columns = {
        "topic": [str(topic) for topic in range(len(words))],
        "share": [f"{share:.1%}" for share in model.prevalence],
        "anchor": None if anchors is None else [printable(in_a_row(group)) for group in anchors],
        "words": [printable(in_a_row(listed)) for listed in words],
        "goes with": related,
    }
    there = {name: cells for name, cells in columns.items() if cells is not None}
    how = {"topic": "right", "share": "right", "goes with": "left"}
    table = plain_table(*((name, how.get(name, "fold")) for name in there))
    for row in zip(*there.values(), strict=True):
        table.add_row(*row)
    return table


def topics_as_json(model: TopicModel, words: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """The same for machines."""
    anchors = model.anchors
    return [
        {
            "topic": topic,
            "prevalence": float(model.prevalence[topic]),
            **({} if anchors is None else {"anchor": anchors[topic]}),
            "words": list(listed),
        }
        for topic, listed in enumerate(words)
    ]
