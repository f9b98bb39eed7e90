"""`chatham evaluate`: how good a model is, and which of several is better."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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
    NoHeader,
    Quiet,
    SkipBadRows,
    Text,
    output_option,
    seed_option,
    words_option,
)
from chatham.cli.sources import as_reading
from chatham.corpus.scale import SCALE


def evaluate(
    arguments: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="MODEL... [FILE]",
            help="One model or several: folders that 'chatham fit -o' wrote, or files of topics "
            "(one line of words per topic, MALLET's weights or keys, OCTIS's JSON, CSV, .npz). "
            "Last the documents, in any form that 'chatham fit' reads; if the last is a model "
            "folder too, there are none.",
            show_default=False,
        ),
    ] = None,
    label: Annotated[
        str | None, typer.Option("--label", metavar="COLUMN", help="The column with the labels.")
    ] = None,
    text: Text = None,
    id_column: Id = None,
    held_out: Annotated[
        str | None,
        typer.Option(
            "--held-out",
            metavar="FILE|SHARE",
            help="Documents that the models have not seen: a file, or a share of FILE, such as "
            "20%, if the models were fitted without it.",
        ),
    ] = None,
    reference: Annotated[
        Path | None,
        typer.Option(
            "--reference",
            metavar="FILE",
            help="Documents that coherence counts words in; FILE if not given.",
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            metavar="NAME",
            help="Only this measure, or these with commas between them; may be repeated. By "
            "default, all that can be computed.",
        ),
    ] = None,
    words: Annotated[
        int | None,
        words_option("Number of top words per topic to use; each measure has its own default."),
    ] = None,
    vectors: Annotated[
        Path | None,
        typer.Option(
            "--vectors", metavar="FILE", help="Word vectors, as word2vec or GloVe write them."
        ),
    ] = None,
    true_topics: Annotated[
        Path | None,
        typer.Option(
            "--true-topics",
            metavar="FILE",
            help="The true topics, with all their probabilities: a model or a file.",
        ),
    ] = None,
    topics: Annotated[
        bool, typer.Option("--topics", help="Show each topic's values too, with its top words.")
    ] = False,
    list_all: Annotated[
        bool, typer.Option("--list", help="List the measures, and what each needs.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw a figure: .png, .svg or .pdf."),
    ] = None,
    output: Annotated[
        Path | None, output_option("Write the table too: .csv, .tsv, .jsonl or .parquet.")
    ] = None,
    seed: Annotated[
        int, seed_option("Decides which documents are held out, and all other random draws.")
    ] = 0,
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
    """Score a model, or compare several.

    One model: every measure that your data allows, with its value and which way is better.
    Several: all of them side by side, the best and its lead over the second best, ∆ = |best −
    second| / |second|; models with the same number of topics also get their stability, how
    similar their topics are. Without FILE only the topics themselves are measured.

    \b
    Examples:
      chatham evaluate model/ news.parquet --label desk
      chatham evaluate model/ news.csv --measure npmi,c_v --topics
      chatham evaluate nmf/ lda/ news.csv --held-out new.csv --plot comparison.png
      chatham evaluate topics.txt news.csv --measure npmi --words 20
      chatham evaluate --list
    """
    from chatham.cli.progress import load_measures, print_notes, progress
    from chatham.cli.tables import check_table

    check_table(output)
    documents = {"text": text, "id": id_column}
    refused = {"--text": text, "--id": id_column, "--label": label}
    baskets = as_baskets(basket, item, rating, names, title, scale, refused=refused)
    with progress(quiet or as_json) as reporter:
        load_measures(reporter)
        if not list_all:
            from chatham.cli.evaluate.input import Request, models_and_file
            from chatham.cli.evaluate.run import find, write
            from chatham.cli.paths import check_figure

            check_figure(plot)
            models, file = models_and_file(arguments or [])
            form = as_reading(encoding, format, delimiter, no_header, skip_bad_rows)
            request = Request(
                models, file, held_out, reference, measure, words, vectors, true_topics, seed,
                jobs, {**(baskets or documents), **form}, label,
            )  # fmt: skip
            findings = find(request, reporter)
            write(findings, plot, output, reporter)
    from chatham.cli.evaluate.measures import print_measures
    from chatham.cli.evaluate.table import print_as_json
    from chatham.cli.evaluate.view import print_for_people

    if list_all:
        print_measures(as_json)
        return
    findings.warnings = reporter.warnings
    if as_json:
        print_as_json(findings)
        return
    if not quiet:
        print_notes(reporter.notes)
    print_for_people(findings, quiet, topics)
