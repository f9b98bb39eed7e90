"""Tags add up as words do, and tell any altered total within the range apart.

An attacker adds to words modulo 2⁶⁴. Totals lie within ±(2⁶⁰ − 1), so what he added is, as a whole
number, smaller than the prime in size, or the total is out of range: these tests try both.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatham.commons.fixed_point import LARGEST, signed
from chatham.commons.secure.tags import HALF, PRIME, is_tagged, tag_of, tag_words
from chatham.errors import TotalError
from tests.vectors import load

NUMBERS = st.integers(-LARGEST, LARGEST)
KEYS = st.integers(0, 2**256 - 1)


def reference(numbers, key):
    """The definition, in whole numbers of any length."""
    return sum(x * pow(key, j + 1, PRIME) for j, x in enumerate(numbers)) % PRIME


def tag(numbers, key):
    return tag_of(tag_words(np.array(numbers, np.int64), key))


def check(words, key, tag_, parties=1):
    """As a party checks a total: its range, then its tag."""
    try:
        return is_tagged(signed(words), key, tag_, parties)
    except TotalError:
        return False


@pytest.mark.parametrize("case", load("tags")["good"], ids=lambda case: case["key"][:12])
def test_tags_are_those_that_were_frozen(case):
    words, key = np.array(case["words"], np.int64), int(case["key"], 16)
    assert [f"{int(word):016x}" for word in tag_words(words, key)] == case["tag"]
    assert tag_of(tag_words(words, key)) == reference(case["words"], key)


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=30), KEYS)
def test_a_tag_is_what_big_whole_numbers_say(numbers, key):
    assert tag(numbers, key) == reference(numbers, key)


EDGES = [0, 1, 2, 2**30, 2**31 - 1, 2**31, PRIME - 1, PRIME // 2, PRIME - 2**31, 2**60, 2**60 - 1]


@pytest.mark.parametrize("key", [*EDGES, PRIME, PRIME + 1, 2**64 - 1])
def test_products_at_the_edges_of_their_halves_are_right(key):
    for number in (*EDGES, *(-edge for edge in EDGES), 2**63 - 1, -(2**63)):
        assert tag([number, number], key) == reference([number, number], key)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=20), KEYS)
def test_tags_add_up_to_the_tag_of_the_total(pairs, key):
    parts = [[left // 2 for left, _ in pairs], [right // 2 for _, right in pairs]]
    words = [tag_words(np.array(part, np.int64), key) for part in parts]
    total = np.add(*[np.array(part, np.int64) for part in parts])
    assert is_tagged(total, key, words[0] + words[1], 2)


def test_many_tags_add_up_without_overflow():
    rng, parties = np.random.default_rng(0), 1000
    parts = rng.integers(-(LARGEST // parties), LARGEST // parties, (parties, 50))
    key = 2**61 - 2
    added = np.add.reduce([tag_words(part, key) for part in parts])
    assert is_tagged(parts.sum(axis=0), key, added, parties)


@pytest.mark.parametrize(
    "more",
    [1, 2**63, 2**62, 2**61, 2**60, PRIME, 2 * PRIME, 7 * PRIME, 8 * PRIME, 2**64 - PRIME]
    + [2**64 - k * PRIME for k in (2, 3, 8)]
    + [2**32, 2**64 - 1],
    ids=hex,
)
@pytest.mark.parametrize("start", [0, 1, -1, LARGEST, -LARGEST, 2**59, -(2**59), 12345])
@pytest.mark.parametrize("place", [0, 3, 6])
def test_any_altered_word_is_caught(more, start, place):
    numbers = np.array([5, -7, 11, -13, 17, -19, 23], np.int64)
    numbers[place] = start
    key = 0x123456789ABCDEF
    words = numbers.view(np.uint64)
    assert check(words, key, tag_words(numbers, key))
    altered = words.copy()
    altered[place : place + 1] += np.uint64(more)
    assert not check(altered, key, tag_words(numbers, key))


@given(NUMBERS, NUMBERS)
def test_no_two_totals_within_the_range_are_the_same_modulo_the_prime(one, other):
    """Why the range is half of the prime: were it any wider, one could add the prime unseen."""
    assert (one == other) == ((one - other) % PRIME == 0)


def test_the_range_is_as_wide_as_it_can_be():
    assert 2 * LARGEST < PRIME <= 2 * (LARGEST + 1)


@given(st.lists(NUMBERS, min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_words_in_another_order_are_caught(numbers, random):
    other, key = random.sample(numbers, len(numbers)), 0x0FEDCBA987654321
    assert (tag(numbers, key) == tag(other, key)) == (other == numbers)


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("more", [1, 2**32, 2**63, PRIME, 2**64 - 1, 2**64 - PRIME], ids=hex)
def test_an_altered_tag_is_caught(place, more):
    numbers = np.array([5, -7, 11], np.int64)
    altered = tag_words(numbers, 99)
    altered[place : place + 1] += np.uint64(more)
    assert not is_tagged(numbers, 99, altered, 1)


def test_a_tag_that_wraps_around_to_the_same_residue_is_refused():
    """2⁶⁴ = 8 modulo the prime: without a range, a wrapped tag would stand for another one."""
    numbers, parties = np.array([5, -7, 11], np.int64), 3
    key = 2**60 + 7
    right = tag_words(numbers, key)
    same = np.array([int(right[0]) + HALF, int(right[1]) - 1], np.uint64)
    assert is_tagged(numbers, key, same, parties)
    beyond = np.array([PRIME + int(right[0]), right[1]], np.uint64)
    assert tag_of(beyond) == tag_of(right)
    assert not is_tagged(numbers, key, beyond, parties)


def test_only_the_roots_of_a_polynomial_let_an_alteration_through():
    """x − 2 times x − 3 as an alteration: found out by each key but 0, 2 and 3."""
    altered, nothing = np.array([6, -5, 1], np.int64), np.zeros(2, np.uint64)
    assert [key for key in range(2000) if is_tagged(altered, key, nothing, 1)] == [0, 2, 3]


def test_no_words_have_a_tag_too():
    assert tag([], 5) == 0
    assert is_tagged(np.empty(0, np.int64), 5, np.zeros(2, np.uint64), 1)
