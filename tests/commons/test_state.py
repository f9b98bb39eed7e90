"""Hashes of what parties share: the same for the same, another for anything else."""

from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chatham.commons.state import floats_of, state_hash, with_floats
from chatham.errors import InputError
from tests.vectors import load
from tests.vectors.make import sample_states

FROZEN = load("state")


class Point(NamedTuple):
    x: Any
    y: Any


class Pair(NamedTuple):
    x: Any
    y: Any


@dataclass
class Priors:
    alpha: Any
    beta: Any = 0


@dataclass(frozen=True)
class Others:
    alpha: Any
    beta: Any = 0


def different():
    """Things of which no two are the same."""
    dense = np.array([[0, 1], [2, 0]])
    return [
        *sample_states().values(),
        1, 1.0, True, "1", "", b"", "True", "None", 1j, -0.0, np.float32(1), np.float64(2),
        (1, 2), [1, 2], (1, (2,)), ((1,), 2), ((1, 2),), (12,), ("1", "2"), ("12", ""), ("", "12"),
        Point(1, 2), Pair(1, 2), Point(2, 1), Priors(1, 2), Priors(2, 1), Others(1, 2),
        {"x": 1, "y": 2}, {"x": 2, "y": 1}, {"x": 1}, {1: "x"}, (("x", 1), ("y", 2)), {},
        np.zeros(0), np.zeros((0, 3)), np.zeros((3, 0)), np.zeros(3, np.float32),
        np.arange(4), np.arange(4).reshape(2, 2), np.arange(4).reshape(2, 2).T, np.arange(4.0),
        np.array(["a", "b"]), np.array(["ab", ""]), np.array([b"a", b"b"]), np.array([True, False]),
        np.array([np.nan]), np.array([np.inf]), float("nan"), dense, sp.csr_array(dense),
        sp.csr_array(dense.T), sp.csr_array(dense.astype(float)), sp.csr_array((2, 2)),
        sp.csr_array((2, 3)), [np.zeros(2), np.zeros(3)], [np.zeros(3), np.zeros(2)], np.zeros(5),
    ]  # fmt: skip


def test_hashes_are_those_that_were_frozen():
    assert {name: state_hash(value).hex() for name, value in sample_states().items()} == FROZEN


def test_different_things_have_different_hashes():
    hashes = {}
    for thing in different():
        other = hashes.setdefault(state_hash(thing), thing)
        assert other is thing, f"{other!r} and {thing!r}"


def test_the_same_things_have_the_same_hash():
    assert [state_hash(a) for a in different()] == [state_hash(b) for b in different()]


@given(
    hnp.arrays(st.sampled_from(["f8", "f4", "i8", "?"]), hnp.array_shapes(min_dims=0, min_side=0))
)
def test_how_an_array_lies_in_memory_doesnt_matter(array):
    known = state_hash(array)
    assert state_hash(np.asfortranarray(array).reshape(array.shape)) == known
    assert state_hash(array.astype(array.dtype.newbyteorder(">"))) == known
    assert state_hash(np.stack([array, array])[1]) == known


@given(hnp.arrays("f8", hnp.array_shapes(max_side=4)), st.data())
def test_one_bit_more_gives_another_hash(array, data):
    other = array.copy()
    bits = other.reshape(-1).view(np.uint64)
    place = data.draw(st.integers(0, len(bits) - 1))
    bits[place] ^= np.uint64(1 << data.draw(st.integers(0, 63)))
    assert state_hash(other) != state_hash(array)


def test_a_numpy_number_is_what_its_array_is():
    assert state_hash(np.float64(1.5)) == state_hash(np.array(1.5)) != state_hash(np.array([1.5]))


def test_one_sparse_matrix_written_in_several_ways_is_the_same():
    dense = np.array([[0, 1.5, 2], [0, 0, 0], [3, 0, 0]])
    known = state_hash(sp.csr_array(dense))
    twice = sp.coo_array(([1.0, 0.5, 2, 3], ([0, 0, 0, 2], [1, 1, 2, 0])), (3, 3))
    backwards = sp.csr_array(
        (np.array([2, 1.5, 3]), np.array([2, 1, 0]), np.array([0, 2, 2, 3])), (3, 3)
    )
    wide = sp.csr_array(dense)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for other in (twice, backwards, wide, sp.csc_array(dense), sp.csr_matrix(dense)):
        assert state_hash(other) == known
    assert not backwards.has_sorted_indices, "what is hashed is left as it was"


class Colour(Enum):
    RED = 1


@pytest.mark.parametrize(
    "value",
    [
        {1, 2}, object(), lambda: 1, np.array([1], object), np.array(["2020"], "datetime64[D]"),
        np.array([(1,)], [("a", int)]), np.ma.masked_equal([1, 2], 1), Colour.RED, Priors, int,
        np.random.default_rng(0), iter([1]), (1, [{"deep": {3}}]),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_cant_be_the_same_everywhere_is_refused(value):
    with pytest.raises(InputError, match="can't be shared between parties"):
        state_hash(value)


def test_floats_are_taken_out_and_put_back():
    shared = (1.5, "a", np.arange(4.0).reshape(2, 2), 3, np.float32(0.25), np.arange(2), None)
    floats = floats_of(shared)
    assert floats.tolist() == [1.5, 0, 1, 2, 3, 0.25]
    again = with_floats(shared, floats)
    assert state_hash(again[:4]) == state_hash(shared[:4])
    changed = with_floats(shared, floats + 1)
    assert changed[0] == 2.5
    assert changed[2].tolist() == [[1, 2], [3, 4]]
    assert changed[1] == "a"
