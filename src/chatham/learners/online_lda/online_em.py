"""Online EM: how expectations of a stream become topics (eq. 2 of Colin and Dupuy 2016).

The statistics s (k × d) are expected counts of words by topic, per document. Each mini-batch moves
them towards its own mean by a step that becomes smaller, s ← (1 − ρ_t) s + ρ_t E[S], and the most
likely topics η*(s) are their rows, normalised.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError

Array = NDArray[np.float64]


def step_size(t: int, *, kappa: float = 0.5, offset: float = 0.0) -> float:
    """ρ_t = (t + offset)^−kappa for t = 1, 2, …: the first takes all if there is no offset.

    The mean settles if the steps add up to infinity and their squares don't: 0.5 < kappa ≤ 1. At
    0.5 and below it goes on moving, and forgets old documents sooner.

    >>> step_size(1), step_size(4), step_size(1, kappa=1.0, offset=3.0)
    (1.0, 0.5, 0.25)
    """
    return float((t + offset) ** -kappa)


def topics_of(statistics: Array, smoothing: float) -> Array:
    """η*(s): the rows of s + smoothing, divided by their sums.

    >>> topics_of(np.array([[3.0, 1.0], [0.0, 0.0]]), 1.0)
    array([[0.66666667, 0.33333333],
           [0.5       , 0.5       ]])
    """
    smoothed = statistics + smoothing
    sizes = smoothed.sum(axis=1, keepdims=True)
    if not (sizes > 0).all():
        raise InputError(
            f"Topic {int(np.argmin(sizes))} has no words and the smoothing is {smoothing:g}; give "
            "a smoothing above 0."
        )
    return np.asarray(smoothed / sizes)
