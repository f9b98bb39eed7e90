"""What `chatham topics --plot` draws."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from chatham.cli.parse import as_choice
from chatham.cli.paths import unwritable

if TYPE_CHECKING:
    from chatham.cli.topics.view import Shown

PICTURES = ("map", "words", "matrix", "similarity", "anchors")
"""What --picture can be."""
PRINTED = ("anchors", "history")
"""What is for print alone."""
DRAWN_WORDS, MATRIX_WORDS = 5, 3
"""The most words of a topic in a figure of all, and in the matrix."""


def picture_of(
    picture: str | None, plot: Path | None, levels: str | None, history: bool
) -> str | None:
    """What is to be drawn, from the options; None where nothing is."""
    if picture is not None and plot is None:
        raise typer.BadParameter("Give a file for the picture with --plot.", param_hint="--picture")
    if picture is not None and (levels is not None or history):
        raise typer.BadParameter(
            f"With {'--history' if history else '--levels'} another picture is drawn; leave one "
            "out.",
            param_hint="--picture",
        )
    if plot is None:
        return None
    if levels is not None or history:
        return "history" if history else "hierarchy"
    return as_choice(picture or "map", PICTURES, "--picture")


def draw(shown: Shown, plot: Path) -> None:
    """Draw it and write it."""
    from chatham.plots.panels import save_figure
    from chatham.plots.picture import Picture

    figure = _drawn(shown)
    try:
        if isinstance(figure, Picture):
            figure.save(plot)
        else:
            save_figure(figure, plot)
    except OSError as error:
        raise unwritable(plot, error) from None


def _drawn(shown: Shown) -> Any:
    from chatham import plots

    model, by, lam = shown.model, shown.by, shown.lam
    few = min(shown.n, DRAWN_WORDS)
    if shown.picture == "history":
        return plots.plot_history(model.history, model.top_word_lists(few, by, lam))
    if shown.picture == "anchors":
        return plots.plot_anchors_of(model)
    if shown.picture == "hierarchy":
        return plots.hierarchy(model, shown.levels, n=few, by=by, lam=lam)
    if shown.picture == "words":
        return plots.words(model, n=shown.n, by=by, lam=lam)
    if shown.picture == "matrix":
        return plots.matrix(model, n=min(shown.n, MATRIX_WORDS), by=by, lam=lam)
    return plots.similarity(model) if shown.picture == "similarity" else plots.map(model)
