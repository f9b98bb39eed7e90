"""`chatham ledger`: what left the building, for a person to read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chatham.cli.options import Json, Quiet


def ledger(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="The folder that 'chatham join' or 'chatham gossip' was given.",
            show_default=False,
        ),
    ],
    rounds: Annotated[
        bool, typer.Option("--rounds", help="Also print a line for every round.")
    ] = False,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Check that no line was altered, removed, moved or cut off, and that the ledger "
            "says what the signed records say; if not, print what is wrong, with exit code 1.",
        ),
    ] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Print what left a party, for a person to read.

    For each kind of sum: what it means, in which rounds, its shape and size, and when; and how
    many hellos. Of an agent that gossips: what it showed to which neighbours, and how often. The
    ledger is written before anything leaves. It contains no number that was sent, only shapes and
    hashes; with 'chatham join --plain' the numbers are kept next to it. Each line has the hash of
    the line before, which --verify checks.

    \b
    Examples:
      chatham ledger north/
      chatham ledger north/ --verify
      chatham ledger north/ --json
    """
    from chatham.cli.ledger.view import crossed, print_as_json, print_for_people, print_verdict

    if verify:
        if not print_verdict(folder, as_json):
            raise typer.Exit(1)
        return
    left = crossed(folder)
    if as_json:
        print_as_json(left, folder)
    else:
        print_for_people(left, folder, rounds, quiet)
