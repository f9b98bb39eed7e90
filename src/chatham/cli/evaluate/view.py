"""What `chatham evaluate` prints for people; none of it is cut, however narrow the terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from chatham.cli.evaluate.table import common_settings, settings_in_words, summed_up
from chatham.cli.output import (
    BETTER,
    Column,
    blocks,
    console,
    plain_table,
    print_blocks,
    print_whole,
)
from chatham.cli.progress import print_notes
from chatham.cli.wording import as_options
from chatham.learners.words import printable
from chatham.measures.compare import ranking
from chatham.measures.measure import Lack
from chatham.naming import plural
from chatham.plots.panels import shown
from chatham.wording import clause

if TYPE_CHECKING:
    from rich.console import Console

    from chatham.cli.evaluate.table import Findings
    from chatham.measures.subject import Subject

NARROWEST = 12
"""The least width of the column of settings, which are wrapped."""

FIRST_WORDS = 4


def print_for_people(findings: Findings, quiet: bool, topics: bool) -> None:
    """The table or the comparison, values by topic, and what could not be computed."""
    screen = console()
    if findings.compared is None:
        _print_one(screen, next(iter(findings.tables.values())))
    else:
        _print_several(screen, findings, findings.compared)
    if topics:
        for name, table in findings.tables.items():
            screen.print()
            if len(findings.tables) > 1:
                screen.print(f"{printable(name)}:", soft_wrap=True)
            _print_topics(screen, findings.inputs.subjects[name], table)
    if not quiet:
        _print_reference(screen, findings)
        print_notes(_not_computed(findings))
        for kind, path in (("Figure", findings.picture), ("Table", findings.saved)):
            if path is not None:
                screen.print(f"{kind} saved in {printable(str(path))}.", soft_wrap=True)


def _print_one(screen: Console, table: pd.DataFrame) -> None:
    printed = plain_table(
        ("measure", "left"), ("value", "right"), ("better", "left"), ("on", "left"),
        ("settings", "fold"),
    )  # fmt: skip
    for row in table.to_dict("records"):
        on = str(row["settings"].get("measured_on", "topics")).replace("_", "-")
        settings = settings_in_words(row["measure"], row["settings"])
        better = BETTER[bool(row["higher_is_better"])]
        printed.add_row(row["measure"], shown(row["value"]), better, on, settings)
    print_whole(screen, printed, NARROWEST)


def _print_several(screen: Console, findings: Findings, compared: pd.DataFrame) -> None:
    """Side by side, with numbers instead of names if names would take more room than values."""
    labels = {name: printable(name) for name in findings.tables}
    columns = _comparison(compared, labels, screen.width)
    numbers = {name: f"[{number}]" for number, name in enumerate(labels, start=1)}
    if len(columns) > len(_comparison(compared, numbers, screen.width)):
        for name, number in numbers.items():
            screen.print(f"{number:>4} {labels[name]}", soft_wrap=True)
        screen.print()
        labels, columns = numbers, _comparison(compared, numbers, screen.width)
    print_blocks(screen, columns)
    screen.print()
    print_blocks(screen, _ranking(ranking(compared), labels, screen.width))
    settings = summed_up(common_settings(findings.tables.values()))
    if settings:
        screen.print(f"\nSettings: {printable(settings)}.")
    if findings.stability is not None:
        screen.print(
            f"\nStability: {shown(findings.stability)}, the mean share of top words that the "
            "models' topics have in common, matched one to one."
        )


def _comparison(
    compared: pd.DataFrame, labels: Mapping[str, str], width: int
) -> list[list[Column]]:
    rows = compared.to_dict("records")
    models = [
        Column(label, "right", ["–" if row[name] is None else shown(row[name]) for row in rows])
        for name, label in labels.items()
    ]
    better = [BETTER[bool(row["higher_is_better"])] for row in rows]
    return blocks(
        [Column("measure", "left", [row["measure"] for row in rows])],
        [
            Column("better", "left", better),
            *models,
            Column("best", "left", [_best(row, labels) for row in rows]),
            Column("∆", "right", [_lead(row["delta"]) for row in rows]),
        ],
        width,
    )


def _best(row: Mapping[Any, Any], labels: Mapping[str, str]) -> str:
    if isinstance(row["best"], str):
        return labels[row["best"]]
    return "all equal" if row["delta"] == 0 and len(labels) == 2 else "–"


def _lead(delta: Any) -> str:
    if delta is None or pd.isna(delta):
        return "–"
    return "∞" if math.isinf(delta) else f"{delta:.1%}"


def _ranking(ranked: pd.DataFrame, labels: Mapping[str, str], width: int) -> list[list[Column]]:
    rows = ranked.to_dict("records")
    ranks = ["–" if pd.isna(row["mean_rank"]) else f"{row['mean_rank']:.2f}" for row in rows]
    return blocks(
        [Column("model", "left", [labels[row["model"]] for row in rows])],
        [
            Column("times best", "right", [str(row["times_best"]) for row in rows]),
            Column("mean ∆ when best", "right", [_lead(row["mean_delta"]) for row in rows]),
            Column("mean rank", "right", ranks),
        ],
        width,
    )


def _print_topics(screen: Console, subject: Subject, table: pd.DataFrame) -> None:
    """Each topic's values by every measure that has them, with its first words."""
    listed = [printable(" ".join(words)) for words in subject.top_words(FIRST_WORDS)]
    rows = [row for row in table.to_dict("records") if row["per_topic"] is not None]
    if not rows:
        screen.print("No measure that was computed has values by topic.")
        return
    values = [
        Column(row["measure"], "right", ["–" if v is None else shown(v) for v in row["per_topic"]])
        for row in rows
    ]
    first = [
        Column("topic", "right", [str(number) for number in subject.numbers]),
        Column("words", "left", listed),
    ]
    print_blocks(screen, blocks(first, values, screen.width))


def _print_reference(screen: Console, findings: Findings) -> None:
    inputs = findings.inputs
    if inputs.reference is not None:
        path = printable(str(inputs.files["reference"]))
        screen.print(
            f"\nCoherence counts words in the reference {path} "
            f"({plural(len(inputs.reference), 'document')}).",
            soft_wrap=True,
        )


def _not_computed(findings: Findings) -> list[str]:
    """Measures without a value for some model, by what they lack."""
    reasons: dict[str, list[str]] = {}
    for table in findings.tables.values():
        for measure, why in table.attrs["skipped"].items():
            short = why.predicate if isinstance(why, Lack) else clause(why)
            listed = reasons.setdefault(as_options(short), [])
            listed += [] if measure in listed else [measure]
    return [f"Not computed ({why}): {', '.join(listed)}." for why, listed in reasons.items()]
