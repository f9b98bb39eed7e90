"""The explorer's page as one file: it opens from a disk, without a server and without a network.

It holds the documents that show each topic best, as many as fit, and says that they aren't all.
A redacted one holds nothing that isn't in the model: no document, nor any number made from one.
"""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from chatham.corpus import Corpus
from chatham.errors import InputError
from chatham.explorer.assembling import one_file
from chatham.explorer.cells import cells_of, offered_columns
from chatham.explorer.prepare import Titles, as_json, prepare
from chatham.explorer.shelf import Shelf
from chatham.model.topic_model import TopicModel
from chatham.naming import path_shown

MOST_BYTES = 8_000_000
KEPT = (20, 10, 5, 3, 1)
"""Documents of each topic that a file keeps: the most that fit."""
LONGEST_TEXT = 8_000
"""Characters of a text in a file."""
NOTHING_SAID = as_json({"topics": [], "answers": [], "kept": False})


def report(
    model: TopicModel,
    corpus: Any,
    path: str | PathLike[str],
    *,
    documents: bool = True,
    redacted: bool = False,
    titles: Titles | None = None,
) -> int:
    """Write the report to a file; how many documents it holds.

    >>> import chatham as ch, tempfile, pathlib
    >>> corpus = ch.sample_corpus()
    >>> model = ch.fit("nmf", corpus, n_components=5, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ch.report(model, corpus, pathlib.Path(folder, "report.html"), redacted=True)
    0
    """
    page, kept = report_page(model, corpus, documents=documents, redacted=redacted, titles=titles)
    target = Path(path)
    try:
        target.write_text(page, "utf-8", newline="\n")
    except OSError as error:
        raise InputError(
            f"{path_shown(target)} can't be written: {error.strerror or type(error).__name__}."
        ) from None
    return kept


def report_page(
    model: TopicModel,
    corpus: Any = None,
    *,
    documents: bool = True,
    redacted: bool = False,
    titles: Titles | None = None,
    at: str = "",
    most: int = MOST_BYTES,
) -> tuple[str, int]:
    """The report as a page, and how many documents it holds; `at` is what it shows first."""
    whole = None if corpus is None or redacted else Shelf.of(model, corpus)
    shelf = None if whole is None else replace(whole, longest=LONGEST_TEXT)
    prepared = prepare(model, shelf, Titles() if redacted or titles is None else titles)
    prepared["at"] = at.removeprefix("#")
    if shelf is not None:
        prepared["cells"] = _cells(model, shelf.corpus)
    for kept in KEPT if shelf is not None and documents else (0,):
        rows = [] if shelf is None or not kept else _best(shelf, kept)
        page = _page(prepared, shelf, rows, kept)
        if len(page.encode()) <= most:
            return page, len(rows)
    page = _page(prepared, shelf, [], 0)
    if len(page.encode()) > most:
        raise InputError(
            f"The report takes {len(page.encode()) / 1e6:.1f} MB without any document, and at most "
            f"{most / 1e6:.0f} MB are written; fit fewer topics, or use the explorer."
        )
    return page, 0


def _page(prepared: dict[str, Any], shelf: Shelf | None, rows: list[int], kept: int) -> str:
    about = prepared["documents"]
    if shelf is not None:
        about = {
            **about, "source": "file" if rows else "left out", "kept": len(rows),
            "per_topic": kept, "rows": [shelf.document(row, None) for row in rows],
        }  # fmt: skip
    return one_file(as_json({**prepared, "documents": about}), NOTHING_SAID)


def _best(shelf: Shelf, kept: int) -> list[int]:
    """The documents with most of each topic, each once."""
    rows = {int(row) for topic in shelf.numbers for row in shelf.find(topic, "", "")[:kept]}
    return sorted(rows)


def _cells(model: TopicModel, corpus: Corpus) -> list[dict[str, Any]]:
    """Topics over time and by group, by the first column of each kind."""
    chosen: dict[str, str] = {}
    for each in offered_columns(corpus):
        chosen.setdefault(each["kind"], each["column"])
    found = []
    for kind, column in chosen.items():
        try:
            found.append(cells_of(model, corpus, column, kind))
        except InputError:  # a column whose name said more than it holds
            continue
    return found
