"""`chatham audit --session`: what others could make of a session that has taken place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from chatham.cli.sources import called, source_of

if TYPE_CHECKING:
    from chatham.audit.session_ledger import SessionVerdict
    from chatham.cli.progress import Silent

TAKES = frozenset(
    {"files", "session", "documents", "databases", "output", "text", "id_column", "vocabulary",
     "encoding", "format", "delimiter", "no_header", "skip_bad_rows", "seed", "jobs", "quiet",
     "as_json"}
)  # fmt: skip
"""What can be said with --session; all else is the session's own."""


def audit_session(
    context: typer.Context,
    files: Sequence[Path],
    folder: Path,
    reading: dict[str, Any],
    asked: dict[str, Any],
    output: Sequence[Path],
    quiet: bool,
    as_json: bool,
) -> None:
    """Read the folder and the documents, run, print and write."""
    check_given(context)
    for path in output:
        if path.suffix.lower() != ".json":
            raise typer.BadParameter(
                f"'{path}' must end in .json, the format of reports about a session.",
                param_hint="-o",
            )
    from chatham.cli.progress import progress

    with progress(quiet or as_json) as reporter:
        verdict = _run(files, folder, reading, asked, reporter)
    _write(verdict, output)
    if as_json:
        from chatham.cli.output import plain, print_json

        print_json(plain(verdict.to_dict()))
        return
    print_for_people(verdict, quiet, output)


def check_given(context: typer.Context) -> None:
    """Refuse options that the session has decided already."""
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE" and name not in TAKES:
            raise typer.BadParameter(
                "With --session it is the session that decides this; leave it out.",
                param_hint=parameter.opts[0],
            )


def _run(
    files: Sequence[Path],
    folder: Path,
    reading: dict[str, Any],
    asked: dict[str, Any],
    reporter: Silent,
) -> SessionVerdict:
    from chatham.audit.replaying import session_in
    from chatham.audit.session_ledger import audit_session as run
    from chatham.federation.extra import need_federation
    from chatham.federation.join import read_for
    from chatham.learners.progress import listening

    need_federation()
    session = session_in(folder)
    reporter.stage(f"Reading {called(files)}")
    corpus = read_for(session, source_of(files), **reading, progress=reporter.count)
    reporter.stage("Simulating the session's rounds")
    with listening(None):  # one run of hundreds is no news
        return run(folder, corpus, **asked, progress=reporter.count)


def _write(verdict: SessionVerdict, output: Sequence[Path]) -> None:
    import json

    from chatham.cli.paths import unwritable

    for path in output:
        told = json.dumps(verdict.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)
        try:
            path.write_text(told + "\n", encoding="utf-8")
        except OSError as error:
            raise unwritable(path, error) from None


def print_for_people(verdict: SessionVerdict, quiet: bool, output: Sequence[Path]) -> None:
    """Each adversary with its documents, the surest first; only the documents if quiet."""
    from chatham.audit.session_ledger import interval_shown, percent_shown
    from chatham.cli.output import console, plain_table, print_rows, print_whole
    from chatham.learners.words import printable

    screen = console()
    for view in verdict.views:
        if not quiet:
            print_rows([("Adversary", f"{view.who} {view.sees}"), ("Verdict", view.in_words)])
            screen.print()
        table = plain_table(
            ("document", "fold"), ("log ratio", "right"), ("so large without it", "right"),
            ("told by", "left"), ("rebuilt", "left"),
        )  # fmt: skip
        for each in view.recognised:
            table.add_row(
                printable(each.document),
                interval_shown(each.log_ratio),
                percent_shown(each.without),
                each.statistics[0].replace("_", " "),
                view.rebuilt_of(each.document),
            )
        print_whole(screen, table, 12)
        screen.print()
    if quiet:
        return
    print_rows(
        [
            ("Question", f"{verdict.neighbours} Which of the two was it?"),
            ("Log ratio", "How much more likely the real transcript is with the document, as a "
             "logarithm: 0 says nothing, 4.6 a hundred times. It rests on Gaussians fitted to "
             "simulated runs."),
            ("So large", "In how many simulated runs without the document the ratio is at least "
             "as large; of documents that leave no trace one in twenty has 5 % or less."),
        ]
    )  # fmt: skip
    for path in output:
        screen.print(f"Report saved in {printable(str(path))}.", soft_wrap=True)
