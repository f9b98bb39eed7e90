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
        typer.Option(
            "--seed", min=0, max=LARGEST_SEED, metavar="N", help="Another seed, another start."
        ),
    ] = 0,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder",
            metavar="FOLDER",
            help="Keep everything in this new folder: keys, sessions, ledgers and models.",
        ),
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Three parties fit one model and pool nothing: see how.

    The bundled sample, 2,887 abstracts, is parted among three communities. They fit a model
    together, each in a process of its own, by masked sums through a relay in a fourth; then each
    fits one alone; then all documents are pooled, which is what parties can't do. Everything runs
    on this machine and nothing is sent anywhere.

    \b
    Examples:
      chatham demo
      chatham demo --folder demo/
    """
    from chatham.cli.demo.meeting import as_processes, simulated
    from chatham.cli.demo.study import study
    from chatham.cli.output import print_json
    from chatham.cli.progress import print_notes, progress
    from chatham.corpus import sample_corpus

    missing = _missing()
    with _place(folder, missing) as place, progress(quiet or as_json) as shown:
        shown.stage("Reading the sample")
        corpus = sample_corpus()
        meet = simulated if place is None else as_processes(place)
        found = study(corpus, "community", topics, seed, stage=shown.stage, meet=meet)
        if missing and not quiet and not as_json:
            print_notes([missing])
        if as_json:
            print_json(found.to_dict())
        else:
            from chatham.cli.demo.view import show

            show(found, folder)


def _missing() -> str:
    """Why the parties can't be processes of their own, if so."""
    from chatham.errors import InputError
    from chatham.federation.extra import need_federation

    try:
        need_federation()
    except InputError as error:
        return f"One process plays all parties. {error}"
    return ""


def _place(folder: Path | None, missing: str) -> AbstractContextManager[Path | None]:
    from chatham.cli.demo.parties import neighbourhood

    return nullcontext() if missing else neighbourhood(folder)
