"""`chatham evaluate`: how good a model is, and which of several is better."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chatham.cli.options import LARGEST_SEED, Encoding, Id, Jobs, Json, Quiet, Text

if TYPE_CHECKING:
    from chatham.cli.evaluate_input import Wanted
    from chatham.cli.evaluate_view import Findings


def evaluate(
    arguments: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="MODEL... [FILE]",
            help="One model or several: folders that 'chatham fit -o' wrote, or files of topics "
            "(a topic's words a line, MALLET's weights or keys, OCTIS's JSON, CSV, .npz). Last the "
            "documents, in any form that 'chatham fit' reads; none if it is a model folder too.",
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
            "20%, if they were fitted without it.",
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
            help="Only this measure; may be given again. All that can be taken if not given.",
        ),
    ] = None,
    words: Annotated[
        int | None,
        typer.Option(
            "-n",
            "--words",
            min=1,
            metavar="N",
            help="Words of each topic that are looked at; each measure has its own number.",
        ),
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
            "--true-topics", metavar="FILE", help="The true topics, whole: a model or a file."
        ),
    ] = None,
    list_all: Annotated[
        bool, typer.Option("--list", help="Say what measures there are, and what each needs.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw a picture: .png, .svg or .pdf."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the table too: .csv, .tsv, .jsonl or .parquet.",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            min=0,
            max=LARGEST_SEED,
            metavar="N",
            help="Which documents are held out, and what else is drawn at random.",
        ),
    ] = 0,
    encoding: Encoding = None,
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Score a model, or compare several.

    One model: every measure that what you give allows, with its value and which way is better.
    Several: all of them side by side, the best and its lead over the second best, ∆ = |best −
    second| / |second|; models of one size also get their stability, how alike their topics are.
    Without FILE only the topics themselves are measured.

    \b
    Examples:
      chatham evaluate model/ news.parquet --label desk
      chatham evaluate nmf/ lda/ news.csv --held-out new.csv --plot comparison.png
      chatham evaluate topics.txt news.csv --measure npmi --words 20
      chatham evaluate --list
    """
    from chatham.cli.evaluate_input import Wanted, parted
    from chatham.cli.evaluate_measures import print_measures
    from chatham.cli.evaluate_view import print_as_json, print_for_people

    if list_all:
        print_measures(as_json)
        return
    _check_places(plot, output)
    models, file = parted(arguments or [])
    wanted = Wanted(
        models, file, held_out, reference, measure, words, vectors, true_topics, seed, jobs,
        {"text": text, "id": id_column, "encoding": encoding}, label,
    )  # fmt: skip
    findings = _found(wanted, quiet or as_json)
    findings.saved, findings.picture = output, plot
    _write(findings, plot, output)
    if as_json:
        print_as_json(findings)
    else:
        print_for_people(findings, quiet)


def _check_places(plot: Path | None, output: Path | None) -> None:
    """Find out what can't be written before anything is measured."""
    from chatham.cli.places import check_file
    from chatham.cli.tables import check_table
    from chatham.errors import InputError

    check_table(output)
    if plot is not None:
        from chatham.measures.plots.pictures import check_picture

        try:
            check_picture(plot)
        except InputError as error:
            raise typer.BadParameter(str(error), param_hint="--plot") from None
        check_file(plot)


def _found(wanted: Wanted, quiet: bool) -> Findings:
    from chatham.cli.evaluate_input import read_input
    from chatham.cli.evaluate_measures import check_measures
    from chatham.cli.evaluate_view import Findings
    from chatham.cli.progress import progress, say

    measures = check_measures(wanted)
    with progress(quiet) as shown:
        given = read_input(wanted, shown)
        tables = {}
        for name, subject in given.subjects.items():
            tables[name] = _scores(subject, wanted, given, measures, _tell(shown, name))
        stability = _stability(given.subjects, wanted.words or 10)
        shown.notes = tuple(given.notes)
    if not quiet:
        say(shown.notes)
    return Findings(given, tables, stability, shown.notes, shown.warnings)


def _tell(shown: Any, name: str) -> Any:
    def tell(measure: str, number: int, total: int) -> None:
        shown.stage(f"{name}: {measure}")
        shown.count(number - 1, total)

    return tell


def _scores(subject: Any, wanted: Wanted, given: Any, measures: Any, progress: Any) -> Any:
    """All measures that can be taken, or those that were asked for, with the settings asked for."""
    from chatham.cli.evaluate_input import true_topics_for
    from chatham.cli.evaluate_measures import advised
    from chatham.errors import InputError
    from chatham.measures.evaluate import evaluate as evaluate_model

    options = {
        "held_out": given.held_out,
        "reference": given.reference,
        "true_topics": true_topics_for(subject, given.true_topics),
        "vectors": given.vectors,
        "n_jobs": wanted.jobs,
    }
    try:
        return evaluate_model(
            subject, given.corpus, measures=measures, strict=bool(wanted.measures),
            progress=progress, **options,
        )  # fmt: skip
    except InputError as error:
        raise InputError(advised(str(error))) from None


def _stability(subjects: dict[str, Any], words: int) -> float | None:
    """How alike the topics of several models of one size are."""
    from chatham.measures.stability import stability

    if len(subjects) < 2 or len({subject.n_topics for subject in subjects.values()}) > 1:
        return None
    return stability(list(subjects.values()), n_words=words).value


def _write(findings: Findings, plot: Path | None, output: Path | None) -> None:
    from chatham.cli.evaluate_view import as_table
    from chatham.cli.places import unwritable
    from chatham.cli.tables import write_table

    if output is not None:
        write_table(as_table(findings), output)
    if plot is not None:
        from chatham.measures.plots.pictures import plot_models, save_figure

        sizes = {name: subject.n_topics for name, subject in findings.given.subjects.items()}
        try:
            save_figure(plot_models(findings.tables, sizes, findings.given.lines), plot)
        except OSError as error:
            raise unwritable(plot, error) from None
