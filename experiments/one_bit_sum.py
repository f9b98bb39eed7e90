"""The one-bit sum, by closed forms (section 3.1 of the thesis, Figs. 3.4 to 3.6).

Everybody has a bit, and the exact sum is told: ε(n) for the four δ's, an example of ten bits, and
three distances against n; beside the thesis's ε the exact one, of the hockey-stick divergence, and
beside its figures for p > ½ those that are right.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import chatham as ch
from chatham.audit.one_bit_sum import (
    DELTAS,
    OneBitSum,
    curves,
    epsilon_at_least_delta,
    epsilon_by_ratio,
    least_delta,
    ratio,
    window,
)
from chatham.plots.one_bit_sum import NAMED, plot_one_bit_sum
from chatham.plots.palette import ACCENT, BLUE, INK
from chatham.plots.panels import save_figure, style
from inference_study.markdown import listed, markdown

SIZES = (10, 30, 100, 300, 1_000, 3_000, 10_000)
DRAWN = tuple(int(n) for n in np.unique(np.geomspace(4, 20_000, 60).round()))
CHANCES = (0.5, 0.75, 0.95)
TEN = 10
PRINTED = {0.5: 0.25, 0.75: 0.30, 0.95: 0.63}
"""The distances that the thesis prints above Fig. 3.5."""
REPAIRED = ((0.75, 100, 1e-3), (0.75, 1_000, 1e-3), (0.95, 100, 1e-3), (0.95, 1_000, 1e-3))
"""Where the upper end of the window has the greater ratio: p, n and δ."""


def lower_end(n: int, p: float, delta: float) -> float:
    """The thesis's ε: |log r| at the lower end of the window alone."""
    return abs(math.log(ratio(n, window(n, p, delta)[0], p)))


def number(value: float) -> str:
    """Four digits; ∞ where there is no finite one."""
    return "∞" if math.isinf(value) else f"{value:.4g}"


def exponent(table: pd.DataFrame, column: str) -> str:
    """That of n, with which a column falls."""
    return f"{rate(table, column):.3f}".replace("-", "−")


def rate(table: pd.DataFrame, column: str) -> float:
    """The exponent with which a column falls in n, between the two largest."""
    (n0, y0), (n1, y1) = table[["n", column]].to_numpy()[-2:]
    return float(math.log(y1 / y0) / math.log(n1 / n0))


def page(table: pd.DataFrame) -> str:
    """The whole page, in Markdown."""
    parts = [
        "# The one-bit sum (Figs. 3.4 to 3.6)",
        "Written by `one_bit_sum.py`; what we make of it is in [the README](../README.md). All "
        "figures are closed forms (`chatham.audit.one_bit_sum`), none is estimated. n is the "
        "thesis's: all bits, the one in question among them.",
        "## ε(n), p = ½ (Fig. 3.4)",
        "![ε and distances](one_bit_sum.png)",
        "By ratios of masses at the ends of the window of 1 − δ, as in the thesis; and the exact "
        "least ε with that δ, by the hockey-stick divergence (∞: a sum of 0 or n is likelier than "
        "δ, which the window doesn't see).",
        _epsilons(table),
        "The exponent in n between the two largest n: "
        + "; ".join(
            f"{NAMED[name]} {exponent(table, f'ratio_{name}')} by ratios, "
            f"{exponent(table, f'exact_{name}')} exactly"
            for name in DELTAS
        )
        + ".",
        "## The least δ (eq. 3.3)",
        _least(),
        "## Ten bits (Fig. 3.5)",
        "![ten bits](one_bit_sum_ten.png)",
        _ten(),
        "## Distances, p = ½ (Fig. 3.6)",
        _distances(table),
        "## Where the thesis slips",
        listed(SLIPS),
        _repaired(),
    ]
    return "\n\n".join(parts) + "\n"


SLIPS = (
    "ε is the greater |log r| of *both* ends of the window; the thesis keeps the lower end alone, "
    "which has the greater one for p ≤ ½ only. The table shows both.",
    "The window is clipped to [1, n − 1]: beyond, r is zero or infinite. Where it is clipped, ε by "
    "ratios looks finite although no finite ε is enough: see ∞ above.",
    "Equation 3.4 asks for a mass of at least δ; 1 − δ is meant.",
    "The statistical distance is printed without its ½, and would be twice the advantage of the "
    "best adversary. Here it has it; then it equals Kolmogorov and Smirnov's distance, since the "
    "best event is a tail of the sum.",
    "The caption of Fig. 3.5 says n = 1; its distances are those of ten bits, as its text says.",
    "ε is O(1/√n), as the thesis reads off Fig. 3.4, for a constant δ alone. With δ = n⁻ᶜ the "
    "window is about √(2c log n) deviations wide, and ε falls as √(log n / n): see the exponents.",
)


def _epsilons(table: pd.DataFrame) -> str:
    rows = [
        [
            f"{int(row['n']):,}",
            *(
                f"{number(row[f'ratio_{name}'])} / {number(row[f'exact_{name}'])}"
                for name in DELTAS
            ),
        ]
        for _, row in table.iterrows()
    ]
    return markdown(["n", *(f"{NAMED[name]}: by ratios / exact" for name in DELTAS)], rows)


def _least() -> str:
    rows = [
        [f"{n:,}", f"{p:g}", number(least_delta(n, p)), number(epsilon_at_least_delta(n, p)),
         number(OneBitSum(n - 1, p).delta(math.inf))]
        for p in CHANCES
        for n in SIZES[:3]
    ]  # fmt: skip
    head = ["n", "p", "δ_min, as printed", "ε = log(p(n − 1)/q)", "least δ of any finite ε, exact"]
    return markdown(head, rows)


def _ten() -> str:
    rows = [
        [f"{p:g}", number(PRINTED[p]), number(OneBitSum(TEN - 1, p).kolmogorov_smirnov)]
        for p in CHANCES
    ]
    return markdown(["p", "KS, as printed", "KS"], rows)


def _distances(table: pd.DataFrame) -> str:
    names = ["kolmogorov_smirnov", "statistical_distance", "squared_deviation"]
    rows = [
        [f"{int(row['n']):,}", *(number(row[name]) for name in names)]
        for _, row in table.iterrows()
    ]
    rows.append(["exponent in n", *(exponent(table, name) for name in names)])
    return markdown(["n", "KS", "statistical distance", "ISD"], rows)


def _repaired() -> str:
    rows = [
        [f"{p:g}", f"{n:,}", number(delta), number(lower_end(n, p, delta)),
         number(epsilon_by_ratio(n, p, delta)), number(OneBitSum(n - 1, p).epsilon(delta))]
        for p, n, delta in REPAIRED
    ]  # fmt: skip
    return markdown(["p", "n", "δ", "lower end alone", "both ends", "exact"], rows)


def plot_ten() -> Any:
    """Fig. 3.5: both distribution functions, and where they are farthest apart."""
    from matplotlib.figure import Figure

    with style():
        figure: Any = Figure(figsize=(7.4, 2.4), layout="constrained")
        for axes, p in zip(figure.subplots(1, len(CHANCES), sharey=True), CHANCES, strict=True):
            one_bit = OneBitSum(TEN - 1, p)
            without, with_it = np.cumsum(one_bit.absent), np.cumsum(one_bit.present)
            sums = np.arange(len(without))
            axes.step(sums, without, where="post", color=BLUE, label="without the bit")
            axes.step(sums, with_it, where="post", color=ACCENT, label="with the bit")
            at = int(np.argmax(without - with_it))
            axes.vlines(at + 0.5, with_it[at], without[at], color=INK, linestyle="--", label="KS")
            axes.set_title(f"p = {p:g}, KS = {one_bit.kolmogorov_smirnov:.3f}")
            axes.set_xlabel("sum", fontsize=7)
        figure.axes[0].legend(frameon=False, fontsize=7)
    return figure


def run(output: Path | None) -> int:
    """Compute everything, and write the page and its figures."""
    began = time.perf_counter()
    written = page(curves(SIZES))
    if output is None:
        print(written, end="")
        return 0
    output.mkdir(parents=True, exist_ok=True)
    drawn = plot_one_bit_sum(curves(DRAWN), "The one-bit sum, p = ½")
    save_figure(drawn, output / "one_bit_sum.png")
    save_figure(plot_ten(), output / "one_bit_sum_ten.png")
    taken = f"\nIt took {time.perf_counter() - began:.0f} s.\n"
    (output / "one_bit_sum.md").write_text(written + taken, encoding="utf-8")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, or print it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, metavar="FOLDER",
                        help="for one_bit_sum.md and figures; printed if not given")  # fmt: skip
    try:
        return run(parser.parse_args(arguments).output)
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
