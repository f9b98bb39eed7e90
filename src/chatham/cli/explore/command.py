"""`chatham explore`: look at topics and at the documents behind them, in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chatham.cli.options import (
    Delimiter,
    Encoding,
    Format,
    Id,
    Json,
    KnownLearners,
    Label,
    Model,
    NoHeader,
    OptionalFiles,
    Quiet,
    SkipBadRows,
    Text,
    Vocabulary,
)
from chatham.cli.sources import as_reading


def explore(
    model: Model,
    files: OptionalFiles = None,
    text: Text = None,
    label: Label = None,
    id_column: Id = None,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            metavar="MODEL",
            help="Another model to show beside this one, topic by topic: mine beside ours, say.",
        ),
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option(
            "--ledger",
            metavar="FOLDER",
            help="The folder that 'chatham join' was given, to show what left with it.",
        ),
    ] = None,
    audit: Annotated[
        Path | None,
        typer.Option(
            "--audit",
            metavar="FILE",
            help="What 'chatham audit -o report.json' wrote, to show documents by risk.",
        ),
    ] = None,
    judgements: Annotated[
        Path | None,
        typer.Option(
            "--judgements",
            metavar="FILE",
            help="Where to keep ratings and notes; judgements.sqlite in the model's folder if not "
            "given.",
        ),
    ] = None,
    at: Annotated[
        str,
        typer.Option(
            "--at", metavar="STATE", help="What to show first, as the page writes it below."
        ),
    ] = "",
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            min=0,
            max=65535,
            metavar="N",
            help="The port to listen on; 8760 if it is free, else any.",
        ),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address, and open no browser.")
    ] = False,
    vocabulary: Vocabulary = None,
    encoding: Encoding = None,
    format: Format = None,
    delimiter: Delimiter = None,
    no_header: NoHeader = False,
    skip_bad_rows: SkipBadRows = False,
    learner: KnownLearners = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Look at topics and at the documents behind them, in the browser.

    A page on this machine alone, without any network: a map of the topics, their words in any
    order, the documents of each and what is in them, over time and by group, and all measures.
    Topics can be named, merged, split and rated there: names and edits are saved in the model,
    ratings and notes beside it. Without FILE there are topics and words, and no documents. What is
    looked at is in the page's address; the key to it is not, so that it can be passed on.

    \b
    Examples:
      chatham explore model/ news.parquet
      chatham explore model/ news.csv --text body --label section --at 'topic=3&by=prevalence'
      chatham explore ours/ mine.csv --against mine/
    """
    from chatham.cli.explore.serving import serve
    from chatham.cli.paths import check_file
    from chatham.explorer.extra import need_explorer

    need_explorer()
    check_file(judgements)
    reading = {"text": text, "label": label, "id": id_column, "vocabulary": vocabulary}
    reading |= as_reading(encoding, format, delimiter, no_header, skip_bad_rows)
    serve(
        model, files or [], reading, against=against, ledger=ledger, audit=audit,
        judgements=judgements, at=at, port=port, browser=not no_browser, quiet=quiet,
        as_json=as_json,
    )  # fmt: skip
