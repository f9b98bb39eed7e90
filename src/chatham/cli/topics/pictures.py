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


def picture_of(picture: str | None, plot: Path | None, others: dict[str, Any]) -> str | None:
    """What is to be drawn; None where nothing is. `others` are options with their own picture."""
    if picture is not None and plot is None:
        raise typer.BadParameter("Give a file for the picture with --plot.", param_hint="--picture")
    given = [option for option, value in others.items() if value]
    if picture is not None and given:
        raise typer.BadParameter(
            f"With {given[0]} another picture is drawn; leave one out.", param_hint="--picture"
        )
    if plot is None:
        return None
    return given[0].strip("-") if given else as_choice(picture or "map", PICTURES, "--picture")


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
    if shown.picture == "table":
        draw_cells = plots.by_group if shown.cells.attrs["every"] is None else plots.over_time
        return draw_cells(shown.cells, names=model.original.names)  # whose topics it is of
    if shown.picture == "levels":
        return plots.hierarchy(model, shown.levels, n=few, by=by, lam=lam)
    if shown.picture == "words":
        return plots.words(model, n=shown.n, by=by, lam=lam)
    if shown.picture == "matrix":
        return plots.matrix(model, n=min(shown.n, MATRIX_WORDS), by=by, lam=lam)
    return plots.similarity(model) if shown.picture == "similarity" else plots.map(model)
