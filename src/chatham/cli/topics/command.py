"""`chatham topics`: the topics of a saved model, and how they go together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chatham.cli.options import Json, KnownLearners, Model, Quiet, Words

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


def topics(
    model: Model,
    words: Words = 10,
    by: By = "prevalence",
    lam: Lam = 0.6,
    correlations: Correlations = False,
    levels: Levels = None,
    plot: Plot = None,
    learner: KnownLearners = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Print the topics of a saved model.

    Topics are numbered by size. The words of a topic are those it utters most often, or, with
    --by, those that tell it apart from the others. The anchor is the word that an anchor model
    found the topic by.

    With --levels the topics stand below their supertopics, and numbers are shares: of all words at
    the top, below it of the supertopic. A topic that several have a part of stands below each.

    \b
    Examples:
      chatham topics model/ -n 15 --by relevance
      chatham topics model/ --correlations
      chatham topics model/ --levels 10,3 --plot tree.svg
    """
    from chatham.cli.parse import as_levels
    from chatham.cli.places import check_picture
    from chatham.cli.progress import progress
    from chatham.cli.topics.view import Shown, draw, print_as_json, print_for_people
    from chatham.model.file import load

    _check_ordering(by, lam)
    sizes = as_levels(levels)
    check_picture(plot)
    with progress(quiet or as_json) as told:
        found = Shown(load(model), words, by, lam, correlations, sizes, plot)
        if plot is not None:
            told.stage("Drawing")
            draw(found, plot)
    if as_json:
        print_as_json(found)
    else:
        print_for_people(found, quiet)


def _check_ordering(by: str, lam: float) -> None:
    from chatham.cli.wording import as_options
    from chatham.errors import InputError
    from chatham.learners.words import check_ordering

    try:
        check_ordering(by, lam)
    except InputError as error:
        raise typer.BadParameter(as_options(error), param_hint="--by") from None
