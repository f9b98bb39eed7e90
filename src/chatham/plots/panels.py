"""The panels that figures are made of: bars, points or lines, each on its own axes."""

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
from chatham.extras import how_to_install
from chatham.learners.words import printable
from chatham.plots.palette import BLUE, COLOURS, EMPTY, FAINT, GREY, INK, SHADES

MARKERS = "osD^vPX"
COLUMNS = 3
WIDTH = 3.1
"""A panel's width in inches."""
LONGEST_NAME = 22
SPELLED = {
    "npmi": "NPMI",
    "c_v": "C_V",
    "uci": "UCI",
    "umass": "UMass",
    "expected_umass": "expected UMass",
    "nmi": "NMI",
    "nmi_held_out": "NMI, held out",
    "hard_ari": "adjusted Rand index",
    "hard_ari_held_out": "adjusted Rand index, held out",
    "ari": "soft adjusted Rand index",
    "ari_held_out": "soft adjusted Rand index, held out",
}
"""Measures that people know by another spelling."""
MOST_TICKS = 6
CLOSE = 0.2
"""Values that differ by less than this share of the largest are points instead of bars."""

NO_ZERO = "axis without 0"
"""The label of a panel in which lengths can't be compared."""

STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "figure.titleweight": "bold",
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
"""What each kind of file must not record, so that it has the same bytes every time."""


def matplotlib() -> Any:
    """Matplotlib, or an error that says how to install it."""
    try:
        import matplotlib
    except ImportError:
        raise InputError(
            f"Figures need Matplotlib, which isn't installed: {how_to_install('plot')}"
        ) from None
    return matplotlib


def style() -> AbstractContextManager[None]:
    """Our sizes and colours, while something is drawn."""
    context: AbstractContextManager[None] = matplotlib().rc_context(STYLE)
    return context


def shades(colours: Sequence[str] = SHADES) -> Any:
    """Colours between these, for cells of a matrix."""
    matplotlib()
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("chatham", colours).with_extremes(bad=EMPTY)


def grid(
    number: int, height: float, title: str | None = None, width: float = WIDTH
) -> tuple[Any, list[Any]]:
    """A figure and its `number` panels, row by row."""
    from matplotlib.figure import Figure

    if not number:
        raise InputError("There is nothing to draw: no measure could be computed.")
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
    """A bar from zero for each name, or points where bars would look the same."""
    known = [float(value) for value in values if value is not None]
    points = not always_bars and _are_close(known)
    for row, (value, colour) in enumerate(zip(values, colours, strict=True)):
        if value is None:
            axes.annotate(" no value", (0, row), (0.0, row), xycoords=("axes fraction", "data"),
                          va="center", fontsize=7, color="#777777")  # fmt: skip
            continue
        if points:
            axes.axhline(row, color=FAINT, linewidth=0.8, zorder=0)
            axes.plot([value], [row], "o", color=colour, markersize=6)
        else:
            axes.barh([row], [value], height=0.7, color=colour)
        _write_value(axes, row, float(value), bold=colour == BLUE and GREY in colours)
    axes.set_yticks(range(len(names)), [safe(shortened(name)) for name in names])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.4, -0.6)
    if not points:
        axes.axvline(0, color=INK, linewidth=0.6)
    _fit(axes, known if points else [0.0, *known])
    if not _shows_zero(axes.get_xlim()):
        axes.set_xlabel(NO_ZERO, fontsize=6.5, color="#666666", labelpad=1)


def draw_lines(axes: Any, models: Mapping[str, tuple[str, int, float | None]]) -> None:
    """A line for each algorithm, through the mean of its models at each number of topics."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

    values: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for line, k, value in models.values():
        if value is not None:
            values[line][k].append(float(value))
    lines = sorted({line for line, _, _ in models.values()})
    for number, line in enumerate(lines):
        sizes = sorted(values[line])
        look = {
            "color": COLOURS[number % len(COLOURS)],
            "marker": MARKERS[number % len(MARKERS)],
            "linestyle": ("-", "--", ":")[number // len(COLOURS) % 3],
        }
        means = [float(np.mean(values[line][k])) for k in sizes]
        axes.plot(sizes, means, label=safe(line), linewidth=1.4, markersize=4.5, **look)
        for k in sizes:
            repeats = values[line][k]
            if len(repeats) > 1:
                axes.plot(
                    [k] * len(repeats), repeats, ".", color=look["color"], markersize=3, alpha=0.6
                )
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
    """The measure's name above its panel, and below the name which way is better."""
    axes.set_title(safe(spelled(measure)), pad=14)
    axes.annotate(
        "higher is better ↑" if higher else "lower is better ↓", (0, 1), (0, 4),
        xycoords="axes fraction", textcoords="offset points", fontsize=6.5, color="#666666",
    )  # fmt: skip


def spelled(measure: str) -> str:
    """A measure's name as people write it."""
    return SPELLED.get(measure, measure.replace("_", " "))


def shown(value: float) -> str:
    """A number with at most four digits, unless it needs more before the point.

    >>> shown(-12345.678), shown(0.123456), shown(0.0)
    ('−12,346', '0.1235', '0')
    """
    size = abs(value)
    if size < 1e-12:
        return "0"
    digits = f"{size:,.0f}" if size >= 1000 else f"{size:.4g}" if size >= 1e-3 else f"{size:.1e}"
    return ("−" if value < 0 else "") + digits


def shortened(name: str) -> str:
    """A name that fits beside a panel; its end is kept, since models usually differ there.

    >>> shortened("a-model-with-quite-a-long-name-k20")
    'a-model-wi…ng-name-k20'
    """
    half = LONGEST_NAME // 2
    return name if len(name) <= LONGEST_NAME else f"{name[: half - 1]}…{name[-half:]}"


def safe(text: str) -> str:
    """Text that Matplotlib doesn't mistake for a formula."""
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


def _write_value(axes: Any, row: float, value: float, bold: bool) -> None:
    """The number beside the end of its bar."""
    left = value < 0
    axes.annotate(
        shown(value), (value, row), (-6 if left else 6, 0), textcoords="offset points",
        ha="right" if left else "left", va="center_baseline", fontsize=7, color=INK,
        fontweight="bold" if bold else "normal",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
    )  # fmt: skip


def _fit(axes: Any, values: Sequence[float]) -> None:
    """Leave room for the numbers at the ends of bars, whichever side they are on."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    low, high = (min(values), max(values)) if values else (0.0, 0.0)
    room = 0.34 * ((high - low) or abs(high) or 1.0)
    before = room if low < 0 else 0.15 * room * (low > 0)
    after = room if high > 0 or low == high else 0.15 * room * (high < 0)
    axes.set_xlim(low - before, high + after)
    axes.xaxis.set_major_locator(MaxNLocator(3))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: shown(value)))


def save_figure(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a figure as PNG, SVG or PDF, depending on the file's extension."""
    file = check_ending(path)
    with style():
        figure.savefig(file, dpi=200, metadata=METADATA[file.suffix.lower()])


def check_ending(path: str | os.PathLike[str]) -> Path:
    """Refuse an extension that is no format of figures."""
    file = Path(path)
    if file.suffix.lower() not in METADATA:
        raise InputError(
            f"'{file}' must end in one of {', '.join(METADATA)}, the formats of figures."
        )
    return file
