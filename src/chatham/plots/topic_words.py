"""The words of topics: a panel of bars for each, with its own scale.

A bar is a word's probability in the topic. Of some topics the first word has 2 % and of others
70 %, so panels with one scale would show nothing of most. Of a decomposition's direction it is the
word's entry, to the right or to the left of zero.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from chatham.errors import InputError
from chatham.learners.words import best_words
from chatham.looking.topics import Topics, topics_of
from chatham.measures.settings import check_whole
from chatham.plots.captions import clipped, counted, label
from chatham.plots.interactive import (
    SMALL,
    bold,
    caption,
    figure,
    literal,
    plotly,
    quiet_axis,
)
from chatham.plots.palette import ACCENT, BLUE, FAINT, INK, PALE
from chatham.plots.panels import grid, matplotlib, safe, style
from chatham.plots.picture import Picture

MOST_PANELS = 24
"""Of more topics the largest are shown."""
COLUMNS = 3
LONGEST_WORD, LONGEST_TITLE = 22, 30
LINE = 0.165
"""Height of a bar in inches."""
TITLED, PANEL, PIXELS, BETWEEN = 64, 330, 17, 62
"""In pixels: the title, a panel's width, a bar, and what lies between rows of panels."""
LETTERS = 56
"""Of the caption, for each panel in a row."""
BESIDE = 130
"""Pixels for words beside their bars."""


def draw_words(
    model: Any,
    topics: Sequence[int] | None = None,
    *,
    n: int = 10,
    by: str = "prevalence",
    lam: float = 0.6,
    vocabulary: Any = None,
    title: str | None = None,
) -> Picture:
    """The `n` first words of topics, as bars as long as their probabilities.

    Of the topics with the numbers `topics`, or of the 24 largest; words are chosen and ordered as
    `top_words` does, by `by` and `lam`.
    """
    check_whole("n", n, least=1)
    known = topics_of(model, vocabulary)
    if known.directions is None and known.subject.topics is None:
        raise InputError(
            "Lists of words have no probabilities to draw; give topics as an array with its "
            "vocabulary."
        )
    rows = known.largest(MOST_PANELS) if topics is None else known.rows_of(topics)
    if not rows:
        raise InputError("There is nothing to draw: no topic was named.")
    table = words_table(known, rows, n, by, lam)
    heading = title or f"The words of {counted(known, len(rows) if topics is None else None)}"
    return Picture(
        heading,
        matplotlib=lambda: _printed(known, rows, table, n, heading),
        plotly=lambda: _interactive(known, rows, table, n, heading),
        table=table,
    )


def words_table(topics: Topics, rows: Sequence[int], n: int, by: str, lam: float) -> pd.DataFrame:
    """One row per topic and rank: topic, name, rank, word, score."""
    scores = topics.scores(by, lam)[list(rows)]
    entries = topics.entries[list(rows)]
    best = best_words(scores, np.abs(entries), list(topics.vocabulary), n)
    lengths = [len(columns) for columns in best]
    row = np.repeat(np.array(rows, dtype=np.int64), lengths)
    columns = np.concatenate(best)
    return pd.DataFrame(
        {
            topics.kind: np.array(topics.numbers)[row],
            "name": np.array(topics.names, dtype=object)[row],
            "rank": np.concatenate([np.arange(1, length + 1) for length in lengths]),
            "word": topics.vocabulary[columns].astype(object),
            "score": topics.entries[row, columns],
        }
    )


def _panels(topics: Topics, rows: Sequence[int], table: pd.DataFrame) -> list[tuple[int, Any]]:
    """Each topic's row with its part of the table."""
    return [(row, table[table[topics.kind] == topics.numbers[row]]) for row in rows]


def _ends(table: pd.DataFrame) -> tuple[float, float]:
    """The ends of a panel's scale."""
    low, high = table["score"].min(), table["score"].max()
    if table.empty:
        return 0.0, 1.0
    return min(1.06 * float(low), 0.0), max(1.06 * float(high), 0.0)


def _meaning(topics: Topics) -> str:
    return (
        "bar: the probability of the word in the topic, in each panel with its own scale"
        if topics.kind == "topic"
        else "bar: the word's entry; documents with words on one side lie apart from those of the "
        "other"
    )


def _share(topics: Topics, row: int) -> str:
    return f"{topics.shares[row]:.1%}"


def _printed(topics: Topics, rows: Sequence[int], table: pd.DataFrame, n: int, title: str) -> Any:
    matplotlib()
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    with style():
        drawn, panels = grid(len(rows), LINE * n + 0.35, title)
        for axes, (row, best) in zip(panels, _panels(topics, rows, table), strict=True):
            colours = [BLUE if score >= 0 else ACCENT for score in best["score"]]
            axes.barh(range(len(best)), best["score"], height=0.72, color=colours)
            words = [safe(clipped(word, LONGEST_WORD)) for word in best["word"]]
            axes.set_yticks(range(len(best)), words)
            axes.tick_params(axis="y", length=0)
            axes.set_ylim(n - 0.4, -0.6)
            axes.set_xlim(*_ends(best))
            axes.spines["left"].set_visible(False)
            axes.grid(axis="x", color=FAINT, linewidth=0.6)
            axes.set_axisbelow(True)
            axes.xaxis.set_major_locator(MaxNLocator(3))
            if topics.kind == "topic":
                axes.xaxis.set_major_formatter(FuncFormatter(lambda p, _: f"{100 * p:g} %"))
            else:
                axes.axvline(0, color=INK, linewidth=0.6)
            axes.set_title(safe(label(topics, row, LONGEST_TITLE)), fontsize=8.5)
            axes.annotate(_share(topics, row), (1, 1), (0, 6), xycoords="axes fraction",
                          textcoords="offset points", ha="right", fontsize=7,
                          color=PALE)  # fmt: skip
        drawn.supxlabel(_said(topics, len(rows)), x=0.01, ha="left", fontsize=7, color=PALE)
    return drawn


def _said(topics: Topics, panels: int) -> str:
    share = "of the documents" if topics.kind == "topic" else "of what is explained"
    said = f"{_meaning(topics)} · at the right: the {topics.kind}'s share {share}"
    return textwrap.fill(said, LETTERS * min(panels, COLUMNS))


def _interactive(
    topics: Topics, rows: Sequence[int], table: pd.DataFrame, n: int, title: str
) -> Any:
    go = plotly()
    across = min(COLUMNS, len(rows))
    down = -(-len(rows) // across)
    high_panel = PIXELS * n
    wide, tall = across * PANEL + 20, down * (high_panel + BETWEEN) - 12
    traces, axes, notes = [], {}, [caption(_said(topics, len(rows)).replace("\n", "<br>"))]
    for place, (row, best) in enumerate(_panels(topics, rows, table)):
        line, column = divmod(place, across)
        left, top = column * PANEL + BESIDE, line * (high_panel + BETWEEN)
        number = "" if place == 0 else str(place + 1)
        words = [literal(clipped(word, LONGEST_WORD)) for word in best["word"]]
        traces.append(
            go.Bar(
                x=best["score"].tolist(), y=list(range(len(best))), orientation="h",
                marker={"color": [BLUE if s >= 0 else ACCENT for s in best["score"]]},
                hovertext=[f"{literal(word)}<br>{_told(topics, score)}"
                           for word, score in zip(best["word"], best["score"], strict=True)],
                hoverinfo="text", xaxis=f"x{number}", yaxis=f"y{number}",
            )
        )  # fmt: skip
        x = [left / wide, (left + PANEL - BESIDE - 10) / wide]
        y = [1 - (top + high_panel) / tall, 1 - top / tall]
        axes[f"xaxis{number}"] = quiet_axis(
            domain=x, anchor=f"y{number}", range=_ends(best), nticks=4,
            tickformat=".2~%" if topics.kind == "topic" else None,
            zeroline=True, zerolinecolor="#999999",
        )  # fmt: skip
        axes[f"yaxis{number}"] = quiet_axis(
            domain=y, anchor=f"x{number}", range=[n - 0.4, -0.6], showgrid=False,
            tickvals=list(range(len(best))), ticktext=words,
        )  # fmt: skip
        for text, at, anchor, size in (
            (bold(label(topics, row, LONGEST_TITLE)), (column * PANEL + 6) / wide, "left", 12),
            (_share(topics, row), x[1], "right", SMALL),
        ):
            notes.append(
                {"text": text, "showarrow": False, "xref": "paper", "yref": "paper", "x": at,
                 "y": y[1], "xanchor": anchor, "yanchor": "bottom", "yshift": 1,
                 "font": {"size": size, "color": INK if size == 12 else PALE}}
            )  # fmt: skip
    return figure(
        traces, title, wide + 40, tall + TITLED + 20 + 60, annotations=notes, bargap=0.25,
        margin={"t": TITLED + 20, "b": 60}, dragmode=False, **axes,
    )  # fmt: skip


def _told(topics: Topics, score: float) -> str:
    return f"{score:.2%} of the topic" if topics.kind == "topic" else f"{score:+.3f}"
