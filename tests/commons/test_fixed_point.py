"""Sums of whole numbers to the bit, of floats within the bound, and refusals before they leave."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatham.commons.fixed_point import (
    LARGEST,
    Layout,
    as_whole,
    bits_for,
    decode,
    encode,
    pack,
    signed,
    unpack,
)
from chatham.errors import InputError, TotalError
from tests.vectors import load

FROZEN = load("fixed_point")


def array_of(case):
    return np.array([float(v) if isinstance(v, str) else v for v in case["values"]], case["dtype"])


@pytest.mark.parametrize("case", FROZEN["good"], ids=lambda case: f"{case['dtype']}-{case['bits']}")
def test_words_are_those_that_were_frozen(case):
    words = encode(array_of(case), case["bits"], case["holders"])
    assert [f"{int(word):016x}" for word in words] == case["words"]


@pytest.mark.parametrize("case", FROZEN["bad"], ids=lambda case: case["why"])
def test_what_was_refused_is_refused(case):
    with pytest.raises(InputError):
        encode(array_of(case), case["bits"], case["holders"])


def test_a_layout_and_its_words_are_those_that_were_frozen():
    layout, words = pack([np.ones((2, 2)), np.array([7])], (40, 0), 3)
    assert layout.digest.hex() == FROZEN["layout"]["digest"]
    assert [f"{int(word):016x}" for word in words] == FROZEN["layout"]["words"]


@given(st.integers(1, 200).flatmap(
    lambda holders: st.lists(
        st.integers(-(LARGEST // holders), LARGEST // holders), min_size=holders, max_size=holders
    )
))  # fmt: skip
def test_sums_of_whole_numbers_are_exact_to_the_bit(numbers):
    words = [encode(np.array([number]), 0, len(numbers)) for number in numbers]
    assert int(signed(np.add.reduce(words))[0]) == sum(numbers)


@st.composite
def floats_within(draw):
    holders, bits = draw(st.integers(1, 50)), draw(st.sampled_from([0, 1, 10, 20, 31, 40, 52, 59]))
    most = float(Fraction(LARGEST // holders - 1, 2**bits)) * (1 - 2**-52)
    numbers = st.floats(-most, most, allow_nan=False)
    return bits, draw(st.lists(numbers, min_size=holders, max_size=holders))


@given(floats_within())
def test_a_sum_of_floats_is_off_by_at_most_the_bound_and_then_rounded_once(case):
    bits, numbers = case
    words = np.add.reduce([encode(np.array([x]), bits, len(numbers)) for x in numbers])
    total = Fraction(int(signed(words)[0]), 2**bits)
    exact = sum(map(Fraction, numbers))
    assert abs(total - exact) <= Fraction(len(numbers), 2 ** (bits + 1))
    assert decode(words, bits)[0] == float(total)


def test_precision_grows_with_fraction_bits_as_the_bound_says():
    rng, holders = np.random.default_rng(0), 9
    parts = rng.normal(size=(holders, 20_000))
    exact = [sum(map(Fraction, column)) for column in parts.T[:200]]
    worst = {}
    for bits in (10, 20, 31, 40):
        words = np.add.reduce([encode(part, bits, holders) for part in parts])
        found = decode(words, bits)[:200]
        worst[bits] = max(abs(Fraction(f) - e) for f, e in zip(found, exact, strict=True))
        bound = Fraction(holders, 2 ** (bits + 1))
        assert bound / 20 < worst[bits] <= bound
    assert worst[10] > 500 * worst[20] > 500 * 1000 * worst[31] > 500 * 1000 * 250 * worst[40]


@pytest.mark.parametrize("bits", [0, 10, 40, 59])
@pytest.mark.parametrize("holders", [1, 2, 3, 7, 10, 200])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_bound_is_sharp_for_whole_numbers(bits, holders, sign):
    most = LARGEST // holders >> bits
    within = encode(np.array([sign * most]), bits, holders)
    total = signed(np.add.reduce([within] * holders))
    assert int(total[0]) == sign * holders * (most << bits)
    with pytest.raises(InputError, match=f"at {bits} fraction bits and {holders} parties"):
        encode(np.array([sign * (most + 1)]), bits, holders)


@pytest.mark.parametrize("holders", [1, 3, 7, 200])
@pytest.mark.parametrize("bits", [0, 31, 59])
def test_no_float_that_is_let_through_can_overflow(holders, bits):
    """As a float the bound itself may lie above the true one; the next floats are tried."""
    edge = LARGEST // holders / 2.0**bits
    for number in (np.nextafter(edge, 0), edge, np.nextafter(edge, np.inf)):
        if int(number * 2.0**bits) > LARGEST // holders:
            with pytest.raises(InputError, match="could overflow"):
                encode(np.array([number]), bits, holders)
        else:
            words = encode(np.array([number]), bits, holders)
            assert int(words.view(np.int64)[0]) * holders <= LARGEST


def test_the_bound_is_in_the_message():
    with pytest.raises(InputError, match=r"beyond ±349525, the bound at 40 fraction bits and 3"):
        encode(np.array([349526.0]), 40, 3)


@pytest.mark.parametrize(
    "array",
    [
        np.array([np.nan]),
        np.array([1.0, np.inf]),
        np.array([-np.inf], np.float32),
        np.array([1e308]),
        np.array([1 + 0j]),
        np.array([1], object),
        np.array(["1"]),
        np.array([b"1"]),
        np.array(["2020"], "datetime64[D]"),
        np.array([(1,)], [("a", int)]),
        np.array([1], np.longdouble),
        np.array([2**63], np.uint64),
        np.array([-(2**63)]),
        np.ma.masked_invalid([1.0, np.nan]),
        np.ma.masked_greater([1.0, 1e300], 10),
    ],
    ids=repr,
)
def test_what_no_sum_can_hold_is_refused(array):
    with pytest.raises(InputError):
        encode(array, 40, 3)
    with pytest.raises(InputError):
        pack([np.zeros(2), array], (40, 40), 3)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_none_is_called_so(number):
    with pytest.raises(InputError, match="NaN or infinity"):
        encode(np.array([0, number]), 40, 3)


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f8", "i1", ">i4", "u2", ">u8", "?"])
def test_numbers_of_other_kinds_and_byte_orders_are_the_same_numbers(dtype):
    array = np.array([0, 1, 1, 0], dtype)
    assert np.array_equal(decode(encode(array, 10, 3), 10), [0, 1, 1, 0])


@pytest.mark.parametrize("bits", [-1, 60, 64])
def test_fraction_bits_out_of_range_are_refused(bits):
    with pytest.raises(InputError, match="between 0 and 59"):
        encode(np.zeros(1), bits, 3)


def test_a_total_beyond_the_range_is_refused():
    assert signed(np.array([LARGEST, 2**64 - LARGEST], np.uint64)).tolist() == [LARGEST, -LARGEST]
    for word in (LARGEST + 1, 2**63, 2**64 - LARGEST - 1):
        with pytest.raises(TotalError):
            signed(np.array([word], np.uint64))
        with pytest.raises(TotalError):
            decode(np.array([word], np.uint64), 40)


def test_my_own_words_must_leave_room_for_the_others():
    assert as_whole(np.array([LARGEST // 3], np.uint64), 3)[0] == LARGEST // 3
    for word in (LARGEST // 3 + 1, 2**64 - LARGEST // 3 - 1, 2**63):
        with pytest.raises(InputError, match="could overflow"):
            as_whole(np.array([word], np.uint64), 3)


def test_arrays_of_any_form_come_back_as_they_went():
    arrays = [
        np.arange(6.0).reshape(2, 3).T,
        np.array(2.5),
        np.zeros((0, 4)),
        np.arange(4)[::2],
        np.array([True, False]),
        np.asfortranarray(np.arange(8).reshape(2, 2, 2)),
    ]
    layout, words = pack(arrays, (40, 40, 40, 0, 0, 0), 2)
    assert layout.bits == (40, 40, 40, 0, 0, 0)
    assert layout.kinds == ("f", "f", "f", "i", "i", "i")
    assert len(words) == sum(layout.sizes) == 6 + 1 + 0 + 2 + 2 + 8
    for array, total in zip(arrays, unpack(layout, words + words), strict=True):
        assert total.shape == array.shape
        assert total.dtype == (np.float64 if array.dtype.kind == "f" else np.int64)
        assert np.array_equal(total, 2 * array.astype(total.dtype))


def test_whole_numbers_with_a_fraction_come_back_as_floats():
    layout, words = pack([np.array([3, -3])], (5,), 2)
    assert unpack(layout, words + words)[0].tolist() == [6.0, -6.0]
    assert unpack(layout, words)[0].dtype == np.float64


def test_nothing_at_all_can_be_packed():
    layout, words = pack([], (), 3)
    assert words.dtype == np.uint64
    assert unpack(layout, words) == ()


@pytest.mark.parametrize("length", [0, 3, 5])
def test_a_total_of_another_length_is_refused(length):
    layout, _ = pack([np.zeros((2, 2))], (40,), 3)
    with pytest.raises(TotalError, match=f"has {length} words instead of 4"):
        unpack(layout, np.zeros(length, np.uint64))


def test_unlike_layouts_have_unlike_digests():
    layouts = [
        Layout(((2, 3),), ("f",), (40,)),
        Layout(((3, 2),), ("f",), (40,)),
        Layout(((6,),), ("f",), (40,)),
        Layout(((2, 3),), ("i",), (40,)),
        Layout(((2, 3),), ("f",), (39,)),
        Layout(((2,), (3,)), ("f", "f"), (40, 40)),
        Layout(((2, 3), ()), ("f", "f"), (40, 40)),
    ]
    assert len({layout.digest for layout in layouts}) == len(layouts)
    assert Layout(((2, 3),), ("f",), (40,)).digest == layouts[0].digest


@given(st.floats(0, 2.0**59, allow_nan=False), st.integers(1, 200))
def test_as_many_bits_as_there_is_room_for_leave_half_of_it_free(largest, holders):
    bits = bits_for(largest, holders)
    assert 0 <= bits <= 59
    if bits:
        words = encode(np.array([largest]), bits, 2 * holders)
        assert int(words[0]) * holders <= LARGEST


def test_there_are_no_bits_for_what_isnt_finite():
    assert bits_for(float("inf"), 3) == bits_for(float("nan"), 3) == 0
