"""`chatham merge`: one topic model from the summaries that several parties published."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from chatham.cli.options import (
    Encoding,
    Folder,
    Id,
    Jobs,
    Json,
    Quiet,
    Text,
    Vocabulary,
    Words,
    seed_option,
)
from chatham.cli.parse import as_settings
from chatham.interrupts import SAVED, say_instead
from chatham.naming import value_shown


def merge(
    summaries: Annotated[
        list[Path],
        typer.Argument(
            metavar="SUMMARY...",
            help="Files that 'chatham publish' wrote, all of one kind.",
            show_default=False,
        ),
    ],
    topics: Annotated[
        int | None,
        typer.Option(
            "-k",
            "--topics",
            min=1,
            metavar="K",
            help="How many topics; by default as many as the summary with most.",
        ),
    ] = None,
    output: Folder = None,
    rescale: Annotated[
        bool,
        typer.Option(
            "--rescale",
            help="For lda: divide counts by twice the number of parties and round up, which is "
            "faster; --set rescale=N divides by N.",
        ),
    ] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A setting of the merge, such as weights=gram for nmf, n_init=10 for plsa, or "
            "max_iter=100 for lda; may be repeated.",
        ),
    ] = None,
    party: Annotated[
        list[str] | None,
        typer.Option(
            "--party",
            metavar="NAME=KEY",
            help="A party and its public key, as 'chatham keygen' printed them; then every "
            "summary must be signed by one of these. May be repeated.",
        ),
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            "--corpus",
            metavar="NAME=FILE",
            help="A party's own documents, if they are here: beside what is certain of its "
            "documents from the summary stands what is true of them. May be repeated.",
        ),
    ] = None,
    text: Text = None,
    id_column: Id = None,
    vocabulary: Vocabulary = None,
    encoding: Encoding = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw which base topic went where, as .png, .svg or .pdf.",
        ),
    ] = None,
    words: Words = 10,
    seed: Annotated[int, seed_option("The same seed gives the same model.")] = 0,
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Merge published summaries into one topic model.

    Nobody's documents are needed, and the parties needn't be there. Summaries are of one kind, nmf,
    plsa or lda; their numbers of topics and their words may differ. With -o the model is saved in a
    folder that the other commands read.

    The report says which party has which topic: a party has it if at least a quarter of one of its
    own topics went there. Agreement is how alike the parties' versions of a topic are, from 0 to 1.
    In the examples $NORTH is the public key that 'chatham keygen North' printed.

    \b
    Examples:
      chatham merge north.summary south.summary -k 20 -o model/
      chatham merge *.summary -k 20 -o model/ --plot merged.png
      chatham merge *.summary --party North=$NORTH --party South=$SOUTH
      chatham merge *.summary --corpus North=north.csv
    """
    from chatham.cli.merge.view import Outcome, draw, print_as_json, print_for_people
    from chatham.cli.paths import check_figure
    from chatham.cli.progress import progress
    from chatham.ensembles.merge import merge as merged_from

    own = _own_files(corpus)
    reading = {"text": text, "id": id_column, "vocabulary": vocabulary, "encoding": encoding}
    keys = _parties(party)
    _check_output(output)
    check_figure(plot)
    how = _settings(settings, rescale)
    with progress(quiet or as_json) as reporter:
        documents = _read_own(summaries, own, reading, reporter)
        reporter.stage("Merging")
        model = merged_from(
            summaries, topics, random_state=seed, n_jobs=jobs, parties=keys, documents=documents,
            **how,
        )  # fmt: skip
        if plot is not None:
            reporter.stage("Drawing")
            draw(model, plot)
    if output is not None:
        model.save(output)
        say_instead(SAVED.format(f"'{output}'"))
    outcome = Outcome(model, list(summaries), reporter.warnings, output, plot)
    if as_json:
        print_as_json(outcome, words)
    else:
        print_for_people(outcome, words, quiet)


def _settings(settings: list[str] | None, rescale: bool) -> dict[str, Any]:
    how = as_settings(settings or [])
    return {**how, "rescale": True} if rescale else how


def _own_files(pairs: list[str] | None) -> dict[str, Path]:
    """The files of documents by the names of their parties."""
    files: dict[str, Path] = {}
    for pair in pairs or []:
        name, equals, file = pair.partition("=")
        if not (name and equals and file) or name in files:
            raise typer.BadParameter(
                f"{pair!r} must be NAME=FILE, a party's name and its own documents, each once.",
                param_hint="--corpus",
            )
        files[name] = Path(file)
    return files


def _read_own(
    summaries: list[Path], files: dict[str, Path], reading: dict[str, Any], reporter: Any
) -> dict[str, Any]:
    """The documents of parties, in which the words of their own summaries are counted."""
    if not files:
        return {}
    from chatham.cli.sources import read_for_model
    from chatham.ensembles.file import read_summary
    from chatham.ensembles.merge import names_of, number_of

    read = [read_summary(path) for path in summaries]
    names, documents = names_of(summaries, read), {}
    for name, file in files.items():
        summary = read[number_of(names, name)]
        reporter.stage(f"Reading {file.name}")
        documents[name] = read_for_model(file, summary, reading, reporter.count)
    return documents


def _parties(pairs: list[str] | None) -> dict[str, str] | None:
    """Names and public keys."""
    if pairs is None:
        return None
    keys: dict[str, str] = {}
    for pair in pairs:
        name, equals, key = pair.rpartition("=")
        if not equals or not name or len(key) != 64 or set(key) - set("0123456789abcdef"):
            raise typer.BadParameter(
                f"{value_shown(pair)} must be NAME=KEY, as 'chatham keygen' printed it: the key "
                "has 64 hexadecimal digits.",
                param_hint="--party",
            )
        keys[name] = key
    return keys


def _check_output(output: Path | None) -> None:
    from chatham.cli.paths import check_folder
    from chatham.model.folder import check_writable

    if output is not None:
        check_writable(output)
        check_folder(output)
