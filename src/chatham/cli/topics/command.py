"""`chatham topics`: the topics of a saved model, and how they are related."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chatham.cli.options import Json, KnownLearners, Model, Quiet, Words, output_option

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
        help="Show which topics co-occur with each, and how many times as often as by chance. For "
        "anchor models.",
    ),
]
Levels = Annotated[
    str | None,
    typer.Option(
        "--levels",
        metavar="N,N",
        help="Show supertopics: the number of supertopics, then of their supertopics, and so on, "
        "such as 10,3. For anchor models.",
    ),
]
History = Annotated[
    bool,
    typer.Option(
        "--history",
        help="Show each topic's share of the slices of documents that the model was made from, and "
        "what became of it. For models that 'chatham update' made.",
    ),
]
ByColumn = Annotated[
    str | None,
    typer.Option(
        "--table",
        metavar="COLUMN",
        help="Show each topic's share over time or by group, as the parties of a session "
        "that names this column found it.",
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        help="Draw the map of the topics, or what --picture says, or with --levels the "
        "supertopics, with --history the history, with --table the table: as .html, interactive "
        "(but the history), or for print as .png, .svg or .pdf.",
    ),
]
Picture = Annotated[
    str | None,
    typer.Option(
        "--picture",
        metavar="NAME",
        help="What --plot draws: map, words, matrix (words by topics) or similarity; for anchor "
        "models also anchors (among the words), for print.",
    ),
]


Output = Annotated[
    Path | None,
    output_option(
        "Write the topics, or with --history the history or with --table the table, to a file "
        "instead: .parquet, .csv, .tsv or .jsonl."
    ),
]


def topics(
    model: Model,
    output: Output = None,
    words: Words = 10,
    by: By = "prevalence",
    lam: Lam = 0.6,
    correlations: Correlations = False,
    levels: Levels = None,
    history: History = False,
    table: ByColumn = None,
    plot: Plot = None,
    picture: Picture = None,
    learner: KnownLearners = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Print the topics of a saved model.

    Topics are numbered by size; those of a model that grows keep their numbers. The words of a
    topic are its most probable words or, with --by, those that distinguish it from other topics.
    The anchor is the anchor word that an anchor model chose for the topic.

    With --levels the topics are shown under their supertopics, and numbers are shares: at the top
    of all words, below of the supertopic. A topic that belongs to several supertopics is shown
    under each.

    \b
    Examples:
      chatham topics model/ -n 15 --by relevance
      chatham topics model/ --plot map.html
      chatham topics model/ --plot words.pdf --picture words
      chatham topics model/ --correlations
      chatham topics model/ --levels 10,3 --plot tree.svg
      chatham topics model/ -n 20 -o topics.csv
      chatham topics model/ --history --plot history.png
      chatham topics model/ --table date -o months.csv --plot months.png
    """
    from chatham.cli.parse import as_levels
    from chatham.cli.paths import check_figure
    from chatham.cli.progress import progress
    from chatham.cli.tables import check_table, write_table
    from chatham.cli.topics.pictures import PRINTED, draw, picture_of
    from chatham.cli.topics.view import Shown, as_table, print_as_json, print_for_people
    from chatham.model.file import load

    _check_ordering(by, lam)
    sizes = as_levels(levels)
    check_table(output)
    if output is not None and sizes is not None:
        raise typer.BadParameter(
            "A table has the topics and no supertopics, which --json prints; leave it out.",
            param_hint="--levels",
        )
    picture = picture_of(
        picture, plot, {"--levels": levels, "--history": history, "--table": table}
    )
    check_figure(plot, interactive=picture not in PRINTED)
    with progress(quiet or as_json) as reporter:
        shown = Shown(
            load(model),
            words,
            by,
            lam,
            correlations,
            sizes,
            plot,
            output,
            history,
            table,
            picture,
        )
        if plot is not None:
            reporter.stage("Drawing")
            draw(shown, plot)
    if output is not None:
        write_table(as_table(shown), output)
    if as_json:
        print_as_json(shown)
    else:
        print_for_people(shown, quiet)


def _check_ordering(by: str, lam: float) -> None:
    from chatham.cli.wording import as_options
    from chatham.errors import InputError
    from chatham.learners.words import check_ordering

    try:
        check_ordering(by, lam)
    except InputError as error:
        raise typer.BadParameter(as_options(error), param_hint="--by") from None
