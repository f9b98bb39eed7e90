"""Options that several commands share, so that they look and read alike."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

LARGEST_SEED = 2**32 - 1


def not_zero(jobs: int) -> int:
    """No threads at all is no choice."""
    if jobs == 0:
        raise typer.BadParameter("0 threads can't work; give 1 or more, or -1 for all cores.")
    return jobs


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
