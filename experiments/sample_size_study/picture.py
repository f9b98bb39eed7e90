"""The figure: ℓ1 error against the number of documents, as in Arora's Figs. 2 to 4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chatham.plots.palette import COLOURS, FAINT
from chatham.plots.panels import MARKERS, style
from inference_study.records import Record
from sample_size_study.cases import CASES, Case
from sample_size_study.study import INFINITE, Found
from sample_size_study.ways import WAYS

COLUMNS, WIDTH, HEIGHT = 2, 3.6, 2.1
"""Panels in a row, and a panel's size in inches."""
LOOKS = {
    way: {"color": colour, "marker": marker}
    for way, colour, marker in zip(WAYS, (*COLOURS[2:5], *COLOURS[:2], COLOURS[6]), MARKERS,
                                   strict=False)
}  # fmt: skip
APART = 0.08
"""Between the lines at one size, so that their bars can be told apart."""


def plot_errors(found: Found, sizes: Sequence[int]) -> Any:
    """A panel for each case, a line for each way, bars of one standard deviation over topics."""
    from matplotlib.figure import Figure

    rows = -(-len(CASES) // COLUMNS)
    with style():
        size = WIDTH * COLUMNS + 0.3, (HEIGHT + 0.3) * rows + 0.4
        figure: Any = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(rows, COLUMNS, squeeze=False, sharey=True).ravel()
        for axes, case in zip(panels, CASES, strict=False):
            _draw(axes, found, case, sizes)
            axes.set_title(case.name)
        for axes in panels[::COLUMNS]:
            axes.set_ylabel("ℓ1 error of topics")
        for axes in panels[len(CASES) :]:
            axes.axis("off")
            axes.legend(
                *panels[0].get_legend_handles_labels(), loc="center", ncols=2, frameon=False,
                title="mean over topics, ± one standard deviation", title_fontsize=7,
            )  # fmt: skip
    return figure


def _draw(axes: Any, found: Found, case: Case, sizes: Sequence[int]) -> None:
    shown = [*sizes, INFINITE]
    for number, way in enumerate(WAYS):
        beside = APART * (number - (len(WAYS) - 1) / 2)
        known = {size: each for size in shown if (each := found.error(case, size, way))}
        # The exact co-occurrence is no size that the line could lead to.
        for part, label in (([s for s in known if s != INFINITE], way), ([INFINITE], None)):
            points = [(shown.index(s) + beside, *_mean(known[s])) for s in part if s in known]
            if points:
                _draw_line(axes, points, way, label)
    axes.axhline(found.uniform[case.kind], color="#999999", linewidth=0.8, linestyle="--", zorder=0,
                 label="uniform topics")  # fmt: skip
    axes.set_xticks(range(len(shown)), [_short(size) for size in shown])
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.set_ylim(0, 2)


def _mean(record: Record) -> tuple[float, float]:
    return record["mean"], record["deviation"]


def _draw_line(
    axes: Any, points: Sequence[tuple[float, float, float]], way: str, label: str | None
) -> None:
    across, means, bars = zip(*points, strict=True)
    axes.errorbar(
        across, means, bars, label=label, linewidth=1.2, markersize=3.5, elinewidth=0.6,
        capsize=1.5, **LOOKS[way],
    )  # fmt: skip


def _short(size: int) -> str:
    """A number of documents, in thousands where it can be.

    >>> _short(50_000), _short(200), _short(INFINITE)
    ('50k', '200', '∞')
    """
    if size == INFINITE:
        return "∞"
    return f"{size // 1000}k" if size % 1000 == 0 else str(size)
