"""The figures: uplift against party size, and the uplift of each natural party."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chatham.plots.palette import BLUE, COLOURS, FAINT, GREY, INK
from chatham.plots.panels import MARKERS, style
from inference_study.records import Record
from uplift_study.plan import NATURAL, OF_SIZES, SHUFFLED
from uplift_study.report import documents, shown
from uplift_study.tables import Uplift, grouped, having, uplifts, values
from uplift_study.ways import SVD, TOPICS

NAMES = {TOPICS: "NMF topics", SVD: "low rank by SVD"}
WIDTH, HEIGHT = 3.3, 2.9
"""Of a panel, in inches."""
STYLES = ("-", "--", ":")
APART = 1.035
"""Between two lines at one size, on the logarithmic axis, so that bars can be told apart."""
ROW = 0.42
"""The height of a party's row, in inches."""


def plot_sizes(records: Sequence[Record], rated: Sequence[Record]) -> Any:
    """Panels for topics, ratings and the SVD; bars are standard deviations over parties."""
    from matplotlib.figure import Figure

    sized = having(records, split=OF_SIZES)
    panels = [("NMF topics", having(sized, way=TOPICS))]
    panels += [("Recommender", list(rated))] if rated else []
    panels += [("Low rank by SVD", having(sized, way=SVD))]
    with style():
        figure: Any = Figure(figsize=(WIDTH * len(panels) + 0.3, HEIGHT), layout="constrained")
        axes = figure.subplots(1, len(panels), squeeze=False)[0]
        for number, (each, (title, found)) in enumerate(zip(axes, panels, strict=True)):
            each.set_title(f"({'abc'[number]}) {title}")
            _draw_sizes(each, found)
        axes[0].set_ylabel("uplift: % less error on held-out")
    return figure


def _draw_sizes(axes: Any, found: Sequence[Record]) -> None:
    corpora, numbers = values(found, "corpus"), values(found, "k")
    for place, corpus in enumerate(corpora):
        for number, k in enumerate(numbers):
            line = uplifts(found, "share", corpus=corpus, k=k)
            beside = APART ** (place * len(numbers) + number - len(corpora) * len(numbers) / 2)
            axes.errorbar(
                [share * beside for share in line], [each.mean for each in line.values()],
                [each.deviation for each in line.values()], color=COLOURS[number],
                marker=MARKERS[number], linestyle=STYLES[place], linewidth=1.2, markersize=3.5,
                elinewidth=0.6, capsize=1.5, label=f"{corpus}, k = {k}",
            )  # fmt: skip
    axes.set_xscale("log")
    shares = list(grouped(found, "share"))
    axes.set_xticks(shares, [shown(share) for share in shares])
    axes.minorticks_off()
    axes.set_xlabel("the party's share of all")
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.axhline(0, color=INK, linewidth=0.6)
    axes.legend(frameon=False, fontsize=7)


def plot_parties(records: Sequence[Record]) -> Any:
    """A row of panels for each corpus: topics and the SVD, a line for each party."""
    from matplotlib.figure import Figure

    corpora = values(having(records, split=NATURAL), "corpus")
    heights = [_parties(records, corpus) for corpus in corpora]
    with style():
        size = (2 * WIDTH + 1.6, ROW * sum(heights) + 0.75 * len(corpora) + 0.5)
        figure: Any = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(len(corpora), 2, squeeze=False, height_ratios=heights)
        for row, corpus in zip(panels, corpora, strict=True):
            for axes, way in zip(row, (TOPICS, SVD), strict=True):
                _draw_parties(axes, having(records, corpus=corpus, way=way), way == TOPICS)
                axes.set_title(f"{corpus}: {NAMES[way]}")
        handles, labels = panels[0][1].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return figure


def _parties(records: Sequence[Record], corpus: str) -> int:
    return len(grouped(having(records, corpus=corpus, split=NATURAL), "party"))


def _draw_parties(axes: Any, found: Sequence[Record], named: bool) -> None:
    natural, dealt = (having(found, split=split) for split in (NATURAL, SHUFFLED))
    names = grouped(natural, "party")
    numbers = values(natural, "k")
    for number, k in enumerate(numbers):
        below = 0.8 * ((number + 0.5) / len(numbers) - 0.5)
        places = [place + below for place in range(len(names))]
        for each, filled in ((natural, True), (dealt, False)):
            _draw_points(axes, uplifts(each, "party", k=k), places, number, k, filled)
    labels = [f"{name} ({documents(each):,.0f})" for name, each in names.items()]
    axes.set_yticks(range(len(names)), labels if named else [])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.5, -0.5)
    for place in range(1, len(names)):
        axes.axhline(place - 0.5, color=FAINT, linewidth=0.6, zorder=0)
    axes.axvline(0, color=INK, linewidth=0.6)
    axes.set_xlabel("uplift: % less error on held-out documents")


def _draw_points(
    axes: Any, line: dict[str, Uplift], places: list[float], number: int, k: int, filled: bool
) -> None:
    look = {"color": COLOURS[number], "marker": MARKERS[number], "markersize": 4}
    if not filled:
        look |= {"markerfacecolor": "white", "markeredgewidth": 0.8}
    axes.errorbar(
        [each.mean for each in line.values()], places,
        xerr=[each.deviation for each in line.values()], linestyle="none", elinewidth=0.6,
        label=f"k = {k}" if filled else f"k = {k}, shuffled", **look,
    )  # fmt: skip


def plot_small(found: Sequence[Record]) -> Any:
    """A thin line for each natural party by the documents that it is cut to, and their mean."""
    from matplotlib.figure import Figure

    with style():
        figure: Any = Figure(figsize=(2 * WIDTH + 0.3, HEIGHT), layout="constrained")
        for axes, way in zip(figure.subplots(1, 2), (TOPICS, SVD), strict=True):
            _draw_small(axes, having(found, way=way))
            axes.set_title(f"{found[0]['corpus']}: {NAMES[way]}, k = {found[0]['k']}")
    return figure


def _draw_small(axes: Any, found: Sequence[Record]) -> None:
    numbers = values(found, "documents")
    lines = [uplifts(having(found, documents=n), "party") for n in numbers]
    for number, name in enumerate(lines[0]):
        label = None if number else "one of them"
        axes.plot(numbers, [line[name].mean for line in lines], color=GREY, linewidth=0.8,
                  label=label)  # fmt: skip
    means = [sum(each.mean for each in line.values()) / len(line) for line in lines]
    axes.plot(numbers, means, color=BLUE, marker="o", linewidth=1.6, markersize=4, label="mean")
    axes.set_xscale("log")
    axes.set_xticks(numbers, [str(n) for n in numbers])
    axes.minorticks_off()
    axes.axhline(0, color=INK, linewidth=0.6)
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.set_xlabel("documents that the party learns from")
    axes.set_ylabel("uplift: % less error on held-out")
    axes.legend(frameon=False)
