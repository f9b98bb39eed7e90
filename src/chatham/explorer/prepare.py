"""A model and its documents as one JSON document: all that the page shows, by numbers of topics.

docs/explorer.md describes every field. The page of the server and that of a report are the same and
read the same; a report has documents in it, the server gives them page by page.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.explorer.cells import offered_columns
from chatham.explorer.numbering import names_of, numbers_of, ordering_of
from chatham.explorer.placing import Places
from chatham.explorer.shelf import Shelf
from chatham.explorer.words import SHOWN, word_tables
from chatham.learners.words import effective_words
from chatham.looking.contingency import Contingency
from chatham.looking.topics import topics_of
from chatham.measures.intrusion.tasks import word_intrusion
from chatham.model.tables import anchor_labels
from chatham.model.topic_model import TopicModel
from chatham.version import version

Array = NDArray[np.float64]

FORMAT, FORMAT_VERSION = "chatham explorer", 1
SUGGESTIONS = 5
ALIKE = 0.6
"""Topics with a larger distance aren't suggested for merging."""
HALVES = re.compile("[\ud800-\udfff]")
"""Halves of characters, which some texts have alone, and UTF-8 has not."""


@dataclass(frozen=True)
class Titles:
    """What things are called where the page repeats itself as a command."""

    model: str = "model/"
    documents: str = "documents.csv"


def prepare(
    model: TopicModel, shelf: Shelf | None = None, titles: Titles = Titles()
) -> dict[str, Any]:
    """Everything about the topics, and how many documents there are behind them."""
    if model.kind != "topic":
        raise InputError(
            f"The explorer shows topics, and {model.algorithm} finds directions, which are no "
            "distributions over words; 'chatham topics' prints them."
        )
    numbers = numbers_of(model)
    places = Places(topics_of(model), _together(shelf))
    tables = word_tables(
        model.topics, ordering_of(model), model.prevalence, model.vocabulary, numbers
    )
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "library_version": version(),
        "titles": {"model": titles.model, "documents": titles.documents},
        "model": _about(model),
        "topics": _topics(model, tables["topics"], numbers),
        "words": tables["words"],
        "shown_words": SHOWN,
        "layouts": places.layouts(),
        **places.links(),
        "tree": places.tree(),
        "order": places.order(),
        "suggestions": _suggestions(model, places.alike, numbers),
        "intrusion": _intrusion(model),
        "documents": _about_documents(shelf),
    }


def _together(shelf: Shelf | None) -> Contingency | None:
    """How often topics meet in documents with known words; None where there are none."""
    if shelf is None or shelf.empty.all():
        return None
    weights = shelf.weights[~shelf.empty]
    return Contingency(weights.T @ weights)


def _about(model: TopicModel) -> dict[str, Any]:
    return {
        "algorithm": model.algorithm,
        "topics": model.n_topics,
        "words": len(model.vocabulary),
        "seed": model.seed,
        "edits": len(model.edits),
    }


def _topics(
    model: TopicModel, entries: list[dict[str, Any]], numbers: list[int]
) -> list[dict[str, Any]]:
    anchors = anchor_labels(model)
    used = effective_words(model.topics)
    topics: list[dict[str, Any]] = [
        {
            "number": number,
            "share": float(model.prevalence[row]),
            "effective_words": float(used[row]),
            "anchor": None if anchors is None else anchors[row],
            "entries": entries[row],
        }
        for row, number in enumerate(numbers)
    ]
    name_topics(topics, model)
    return topics


def name_topics(topics: list[dict[str, Any]], model: TopicModel) -> None:
    """Write into the table of topics what each is called, and whether by a person."""
    names, given = names_of(model), model.names.given
    for topic in topics:
        number = topic["number"]
        topic.update(name=names[number], given=number in given)


def _suggestions(model: TopicModel, distances: Array, numbers: list[int]) -> dict[str, Any]:
    """Pairs of topics that are most alike, and topics that use the most words."""
    pairs = [
        [numbers[a], numbers[b], float(distances[a, b])]
        for a, b in zip(*np.triu_indices(len(numbers), 1), strict=True)
        if distances[a, b] <= ALIKE
    ]
    used = effective_words(model.topics)
    broad = np.argsort(-used, kind="stable")[:SUGGESTIONS]
    return {
        "merge": sorted(pairs, key=lambda pair: (pair[2], pair[:2]))[:SUGGESTIONS],
        "split": [[numbers[t], float(used[t])] for t in broad] if len(numbers) > 1 else [],
    }


def _intrusion(model: TopicModel) -> list[dict[str, Any]]:
    """Questions of word intrusion with their answers; none where none can be made."""
    try:
        task = word_intrusion(model)
    except InputError:
        return []
    return [
        {
            "id": question.id,
            "topic": key.topic,
            "options": list(question.options),
            "intruder": question.options[key.intruder],
        }
        for question, key in zip(task.questions, task.key, strict=True)
    ]


def _about_documents(shelf: Shelf | None) -> dict[str, Any]:
    if shelf is None:
        return {"total": 0, "source": "none"}
    return {
        "total": len(shelf),
        "empty": int(shelf.empty.sum()),
        "source": "server",
        "texts": shelf.has_texts,
        "labels": shelf.corpus.labels is not None,
        "columns": offered_columns(shelf.corpus),
    }


def as_json(prepared: dict[str, Any]) -> str:
    """The document as text that may also stand within HTML, and be written as UTF-8."""
    text = json.dumps(prepared, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
    return (
        text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
        .replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    )  # fmt: skip
