"""Words as numbers that can be added up: keyed hashes, letters, and packed flags.

All numbers are integers, so small that the sum over `MOST_PARTIES` parties stays within what a
masked sum can hold (`chatham.commons.fixed_point.LARGEST`).
"""

from __future__ import annotations

import hmac
import unicodedata
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

LONGEST_WORD = 64
"""Bytes of a word in UTF-8; a longer one can't travel, so it can't be agreed on."""
LETTERS = 11
"""Numbers that a word takes: a byte for its length, its bytes, and zeros, six bytes per number."""
FINGERPRINT_BITS = 52
"""200 parties' fingerprints add up to less than 2⁶⁰."""
_BYTES, _FLAG_BITS = 6, 56
_UNFIT = ("Cc", "Cs", "Zl", "Zp")
"""Control characters, surrogates, and separators of lines and paragraphs."""


def can_travel(word: str) -> bool:
    """Whether a word can be agreed on: not empty, 64 bytes at most, all on one line.

    >>> [can_travel(word) for word in ("tea", "čaj", "", "a\\0", "a\\nb", "x" * 65)]
    [True, True, False, False, False, False]
    """
    if any(unicodedata.category(character) in _UNFIT for character in word):
        return False
    return 0 < len(word.encode()) <= LONGEST_WORD


def hashes_of(words: Iterable[str], key: bytes, buckets: int) -> tuple[Numbers, Numbers]:
    """Each word's bucket and its fingerprint, which nobody without the key can compute.

    They are separate parts of one HMAC-SHA256, and so independent. `buckets` is a power of two.
    """
    hashes = b"".join(hmac.digest(key, word.encode(), "sha256")[:16] for word in words)
    halves = np.frombuffer(hashes, ">u8").reshape(-1, 2)
    bucket = (halves[:, 0] % buckets).astype(np.int64)
    return bucket, (halves[:, 1] >> (64 - FINGERPRINT_BITS)).astype(np.int64)


def letters_of(word: str) -> Numbers:
    """A word's length and bytes as 11 whole numbers below 2⁴⁸.

    >>> word_of(letters_of("tea"))
    'tea'
    """
    content = word.encode()
    whole = (bytes([len(content)]) + content).ljust(LETTERS * _BYTES, b"\0")
    parts = (whole[first : first + _BYTES] for first in range(0, len(whole), _BYTES))
    return np.array([int.from_bytes(part, "big") for part in parts], dtype=np.int64)


def word_of(letters: Numbers) -> str:
    """The word that these numbers spell; empty if they spell none."""
    if not ((letters >= 0) & (letters < 1 << 8 * _BYTES)).all():
        return ""
    whole = b"".join(int(number).to_bytes(_BYTES, "big") for number in letters)
    try:
        word = whole[1 : 1 + whole[0]].decode()
    except UnicodeDecodeError:
        return ""
    # Spelling it again shows whether anything follows its end.
    return word if can_travel(word) and np.array_equal(letters_of(word), letters) else ""


def flags_at(positions: Numbers, size: int, holders: int) -> Numbers:
    """`size` flags, set at these positions, packed as many per number as their sum has room for.

    >>> flags_at(np.array([0, 30]), 40, holders=3).tolist()
    [1, 16]
    """
    bits, per_number = _room(holders)
    packed = np.zeros(numbers_for_flags(size, holders), dtype=np.int64)
    np.add.at(packed, positions // per_number, np.int64(1) << bits * (positions % per_number))
    return packed


def flags_counted(packed: Numbers, size: int, holders: int) -> Numbers:
    """How many holders set the flag at each position, from the sum of what they packed.

    >>> flags_counted(np.array([1, 16]) + np.array([0, 16]), 40, holders=3).nonzero()
    (array([ 0, 30]),)
    """
    bits, per_number = _room(holders)
    shifts = bits * np.arange(per_number)
    return ((packed[:, None] >> shifts) & ((1 << bits) - 1)).ravel()[:size]


def numbers_for_flags(size: int, holders: int) -> int:
    """How many numbers it takes to pack `size` flags.

    >>> numbers_for_flags(2**20, holders=3)
    37450
    """
    return -(-size // _room(holders)[1])


def _room(holders: int) -> tuple[int, int]:
    """The bits that a count up to `holders` needs, and how many such counts fit in a number."""
    bits = holders.bit_length()
    return bits, _FLAG_BITS // bits
