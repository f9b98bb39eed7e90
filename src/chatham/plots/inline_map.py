"""The map of a model as a piece of SVG, for where a model shows itself: it needs no library.

There are no scripts in it, and names are escaped.
"""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from chatham.learners.words import printable
from chatham.looking.mapping import map_of
from chatham.plots.captions import NEAR, share_of
from chatham.plots.interactive import FONT, SIZE
from chatham.plots.palette import BLUE
from chatham.plots.topic_map import middle_of, place

SHOWN = 620
"""The width in pixels at most; what is inside shrinks with it."""


def map_svg(model: Any) -> str:
    """The map by what the model itself knows: learned correlations, or words."""
    found = map_of(model)
    placed, topics, shares = place(found), found.relations.topics, found.relations.shares
    parts, (wide, tall) = [], placed.size.tolist()
    for row in np.argsort(-placed.radii, kind="stable").tolist():
        (x, y), radius = placed.middles[row], placed.radii[row]
        name = _text(f"{topics.numbers[row]}  {topics.names[row]}  {shares[row]:.1%}")
        parts.append(
            f'<circle cx="{x:.1f}" cy="{tall - y:.1f}" r="{radius:.1f}"><title>{name}</title>'
            "</circle>"
        )
        if placed.inside[row]:
            parts.append(
                f'<text class="i" x="{x:.1f}" y="{tall - y:.1f}">{topics.numbers[row]}</text>'
            )
    for box, name in zip(placed.boxes, placed.names, strict=True):
        if box is not None:
            x, y = middle_of(box)
            parts.append(f'<text x="{x:.1f}" y="{tall - y:.1f}">{_text(name)}</text>')
    said = f"{NEAR[found.relations.by]} · circle: {share_of(found.relations)}"
    return (
        f'<svg viewBox="0 0 {wide:.0f} {tall:.0f}" role="img" aria-label="{_text(said)}" '
        f'style="width:100%;max-width:{SHOWN}px;font:{SIZE + 2}px {FONT}">'
        f"<style>.chatham circle{{fill:{BLUE};fill-opacity:.8;stroke:#fff}}.chatham svg text"
        "{fill:currentColor;text-anchor:middle;dominant-baseline:central}"
        ".chatham svg text.i{fill:#fff;font-weight:bold;pointer-events:none}</style>"
        f'{"".join(parts)}</svg><p class="note">{_text(said)}</p>'
    )


def _text(text: str) -> str:
    """Escaped, and apart from what stands beside it if it is read from right to left."""
    return f"\u2068{escape(printable(text))}\u2069"
