"""The figures: what is left against iterations, as in the thesis, and against what crossed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chatham.plots.palette import COLOURS, FAINT
from chatham.plots.panels import style
from initialisations_study.lines import NATURAL, Case, Line, deviation
from initialisations_study.trials import LOCAL, RANDOM, SINGULAR, TWICE

WIDTH, HEIGHT = 3.4, 1.75
NARROW = 1.9
"""Panels' sizes in inches."""
LOOKS: dict[str, dict[str, Any]] = {
    RANDOM: {"color": COLOURS[4], "linestyle": ":"},
    TWICE: {"color": COLOURS[1], "linestyle": "-."},
    SINGULAR: {"color": COLOURS[2], "linestyle": "--"},
    LOCAL: {"color": COLOURS[0], "linestyle": "-"},
    NATURAL: {"color": COLOURS[3], "linestyle": "-"},
}
NAMES = {
    RANDOM: "random",
    TWICE: "random_2x (two iterations for one)",
    SINGULAR: "nndsvd (PD-SVD)",
    LOCAL: "local (PD-NMF-Init)",
    NATURAL: "local, natural parties",
}
EARLY = 0.15
"""What is above the worst mean after this share of the iterations isn't shown."""
NEAREST = 1e-4
"""Values nearer to the best one, as a share of it, are drawn there."""


def plot_iterations(cases: Sequence[Case]) -> Any:
    """A panel for each case: means, and bands of one standard deviation of the mean."""
    columns = len({case.k for case in cases})
    with style():
        figure, panels = _panels(len(cases) // columns, columns, WIDTH)
        for axes, case in zip(panels.ravel(), cases, strict=True):
            _draw_means(axes, case)
            axes.set_title(f"{case.source.name}, k = {case.k}")
        for axes in panels[:, 0]:
            axes.set_ylabel("squared error left, %")
        for axes in panels[-1]:
            axes.set_xlabel("iteration")
        _legend(figure, NAMES, 3)
    return figure


def _draw_means(axes: Any, case: Case) -> None:
    from matplotlib.ticker import MaxNLocator

    early = max(int(EARLY * case.iterations), 1) - 1
    highest, lowest = 0.0, np.inf
    for name, line in case.lines.items():
        left = 100 * line.left
        mean, spread = left.mean(axis=0), deviation(left) / np.sqrt(len(left))
        across = np.arange(1, len(mean) + 1)
        axes.plot(across, mean, linewidth=1.4, **LOOKS[name])
        colour = LOOKS[name]["color"]
        axes.fill_between(across, mean - spread, mean + spread, color=colour, alpha=0.2, lw=0)
        highest, lowest = max(highest, mean[early]), min(lowest, mean.min())
    margin = 0.08 * (highest - lowest)
    axes.set_ylim(lowest - margin, highest + margin)
    axes.set_xlim(1, case.iterations)
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))


def plot_costs(cases: Sequence[Case]) -> Any:
    """For each case two panels, against rounds and against megabytes: a line for each trial."""
    columns = len({case.k for case in cases})
    with style():
        figure, panels = _panels(len(cases) // columns, 2 * columns, NARROW)
        for number, case in enumerate(cases):
            pair = panels.reshape(-1, 2)[number]
            for name, line in case.costs.items():
                _draw_trials(pair, line, case.best, LOOKS[name])
            for axes in pair:
                axes.set_xlim(left=0)  # once all lines are there: it freezes the other end
            pair[0].set_title(f"{case.source.name}, k = {case.k}")
        for axes in panels[:, 0]:
            axes.set_ylabel("above the best, %")
        for place, axes in enumerate(panels[-1]):
            axes.set_xlabel("MB sent by a party" if place % 2 else "rounds")
        _legend(figure, {name: NAMES[name] for name in NAMES if name != TWICE}, 4)
    return figure


def _draw_trials(pair: Sequence[Any], line: Line, best: float, look: dict[str, Any]) -> None:
    from matplotlib.ticker import FuncFormatter

    above = 100 * np.maximum(line.left / best - 1.0, NEAREST)
    for axes, across in zip(pair, (line.rounds, line.bytes / 1e6), strict=True):
        for x, y in zip(across, above, strict=True):
            axes.plot(x, y, linewidth=0.9, alpha=0.75, **look)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.grid(axis="both", color=FAINT, linewidth=0.6)


def _panels(rows: int, columns: int, width: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    size = width * columns + 0.4, HEIGHT * rows + 0.6
    figure: Any = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def _legend(figure: Any, names: dict[str, str], columns: int) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], linewidth=1.4, **LOOKS[name]) for name in names]
    figure.legend(
        handles, names.values(), loc="outside lower center", ncols=columns, frameon=False,
        fontsize=8, handlelength=3,
    )  # fmt: skip
