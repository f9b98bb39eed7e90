"""Options that experiments have in common."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path


def add_places(parser: ArgumentParser, written: str) -> None:
    """Where results are kept on the way, and where what is `written` goes at the end."""
    parser.add_argument(
        "--keep", type=Path, metavar="FILE",
        help="a line of JSON for each result; a run that was interrupted goes on from there",
    )  # fmt: skip
    parser.add_argument("--output", type=Path, metavar="FOLDER", help=f"for {written} if not given")
