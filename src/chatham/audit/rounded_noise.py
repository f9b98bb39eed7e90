"""Noise of several holders in one draw: sums of Gaussians, each rounded to the grid before it is
added, as between parties (see `commons.precision`).

Where a holder's part is zero it sends round(σz·2ᵇ), z standard normal: a whole number with

    P(j) = Φ((j + ½)/s) − Φ((j − ½)/s),  s = σ·2ᵇ,

and the sum over m such holders has the m-fold convolution as its law. Most cells of most totals are
like that, since a party has few of all words. They are drawn from this law itself by the alias
method (Walker 1977; Vose 1991), with 64 random bits a cell in place of m Gaussians.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import ndtr

from chatham.commons.fixed_point import encode

Whole = NDArray[np.int64]

WIDEST = 512.0
"""The largest standard deviation, in steps of the grid, for which there is a table; beyond it, it
would no longer fit where it is fast."""
REACH = 9.2
"""Standard deviations beyond which nothing is drawn: less than 2⁻⁶⁵ lies there."""


@dataclass(frozen=True)
class AliasTable:
    """A law of whole numbers, cut into columns of equal probability that have two values each."""

    first: int
    """The least value."""
    shift: int
    """All but the first bits of a draw, which choose a column."""
    thresholds: NDArray[np.uint64]
    """A draw whose other bits are below this is its column's own value."""
    aliases: Whole

    def draw(self, bits: np.random.BitGenerator, size: int) -> Whole:
        """So many independent values."""
        raw = np.asarray(bits.random_raw(size), dtype=np.uint64)
        values = np.empty(size, np.int64)
        _look_up(raw, np.uint64(self.shift), self.thresholds, self.aliases, self.first, values)
        return values

    def probabilities(self) -> tuple[Whole, NDArray[np.float64]]:
        """Each value and how often it is drawn, to check the table by."""
        columns = len(self.aliases)
        own = self.thresholds / 2.0**self.shift / columns
        shares = own + np.bincount(self.aliases, 1.0 / columns - own, minlength=columns)
        return np.arange(columns) + self.first, shares


@njit(cache=True, nogil=True)
def _look_up(
    raw: NDArray[np.uint64],
    shift: np.uint64,
    thresholds: NDArray[np.uint64],
    aliases: Whole,
    first: int,
    values: Whole,
) -> None:
    rest = (np.uint64(1) << shift) - np.uint64(1)
    for i in range(raw.size):
        column = raw[i] >> shift
        own = (raw[i] & rest) < thresholds[column]
        values[i] = first + (np.int64(column) if own else aliases[column])


@lru_cache(maxsize=64)
def table_of_noise(deviation: float, holders: int) -> AliasTable:
    """The table for a sum of so many rounded Gaussians, the deviation being in steps."""
    return alias_table(-_reach(deviation, holders), law_of_noise(deviation, holders))


def law_of_noise(deviation: float, holders: int) -> NDArray[np.float64]:
    """Its probabilities, from the least to the greatest value.

    >>> law_of_noise(0.01, 3).round(6).tolist()
    [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    """
    edges = np.arange(_reach(deviation, 1) + 1) + 0.5
    beyond = ndtr(-edges / deviation)  # tails are accurate, differences from one aren't
    half = -np.diff(beyond)
    one = np.concatenate([half[::-1], [1.0 - 2.0 * beyond[0]], half])
    law = np.ones(1)
    for _ in range(holders):
        law = np.convolve(law, one)
    middle, reach = len(law) // 2, _reach(deviation, holders)
    law = law[middle - reach : middle + reach + 1]
    return np.asarray(law / law.sum())


def _reach(deviation: float, holders: int) -> int:
    """How far a sum of so many may be from zero."""
    one = int(np.ceil(REACH * deviation + 0.5))
    return min(holders * one, int(np.ceil(REACH * np.sqrt(holders * (deviation**2 + 1 / 12)))) + 1)


def alias_table(first: int, law: NDArray[np.float64]) -> AliasTable:
    """Vose's construction, with a power of two of columns, so that bits choose one exactly."""
    bits = max(int(len(law) - 1).bit_length(), 1)
    columns = 1 << bits
    heights = np.zeros(columns)
    heights[: len(law)] = law * columns
    own, aliases = np.ones(columns), np.arange(columns)
    low = [i for i in range(columns) if heights[i] < 1.0]
    high = [i for i in range(columns) if heights[i] >= 1.0]
    while low and high:
        less, more = low.pop(), high[-1]
        own[less], aliases[less] = heights[less], more
        heights[more] -= 1.0 - heights[less]
        if heights[more] < 1.0:
            low.append(high.pop())
    shift = 64 - bits
    thresholds = np.array([min(int(share * 2.0**shift), 1 << shift) for share in own], np.uint64)
    return AliasTable(first, shift, thresholds, aliases.astype(np.int64))


def noised_sum(
    parts: Sequence[NDArray[Any]], deviation: float, bits: int, holders: int, seed: int
) -> Whole:
    """What these holders send together: each adds noise to its part and rounds it.

    `deviation` is that of one holder's noise, `bits` the fraction bits, `holders` how many there
    are in the session, and so what a part may be at most. The sum is in steps of the grid.
    """
    source = np.random.SFC64(seed)
    draws, steps = np.random.Generator(source), deviation * 2.0**bits
    flat = [np.asarray(part).ravel() for part in parts]
    if steps > WIDEST:
        total, filled = np.empty(flat[0].size, np.int64), np.arange(flat[0].size)
    else:
        total = table_of_noise(steps, len(parts)).draw(source, flat[0].size)
        filled = np.flatnonzero(_anything(flat))
    total[filled] = 0
    for part in flat:
        sent = part[filled] + deviation * draws.standard_normal(filled.size)
        total[filled] += encode(sent, bits, holders).view(np.int64)
    return total.reshape(np.shape(parts[0]))


def _anything(parts: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
    """The cells to which any of the parts adds something."""
    filled = parts[0] != 0
    for part in parts[1:]:
        filled |= part != 0
    return np.asarray(filled)
