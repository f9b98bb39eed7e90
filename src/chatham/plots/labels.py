"""Labels beside points, each where it covers no other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""
DIRECTIONS = 16


class Labels:
    """A frame that fills with labels: each goes to the first position that is free."""

    def __init__(self, frame: Box, taken: Sequence[Box] = ()) -> None:
        self.frame = frame
        self._taken = list(taken)

    def place(
        self, point: Array, size: tuple[float, float], outward: float, rings: Sequence[float]
    ) -> Box | None:
        """A free box for a label, preferably in the direction `outward` (radians), or None."""
        for ring in rings:
            for turn in _alternating():
                box = _beside(point, size, outward + turn, ring)
                if self._inside(box) and not self._covers(box):
                    self._taken.append(box)
                    return box
        return None

    def _inside(self, box: Box) -> bool:
        left, bottom, right, top = self.frame
        return left <= box[0] and bottom <= box[1] and box[2] <= right and box[3] <= top

    def _covers(self, box: Box) -> bool:
        return any(
            box[0] < taken[2] and taken[0] < box[2] and box[1] < taken[3] and taken[1] < box[3]
            for taken in self._taken
        )


def _beside(point: Array, size: tuple[float, float], angle: float, gap: float) -> Box:
    """A box whose edge is `gap` away from the point in the direction `angle`."""
    half = np.array(size) / 2
    direction = np.array([np.cos(angle), np.sin(angle)])
    # The distance from the centre to the box's edge in this direction.
    reach = np.min(half / np.maximum(np.abs(direction), 1e-9))
    x, y = point + (reach + gap) * direction
    return float(x - half[0]), float(y - half[1]), float(x + half[0]), float(y + half[1])


def _alternating() -> list[float]:
    """Turns away from the best direction: none, a little left, a little right, and so on."""
    step = 2 * np.pi / DIRECTIONS
    turns = [0.0]
    for number in range(1, DIRECTIONS // 2 + 1):
        turns += [number * step, -number * step]
    return turns[:DIRECTIONS]
