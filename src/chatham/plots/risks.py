"""The figure of an audit: documents by risk, each with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from chatham.errors import InputError
from chatham.plots.palette import ACCENT, BLUE, COLOURS, GREY, INK
from chatham.plots.panels import matplotlib, safe, shortened, style

MOST = 60
"""More documents than these would be too small to read."""
LINE = 0.17
"""Inches for a document."""
SHOWN = {"exposed": ACCENT, "doubtful": COLOURS[4], "nothing found": GREY}


def plot_risks(table: pd.DataFrame, title: str | None = None) -> Any:
    """How many guesses about each document are right, where half would be by chance.

    `table` is that of a verdict, `Verdict.table()`, the most exposed first.
    """
    matplotlib()
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    if table.empty:
        raise InputError("There is nothing to draw: no document was judged.")
    first = table.head(MOST)
    with style():
        figure: Any = Figure(figsize=(6.2, LINE * len(first) + 1.3), layout="constrained")
        axes = figure.subplots()
        for outcome in _outcomes(first["outcome"]):
            _draw(axes, first[first["outcome"] == outcome], outcome)
        axes.axvline(0.5, color=INK, linewidth=0.8, linestyle="--", zorder=1)
        axes.set_yticks(first.index, [safe(shortened(str(each))) for each in first["document"]])
        axes.tick_params(axis="y", length=0, labelsize=7)
        axes.set_ylim(len(first) - 0.4, -0.6)
        axes.set_xlim(min(0.4, float(first["right_low"].min()) - 0.02), 1.01)
        axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
        axes.set_xlabel("guesses that are right (interval); dashed: chance", fontsize=7, color=INK)
        axes.set_title(safe(title or "Can somebody who has the document tell that it is there?"))
        figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=7)
        if len(table) > MOST:
            axes.annotate(f"and {len(table) - MOST:,} documents with less risk", (1, 0), (0, 3),
                          xycoords="axes fraction", textcoords="offset points", ha="right",
                          fontsize=6.5, color=BLUE)  # fmt: skip
    return figure


def _outcomes(column: pd.Series[Any]) -> Sequence[str]:
    there = set(column)
    return [each for each in SHOWN if each in there]


def _draw(axes: Any, rows: pd.DataFrame, outcome: str) -> None:
    colour = SHOWN[outcome]
    axes.hlines(rows.index, rows["right_low"], rows["right_high"], color=colour, linewidth=1.6)
    axes.plot(rows["right"], rows.index, "o", color=colour, markersize=4, label=outcome)
