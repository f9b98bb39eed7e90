"""`chatham topics`: the topics of a saved model."""

from __future__ import annotations

from typing import Annotated

import typer

from chatham.cli.options import Json, Model, Quiet, Words


def topics(
    model: Model,
    words: Words = 10,
    by: Annotated[
        str,
        typer.Option(
            "--by",
            metavar="ORDER",
            help="How words are ordered: prevalence, discriminability, uplift or relevance.",
        ),
    ] = "prevalence",
    lam: Annotated[
        float,
        typer.Option("--lam", metavar="X", min=0.0, max=1.0, help="The λ of uplift and relevance."),
    ] = 0.6,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Print the topics of a saved model.

    Topics are numbered by size. The words of a topic are those it utters most often, or, with
    --by, those that tell it apart from the others.

    \b
    Example:
      chatham topics model/ -n 15 --by relevance
    """
    from chatham.cli.output import console, print_json, topic_table, topics_as_json
    from chatham.cli.progress import progress
    from chatham.errors import InputError
    from chatham.models.model_file import load
    from chatham.models.words import check_ordering

    try:
        check_ordering(by, lam)
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="--by") from None
    with progress(quiet or as_json):
        loaded = load(model)
    best = loaded.top_word_lists(words, by, lam)
    if as_json:
        described = {"algorithm": loaded.algorithm, "vocabulary_size": len(loaded.vocabulary)}
        print_json({**described, "by": by, "topics": topics_as_json(loaded, best)})
    else:
        console().print(topic_table(loaded, best))
