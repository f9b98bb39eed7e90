"""`chatham report`: the explorer's page as one file."""

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


def report(
    model: Model,
    files: OptionalFiles = None,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The file to write.")
    ] = Path("report.html"),
    no_documents: Annotated[
        bool, typer.Option("--no-documents", help="Leave the texts of documents out.")
    ] = False,
    redacted: Annotated[
        bool,
        typer.Option(
            "--redacted",
            help="Leave out everything that isn't in the model: for people who may "
            "not see anything of the documents.",
        ),
    ] = False,
    text: Text = None,
    label: Label = None,
    id_column: Id = None,
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
    """Write the explorer's page as one file, which opens without a server and without a network.

    It has at most 8 MB: of the documents those with most of each topic, as many as fit, and it says
    so. With --no-documents it has none of their texts, but numbers made from them: the map by the
    documents that topics share, topics over time and by group. With --redacted it has nothing that
    isn't in the model itself.

    \b
    Examples:
      chatham report model/ news.parquet -o report.html
      chatham report model/ news.parquet --no-documents
      chatham report model/ --redacted -o topics.html
    """
    from chatham.cli.explore.serving import read_documents, titles_of
    from chatham.cli.output import print_json
    from chatham.cli.paths import check_file
    from chatham.cli.progress import progress
    from chatham.explorer import report as reports
    from chatham.model.file import load

    check_file(output)
    reading = {"text": text, "label": label, "id": id_column, "vocabulary": vocabulary}
    reading |= as_reading(encoding, format, delimiter, no_header, skip_bad_rows)
    with progress(quiet or as_json) as reporter:
        reporter.stage("Reading the model")
        loaded = load(model)
        corpus = None if redacted else read_documents(files or [], loaded, reading, reporter)
        reporter.stage("Writing the report")
        kept = reports.report(
            loaded, corpus, output, documents=not no_documents, redacted=redacted,
            titles=titles_of(model, files or []),
        )  # fmt: skip
    size = output.stat().st_size
    if as_json:
        print_json({"report": str(output), "bytes": size, "documents": kept})
    elif not quiet:
        counted = "no documents" if kept == 0 else f"{kept:,} documents"
        print(f"Report of {size / 1e6:.1f} MB with {counted}, saved in {output}.")
