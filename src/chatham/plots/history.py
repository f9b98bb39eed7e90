"""The figure of a history: each topic's share from slice to slice, with what became of it.

A row is a topic, a column a slice. A band is as thick as the topic's share of the slice; it begins
with a dot where the topic was born and ends with a cross where it died. A line leads to a topic
that split off from where it split off, and from a topic that merged to where it went. Where slices
don't have a topic that was there before, the row is dotted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.naming import plural
from chatham.plots.palette import ACCENT, BLUE, COLOURS, FAINT, GREY, INK
from chatham.plots.panels import matplotlib, safe, shortened, style

LINE = 0.36
"""Height of a row in inches."""
THICKEST = 0.8
"""Of a row, the thickness of the largest share."""
COLUMN = 0.95
"""Width of a slice in inches."""
NARROW = 0.45
"""Width of one where there are many."""
MANY = 14
LETTER = 0.062
"""Width of a letter in inches."""
NARROWEST = 5.6
"""Width in inches that the legend needs."""
COLUMNS = ("slice", "topic", "share", "event", "others")
GREEN = COLOURS[2]
BOW = 0.09
"""How far a line between two topics bends aside, in inches."""
ALONG = np.linspace(-1.0, 1.0, 25)
MARKS = {"grew": "^", "shrank": "v", "back": "o"}
ABSENT = ("died", "merged", "gone")


def plot_history(
    history: pd.DataFrame, words: Sequence[Sequence[str]], title: str | None = None
) -> Any:
    """Draw the table `model.history`; `words` are a few of each topic."""
    matplotlib()
    lacking = [name for name in COLUMNS if name not in history.columns]
    if lacking or history.empty:
        raise InputError(
            f"A history has the columns {', '.join(COLUMNS)} and at least one row; this table "
            + (f"lacks {', '.join(lacking)}." if lacking else "has no row.")
        )
    names = list(dict.fromkeys(history["slice"]))
    k = int(history["topic"].max()) + 1
    if len(words) != k:
        raise InputError(
            f"The words must be those of {plural(k, 'topic')}; got {plural(len(words), 'list')}."
        )
    from matplotlib.figure import Figure

    labels = [f"{topic}  {' '.join(listed)}" for topic, listed in enumerate(words)]
    left = 0.3 + LETTER * max(map(len, labels))
    step = NARROW if len(names) > MANY else COLUMN
    width = max(left + step * len(names) + 0.2, NARROWEST)
    height = LINE * k + 1.55
    top = height - 0.95
    with style():
        figure: Any = Figure(figsize=(width, height))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, width)
        axes.set_ylim(0, height)
        axes.text(0.15, height - 0.2, safe(title or "Topics from slice to slice"), fontsize=10,
                  va="center")  # fmt: skip
        across = left + step * (np.arange(len(names)) + 0.5)
        for middle, name in zip(across, names, strict=True):
            axes.plot([middle] * 2, [top, top - LINE * k], color=FAINT, linewidth=0.8, zorder=0)
            axes.text(middle, top + 0.08, safe(shortened(name)), rotation=35, ha="left",
                      rotation_mode="anchor", fontsize=6.5, color=INK)  # fmt: skip
        down = top - LINE * (np.arange(k) + 0.5)
        for topic, label in enumerate(labels):
            axes.text(0.15, down[topic], safe(label), va="center", color=INK, fontsize=7)
        _draw_topics(axes, history, names, across, down)
        _draw_legend(axes, history, left)
    return figure


def _draw_topics(
    axes: Any,
    history: pd.DataFrame,
    names: list[str],
    across: NDArray[Any],
    down: NDArray[Any],
) -> None:
    largest = max(float(history["share"].max()), 1e-12)
    column = {name: number for number, name in enumerate(names)}
    drawn: Counter[float] = Counter()
    for topic, rows in history.groupby("topic", sort=True):
        columns = rows["slice"].map(column).to_numpy()
        here = ~rows["event"].isin(ABSENT).to_numpy()
        half = 0.5 * THICKEST * LINE * rows["share"].to_numpy() / largest * here
        middle = down[cast("int", topic)]
        axes.fill_between(across[columns], middle - half, middle + half, color=BLUE, alpha=0.75,
                          linewidth=0)  # fmt: skip
        if len(columns) == 1:  # a band needs two ends
            axes.plot([across[columns[0]]] * 2, [middle - half[0], middle + half[0]], color=BLUE,
                      linewidth=3, alpha=0.75, solid_capstyle="butt")  # fmt: skip
        _draw_absence(axes, across[columns], middle, here)
        for place, event, others, thick in zip(
            across[columns], rows["event"], rows["others"], half, strict=True
        ):
            _draw_event(axes, place, middle, event, thick)
            for other in others if event in ("born", "merged") else ():
                colour, line = (GREEN, "-") if event == "born" else (ACCENT, (0, (2, 1.5)))
                bow = BOW * (1 + drawn[place] % 4)  # so that two don't lie on each other
                drawn[place] += 1
                aside = place - bow * (1 - ALONG**2)
                between = middle + (down[other] - middle) * (ALONG + 1) / 2
                axes.plot(aside, between, color=colour, linewidth=0.9, linestyle=line, zorder=3)


def _draw_absence(
    axes: Any, places: NDArray[np.float64], middle: float, here: NDArray[np.bool_]
) -> None:
    gone = np.where(here, np.nan, places)
    if (~here).sum() > 1:
        axes.plot(gone, np.full(len(places), middle), color=GREY, linewidth=0.8, linestyle=":")


def _draw_event(axes: Any, place: float, middle: float, event: str, thick: float) -> None:
    if event == "born":
        axes.plot([place], [middle], "o", color=GREEN, markersize=4.5, zorder=4)
    elif event in ("died", "merged"):
        axes.plot([place], [middle], "x", color=ACCENT, markersize=5, markeredgewidth=1.4, zorder=4)
    elif event == "split":
        axes.plot([place], [middle], "o", markerfacecolor="white", markeredgecolor=GREEN,
                  markersize=4.5, zorder=4)  # fmt: skip
    elif event == "back":
        axes.plot([place], [middle], "o", markerfacecolor="white", markeredgecolor=BLUE,
                  markersize=4.5, zorder=4)  # fmt: skip
    elif event in MARKS:
        above = middle + min(thick + 0.05, LINE / 2 - 0.02)
        axes.plot([place], [above], MARKS[event], color=INK, markersize=2.6, zorder=4)


def _draw_legend(axes: Any, history: pd.DataFrame, left: float) -> None:
    """What the marks mean, and how thick a share is."""
    largest = float(history["share"].max())
    thick = THICKEST * LINE
    axes.fill_between([0.15, 0.4], 0.3 - thick / 2, 0.3 + thick / 2, color=BLUE, alpha=0.75,
                      linewidth=0)  # fmt: skip
    axes.text(0.46, 0.3, f"{largest:.0%} of a slice", va="center", fontsize=6.5, color="#666666")
    marks: list[tuple[str, dict[str, Any]]] = [
        ("born", {"marker": "o", "color": GREEN}),
        ("split", {"marker": "o", "markerfacecolor": "white", "markeredgecolor": GREEN}),
        ("died", {"marker": "x", "color": ACCENT}),
        ("back", {"marker": "o", "markerfacecolor": "white", "markeredgecolor": BLUE}),
        ("grew", {"marker": "^", "color": INK}),
        ("shrank", {"marker": "v", "color": INK}),
    ]
    place = 1.5
    for name, look in marks:
        axes.plot([place], [0.3], linestyle="none", markersize=3.5, **look)
        axes.text(place + 0.08, 0.3, name, va="center", fontsize=6.5, color="#666666")
        place += 0.3 + LETTER * 0.9 * len(name)
    axes.text(place, 0.3, "dashed: merged", va="center", fontsize=6.5, color="#666666")
