"""`chatham update`: a model that grows by new documents, without the old ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chatham.cli.options import (
    Delimiter,
    Encoding,
    Format,
    Id,
    Jobs,
    Json,
    Model,
    NoHeader,
    Quiet,
    SkipBadRows,
    Text,
    Vocabulary,
    Words,
    seed_option,
)
from chatham.cli.sources import as_reading, called

if TYPE_CHECKING:
    from chatham.cli.progress import Silent
    from chatham.corpus import Corpus
    from chatham.model.topic_model import TopicModel


def update(
    model: Model,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="The new documents, in any form that 'chatham fit' reads.",
            show_default=False,
        ),
    ],
    slice: Annotated[
        str | None,
        typer.Option(
            "--slice",
            metavar="NAME",
            help="What the new documents are called in the history, such as March; by default "
            "the first file's name.",
        ),
    ] = None,
    topics: Annotated[
        int | None,
        typer.Option(
            "-k",
            "--topics",
            min=1,
            metavar="K",
            help="How many topics the new documents get by themselves; by default one more than "
            "the slice before had.",
        ),
    ] = None,
    first: Annotated[
        Path | None,
        typer.Option(
            "--first",
            metavar="FILE",
            help="The documents that the model was fitted to, if it keeps no summary of them yet.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FOLDER",
            help="Another folder for the updated model; by default the model's own.",
        ),
    ] = None,
    new_words: Annotated[
        bool,
        typer.Option(
            "--new-words/--no-new-words",
            help="Whether words that only the new documents have join the model's.",
        ),
    ] = True,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw the history, as .png, .svg or .pdf."),
    ] = None,
    text: Text = None,
    id_column: Id = None,
    vocabulary: Vocabulary = None,
    encoding: Encoding = None,
    format: Format = None,
    delimiter: Delimiter = None,
    no_header: NoHeader = False,
    skip_bad_rows: SkipBadRows = False,
    words: Words = 5,
    seed: Annotated[int, seed_option("The same seed gives the same model.")] = 0,
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Add new documents to a model, without those that it was made from.

    The model keeps a summary of each slice of documents: fit the first with --slice. An update fits
    topics to the new slice, starting from those that the model has, and merges the summaries of
    all. Topics keep their numbers; one that only the new slice has gets a new number, and one that
    it doesn't have has died. The folder is replaced as a whole, at the very end.

    It can be a model of nmf, plsa or lda. Kept summaries are exact, so a folder that has some isn't
    for others; 'chatham publish' makes a summary that is.

    \b
    Examples:
      chatham fit january.csv -k 10 --slice January -o model/
      chatham update model/ february.csv
      chatham update model/ march.csv --slice March --plot history.png
      chatham topics model/ --history
    """
    from chatham.cli.paths import check_figure, check_folder
    from chatham.cli.progress import progress
    from chatham.cli.update.view import Outcome, draw, print_as_json, print_for_people
    from chatham.ensembles.update import check_grows, check_name
    from chatham.ensembles.update import update as updated
    from chatham.model.file import load
    from chatham.model.folder import check_writable

    target = model if output is None else output
    check_figure(plot)
    reading = {
        "text": text,
        "id": id_column,
        "vocabulary": vocabulary,
        **as_reading(encoding, format, delimiter, no_header, skip_bad_rows),
    }
    name = files[0].name.split(".")[0] if slice is None else slice
    with progress(quiet or as_json) as reporter:
        before = load(model)
        check_writable(target)
        check_folder(target)
        check_grows(before)
        check_name(name, [] if before._grown is None else before._grown.names)
        if first is not None:
            before = _with_first(before, first, reading, seed, jobs, reporter)
        reporter.stage(f"Reading {called(files)}")
        corpus = _read(files, before, reading, reporter)
        reporter.stage("Fitting and merging")
        after = updated(
            before, corpus, slice=name, n_components=topics, new_words=new_words,
            random_state=seed, n_jobs=jobs,
        )  # fmt: skip
        if plot is not None:
            reporter.stage("Drawing")
            draw(after, plot)
        after.save(target)
    outcome = Outcome(after, before, corpus, target, plot, reporter.warnings)
    if as_json:
        print_as_json(outcome, words)
    else:
        print_for_people(outcome, words, quiet)


def _with_first(
    model: TopicModel, file: Path, reading: dict[str, Any], seed: int, jobs: int, reporter: Silent
) -> TopicModel:
    """The model with a summary of the documents that it was fitted to."""
    from chatham.cli.sources import read_for_model
    from chatham.ensembles.update import keep_summary

    if model._grown is not None:
        raise typer.BadParameter(
            "The model keeps a summary of its first documents already; leave it out.",
            param_hint="--first",
        )
    reporter.stage(f"Reading {file.name}")
    corpus = read_for_model(file, model, reading, reporter.count)
    reporter.stage("Adding up what a merge needs")
    name = file.name.split(".")[0]
    return keep_summary(model, corpus, slice=name, random_state=seed, n_jobs=jobs)


def _read(
    files: list[Path], model: TopicModel, reading: dict[str, Any], reporter: Silent
) -> Corpus:
    """The documents: all words of texts that aren't rare, or counts as they are."""
    from chatham.cli.sources import source_of
    from chatham.corpus import read_corpus
    from chatham.corpus.readers.sources import Bag
    from chatham.ensembles.update import read_slice
    from chatham.model.intake import columns_where, opened_where, where_in

    where, others = where_in(reading)
    contents = opened_where(source_of(files), where)
    options = {**columns_where(where), **others, "progress": reporter.count}
    if isinstance(contents, Bag):
        return read_corpus(contents, **options, stop_words=None)
    return read_slice(model, contents, **options)
