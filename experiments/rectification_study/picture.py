"""The figure of a corpus: a panel for each measure, a line for each method, log K across."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chatham.plots.palette import COLOURS, FAINT
from chatham.plots.panels import MARKERS, grid, shown, style
from rectification_study.plan import AP, AP_EARLY, AP_EG, BASELINE, CURVES, DC, GIBBS, SHOWN
from rectification_study.scores import ROWS, Row
from rectification_study.study import Record
from rectification_study.tables import Curve, curve

LOOKS: dict[str, dict[str, Any]] = {
    BASELINE: {"color": COLOURS[1], "marker": MARKERS[0]},
    DC: {"color": COLOURS[4], "marker": MARKERS[3]},
    # Two methods with one minimum: the first is drawn as rings around the points of the other.
    AP_EG: {"color": COLOURS[5], "marker": "o", "markersize": 8, "markerfacecolor": "none"},
    AP_EARLY: {"color": COLOURS[3], "marker": MARKERS[4], "linestyle": "--"},
    AP: {"color": COLOURS[0], "marker": MARKERS[1]},
    GIBBS: {"color": COLOURS[6], "marker": MARKERS[2], "linestyle": ":"},
}


def plot_measures(records: Sequence[Record], corpus: str, anchor_df: float) -> Any:
    """All measures of one corpus."""
    with style():
        figure, panels = grid(len(ROWS), 1.75, f"{corpus}: factors of the co-occurrence matrix")
        for axes, row in zip(panels, ROWS, strict=True):
            lines = {name: curve(records, corpus, name, row.name, anchor_df) for name in CURVES}
            _draw(axes, row, lines)
        handles, labels = panels[1].get_legend_handles_labels()
        figure.legend(handles, labels, loc="center", bbox_to_anchor=(0.68, 0.12), ncols=2,
                      frameon=False)  # fmt: skip
    return figure


def _draw(axes: Any, row: Row, lines: dict[str, Curve]) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

    for name, line in lines.items():
        if line:
            sizes = sorted(line)
            look = {"markersize": 4, "linewidth": 1.2, **LOOKS[name]}
            axes.plot(sizes, [line[k] for k in sizes], label=SHOWN[name], **look)
    axes.set_xscale("log")
    sizes = sorted({k for line in lines.values() for k in line})
    axes.xaxis.set_major_locator(FixedLocator(_apart(sizes)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}"))
    axes.set_xlabel("topics")
    if row.logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: shown(value)))
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.set_title(row.name, pad=14)
    axes.annotate(
        f"{row.better} is better" + (", log scale" if row.logarithmic else ""), (0, 1), (0, 4),
        xycoords="axes fraction", textcoords="offset points", fontsize=6.5, color="#666666",
    )  # fmt: skip


def _apart(sizes: Sequence[int]) -> list[int]:
    """Those whose labels have room beside the last one before."""
    kept: list[int] = []
    for size in sizes:
        if not kept or size >= 1.3 * kept[-1]:
            kept.append(size)
    return kept
