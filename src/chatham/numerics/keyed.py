"""Randomness keyed by a row's content, never by its position.

A start that drew one random number after another would change when the rows are split among
holders or put in another order. Here a row's numbers follow from the seed and the row's content.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True, inline="always")
def mix(state: np.uint64) -> np.uint64:
    """Spread the bits of a 64-bit number (the finaliser of SplitMix64)."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


@njit(cache=True, nogil=True, inline="always")
def uniform(key: np.uint64, number: int) -> float:
    """The `number`-th random number in (0, 1) that belongs to a key."""
    bits = mix(key + GOLDEN * np.uint64(number + 1))
    return ((bits >> np.uint64(12)) + 0.5) * 2.0**-52  # 53 bits would round up to one


@njit(cache=True, nogil=True)
def _content(
    indptr: NDArray[Any], indices: NDArray[Any], bits: NDArray[np.uint64], seed: np.uint64
) -> NDArray[np.uint64]:
    keys = np.empty(len(indptr) - 1, np.uint64)
    for row in range(len(keys)):
        total = np.uint64(0)
        for cell in range(indptr[row], indptr[row + 1]):
            # A sum, so that the order in which a row stores its cells doesn't matter.
            total += mix(mix(np.uint64(indices[cell]) + GOLDEN) ^ bits[cell])
        keys[row] = mix(mix(seed + GOLDEN) ^ total)
    return keys


def row_keys(
    indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[np.float64], seed: int
) -> NDArray[np.uint64]:
    """One 64-bit key per row, from the seed and the row's nonzero cells alone."""
    bits = np.ascontiguousarray(data, dtype=np.float64).view(np.uint64)
    return np.asarray(_content(indptr, indices, bits, np.uint64(seed & (2**64 - 1))))


@njit(cache=True, nogil=True)
def uniforms(keys: NDArray[np.uint64], width: int) -> NDArray[np.float64]:
    """`width` random numbers in (0, 1) for each key."""
    drawn = np.empty((len(keys), width))
    for row in range(len(keys)):
        for number in range(width):
            drawn[row, number] = uniform(keys[row], number)
    return drawn


@njit(cache=True, nogil=True)
def mixed(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Each key mixed once more: other numbers that belong to the same rows."""
    others = np.empty_like(keys)
    for row in range(len(keys)):
        others[row] = mix(keys[row] ^ GOLDEN)
    return others
