"""Blocks cover rows once, threads keep order, and randomness follows content."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from threadpoolctl import threadpool_info, threadpool_limits

from chatham.learners.documents import Documents
from chatham.numerics.keyed import uniforms
from chatham.numerics.threads import blocks, each, thread_count, threads


@given(st.lists(st.integers(0, 20), min_size=0, max_size=200), st.integers(1, 40))
def test_blocks_cover_every_row_once(lengths, count):
    ranges = blocks(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), count)
    covered = [row for first, last in ranges for row in range(first, last)]
    assert covered == list(range(len(lengths)))
    assert len(ranges) <= count


@pytest.mark.parametrize("n_jobs", [None, 1, 4])
def test_results_come_in_order_at_any_number_of_threads(n_jobs):
    with threads(n_jobs):
        assert each(lambda x: x * x, list(range(50))) == [x * x for x in range(50)]


def test_n_jobs_counts_as_in_scikit_learn():
    assert thread_count(None) == 1
    assert thread_count(3) == 3
    assert thread_count(-1) >= 1
    assert thread_count(-1000) == 1


def test_a_failure_in_a_thread_is_raised():
    with threads(2), pytest.raises(ZeroDivisionError):
        each(lambda x: 1 // x, [1, 0, 2])


def test_blas_has_one_thread_inside_and_as_many_as_before_outside():
    def counts():
        return {found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"}

    with threadpool_limits(2, user_api="blas"):
        assert counts() == {2}
        with threads(3):
            assert counts() == {1}
            with threads(None):
                assert counts() == {1}
            assert counts() == {1}
        assert counts() == {2}


def test_keys_follow_content_not_place():
    rng = np.random.default_rng(0)
    rows = rng.poisson(0.5, (30, 12)).astype(float)
    order = rng.permutation(30)
    keys = Documents(rows).keys(5)
    assert np.array_equal(Documents(rows[order]).keys(5), keys[order])
    assert len(set(keys.tolist())) == len({tuple(row) for row in rows})
    assert not np.array_equal(Documents(rows).keys(6), keys)


def test_keyed_numbers_are_uniform_and_uncorrelated():
    keys = Documents(np.eye(3000) + 0.0).keys(1)
    drawn = uniforms(keys, 3)
    for column in drawn.T:
        assert stats.kstest(column, "uniform").pvalue > 1e-3
    assert np.abs(np.corrcoef(drawn.T)[np.triu_indices(3, 1)]).max() < 0.06
