"""The figure of a hierarchy: supertopics above, the topics they are made of below.

An edge's width shows a topic's share of its supertopic, a circle's area the topic's prevalence.
Topics stand under the supertopic that has most of them, and have its colour. Lengths are in inches
throughout, so that words have the same size however many topics there are.
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
from chatham.looking.topics import Topics, topics_of
from chatham.model.supertopics import hierarchy_of, hierarchy_words
from chatham.model.topic_model import TopicModel
from chatham.naming import plural
from chatham.plots.captions import counted, label
from chatham.plots.interactive import caption, figure, literal, pale, plotly
from chatham.plots.palette import COLOURS, INK
from chatham.plots.panels import matplotlib, safe, shortened, style
from chatham.plots.picture import Picture

Array = NDArray[np.float64]

LETTER, LINE = 0.062, 0.118
"""Width of a letter and height of a line of words."""
GAP, MARGIN, BETWEEN = 0.12, 0.25, 1.7
"""Between words side by side, around the figure, and between a level and the next."""
WIDEST = 11.0
"""Beyond this width the lowest words are put in two or three tiers."""
THINNEST, THICKEST = 0.5, 10.0
"""Width in points of the thinnest edge, and of one that is the whole of its supertopic."""
INTO_BOX = 0.3
"""How far above a box's lower side an edge ends: hidden behind the box, however few its words."""
ABOVE = "#777777"
"""The colour of a single supertopic above all others."""


@dataclass(frozen=True)
class Layout:
    """Where everything is drawn, level 1 first."""

    across: list[Array]
    """The middle of each topic."""
    lows: list[float]
    """The height of each level's lower side; of level 1, that of its circles' centres."""
    tiers: int
    width: float
    height: float


def draw_hierarchy(
    model: TopicModel,
    levels: Sequence[int] | None = None,
    *,
    n: int = 5,
    by: str = "prevalence",
    lam: float = 0.6,
    title: str | None = None,
) -> Picture:
    """A model's topics below their supertopics, for models that have correlations.

    `levels` are how many supertopics there are, then how many above these, and so on; by default
    about the root of the number of topics.
    """
    sizes = [max(1, round(len(model.prevalence) ** 0.5))] if levels is None else list(levels)
    tree = hierarchy_of(model, sizes)
    words = hierarchy_words(model, tree, n, by, lam)
    topics = topics_of(model)
    heading = title or f"{counted(topics)} below {plural(sizes[0], 'supertopic')}"
    return Picture(
        heading,
        matplotlib=lambda: plot_hierarchy(tree, words, heading),
        plotly=lambda: _flows(tree, words, topics, heading),
        table=tree.edges(),
    )


def _flows(hierarchy: Hierarchy, words: Lists, topics: Topics, title: str) -> Any:
    """Supertopics at the left, topics at the right; a band is what a topic is to a supertopic."""
    go = plotly()
    sizes, colours = hierarchy.sizes, _colours(hierarchy, _orders(hierarchy)[-1])
    first = np.cumsum([0, *sizes])
    called = [[_node(topics, level, row, listed) for row, listed in enumerate(lists)]
              for level, lists in enumerate(words)]  # fmt: skip
    shares = [hierarchy.prevalence(level) for level in range(1, len(sizes) + 1)]
    links = [
        (first[edge.level - 1] + edge.parent, first[edge.level - 2] + edge.child,
         float(shares[edge.level - 1][edge.parent] * edge.weight),
         pale(colours[edge.level - 1][edge.parent], 0.35))
        for edge in hierarchy.edge_list(LEAST_WEIGHT)
    ]  # fmt: skip
    trace = go.Sankey(
        arrangement="snap",
        node={
            "label": [name for level in called for name in level],
            "color": [colour for level in colours for colour in level],
            "pad": 10, "thickness": 14, "line": {"width": 0},
            "customdata": [f"{share:.1%}" for level in shares for share in level],
            "hovertemplate": "%{label}<br>%{customdata}<extra></extra>",
        },
        link={
            "source": [int(link[0]) for link in links], "target": [int(link[1]) for link in links],
            "value": [link[2] for link in links], "color": [link[3] for link in links],
            "hovertemplate": "%{source.label}<br>%{target.label}<br>%{value:.1%}<extra></extra>",
        },
        textfont={"size": 11},
    )  # fmt: skip
    said = "height: how frequent it is · band: what of a topic belongs to a supertopic"
    return figure(
        [trace], title, 980, max(30 * sizes[0], 320) + 130, margin={"t": 64, "b": 50},
        annotations=[caption(said, 14)],
    )  # fmt: skip


def _node(topics: Topics, level: int, row: int, listed: Sequence[str]) -> str:
    """What a node is called: a topic's number and name, or a supertopic's words."""
    return literal(label(topics, row) if level == 0 else " ".join(listed))


def plot_hierarchy_of(
    model: TopicModel, levels: Sequence[int], *, n: int = 5, title: str | None = None
) -> Any:
    """A model's topics below their supertopics, with `n` words each."""
    tree = hierarchy_of(model, levels)
    return plot_hierarchy(tree, hierarchy_words(model, tree, n), title)


def plot_hierarchy(
    hierarchy: Hierarchy, words: Lists, title: str | None = None, least: float = LEAST_WEIGHT
) -> Any:
    """Draw each level above the next; `words` are a few per topic, as `hierarchy.all_words` has."""
    if [len(lists) for lists in words] != hierarchy.sizes:
        raise InputError(
            f"The words must be those of {hierarchy.sizes} topics, level by level, as all_words "
            f"returns them. Got {[len(lists) for lists in words]} instead."
        )
    labels = [[[shortened(word) for word in topic] for topic in lists] for lists in words]
    orders = _orders(hierarchy)
    layout, colours = _layout(hierarchy, labels, orders), _colours(hierarchy, orders[-1])
    matplotlib()
    with style():
        figure, axes = _canvas(layout, title)
        _draw_edges(axes, layout, colours, hierarchy, least)
        _draw_topics(axes, layout, colours[0], hierarchy.prevalence(1), labels[0], orders[0])
        for level in range(2, len(labels) + 1):
            _draw_boxes(axes, layout, level, colours, hierarchy.prevalence(level), labels)
        axes.text(MARGIN, 0.12, _legend(least), fontsize=6.5, color="#666666", va="center")
    return figure


def _legend(least: float) -> str:
    return (
        "number: the topic's   ·   circle, %: how frequent it is   ·   line: its share of the "
        f"supertopic, if at least {least:.0%} or its main one"
    )


def _orders(hierarchy: Hierarchy) -> list[NDArray[np.intp]]:
    """The topics of each level from left to right, level 1 first: similar ones stand together."""
    orders = [_in_a_row(hierarchy.levels[-1].correlations)]
    for level in range(len(hierarchy.sizes), 1, -1):
        rank = np.argsort(orders[0])
        shares = hierarchy.levels[level - 2].coefficients
        mean_rank = shares @ rank
        orders.insert(0, np.lexsort((mean_rank, rank[hierarchy.main_parents(level)])))
    return orders


def _in_a_row(correlations: Array) -> NDArray[np.intp]:
    """An order that puts co-occurring topics near each other: by their graph's Fiedler vector."""
    if len(correlations) < 3:
        return np.arange(len(correlations))
    totals = np.maximum(correlations.sum(axis=1), np.finfo(float).eps)
    affinity = correlations / np.sqrt(np.outer(totals, totals))
    affinity = affinity - np.diag(np.diagonal(affinity))
    vector = np.linalg.eigh(np.diag(affinity.sum(axis=1)) - affinity)[1][:, 1].round(9)
    order = np.argsort(vector, kind="stable")
    return order if order[0] < order[-1] else order[::-1]


def _layout(
    hierarchy: Hierarchy, labels: list[list[list[str]]], orders: list[NDArray[np.intp]]
) -> Layout:
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
    return Layout(shifted, lows, tiers, max(last - first + 2 * MARGIN, 6.2), height)


def _above(
    hierarchy: Hierarchy, level: int, below: Array, order: NDArray[np.intp], apart: float
) -> Array:
    """Supertopics above the middle of their own topics, as far as their words leave room."""
    main = hierarchy.main_parents(level)
    weights = hierarchy.levels[level - 2].topics
    own = weights * (main == np.arange(len(weights))[:, None])
    own = np.where(own.sum(axis=1, keepdims=True) > 0, own, weights)
    ideal = (own @ below / own.sum(axis=1))[order]
    steps = np.arange(len(order)) * apart
    middles = np.empty(len(order))
    middles[order] = isotonic_regression(ideal - steps) + steps
    return middles


def _colours(hierarchy: Hierarchy, top_order: NDArray[np.intp]) -> list[list[str]]:
    """A colour for each topic: its main ancestor's in the highest level that has more than one."""
    sizes = hierarchy.sizes
    highest = max((level for level, size in enumerate(sizes, 1) if size > 1), default=1)
    rank = np.argsort(top_order) if highest == len(sizes) else np.arange(sizes[highest - 1])
    colours = [[COLOURS[position % len(COLOURS)] for position in rank]]
    for level in range(highest, 1, -1):
        above = colours[0]
        colours.insert(0, [above[parent] for parent in hierarchy.main_parents(level)])
    return colours + [[ABOVE] * size for size in sizes[highest:]]


def _canvas(layout: Layout, title: str | None) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    room = 0.35 if title is not None else 0.0
    figure: Any = Figure(figsize=(layout.width, layout.height + room))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, layout.width)
    axes.set_ylim(0, layout.height + room)
    if title is not None:
        axes.text(MARGIN, layout.height + 0.1, safe(title), fontsize=10, va="center")
    return figure, axes


def _draw_edges(
    axes: Any, layout: Layout, colours: list[list[str]], hierarchy: Hierarchy, least: float
) -> None:
    """Curves from supertopics down; those to topics of another are paler and lie behind."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    for edge in hierarchy.edge_list(least):
        above, below = edge.level - 1, edge.level - 2
        start = layout.across[above][edge.parent], layout.lows[above]
        into = INTO_BOX if below else 0.0
        end = layout.across[below][edge.child], layout.lows[below] + into
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
    layout: Layout,
    colours: list[str],
    prevalence: Array,
    labels: list[list[str]],
    order: NDArray[np.intp],
) -> None:
    """The lowest level: a circle for each topic; its number and words below, tier by tier."""
    low, tall = layout.lows[0], _tall(labels)
    for position, topic in enumerate(order):
        middle, top = layout.across[0][topic], low - 0.2 - position % layout.tiers * tall
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
    layout: Layout,
    level: int,
    colours: list[list[str]],
    prevalence: Array,
    labels: list[list[list[str]]],
) -> None:
    """A level of supertopics: their words in boxes, with their prevalence."""
    for topic, topic_words in enumerate(labels[level - 1]):
        middle, colour = layout.across[level - 1][topic], colours[level - 1][topic]
        text = "\n".join([f"{prevalence[topic]:.0%}", _stacked(topic_words)])
        axes.text(middle, layout.lows[level - 1], text, ha="center", va="bottom", fontsize=6.5,
                  color=INK, zorder=4,
                  bbox={"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": colour,
                        "linewidth": 1.4})  # fmt: skip


def _stacked(words: list[str]) -> str:
    return "\n".join(map(safe, words))


def _widest(labels: list[list[str]]) -> float:
    return LETTER * max((len(word) for words in labels for word in words), default=1)


def _tall(labels: list[list[str]]) -> float:
    """The height of a topic's number or percentage, and of the words below it."""
    return LINE * (1 + max(map(len, labels), default=1)) + 0.16
