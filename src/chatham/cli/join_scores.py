"""The scores of a model that parties fitted together: printed, for machines, and in a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from chatham.cli.evaluate_measures import BETTER
from chatham.cli.evaluate_table import plain
from chatham.cli.output import plain_table
from chatham.cli.places import unwritable
from chatham.federation.session import Session
from chatham.model.topic_model import TopicModel
from chatham.plots.panels import shown

if TYPE_CHECKING:
    from rich.table import Table

FILE = "scores.json"
ON = {
    "held_out": "held-out documents",
    "corpus": "fitted documents",
    "reference": "fitted documents",
}


def scores_as_json(model: TopicModel) -> dict[str, Any]:
    """The scores, and what could not be taken; nothing where the session has none."""
    if model.scores is None:
        return {}
    records = plain(model.scores.to_dict("records"))
    return {"scores": records, "skipped": model.scores.attrs["skipped"]}


def save_scores(model: TopicModel, session: Session, folder: Path) -> None:
    """Beside the model, the same bytes at every party; an older model's would mislead there."""
    path = folder / FILE
    told = {"session": session.hash.hex(), **session.score, **scores_as_json(model)}
    try:
        if model.scores is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text(json.dumps(told, indent=1, allow_nan=False) + "\n", "utf-8")
    except OSError as error:
        raise unwritable(path, error) from None


def score_table(scores: pd.DataFrame) -> Table:
    """A row for each measure, with the documents of all parties that it is about."""
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


def not_taken(scores: pd.DataFrame) -> Iterator[str]:
    """A sentence for each measure that has no value."""
    for measure, why in scores.attrs["skipped"].items():
        yield f"The measure {measure} could not be taken: {why}"
