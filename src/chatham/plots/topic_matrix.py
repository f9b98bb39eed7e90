"""Words by topics as discs, in an order that shows blocks: Termite's matrix (thesis, Fig. 1.21).

A disc's area is the word's probability in the topic, relative to the topic's largest. Topics
that share words stand together, and so do words of the same topics.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chatham.errors import InputError
from chatham.looking.word_matrix import WordMatrix, word_matrix
from chatham.measures.settings import check_whole
from chatham.plots.captions import clipped, counted, label
from chatham.plots.interactive import bold, caption, figure, literal, plotly, quiet_axis
from chatham.plots.palette import ACCENT, BLUE, FAINT, INK, PALE
from chatham.plots.panels import matplotlib, safe, style
from chatham.plots.picture import Picture

CELL = 20.0
"""Pixels of a row, and of a column."""
LETTER, SLANTED = 6.4, 4.0
"""What a letter takes of the room beside and, at a slant, above."""
LONGEST_WORD, LONGEST_NAME = 26, 26
SLANT = 45.0
TITLED, FOOT, MARGIN = 54.0, 44.0, 20.0
LEAST = 0.005
"""Discs of a smaller share of their topic's largest can't be seen and aren't drawn."""
DISC = 0.46
"""The radius of the largest, relative to a cell."""
SAID_WIDTH = 520.0
"""Pixels that the caption takes."""


def draw_matrix(
    model: Any,
    *,
    n: int = 3,
    by: str = "prevalence",
    lam: float = 0.6,
    topics: Sequence[int] | None = None,
    vocabulary: Any = None,
    title: str | None = None,
) -> Picture:
    """The `n` first words of each topic, and how probable they are in all of them.

    Rows and columns are in the orders of largest bond energy, in which neighbours are alike. Of
    many topics the 40 largest are shown, or those with the numbers `topics`.
    """
    check_whole("n", n, least=1)
    found = word_matrix(model, n=n, by=by, lam=lam, topics=topics, vocabulary=vocabulary)
    if not found.words:
        raise InputError("There is nothing to draw: the topics have no words.")
    shown = len(found.columns) if topics is None else None
    heading = title or f"Words of {counted(found.topics, shown)}"
    return Picture(
        heading,
        matplotlib=lambda: _printed(found, heading),
        plotly=lambda: _interactive(found, heading),
        table=found.table(),
    )


def _discs(found: WordMatrix) -> tuple[Any, Any, Any]:
    """The rows and columns of what can be seen, and the radii of their discs in pixels."""
    sizes = np.abs(found.relative)
    row, column = np.nonzero(sizes >= LEAST)
    return row, column, DISC * CELL * np.sqrt(sizes[row, column])


def _said(found: WordMatrix) -> str:
    if found.topics.kind == "direction":
        return "disc: the word's entry in the direction (orange: negative), relative to its largest"
    return "disc: how probable the word is in the topic, relative to the topic's largest here"


def _measured(found: WordMatrix) -> tuple[list[str], list[str], float, float, float, float]:
    """Words and names as they are shown; the room for them, and the size of the matrix."""
    words = [clipped(word, LONGEST_WORD) for word in found.words]
    names = [label(found.topics, row, LONGEST_NAME) for row in found.columns]
    beside = 14 + LETTER * max(map(len, words))
    above = 16 + SLANTED * max(map(len, names))
    return words, names, beside, float(above), CELL * len(names), CELL * len(words)


def _printed(found: WordMatrix, title: str) -> Any:
    matplotlib()
    from matplotlib.collections import EllipseCollection
    from matplotlib.figure import Figure

    words, names, beside, above, wide, high = _measured(found)
    width = max(beside + wide + above + MARGIN, SAID_WIDTH)
    height = TITLED + above + high + FOOT
    row, column, radii = _discs(found)
    with style():
        drawn: Any = Figure(figsize=(width / 100, height / 100))
        axes = drawn.add_axes((beside / width, FOOT / height, wide / width, high / height))
        axes.set_xlim(-0.5, len(names) - 0.5)
        axes.set_ylim(len(words) - 0.5, -0.5)
        axes.set_xticks(
            range(len(names)), [safe(name) for name in names], rotation=SLANT, ha="left",
            rotation_mode="anchor", fontsize=7.5,
        )  # fmt: skip
        axes.set_yticks(range(len(words)), [safe(word) for word in words], fontsize=7.5)
        axes.xaxis.tick_top()
        axes.tick_params(length=0, pad=3)
        axes.grid(color=FAINT, linewidth=0.5)
        axes.set_axisbelow(True)
        for spine in axes.spines.values():
            spine.set_visible(False)
        negative = found.entries[row, column] < 0
        axes.add_collection(
            EllipseCollection(
                2 * radii / CELL, 2 * radii / CELL, np.zeros(len(radii)), units="x",
                offsets=np.column_stack([column, row]), transOffset=axes.transData,
                facecolors=np.where(negative, ACCENT, BLUE), edgecolors="white", linewidths=0.4,
                alpha=0.85,
            )
        )  # fmt: skip
        drawn.text(MARGIN / width, 1 - 24 / height, safe(title), fontsize=11, fontweight="bold",
                   va="center", color=INK)  # fmt: skip
        drawn.text(MARGIN / width, 20 / height, _said(found), fontsize=7.5, color=PALE,
                   va="center")  # fmt: skip
    return drawn


def _interactive(found: WordMatrix, title: str) -> Any:
    go = plotly()
    words, names, beside, above, wide, high = _measured(found)
    row, column, radii = _discs(found)
    values = found.entries[row, column]
    spelled = [bold(word) for word in found.words]
    called = [
        literal(f"{found.topics.numbers[each]}  {found.topics.names[each]}")
        for each in found.columns
    ]
    trace = go.Scatter(
        x=column.tolist(), y=row.tolist(), mode="markers",
        marker={
            "size": (2 * radii).tolist(), "opacity": 0.85,
            "color": [ACCENT if value < 0 else BLUE for value in values],
            "line": {"color": "white", "width": 0.5},
        },
        hovertext=[f"{spelled[r]}<br>{called[c]}<br>{_told(found, value)}"
                   for r, c, value in zip(row, column, values, strict=True)],
        hoverinfo="text",
    )  # fmt: skip
    right = max(above, SAID_WIDTH - beside - wide)
    return figure(
        [trace], title, beside + wide + right, TITLED + above + high + FOOT,
        margin={"l": beside, "r": right, "t": TITLED + above, "b": FOOT},
        xaxis=quiet_axis(range=[-0.5, len(names) - 0.5], side="top", tickangle=-SLANT,
                         tickvals=list(range(len(names))), ticktext=list(map(literal, names))),
        yaxis=quiet_axis(range=[len(words) - 0.5, -0.5], tickvals=list(range(len(words))),
                         ticktext=list(map(literal, words))),
        annotations=[{**caption(_said(found), 14), "xshift": MARGIN - beside}], dragmode=False,
        hovermode="closest",
    )  # fmt: skip


def _told(found: WordMatrix, value: float) -> str:
    return f"{value:+.3f}" if found.topics.kind == "direction" else f"{value:.2%} of the topic"
