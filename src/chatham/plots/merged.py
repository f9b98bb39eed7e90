"""The figure of a merge: which party has which topic, and which of its own went there.

A row is a merged topic, a column a party. A circle's area is the topic's share of the party's
documents; it is filled where one of the party's own topics went there, with their numbers beside
it (in brackets where the larger part went elsewhere), and hollow where the party has only traces.
Topics that all have stand above those that some have and those of one party alone; at the right
stands how alike the parties' versions are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from chatham.errors import InputError
from chatham.plots.palette import BLUE, COLOURS, FAINT, INK
from chatham.plots.panels import matplotlib, safe, shortened, style

LINE = 0.3
"""Height of a row in inches."""
COLUMN = 1.15
"""Width of a party's column in inches."""
LETTER = 0.062
"""Width of a letter in inches."""
NARROWEST = 7.0
"""Width in inches that the legend needs."""
LARGEST = 190.0
"""Area of the largest circle in square points."""
ORDER = ("all", "some", "one", "none")
TITLES = {
    "all": "all parties",
    "some": "some parties",
    "one": "one party alone",
    "none": "traces only",
}
MOST_NUMBERS = 3


def plot_merged(
    topics: pd.DataFrame,
    base: pd.DataFrame,
    words: Sequence[Sequence[str]],
    title: str | None = None,
) -> Any:
    """Draw the two tables of a merge's agreement; `words` are a few of each merged topic."""
    matplotlib()
    names = list(dict.fromkeys(base["party"]))
    if len(words) != len(topics):
        raise InputError(
            f"The words must be those of {len(topics)} topics; got {len(words)} lists."
        )
    ordered = topics.sort_values("topic").sort_values(
        "shared_by", key=lambda kinds: kinds.map(ORDER.index), kind="stable"
    )
    labels = [f"{topic}  {' '.join(words[topic])}" for topic in ordered["topic"].tolist()]
    from matplotlib.figure import Figure

    left = 0.3 + LETTER * max(map(len, labels))
    width = max(left + COLUMN * len(names) + 1.0, NARROWEST)
    height = LINE * (len(labels) + 2) + 0.75
    with style():
        figure: Any = Figure(figsize=(width, height))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, width)
        axes.set_ylim(0, height)
        top = height - 0.75
        axes.text(0.15, height - 0.2, safe(title or "Merged topics, and who has them"), fontsize=10,
                  va="center")  # fmt: skip
        across = [left + COLUMN * (number + 0.5) for number in range(len(names))]
        for middle, name in zip(across, names, strict=True):
            axes.text(middle, top + 0.12, safe(shortened(name)), ha="center", fontweight="bold")
        axes.text(width - 0.5, top + 0.12, "agreement", ha="center", color=INK)
        _draw_rows(axes, ordered, labels, (names, across), (top, width), base)
        legend = (
            "circle: the topic's share of the party's documents   ·   filled: a topic of the "
            "party's own went there (its numbers; in brackets if mainly elsewhere)"
        )
        axes.text(0.15, 0.15, legend, fontsize=6.5, color="#666666", va="center")
    return figure


def _draw_rows(
    axes: Any,
    ordered: pd.DataFrame,
    labels: Sequence[str],
    columns: tuple[list[str], list[float]],
    place: tuple[float, float],
    base: pd.DataFrame,
) -> None:
    names, across = columns
    top, width = place
    largest = max(float(ordered[names].to_numpy().max()), 1e-12)
    colours = dict(zip(ORDER, (BLUE, COLOURS[2], COLOURS[1], COLOURS[3]), strict=True))
    before = ""
    for number, (label, (_, row)) in enumerate(zip(labels, ordered.iterrows(), strict=True)):
        middle, kind = top - LINE * (number + 0.5), row["shared_by"]
        if kind != before:
            axes.plot([0.15, width - 0.15], [middle + LINE / 2] * 2, color=FAINT, linewidth=0.8)
            axes.text(width - 0.1, middle + 0.09, TITLES[kind], ha="right", fontsize=5.5,
                      color=colours[kind])  # fmt: skip
            before = kind
        axes.text(0.15, middle, safe(label), va="center", color=INK, fontsize=7)
        for name, where in zip(names, across, strict=True):
            face = colours[kind] if name in row["parties"] else "none"
            axes.scatter([where - 0.2], [middle], s=max(LARGEST * row[name] / largest, 1.5),
                         facecolors=face, edgecolors=colours[kind], linewidths=0.7)  # fmt: skip
            own = base[base["party"] == name]
            axes.text(where + 0.02, middle, _numbers(own, row["topic"]), va="center", fontsize=6.5,
                      color=INK)  # fmt: skip
        if not np.isnan(row["agreement"]):
            axes.text(width - 0.5, middle - 0.04, f"{row['agreement']:.2f}", ha="center",
                      va="center", fontsize=7, color=INK)  # fmt: skip


def _numbers(own: pd.DataFrame, topic: int) -> str:
    """The numbers of a party's topics that went to this merged one, mainly or in part."""
    listed = [str(number) for number in own.loc[own["goes_to"] == topic, "topic"]]
    if "also_in" in own:
        also = [topic in others for others in own["also_in"]]
        listed += [f"({number})" for number in own.loc[also, "topic"]]
    more = " …" if len(listed) > MOST_NUMBERS else ""
    return ", ".join(listed[:MOST_NUMBERS]) + more
