"""`chatham documents`: the documents that show a topic best."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chatham.cli.baskets import Basket, Item, Names, Rating, Scale, Title, as_baskets
from chatham.cli.options import (
    Delimiter,
    Encoding,
    Format,
    Id,
    Jobs,
    Json,
    KnownLearners,
    Label,
    Model,
    NoHeader,
    Quiet,
    SkipBadRows,
    Text,
    Vocabulary,
    output_option,
)
from chatham.cli.sources import as_reading, called
from chatham.corpus.scale import SCALE

if TYPE_CHECKING:
    from chatham.cli.documents.view import Found


def documents(
    model: Model,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="The documents, in any form that 'chatham fit' reads.",
            show_default=False,
        ),
    ],
    topic: Annotated[
        list[int] | None,
        typer.Option(
            "--topic",
            metavar="N",
            help="The number of a topic; may be repeated. All topics if not given.",
        ),
    ] = None,
    n: Annotated[
        int,
        typer.Option("-n", "--documents", min=1, metavar="N", help="Documents for each topic."),
    ] = 5,
    output: Annotated[
        Path | None,
        output_option("Write the documents as a table instead: .parquet, .csv, .tsv or .jsonl."),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="COLUMN",
            help="Another column of the documents to show with them; may be repeated.",
        ),
    ] = None,
    text: Text = None,
    label: Label = None,
    id_column: Id = None,
    vocabulary: Vocabulary = None,
    encoding: Encoding = None,
    format: Format = None,
    delimiter: Delimiter = None,
    no_header: NoHeader = False,
    skip_bad_rows: SkipBadRows = False,
    basket: Basket = None,
    item: Item = None,
    rating: Rating = None,
    names: Names = None,
    title: Title = None,
    scale: Scale = SCALE,
    learner: KnownLearners = None,
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Show the documents that are most about a topic.

    Of each the passage that has most of the topic, in which the topic's words stand out; of
    documents without texts, such as counts, the words of the topic that it has most of. The share
    is how much of the document's words is from the topic. Documents are ordered by what that is at
    least, as far as so many different words can tell, so that a text of three words isn't
    first; of near-copies one is shown.

    \b
    Examples:
      chatham documents model/ news.csv --topic 3
      chatham documents model/ news.csv --topic 3 --topic 8 -n 10 --column desk
      chatham documents model/ news.csv -o documents.csv
    """
    from chatham.cli.documents.view import as_table, print_as_json, print_for_people
    from chatham.cli.tables import check_table, write_table

    check_table(output)
    reading = {"text": text, "label": label, "id": id_column, "vocabulary": vocabulary}
    refused = {f"--{name}": value for name, value in reading.items()}
    baskets = as_baskets(basket, item, rating, names, title, scale, refused=refused)
    how = {
        **(baskets or reading),
        **as_reading(encoding, format, delimiter, no_header, skip_bad_rows),
    }
    found = _found(model, files, quiet or as_json, jobs, (topic or None, n, column or []), how)
    if output is not None:
        write_table(as_table(found), output)
    if as_json:
        print_as_json(found, output)
    else:
        print_for_people(found, output, quiet)


def _found(
    folder: Path,
    files: list[Path],
    quiet: bool,
    jobs: int,
    wanted: tuple[list[int] | None, int, list[str]],
    reading: dict[str, Any],
) -> Found:
    from chatham.cli.documents.view import Found
    from chatham.cli.progress import print_notes, progress
    from chatham.cli.sources import read_for_model
    from chatham.cli.wording import as_options, news
    from chatham.documents.representative import documents_shown, rows_of_topics, table_of_shown
    from chatham.errors import InputError
    from chatham.measures.elsewhere.anything import as_subject
    from chatham.model.file import load

    topics, n, columns = wanted
    with progress(quiet) as reporter:
        model = load(folder)
        subject = as_subject(model)
        try:
            rows_of_topics(subject, topics)
        except InputError as error:
            raise typer.BadParameter(as_options(error), param_hint="--topic") from None
        reporter.stage(f"Reading {called(files)}")
        corpus = read_for_model(files, model, reading, reporter.count, keep_texts=True)
        reporter.notes = tuple(news(corpus.notes))
        reporter.stage("Inferring the weights")
        shown, _ = documents_shown(subject, corpus, topics, n, n_jobs=jobs)
        table = table_of_shown(shown, corpus, columns)
        found = Found(subject, len(corpus), shown, table, columns, reporter.notes)
    if not quiet:
        print_notes(reporter.notes)
    found.warnings = reporter.warnings
    return found
