"""The map of topics: circles in the plane, near each other where topics are alike.

A circle's area is a topic's share; its number stands in it, its name beside it where there is room.
Lengths are pixels of the frame, which both kinds of figure share.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.looking.mapping import TopicMap, map_of
from chatham.plots.captions import LONGEST, METHOD, NEAR, clipped, counted, share_of
from chatham.plots.interactive import (
    SIZE,
    bold,
    caption,
    figure,
    hidden_axis,
    literal,
    plotly,
)
from chatham.plots.labels import Box, Labels
from chatham.plots.palette import BLUE, GREY, INK, PALE
from chatham.plots.panels import matplotlib, safe, style
from chatham.plots.picture import Picture

Array = NDArray[np.float64]

WIDTH, HEIGHT = 900.0, 640.0
ROOM_FOR, GROWN = 50, 1.8
"""How many topics fit the frame; for more it grows, up to so many times."""
MARGIN = 70.0
"""Around the points, for circles and names."""
FILLED = 0.1
"""The share of the frame that circles fill."""
LARGEST, SMALLEST = 44.0, 3.5
"""Radii."""
ROOMY = 9.0
"""The least radius of a circle that has its number inside."""
LETTER, LINE = 0.56, 1.3
"""Width of a letter and height of a line, relative to the size of letters."""
RINGS = (3.0, 8.0, 16.0, 28.0, 44.0, 64.0)
"""Distances from its circle at which a name may begin."""
LEAD = 12.0
"""Names farther away have a line to their circle."""
POINT = 0.72
"""A pixel in points: there are 100 to an inch."""
GAP = 2.0
"""Between circles that would cover each other."""
ROUNDS = 300
STRIPS = 7
"""Boxes that a circle is taken for where names must not cover it."""
GOLDEN = np.pi * (3 - np.sqrt(5))
"""The angle by which turns never come back to one direction."""


@dataclass(frozen=True)
class Placed:
    """Where everything of a map is drawn; y goes up."""

    size: Array
    """The frame's width and height."""
    middles: Array
    radii: Array
    inside: list[bool]
    """Which circles have their numbers in them."""
    boxes: list[Box | None]
    """The place of each name, where there is one."""
    names: list[str]


def draw_map(
    model: Any,
    documents: Any = None,
    *,
    by: str | None = None,
    method: str = "pca",
    distance: str = "hellinger",
    random_state: int = 0,
    vocabulary: Any = None,
    title: str | None = None,
    n_jobs: int | None = None,
) -> Picture:
    """A map of the topics of a model, or of topics from elsewhere (with their `vocabulary`).

    Near each other are topics that are often in the same documents, if `documents` are given: a
    corpus, whatever `read_corpus` reads, or a commons of any kind. Without, `by` the correlations
    that the model has learned, or else by words. `method` is "pca", "tsne" or "lle"; `distance` by
    words is "hellinger", "jensen-shannon" or "euclidean".
    """
    found = map_of(
        model, documents, by=by, method=method, distance=distance, random_state=random_state,
        vocabulary=vocabulary, n_jobs=n_jobs,
    )  # fmt: skip
    heading = title or f"A map of {counted(found.relations.topics)}"
    placed = place(found)
    return Picture(
        heading,
        matplotlib=lambda: _printed(found, placed, heading),
        plotly=lambda: _interactive(found, placed, heading),
        table=found.table(),
    )


def place(found: TopicMap) -> Placed:
    """Circles as large as their topics, and names where they cover nothing, the largest first."""
    topics, shares = found.relations.topics, found.relations.shares
    frame = size_for(len(topics))
    scale = min(
        np.sqrt(FILLED * frame.prod() / np.pi),
        LARGEST / max(float(np.sqrt(shares.max())), 1e-12),
    )
    radii = np.maximum(scale * np.sqrt(shares), SMALLEST)
    middles = apart(framed(found.points, frame), radii, frame)
    inside = [
        2 * radius >= width_of(str(number)) + 6 and radius >= ROOMY
        for radius, number in zip(radii, topics.numbers, strict=True)
    ]
    names = [
        clipped(name, LONGEST) if within else f"{number} {clipped(name, LONGEST)}"
        for number, name, within in zip(topics.numbers, topics.names, inside, strict=True)
    ]
    taken = [box for each in zip(middles, radii, strict=True) for box in strips(*each)]
    labels = Labels((0.0, 0.0, float(frame[0]), float(frame[1])), taken)
    boxes: list[Box | None] = [None] * len(topics)
    centre = middles.mean(axis=0)
    for row in np.argsort(-shares, kind="stable"):
        outward = middles[row] - centre
        angle = float(np.arctan2(outward[1], outward[0])) if outward.any() else 0.0
        size = width_of(names[row]) + 4, LINE * SIZE
        rings = [radii[row] + ring for ring in RINGS]
        if names[row].strip():
            boxes[row] = labels.place(middles[row], size, angle, rings)
    return Placed(frame, middles, radii, inside, boxes, names)


def strips(middle: Array, radius: float) -> list[Box]:
    """A circle, as boxes one above the other."""
    heights = np.linspace(-1.0, 1.0, STRIPS + 1) * radius
    nearest = np.where(
        heights[:-1] * heights[1:] <= 0, 0.0, np.minimum(*np.abs([heights[:-1], heights[1:]]))
    )
    half = np.sqrt(radius**2 - nearest**2)
    x, y = middle
    return [
        (float(x - w), float(y + low), float(x + w), float(y + high))
        for w, low, high in zip(half, heights[:-1], heights[1:], strict=True)
    ]


def size_for(k: int) -> Array:
    """The frame, which grows where there are many topics."""
    return np.array([WIDTH, HEIGHT]) * np.clip(np.sqrt(k / ROOM_FOR), 1.0, GROWN)


def framed(points: Array, frame: Array) -> Array:
    """Points in the frame, with the same scale across and up."""
    room = frame - 2 * MARGIN
    low, high = points.min(axis=0), points.max(axis=0)
    extents = np.maximum(high - low, 1e-9)
    scale = float((room / extents).min()) if (high > low).any() else 0.0
    return np.asarray(frame / 2 + (points - (low + high) / 2) * scale)


def apart(middles: Array, radii: Array, frame: Array) -> Array:
    """Circles that would cover each other, moved until they don't, or hardly do."""
    k = len(middles)
    least = radii[:, None] + radii[None, :] + GAP
    np.fill_diagonal(least, 0.0)
    turns = GOLDEN * np.arange(k)  # circles at one place leave it in different directions
    middles = middles + 1e-3 * np.column_stack([np.cos(turns), np.sin(turns)])
    edge = np.minimum(radii[:, None] + 2, frame / 2)
    for _ in range(ROUNDS):
        between = middles[:, None] - middles[None]
        lengths = np.linalg.norm(between, axis=2)
        lacking = np.maximum(least - lengths, 0.0)
        if not (lacking > 0.1).any():
            break
        steps = (lacking / 2 / np.maximum(lengths, 1e-9))[:, :, None] * between
        middles = middles + 0.5 * steps.sum(axis=1)
        middles = np.clip(middles, edge, frame - edge)
    return np.asarray(middles)


def width_of(text: str) -> float:
    """About how wide a text is in pixels; letters of some scripts take two places."""
    places = sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)
    return LETTER * SIZE * places


def _said(found: TopicMap) -> str:
    relations = found.relations
    return f"{NEAR[relations.by]} · {METHOD[found.method]} · circle: {share_of(relations)}"


def middle_of(box: Box) -> tuple[float, float]:
    """Where a name is centred."""
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _leads(placed: Placed) -> list[tuple[Array, Array]]:
    """Lines from circles to names that don't stand beside them."""
    lines = []
    for middle, radius, box in zip(placed.middles, placed.radii, placed.boxes, strict=True):
        if box is None:
            continue
        nearest = np.clip(middle, box[:2], box[2:])
        away = nearest - middle
        far = float(np.linalg.norm(away))
        if far > radius + LEAD:
            lines.append((middle + away / far * radius, nearest))
    return lines


def _printed(found: TopicMap, placed: Placed, title: str) -> Any:
    matplotlib()
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle

    topics = found.relations.topics
    top, foot = 50.0, 34.0
    wide, tall = placed.size.tolist()
    high = tall + top + foot
    with style():
        drawn: Any = Figure(figsize=(wide / 100, high / 100))
        axes = drawn.add_axes((0, foot / high, 1, tall / high))
        axes.set_axis_off()
        axes.set_xlim(0, wide)
        axes.set_ylim(0, tall)
        for start, end in _leads(placed):
            axes.plot([start[0], end[0]], [start[1], end[1]], color=GREY, linewidth=0.6, zorder=1)
        for row in np.argsort(-placed.radii, kind="stable"):
            middle, radius = placed.middles[row], placed.radii[row]
            axes.add_patch(
                Circle(middle, radius, facecolor=BLUE, edgecolor="white", linewidth=0.8, alpha=0.8,
                       zorder=2)
            )  # fmt: skip
            if placed.inside[row]:
                axes.text(*middle, str(topics.numbers[row]), color="white", ha="center",
                          va="center_baseline", fontsize=POINT * SIZE, fontweight="bold",
                          zorder=3)  # fmt: skip
            box = placed.boxes[row]
            if box is not None:
                axes.text(*middle_of(box), safe(placed.names[row]), ha="center", va="center",
                          fontsize=POINT * SIZE, color=INK, zorder=4)  # fmt: skip
        drawn.text(20 / wide, 1 - 24 / high, safe(title), fontsize=11, fontweight="bold",
                   va="center", color=INK)  # fmt: skip
        drawn.text(20 / wide, 18 / high, _said(found), fontsize=7.5, color=PALE, va="center")
    return drawn


def _interactive(found: TopicMap, placed: Placed, title: str) -> Any:
    go = plotly()
    topics, shares = found.relations.topics, found.relations.shares
    order = np.argsort(-placed.radii, kind="stable").tolist()
    wide, tall = placed.size.tolist()
    words = topics.words(10)
    lines = _leads(placed)
    gaps = [value for start, end in lines for value in (start, end, (np.nan, np.nan))]
    named = [row for row in range(len(topics)) if placed.boxes[row] is not None]
    middles = [middle_of(box) for box in placed.boxes if box is not None]
    traces = [
        go.Scatter(
            x=[place[0] for place in gaps], y=[place[1] for place in gaps], mode="lines",
            line={"color": GREY, "width": 0.8}, hoverinfo="skip",
        ),
        go.Scatter(
            x=placed.middles[order, 0].tolist(), y=placed.middles[order, 1].tolist(),
            mode="markers+text",
            marker={
                "size": (2 * placed.radii[order]).tolist(), "color": BLUE, "opacity": 0.8,
                "line": {"color": "white", "width": 1},
            },
            text=[f"<b>{topics.numbers[row]}</b>" if placed.inside[row] else "" for row in order],
            textfont={"color": "white"},
            hovertext=[
                f"{bold(f'{topics.numbers[row]}  {topics.names[row]}')}<br>"
                f"{shares[row]:.1%} ({share_of(found.relations)})<br>"
                + literal(" ".join(words[row]))
                for row in order
            ],
            hoverinfo="text",
        ),
        go.Scatter(
            x=[middle[0] for middle in middles], y=[middle[1] for middle in middles], mode="text",
            text=[literal(placed.names[row]) for row in named], hoverinfo="skip",
        ),
    ]  # fmt: skip
    return figure(
        traces, title, wide + 40, tall + 64 + 50,
        xaxis=hidden_axis(0, wide), yaxis=hidden_axis(0, tall), margin={"b": 50},
        annotations=[caption(_said(found), 10)], dragmode="pan", hovermode="closest",
    )  # fmt: skip
