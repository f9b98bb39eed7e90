"""The figures: measures against K as in Lee's Figs. 4.3 and 4.4; completion on real documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chatham.plots.palette import COLOURS, FAINT
from chatham.plots.panels import MARKERS, style
from inference_study.records import Record
from inference_study.scores import HIGHER, SHOWN
from inference_study.study import TRUE_A
from inference_study.tables import REFERENCE, completion_gaps, curve
from inference_study.ways import SHOWN as WAYS_SHOWN
from inference_study.ways import WAYS

PANEL = 1.6
"""Of a panel, in inches."""
LOOKS = {
    way: {"color": colour, "marker": marker}
    for way, colour, marker in zip(WAYS, (*COLOURS[6:], *COLOURS[1:6], COLOURS[0]), MARKERS,
                                   strict=True)
}  # fmt: skip
"""Each way's, in every figure."""


def plot_measures(records: Sequence[Record], case: str, measures: Sequence[str]) -> Any:
    """A row of panels for each corpus, a panel for each measure, a line for each way."""
    from matplotlib.figure import Figure

    corpora = list(dict.fromkeys(record["corpus"] for record in records))
    with style():
        size = PANEL * len(measures) + 0.4, (PANEL + 0.25) * len(corpora) + 0.5
        figure: Any = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(len(corpora), len(measures), squeeze=False)
        for row, corpus in zip(panels, corpora, strict=True):
            for axes, measure in zip(row, measures, strict=True):
                _draw_curves(axes, records, case, corpus, measure)
            row[0].set_ylabel(corpus, fontweight="bold")
        for axes, measure in zip(panels[0], measures, strict=True):
            axes.set_title(f"{SHOWN[measure]} {'↑' if measure in HIGHER else '↓'}")
        for axes in panels[-1]:
            axes.set_xlabel("K")
        _add_legend(figure, panels[0][0])
    return figure


def _draw_curves(
    axes: Any, records: Sequence[Record], case: str, corpus: str, measure: str
) -> None:
    from matplotlib.ticker import MaxNLocator

    for shown_case, dashes in ((case, "-"), (case + TRUE_A, "--")):
        for way in WAYS:
            sizes, values = curve(records, shown_case, corpus, way, measure)
            if sizes:
                name = WAYS_SHOWN[way] + shown_case.removeprefix(case)
                axes.plot(
                    sizes, values, label=name, linestyle=dashes, linewidth=1.2, markersize=3.2,
                    **LOOKS[way],
                )  # fmt: skip
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.set_ylim(bottom=0)


def _add_legend(figure: Any, axes: Any) -> None:
    handles, names = axes.get_legend_handles_labels()
    figure.legend(
        handles, names, loc="outside lower center", ncols=len(names), frameon=False, fontsize=8
    )


def plot_completion(records: Sequence[Record]) -> Any:
    """How many nats a token each way loses against the posterior, refined and not."""
    from matplotlib.figure import Figure

    gaps = completion_gaps(records)
    with style():
        rows = max(len(gaps[refine]) for refine in gaps)
        figure: Any = Figure(figsize=(4.0 * len(gaps), 0.26 * rows + 1.1), layout="constrained")
        panels = figure.subplots(1, len(gaps), squeeze=False)[0]
        for axes, (refine, by_cell) in zip(panels, gaps.items(), strict=True):
            _draw_gaps(axes, by_cell)
            axes.set_title(f"refine={refine}")
            axes.set_xlabel(f"nats a token below the {REFERENCE}")
        _add_legend(figure, panels[0])
    return figure


def _draw_gaps(axes: Any, by_cell: dict[str, dict[str, float]]) -> None:
    for way in WAYS:
        points = [(gaps[way], row) for row, gaps in enumerate(by_cell.values()) if way in gaps]
        if points:
            axes.plot(
                *zip(*points, strict=True), linestyle="", markersize=5, label=WAYS_SHOWN[way],
                **LOOKS[way],
            )  # fmt: skip
    axes.axvline(0, color="#999999", linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(by_cell)), list(by_cell))
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.invert_yaxis()
