"""`chatham demo`: three parties, one model, nothing pooled."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated

import typer

from chatham.cli.options import LARGEST_SEED, Json, Quiet


def demo(
    topics: Annotated[
        int, typer.Option("-k", "--topics", min=1, metavar="K", help="How many topics.")
    ] = 10,
    seed: Annotated[
        int,
        typer.Option("--seed", min=0, max=LARGEST_SEED, metavar="N", help="The random seed."),
    ] = 0,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder",
            metavar="FOLDER",
            help="Keep everything in this new folder: keys, sessions, ledgers and models.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help="Where to write a report to look at; chatham-demo.html, or with --folder "
            "report.html in it.",
        ),
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Watch three parties fit one model without pooling their documents.

    The bundled sample, 2,887 abstracts, is divided among three communities. They fit a model
    together, each in its own process, by masked sums through a relay in a fourth; then each fits
    one alone; then all documents are pooled, which is what parties can't do. Everything runs on
    this machine and nothing is sent anywhere. In the end a report is written, a page to look at:
    the topics of all three beside the documents of the first alone, as that party would see them.

    \b
    Examples:
      chatham demo
      chatham demo --folder demo/
    """
    from chatham.cli.demo.meeting import as_processes, simulated
    from chatham.cli.demo.report import write_report
    from chatham.cli.demo.study import study
    from chatham.cli.output import print_json
    from chatham.cli.paths import check_file
    from chatham.cli.progress import print_notes, progress
    from chatham.corpus import sample_corpus

    beside = Path("chatham-demo.html") if folder is None else folder / "report.html"
    path = beside if report is None else report
    if report is not None or folder is None:
        check_file(path)
    missing = _missing()
    with _folder(folder, missing) as parties_folder, progress(quiet or as_json) as reporter:
        reporter.stage("Reading the sample")
        corpus = sample_corpus()
        meet = simulated if parties_folder is None else as_processes(parties_folder)
        result = study(corpus, "community", topics, seed, stage=reporter.stage, meet=meet)
        reporter.stage("Writing the report")
        write_report(result, corpus, path)
        if missing and not quiet and not as_json:
            print_notes([missing])
        if as_json:
            print_json({**result.to_dict(), "report": str(path)})
        else:
            from chatham.cli.demo.view import show

            show(result, folder, path)


def _missing() -> str:
    """Why the parties can't be separate processes, if they can't."""
    from chatham.errors import InputError
    from chatham.federation.extra import need_federation

    try:
        need_federation()
    except InputError as error:
        return f"One process plays all parties. {error}"
    return ""


def _folder(folder: Path | None, missing: str) -> AbstractContextManager[Path | None]:
    from chatham.cli.demo.parties import neighbourhood

    return nullcontext() if missing else neighbourhood(folder)
