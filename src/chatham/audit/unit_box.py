"""Least squares with coefficients between nought and one: a document as a sum of topics."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

SWEEPS, SETTLED = 1000, 1e-13
"""The most sweeps over a document's coefficients, and the change at which they have settled."""


@njit(cache=True, nogil=True)
def in_unit_box(gram: Array, products: Array) -> Array:
    """The u in [0,1]ᵏ that minimises uGuᵀ − 2u·p, by coordinate descent.

    >>> in_unit_box(np.eye(2), np.array([0.5, 3.0]))
    array([0.5, 1. ])
    """
    u = np.zeros(len(products))
    for _ in range(SWEEPS):
        change = 0.0
        for t in range(len(u)):
            if gram[t, t] <= 0.0:
                continue
            residue = products[t]
            for s in range(len(u)):
                residue -= gram[t, s] * u[s]
            value = min(max(u[t] + residue / gram[t, t], 0.0), 1.0)
            change = max(change, abs(value - u[t]))
            u[t] = value
        if change <= SETTLED:
            break
    return u
