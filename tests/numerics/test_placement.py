"""Where arrays lie in memory changes no bit of what is computed from them.

An allocator puts a thread's scratch arrays now side by side and now far apart, and compiled loops
look at that. Here arrays are carved out of one buffer: in any order, at any small distance, from
any alignment. The law for each kernel is that nothing differs from arrays a page apart.
"""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core.errors import TypingError

from chatham.learners import plsa
from chatham.learners.anchor import refine
from chatham.learners.nmf.topics import _sweep_simplex
from chatham.numerics.leaning import lean, take
from chatham.numerics.observed import pack_cells
from chatham.numerics.products import dot, multiply_rows
from chatham.numerics.rows import descend_nonnegative, descend_simplex

LINE, PAGE = 8, 512
"""Doubles in a cache line and in a page."""
INDPTR, INDICES = np.array([0, 5, 9]), np.array([0, 3, 1, 5, 2, 4, 2, 0, 3])
"""Two rows with nine cells in six columns: one row takes a whole four and one more."""


def carved(arrays, order, gaps, start):
    """Copies of the arrays in one buffer, `gaps` doubles apart, from `start` in a cache line on."""
    room = np.empty(sum(a.size for a in arrays) + sum(gaps) + 2 * LINE)
    place = (-room.ctypes.data // room.itemsize) % LINE + start
    views = [room] * len(arrays)
    for number, gap in zip(order, gaps, strict=True):
        shape, size = arrays[number].shape, arrays[number].size
        views[number] = room[place : place + size].reshape(shape)
        views[number][...] = arrays[number]
        place += size + gap
    return views


def outcome(kernel, arrays, order, gaps, start):
    """Every byte that the kernel left: in its arrays, and what it returned."""
    views = carved(arrays, order, gaps, start)
    answer = kernel(*views)
    return [view.tobytes() for view in views], None if answer is None else np.array(
        answer
    ).tobytes()


def far_apart(kernel, arrays):
    n = len(arrays)
    return outcome(kernel, arrays, range(n), [PAGE] * n, 0)


def cells(kernel, *more):
    """A kernel over the cells of one sparse row, the other arrays following the cells' values."""
    return lambda data, *arrays: kernel(INDICES[:5], data, *arrays, *more)


ROWS = {
    "lean": (4, lambda leaning, own, word, out: lean(leaning, own, word, 0.7, out)),
    "take": (3, lambda chances, own, counts: take(chances, 0.3, 2.0, own, counts)),
    "dot": (2, dot),
}
"""Kernels over rows of k numbers, and how many rows."""

KERNELS = {
    "multiply_rows": (
        lambda k: [(9,), (6, k), (2, k)],
        lambda data, dense, out: multiply_rows(INDPTR, INDICES, data, dense, 0, 2, out),
    ),
    "PLSA's step": (lambda k: [(5,), (6, k), (k,), (k,)], cells(plsa._move)),
    "PLSA's strides": (lambda k: [(5,), (6, k), (k,), (4, k)], cells(plsa._settle)),
    "PLSA's ratios": (
        lambda k: [(9,), (6, k), (2, k), (9,)],
        lambda *arrays: plsa._reweigh(INDPTR, INDICES, *arrays, True, 0, 2),
    ),
    "refinement": (
        lambda k: [(9,), (6, k), (k,), (2, k), (6, k)],
        lambda *arrays: refine._settle(INDPTR, INDICES, *arrays, 3, 0, 2),
    ),
    "non-negative rows": (
        lambda k: [(3, k), (3, k), (k, k)],
        lambda w, p, gram: descend_nonnegative(w, p, gram, 0.1, 0.1, 0, len(gram), 2),
    ),
    "simplex rows": (
        lambda k: [(3, k), (3, k), (k, k)],
        lambda w, p, gram: descend_simplex(w, p, gram, 0.1, 0, len(gram), 2),
    ),
    "packed cells": (
        lambda k: [(5,), (5,), (6, k), (k * (k + 1) // 2,), (k,)],
        cells(pack_cells),
    ),
    "simplex topics": (
        lambda k: [(9, k), (9, k), (k, k)],
        lambda by_word, products, gram: _sweep_simplex(by_word, products, gram, 0.1),
    ),
    # What threads leave to BLAS and numpy, each on rows of its own.
    "rows times matrix": (lambda k: [(9, k), (k, 7)], lambda left, right: left @ right),
    "Gram matrix": (lambda k: [(30, k), (30, k)], lambda left, right: left.T @ right),
    "Gram matrix of one": (lambda k: [(30, k)], lambda rows: rows.T @ rows),
    "matrix times row": (lambda k: [(9, k), (k,)], lambda left, right: left @ right),
    "squared rows": (lambda k: [(9, k)], lambda rows: np.einsum("ij,ij->i", rows, rows)),
    "row products": (lambda k: [(9, k)] * 2, lambda a, b: np.einsum("ij,ij->i", a, b)),
    "row sums": (lambda k: [(9, k)], lambda rows: rows.sum(axis=1)),
    "sum": (lambda k: [(9, k)], lambda rows: rows.sum()),
}
"""Kernels over arrays of several shapes: the shapes for k topics, and the call."""


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("k", range(1, 41))
def test_rows_at_every_small_distance_give_the_same_bytes(name, k):
    n, kernel = ROWS[name]
    arrays = list(np.random.default_rng(k).random((n, k)))
    expected = far_apart(kernel, arrays)
    for start, order in enumerate(permutations(range(n))):
        for gap in range(LINE + 1):
            assert outcome(kernel, arrays, order, [gap] * n, start % LINE) == expected, (order, gap)


@pytest.mark.parametrize("name", KERNELS)
@settings(deadline=None, max_examples=60)
@given(data=st.data(), k=st.integers(1, 40), start=st.integers(0, LINE - 1))
def test_a_kernel_gives_the_same_bytes_wherever_its_arrays_lie(name, data, k, start):
    shapes, kernel = KERNELS[name]
    rng = np.random.default_rng(k)
    arrays = [rng.random(shape) + 0.1 for shape in shapes(k)]
    order = data.draw(st.permutations(range(len(arrays))))
    gaps = [data.draw(st.integers(0, LINE)) for _ in arrays]
    assert outcome(kernel, arrays, order, gaps, start) == far_apart(kernel, arrays)


@given(k=st.integers(1, 40), seed=st.integers(0, 999))
def test_leaning_is_summed_as_written(k, seed):
    leaning, own, word, out = np.random.default_rng(seed).random((4, k))
    chances = (leaning - 0.7 * own) * word
    lanes = [0.0] * 4
    for topic in range(k - k % 4):
        lanes[topic % 4] += chances[topic]
    total = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
    for chance in chances[k - k % 4 :]:
        total += chance
    assert lean(leaning, own, word, 0.7, out) == total
    assert np.array_equal(out, chances)


def test_rows_with_gaps_or_of_single_precision_are_refused():
    row, wide = np.ones(4), np.ones((4, 2))
    for other in (wide[:, 0], np.ones(4, np.float32)):
        with pytest.raises(TypingError, match="contiguous and of doubles"):
            lean(row, other, row, 1.0, np.empty(4))
        with pytest.raises(TypingError, match="contiguous and of doubles"):
            take(row, 1.0, 1.0, other, np.zeros(4))
