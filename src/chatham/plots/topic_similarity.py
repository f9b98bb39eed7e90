"""How alike topics are: a matrix of all pairs, in an order in which neighbours are alike.

By documents a cell says how many times as often as by chance two topics are in the same ones: blue
more often, orange less. By words it says what share of their words two topics have in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chatham.looking.relations import Relations, relations_of
from chatham.numerics.threads import threads
from chatham.plots.captions import counted, label
from chatham.plots.interactive import caption, figure, literal, plotly, quiet_axis
from chatham.plots.palette import EMPTY, INK, PALE, SHADES, SIDES
from chatham.plots.panels import matplotlib, safe, shades, style
from chatham.plots.picture import Picture

Array = NDArray[np.float64]

CELLS = 560.0
"""The least size of the matrix in pixels, and what it grows beyond where there are many topics."""
LARGEST, SMALLEST = 34.0, 7.0
"""A cell's size."""
LETTER = 6.0
LONGEST_NAME = 26
WRITTEN = 22.0
"""The least size of a cell with its value in it."""
NAMED = 11.0
"""The least size of a cell beside which its name can be read."""
FARTHEST = 2.0
"""The ends of the scale by documents: a quarter and four times as often as by chance, as log₂."""
TITLED, FOOT, MARGIN, BAR = 54.0, 74.0, 20.0, 14.0
SAID = {
    "documents": "how many times as often as by chance two topics are in the same documents",
    "correlations": "how many times as often as by chance two topics are in the same documents, "
    "as learned",
    "words": "the share of their words that two topics have in common",
}
TICKS = {"¼ ×": -2.0, "½ ×": -1.0, "as by chance": 0.0, "2 ×": 1.0, "4 ×": 2.0}


def draw_similarity(
    model: Any,
    documents: Any = None,
    *,
    by: str | None = None,
    vocabulary: Any = None,
    title: str | None = None,
    n_jobs: int | None = None,
) -> Picture:
    """How alike any two topics are; `documents` and `by` are as in `ch.plots.map`."""
    relations = relations_of(model, documents, by=by, vocabulary=vocabulary, n_jobs=n_jobs)
    with threads(None):
        cells = Cells.of(relations)
    heading = title or f"How alike {counted(relations.topics)} are"
    if len(relations.topics) == 1:
        heading = title or f"A single {relations.topics.kind} is like no other"
    return Picture(
        heading,
        matplotlib=lambda: _printed(cells, heading),
        plotly=lambda: _interactive(cells, heading),
        table=cells.table(),
    )


@dataclass(frozen=True, eq=False)
class Cells:
    """The matrix as it is drawn."""

    relations: Relations
    rows: list[int]
    values: Array
    """How alike they are, in this order; NaN on the diagonal."""

    @classmethod
    def of(cls, relations: Relations) -> Cells:
        """All topics, in the order of largest bond energy."""
        order = relations.order()
        return cls(relations, order.tolist(), relations.likeness[np.ix_(order, order)])

    @property
    def by_chance(self) -> bool:
        """Whether values are relative to chance."""
        return self.relations.contingency is not None

    @property
    def shades(self) -> Array:
        """What decides a cell's colour."""
        if not self.by_chance:
            return self.values
        with np.errstate(divide="ignore"):
            return np.clip(np.log2(self.values), -FARTHEST, FARTHEST)

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the scale of colours."""
        if self.by_chance:
            return -FARTHEST, FARTHEST
        return 0.0, float(np.nan_to_num(self.values).max()) or 1.0

    @property
    def ticks(self) -> dict[str, float]:
        """What stands beside the scale."""
        if self.by_chance:
            return TICKS
        return {f"{100 * value:.3g} %": value for value in np.linspace(0, self.ends[1], 3).tolist()}

    @property
    def size(self) -> float:
        """A cell's size in pixels."""
        return float(np.clip(CELLS / len(self.rows), SMALLEST, LARGEST))

    def written(self, value: float) -> str:
        """A value in its cell."""
        if np.isnan(value):
            return ""
        return f"{value:.1f}" if self.by_chance else f"{100 * value:.0f}"

    def told(self, value: float) -> str:
        """A value in words."""
        if self.by_chance:
            return f"{value:.2f} times as often together as by chance"
        return f"{value:.1%} of their words in common"

    def is_dark(self, shade: float) -> bool:
        """Whether white letters are easier to read on it."""
        low, high = self.ends
        place = (shade - low) / (high - low)
        return place > 0.48 if not self.by_chance else abs(place - 0.5) > 0.3

    def table(self) -> pd.DataFrame:
        """A row and a column for each topic, in this order."""
        numbers = [self.relations.topics.numbers[row] for row in self.rows]
        index = pd.Index(numbers, name=self.relations.topics.kind)
        return pd.DataFrame(self.values, index=index, columns=numbers)


def _names(cells: Cells) -> tuple[list[str], list[str], float]:
    """What stands beside rows and above columns, and the room beside."""
    topics = cells.relations.topics
    numbers = [str(topics.numbers[row]) for row in cells.rows]
    names = [label(topics, row, LONGEST_NAME) for row in cells.rows]
    if cells.size < NAMED:  # every few, by number
        step = int(np.ceil(2 * NAMED / cells.size))
        numbers = [each if not place % step else "" for place, each in enumerate(numbers)]
        return numbers, numbers, 40.0
    return names, numbers, 14 + LETTER * max(map(len, names))


def _printed(cells: Cells, title: str) -> Any:
    matplotlib()
    from matplotlib.figure import Figure

    beside, above, room = _names(cells)
    room = max(room, MARGIN + 10)
    side = cells.size * len(cells.rows)
    width = max(room + side + MARGIN, 540.0)
    height = TITLED + 24 + side + FOOT
    colours = shades(SIDES if cells.by_chance else SHADES)
    low, high = cells.ends
    with style():
        drawn: Any = Figure(figsize=(width / 100, height / 100))
        axes = drawn.add_axes((room / width, FOOT / height, side / width, side / height))
        image = axes.imshow(cells.shades, cmap=colours, vmin=low, vmax=high, aspect="auto")
        places = range(len(cells.rows))
        axes.set_yticks(places, [safe(name) for name in beside], fontsize=7.5)
        axes.set_xticks(places, above, fontsize=7)
        axes.xaxis.tick_top()
        axes.tick_params(length=0, pad=3)
        for spine in axes.spines.values():
            spine.set_visible(False)
        if cells.size >= WRITTEN:
            for (row, column), value in np.ndenumerate(cells.values):
                shade = float(cells.shades[row, column])
                axes.text(column, row, cells.written(value), ha="center", va="center",
                          fontsize=6.5, color="white" if cells.is_dark(shade) else INK)  # fmt: skip
        scale = drawn.add_axes((MARGIN / width, 30 / height, 220 / width, 10 / height))
        bar = drawn.colorbar(image, cax=scale, orientation="horizontal")
        bar.outline.set_visible(False)
        bar.set_ticks(list(cells.ticks.values()), labels=list(cells.ticks))
        bar.ax.tick_params(length=0, labelsize=6.5)
        drawn.text(MARGIN / width, 52 / height, _said(cells), fontsize=7.5, color=PALE,
                   va="center")  # fmt: skip
        drawn.text(MARGIN / width, 1 - 24 / height, safe(title), fontsize=11, fontweight="bold",
                   va="center", color=INK)  # fmt: skip
    return drawn


def _said(cells: Cells) -> str:
    said = SAID[cells.relations.by]
    return said if cells.relations.topics.kind == "topic" else said.replace("topics", "directions")


def _interactive(cells: Cells, title: str) -> Any:
    go = plotly()
    topics = cells.relations.topics
    beside, above, room = _names(cells)
    side = cells.size * len(cells.rows)
    low, high = cells.ends
    colours = SIDES if cells.by_chance else SHADES
    called = [literal(f"{topics.numbers[row]}  {topics.names[row]}") for row in cells.rows]
    hover = [
        ["" if np.isnan(value) else f"{called[r]}<br>{called[c]}<br>{cells.told(value)}"
         for c, value in enumerate(line)]
        for r, line in enumerate(cells.values)
    ]  # fmt: skip
    trace = go.Heatmap(
        z=[[None if np.isnan(value) else float(value) for value in line] for line in cells.shades],
        zmin=low, zmax=high, hovertext=hover, hoverinfo="text", hoverongaps=False,
        colorscale=[[place / (len(colours) - 1), each] for place, each in enumerate(colours)],
        colorbar={
            "orientation": "h", "x": max((MARGIN - room) / side, -1.9), "xanchor": "left",
            "y": 0, "yanchor": "top", "len": 240,
            "lenmode": "pixels", "thickness": BAR, "outlinewidth": 0, "ypad": 34,
            "tickvals": list(cells.ticks.values()), "ticktext": list(cells.ticks),
            "tickfont": {"size": 10},
        },
        text=[[cells.written(value) for value in line] for line in cells.values],
        texttemplate="%{text}" if cells.size >= WRITTEN else None, textfont={"size": 10},
        xgap=0, ygap=0,
    )  # fmt: skip
    right = max(MARGIN, 560 - room - side)
    return figure(
        [trace], title, room + side + right, TITLED + 24 + side + FOOT + 20,
        margin={"l": room, "r": right, "t": TITLED + 24, "b": FOOT + 20},
        plot_bgcolor=EMPTY,
        xaxis=quiet_axis(side="top", tickvals=list(range(len(above))), ticktext=above,
                         showgrid=False, range=[-0.5, len(above) - 0.5], tickangle=0),
        yaxis=quiet_axis(tickvals=list(range(len(beside))), ticktext=list(map(literal, beside)),
                         showgrid=False, range=[len(beside) - 0.5, -0.5]),
        annotations=[{**caption(_said(cells), 8), "xshift": MARGIN - room}], dragmode=False,
    )  # fmt: skip
