"""What `chatham join` prints at the end: how it went, the topics, the scores."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from chatham.cli.cell_tables import name_column, records_of
from chatham.cli.fit.view import rounds_of
from chatham.cli.ledger.view import Crossed, crossed
from chatham.cli.output import (
    BETTER,
    console,
    plain,
    plain_table,
    print_json,
    topic_table,
    topics_as_json,
)
from chatham.corpus import Corpus
from chatham.federation.session import Session
from chatham.learners.words import printable
from chatham.model import cell_tables
from chatham.model.scores import FILE
from chatham.model.topic_model import TopicModel
from chatham.naming import plural
from chatham.plots.panels import shown

if TYPE_CHECKING:
    from rich.table import Table

ON = {
    "held_out": "held-out documents",
    "corpus": "fitted documents",
    "reference": "fitted documents",
}


@dataclass
class Joined:
    """What a party read, and the model that came of it."""

    session: Session
    corpus: Corpus
    model: TopicModel
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    folder: Path
    seconds: float = 0.0
    output: Path | None = None

    def save(self, output: Path) -> None:
        """The model, and its scores in the same folder."""
        self.model.save(output)
        self.output = output

    @property
    def left(self) -> Crossed:
        """Everything that left."""
        return crossed(self.folder)


def print_as_json(joined: Joined, words: int) -> None:
    """Everything, as one JSON document."""
    model, left = joined.model, joined.left
    print_json(
        {
            "session": joined.session.hash.hex(),
            "documents": joined.corpus.n_documents,
            "words": len(model.vocabulary),
            "algorithm": model.algorithm,
            "parameters": model.parameters,
            "seed": model.seed,
            "iterations": int(model.estimator.n_iter_),
            "rounds": left.rounds,
            "bytes": left.bytes,
            "seconds": round(joined.seconds, 3),
            "saved": None if joined.output is None else str(joined.output),
            "notes": list(joined.notes),
            "warnings": list(joined.warnings),
            f"{model.kind}s": topics_as_json(model, model.top_word_lists(words)),
            **scores_as_json(model),
            **tables_as_json(model),
        }
    )


def print_for_people(joined: Joined, words: int, quiet: bool) -> None:
    """The topics and how the fit went; only the topics if quiet."""
    screen, model = console(), joined.model
    screen.print(topic_table(model, model.top_word_lists(words)))
    if model.scores is not None:
        screen.print()
        screen.print(score_table(model.scores))
        for sentence in () if quiet else not_computed(model.scores):
            screen.print(f"\n{sentence}", soft_wrap=True)
    if not quiet:
        for sentence in tables_in_words(model):
            screen.print(f"\n{printable(sentence)}", soft_wrap=True)
        screen.print(f"\n{_how_it_went(joined)}", soft_wrap=True)
        screen.print(_where_it_is(joined), soft_wrap=True)


def _how_it_went(joined: Joined) -> str:
    model, left = joined.model, joined.left
    rounds = "".join(f"{part}, " for part in rounds_of(model.estimator))
    return (
        f"{type(model.estimator).__name__} of {len(joined.session.parties)} parties over "
        f"{len(model.vocabulary):,} words they agreed on: {rounds}{left.rounds:,} sums, "
        f"{left.bytes / 1e6:,.1f} MB sent, {joined.seconds:.1f} s in all."
    )


def _where_it_is(joined: Joined) -> str:
    ledger = f"what left is in the ledger: chatham ledger {shlex.quote(str(joined.folder))}"
    if joined.output is None:
        return f"Not saved; give -o FOLDER to keep the model. And {ledger}"
    folder = shlex.quote(str(joined.output))
    beside = [] if joined.model.scores is None else [f"The scores are in it too, as {FILE}."]
    for column in list(joined.model.tables)[:1]:
        see = f"chatham topics {folder} --table {shlex.quote(column)}"
        beside.append(f"The tables are in it too, as {cell_tables.FILE}; see one with: {see}")
    saved = printable(f"Saved in {folder}; see it with: chatham topics {folder}")
    more = "".join(f" {printable(sentence)}" for sentence in beside)
    return f"{saved}{'.' if beside else ''}{more}\nAnd {ledger}"


def tables_in_words(model: TopicModel) -> Iterator[str]:
    """A sentence for each table: how many cells it has, or why there is none."""
    for column, table in model.tables.items():
        if (why := table.attrs.get("skipped")) is not None:
            yield f"There is no table by {column}: {why}"
            continue
        noun = "group" if table.attrs["every"] is None else table.attrs["every"]
        cells = table.drop_duplicates(name_column(table))
        yield (
            f"By {column}: a table of {plural(len(cells), noun)} and "
            f"{plural(model.n_topics, 'topic')}, over {int(cells['documents'].sum()):,} documents "
            "of all parties."
        )


def tables_as_json(model: TopicModel) -> dict[str, Any]:
    """The tables, by their columns; empty if the session has none."""
    if not model.tables:
        return {}
    tables = {
        column: {"every": table.attrs["every"], "skipped": table.attrs["skipped"],
                 "cells": records_of(table)}
        for column, table in model.tables.items()
    }  # fmt: skip
    return {"tables": tables}


def scores_as_json(model: TopicModel) -> dict[str, Any]:
    """The scores, and what could not be computed; empty if the session has none."""
    if model.scores is None:
        return {}
    records = plain(model.scores.to_dict("records"))
    return {"scores": records, "skipped": model.scores.attrs["skipped"]}


def score_table(scores: pd.DataFrame) -> Table:
    """One row per measure, with how many documents of all parties it is over."""
    table = plain_table(
        ("measure", "left"), ("value", "right"), ("better", "left"), ("on all parties'", "left")
    )
    for row in scores.to_dict("records"):
        settings = row["settings"]
        on, documents = ON.get(settings.get("measured_on"), "topics"), settings.get("documents")
        number = "" if documents is None or on == "topics" else f"{int(documents):,} "
        better = BETTER[bool(row["higher_is_better"])]
        table.add_row(row["measure"], shown(row["value"]), better, number + on)
    return table


def not_computed(scores: pd.DataFrame) -> Iterator[str]:
    """A sentence for each measure that has no value."""
    for measure, why in scores.attrs["skipped"].items():
        yield f"The measure {measure} could not be computed: {why}"
