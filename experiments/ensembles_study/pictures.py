"""The figures: perplexity and time by topics and by parties; accuracy, pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chatham.plots.palette import COLOURS, FAINT, INK
from chatham.plots.panels import style
from ensembles_study.report import (
    FOLDED,
    HIDDEN,
    MEASURES,
    OF,
    WAYS,
    Group,
    _took,
    by_parties,
    by_topics,
)
from ensembles_study.study import WORDS, Plan
from inference_study.records import Record

WIDTH, HEIGHT = 2.7, 1.7
LOOKS: dict[str, dict[str, Any]] = {
    way: {"color": colour, "linestyle": "-" if way not in OF else "--", "marker": mark,
          "markersize": 3.5, "linewidth": 1.2}
    for way, colour, mark in zip(WAYS, COLOURS, "osD^v", strict=False)
}  # fmt: skip
TIME = "seconds (parallel)"


def plot_scores(found: Sequence[Record], plan: Plan) -> Any:
    """A column for each corpus: both perplexities and time by T, then by C (Figs. 6 and 7)."""
    topics, parties = by_topics(found, plan), by_parties(found, plan)
    corpora = list(dict.fromkeys(group.corpus for group in topics))
    halves: list[tuple[str, list[Group], Callable[[Group], int]]] = [
        ("T", topics, lambda group: group.k),
        ("C", parties, lambda group: group.parties),
    ]
    with style():
        figure, panels = _panels(6, len(corpora))
        for half, (name, cases, across) in enumerate(halves):
            for place, measure in enumerate((HIDDEN, FOLDED, TIME)):
                for axes, corpus in zip(panels[3 * half + place], corpora, strict=True):
                    mine = [group for group in cases if group.corpus == corpus]
                    _draw(axes, mine, measure, across)
                    axes.set_title(corpus)
                    axes.set_xlabel(name)
                label = MEASURES.get(measure, measure)
                panels[3 * half + place, 0].set_ylabel(label.replace(", ", ",\n"), fontsize=7)
        _legend(figure, panels[0, 0])
    return figure


def _draw(axes: Any, cases: Sequence[Group], measure: str, across: Callable[[Group], int]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator

    cases = sorted(cases, key=across)
    for way, look in LOOKS.items():
        values = np.array([_values(group, way, measure) for group in cases])
        low, high = values.mean(axis=1) - values.min(axis=1), values.max(axis=1)
        axes.errorbar(
            [across(group) for group in cases], values.mean(axis=1),
            yerr=[low, high - values.mean(axis=1)], label=way, capsize=2, elinewidth=0.8, **look,
        )  # fmt: skip
    axes.set_xticks([across(group) for group in cases])
    axes.set_yscale("log")
    for place in (axes.yaxis.set_major_locator, axes.yaxis.set_minor_locator):
        place(LogLocator(subs=(1, 2, 5)))
    for write in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
        write(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.grid(axis="y", color=FAINT, linewidth=0.6)


def _values(group: Group, way: str, measure: str) -> list[float]:
    if measure != TIME:
        return group.values(way, measure)
    models = [group.model(record, way) for record in group.records]
    return [_took(each, False) if way in OF else each["seconds"] for each in models]


def plot_classes(found: Sequence[Record], plan: Plan) -> Any:
    """Accuracy of each pair, pairs in the order of the bag of words' (Fig. 8)."""
    from matplotlib.ticker import MaxNLocator

    whole = [each for each in found if "accuracy" in each]
    corpora = list(dict.fromkeys(each["corpus"] for each in whole))
    numbers = [plan.parties, *plan.more[:1]]
    with style():
        figure, panels = _panels(len(numbers), len(corpora))
        for row, number in zip(panels, numbers, strict=True):
            for axes, corpus in zip(row, corpora, strict=True):
                mine = [each["accuracy"] for each in whole if each["corpus"] == corpus]
                words = np.mean([each[WORDS] for each in mine], axis=0)
                order = np.argsort(words, kind="stable")
                for way, look in LOOKS.items():
                    space = f"{way}, C = {number}" if way in OF else way
                    values = 100 * np.mean([each[space] for each in mine], axis=0)[order]
                    axes.plot(values, label=way, linestyle="none", alpha=0.7,
                              **{key: look[key] for key in ("color", "marker")},
                              markersize=2)  # fmt: skip
                axes.plot(100 * words[order], color=INK, linewidth=1.3, label=WORDS)
                axes.set_title(f"{corpus}, C = {number}")
                axes.set_xlabel("pairs of classes")
                axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
                axes.grid(axis="y", color=FAINT, linewidth=0.6)
            row[0].set_ylabel("accuracy, %")
        _legend(figure, panels[0, 0])
    return figure


def _panels(rows: int, columns: int) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    size = WIDTH * columns + 0.5, HEIGHT * rows + 0.5
    figure: Any = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def _legend(figure: Any, axes: Any) -> None:
    handles, names = axes.get_legend_handles_labels()
    columns = 6 if figure.get_figwidth() > 2 * WIDTH else 2
    figure.legend(
        handles, names, loc="outside lower center", ncols=columns, frameon=False, fontsize=7
    )
