"""Floats as whole numbers modulo 2⁶⁴, so that a sum is exact whatever the order, masked or not.

A number x with f fraction bits becomes round(x·2ᶠ). Whole numbers take f = 0 and lose nothing; of M
holders' floats the sum is off by at most M·2^−(f+1), and is then rounded once, to the nearest
float. Totals are kept within ±(2⁶⁰ − 1): there no two differ by a multiple of 2⁶¹ − 1, so a tag
modulo that prime distinguishes any two. Whatever could exceed that is refused before it leaves,
with the bound in the message.

>>> words = encode(np.array([0.5, -0.25]), bits=10, holders=3)
>>> decode(words + words + words, bits=10)
array([ 1.5 , -0.75])
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError, TotalError

Words = NDArray[np.uint64]

LARGEST = 2**60 - 1
"""A total's largest size, in units of 2^−f."""
USUAL_BITS, MOST_BITS = 40, 59


def encode(array: NDArray[Any], bits: int, holders: int) -> Words:
    """Whole numbers modulo 2⁶⁴; refused if the sum over `holders` such arrays could overflow."""
    if not 0 <= bits <= MOST_BITS:
        raise InputError(f"Fraction bits must lie between 0 and {MOST_BITS}; got {bits}.")
    array = np.asarray(array)  # a masked array's hidden numbers would leave with the others
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise InputError(f"A sum between parties can't add up an array of dtype {array.dtype}.")
    if array.dtype.kind == "f":
        return _of_floats(array, bits, holders)
    _check_range(array, bits, 2**bits, holders)
    return np.asarray(array.astype(np.int64) << bits).view(np.uint64)


def _of_floats(array: NDArray[Any], bits: int, holders: int) -> Words:
    if not np.isfinite(array).all():
        raise InputError("A statistic holds NaN or infinity, which can't be summed; it stays here.")
    with np.errstate(over="ignore"):  # what overflows is out of range, which is checked next
        scaled = np.rint(np.multiply(array, 2.0**bits, dtype=np.float64))
    _check_range(scaled, bits, 1, holders)
    return np.asarray(scaled.astype(np.int64)).view(np.uint64)


def _check_range(numbers: NDArray[Any], bits: int, unit: int, holders: int) -> None:
    """Compared as Python's whole numbers, since as floats the bound itself would be rounded."""
    most = LARGEST // holders
    ends = [numbers.min().item(), numbers.max().item()] if numbers.size else []
    if any(not -most <= end * unit <= most for end in ends):
        raise InputError(
            f"A statistic holds a number beyond ±{most / 2**bits:.6g}, the bound at {bits} "
            f"fraction bits and {holders} parties, since their sum could overflow; divide the "
            "counts by a number of your choice, or use fewer fraction bits."
        )


def as_whole(words: Words, holders: int) -> NDArray[np.int64]:
    """My own words as whole numbers; refused if the sum over `holders` of them could overflow."""
    whole = words.view(np.int64)
    _check_range(whole, 0, 1, holders)
    return whole


def decode(words: Words, bits: int) -> NDArray[np.float64]:
    """The sum as floats."""
    return np.asarray(signed(words) / 2.0**bits)


def signed(words: Words) -> NDArray[np.int64]:
    """The sum as whole numbers; refused if it is larger than any sum of honest holders."""
    whole = words.view(np.int64)
    if whole.size and max(int(whole.max()), -int(whole.min())) > LARGEST:
        raise TotalError(
            "A total is larger than the contributions can add up to: it has been altered."
        )
    return whole


@dataclass(frozen=True)
class Layout:
    """What a message of words stands for: arrays of these shapes, kinds and fraction bits."""

    shapes: tuple[tuple[int, ...], ...]
    kinds: tuple[str, ...]
    """"f" for floats, "i" for whole numbers."""
    bits: tuple[int, ...]

    @property
    def sizes(self) -> list[int]:
        """The number of words that each array takes."""
        return [math.prod(shape) for shape in self.shapes]

    @property
    def digest(self) -> bytes:
        """A hash of the whole layout."""
        plain = [self.shapes, self.kinds, self.bits]
        return sha256(
            b"chatham layout" + json.dumps(plain, separators=(",", ":")).encode()
        ).digest()


def bits_for(largest: float, holders: int) -> int:
    """The number of fraction bits that fit if no holder's number is beyond ±`largest`.

    Half of the room is left free, for sums that are rounded up. Where even whole numbers have no
    room there are no bits left, and it is `encode` that refuses.

    >>> bits_for(1e6, 10), bits_for(1e30, 10)
    (35, 0)
    """
    if not math.isfinite(largest):
        return 0
    room = MOST_BITS - (math.ceil(largest) * holders).bit_length()
    return min(max(room, 0), MOST_BITS)


def pack(arrays: Sequence[NDArray[Any]], bits: Sequence[int], holders: int) -> tuple[Layout, Words]:
    """Arrays end to end as words, each with its number of fraction bits."""
    words = [encode(array, f, holders).ravel() for array, f in zip(arrays, bits, strict=True)]
    kinds = tuple("f" if array.dtype.kind == "f" else "i" for array in arrays)
    shapes = tuple(tuple(int(n) for n in array.shape) for array in arrays)
    return Layout(shapes, kinds, tuple(bits)), np.concatenate([np.empty(0, np.uint64), *words])


def unpack(layout: Layout, words: Words) -> tuple[NDArray[Any], ...]:
    """The totals as arrays again: whole numbers where whole numbers went in without a fraction."""
    if len(words) != sum(layout.sizes):
        raise TotalError(f"A total has {len(words)} words instead of {sum(layout.sizes)}.")
    arrays: list[NDArray[Any]] = []
    ends = np.cumsum(layout.sizes)
    for end, size, shape, kind, bits in zip(
        ends, layout.sizes, layout.shapes, layout.kinds, layout.bits, strict=True
    ):
        piece = words[end - size : end]
        whole = kind == "i" and bits == 0
        arrays.append((signed(piece).copy() if whole else decode(piece, bits)).reshape(shape))
    return tuple(arrays)
