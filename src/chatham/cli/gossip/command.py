"""`chatham gossip`: reach one model with neighbours, and nobody in the middle."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chatham.cli.options import (
    Delimiter,
    Encoding,
    Folder,
    Format,
    Id,
    Jobs,
    Json,
    Label,
    NoHeader,
    Quiet,
    SkipBadRows,
    Text,
    Words,
)
from chatham.cli.sources import STANDARD_INPUT, as_reading, called, source_of
from chatham.interrupts import INTERRUPTED

if TYPE_CHECKING:
    from chatham.cli.gossip.view import Gossiped
    from chatham.cli.progress import Silent
    from chatham.gossip.taking_part import Membership, Standing


def gossip(
    agents: Annotated[
        Path,
        typer.Argument(
            metavar="AGENTS",
            help="The file with all agents, their neighbours, and how they learn.",
            show_default=False,
        ),
    ],
    name: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="NAME",
            help="Which of the agents this one is.",
            show_default=False,
        ),
    ],
    corpus: Annotated[
        list[Path],
        typer.Option(
            "--corpus",
            metavar="FILE",
            help="This agent's documents, in any form that 'chatham fit' reads; may be repeated.",
            show_default=False,
        ),
    ],
    key: Annotated[
        Path,
        typer.Option(
            "--key",
            metavar="FILE",
            help="This agent's private key, from 'chatham keygen --address'.",
            show_default=False,
        ),
    ],
    folder: Annotated[
        Path,
        typer.Option(
            "--folder",
            metavar="FOLDER",
            help="Where this agent keeps its state and its ledger: one folder for each agent.",
            show_default=False,
        ),
    ],
    direct_key: Annotated[
        Path | None,
        typer.Option(
            "--direct-key",
            metavar="FILE",
            help="The private key of this agent's certificate; by default the .direct.key next to "
            "the key.",
        ),
    ] = None,
    output: Folder = None,
    text: Text = None,
    label: Label = None,
    id_column: Id = None,
    encoding: Encoding = None,
    format: Format = None,
    delimiter: Delimiter = None,
    no_header: NoHeader = False,
    skip_bad_rows: SkipBadRows = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Don't ask: I know what neighbours will see.")
    ] = False,
    jobs: Jobs = -1,
    words: Words = 10,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Reach one model with neighbours that do the same, with nobody in the middle.

    You first see who your neighbours are and what they will learn of your documents, and nothing is
    sent before you say yes. Then this agent averages with its neighbours now and then, learns from
    its documents in between, and ends when all agents have learned enough. If anything stops it,
    run the same command again: it goes on where it stopped, and the others wait.

    \b
    Examples:
      chatham gossip agents.toml --as north --corpus north.csv --key north.key --folder north/
      chatham gossip agents.toml --as north --corpus north.csv --key north.key --folder north/ --yes
    """
    began = time.perf_counter()
    if STANDARD_INPUT in corpus and not yes:
        raise typer.BadParameter(
            "With documents on standard input nobody can say yes there; add --yes, or give a file.",
            param_hint="--corpus",
        )
    from chatham.federation.extra import need_federation

    need_federation()
    from chatham.cli.gossip.view import print_as_json, print_for_people

    reading = {
        "text": text,
        "label": label,
        "id": id_column,
        **as_reading(encoding, format, delimiter, no_header, skip_bad_rows),
    }
    membership, vocabulary = _member(agents, name, key, folder, direct_key, output)
    silent = quiet or as_json
    try:
        gossiped = _gossiped(membership, vocabulary, corpus, reading, yes, jobs, silent)
        if output is not None:
            gossiped.save(output)
    except KeyboardInterrupt:
        typer.echo(
            "Stopped. The others wait; run the same command again, and it goes on where it was.",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None
    gossiped.seconds = time.perf_counter() - began
    if as_json:
        print_as_json(gossiped, words)
    else:
        print_for_people(gossiped, words, quiet)


def _member(
    file: Path, name: str, key: Path, folder: Path, direct_key: Path | None, output: Path | None
) -> tuple[Membership, list[str]]:
    """Who this is and which words count; what can't work is refused before anybody waits."""
    from chatham.cli.paths import check_folder
    from chatham.gossip.agents_file import read_agents, read_words
    from chatham.gossip.taking_part import Membership
    from chatham.model.folder import check_writable

    agents = read_agents(file)
    vocabulary = read_words(agents, file)
    membership = Membership(agents, name, key, folder, direct_key)
    check_folder(folder)
    if output is not None:
        check_writable(output)
        check_folder(output)
    return membership, vocabulary


def _gossiped(
    membership: Membership,
    vocabulary: list[str],
    files: list[Path],
    reading: dict[str, Any],
    yes: bool,
    jobs: int,
    silent: bool,
) -> Gossiped:
    from chatham.cli.gossip.confirming import confirm
    from chatham.cli.gossip.view import Gossiped
    from chatham.cli.progress import print_notes, progress
    from chatham.cli.wording import as_options
    from chatham.gossip.taking_part import gossip_together, read_for

    with progress(silent) as reporter:
        reporter.stage(f"Reading {called(files)}")
        corpus = read_for(vocabulary, source_of(files), **reading, progress=reporter.count)
        notes = tuple(as_options(note) for note in corpus.notes)
    if not silent:
        print_notes(notes)
    confirm(membership, corpus, yes, silent)
    with progress(silent) as reporter:
        model = gossip_together(membership, corpus, tell=_Telling(reporter), n_jobs=jobs)
    return Gossiped(membership, corpus, model, notes, reporter.warnings)


class _Telling:
    """Shows where an agent is; troubles at once, since somebody must do something about them."""

    def __init__(self, reporter: Silent) -> None:
        self._reporter, self._stage = reporter, ""

    def __call__(self, standing: Standing) -> None:
        from chatham.naming import plural

        if standing.trouble:
            self._reporter.warn(standing.trouble)
            return
        waiting = f", waiting for {' and '.join(standing.waiting)}" if standing.waiting else ""
        stage = f"Updates after {plural(standing.exchanges, 'exchange')}{waiting}"
        if stage != self._stage:
            self._stage = stage
            self._reporter.stage(stage)
        self._reporter.count(standing.updates, standing.of)
