"""Pictures of evaluations: one small panel for each measure, since no two have the same scale.

Figures are Matplotlib's, drawn without its global state, and saved to the same bytes every time.
Colours are those of Okabe and Ito, which the colour-blind can tell apart. A bar begins at zero;
where values lie so close together that bars would look alike they are points instead, on an axis
that need not show zero and then says so.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from chatham.errors import InputError
from chatham.measures.compare import FIXED, comparison
from chatham.measures.plots.panels import (
    ACCENT,
    BLUE,
    COLUMNS,
    GREY,
    draw_bars,
    draw_lines,
    grid,
    name_panel,
    shown,
    style,
    without_number,
)
from chatham.measures.plots.single import plot_evaluation

METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
"""What is left out of a file by its ending, so that it has the same bytes every time."""


def plot_per_topic(
    scores: pd.DataFrame, measure: str, words: Sequence[Sequence[str]] | None = None
) -> Any:
    """One measure by topic, with the value over all of them as a line; `words` name the topics."""
    rows = scores[scores["measure"] == measure]
    values = rows["per_topic"].iloc[0] if len(rows) else None
    if values is None:
        have = scores.loc[scores["per_topic"].notna(), "measure"]
        raise InputError(
            f"There are no values by topic for {measure!r}; there are some for "
            f"{', '.join(map(repr, have)) or 'none'}."
        )
    labels = [str(topic) for topic in range(len(values))]
    if words is not None:
        labels = [f"{n}  {' '.join(top[:4])}" for n, top in enumerate(words)]
    with style():
        figure, (axes,) = grid(1, 0.5 + 0.2 * len(values), None, width=5.5)
        draw_bars(axes, labels, values, [BLUE] * len(values), always_bars=True)
        axes.axvline(rows["value"].iloc[0], color=ACCENT, linewidth=1, linestyle="--", zorder=2.5)
        name_panel(axes, measure, rows["higher_is_better"].iloc[0])
        axes.set_ylabel("topic")
        axes.set_xlabel(f"dashed: over all topics, {shown(rows['value'].iloc[0])}")
    return figure


def plot_comparison(table: pd.DataFrame, title: str | None = None) -> Any:
    """Several models, a panel for each measure: the best in the strong colour."""
    names = [column for column in table.columns if column not in FIXED]
    with style():
        figure, panels = grid(len(table), 0.5 + 0.19 * len(names), title)
        for number, (axes, (_, row)) in enumerate(zip(panels, table.iterrows(), strict=True)):
            values = [row[name] for name in names]
            colours = [BLUE if name == row["best"] else GREY for name in names]
            draw_bars(axes, names, values, colours)
            name_panel(axes, row["measure"], row["higher_is_better"])
            if number % COLUMNS:
                axes.set_yticklabels([])
    return figure


def plot_curves(
    scores: Mapping[str, pd.DataFrame],
    topics: Mapping[str, int],
    algorithms: Mapping[str, str] | None = None,
    title: str | None = None,
) -> Any:
    """Values over the number of topics: a line for each algorithm, a panel for each measure.

    `scores` are `evaluate`'s tables and `topics` the numbers of topics, both by the models' names;
    `algorithms` says which line a model is on, by default its name without the number at its end.
    A line goes through the means where an algorithm has several models of one size.
    """
    lines = algorithms or {name: without_number(name) for name in scores}
    table = comparison(scores)
    with style():
        figure, panels = grid(len(table), 1.75, title)
        for axes, (_, row) in zip(panels, table.iterrows(), strict=True):
            draw_lines(axes, {name: (lines[name], topics[name], row[name]) for name in scores})
            name_panel(axes, row["measure"], row["higher_is_better"])
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
        for axes in panels[-COLUMNS:]:
            axes.set_xlabel("topics")
    return figure


def plot_models(
    scores: Mapping[str, pd.DataFrame],
    topics: Mapping[str, int],
    algorithms: Mapping[str, str] | None = None,
) -> Any:
    """The picture that suits: one model, several of one size, or curves over the number of topics.

    Curves are drawn if some algorithm has models of different sizes, and none has two of one size:
    those would be hidden in a mean.
    """
    if len(scores) == 1:
        ((name, table),) = scores.items()
        return plot_evaluation(table, name)
    lines = algorithms or {name: without_number(name) for name in scores}
    places = Counter((lines[name], topics[name]) for name in scores)
    sizes = Counter(line for line, _ in places)
    if max(places.values()) == 1 and max(sizes.values()) > 1:
        return plot_curves(scores, topics, lines)
    return plot_comparison(comparison(scores))


def save_figure(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a figure as PNG, SVG or PDF, as the ending says."""
    place = check_ending(path)
    with style():
        figure.savefig(place, dpi=200, metadata=METADATA[place.suffix.lower()])


def check_ending(path: str | os.PathLike[str]) -> Path:
    """Refuse an ending that says no format."""
    place = Path(path)
    if place.suffix.lower() not in METADATA:
        raise InputError(
            f"'{place}' must end in {', '.join(METADATA)}, which says what picture to write."
        )
    return place
