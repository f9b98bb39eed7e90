"""Labels beside points of a picture, where they cover neither points nor each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.plots.labels import Labels
from chatham.plots.palette import INK
from chatham.plots.panels import safe

RINGS = (3.0, 8.0, 14.0, 22.0, 32.0, 45.0, 60.0, 80.0)
"""Distances from its point, in pixels, at which a label may begin."""


def label(
    figure: Any,
    axes: Any,
    points: NDArray[np.float64],
    texts: Sequence[str],
    radius: float | NDArray[np.float64],
    **look: Any,
) -> None:
    """Put a text beside each point, the outermost first; one that finds no room is left out.

    `radius` is that of the points' marks, in points of print; `look` is how texts are written.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure.draw_without_rendering()  # so that the axes are where they will be
    renderer = FigureCanvasAgg(figure).get_renderer()
    pixels = axes.transData.transform(points)
    reach = np.broadcast_to(radius, len(points)) * figure.dpi / 72
    marks = [(x - r, y - r, x + r, y + r) for (x, y), r in zip(pixels, reach, strict=True)]
    frame = tuple(axes.get_window_extent(renderer).extents)
    room = Labels(frame, marks)
    away = pixels - pixels.mean(axis=0)
    back = axes.transData.inverted().transform
    for place in np.argsort(-np.linalg.norm(away, axis=1), kind="stable"):
        shown = "\n".join(map(safe, texts[place].split("\n")))
        text = axes.text(0, 0, shown, ha="center", va="center", color=INK, zorder=5,
                         **look)  # fmt: skip
        extent = text.get_window_extent(renderer)
        size = extent.width + 3, extent.height + 1
        outward = float(np.arctan2(*away[place][::-1]))
        box = room.place(pixels[place], size, outward, [reach[place] + ring for ring in RINGS])
        if box is None:
            text.remove()
            continue
        text.set_position(back([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]))
        nearest = np.clip(pixels[place], box[:2], box[2:])
        if np.linalg.norm(nearest - pixels[place]) > reach[place] + RINGS[1]:
            axes.plot(*back([pixels[place], nearest]).T, color="#888888", linewidth=0.5, zorder=1)
