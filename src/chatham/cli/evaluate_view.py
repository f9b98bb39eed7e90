"""What `chatham evaluate` prints: for people, and for machines."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from chatham.cli.evaluate_measures import BETTER, advised
from chatham.cli.output import console, plain_table, print_json
from chatham.cli.progress import say
from chatham.measures.compare import FIXED, comparison, ranking
from chatham.measures.plots.panels import shown
from chatham.models.words import printable

if TYPE_CHECKING:
    from chatham.cli.evaluate_input import Given

LONGEST_SETTING = 24
UNTOLD = ("documents", "epsilon")
"""Settings that are the same wherever one looks."""


@dataclass
class Findings:
    """What was measured, and what there is to say about it."""

    given: Given
    tables: dict[str, pd.DataFrame]
    stability: float | None
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    saved: Path | None = None
    picture: Path | None = None

    @property
    def single(self) -> pd.DataFrame | None:
        """The table of the only model, or None of several."""
        return next(iter(self.tables.values())) if len(self.tables) == 1 else None


def as_table(findings: Findings) -> pd.DataFrame:
    """The scores, or the comparison, with nothing in a cell but a number or a text."""
    if findings.single is None:
        return comparison(findings.tables)
    table = findings.single.copy()
    for column in ("per_topic", "settings"):
        table[column] = [None if v is None else json.dumps(plain(v)) for v in table[column]]
    return table


def print_for_people(findings: Findings, quiet: bool) -> None:
    """The table or the comparison; besides, what could not be taken."""
    screen = console()
    if findings.single is not None:
        screen.print(_table(findings.single, findings.given.reference is not None))
    else:
        compared = comparison(findings.tables)
        screen.print(_comparison(compared))
        screen.print()
        screen.print(_ranking(ranking(compared)))
        if findings.stability is not None:
            screen.print(
                f"\nStability: {shown(findings.stability)}, the mean share of top words that the "
                "models' topics have in common, matched one to one.",
                soft_wrap=True,
            )
    if not quiet:
        say(_not_taken(findings))
        for what, place in (("Picture", findings.picture), ("Table", findings.saved)):
            if place is not None:
                screen.print(f"{what} saved in {printable(str(place))}.", soft_wrap=True)


def print_as_json(findings: Findings) -> None:
    """Everything, as one JSON document without a number that isn't finite."""
    several = findings.single is None
    compared = comparison(findings.tables) if several else None
    print_json(
        {
            "documents": _documents(findings.given),
            "models": [_model_as_json(findings, name) for name in findings.tables],
            "comparison": None if compared is None else plain(compared.to_dict("records")),
            "ranking": None if compared is None else plain(ranking(compared).to_dict("records")),
            "stability": findings.stability,
            "notes": list(findings.notes),
            "warnings": list(findings.warnings),
            "saved": None if findings.saved is None else str(findings.saved),
            "picture": None if findings.picture is None else str(findings.picture),
        }
    )


def plain(value: Any) -> Any:
    """A value as JSON can have it; numbers that aren't finite are None.

    >>> plain({"a": [1.5, float("inf"), True], 2: ("x", None)})
    {'a': [1.5, None, True], '2': ['x', None]}
    """
    if isinstance(value, dict):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(each) for each in value]
    if value is None or isinstance(value, bool | str):
        return value
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if math.isfinite(value) else None
    return str(value)


def _model_as_json(findings: Findings, name: str) -> dict[str, Any]:
    subject, table = findings.given.subjects[name], findings.tables[name]
    return {
        "model": name,
        "topics": subject.n_topics,
        "measures": plain(table.to_dict("records")),
        "skipped": {k: advised(why) for k, why in table.attrs.get("skipped", {}).items()},
    }


def _documents(given: Given) -> dict[str, int | None]:
    kinds = {"corpus": given.corpus, "held_out": given.held_out, "reference": given.reference}
    return {kind: None if each is None else len(each) for kind, each in kinds.items()}


def _table(table: pd.DataFrame, has_reference: bool) -> Any:
    printed = plain_table(
        ("measure", "left"), ("value", "right"), ("better", "left"), ("on", "left"),
        ("settings", "fold"),
    )  # fmt: skip
    for row in table.to_dict("records"):
        settings = dict(row["settings"])
        on = str(settings.pop("measured_on", "topics")).replace("_", "-")
        on = "corpus" if on == "reference" and not has_reference else on
        better = BETTER[bool(row["higher_is_better"])]
        printed.add_row(row["measure"], shown(row["value"]), better, on, _settings(settings))
    return printed


def _settings(settings: dict[str, Any]) -> str:
    """Settings and notes that are short enough to be read in passing."""
    told = {name: value for name, value in settings.items() if name not in UNTOLD and value}
    written = {name: _written(value) for name, value in told.items()}
    short = {name: text for name, text in written.items() if len(text) <= LONGEST_SETTING}
    return printable(", ".join(f"{name.replace('_', ' ')} {text}" for name, text in short.items()))


def _written(value: Any) -> str:
    value = plain(value)
    if isinstance(value, float):
        return shown(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _comparison(compared: pd.DataFrame) -> Any:
    names = [column for column in compared.columns if column not in FIXED]
    printed = plain_table(
        ("measure", "left"), ("better", "left"), *((printable(name), "right") for name in names),
        ("best", "left"), ("∆", "right"),
    )  # fmt: skip
    for row in compared.to_dict("records"):
        values = ["–" if row[name] is None else shown(row[name]) for name in names]
        better, best = BETTER[bool(row["higher_is_better"])], _best(row, len(names))
        printed.add_row(row["measure"], better, *values, printable(best), _lead(row["delta"]))
    return printed


def _best(row: Any, models: int) -> str:
    if isinstance(row["best"], str):
        return row["best"]
    return "all alike" if row["delta"] == 0 and models == 2 else "–"


def _lead(delta: Any) -> str:
    if delta is None or pd.isna(delta):
        return "–"
    return "∞" if math.isinf(delta) else f"{delta:.1%}"


def _ranking(ranked: pd.DataFrame) -> Any:
    names = ("times best", "mean ∆ when best", "mean rank")
    printed = plain_table(("model", "left"), *((name, "right") for name in names))
    for row in ranked.to_dict("records"):
        mean = "–" if pd.isna(row["mean_rank"]) else f"{row['mean_rank']:.2f}"
        lead = _lead(row["mean_delta"])
        printed.add_row(printable(row["model"]), str(row["times_best"]), lead, mean)
    return printed


def _not_taken(findings: Findings) -> list[str]:
    """Measures that no model has a value of, by what they lack."""
    reasons: dict[str, list[str]] = {}
    for table in findings.tables.values():
        for measure, why in table.attrs.get("skipped", {}).items():
            short = advised(why).removesuffix(".").replace("It needs", "needs", 1)
            listed = reasons.setdefault(short, [])
            listed += [] if measure in listed else [measure]
    return [f"Not taken ({why}): {', '.join(listed)}." for why, listed in reasons.items()]
