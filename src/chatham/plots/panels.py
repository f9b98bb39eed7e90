"""The panels of which pictures are made: bars, points or lines on axes of their own."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np

from chatham.errors import InputError
from chatham.learners.words import printable

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
BLUE, ACCENT = COLOURS[:2]
GREY, INK, FAINT = "#A6BDCB", "#333333", "#DDDDDD"
MARKERS = "osD^vPX"
COLUMNS = 3
WIDTH = 3.1
"""Of a panel, in inches."""
LONGEST_NAME = 22
SPELLED = {
    "npmi": "NPMI",
    "c_v": "C_V",
    "uci": "UCI",
    "umass": "UMass",
    "expected_umass": "expected UMass",
    "ari": "adjusted Rand index",
    "ari_held_out": "adjusted Rand index, held out",
}
"""Measures that people know by another spelling."""
MOST_TICKS = 6
CLOSE = 0.2
"""Values that differ by less than this share of the largest are points instead of bars."""

NO_ZERO = "axis without 0"
"""What is said of a panel in which lengths can't be compared."""

STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#999999",
    "axes.linewidth": 0.6,
    "xtick.color": "#666666",
    "xtick.labelsize": 7,
    "xtick.labelcolor": INK,
    "ytick.color": "#666666",
    "ytick.labelcolor": INK,
    "svg.hashsalt": "chatham",
    "pdf.fonttype": 42,
}


METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
"""What is left out of a file by its ending, so that it has the same bytes every time."""


def matplotlib() -> Any:
    """Matplotlib, or a sentence that says how to get it."""
    try:
        import matplotlib
    except ImportError:
        raise InputError(
            "Pictures need Matplotlib, which isn't installed; install chatham[plot]."
        ) from None
    return matplotlib


def style() -> AbstractContextManager[None]:
    """Our sizes and colours, for as long as something is drawn."""
    context: AbstractContextManager[None] = matplotlib().rc_context(STYLE)
    return context


def grid(
    number: int, height: float, title: str | None = None, width: float = WIDTH
) -> tuple[Any, list[Any]]:
    """A figure with so many panels, row by row."""
    from matplotlib.figure import Figure

    if not number:
        raise InputError("There is nothing to draw: no measure could be taken.")
    columns = min(COLUMNS, number)
    rows = -(-number // columns)
    size = width * columns + 0.6, (height + 0.42) * rows + 0.3
    figure: Any = Figure(figsize=size, layout="constrained")
    figure.get_layout_engine().set(hspace=0.05, wspace=0.05)
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes in panels[number:]:
        axes.remove()
    if title is not None:
        figure.suptitle(safe(title), x=0.01, ha="left", fontsize=10)
    return figure, list(panels[:number])


def draw_bars(
    axes: Any,
    names: Sequence[str],
    values: Sequence[float | None],
    colours: Sequence[str],
    *,
    always_bars: bool = False,
) -> None:
    """A bar for each name from zero, or points where bars would look alike."""
    known = [float(value) for value in values if value is not None]
    points = not always_bars and _are_close(known)
    for place, (value, colour) in enumerate(zip(values, colours, strict=True)):
        if value is None:
            axes.annotate(" no value", (0, place), (0.0, place), xycoords=("axes fraction", "data"),
                          va="center", fontsize=7, color="#777777")  # fmt: skip
            continue
        if points:
            axes.axhline(place, color=FAINT, linewidth=0.8, zorder=0)
            axes.plot([value], [place], "o", color=colour, markersize=6)
        else:
            axes.barh([place], [value], height=0.7, color=colour)
        _write(axes, place, float(value), bold=colour == BLUE and GREY in colours)
    axes.set_yticks(range(len(names)), [safe(shortened(name)) for name in names])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.4, -0.6)
    if not points:
        axes.axvline(0, color=INK, linewidth=0.6)
    _fit(axes, known if points else [0.0, *known])
    if not _shows_zero(axes.get_xlim()):
        axes.set_xlabel(NO_ZERO, fontsize=6.5, color="#666666", labelpad=1)


def draw_lines(axes: Any, models: Mapping[str, tuple[str, int, float | None]]) -> None:
    """A line for each algorithm, through the means of its models of each size."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

    found: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for line, k, value in models.values():
        if value is not None:
            found[line][k].append(float(value))
    lines = sorted({line for line, _, _ in models.values()})
    for number, line in enumerate(lines):
        sizes = sorted(found[line])
        look = {
            "color": COLOURS[number % len(COLOURS)],
            "marker": MARKERS[number % len(MARKERS)],
            "linestyle": ("-", "--", ":")[number // len(COLOURS) % 3],
        }
        means = [float(np.mean(found[line][k])) for k in sizes]
        axes.plot(sizes, means, label=safe(line), linewidth=1.4, markersize=4.5, **look)
        for k in sizes:
            each = found[line][k]
            if len(each) > 1:
                axes.plot([k] * len(each), each, ".", color=look["color"], markersize=3, alpha=0.6)
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    all_sizes = sorted({k for _, k, _ in models.values()})
    few = len(all_sizes) <= MOST_TICKS
    axes.xaxis.set_major_locator(FixedLocator(all_sizes) if few else MaxNLocator(5, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: shown(value)))
    axes.margins(x=0.08, y=0.12)
    if not _shows_zero(axes.get_ylim()):
        axes.annotate(
            NO_ZERO, (1, 1), (0, 4), xycoords="axes fraction", textcoords="offset points",
            ha="right", fontsize=6.5, color="#666666",
        )  # fmt: skip


def name_panel(axes: Any, measure: str, higher: Any) -> None:
    """The measure's name over its panel, and under it which way is better."""
    axes.set_title(safe(spelled(measure)), pad=14)
    axes.annotate(
        "higher is better ↑" if higher else "lower is better ↓", (0, 1), (0, 4),
        xycoords="axes fraction", textcoords="offset points", fontsize=6.5, color="#666666",
    )  # fmt: skip


def spelled(measure: str) -> str:
    """A measure's name as people write it."""
    return SPELLED.get(measure, measure.replace("_", " "))


def shown(value: float) -> str:
    """A number in four digits at most, unless it needs more before the point.

    >>> shown(-12345.678), shown(0.123456), shown(0.0)
    ('−12,346', '0.1235', '0')
    """
    size = abs(value)
    if size < 1e-12:
        return "0"
    digits = f"{size:,.0f}" if size >= 1000 else f"{size:.4g}" if size >= 1e-3 else f"{size:.1e}"
    return ("−" if value < 0 else "") + digits


def shortened(name: str) -> str:
    """A name that fits beside a panel, its end kept, where models usually differ.

    >>> shortened("a-model-with-quite-a-long-name-k20")
    'a-model-wi…ng-name-k20'
    """
    half = LONGEST_NAME // 2
    return name if len(name) <= LONGEST_NAME else f"{name[: half - 1]}…{name[-half:]}"


def safe(text: str) -> str:
    """Text that Matplotlib takes for no formula."""
    return printable(text).replace("$", r"\$")


def without_number(name: str) -> str:
    """A model's name without the number at its end.

    >>> without_number("nmf-20"), without_number("lda_k5"), without_number("plsa")
    ('nmf', 'lda', 'plsa')
    """
    return re.sub(r"[-_ .]?k?[-_=]?\d+$", "", name) or name


def _shows_zero(limits: tuple[float, float]) -> bool:
    return min(limits) <= 0 <= max(limits)


def _are_close(values: Sequence[float]) -> bool:
    largest = max(map(abs, values), default=0.0)
    return len(values) > 1 and max(values) - min(values) < CLOSE * largest


def _write(axes: Any, place: float, value: float, bold: bool) -> None:
    """The number beside the end of its bar."""
    left = value < 0
    axes.annotate(
        shown(value), (value, place), (-6 if left else 6, 0), textcoords="offset points",
        ha="right" if left else "left", va="center_baseline", fontsize=7, color=INK,
        fontweight="bold" if bold else "normal",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
    )  # fmt: skip


def _fit(axes: Any, values: Sequence[float]) -> None:
    """Room for the numbers at the ends of bars, on whichever side they stand."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    low, high = (min(values), max(values)) if values else (0.0, 0.0)
    room = 0.34 * ((high - low) or abs(high) or 1.0)
    before = room if low < 0 else 0.15 * room * (low > 0)
    after = room if high > 0 or low == high else 0.15 * room * (high < 0)
    axes.set_xlim(low - before, high + after)
    axes.xaxis.set_major_locator(MaxNLocator(3))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: shown(value)))


def save_figure(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a figure as PNG, SVG or PDF, as the ending says."""
    place = check_ending(path)
    with style():
        figure.savefig(place, dpi=200, metadata=METADATA[place.suffix.lower()])


def check_ending(path: str | os.PathLike[str]) -> Path:
    """Refuse an ending that says no format."""
    place = Path(path)
    if place.suffix.lower() not in METADATA:
        raise InputError(
            f"'{place}' must end in {', '.join(METADATA)}, which says what picture to write."
        )
    return place
