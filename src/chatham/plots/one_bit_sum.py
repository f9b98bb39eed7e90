"""The figure of the one-bit sum (thesis, Figs. 3.4 and 3.6): how its leak falls with the bits.

ε(n) for the four δ's, by ratios of masses and exactly; and the distances of Kolmogorov and Smirnov,
in total variation, and squared.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from chatham.errors import InputError
from chatham.naming import listed, plural
from chatham.plots.palette import COLOURS, FAINT
from chatham.plots.panels import MARKERS, matplotlib, safe, style

RATIO, EXACT = "ratio_", "exact_"
"""How columns of ε begin; the rest is the name of their δ."""
NAMED = {"constant": "δ = 0.001", "linear": "δ = 1/n", "quadratic": "δ = 1/n²", "cubic": "δ = 1/n³"}
DISTANCES = {
    "kolmogorov_smirnov": "Kolmogorov–Smirnov",
    "statistical_distance": "statistical distance",
    "squared_deviation": "integrated squared deviation",
}


def plot_one_bit_sum(table: pd.DataFrame, title: str | None = None) -> Any:
    """ε and distances of the one-bit sum against the number of bits.

    `table` is that of `chatham.audit.one_bit_sum.curves`. Where no finite ε has its δ there is no
    point.
    """
    matplotlib()
    from matplotlib.figure import Figure

    wanted = ["n", *DISTANCES]
    lacking = [name for name in wanted if name not in table.columns]
    if lacking or table.empty:
        raise InputError(
            "The table of the one-bit sum must have a row at least, and "
            f"the columns {listed(wanted)}; it has {plural(len(table), 'row')}"
            + (f" and lacks {listed(lacking)}." if lacking else ".")
        )
    with style():
        figure: Any = Figure(figsize=(7.4, 3.4), layout="constrained")
        left, right = figure.subplots(1, 2)
        _draw_epsilons(left, table)
        _draw_distances(right, table)
        for axes in (left, right):
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlabel("bits that are added up, n", fontsize=7)
            axes.grid(color=FAINT, linewidth=0.6)
            axes.legend(frameon=False, fontsize=6.5)
        if title is not None:
            figure.suptitle(safe(title), x=0.01, ha="left", fontsize=10)
    return figure


def _draw_epsilons(axes: Any, table: pd.DataFrame) -> None:
    names = [c.removeprefix(RATIO) for c in table.columns if c.startswith(RATIO)]
    for number, name in enumerate(names):
        look = {"color": COLOURS[number % len(COLOURS)], "linewidth": 1.2}
        shown = NAMED.get(name, safe(name))
        axes.plot(table["n"], _finite(table[RATIO + name]), label=f"{shown}, by ratios", **look)
        axes.plot(table["n"], _finite(table[EXACT + name]), "--", label=f"{shown}, exact", **look)
    axes.set_title("ε, the thesis's and the least that is enough")


def _draw_distances(axes: Any, table: pd.DataFrame) -> None:
    for number, (column, shown) in enumerate(DISTANCES.items()):
        # Two of them are equal; the dashes show both.
        line = "--" if column == "statistical_distance" else "-"
        axes.plot(
            table["n"], table[column], line, color=COLOURS[number], label=shown, linewidth=1.4,
            marker=MARKERS[number], markersize=2.5,
        )  # fmt: skip
    axes.set_title("distances of the sums with the bit and without it")


def _finite(values: pd.Series[Any]) -> Any:
    """What a logarithmic axis can show."""
    column = values.to_numpy(float)
    return np.where(np.isfinite(column) & (column > 0), column, np.nan)
