"""What `chatham documents` prints."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatham.cli.output import console, print_json
from chatham.learners.words import printable
from chatham.model.tables import in_a_row
from chatham.naming import plural

if TYPE_CHECKING:
    import pandas as pd
    from rich.text import Text

    from chatham.documents.representative import Shown
    from chatham.measures.subject import Subject


@dataclass
class Found:
    """The documents of each topic, and what there is to say about them."""

    subject: Subject
    documents: int
    shown: list[Shown]
    table: pd.DataFrame
    columns: list[str]
    """The other columns that are wanted."""
    notes: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @property
    def by_topic(self) -> dict[int, list[int]]:
        """Of each topic, which rows of the table it has."""
        rows: dict[int, list[int]] = {}
        for row, each in enumerate(self.shown):
            rows.setdefault(each.topic, []).append(row)
        return rows


def as_table(found: Found) -> pd.DataFrame:
    """A row for each topic and document."""
    return found.table


def print_for_people(found: Found, output: Path | None, quiet: bool) -> None:
    """Each topic, and below it its documents with their passages."""
    screen = console()
    if output is not None:
        if not quiet:
            counted = plural(len(found.shown), "row")
            screen.print(f"{counted}, saved in {printable(str(output))}.", soft_wrap=True)
        return
    if not found.shown:
        screen.print("No document has any word of the model's vocabulary.", soft_wrap=True)
    for number, (topic, rows) in enumerate(found.by_topic.items()):
        if number:
            screen.print()
        screen.print(_heading(found.subject, topic), soft_wrap=True)
        screen.print(_listed([(found, row) for row in rows]))


def _heading(subject: Subject, topic: int) -> Text:
    from rich.text import Text

    share = subject.shares[subject.numbers.index(topic)]
    heading = Text(f"Topic {topic}  {printable(_title(subject, topic))}", style="bold")
    heading.append(f"   {share:.1%} of all", style="not bold dim")
    return heading


def _title(subject: Subject, topic: int) -> str:
    return subject.titles[subject.numbers.index(topic)]


def _listed(rows: list[tuple[Found, int]]) -> Any:
    from rich.table import Table

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(overflow="fold")
    for found, row in rows:
        grid.add_row(f"\n{found.shown[row].rank}", _entry(found, row))
    return grid


def _entry(found: Found, row: int) -> Text:
    """A document: what it is called, how much of it is from the topic, and its passage."""
    from rich.text import Text

    each, columns = found.shown[row], list(found.table.columns)
    others = columns[len(columns) - len(found.columns) :] if found.columns else []
    said = [printable(str(each.id)), *([] if each.label is None else [_named(each.label)])]
    said += [f"{name}: {printable(str(found.table[name].iloc[row]))}" for name in others]
    entry = Text("\n" + "   ".join(said) + "   ")
    entry.append(f"{each.weight:.0%}, at least {each.low:.0%}\n", style="dim")
    if each.passage is None:
        entry.append(printable(in_a_row(list(each.words))))
        return entry
    behind = 0
    for begin, end in each.passage.marks:
        entry.append(printable(each.passage.text[behind:begin]))
        entry.append(printable(each.passage.text[begin:end]), style="bold")
        behind = end
    entry.append(printable(each.passage.text[behind:]))
    return entry


def _named(label: Any) -> str:
    several = isinstance(label, list | tuple | set | frozenset)
    return printable(", ".join(sorted(map(str, label))) if several else str(label))


def print_as_json(found: Found, output: Path | None) -> None:
    """The same for machines."""
    records = json.loads(
        found.table.drop(columns=["topic", "name"]).to_json(
            orient="records", date_format="iso", double_precision=15
        )
    )
    print_json(
        {
            "documents": found.documents,
            "topics": [
                {
                    "topic": topic,
                    "name": _title(found.subject, topic),
                    "documents": [records[row] for row in rows],
                }
                for topic, rows in found.by_topic.items()
            ],
            "saved": None if output is None else str(output),
            "notes": list(found.notes),
            "warnings": list(found.warnings),
        }
    )
