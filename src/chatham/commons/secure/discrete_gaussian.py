"""Discrete Gaussian noise: whole numbers x with probability in proportion to exp(−x²/2s²).

Noise for differential privacy is drawn in the ring in which sums are added up, since the low bits
of a floating-point sum would give away what was added (Mironov 2012). With discrete Gaussians a
theorem says what is left when a coalition takes off its own shares: the sum of h of them, each of
width s, protects a difference of Euclidean norm Δ like one Gaussian of width s√h does, by Δ²/(2hs²)
of zero-concentrated differential privacy, up to 10·Σₖ exp(−2π²s²k/(k + 1)) for k < h (Kairouz, Liu
& Steinke, The distributed discrete Gaussian mechanism, 2021). Here s is far above `NARROWEST`,
where that is less than 10⁻¹⁰⁰⁰.

A wide one is put together from narrow ones: with A and B independent, A·2ᵇ + B is a discrete
Gaussian too as soon as B is twice as wide as 2ᵇ (Micciancio & Peikert 2013, theorem 3.3), here up
to a factor within 2·exp(−2π²·3.9) < 10⁻³³ of one for each number. A narrow one is found by
comparing 128 random bits with a table of cumulative probabilities, worked out in decimals and whole
numbers: the same on every machine, and off by less than 2⁻¹¹⁶ of all probability.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from functools import lru_cache

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from numpy.typing import NDArray

from chatham.commons.secure.keys import derive

Whole = NDArray[np.int64]
Words = NDArray[np.uint64]

NARROWEST = 32.0
"""The width of a narrow one: twice that of the steps between two of them."""
STEP = 4
"""Wide ones are narrow ones times 2⁴, 2⁸ …, and one last step."""
REACH = 14
"""Beyond so many widths there is less than 2⁻¹²⁸ of all probability."""
SALT = b"chatham discrete gaussian"
BITS = 128
DIGITS = 60


def discrete_gaussians(key: bytes, size: int, width: float) -> Whole:
    """Independent whole numbers of a discrete Gaussian of this width; a key is used for one call.

    >>> draws = discrete_gaussians(bytes(32), 10_000, 1e6)
    >>> bool(abs(draws.std() / 1e6 - 1) < 0.03)
    True
    """
    exponents, top = _parts_of(width)
    total = np.zeros(size, np.int64)
    for level, exponent in enumerate(exponents):
        narrow = NARROWEST if level + 1 < len(exponents) else top
        total += _narrow(derive(key, SALT, b"level %d" % level), size, narrow) << exponent
    return total


def _parts_of(width: float) -> tuple[list[int], float]:
    """The powers of two by which narrow ones are multiplied, and the width of the last."""
    if not NARROWEST <= width < 2.0**52:
        raise ValueError(f"A width must lie between {NARROWEST:g} and 2^52: {width}.")
    last = math.floor(math.log2(width / NARROWEST))
    exponents = [*range(0, last, STEP), last]
    below = NARROWEST**2 * sum(4.0**exponent for exponent in exponents[:-1])
    return exponents, math.sqrt(width**2 - below) / 2.0**last


def _narrow(key: bytes, size: int, width: float) -> Whole:
    """Numbers of a discrete Gaussian of a width that a table can hold."""
    high, low = _table(width)
    words = _random_words(derive(key, SALT, b"high"), size)
    at = np.searchsorted(high, words, side="right")
    # Where the first 64 bits are those of an entry, the other 64 decide: once in 10¹⁶ draws.
    same = np.flatnonzero(high[np.maximum(at - 1, 0)] == words)
    if same.size:
        rest = _random_words(derive(key, SALT, b"low"), size)
        at[same] = _by_both(high, low, words[same], rest[same])
    return (at - (len(high) // 2)).astype(np.int64)


def _by_both(high: Words, low: Words, words: Words, rest: Words) -> Whole:
    """How many entries are at most each pair of words."""
    found = [
        np.count_nonzero((high < word) | ((high == word) & (low <= other)))
        for word, other in zip(words, rest, strict=True)
    ]
    return np.array(found, dtype=np.int64)


@lru_cache(maxsize=64)
def _table(width: float) -> tuple[Words, Words]:
    """P(X ≤ x) · 2¹²⁸ for x = −r … r − 1, as two words each."""
    reach = math.ceil(REACH * width)
    with localcontext() as context:
        context.prec = DIGITS
        scale = -1 / (2 * Decimal(width) ** 2)
        side = [(scale * x * x).exp() for x in range(reach + 1)]
        masses = [*side[:0:-1], *side]
        total = sum(masses)
        entries, cumulative = [], Decimal(0)
        for mass in masses[:-1]:
            cumulative += mass
            entries.append(int(cumulative / total * 2**BITS))
    high = np.array([entry >> 64 for entry in entries], dtype=np.uint64)
    low = np.array([entry & (2**64 - 1) for entry in entries], dtype=np.uint64)
    return high, low


def _random_words(key: bytes, size: int) -> Words:
    stream = Cipher(ChaCha20(key, bytes(16)), mode=None).encryptor().update(bytes(8 * size))
    return np.frombuffer(stream, "<u8")
