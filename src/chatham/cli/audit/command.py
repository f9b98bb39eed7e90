"""`chatham audit`: what would taking part give away, document by document."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chatham.cli.options import (
    Delimiter,
    Encoding,
    Files,
    Format,
    Id,
    Jobs,
    Json,
    Learner,
    MaxDf,
    MaxFeatures,
    MaxIter,
    MinDf,
    NoHeader,
    Quiet,
    Settings,
    SkipBadRows,
    StopWords,
    Text,
    Topics,
    Vocabulary,
    Weighting,
    seed_option,
)
from chatham.cli.parse import as_choice, as_limit, as_privacy, as_settings, as_stop_words
from chatham.cli.sources import as_reading, called, source_of
from chatham.naming import value_shown

if TYPE_CHECKING:
    from chatham.cli.audit.found import Found
    from chatham.cli.progress import Silent
    from chatham.corpus import Corpus

REPORTS = (".html", ".json")


def audit(
    context: typer.Context,
    files: Files,
    topics: Topics = 20,
    model: Learner = "nmf",
    party_size: Annotated[
        str,
        typer.Option(
            "--party-size",
            metavar="SHARE",
            help="The share of the documents that the parties whom the adversary asks about have "
            "together; several, separated by commas, are compared.",
        ),
    ] = "0.05",
    documents: Annotated[
        str | None,
        typer.Option(
            "--documents",
            metavar="N|FILE",
            help="The documents in question: how many at random (50 if not given), or a file with "
            "one id per line.",
        ),
    ] = None,
    databases: Annotated[
        int | None,
        typer.Option(
            "--databases",
            metavar="N",
            help="How many databases are drawn for each group of documents: more find more. If not "
            "given, 400, or as many as --power takes.",
        ),
    ] = None,
    power: Annotated[
        float | None,
        typer.Option(
            "--power",
            metavar="SHARE",
            help="The probability, such as 0.8, with which a test is to find a document that gives "
            "away as much as one yes-or-no answer in an exact count over a database.",
        ),
    ] = None,
    sees: Annotated[
        str,
        typer.Option(
            "--sees",
            metavar="WHAT",
            help="What the adversary sees: model, or transcript (the totals of all rounds too).",
        ),
    ] = "model",
    colluding: Annotated[
        float,
        typer.Option(
            "--colluding",
            metavar="SHARE",
            help="The share of the documents that is the adversary's own, chosen at random.",
        ),
    ] = 0.0,
    exact_totals: Annotated[
        bool,
        typer.Option(
            "--exact-totals", help="As in a session whose parties all know that totals are exact."
        ),
    ] = False,
    session: Annotated[
        Path | None,
        typer.Option(
            "--session",
            metavar="FOLDER",
            help="A session that has taken place: the folder that 'chatham join --plain' was "
            "given, FILE being the documents that took part.",
        ),
    ] = None,
    dp: Annotated[
        str | None,
        typer.Option(
            "--dp",
            metavar="epsilon=E,delta=D",
            help="As in a session whose fit is differentially private (NMF and SVD).",
        ),
    ] = None,
    exclude: Annotated[
        Path | None,
        typer.Option(
            "--exclude",
            metavar="FILE",
            help="Audit with these documents, and again without them, and compare: one id per "
            "line.",
        ),
    ] = None,
    exposed: Annotated[
        Path | None,
        typer.Option(
            "--exposed",
            metavar="FILE",
            help="Write the ids of exposed documents there, one per line, as --exclude reads them.",
        ),
    ] = None,
    no_uplift: Annotated[
        bool,
        typer.Option("--no-uplift", help="Don't measure what the party would gain."),
    ] = False,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder",
            metavar="FOLDER",
            help="Keep what was observed there; an audit that was stopped goes on from it.",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw a figure: .png, .svg or .pdf."),
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write a report, without any text of a document: .html or .json; may be repeated.",
        ),
    ] = None,
    text: Text = None,
    id_column: Id = None,
    vocabulary: Vocabulary = None,
    encoding: Encoding = None,
    format: Format = None,
    delimiter: Delimiter = None,
    no_header: NoHeader = False,
    skip_bad_rows: SkipBadRows = False,
    stop_words: StopWords = "auto",
    min_df: MinDf = None,
    max_df: MaxDf = None,
    max_features: MaxFeatures = None,
    weighting: Weighting = "auto",
    max_iter: MaxIter = None,
    settings: Settings = None,
    seed: Annotated[int, seed_option("Decides all that is random, topics included.")] = 0,
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Find out what taking part would give away, document by document.

    Databases are drawn from FILE again and again, with a document and without it; each is fitted as
    a session between parties would fit it. Can somebody who has the document, and sees the
    result, tell whether it was there? The documents are printed by risk. Before that, a single fit
    gives an idea of many documents together; then it is said how long all will take, and if that
    is long, a first look with few databases comes within two minutes. Beside it stands what could
    be rebuilt by somebody who has no document, and what the party would gain.

    \b
    Examples:
      chatham audit news.parquet --model nmf -k 10 --party-size 0.05
      chatham audit news.parquet --party-size 0.01,0.05,0.2 --plot sizes.png
      chatham audit news.csv --documents ids.txt --folder kept/ -o report.html --plot risk.png
      chatham audit news.csv --folder kept/ --exposed exposed.txt
      chatham audit news.csv --folder kept/ --exclude exposed.txt
      chatham audit news.csv --sees transcript --colluding 0.3
      chatham audit north.csv --session north/
    """
    _check_paths(output, plot, folder, exposed)
    if session is not None:
        from chatham.cli.audit.session import audit_session

        places = {
            "text": text,
            "id": id_column,
            "vocabulary": vocabulary,
            **as_reading(encoding, format, delimiter, no_header, skip_bad_rows),
        }
        simulated = {
            "documents": _documents(documents), "databases": databases, "seed": seed,
            "n_jobs": jobs,
        }  # fmt: skip
        audit_session(context, files, session, places, simulated, output or [], quiet, as_json)
        return
    as_choice(sees, ("model", "transcript"), "--sees")
    as_choice(weighting, ("auto", "counts", "tfidf"), "--weighting")
    shares = _shares(party_size)
    left_out = [] if exclude is None else _ids_in(exclude, "--exclude")
    if left_out and len(shares) > 1:
        raise typer.BadParameter(
            "Documents are left out at one party size; give one share with --exclude.",
            param_hint="--party-size",
        )
    reading = {
        "text": text,
        "id": id_column,
        "vocabulary": vocabulary,
        **as_reading(encoding, format, delimiter, no_header, skip_bad_rows),
        "stop_words": as_stop_words(stop_words),
        "min_df": as_limit(min_df, "--min-df"),
        "max_df": as_limit(max_df, "--max-df"),
        "max_features": max_features,
    }
    parameters: dict[str, Any] = {"n_components": topics, "random_state": seed}
    if max_iter is not None:
        parameters["max_iter"] = max_iter
    parameters |= as_settings(settings or [], parameters)
    asked: dict[str, Any] = {
        "documents": _documents(documents),
        "databases": databases,
        "power": power,
        "sees": sees,
        "colluding": colluding,
        "exact_totals": exact_totals,
        "privacy": as_privacy(dp),
        "weighting": weighting,
        "seed": seed,
        "keeps": folder is not None,
    }
    from chatham.cli.progress import progress

    with progress(quiet or as_json) as reporter:
        learner = _learner(model, parameters)
        corpus = _read(files, reading, reporter)
        from chatham.cli.audit.running import Asked, run

        found = run(
            Asked(corpus, learner, shares, left_out, asked, not no_uplift), folder, jobs, reporter
        )
        _write(found, output or [], plot, exposed, reporter)
    from chatham.cli.audit.view import print_as_json, print_for_people

    if as_json:
        print_as_json(found, reporter.notes, reporter.warnings)
        return
    saved: dict[str, list[Path | None]] = {"Figure": [plot], "List of ids": [exposed]}
    saved["Report"] = [*(output or [])]
    print_for_people(found, reporter.notes, quiet, saved)


def _check_paths(
    output: list[Path] | None, plot: Path | None, folder: Path | None, exposed: Path | None
) -> None:
    from chatham.cli.paths import check_figure, check_file, check_folder

    for path in output or []:
        if path.suffix.lower() not in REPORTS:
            raise typer.BadParameter(
                f"'{path}' must end in one of {', '.join(REPORTS)}, the formats of reports.",
                param_hint="-o",
            )
        check_file(path)
    check_figure(plot)
    check_folder(folder)
    check_file(exposed)


def _shares(written: str) -> list[float]:
    """One share of the documents, or several."""
    try:
        return sorted({float(each) for each in written.split(",")})
    except ValueError:
        raise typer.BadParameter(
            f"{value_shown(written)} must be a share of the documents such as 0.05, or several "
            "with commas.",
            param_hint="--party-size",
        ) from None


def _documents(written: str | None) -> int | list[str] | None:
    if written is None:
        return None
    return int(written) if written.isdecimal() else _ids_in(Path(written), "--documents")


def _ids_in(path: Path, option: str) -> list[str]:
    """The ids in a file, one per line."""
    if not path.is_file():
        raise typer.BadParameter(
            f"There is no file '{path}'; give one with one id per line.", param_hint=option
        )
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise typer.BadParameter(
            f"'{path}' isn't text in UTF-8; write one id per line.", param_hint=option
        ) from None
    ids = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if not ids:
        raise typer.BadParameter(f"'{path}' has no id; write one per line.", param_hint=option)
    return ids


def _learner(model: str, parameters: dict[str, Any]) -> Any:
    """The learner; wrong parameters are refused before the file is read."""
    from chatham.cli.wording import as_options
    from chatham.errors import InputError
    from chatham.model.fit import learner_for_text

    try:
        return learner_for_text(model, parameters, between_parties=True)
    except InputError as error:
        raise typer.BadParameter(as_options(error)) from None


def _read(files: list[Path], reading: dict[str, Any], reporter: Silent) -> Corpus:
    from chatham.cli.wording import as_options
    from chatham.corpus import read_corpus

    reporter.stage(f"Reading {called(files)}")
    corpus = read_corpus(source_of(files), **reading, keep_texts=False, progress=reporter.count)
    reporter.notes = tuple(as_options(note) for note in corpus.notes)
    return corpus


def _write(
    found: Found, output: list[Path], plot: Path | None, exposed: Path | None, reporter: Silent
) -> None:
    from chatham.audit.report import as_html, as_json
    from chatham.cli.paths import unwritable

    contents = {
        path: (as_html if path.suffix.lower() == ".html" else as_json)(
            found.decided,
            found.exclusion,
            notes=list(reporter.notes),
            one_run=found.one_run_told,
        )
        for path in output
    }
    if exposed is not None:
        contents[exposed] = "".join(f"{each}\n" for each in found.exposed)
    for path, content in contents.items():
        try:
            path.write_text(content, encoding="utf-8")
        except OSError as error:
            raise unwritable(path, error) from None
    if plot is not None:
        from chatham.plots.panels import save_figure

        reporter.stage("Drawing")
        try:
            save_figure(found.figure(), plot)
        except OSError as error:
            raise unwritable(plot, error) from None
