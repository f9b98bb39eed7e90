"""Reads what is to be explored, and serves it until somebody stops it."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatham.cli.ledger.view import crossed
from chatham.cli.output import print_json
from chatham.cli.progress import progress
from chatham.cli.sources import called, source_of
from chatham.cli.wording import news
from chatham.explorer.explore import shown_at
from chatham.explorer.prepare import Titles
from chatham.explorer.risks import read_risks
from chatham.explorer.server import Server, listening_on
from chatham.explorer.workbench import Workbench
from chatham.model.file import load
from chatham.model.intake import read_like_training, where_in

if TYPE_CHECKING:
    from chatham.cli.progress import Silent
    from chatham.corpus import Corpus
    from chatham.model.topic_model import TopicModel


def read_documents(
    files: Sequence[Path], model: TopicModel, reading: dict[str, Any], reporter: Silent
) -> Corpus | None:
    """The documents with their texts, split as in training; None where none are given."""
    if not files:
        return None
    reporter.stage(f"Reading {called(files)}")
    where, others = where_in(reading)
    others |= {"keep_texts": True, "progress": reporter.count}
    corpus = read_like_training(
        source_of(files), model.vocabulary, model.vectorizer, where, **others
    )
    reporter.notes = tuple(news(corpus.notes))
    return corpus


def titles_of(model: Path, files: Sequence[Path]) -> Titles:
    """What was typed, so that the page can say how it came about."""
    return Titles(str(model), " ".join(map(str, files)))


def _more(ledger: Path | None, audit: Path | None) -> dict[str, Any]:
    """What else is shown: what left a party, and the ranking of an audit."""
    more: dict[str, Any] = {}
    if ledger is not None:
        more["ledger"] = crossed(ledger).to_dict()
    if audit is not None:
        more["risks"] = read_risks(audit)
    return more


def serve(
    folder: Path,
    files: Sequence[Path],
    reading: dict[str, Any],
    *,
    against: Path | None,
    ledger: Path | None,
    audit: Path | None,
    judgements: Path | None,
    at: str,
    port: int | None,
    browser: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Prepare, listen, say where, and stop on Ctrl-C."""
    listening = listening_on(port)
    try:
        with progress(quiet or as_json) as reporter:
            reporter.stage("Reading the model")
            model, other = load(folder), None if against is None else load(against)
            corpus = read_documents(files, model, reading, reporter)
            reporter.stage("Finding the topics of the documents")
            more = _more(ledger, audit)
            titles = titles_of(folder, files)
            bench = Workbench(
                model, corpus, folder, judgements, titles, other, str(against or ""), more
            )
            reporter.stage("Preparing the page")
            _ = bench.data
        server = Server(bench, listening)
    except BaseException:
        listening.close()
        raise

    def announce(address: str) -> None:
        shown = shown_at(address, at)
        if as_json:
            print_json({"address": shown})
        elif quiet:
            print(shown)
        else:
            print(f"The explorer is at {shown}")
            print("It is for this machine alone, and the key is in the address. Ctrl-C stops it.")
        sys.stdout.flush()
        if browser:
            webbrowser.open(shown_at(server.address_for_one_visit(), at))

    try:
        server.serve_here(announce)
    finally:
        bench.close()
