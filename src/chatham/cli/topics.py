"""`chatham topics`: the topics of a saved model, and how they go together."""

from __future__ import annotations

import typer

from chatham.cli.options import Json, Model, Quiet, Words
from chatham.cli.topics_options import By, Correlations, Lam, Levels, Plot


def topics(
    model: Model,
    words: Words = 10,
    by: By = "prevalence",
    lam: Lam = 0.6,
    correlations: Correlations = False,
    levels: Levels = None,
    plot: Plot = None,
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
    from chatham.cli.topics_view import Shown, draw, print_as_json, print_for_people
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
    from chatham.errors import InputError
    from chatham.learners.words import check_ordering

    try:
        check_ordering(by, lam)
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="--by") from None
