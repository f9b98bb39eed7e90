"""A figure of anchor words: words as points in the plane, their convex hull, the anchors marked.

Lee (2018), Figures 1.1, 1.2 and 2.1. Words with similar contexts lie close together; where the
model fits, anchors lie at the corners and other words between them.

A model is enough, without documents: the co-occurrence that it implies is BABᵀ, the product of its
topics and their correlations. A word's row of it depends on p(topic|word) alone, so words of one
topic lie in its corner and words of several between theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.anchor.conditional import Conditional, Group
from chatham.learners.anchor.hull import embed, hull_vertices
from chatham.model.topic_model import TopicModel
from chatham.naming import plural
from chatham.numerics.threads import threads
from chatham.plots.labels import Labels
from chatham.plots.palette import ACCENT, GREY, INK
from chatham.plots.panels import matplotlib, safe, shortened, style
from chatham.wording import Either, say

Array = NDArray[np.float64]

WIDTH, LOWEST, HIGHEST = 6.4, 0.55, 1.05
"""The panel's width in inches, and the least and greatest ratio of its height to its width."""
ROOMY = 45
"""How many anchors fit a panel of that width; more make it grow."""
TITLED, BELOW, BESIDE = 0.4, 0.42, 0.1
"""Room around the panel, in inches: for a title, for a caption of two lines, and elsewhere."""
MARGIN = 0.09
LARGEST, SMALLEST = 90.0, 3.0
"""Areas of points, in square points."""
NAMED = 30
"""How many of the most probable other words are labelled, where there is room."""
MOST_DRAWN = 500
"""More points than this are rasterised even in a vector file, which would be slow to show."""
AXES = {"pca": "the first two principal components", "tsne": "t-SNE"}
STRONG: dict[str, Any] = {"fontsize": 7.5, "color": INK, "fontweight": "bold"}
WEAK: dict[str, Any] = {"fontsize": 6.5, "color": "#7A8B96"}


MOST_WORDS = 2000
"""How many of the most probable words are drawn; the plane is computed from these alone."""
RINGS = (3.0, 9.0, 16.0, 25.0, 36.0, 50.0, 68.0)
"""Distances from its point at which a label may begin."""


def plot_anchors_of(model: TopicModel, *, method: str = "pca", title: str | None = None) -> Any:
    """A model's anchors among its words, with the words' convex hull; save it with `save_figure`.

    `method` is how words are projected onto the plane: "pca" or "tsne".
    """
    groups = model._anchor_columns
    if groups is None:
        raise InputError(
            say(
                "The topics of {learner} have no anchors to draw; fit a model whose topics do, "
                "with {call}.",
                learner=model._learner,
                call=Either("ch.fit('anchor', ...)", "--model anchor"),
            )
        )
    probability = model.prevalence @ model.topics
    probable = np.argsort(-probability, kind="stable")[:MOST_WORDS]
    words = np.union1d(probable[probability[probable] > 0], np.concatenate(groups))
    topics = np.ascontiguousarray(model.topics[:, words])
    with threads(None):
        joint = topics.T @ model._correlations @ topics
    anchors = [np.searchsorted(words, group) for group in groups]
    names = [str(word) for word in model.vocabulary[words]]
    return plot_anchor_words(joint, anchors, names, method=method, title=title)


def plot_anchor_words(
    joint: NDArray[Any],
    anchors: Sequence[Group],
    vocabulary: Sequence[str],
    *,
    method: str = "pca",
    n_words: int = 2000,
    seed: int = 0,
    title: str | None = None,
) -> Any:
    """A model's anchors among the `n_words` most probable words, by their rows of p(x₂|x₁).

    `joint` is the d×d joint probability of two words, preferably the rectified one from which the
    anchors were chosen; `method` is "pca" or "tsne". Save it with `save_figure`.
    """
    matplotlib()
    conditional = Conditional(joint)
    if len(vocabulary) != len(conditional):
        raise InputError(
            f"The vocabulary has {len(vocabulary)} words and the co-occurrence {len(conditional)}; "
            "give the vocabulary that the co-occurrence was counted with."
        )
    words = _words_shown(conditional, anchors, n_words)
    with threads(-1):
        points = embed(conditional, words, 2, method, seed)
    return plot_anchors(
        points,
        words,
        anchors,
        names=vocabulary,
        sizes=conditional.totals[words],
        title=title,
        caption=f"Words by {AXES[method]} of p(other word | word), larger if more probable; "
        "anchors are orange, the outline is the convex hull.",
    )


def plot_anchors(
    points: Array,
    words: NDArray[np.int64],
    anchors: Sequence[Group],
    *,
    names: Sequence[str],
    sizes: Array | None = None,
    title: str | None = None,
    caption: str = "",
) -> Any:
    """Words (indices into `names`) at points in the plane; areas by `sizes`, such as probabilities.

    Every anchor is marked, and labelled where its label covers no other; the caption says how many
    have none for lack of room.
    """
    matplotlib()
    groups = _rows_of(anchors, words)
    marked = np.unique(np.concatenate(groups))
    labels = [safe(shortened(str(names[word]))) for word in words]
    with style():
        figure, axes = _framed(points, title, len(marked))
        areas = _areas(sizes, len(points))
        others = np.setdiff1d(np.arange(len(points)), marked)
        axes.scatter(*points[others].T, s=areas[others], color=GREY, alpha=0.55, linewidths=0,
                     rasterized=len(others) > MOST_DRAWN)  # fmt: skip
        _draw_hull(axes, points)
        for group in groups:
            axes.plot(*points[group].T, color=ACCENT, linewidth=0.6, alpha=0.7)
        axes.scatter(
            *points[marked].T, s=np.maximum(areas[marked], 16), color=ACCENT, edgecolors="white",
            linewidths=0.5, zorder=3,
        )  # fmt: skip
        order = (
            np.arange(len(others)) if sizes is None else np.argsort(-sizes[others], kind="stable")
        )
        unnamed = _label(figure, axes, points, labels, marked, others[order[:NAMED]])
        if unnamed:
            caption += f"\nThere was no room for the names of {plural(unnamed, 'anchor')}."
        caption = caption.strip()
        axes.set_xlabel(caption, fontsize=6.5, color="#666666", loc="left",
                        labelpad=3 if "\n" in caption else 9)  # fmt: skip
    return figure


def _words_shown(
    conditional: Conditional, anchors: Sequence[Group], n_words: int
) -> NDArray[np.int64]:
    if n_words < 3:
        raise InputError(
            say("A figure needs at least 3 words; {n_words} is {value}.", value=n_words)
        )
    probable = np.argsort(-conditional.totals, kind="stable")[:n_words]
    return np.union1d(probable[conditional.occurs[probable]], np.concatenate(anchors))


def _rows_of(anchors: Sequence[Group], words: NDArray[np.int64]) -> list[NDArray[np.intp]]:
    """The rows of `words` where each anchor's words are."""
    rows = {int(word): row for row, word in enumerate(words)}
    missing = sorted({int(word) for group in anchors for word in group} - set(rows))
    if missing:
        raise InputError(
            f"The anchor words with indices {missing} are not among the {len(words)} words to "
            "draw; draw them too."
        )
    return [np.array([rows[int(word)] for word in group], dtype=np.intp) for group in anchors]


def _framed(points: Array, title: str | None, anchors: int) -> tuple[Any, Any]:
    """A figure with one panel, whose axes have the same scale."""
    from matplotlib.figure import Figure

    low, high = points.min(axis=0), points.max(axis=0)
    across, up = np.maximum(high - low, np.finfo(float).tiny)
    width = WIDTH * max(1.0, np.sqrt(anchors / ROOMY))
    panel = np.array([width, width * np.clip(up / across, LOWEST, HIGHEST)])
    above = BESIDE if title is None else TITLED
    figure_size = panel + np.array([2 * BESIDE, above + BELOW])
    figure: Any = Figure(figsize=tuple(figure_size))
    axes = figure.add_axes(
        (*(np.array([BESIDE, BELOW]) / figure_size), *(panel / figure_size)), xticks=[], yticks=[]
    )
    axes.spines[:].set_visible(False)
    unit = max(across / panel[0], up / panel[1]) * (1 + 2 * MARGIN)
    (left, bottom), (right, top) = (low + high - unit * panel) / 2, (low + high + unit * panel) / 2
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    if title is not None:
        top_edge = 1 - 0.1 / figure_size[1]
        figure.suptitle(safe(title), x=BESIDE / figure_size[0], y=top_edge, ha="left", fontsize=10)
    return figure, axes


def _areas(sizes: Array | None, n: int) -> Array:
    if sizes is None or not np.max(sizes) > 0:
        return np.full(n, 2 * SMALLEST)
    return np.asarray(np.maximum(LARGEST * np.asarray(sizes) / np.max(sizes), SMALLEST))


def _draw_hull(axes: Any, points: Array) -> None:
    """The hull's outline, or nothing where the points have no hull."""
    try:
        corners = points[hull_vertices(points)]
    except InputError:
        return
    angles = np.arctan2(*(corners - corners.mean(axis=0)).T[::-1])
    axes.fill(*corners[np.argsort(angles)].T, facecolor="#F4F8FA", edgecolor="#8AA5B5",
              linewidth=0.8, zorder=0)  # fmt: skip


def _label(
    figure: Any,
    axes: Any,
    points: Array,
    labels: Sequence[str],
    marked: NDArray[np.intp],
    others: NDArray[np.intp],
) -> int:
    """Label the marked points, outermost first, then others; the number of marked without room."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    renderer = FigureCanvasAgg(figure).get_renderer()
    pixels = axes.transData.transform(points)
    from_centre = pixels - pixels.mean(axis=0)
    marks = [(x - 3, y - 3, x + 3, y + 3) for x, y in pixels[marked]]
    placed = Labels(tuple(axes.get_window_extent(renderer).extents), marks)
    outermost = marked[np.argsort(-np.linalg.norm(from_centre[marked], axis=1), kind="stable")]
    unnamed = 0
    for row in [*outermost, *others]:
        is_anchor = row in marked
        text = axes.text(0, 0, labels[row], ha="center", va="center", zorder=4 if is_anchor else 2,
                         **(STRONG if is_anchor else WEAK))  # fmt: skip
        extent = text.get_window_extent(renderer)
        rings = RINGS if is_anchor else RINGS[:2]
        outward = float(np.arctan2(*from_centre[row][::-1]))
        box = placed.place(pixels[row], (extent.width + 4, extent.height), outward, rings)
        if box is None:
            text.remove()
            unnamed += is_anchor
            continue
        middle = np.array([box[0] + box[2], box[1] + box[3]]) / 2
        text.set_position(axes.transData.inverted().transform(middle))
        _halo(text)
        if is_anchor:
            _lead(axes, pixels[row], box)
    return unnamed


def _halo(text: Any) -> None:
    from matplotlib.patheffects import withStroke

    text.set_path_effects([withStroke(linewidth=1.6, foreground="white")])


def _lead(axes: Any, point: Array, box: tuple[float, float, float, float]) -> None:
    """A thin line to a label that isn't beside its point."""
    nearest = np.clip(point, box[:2], box[2:])
    if np.linalg.norm(nearest - point) > RINGS[1]:
        line = axes.transData.inverted().transform([point, nearest])
        axes.plot(*line.T, color=ACCENT, linewidth=0.5, zorder=1.5)
