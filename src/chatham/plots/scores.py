"""Figures of evaluations: one small panel for each measure, since no two have the same scale.

Figures are Matplotlib's, drawn without its global state, and saved to the same bytes every time.
Colours are those of Okabe and Ito, which the colour-blind can tell apart. A bar begins at zero;
where values lie so close together that bars would look the same, they are points instead, on an
axis that need not show zero and then says so. For a single model, a lone bar says nothing that its
number doesn't, so a measure without values per topic is written as a number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from chatham.errors import InputError
from chatham.measures.compare import FIXED, comparison
from chatham.naming import value_shown
from chatham.plots.palette import ACCENT, BLUE, GREY, INK
from chatham.plots.panels import (
    COLUMNS,
    MOST_TICKS,
    WIDTH,
    draw_bars,
    draw_lines,
    grid,
    matplotlib,
    name_panel,
    safe,
    shown,
    spelled,
    style,
    without_number,
)

PANEL, LINE, AROUND = 1.62, 0.2, 0.45
"""Heights in inches: of a panel, of a line of the list, and of the margins."""


def plot_per_topic(
    scores: pd.DataFrame, measure: str, words: Sequence[Sequence[str]] | None = None
) -> Any:
    """One measure by topic, with the value over all topics as a line; `words` label the topics."""
    rows = scores[scores["measure"] == measure]
    values = rows["per_topic"].iloc[0] if len(rows) else None
    if values is None:
        by_topic = scores.loc[scores["per_topic"].notna(), "measure"]
        raise InputError(
            f"There are no values by topic for {value_shown(measure)}; measures that have them: "
            f"{', '.join(map(repr, by_topic)) or 'none'}."
        )
    numbers = numbers_in(scores, values)
    labels = [str(number) for number in numbers]
    if words is not None:
        labels = [f"{n}  {' '.join(top[:4])}" for n, top in zip(numbers, words, strict=True)]
    with style():
        figure, (axes,) = grid(1, 0.5 + 0.2 * len(values), None, width=5.5)
        draw_bars(axes, labels, values, [BLUE] * len(values), always_bars=True)
        axes.axvline(rows["value"].iloc[0], color=ACCENT, linewidth=1, linestyle="--", zorder=2.5)
        name_panel(axes, measure, rows["higher_is_better"].iloc[0])
        axes.set_ylabel("topic")
        axes.set_xlabel(f"dashed: over all topics, {shown(rows['value'].iloc[0])}")
    return figure


def plot_comparison(table: pd.DataFrame, title: str | None = None) -> Any:
    """Several models, a panel for each measure: the best is highlighted."""
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
    """Values by the number of topics: a line for each algorithm, a panel for each measure.

    `scores` are `evaluate`'s tables and `topics` the numbers of topics, both by the models' names;
    `algorithms` says which line a model is on, by default its name without the number at its end.
    Where an algorithm has several models with the same number of topics, its line goes through
    their mean.
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
    """The figure that fits: one model, several of one size, or curves by the number of topics.

    Curves are drawn if some algorithm has models of different sizes and none has two of the same
    size: those would be hidden in a mean.
    """
    if len(scores) == 1:
        ((name, table),) = scores.items()
        return plot_evaluation(table, name)
    lines = algorithms or {name: without_number(name) for name in scores}
    repeats = Counter((lines[name], topics[name]) for name in scores)
    sizes = Counter(line for line, _ in repeats)
    if max(repeats.values()) == 1 and max(sizes.values()) > 1:
        return plot_curves(scores, topics, lines)
    return plot_comparison(comparison(scores))


def plot_evaluation(scores: pd.DataFrame, title: str | None = None) -> Any:
    """One model: a list of single values, and a panel of bars for each measure by topic."""
    rows = scores.to_dict("records")
    if not rows:
        raise InputError("There is nothing to draw: no measure could be computed.")
    by_topic = [row for row in rows if any(v is not None for v in row["per_topic"] or [])]
    single = [row for row in rows if row not in by_topic]
    with style():
        figure, listing, panels = _layout(len(single), len(by_topic), title)
        if listing is not None:
            _list(listing, single, min(COLUMNS, len(rows)))
        for axes, row in zip(panels, by_topic, strict=True):
            draw_topics(axes, row, numbers_in(scores, row["per_topic"]))
            name_panel(axes, row["measure"], row["higher_is_better"])
        for axes in panels[-COLUMNS:]:
            axes.set_xlabel("topic")
    return figure


def numbers_in(scores: pd.DataFrame, values: Sequence[Any]) -> list[int]:
    """What topics are numbered by: their places, unless the model was edited."""
    return list(scores.attrs.get("numbers", range(len(values))))


def draw_topics(axes: Any, row: Any, numbers: Sequence[int]) -> None:
    """A bar from zero for each topic, and the value over all topics as a line."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    values = row["per_topic"]
    valued = list(zip(numbers, values, strict=True))
    known = [(topic, value) for topic, value in valued if value is not None]
    unknown = [topic for topic, value in valued if value is None]
    axes.bar(*zip(*known, strict=True), width=0.8, color=BLUE)
    axes.plot(unknown, [0.0] * len(unknown), "x", color=INK, markersize=4, label="no value")
    axes.axhline(0, color=INK, linewidth=0.6)
    axes.axhline(row["value"], color=ACCENT, linewidth=1, linestyle="--", zorder=2.5)
    axes.annotate(
        f"over all {shown(row['value'])}", (1, 1), (0, 4), xycoords="axes fraction",
        textcoords="offset points", ha="right", fontsize=6.5, color=ACCENT,
    )  # fmt: skip
    axes.set_xlim(-0.7, max(numbers) + 0.7)
    axes.xaxis.set_major_locator(MaxNLocator(MOST_TICKS, integer=True, min_n_ticks=1))
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: shown(value)))


def _layout(single: int, by_topic: int, title: str | None) -> tuple[Any, Any, list[Any]]:
    """A figure, the axes of the list across all columns, and the panels below it."""
    matplotlib()
    from matplotlib.figure import Figure

    columns = min(COLUMNS, single + by_topic)
    rows = -(-by_topic // columns)
    heights = [LINE * (-(-single // columns) + 2)] * bool(single) + [PANEL] * rows
    figure: Any = Figure(
        figsize=(WIDTH * columns + 0.6, sum(heights) + AROUND), layout="constrained"
    )
    figure.get_layout_engine().set(hspace=0.05, wspace=0.05)
    cells = figure.add_gridspec(len(heights), columns, height_ratios=heights)
    listing = figure.add_subplot(cells[0, :]) if single else None
    first = columns * bool(single)
    panels = [
        figure.add_subplot(cells[(first + number) // columns, number % columns])
        for number in range(by_topic)
    ]
    if title is not None:
        figure.suptitle(safe(title), x=0.01, ha="left", fontsize=10)
    return figure, listing, panels


def _list(axes: Any, rows: Sequence[Any], columns: int) -> None:
    """Names and values in columns, an arrow saying which way is better."""
    lines = -(-len(rows) // columns)
    axes.set_axis_off()
    axes.set_xlim(0, columns)
    axes.set_ylim(lines, -1.4)
    for number, row in enumerate(rows):
        column, line = divmod(number, lines)
        arrow = "↑" if row["higher_is_better"] else "↓"
        axes.text(column, line, safe(spelled(row["measure"])), va="center")
        axes.text(column + 0.84, line, shown(row["value"]), va="center", ha="right",
                  fontweight="bold", color=INK)  # fmt: skip
        axes.text(column + 0.86, line, arrow, va="center", color="#666666")
        axes.plot([column, column + 0.9], [line + 0.5] * 2, color="#EEEEEE", linewidth=0.5)
    axes.text(0, -1.1, "↑ higher is better, ↓ lower is better", va="center", fontsize=6.5,
              color="#666666")  # fmt: skip
