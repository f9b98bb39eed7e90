"""The options of `chatham topics` that no other command has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

By = Annotated[
    str,
    typer.Option(
        "--by",
        metavar="ORDER",
        help="How words are ordered: prevalence, discriminability, uplift or relevance.",
    ),
]
Lam = Annotated[
    float,
    typer.Option("--lam", metavar="X", min=0.0, max=1.0, help="The λ of uplift and relevance."),
]
Correlations = Annotated[
    bool,
    typer.Option(
        "--correlations",
        help="Show which other topics each goes with, and how many times as often as by chance "
        "the two meet in a document. For anchor models.",
    ),
]
Levels = Annotated[
    str | None,
    typer.Option(
        "--levels",
        metavar="N,N",
        help="Show supertopics: so many of the topics, so many of those, and so on, such as "
        "10,3. For anchor models.",
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        help="Draw the anchors among the words, or with --levels the supertopics, as .png, "
        ".svg or .pdf. For anchor models.",
    ),
]
