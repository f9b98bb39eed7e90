"""The figure: completion against the number of sums for each corpus, and NPMI below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chatham.plots.palette import ACCENT, BLUE, COLOURS, FAINT
from chatham.plots.panels import style
from inference_study.records import Record
from refinement_study.tables import (
    FROM_START,
    GIBBS,
    SPECTRAL,
    Table,
    main_table,
    refined,
    sums_of,
)  # fmt: skip
from refinement_study.ways import Usual

GREEN = COLOURS[2]
COLUMNS = 4
LOOKS = {
    "anchor words, then 5 to 40 sweeps": {"color": BLUE, "marker": "o"},
    "Gibbs from a random start": {"color": ACCENT, "marker": "s"},
    "Gibbs from anchor words": {"color": GREEN, "marker": "^"},
}


def lines_of(usual: Usual) -> dict[str, list[str]]:
    """The columns that each line goes through."""
    columns = (
        [refined(sweeps) for sweeps in (0, *usual.sweeps)],
        [f"{GIBBS} {sweeps:,}" for sweeps in usual.gibbs],
        [f"{FROM_START} {sweeps:,}" for sweeps in usual.from_start],
    )
    return dict(zip(LOOKS, columns, strict=True))


def plot_refinement(usual: Usual, records: Sequence[Record]) -> Any:
    """A panel for each corpus (the largest K), and one for NPMI over all of them."""
    from matplotlib.figure import Figure

    table = main_table(records)
    largest = max(k for _, k in table)
    table = {row: columns for row, columns in table.items() if row[1] == largest}
    rows = -(-len(table) // COLUMNS)
    with style():
        height = 2.1 * rows + 0.28 * len(table) + 1.6
        figure: Any = Figure(figsize=(10.2, height), layout="constrained")
        above, below = figure.subfigures(
            2, 1, height_ratios=[2.1 * rows + 0.4, 0.28 * len(table) + 1.0]
        )
        _draw_corpora(above, table, usual, rows)
        _draw_npmi(below.subplots(1, 1), table, usual)
    return figure


def _draw_corpora(figure: Any, table: Table, usual: Usual, rows: int) -> None:
    panels = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
    for axes in panels[len(table) :]:
        axes.remove()
    for axes, ((corpus, k), columns) in zip(panels, table.items(), strict=False):
        for name, wanted in lines_of(usual).items():
            _draw_line(axes, [columns[c] for c in wanted if c in columns], name)
        axes.set_title(f"{corpus}, K = {k}")
        _scale_axes(axes, columns)
    for axes in panels[: len(table)][-COLUMNS:]:
        axes.set_xlabel("sums over all documents")
    figure.supylabel("log-probability of an unseen token", fontsize=8)
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=len(names), frameon=False)


def _scale_axes(axes: Any, columns: dict[str, Record]) -> None:
    """Sums by ratio; the unrefined start may lie far below, and is then told, not shown."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(color=FAINT, linewidth=0.6)
    others = [of["completion"] for column, of in columns.items() if column != SPECTRAL]
    start, room = columns[SPECTRAL]["completion"], 0.12 * (max(others) - min(others))
    axes.set_ylim(min(others) - 2 * room, max(others) + room)
    if start < min(others) - 2 * room:
        axes.text(
            0.97, 0.03, f"anchor words alone: {start:.2f}".replace("-", "−"), fontsize=6.5,
            transform=axes.transAxes, ha="right", color=BLUE,
        )  # fmt: skip


def _draw_line(axes: Any, records: Sequence[Record], name: str) -> None:
    if records:
        points = [(sums_of(record), record["completion"]) for record in records]
        axes.plot(*zip(*points, strict=True), label=name, linewidth=1.2, markersize=4,
                  **LOOKS[name])  # fmt: skip
        axes.annotate(
            f"{records[-1]['sweeps']:,}", points[-1], (3, -2), textcoords="offset points",
            fontsize=6.5, color=LOOKS[name]["color"], va="top",
        )  # fmt: skip


def _draw_npmi(axes: Any, table: Table, usual: Usual) -> None:
    shown = {
        SPECTRAL: {"color": BLUE, "marker": "o", "markerfacecolor": "white"},
        refined(usual.middle): {"color": BLUE, "marker": "o"},
        f"{GIBBS} {usual.usual_gibbs:,}": {"color": ACCENT, "marker": "s"},
        f"{FROM_START} {usual.from_start[-1]:,}": {"color": GREEN, "marker": "^"},
    }
    for column, look in shown.items():
        points = [
            (columns[column]["npmi"], place)
            for place, columns in enumerate(table.values())
            if column in columns
        ]
        if points:
            axes.plot(*zip(*points, strict=True), linestyle="", markersize=5.5, label=column,
                      **look)  # fmt: skip
    axes.set_yticks(range(len(table)), [corpus for corpus, _ in table])
    axes.set_title("NPMI of the ten first words of each topic (mean over topics)")
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.invert_yaxis()
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
