"""Figures of topics over time and by group.

Over time each topic has a panel: its share of each span's documents as a line, with the interval in
which it probably lies; a span without documents, or one that isn't told, breaks the line. By group
each topic is a row of cells, darker where its share is larger, with the share in per cent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from chatham.errors import InputError
from chatham.groups.dates import EVERY, all_spans
from chatham.groups.tables import by_group, over_time
from chatham.looking.topics import topics_of
from chatham.plots.captions import clipped
from chatham.plots.interactive import bold, caption, figure, literal, pale, plotly, quiet_axis
from chatham.plots.palette import BLUE, FAINT, INK, PALE, SHADES, colour_of
from chatham.plots.panels import grid, matplotlib, safe, shades, shortened, style
from chatham.plots.picture import Picture

MOST_PANELS = 24
MOST_LINES = 6
"""Lines that are shown at first where they share one panel."""
LONGEST_NAME = 34
NARROWEST = 600.0
"""Width of an interactive figure in pixels, with room for its title and its buttons."""
HEIGHT = 1.25
"""A panel's height in inches."""
FEW = 5
"""Documents without which a span's interval doesn't decide the scale."""
CELL, LINE, LETTER = 0.62, 0.24, 0.066
"""Width and height of a cell, and width of a letter, in inches."""
MOST_GROUPS = 40
"""More columns can't be read; the largest groups are drawn."""
DARK = 0.6
"""The share of the darkest colour from which on white letters are easier to read."""


def plot_over_time(
    table: pd.DataFrame,
    names: Mapping[int, str] | Sequence[str] | None = None,
    topics: Sequence[int] | None = None,
    title: str | None = None,
) -> Any:
    """Draw a table of `over_time`: a panel for each topic, all with the same scale.

    `names` are what the topics are called, or a few words of each; `topics` are those that are
    drawn, by default those that change most, up to 24.
    """
    _check(table, "start", "over_time")
    matplotlib()
    dated = _with_gaps(table[table["start"].notna()], table.attrs.get("every"))
    chosen = _changing(dated) if topics is None else _known(topics, table)
    most = _highest(dated[dated["topic"].isin(chosen)])
    with style():
        figure, panels = grid(
            len(chosen), HEIGHT, title or f"Share of the documents, by {_every(table)}"
        )
        for axes, topic in zip(panels, chosen, strict=True):
            _draw_line(axes, dated[dated["topic"] == topic], most)
            axes.set_title(safe(shortened_title(topic, names)))
        for axes in panels:
            axes.set_xlim(dated["start"].min(), dated["start"].max())
    return figure


def plot_by_group(
    table: pd.DataFrame,
    names: Mapping[int, str] | Sequence[str] | None = None,
    title: str | None = None,
) -> Any:
    """Draw a table of `by_group`: topics as rows, groups as columns, shares in per cent."""
    column = str(table.columns[0])
    _check(table, column, "by_group")
    matplotlib()
    from matplotlib.figure import Figure

    sizes = table.groupby(column, sort=False)["documents"].first()
    largest = set(sizes.sort_values(ascending=False, kind="stable").index[:MOST_GROUPS])
    groups = [group for group in sizes.index if group in largest]
    shares = table.pivot(index="topic", columns=column, values="share")[groups]
    labels = [shortened_title(int(topic), names) for topic in shares.index]
    left = 0.2 + LETTER * max(map(len, labels))
    above = 0.45 + LETTER * 0.6 * max(len(shortened(str(group))) for group in groups)
    width, height = left + CELL * len(groups) + 0.6, above + LINE * len(labels) + 0.35
    most = float(shares.to_numpy().max())
    with style():
        figure: Any = Figure(figsize=(width, height))
        axes = figure.add_axes(
            (left / width, 0.35 / height, CELL * len(groups) / width, LINE * len(labels) / height)
        )
        axes.imshow(shares.to_numpy(), cmap=shades(), vmin=0, vmax=most, aspect="auto")
        axes.set_yticks(range(len(labels)), [safe(label) for label in labels])
        axes.set_xticks(
            range(len(groups)), [safe(shortened(str(group))) for group in groups],
            rotation=45, ha="left", rotation_mode="anchor",
        )  # fmt: skip
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        for (row, cell), share in np.ndenumerate(shares.to_numpy()):
            axes.text(cell, row, f"{100 * share:.0f}", ha="center", va="center", fontsize=6.5,
                      color="white" if share > DARK * most else INK)  # fmt: skip
        heading = title or f"Share of the documents in per cent, by {shortened(column)}"
        figure.text(
            0.1 / width,
            1 - 0.16 / height,
            safe(heading),
            fontsize=10,
            va="center",
            fontweight="bold",
        )
        hidden = len(sizes) - len(groups)
        if hidden:
            figure.text(0.1 / width, 0.12 / height, f"and {hidden} smaller groups", fontsize=6.5,
                        color="#666666")  # fmt: skip
    return figure


def _with_gaps(dated: pd.DataFrame, every: str | None) -> pd.DataFrame:
    """Also the spans between that aren't told of: between parties, those of few documents."""
    if every not in EVERY or dated.empty:
        return dated
    starts = all_spans(dated["start"].to_numpy().astype("datetime64[D]"), every)
    missing = starts[~np.isin(starts, dated["start"].to_numpy().astype("datetime64[D]"))]
    if not missing.size:
        return dated
    topics = dated["topic"].unique()
    gaps = pd.DataFrame(
        {
            "start": np.repeat(missing, len(topics)).astype("datetime64[us]"),
            "topic": np.tile(topics, len(missing)),
            "documents": 0,
            **dict.fromkeys(("share", "low", "high"), np.nan),
        }
    )
    return pd.concat([dated, gaps]).sort_values("start", kind="stable").reset_index(drop=True)


def draw_over_time(
    model: Any,
    documents: Any = None,
    date: str = "date",
    *,
    every: str | None = None,
    topics: Sequence[int] | None = None,
    names: Mapping[int, str] | Sequence[str] | None = None,
    vocabulary: Any = None,
    title: str | None = None,
) -> Picture:
    """Each topic's share of the documents of each span of time, with its interval.

    Either of a model and documents with a column `date`, as in `ch.over_time`, or of a table that
    this has returned; `names` are what its topics are called. Drawn are the topics with the numbers
    `topics`, or those that change most.
    """
    table, own = _told_of(model, vocabulary)
    names = own if names is None else names
    if table is None:
        _needs(documents, "over_time")
        table = over_time(model, documents, date, every=every, vocabulary=vocabulary)
    _check(table, "start", "over_time")
    shown = table
    heading = title or f"Share of the documents, by {_every(shown)}"
    return Picture(
        heading,
        matplotlib=lambda: plot_over_time(shown, names, topics, heading),
        plotly=lambda: _lines(shown, names, topics, heading),
        table=shown,
    )


def draw_by_group(
    model: Any,
    documents: Any = None,
    by: str = "label",
    *,
    names: Mapping[int, str] | Sequence[str] | None = None,
    vocabulary: Any = None,
    title: str | None = None,
) -> Picture:
    """Each topic's share of each group of documents.

    Either of a model and documents with the column `by`, as in `ch.by_group`, or of a table that
    this has returned; `names` are what its topics are called.
    """
    table, own = _told_of(model, vocabulary)
    names = own if names is None else names
    if table is None:
        _needs(documents, "by_group")
        table = by_group(model, documents, by, vocabulary=vocabulary)
    column = str(table.columns[0])
    _check(table, column, "by_group")
    shown = table
    heading = title or f"Share of the documents in per cent, by {shortened(column)}"
    return Picture(
        heading,
        matplotlib=lambda: plot_by_group(shown, names, heading),
        plotly=lambda: _cells(shown, names, heading),
        table=shown,
    )


def _told_of(model: Any, vocabulary: Any) -> tuple[pd.DataFrame | None, Mapping[int, str] | None]:
    """A table that is there already, or the names of a model's topics."""
    if isinstance(model, pd.DataFrame) and {"topic", "share", "low", "high"} <= set(model.columns):
        return model, None
    topics = topics_of(model, vocabulary)
    return None, dict(zip(topics.numbers, topics.names, strict=True))


def _needs(documents: Any, function: str) -> None:
    if documents is None:
        raise InputError(f"A picture of {function} needs documents; give them after the model.")


def shortened_title(topic: int, names: Mapping[int, str] | Sequence[str] | None) -> str:
    """A topic's number, and what it is called."""
    if names is None:
        return f"Topic {topic}"
    name = names.get(topic, "") if isinstance(names, Mapping) else names[topic]
    return f"{topic}  {name}".rstrip()


def _lines(
    table: pd.DataFrame,
    names: Mapping[int, str] | Sequence[str] | None,
    topics: Sequence[int] | None,
    title: str,
) -> Any:
    """A line for each topic, with a legend to switch them on and off."""
    go = plotly()
    dated = _with_gaps(table[table["start"].notna()], table.attrs.get("every"))
    chosen = _changing(dated) if topics is None else _known(topics, table)
    first = chosen if topics is not None else sorted(_by_change(dated)[:MOST_LINES])
    traces: list[Any] = []
    for topic in chosen:
        rows = dated[dated["topic"] == topic]
        colour = colour_of(first.index(topic) if topic in first else len(traces))
        shown = True if topic in first else "legendonly"
        when = rows["start"].dt.strftime("%Y-%m-%d").tolist()
        called = shortened_title(topic, names)
        alike = {"x": when, "legendgroup": str(topic), "visible": shown}
        for part in ("high", "low"):
            traces.append(
                go.Scatter(
                    **alike, y=_or_none(rows[part]), mode="lines", line={"width": 0},
                    fill="tonexty" if part == "low" else None, fillcolor=pale(colour, 0.15),
                    showlegend=False, hoverinfo="skip",
                )
            )  # fmt: skip
        traces.append(
            go.Scatter(
                **alike, y=_or_none(rows["share"]), mode="lines+markers", marker={"size": 5},
                line={"color": colour, "width": 2}, name=literal(clipped(called, LONGEST_NAME)),
                hovertext=[_said_of_span(called, row) for row in rows.to_dict("records")],
                hoverinfo="text",
            )
        )  # fmt: skip
    said = "band: where the share probably lies · click on a name to show or hide it"
    return figure(
        traces, title, 960, 520, showlegend=True, hovermode="closest",
        margin={"l": 70, "r": 20, "t": 64, "b": 70},
        xaxis=quiet_axis(showgrid=False, showline=True, ticks="outside"),
        yaxis=quiet_axis(tickformat=".0%", rangemode="tozero",
                         title={"text": "share of the documents", "font": {"color": PALE}}),
        legend={"x": 1.01, "y": 1, "font": {"size": 11}, "itemsizing": "constant"},
        annotations=[caption(said, 36)],
    )  # fmt: skip


def _said_of_span(called: str, row: Mapping[Any, Any]) -> str:
    span = row.get("span", row["start"])
    share = f"{row['share']:.1%} ({row['low']:.1%} to {row['high']:.1%})"
    words = f"<br>{literal(str(row['words']))}" if row.get("words") else ""
    return f"{bold(called)}<br>{literal(str(span))}: {share}, {row['documents']} documents{words}"


def _or_none(values: pd.Series) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def _cells(table: pd.DataFrame, names: Mapping[int, str] | Sequence[str] | None, title: str) -> Any:
    """A cell for each topic and group."""
    go = plotly()
    column = str(table.columns[0])
    groups = list(dict.fromkeys(table[column]))
    topics = list(dict.fromkeys(table["topic"]))
    shares = table["share"].to_numpy().reshape(len(groups), len(topics)).T
    hover = [
        [f"{bold(shortened_title(int(row['topic']), names))}<br>{literal(str(row[column]))}: "
         f"{row['share']:.1%} ({row['low']:.1%} to {row['high']:.1%}), {row['documents']} documents"
         + (f"<br>{literal(str(row['words']))}" if row.get("words") else "")
         for row in table[table["topic"] == topic].to_dict("records")]
        for topic in topics
    ]  # fmt: skip
    called = [clipped(shortened_title(int(topic), names), LONGEST_NAME) for topic in topics]
    above = [literal(shortened(str(group))) for group in groups]
    slanted = 5.0 * max(len(shortened(str(group))) for group in groups)
    left, top, right = 24 + 6.4 * max(map(len, called)), 84 + slanted, 40 + slanted
    right = max(right, NARROWEST - left - 52 * len(groups))
    trace = go.Heatmap(
        z=shares.tolist(), zmin=0, showscale=False, hovertext=hover, hoverinfo="text",
        colorscale=[[place / (len(SHADES) - 1), each] for place, each in enumerate(SHADES)],
        text=[[f"{100 * share:.0f}" for share in line] for line in shares],
        texttemplate="%{text}", textfont={"size": 10},
    )  # fmt: skip
    return figure(
        [trace], title, left + 52 * len(groups) + right, top + 24 * len(topics) + 30,
        margin={"l": left, "r": right, "t": top, "b": 30},
        xaxis=quiet_axis(side="top", tickvals=list(range(len(groups))), ticktext=above,
                         showgrid=False, tickangle=-45),
        yaxis=quiet_axis(tickvals=list(range(len(topics))), showgrid=False,
                         ticktext=list(map(literal, called)),
                         range=[len(topics) - 0.5, -0.5]),
        dragmode=False,
    )  # fmt: skip


def _draw_line(axes: Any, rows: pd.DataFrame, most: float) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    when, shares = rows["start"].to_numpy(), rows["share"].to_numpy()
    axes.fill_between(when, rows["low"], rows["high"], color=BLUE, alpha=0.18, linewidth=0)
    axes.plot(when, shares, color=BLUE, linewidth=1.4)
    before, after = (
        np.isnan(np.append(np.nan, shares[:-1])),
        np.isnan(np.append(shares[1:], np.nan)),
    )
    alone = before & after & ~np.isnan(shares)  # between two gaps there is no line
    axes.errorbar(
        when[alone], shares[alone], color=BLUE, fmt="o", markersize=3, elinewidth=0.8,
        yerr=[(shares - rows["low"])[alone], (rows["high"] - shares)[alone]],
    )  # fmt: skip
    axes.set_ylim(0, 1.05 * most)
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.yaxis.set_major_locator(MaxNLocator(3))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.0f} %"))
    locator = AutoDateLocator(minticks=2, maxticks=5)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))


def _highest(rows: pd.DataFrame) -> float:
    """The upper end of the panels: a span of a few documents, which may be anywhere, is cut off."""
    several = rows[rows["documents"] >= min(FEW, rows["documents"].max())]
    return float(several["high"].max())


def _changing(table: pd.DataFrame) -> list[int]:
    """The topics whose shares differ most between spans, in the order of their numbers."""
    return sorted(_by_change(table)[:MOST_PANELS])


def _by_change(table: pd.DataFrame) -> list[int]:
    spread = table.groupby("topic")["share"].agg(lambda shares: shares.max() - shares.min())
    most = spread.fillna(0.0).sort_values(ascending=False, kind="stable").index
    return [int(topic) for topic in most]


def _known(topics: Sequence[int], table: pd.DataFrame) -> list[int]:
    known = set(table["topic"].tolist())
    for topic in topics:
        if topic not in known:
            raise InputError(f"There is no topic {topic!r} in the table; it has {len(known)}.")
    return [int(topic) for topic in topics]


def _every(table: pd.DataFrame) -> str:
    return str(table.attrs.get("every") or "span")


def _check(table: pd.DataFrame, column: str, function: str) -> None:
    needed = {column, "documents", "topic", "share", "low", "high"}
    if not isinstance(table, pd.DataFrame) or not needed <= set(table.columns) or table.empty:
        raise InputError(f"This is no table of {function}; give what ch.{function} returned.")
