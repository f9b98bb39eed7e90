"""Options that experiments have in common."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path


def add_seeds(parser: ArgumentParser, usual: int = 3) -> None:
    """By which seeds an experiment that ranks things is run."""
    parser.add_argument("--seed", type=int, default=0, help="the first (0)")
    parser.add_argument(
        "--seeds", type=at_least_one, default=usual, metavar="N",
        help=f"how many, one after the other; the page has the spread ({usual})",
    )  # fmt: skip


def seeds_of(given: Namespace) -> range:
    """All of them."""
    return range(given.seed, given.seed + given.seeds)


def at_least_one(written: str) -> int:
    """A whole number from 1."""
    number = int(written)
    if number < 1:
        raise ArgumentTypeError(f"{written} must be 1 or more")
    return number


def add_places(parser: ArgumentParser, written: str) -> None:
    """Where results are kept on the way, and where what is `written` goes at the end."""
    parser.add_argument(
        "--keep", type=Path, metavar="FILE",
        help="a line of JSON for each result; a run that was interrupted goes on from there",
    )  # fmt: skip
    parser.add_argument("--output", type=Path, metavar="FOLDER", help=f"for {written} if not given")
