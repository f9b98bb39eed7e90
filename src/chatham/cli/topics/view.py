"""What `chatham topics` prints and draws."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from chatham.cli.cell_tables import print_cells, records_of
from chatham.cli.history import print_history
from chatham.cli.output import console, plain, print_json, topic_table, topics_as_json
from chatham.cli.wording import as_options
from chatham.errors import InputError
from chatham.learners.words import printable
from chatham.model.registry import known
from chatham.model.supertopics import hierarchy_of, hierarchy_words
from chatham.model.tables import in_a_row, related_pairs
from chatham.model.topic_model import TopicModel
from chatham.naming import listed, nearest, plural
from chatham.naming import shown as quoted

if TYPE_CHECKING:
    import pandas as pd

    from chatham.learners.anchor.hierarchy import Hierarchy

RELATED = 3
"""The most related topics to show for each."""


@dataclass
class Shown:
    """A model, and what to show of it."""

    model: TopicModel
    n: int
    by: str
    lam: float
    correlations: bool
    levels: list[int] | None
    plot: Path | None
    output: Path | None = None
    history: bool = False
    table: str | None = None
    """The column whose table is shown, of those that parties made together."""
    picture: str | None = None
    """What is drawn: one of `pictures.PICTURES`, or what other options show."""
    hierarchy: Hierarchy | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Refuse what only an anchor model has."""
        options = {
            "--levels": self.levels,
            "--correlations": self.correlations,
            "--picture": self.picture == "anchors",
        }
        for option, value in options.items():
            if value and self.model.anchors is None:
                raise typer.BadParameter(
                    f"This needs a model that was fitted with --model anchor, but the model is "
                    f"{self._algorithm}.",
                    param_hint=option,
                )
        if self.model.kind == "direction" and self.by != "prevalence":
            raise typer.BadParameter(
                f"The directions of {self._algorithm} have one order of words; leave it out.",
                param_hint="--by",
            )
        if self.table is not None:
            self._check_table(self.table)
        if self.history:
            self._check_history()
        if self.levels is not None:
            self.hierarchy = self._hierarchy(self.levels)

    def _check_history(self) -> None:
        if self.levels is not None:
            raise typer.BadParameter("A tree has no history; leave one out.", param_hint="--levels")
        try:
            _ = self.model._history
        except InputError as error:
            raise typer.BadParameter(as_options(error), param_hint="--history") from None

    def _check_table(self, column: str) -> None:
        if self.history or self.levels is not None:
            raise typer.BadParameter(
                "A table has neither a history nor a tree; leave the others out.",
                param_hint="--table",
            )
        tables = self.model.tables
        if column not in tables:
            have = f"it has those of {listed(tables)}" if tables else (
                "it has none: parties make them if their session names columns"
            )  # fmt: skip
            raise typer.BadParameter(
                f"The model has no table of the column {quoted(column)}; {have}"
                f"{nearest(column, tables) or '.'}",
                param_hint="--table",
            )
        if (why := tables[column].attrs.get("skipped")) is not None:
            raise InputError(f"There is no table of the column {quoted(column)}. {why}")

    @property
    def cells(self) -> pd.DataFrame:
        """The table that is shown."""
        return self.model.tables[str(self.table)]

    @property
    def _algorithm(self) -> str:
        """The learner's name; what one that isn't known here found topics by, nobody can say."""
        name = self.model.algorithm
        if known(name) is not None:
            return name
        return f"{name}, which isn't known here: if a package offers it, give --learner {name}"

    def _hierarchy(self, levels: list[int]) -> Hierarchy:
        try:
            hierarchy: Hierarchy = hierarchy_of(self.model, levels)
        except InputError as error:
            raise typer.BadParameter(as_options(error), param_hint="--levels") from None
        return hierarchy

    @property
    def words(self) -> list[list[str]]:
        """The words of each topic."""
        return self.model.top_word_lists(self.n, self.by, self.lam)

    @property
    def related(self) -> list[list[tuple[int, float]]]:
        """The topics that co-occur with each, and how many times as often as by chance."""
        related: list[list[tuple[int, float]]] = [[] for _ in range(self.model.n_topics)]
        numbers = self.model.numbers.tolist()
        for row, _, other, lift in related_pairs(self.model._correlations, RELATED):
            related[row].append((numbers[other], lift))
        return related


def as_table(shown: Shown) -> pd.DataFrame:
    """A row for each topic, with what `print_for_people` shows of it and how many words it uses.

    Of a history, a row for each topic and slice; of a table of cells, for each cell and topic.
    """
    if shown.table is not None:
        return shown.cells
    if shown.history:
        return shown.model.history
    table = shown.model.topic_info(shown.n, shown.by, shown.lam)
    if shown.correlations:
        table["goes_with"] = [_in_words(pairs) for pairs in shown.related]
    return table


def print_for_people(shown: Shown, quiet: bool) -> None:
    """The topics as a table, or, if there are levels, as a tree below their supertopics."""
    screen = console()
    if shown.output is not None:
        if not quiet:
            counted = plural(shown.model.n_topics, shown.model.kind)
            if shown.table is not None:
                counted = f"The table of the column {shown.table}"
            screen.print(f"{counted}, saved in {printable(str(shown.output))}.", soft_wrap=True)
    elif shown.table is not None:
        print_cells(shown.cells)
    elif shown.history:
        print_history(shown.model, shown.words)
    elif shown.correlations or shown.hierarchy is None:
        related = [_in_words(pairs) for pairs in shown.related] if shown.correlations else None
        screen.print(topic_table(shown.model, shown.words, related))
        if shown.model._edits is not None and not quiet:
            screen.print(f"\n{shown.model._edits.sentence()}", soft_wrap=True)
    if shown.correlations and shown.hierarchy is not None:
        screen.print()
    if shown.hierarchy is not None:
        words = hierarchy_words(shown.model, shown.hierarchy, shown.n, shown.by, shown.lam)
        rows = [[[in_a_row(listed)] for listed in level] for level in words]
        screen.print(shown.hierarchy.show(rows), soft_wrap=True)
    if shown.plot is not None and not quiet:
        screen.print(f"\nFigure saved in {printable(str(shown.plot))}.", soft_wrap=True)


def _in_words(pairs: list[tuple[int, float]]) -> str:
    """Topics with their lifts; what would read ×1.0 is chance."""
    return ", ".join(f"{topic} (×{lift:.1f})" for topic, lift in pairs if lift >= 1.05)


def print_as_json(shown: Shown) -> None:
    """Everything as one JSON document."""
    model = shown.model
    topics = topics_as_json(model, shown.words)
    if shown.correlations:
        for topic, pairs in zip(topics, shown.related, strict=True):
            topic["goes_with"] = [{"topic": other, "lift": lift} for other, lift in pairs]
    history: dict[str, Any] = {}
    if shown.history:
        history["slices"] = plain(model.slices.to_dict(orient="records"))
        history["history"] = plain(model.history.to_dict(orient="records"))
    if shown.table is not None:
        history["table"] = {"column": shown.table, "every": shown.cells.attrs["every"],
                            "cells": records_of(shown.cells)}  # fmt: skip
    described: dict[str, Any] = {
        "algorithm": model.algorithm,
        "vocabulary_size": len(model.vocabulary),
        "by": shown.by,
        f"{model.kind}s": topics,
        **history,
    }
    if shown.hierarchy is not None:
        described["levels"] = _levels(shown, shown.hierarchy)
    if shown.output is not None:
        described["saved"] = str(shown.output)
    if shown.plot is not None:
        described["picture"] = str(shown.plot)
    print_json(described)


def _levels(shown: Shown, hierarchy: Hierarchy) -> list[dict[str, Any]]:
    """Supertopics level by level from the lowest, each with the topics that belong to it."""
    words = hierarchy_words(shown.model, hierarchy, shown.n, shown.by, shown.lam)
    edges = hierarchy.edge_list()
    return [
        {
            "level": level,
            "topics": [
                {
                    "topic": topic,
                    "prevalence": float(prevalence),
                    "words": words[level - 1][topic],
                    "members": [
                        {"topic": edge.child, "weight": edge.weight, "share": edge.share}
                        for edge in edges
                        if (edge.level, edge.parent) == (level, topic)
                    ],
                }
                for topic, prevalence in enumerate(hierarchy.prevalence(level))
            ],
        }
        for level in range(2, len(hierarchy.sizes) + 1)
    ]
