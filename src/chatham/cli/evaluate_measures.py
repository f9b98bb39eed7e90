"""Measures in `chatham evaluate`: which are asked for, with which settings, and what there are."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import typer

from chatham.cli.output import console, print_json
from chatham.errors import InputError
from chatham.measures.measure import NEEDS, Measure
from chatham.measures.registry import MEASURES, measures_named

if TYPE_CHECKING:
    from chatham.cli.evaluate_input import Wanted

BETTER = {True: "higher", False: "lower"}
SEEDS = ("seed", "random_state")
ADVICE = (
    ("give documents that the model has not seen as held_out=", "give --held-out"),
    ("name the column of labels when the corpus is read", "give --label"),
    ("give them as true_topics=", "give --true-topics"),
    ("give them as true_weights=", "ch.evaluate takes them"),
    ("give a mapping from words to vectors as vectors=", "give --vectors"),
    ("give documents as corpus=", "give FILE after the models"),
    ("give texts instead of counts", "give texts instead of counts as FILE"),
)
"""What the library advises, in the words of the command."""


def check_measures(wanted: Wanted) -> list[Measure]:
    """The measures that were asked for, or all; with the words and the seed asked for."""
    try:
        measures = measures_named(wanted.measures or None)
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="--measure") from None
    return [_adjusted(measure, wanted) for measure in measures]


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
            "definition": (measure.__doc__ or "").split("\n\n")[0].replace("\n    ", " ").strip(),
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
        about = f"{row['definition']}\nNeeds {needs}. Source: {row['source']}."
        screen.print(Padding(about, (0, 0, 0, 4)))


def advised(why: str) -> str:
    """The library's advice in the words of the command."""
    for said, instead in ADVICE:
        why = why.replace(said, instead)
    return why
