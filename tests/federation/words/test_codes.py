"""Words as numbers: spelt and read again, hashed with a key, counted in little room."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatham.commons.fixed_point import pack, unpack
from chatham.federation.words import agreeing
from chatham.federation.words.codes import (
    FINGERPRINT_BITS,
    LETTERS,
    can_travel,
    flags_at,
    flags_counted,
    hashes_of,
    letters_of,
    numbers_for_flags,
    word_of,
)

words_ = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).filter(can_travel)


@given(words_)
def test_a_word_is_spelt_and_read_again(word):
    letters = letters_of(word)
    assert letters.shape == (LETTERS,)
    assert ((letters >= 0) & (letters < 2**48)).all()
    assert word_of(letters) == word


@given(st.lists(st.integers(-(2**62), 2**62) | st.integers(0, 2**48), min_size=11, max_size=11))
def test_what_spells_no_word_is_nothing(numbers):
    found = word_of(np.array(numbers))
    assert found == "" or letters_of(found).tolist() == numbers


@pytest.mark.parametrize("number", [-1, 2**48])
def test_letters_are_below_2_to_48_and_not_below_0(number):
    letters = letters_of("tea")
    letters[-1] = number
    assert word_of(letters) == ""


@pytest.mark.parametrize(
    "whole", [b"\x03te", b"\x02tea", b"\x03t\xffa", b"\x00", b"\x41" + b"x" * 65]
)
def test_a_word_is_no_shorter_and_no_longer_than_it_says(whole):
    whole = whole.ljust(66, b"\0")
    numbers = [int.from_bytes(whole[i : i + 6], "big") for i in range(0, 66, 6)]
    assert word_of(np.array(numbers)) == ""


@given(st.data(), st.integers(1, 200), st.integers(1, 300))
def test_flags_are_counted_at_their_places(data, holders, size):
    chosen = st.lists(st.integers(0, size - 1), unique=True)
    mine = [np.array(data.draw(chosen), dtype=np.int64) for _ in range(min(holders, 4))]
    total = sum(flags_at(places, size, holders) for places in mine)
    expected = np.bincount(np.concatenate(mine), minlength=size)
    assert flags_counted(total, size, holders).tolist() == expected.tolist()
    assert len(total) == numbers_for_flags(size, holders)


@pytest.mark.parametrize("holders", [1, 2, 3, 7, 8, 15, 16, 63, 64, 127, 128, 200])
def test_sums_of_any_number_of_parties_have_room(holders):
    flags = flags_at(np.arange(100), 100, holders)
    fingerprint = np.array([2**FINGERPRINT_BITS - 1])
    largest = np.array([2**48 - 1, 2**32 - 1])
    layout, words = pack([flags, fingerprint, largest], (0, 0, 0), holders)
    counted, fingerprints, others = unpack(layout, words * np.uint64(holders))
    assert (flags_counted(counted, 100, holders) == holders).all()
    assert (fingerprints // holders == fingerprint).all()
    assert (others // holders == largest).all()


def test_hashes_need_the_key_and_fill_the_buckets_evenly():
    names = [f"word{i}" for i in range(20_000)]
    buckets, fingerprints = hashes_of(names, b"key", 16)
    assert np.bincount(buckets, minlength=16).min() > 1000
    assert len(np.unique(fingerprints)) == len(names)
    assert fingerprints.min() >= 0
    assert 2 ** (FINGERPRINT_BITS - 1) < fingerprints.max() < 2**FINGERPRINT_BITS
    assert (hashes_of(names, b"another", 16)[1] != fingerprints).all()


@pytest.mark.parametrize(
    ("words", "buckets"), [(1, 2**10), (32, 2**10), (33, 2**11), (2**17, 2**22), (10**9, 2**22)]
)
def test_buckets_are_a_power_of_two_with_room(words, buckets):
    assert agreeing.buckets_for(words) == buckets
