"""`chatham fit -k 10,20,40`: a model of each number of topics, and what speaks for which."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from chatham.cli.fit.view import corpus_as_json, fit_as_json, how_it_went, printable_lines
from chatham.cli.output import (
    console,
    plain,
    plain_table,
    print_json,
    topic_table,
    topics_as_json,
)
from chatham.cli.paths import check_folder
from chatham.cli.progress import Silent, print_notes, progress
from chatham.cli.wording import as_options
from chatham.corpus import Corpus
from chatham.errors import InputError
from chatham.interrupts import INTERRUPTED
from chatham.learners.words import printable
from chatham.measures.measure import Lack
from chatham.measures.several import Several, fit_several
from chatham.model.folder import check_writable, is_model
from chatham.model.topic_model import TopicModel
from chatham.naming import plural
from chatham.plots.panels import shown
from chatham.wording import clause

Read = Callable[[Silent], Corpus]
DIGITS = {"seconds": ".1f"}


@dataclass
class Fitted:
    """What was read, the models, and what there is to say about them."""

    corpus: Corpus
    several: Several
    notes: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
    saved: Mapping[int, Path] = field(default_factory=dict)


def folder_of(output: Path, k: int) -> Path:
    """Where the model with so many topics is saved."""
    return output / f"k{k}"


def check_outputs(output: Path | None, sizes: Sequence[int]) -> None:
    """Refuse folders that models couldn't be saved in, before any work is done."""
    if output is None:
        return
    if is_model(output):
        raise InputError(
            f"'{output}' is a model, and several are saved in folders within one, as "
            f"'{folder_of(output, sizes[0])}'; choose another folder."
        )
    for k in sizes:
        check_writable(folder_of(output, k))
    check_folder(output)


def fit_and_compare(
    read: Read,
    name: str,
    sizes: Sequence[int],
    parameters: Mapping[str, Any],
    weighting: str,
    output: Path | None,
    quiet: bool,
) -> Fitted:
    """Read, fit and measure; each model is saved as soon as it is there.

    `parameters` has all that learners take but the number of topics; its anchors, if there are
    any, are a function of the vocabulary, since they are only known once documents are read.
    """
    began, saved = time.perf_counter(), dict[int, Path]()

    def keep(k: int, model: TopicModel) -> None:
        if output is not None:
            model.save(folder_of(output, k))
            saved[k] = folder_of(output, k)

    def begin(k: int, number: int, total: int) -> None:
        reporter.part = f" with {plural(k, 'topic')} ({number} of {total})"
        reporter.stage(f"Fitting{reporter.part}")

    try:
        with progress(quiet) as reporter:
            corpus = read(reporter)
            reporter.notes = tuple(as_options(note) for note in corpus.notes)
            given = {
                key: value(corpus.vocabulary) if key == "anchors" and callable(value) else value
                for key, value in parameters.items()
            }
            several = fit_several(
                name, corpus, sizes, weighting=weighting, begin=begin, keep=keep, **given
            )
    except KeyboardInterrupt:
        if not saved:
            raise
        typer.echo(_farewell(saved, len(sizes)), err=True)
        raise typer.Exit(INTERRUPTED) from None
    seconds = time.perf_counter() - began
    return Fitted(corpus, several, reporter.notes, reporter.warnings, seconds, saved)


def _farewell(saved: Mapping[int, Path], wanted: int) -> str:
    listed = ", ".join(printable(str(path)) for path in saved.values())
    were = "was" if len(saved) == 1 else "were"
    return (
        f"Interrupted; {len(saved)} of {plural(wanted, 'model')} {were} finished, and saved in "
        f"{listed}."
    )


def print_several_as_json(fitted: Fitted, words: int) -> None:
    """Everything, as one JSON document."""
    several = fitted.several
    rows = plain(several.table.to_dict("records"))
    print_json(
        {
            "corpus": corpus_as_json(fitted.corpus, fitted.notes),
            "fitted": len(several.train),
            "held_out": len(several.held_out),
            "seconds": round(fitted.seconds, 3),
            "warnings": list(fitted.warnings),
            "comparison": [
                {**row, "speaks_for_it": several.reasons[row["topics"]]} for row in rows
            ],
            "skipped": _skipped(several),
            "models": [
                {
                    **fit_as_json(model),
                    "saved": _written(fitted.saved.get(k)),
                    f"{model.kind}s": topics_as_json(model, model.top_word_lists(words)),
                }
                for k, model in several.models.items()
            ],
        }
    )


def _written(path: Path | None) -> str | None:
    return None if path is None else str(path)


def print_several(fitted: Fitted, words: int, quiet: bool) -> None:
    """The corpus, the topics of each model, and the comparison; no notes if quiet."""
    screen, several = console(), fitted.several
    if not quiet:
        screen.print(printable_lines(as_options(fitted.corpus.summary())), soft_wrap=True)
    for k, model in several.models.items():
        screen.print(f"\n{plural(k, model.kind)}:\n")
        screen.print(topic_table(model, model.top_word_lists(words)))
    screen.print()
    screen.print(_comparison(fitted))
    screen.print()
    for k, reasons in several.reasons.items():
        screen.print(f"{k}: {'; '.join(reasons) or 'best by none of these'}.", soft_wrap=True)
    if not quiet:
        _print_rest(fitted)


def _comparison(fitted: Fitted) -> Any:
    """A row for each number of topics; a measure that couldn't be computed is a dash."""
    table = fitted.several.table
    columns = [str(name) for name in table if name != "topics"]
    where = [("saved in", "fold")] if fitted.saved else []
    printed = plain_table(
        ("topics", "right"), *((name.replace("_", " "), "right") for name in columns), *where
    )
    for row in table.to_dict("records"):
        path = fitted.saved.get(row["topics"])
        printed.add_row(
            str(row["topics"]),
            *(_cell(row[name], DIGITS.get(name)) for name in columns),
            *([] if path is None else [printable(str(path))]),
        )
    return printed


def _cell(value: float | None, digits: str | None) -> str:
    if value is None:
        return "–"
    return shown(value) if digits is None else format(value, digits)


def _print_rest(fitted: Fitted) -> None:
    screen, several = console(), fitted.several
    model = next(iter(several.models.values()))
    screen.print(f"\n{how_it_went(model, fitted.seconds, rounds=False)}", soft_wrap=True)
    screen.print(
        f"Fitted to {plural(len(several.train), 'document')} and compared on "
        f"{len(several.held_out):,} others, which were held out; to fit a model to all, give -k "
        "one number. Leads may be chance: see whether they stay with another --seed.",
        soft_wrap=True,
    )
    if fitted.saved:
        first = shlex.quote(printable(str(next(iter(fitted.saved.values())))))
        screen.print(f"See a model with: chatham topics {first}", soft_wrap=True)
    else:
        screen.print("Not saved; give -o FOLDER to keep the models.", soft_wrap=True)
    print_notes(f"Not computed ({why}): {name}." for name, why in _skipped(several).items())


def _skipped(several: Several) -> dict[str, str]:
    """The measures that no model has, and why; those of ratings aren't missed where there are
    none."""
    reasons: dict[str, str] = {}
    for by_measure in several.comparison.attrs["skipped"].values():
        for measure, why in by_measure.items():
            if measure != "rmse_held_out":
                short = why.predicate if isinstance(why, Lack) else clause(why)
                reasons[measure] = as_options(short)
    return reasons
