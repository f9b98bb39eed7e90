"""One model's picture: bars for each topic where a measure has them, and the other values listed.

A lone bar says nothing that its number doesn't, so numbers that are alone are written instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from chatham.errors import InputError
from chatham.measures.plots.panels import (
    ACCENT,
    BLUE,
    COLUMNS,
    INK,
    MOST_TICKS,
    WIDTH,
    matplotlib,
    name_panel,
    safe,
    shown,
    spelled,
    style,
)

PANEL, LINE, AROUND = 1.62, 0.2, 0.45
"""Heights in inches: of a panel, of a line of the list, and of what is around them."""


def plot_evaluation(scores: pd.DataFrame, title: str | None = None) -> Any:
    """One model: values that are alone as a list, and a panel of bars by topic for the others."""
    rows = scores.to_dict("records")
    if not rows:
        raise InputError("There is nothing to draw: no measure could be taken.")
    by_topic = [row for row in rows if any(v is not None for v in row["per_topic"] or [])]
    alone = [row for row in rows if row not in by_topic]
    with style():
        figure, listing, panels = _layout(len(alone), len(by_topic), title)
        if listing is not None:
            _list(listing, alone, min(COLUMNS, len(rows)))
        for axes, row in zip(panels, by_topic, strict=True):
            draw_topics(axes, row)
            name_panel(axes, row["measure"], row["higher_is_better"])
        for axes in panels[-COLUMNS:]:
            axes.set_xlabel("topic")
    return figure


def draw_topics(axes: Any, row: Any) -> None:
    """A bar from zero for each topic, the value over all of them as a line."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    values = row["per_topic"]
    known = [(topic, value) for topic, value in enumerate(values) if value is not None]
    unknown = [topic for topic, value in enumerate(values) if value is None]
    axes.bar(*zip(*known, strict=True), width=0.8, color=BLUE)
    axes.plot(unknown, [0.0] * len(unknown), "x", color=INK, markersize=4, label="no value")
    axes.axhline(0, color=INK, linewidth=0.6)
    axes.axhline(row["value"], color=ACCENT, linewidth=1, linestyle="--", zorder=2.5)
    axes.annotate(
        f"over all {shown(row['value'])}", (1, 1), (0, 4), xycoords="axes fraction",
        textcoords="offset points", ha="right", fontsize=6.5, color=ACCENT,
    )  # fmt: skip
    axes.set_xlim(-0.7, len(values) - 0.3)
    axes.xaxis.set_major_locator(MaxNLocator(MOST_TICKS, integer=True, min_n_ticks=1))
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: shown(value)))


def _layout(alone: int, by_topic: int, title: str | None) -> tuple[Any, Any, list[Any]]:
    """A figure, the place of the list over all columns, and the panels below it."""
    matplotlib()
    from matplotlib.figure import Figure

    columns = min(COLUMNS, alone + by_topic)
    rows = -(-by_topic // columns)
    heights = [LINE * (-(-alone // columns) + 2)] * bool(alone) + [PANEL] * rows
    figure: Any = Figure(
        figsize=(WIDTH * columns + 0.6, sum(heights) + AROUND), layout="constrained"
    )
    figure.get_layout_engine().set(hspace=0.05, wspace=0.05)
    places = figure.add_gridspec(len(heights), columns, height_ratios=heights)
    listing = figure.add_subplot(places[0, :]) if alone else None
    first = columns * bool(alone)
    panels = [
        figure.add_subplot(places[(first + number) // columns, number % columns])
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
