"""Linear programmes in a box: the same minimum as HiGHS, on the rows, within the bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from chatham.numerics.boxed_programme import least_in_bounds


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 30), st.floats(0.01, 100))
def test_agrees_with_highs(seed, rows, more, size):
    rng = np.random.default_rng(seed)
    columns = rows + more
    matrix, costs = rng.normal(size=(rows, columns)), rng.normal(size=columns)
    bounds = size * rng.uniform(0.1, 2.0, columns)
    right = matrix @ (bounds * rng.uniform(0.05, 0.95, columns))
    found = least_in_bounds(costs, matrix, right, bounds)
    best = linprog(
        costs, A_eq=matrix, b_eq=right, bounds=list(zip(0 * bounds, bounds, strict=True))
    )
    scale = np.abs(costs) @ bounds
    assert costs @ found == pytest.approx(best.fun, abs=1e-8 * scale)
    assert np.abs(matrix @ found - right).max() < 1e-9 * size * columns
    assert (found >= 0).all()
    assert (found <= bounds * (1 + 1e-12)).all()


def test_rows_that_say_the_same_twice_do_no_harm():
    matrix = np.array([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]])
    found = least_in_bounds(np.array([3.0, 1.0, 2.0]), matrix, np.array([1.5, 3.0]), np.ones(3))
    assert found == pytest.approx([0.0, 1.0, 0.5], abs=1e-8)
