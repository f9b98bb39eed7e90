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
from chatham.plots.panels import BLUE, FAINT, INK, grid, matplotlib, safe, shortened, style

MOST_PANELS = 24
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
        axes.imshow(shares.to_numpy(), cmap="Blues", vmin=0, vmax=most, aspect="auto")
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
        figure.text(0.1 / width, 1 - 0.16 / height, safe(heading), fontsize=10, va="center")
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


def shortened_title(topic: int, names: Mapping[int, str] | Sequence[str] | None) -> str:
    """A topic's number, and what it is called."""
    if names is None:
        return f"Topic {topic}"
    name = names.get(topic, "") if isinstance(names, Mapping) else names[topic]
    return f"{topic}  {name}".rstrip()


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
    spread = table.groupby("topic")["share"].agg(lambda shares: shares.max() - shares.min())
    most = spread.fillna(0.0).sort_values(ascending=False, kind="stable").index[:MOST_PANELS]
    return sorted(int(topic) for topic in most)


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
