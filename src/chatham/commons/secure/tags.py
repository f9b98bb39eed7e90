"""A tag that adds up like the words: it shows whether somebody altered the sum on the way.

t = Σ_j x_j·κ^(j+1) modulo the prime p = 2⁶¹ − 1, for whole numbers x_j and a key κ that the relay
doesn't know. Tags of parties add up to the tag of the total.

An attacker who alters a message of n words without knowing κ is detected except with probability
n/2⁶¹:
- They can only add to words modulo 2⁶⁴. A total beyond ±(2⁶⁰ − 1) is refused before its tag is
  checked, which already catches an added 2⁶³; so what they added to word j is, as a whole number,
  some d_j with |d_j| ≤ 2⁶¹ − 2 < p. That is 0 modulo p only if it is 0: multiples of p are caught.
- The tag's words are refused beyond what M tags add up to, so what they added to these is also one
  whole number e. They win if Σ_j d_j·κ^(j+1) = e modulo p, a polynomial in κ that isn't zero and
  has at most n roots among the p equally likely values of κ.
"""

from __future__ import annotations

from hmac import compare_digest
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from chatham.commons.fixed_point import Words

PRIME = 2**61 - 1
HALF = 2**32
_P = np.uint64(PRIME)


def tag_words(whole: NDArray[np.int64], key: int) -> Words:
    """The tag of my words, as two more words: its lower and upper 32 bits, which can't overflow."""
    tag = int(_tag(whole, np.uint64(key % PRIME)))
    return np.array([tag % HALF, tag // HALF], dtype=np.uint64)


def tag_of(words: Words) -> int:
    """The sum of tags, from the sum of such words."""
    return (int(words[0]) + HALF * int(words[1])) % PRIME


def is_tagged(whole: NDArray[np.int64], key: int, words: Words, parties: int) -> bool:
    """Whether these two words are the sum of `parties` tags, and equal to the tag of `whole`."""
    if int(words.max()) > parties * (HALF - 1):
        return False
    computed, received = int(_tag(whole, np.uint64(key % PRIME))), tag_of(words)
    return compare_digest(computed.to_bytes(8, "big"), received.to_bytes(8, "big"))


@njit(cache=True, nogil=True)
def _tag(whole: NDArray[np.int64], key: Any) -> Any:
    """Horner's rule, from the last word to the first, for every fourth word: a product has to wait
    for the one before it, so four sums side by side take little longer than one."""
    fourth = _product(_product(key, key), _product(key, key))
    rest = len(whole) % 4
    end = len(whole) - rest
    first, second, third, last = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
    if rest > 0:
        first = _residue(whole[end])
    if rest > 1:
        second = _residue(whole[end + 1])
    if rest > 2:
        third = _residue(whole[end + 2])
    for index in range(end - 4, -1, -4):
        first = _reduced(_product(first, fourth) + _residue(whole[index]))
        second = _reduced(_product(second, fourth) + _residue(whole[index + 1]))
        third = _reduced(_product(third, fourth) + _residue(whole[index + 2]))
        last = _reduced(_product(last, fourth) + _residue(whole[index + 3]))
    total = _product(last, key)
    total = _product(_reduced(total + third), key)
    total = _product(_reduced(total + second), key)
    return _product(_reduced(total + first), key)


@njit(cache=True, nogil=True)
def _residue(number: Any) -> Any:
    size = _reduced(np.uint64(abs(number)))
    return size if number >= 0 or size == 0 else _P - size


@njit(cache=True, nogil=True)
def _reduced(number: Any) -> Any:
    folded = (number >> np.uint64(61)) + (number & _P)
    return folded - _P if folded >= _P else folded


@njit(cache=True, nogil=True)
def _product(left: Any, right: Any) -> Any:
    """left·right modulo 2⁶¹ − 1 from halves of 31 and 30 bits, none of which overflows."""
    low = np.uint64(2**31 - 1)
    left_up, left_low = left >> np.uint64(31), left & low
    right_up, right_low = right >> np.uint64(31), right & low
    middle = left_low * right_up + left_up * right_low
    up, down = middle >> np.uint64(30), middle & np.uint64(2**30 - 1)
    whole = left_up * right_up * np.uint64(2) + up + (down << np.uint64(31)) + left_low * right_low
    return _reduced(whole)
