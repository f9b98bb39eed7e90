"""`chatham join`: take part in a session with my own documents."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chatham.cli.baskets import Basket, Item, Least, Names, Rating, Scale, Title, as_baskets
from chatham.cli.options import (
    Delimiter,
    Encoding,
    Folder,
    Format,
    Id,
    Jobs,
    Json,
    KnownLearners,
    Label,
    NoHeader,
    Quiet,
    SkipBadRows,
    Text,
    Vocabulary,
    Words,
)
from chatham.cli.sources import STANDARD_INPUT, as_reading, called, source_of
from chatham.corpus.scale import SCALE
from chatham.interrupts import INTERRUPTED, SAVED, say_instead

if TYPE_CHECKING:
    from chatham.cli.join.view import Joined
    from chatham.cli.progress import Silent
    from chatham.corpus import Corpus
    from chatham.federation.program import Program
    from chatham.federation.session import Session


def join(
    session: Annotated[
        Path,
        typer.Argument(
            metavar="SESSION", help="The file that 'chatham session' wrote.", show_default=False
        ),
    ],
    corpus: Annotated[
        list[Path],
        typer.Option(
            "--corpus",
            metavar="FILE",
            help="This party's documents, in any form that 'chatham fit' reads; may be repeated.",
            show_default=False,
        ),
    ],
    key: Annotated[
        Path,
        typer.Option(
            "--key",
            metavar="FILE",
            help="This party's private key, from 'chatham keygen'.",
            show_default=False,
        ),
    ],
    folder: Annotated[
        Path,
        typer.Option(
            "--folder",
            metavar="FOLDER",
            help="Where this party keeps its rounds and its ledger: one folder per session.",
            show_default=False,
        ),
    ],
    direct_key: Annotated[
        Path | None,
        typer.Option(
            "--direct-key",
            metavar="FILE",
            help="The private key of this party's certificate, if the session goes over direct "
            "links; by default the .direct.key next to the key.",
        ),
    ] = None,
    output: Folder = None,
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
    least: Least = 0,
    learner: KnownLearners = None,
    plain: Annotated[
        bool,
        typer.Option(
            "--plain", help="Keep what leaves, unmasked, in the folder for inspection here."
        ),
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Don't ask: I know what will be computed.")
    ] = False,
    jobs: Jobs = -1,
    words: Words = 10,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Fit one model with other parties without showing them any document.

    You first see what will be computed and what leaves, and nothing is sent before you say yes.
    Then wait for the others, who run the same command on their own machines. If anything stops it,
    run the same command again: it resumes where it stopped.

    \b
    Examples:
      chatham join session.toml --corpus north.csv --key north.key --folder north/ -o model/
      chatham join session.toml --corpus notes.parquet --text body --key my.key --folder my/ --yes
    """
    began = time.perf_counter()
    refused = {"--text": text, "--label": label, "--id": id_column, "--vocabulary": vocabulary}
    baskets = as_baskets(basket, item, rating, names, title, scale, least=least, refused=refused)
    documents = {"text": text, "label": label, "id": id_column, "vocabulary": vocabulary}
    reading = {
        **as_reading(encoding, format, delimiter, no_header, skip_bad_rows),
        **(baskets or documents),
    }
    if STANDARD_INPUT in corpus and not yes:
        raise typer.BadParameter(
            "With documents on standard input nobody can say yes there; add --yes, or give a file.",
            param_hint="--corpus",
        )
    from chatham.federation.extra import need_federation

    need_federation()
    from chatham.cli.join.confirming import PartyFolder
    from chatham.federation.session import read_session

    agreed = read_session(session)
    program = _program(agreed, jobs, output)
    party = PartyFolder(folder, agreed, key, direct_key)
    try:
        joined = _joined(party, program, corpus, reading, plain, yes, quiet or as_json)
        if output is not None:
            joined.save(output)
            say_instead(SAVED.format(f"'{output}'"))
    except KeyboardInterrupt:
        typer.echo(party.farewell(), err=True)
        raise typer.Exit(INTERRUPTED) from None
    joined.seconds = time.perf_counter() - began
    _show(joined, words, quiet, as_json)


def _program(session: Session, jobs: int, output: Path | None) -> Program:
    """What will be computed; what can't work is refused before anybody waits for it."""
    from chatham.cli.paths import check_folder
    from chatham.federation.program import program_of
    from chatham.model.folder import check_writable

    program = program_of(session, jobs)
    if output is not None:
        check_writable(output)
        check_folder(output)
    return program


def _joined(
    party: Any,
    program: Program,
    files: list[Path],
    reading: dict[str, Any],
    plain: bool,
    yes: bool,
    silent: bool,
) -> Joined:
    from chatham.cli.join.view import Joined
    from chatham.cli.progress import print_notes, progress
    from chatham.cli.wording import as_options
    from chatham.federation.program import fit_together

    with party.alone():
        with progress(silent) as reporter:
            reporter.stage(f"Reading {called(files)}")
            corpus = _read(party.session, files, reading, reporter)
            notes = tuple(as_options(note) for note in corpus.notes)
        if not silent:
            print_notes(notes)
        source = ", ".join("standard input" if f == STANDARD_INPUT else str(f) for f in files)
        party.confirm(program, corpus, source, yes, silent)
    with progress(silent) as reporter:
        reporter.notes = tuple(party.warnings)
        reporter.stage("Joining")
        model = fit_together(
            program, corpus, key=party.key, folder=party.folder, plain=plain,
            direct_key=party.direct_key,
            tell=reporter.waiting,
        )  # fmt: skip
    warned = (*party.warnings, *reporter.warnings)
    return Joined(party.session, corpus, model, notes, warned, party.folder)


def _read(session: Session, files: list[Path], reading: dict[str, Any], reporter: Silent) -> Corpus:
    from chatham.federation.join import read_for

    if "basket" in reading:
        return read_for(session, source_of(files), **reading)
    return read_for(session, source_of(files), **reading, progress=reporter.count)


def _show(joined: Joined, words: int, quiet: bool, as_json: bool) -> None:
    from chatham.cli.join.view import print_as_json, print_for_people

    if as_json:
        print_as_json(joined, words)
    else:
        print_for_people(joined, words, quiet)
