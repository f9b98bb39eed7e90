"""What two tables of the same documents tell together: no difference is over few of them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatham.groups.differences import keep_apart, small_cut

SHARED = st.integers(2, 4).flatmap(
    lambda rows: st.integers(2, 4).flatmap(
        lambda columns: st.lists(
            st.lists(st.sampled_from([0, 0, 0, 1, 2, 3, 7, 12]), min_size=columns,
                     max_size=columns),
            min_size=rows, max_size=rows,
        )
    )
)  # fmt: skip


def every_cut(shared):
    """How many documents each choice of cells leaves over, by trying all."""
    rows, columns = shared.shape
    for sides in product([False, True], repeat=rows + columns):
        side = np.array(sides)
        yield int(shared[side[:rows, None] != side[None, rows:]].sum()), side


@given(SHARED, st.integers(2, 9))
@settings(max_examples=300, deadline=None)
def test_a_small_cut_is_found_if_there_is_one(shared, fewest):
    shared = np.array(shared)
    found = small_cut(shared, fewest)
    sizes = [size for size, _ in every_cut(shared) if 0 < size < fewest]
    assert (found is None) == (not sizes)
    if found is not None:
        rows = len(shared)
        assert 0 < shared[found[:rows, None] != found[None, rows:]].sum() < fewest


@given(SHARED, st.integers(2, 9))
@settings(max_examples=200, deadline=None)
def test_no_combination_of_two_tables_is_over_few_documents(shared, fewest):
    """Also by their rank: without any few documents the tables would have as many free numbers."""
    shared = np.array(shared)
    if shared.sum() < fewest:
        return
    one, other = (
        np.repeat(part, shared.ravel()) for part in np.indices(shared.shape).reshape(2, -1)
    )
    sizes = [each + 1 for each in shared.shape]
    moved = keep_apart([one, other], sizes, np.arange(len(one)), fewest)
    left = np.zeros(sizes, dtype=int)
    np.add.at(left, (moved[0], moved[1]), 1)
    assert not [size for size, _ in every_cut(left) if 0 < size < fewest]
    for before, after, size in zip((one, other), moved, sizes, strict=True):
        changed = before != after
        assert (after[changed] == size - 1).all()
        assert not set(before[changed]) & set(after[~changed])


def test_tables_that_cross_stay_as_they_are():
    months, desks = np.repeat(np.arange(12), 60), np.tile(np.arange(6), 120)
    moved = keep_apart([months, desks], [14, 8], np.arange(720), 30)
    assert [each.tolist() for each in moved] == [months.tolist(), desks.tolist()]


@pytest.mark.parametrize("undated", [1, 29, 30])
def test_a_year_less_its_months_is_no_few_documents(undated):
    years = np.repeat([0, 1, 2], 400)
    months = years * 4 + np.tile(np.repeat(np.arange(4), 100), 3)
    months[400 : 400 + undated] = 12
    moved = keep_apart([years, months], [5, 14], np.arange(1200), 30)
    assert (moved[0] == 4).any() == (undated < 30)


def test_copies_are_one_document():
    one, other = np.repeat([0, 1], 40), np.repeat([0, 1], 40)
    other[:35] = 2
    alike = np.concatenate([np.zeros(35, dtype=int), np.arange(1, 46)])
    kept = keep_apart([one, other], [3, 4], np.arange(80), 5)
    assert (kept[1] == other).all()
    moved = keep_apart([one, other], [3, 4], alike, 5)
    assert not (moved[0] == one).all() or not (moved[1] == other).all()
