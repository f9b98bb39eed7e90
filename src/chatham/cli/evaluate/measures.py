"""Measures in `chatham evaluate`: which are asked for, with which settings, and what there are."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import typer

from chatham.cli.output import BETTER, console, print_json
from chatham.errors import InputError
from chatham.measures.measure import NEEDS, Measure
from chatham.measures.registry import MEASURES, measures_named

if TYPE_CHECKING:
    from chatham.cli.evaluate.input import Wanted

SEEDS = ("seed", "random_state")
ADVICE = (
    ("give documents that the model has not seen as held_out=", "give --held-out"),
    ("name the column of labels when the corpus is read", "give --label"),
    ("give them as true_topics=", "give --true-topics"),
    ("give them as true_weights=", "only ch.evaluate, in Python, takes them"),
    ("give a mapping from words to vectors as vectors=", "give --vectors"),
    ("give documents as corpus=", "give FILE after the models"),
)
"""What the library advises, in the words of the command."""

TEXTS = "give texts instead of counts"
ONLY_IN_PYTHON = f"It needs {NEEDS['true_weights']}, which only ch.evaluate, in Python, takes."


@dataclass(frozen=True)
class Choice:
    """Measures to take, and why others can't be; `strict` if they were asked for by name."""

    measures: list[Measure]
    skipped: dict[str, str]
    strict: bool


def chosen(wanted: Wanted) -> Choice:
    """The measures that were asked for, or all; with the words and the seed asked for."""
    names = _names(wanted.measures)
    try:
        measures = measures_named(names)
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="--measure") from None
    taken, skipped = [], {}
    for measure in {each.name: each for each in measures}.values():
        if "true_weights" in measure.needs:
            skipped[measure.name] = ONLY_IN_PYTHON
            continue
        try:
            taken.append(_adjusted(measure, wanted))
        except InputError as error:
            skipped[measure.name] = str(error).replace("n_words", "--words")
    if names is not None and skipped:
        raise _refusal(*next(iter(skipped.items())))
    return Choice(taken, skipped, strict=names is not None)


def _names(given: list[str] | None) -> list[str] | None:
    """Names that were given one by one, or with commas between them."""
    return [name.strip() for each in given for name in each.split(",")] if given else None


def _refusal(name: str, why: str) -> Exception:
    if why == ONLY_IN_PYTHON:
        return InputError(f"The measure {name!r} can't be taken. {why}")
    return typer.BadParameter(f"For {name}, {why}", param_hint="--words")


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


def advised(why: str, has_reference: bool = False) -> str:
    """The library's advice in the words of the command.

    Only coherence needs texts, and counts words in the reference if there is one.
    """
    for said, instead in ADVICE:
        why = why.replace(said, instead)
    return why.replace(TEXTS, f"{TEXTS} as {'--reference' if has_reference else 'FILE'}")
