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
            help="The folder that 'chatham join' was given.",
            show_default=False,
        ),
    ],
    rounds: Annotated[
        bool, typer.Option("--rounds", help="Every round on a line of its own too.")
    ] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Print what left a party, for a person to read.

    Each kind of sum: what it means, in which rounds, its shape and size, and when. The ledger is
    written before anything leaves. It holds no number that was sent, only its shape
    and hash; with 'chatham join --plain' the numbers are kept beside it.

    \b
    Examples:
      chatham ledger north/
      chatham ledger north/ --json
    """
    from chatham.cli.ledger.view import crossed, print_as_json, print_for_people

    found = crossed(folder)
    if as_json:
        print_as_json(found, folder)
    else:
        print_for_people(found, folder, rounds, quiet)
