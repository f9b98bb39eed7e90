"""The figure: measures against the number of topics, as in Lee's Figs. 1.4 to 1.9."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chatham.plots.palette import COLOURS, FAINT
from chatham.plots.panels import MARKERS, style
from hulls_study.anchors import GREEDY, METHODS, PCA, PCA_OF_C, TSNE, TSNE_OF_C
from hulls_study.scores import ROWS
from hulls_study.study import Found

WIDTH, HEIGHT = 1.95, 1.5
"""Of a panel, in inches."""
LOOKS = {
    TSNE: {"color": COLOURS[0], "marker": MARKERS[0]},
    PCA: {"color": COLOURS[1], "marker": MARKERS[1]},
    TSNE_OF_C: {"color": COLOURS[5], "marker": MARKERS[0], "linestyle": "--"},
    PCA_OF_C: {"color": COLOURS[4], "marker": MARKERS[1], "linestyle": "--"},
    GREEDY: {"color": COLOURS[2], "marker": MARKERS[2]},
}


def plot_measures(found: Mapping[str, Found]) -> Any:
    """A row of panels for each measure, a panel for each corpus, a line for each method."""
    from matplotlib.figure import Figure

    with style():
        size = WIDTH * len(found) + 0.9, HEIGHT * len(ROWS) + 0.5
        figure: Any = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(len(ROWS), len(found), squeeze=False, sharex="col")
        for line, row in zip(panels, ROWS, strict=True):
            for axes, models in zip(line, found.values(), strict=True):
                _draw(axes, models, row.key)
            line[0].set_ylabel(f"{row.name} {'↑' if row.higher else '↓'}", fontsize=7)
        for axes, name in zip(panels[0], found, strict=True):
            axes.set_title(name)
        for axes in panels[-1]:
            axes.set_xlabel("topics")
        figure.legend(
            *panels[0][0].get_legend_handles_labels(), loc="outside lower center",
            ncols=len(METHODS), frameon=False, fontsize=8,
        )  # fmt: skip
    return figure


def _draw(axes: Any, found: Found, key: str) -> None:
    from matplotlib.ticker import MaxNLocator

    for method in METHODS:
        points = [(m["k"], m[key]) for m in found.models if m["method"] == method]
        axes.plot(
            *zip(*points, strict=True), label=method, linewidth=1.2, markersize=3, **LOOKS[method]
        )
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(4))
