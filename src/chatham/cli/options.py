"""Options that several commands share, so that they look and read alike."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

LARGEST_SEED = 2**32 - 1
MOST_WORDS = 1000
"""Words of a topic that anybody looks at; counting pairs of many more takes all memory."""


def not_zero(jobs: int) -> int:
    """No threads at all is no choice."""
    if jobs == 0:
        raise typer.BadParameter("0 threads can't work; give 1 or more, or -1 for all cores.")
    return jobs


def seed_option(what: str) -> Any:
    """`--seed`, with what it decides."""
    return typer.Option("--seed", min=0, max=LARGEST_SEED, metavar="N", help=what)


def words_option(what: str) -> Any:
    """`-n`, with what the words are for."""
    return typer.Option("-n", "--words", min=1, max=MOST_WORDS, metavar="N", help=what)


def output_option(what: str) -> Any:
    """`-o`, with what is written."""
    return typer.Option("-o", "--output", metavar="FILE", help=what)


Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print the result alone: no progress, no notes.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines on standard output.")]
Model = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL", help="A model folder that 'chatham fit -o' wrote.", show_default=False
    ),
]
Words = Annotated[
    int, typer.Option("-n", "--words", min=1, metavar="N", help="Words to show for each topic.")
]
Text = Annotated[
    str | None,
    typer.Option(
        "--text",
        metavar="COLUMN",
        help="The column with the text; guessed, and said, if not given.",
    ),
]
Id = Annotated[
    str | None,
    typer.Option(
        "--id", metavar="COLUMN", help="The column with the ids; row numbers if not given."
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="The file's encoding, if it isn't UTF-8."),
]
Vocabulary = Annotated[
    Path | None,
    typer.Option(
        "--vocabulary",
        metavar="FILE",
        help="A file with one word a line: the words of a file of counts, in column order, or the "
        "words to count in texts.",
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        metavar="N",
        callback=not_zero,
        help="Threads to use; -1 is one for each core. Same result.",
    ),
]
