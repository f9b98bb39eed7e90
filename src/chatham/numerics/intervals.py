"""Wilson's interval (1927) for a share of so many trials: it stays between 0 and 1, however few."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def wilson(share: Array, n: Array, z: Array | float) -> tuple[Array, Array]:
    """The ends of the intervals of shares of `n` trials, `z` standard errors to each side.

    >>> low, high = wilson(np.array([0.5, 1.0]), np.array([100.0, 3.0]), 1.96)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.404, 0.438], [0.596, 1.0])
    """
    spread = z**2 / n
    middle = (share + spread / 2) / (1 + spread)
    half = np.sqrt(np.maximum(share * (1 - share) * spread + spread**2 / 4, 0.0)) / (1 + spread)
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)
