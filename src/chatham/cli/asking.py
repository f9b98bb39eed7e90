"""Asking a person before anything leaves, and what is written in a folder of theirs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import typer

from chatham.cli.paths import unwritable


def ask_to_take_part() -> None:
    """Ask on standard error; whoever doesn't say yes ends the command, and nothing was sent."""
    try:
        agreed = typer.confirm("\nTake part?", err=True)
        if not sys.stdin.isatty():  # where nobody pressed Enter, the line is still open
            typer.echo(err=True)
    except typer.Abort:  # nobody is there to answer, or somebody pressed Ctrl-C
        typer.echo("\nTo take part without being asked, give --yes.", err=True)
        agreed = False
    if not agreed:
        typer.echo("Nothing was sent.", err=True)
        raise typer.Exit(1)


def write_for_me_alone(path: Path, content: str) -> None:
    """Write a file that only its owner can read."""
    try:
        with open(path, "w", encoding="utf-8", opener=_for_me_alone) as file:
            file.write(content)
    except OSError as error:
        raise unwritable(path, error) from None


def _for_me_alone(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
