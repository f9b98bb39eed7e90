"""The picture of a hierarchy: supertopics above, the topics they are made of below.

An edge is as wide as the topic's share of its supertopic, a circle as large as its topic is
frequent. Topics stand under the supertopic that has most of them, and have its colour. Lengths are
inches throughout, so that words have the same size however many topics there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from chatham.errors import InputError
from chatham.learners.anchor.hierarchy import LEAST_WEIGHT, Hierarchy, Lists
from chatham.model.supertopics import hierarchy_of, hierarchy_words
from chatham.model.topic_model import TopicModel
from chatham.plots.panels import COLOURS, INK, matplotlib, safe, shortened, style

Array = NDArray[np.float64]

LETTER, LINE = 0.062, 0.118
"""Width of a letter and height of a line of words."""
GAP, MARGIN, BETWEEN = 0.12, 0.25, 1.7
"""Between words side by side, around the picture, and between a level and the next."""
WIDEST = 11.0
"""Beyond this width the lowest words are put in two or three tiers."""
THINNEST, THICKEST = 0.5, 10.0
"""Points of width of the least edge, and of one that is the whole of its supertopic."""
INTO_BOX = 0.3
"""How far above a box's lower edge an edge ends: hidden behind it, however few words it has."""
ABOVE = "#777777"
"""The colour of a single supertopic over all others."""


@dataclass(frozen=True)
class Places:
    """Where everything is, level 1 first."""

    across: list[Array]
    """The middle of each topic."""
    lows: list[float]
    """The height of each level's lower edge; of level 1, that of its circles' middle."""
    tiers: int
    width: float
    height: float


def plot_hierarchy_of(
    model: TopicModel, levels: Sequence[int], *, n: int = 5, title: str | None = None
) -> Any:
    """A model's topics below their supertopics, with `n` words each."""
    tree = hierarchy_of(model, levels)
    return plot_hierarchy(tree, hierarchy_words(model, tree, n), title)


def plot_hierarchy(
    hierarchy: Hierarchy, words: Lists, title: str | None = None, least: float = LEAST_WEIGHT
) -> Any:
    """Draw the levels over each other; `words` are a few a topic, as of `hierarchy.all_words`."""
    if [len(lists) for lists in words] != hierarchy.sizes:
        raise InputError(
            f"The words must be of {hierarchy.sizes} topics, level by level, as all_words gives "
            f"them. Got {[len(lists) for lists in words]} instead."
        )
    labels = [[[shortened(word) for word in topic] for topic in lists] for lists in words]
    orders = _orders(hierarchy)
    places, colours = _places(hierarchy, labels, orders), _colours(hierarchy, orders[-1])
    matplotlib()
    with style():
        figure, axes = _canvas(places, title)
        _draw_edges(axes, places, colours, hierarchy, least)
        _draw_topics(axes, places, colours[0], hierarchy.prevalence(1), labels[0], orders[0])
        for level in range(2, len(labels) + 1):
            _draw_boxes(axes, places, level, colours, hierarchy.prevalence(level), labels)
        axes.text(MARGIN, 0.12, _legend(least), fontsize=6.5, color="#666666", va="center")
    return figure


def _legend(least: float) -> str:
    return (
        "number: the topic's   ·   circle, %: how frequent it is   ·   line: its share of the "
        f"supertopic, if at least {least:.0%} or its main one"
    )


def _orders(hierarchy: Hierarchy) -> list[NDArray[np.intp]]:
    """The topics of each level from left to right, level 1 first: those alike stand together."""
    orders = [_in_a_row(hierarchy.levels[-1].correlations)]
    for level in range(len(hierarchy.sizes), 1, -1):
        rank = np.argsort(orders[0])
        shares = hierarchy.levels[level - 2].coefficients
        mean = shares @ rank
        orders.insert(0, np.lexsort((mean, rank[hierarchy.main_parents(level)])))
    return orders


def _in_a_row(correlations: Array) -> NDArray[np.intp]:
    """An order in which those that meet often are near: by the Fiedler vector of how they meet."""
    if len(correlations) < 3:
        return np.arange(len(correlations))
    totals = np.maximum(correlations.sum(axis=1), np.finfo(float).eps)
    meet = correlations / np.sqrt(np.outer(totals, totals))
    meet = meet - np.diag(np.diagonal(meet))
    vector = np.linalg.eigh(np.diag(meet.sum(axis=1)) - meet)[1][:, 1].round(9)
    order = np.argsort(vector, kind="stable")
    return order if order[0] < order[-1] else order[::-1]


def _places(
    hierarchy: Hierarchy, labels: list[list[list[str]]], orders: list[NDArray[np.intp]]
) -> Places:
    widths = [_widest(lists) + 0.16 for lists in labels]
    size = len(labels[0])
    tiers = int(np.clip(np.ceil(size * widths[0] / WIDEST), 1, 3))
    apart = max((widths[0] + GAP) / tiers, 0.3)
    across: list[Array] = [np.argsort(orders[0]).astype(np.float64) * apart]
    for level, order in enumerate(orders[1:], start=2):
        across.append(_above(hierarchy, level, across[-1], order, widths[level - 1] + 2 * GAP))
    first = min(float(row.min()) - width / 2 for row, width in zip(across, widths, strict=True))
    last = max(float(row.max()) + width / 2 for row, width in zip(across, widths, strict=True))
    lows = [MARGIN + 0.3 + tiers * _tall(labels[0])]
    for below in [[], *labels[1:-1]]:
        lows.append(lows[-1] + BETWEEN + (_tall(below) if below else 0.0))
    height = lows[-1] + _tall(labels[-1]) + MARGIN / 2
    shifted = [row - first + MARGIN for row in across]
    return Places(shifted, lows, tiers, max(last - first + 2 * MARGIN, 6.2), height)


def _above(
    hierarchy: Hierarchy, level: int, below: Array, order: NDArray[np.intp], apart: float
) -> Array:
    """Supertopics over the middle of their own topics, as far as they have room for their words."""
    main = hierarchy.main_parents(level)
    weights = hierarchy.levels[level - 2].topics
    own = weights * (main == np.arange(len(weights))[:, None])
    own = np.where(own.sum(axis=1, keepdims=True) > 0, own, weights)
    wanted = (own @ below / own.sum(axis=1))[order]
    steps = np.arange(len(order)) * apart
    found = np.empty(len(order))
    found[order] = isotonic_regression(wanted - steps) + steps
    return found


def _colours(hierarchy: Hierarchy, top_order: NDArray[np.intp]) -> list[list[str]]:
    """A colour for each topic: its main ancestor's in the highest level that has more than one."""
    sizes = hierarchy.sizes
    highest = max((level for level, size in enumerate(sizes, 1) if size > 1), default=1)
    rank = np.argsort(top_order) if highest == len(sizes) else np.arange(sizes[highest - 1])
    colours = [[COLOURS[place % len(COLOURS)] for place in rank]]
    for level in range(highest, 1, -1):
        above = colours[0]
        colours.insert(0, [above[parent] for parent in hierarchy.main_parents(level)])
    return colours + [[ABOVE] * size for size in sizes[highest:]]


def _canvas(places: Places, title: str | None) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    room = 0.35 if title is not None else 0.0
    figure: Any = Figure(figsize=(places.width, places.height + room))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, places.width)
    axes.set_ylim(0, places.height + room)
    if title is not None:
        axes.text(MARGIN, places.height + 0.1, safe(title), fontsize=10, va="center")
    return figure, axes


def _draw_edges(
    axes: Any, places: Places, colours: list[list[str]], hierarchy: Hierarchy, least: float
) -> None:
    """Curves from supertopics down; those to another's topics are paler and lie behind."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    for edge in hierarchy.edge_list(least):
        above, below = edge.level - 1, edge.level - 2
        start = places.across[above][edge.parent], places.lows[above]
        into = INTO_BOX if below else 0.0
        end = places.across[below][edge.child], places.lows[below] + into
        middle = (start[1] + end[1]) / 2
        path = Path([start, (start[0], middle), (end[0], middle), end], [1, 4, 4, 4])
        main = hierarchy.main_parents(edge.level)[edge.child] == edge.parent
        axes.add_patch(
            PathPatch(
                path, fill=False, edgecolor=colours[above][edge.parent],
                linewidth=max(THINNEST, THICKEST * edge.weight), alpha=0.8 if main else 0.35,
                zorder=1.5 if main else 1.0, capstyle="butt",
            )
        )  # fmt: skip


def _draw_topics(
    axes: Any,
    places: Places,
    colours: list[str],
    prevalence: Array,
    labels: list[list[str]],
    order: NDArray[np.intp],
) -> None:
    """The lowest level: a circle for each topic, below it in turn on one of the tiers its number
    and its words.
    """
    low, tall = places.lows[0], _tall(labels)
    for place, topic in enumerate(order):
        middle, top = places.across[0][topic], low - 0.2 - place % places.tiers * tall
        axes.plot([middle] * 2, [low, top + 0.02], color="#CCCCCC", linewidth=0.5, zorder=0.5)
        axes.scatter([middle], [low], s=30 + 1000 * prevalence[topic], color=colours[topic],
                     edgecolors="white", linewidths=0.7, zorder=3)  # fmt: skip
        for text, high, weight in (
            (str(topic), top, "bold"), (_stacked(labels[topic]), top - LINE, "normal"),
        ):  # fmt: skip
            axes.text(middle, high, text, ha="center", va="top", fontsize=6.5, color=INK,
                      fontweight=weight,
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})  # fmt: skip


def _draw_boxes(
    axes: Any,
    places: Places,
    level: int,
    colours: list[list[str]],
    prevalence: Array,
    labels: list[list[list[str]]],
) -> None:
    """A level of supertopics: their words in boxes, with how frequent they are."""
    for topic, topic_words in enumerate(labels[level - 1]):
        middle, colour = places.across[level - 1][topic], colours[level - 1][topic]
        text = "\n".join([f"{prevalence[topic]:.0%}", _stacked(topic_words)])
        axes.text(middle, places.lows[level - 1], text, ha="center", va="bottom", fontsize=6.5,
                  color=INK, zorder=4,
                  bbox={"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": colour,
                        "linewidth": 1.4})  # fmt: skip


def _stacked(words: list[str]) -> str:
    return "\n".join(map(safe, words))


def _widest(labels: list[list[str]]) -> float:
    return LETTER * max((len(word) for words in labels for word in words), default=1)


def _tall(labels: list[list[str]]) -> float:
    """The height of a number or a share, and of the words below it."""
    return LINE * (1 + max(map(len, labels), default=1)) + 0.16
