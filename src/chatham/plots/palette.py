"""The colours of all pictures: one palette, which people with any colour vision can tell apart.

Those of Okabe and Ito (2008); a test simulates protanopia, deuteranopia and tritanopia. What has an
order is drawn in shades of one blue, what has a middle from orange through white to blue, so that
light and dark say it too.
"""

from __future__ import annotations

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
BLUE, ACCENT = COLOURS[:2]
GREY, INK, FAINT, PALE = "#A6BDCB", "#333333", "#DDDDDD", "#666666"
"""For what stands behind, for text, for lines of a grid, and for what is said on the side."""
EMPTY = "#F2F2F2"
"""For cells without a value."""

SHADES = ("#FFFFFF", "#D3E4F0", "#A4C9E1", "#67A6CE", "#2A83BA", "#0072B2", "#00507E", "#00304C")
"""From nothing to much."""
SIDES = ("#8F3F00", "#D55E00", "#E9A56E", "#F6DCC6", "#FFFFFF", "#CCE0ED", "#7FB5D5", "#0072B2",
         "#004A75")  # fmt: skip
"""From less to more than what is usual, which is white."""


def colour_of(rank: int) -> str:
    """The colour of what comes in this place; after the last one they begin again."""
    return COLOURS[rank % len(COLOURS)]
