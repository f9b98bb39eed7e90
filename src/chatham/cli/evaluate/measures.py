"""Measures in `chatham evaluate`: those requested, with their settings, and the list of all."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import typer

from chatham.cli.output import BETTER, console, print_json
from chatham.cli.wording import as_options
from chatham.errors import InputError
from chatham.measures.measure import NEEDS, Lack, Measure
from chatham.measures.registry import MEASURES, measures_named
from chatham.wording import Sentence, say

if TYPE_CHECKING:
    from chatham.cli.evaluate.input import Request

SEEDS = ("seed", "random_state")
ONLY_IN_PYTHON = Lack.of(f"needs {NEEDS['true_weights']}, which only ch.evaluate, in Python, takes")


@dataclass(frozen=True)
class Choice:
    """Measures to compute, and why others can't be; `strict` if they were requested by name."""

    measures: list[Measure]
    skipped: dict[str, Sentence]
    strict: bool


def chosen(request: Request) -> Choice:
    """The requested measures, or all, with the requested number of words and seed."""
    names = _names(request.measures)
    try:
        measures = measures_named(names)
    except InputError as error:
        raise typer.BadParameter(as_options(error), param_hint="--measure") from None
    adjusted: list[Measure] = []
    skipped: dict[str, Sentence] = {}
    for measure in {measure.name: measure for measure in measures}.values():
        if "true_weights" in measure.needs:
            if names is not None:
                raise InputError(f"{measure.name!r} can't be computed here. {ONLY_IN_PYTHON}")
            skipped[measure.name] = ONLY_IN_PYTHON
            continue
        try:
            adjusted.append(_adjusted(measure, request))
        except InputError as error:
            if names is not None:
                why = f"For {measure.name}, {as_options(error)}"
                raise typer.BadParameter(why, param_hint="--words") from None
            skipped[measure.name] = say("{why}", why=error)
    return Choice(adjusted, skipped, strict=names is not None)


def _names(options: list[str] | None) -> list[str] | None:
    """Names from repeated options, or with commas between them."""
    return [name.strip() for names in options for name in names.split(",")] if options else None


def _adjusted(measure: Measure, request: Request) -> Measure:
    names = {field.name for field in fields(measure)}
    settings: dict[str, Any] = {name: request.seed for name in SEEDS if name in names}
    if request.words is not None and "n_words" in names:
        settings["n_words"] = request.words
    if "scale" in names and request.reading.get("rating"):
        settings["scale"] = request.reading["scale"]  # by which ratings were multiplied on reading
    return replace(measure, **settings) if settings else measure


def print_measures(as_json: bool) -> None:
    """Every measure: its name, which way is better, its definition, what it needs, its source."""
    rows: list[dict[str, Any]] = [
        {
            "measure": name,
            "higher_is_better": measure.higher_is_better,
            "definition": measure.definition,
            "needs": sorted(measure.needs, key=list(NEEDS).index),
            "source": measure.source,
        }
        for name, measure in MEASURES.items()
    ]
    if as_json:
        print_json(rows)
        return
    from rich.padding import Padding

    screen = console()
    for row in rows:
        needs = "; ".join(NEEDS[need] for need in row["needs"])
        screen.print(f"{row['measure']}  ({BETTER[row['higher_is_better']]} is better)")
        by_name = "" if MEASURES[row["measure"]].by_default else " Computed only if it is named."
        about = f"{row['definition']}\nNeeds {needs}. Source: {row['source']}.{by_name}"
        screen.print(Padding(about, (0, 0, 0, 4)))
