"""Measures in `chatham evaluate`: which are asked for, with which settings, and what there are."""

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
    from chatham.cli.evaluate.input import Wanted

SEEDS = ("seed", "random_state")
ONLY_IN_PYTHON = Lack.of(f"needs {NEEDS['true_weights']}, which only ch.evaluate, in Python, takes")


@dataclass(frozen=True)
class Choice:
    """Measures to take, and why others can't be; `strict` if they were asked for by name."""

    measures: list[Measure]
    skipped: dict[str, Sentence]
    strict: bool


def chosen(wanted: Wanted) -> Choice:
    """The measures that were asked for, or all; with the words and the seed asked for."""
    names = _names(wanted.measures)
    try:
        measures = measures_named(names)
    except InputError as error:
        raise typer.BadParameter(as_options(error), param_hint="--measure") from None
    taken: list[Measure] = []
    skipped: dict[str, Sentence] = {}
    for measure in {each.name: each for each in measures}.values():
        if "true_weights" in measure.needs:
            if names is not None:
                raise InputError(f"The measure {measure.name!r} can't be taken. {ONLY_IN_PYTHON}")
            skipped[measure.name] = ONLY_IN_PYTHON
            continue
        try:
            taken.append(_adjusted(measure, wanted))
        except InputError as error:
            if names is not None:
                why = f"For {measure.name}, {as_options(error)}"
                raise typer.BadParameter(why, param_hint="--words") from None
            skipped[measure.name] = say("{why}", why=error)
    return Choice(taken, skipped, strict=names is not None)


def _names(given: list[str] | None) -> list[str] | None:
    """Names that were given one by one, or with commas between them."""
    return [name.strip() for each in given for name in each.split(",")] if given else None


def _adjusted(measure: Measure, wanted: Wanted) -> Measure:
    names = {each.name for each in fields(measure)}
    settings: dict[str, Any] = {name: wanted.seed for name in SEEDS if name in names}
    if wanted.words is not None and "n_words" in names:
        settings["n_words"] = wanted.words
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
        usual = "" if MEASURES[row["measure"]].by_default else " Taken only if it is named."
        about = f"{row['definition']}\nNeeds {needs}. Source: {row['source']}.{usual}"
        screen.print(Padding(about, (0, 0, 0, 4)))
