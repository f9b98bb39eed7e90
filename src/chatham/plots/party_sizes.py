"""The figure of an audit at several party sizes: what is risked, and beside it what is gained."""

from __future__ import annotations

from typing import Any

import pandas as pd

from chatham.errors import InputError
from chatham.plots.palette import ACCENT, BLUE, INK
from chatham.plots.panels import matplotlib, safe, style

GAINS = {
    "gain_completion": "log-probability of a held-out word",
    "gain_npmi": "NPMI in the party's own documents",
    "gain_explained": "share of held-out documents explained",
}
"""What may be gained, and its unit."""


def plot_party_sizes(table: pd.DataFrame, title: str | None = None) -> Any:
    """Risk and gain against the number of documents; `table` is that of `Sizes.table()`.

    On the left how often a database with a document is put before one without it, where half is
    chance, and how many documents are recognised at 1 % false alarms; on the right the common model
    less one of the party's own.
    """
    matplotlib()
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    if table.empty:
        raise InputError("There is nothing to draw: no party size was audited.")
    gains = [name for name in GAINS if name in table]
    with style():
        figure: Any = Figure(figsize=(3.3 * (1 + len(gains)), 3.1), layout="constrained")
        panels = figure.subplots(1, 1 + len(gains), squeeze=False)[0]
        risk = panels[0]
        _draw(risk, table, "auc", ACCENT, "told apart (AUC); dashed: chance")
        _draw(risk, table, "recognised", BLUE, "recognised at 1 % false alarms")
        risk.axhline(0.5, color=INK, linewidth=0.8, linestyle="--", zorder=1)
        risk.set_ylim(-0.02, 1.02)
        risk.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
        risk.set_title("what is risked")
        risk.legend(frameon=False, fontsize=6.5, loc="best")
        for axes, name in zip(panels[1:], gains, strict=True):
            _draw(axes, table, name, BLUE, None)
            axes.axhline(0.0, color=INK, linewidth=0.8, linestyle="--", zorder=1)
            axes.set_title(f"what is gained:\n{GAINS[name]}")
        for axes in panels:
            _set_sizes(axes, table)
        figure.suptitle(safe(title or "Taking part, by the number of documents"), fontsize=9)
    return figure


def _draw(axes: Any, table: pd.DataFrame, name: str, colour: str, label: str | None) -> None:
    axes.vlines(table["documents"], table[f"{name}_low"], table[f"{name}_high"], color=colour,
                linewidth=1.6)  # fmt: skip
    axes.plot(table["documents"], table[name], "o-", color=colour, markersize=4, linewidth=0.8,
              label=label)  # fmt: skip


def _set_sizes(axes: Any, table: pd.DataFrame) -> None:
    axes.set_xscale("log")
    axes.minorticks_off()
    shares = zip(table["documents"], table["party_size"], strict=True)
    axes.set_xticks(
        list(table["documents"]), [f"{n:,}\n({100 * share:g} %)" for n, share in shares]
    )
    axes.tick_params(axis="x", labelsize=6.5)
    axes.set_xlabel("documents (share of the corpus)", fontsize=7, color=INK)
