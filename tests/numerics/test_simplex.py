"""Projection and the quadratics of Lemma 1 and Corollary 1, against a QP solver and brute force."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from chatham.numerics.simplex import (
    least_in_box,
    least_on_simplex,
    least_on_weighted_simplex,
    project,
    project_rows,
)

numbers = st.floats(-50, 50, allow_nan=False).map(lambda x: round(x, 6))
points = arrays(np.float64, st.integers(1, 12), elements=numbers)


def quadratic_programme(w, curvature):
    """min wᵀx + ½ Σ curvature x² on the simplex, by a general solver."""
    result = minimize(
        lambda x: w @ x + 0.5 * (curvature * x) @ x,
        np.full(len(w), 1 / len(w)),
        jac=lambda x: w + curvature * x,
        bounds=[(0, 1)] * len(w),
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": lambda x: np.ones(len(w))},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert result.success
    return result.x


@given(points)
def test_projection_meets_the_conditions_of_the_nearest_point(point):
    nearest = project(point)
    assert nearest.min() >= 0
    assert nearest.sum() == pytest.approx(1, abs=1e-9)
    # The nearest point x of a convex set has (point − x)·(y − x) ≤ 0 for every corner y.
    towards = (point - nearest) @ (np.eye(len(point)) - nearest).T
    assert towards.max() <= 1e-9 * (1 + np.abs(point).max())


@given(points)
def test_projection_leaves_the_simplex_in_place_and_ignores_a_shift(point):
    nearest = project(point)
    np.testing.assert_allclose(project(nearest), nearest, atol=1e-12)
    np.testing.assert_allclose(project(point + 3.25), nearest, atol=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_projection_equals_a_quadratic_programme(seed):
    point = np.random.default_rng(seed).normal(size=7)
    np.testing.assert_allclose(project(point), quadratic_programme(-point, np.ones(7)), atol=1e-6)


def test_rows_are_projected_one_by_one():
    rows = np.random.default_rng(0).normal(size=(5, 4))
    expected = np.array([project(row) for row in rows])
    project_rows(rows)
    assert np.array_equal(rows, expected)


def simplex_grid(d, steps):
    """All points of the simplex whose entries are multiples of 1/steps."""
    tuples = product(range(steps + 1), repeat=d)
    return np.array([t for t in tuples if sum(t) == steps]) / steps


@pytest.mark.parametrize("c", [-3.0, -0.4, 0.0, 0.3, 2.0])
@pytest.mark.parametrize("seed", range(5))
def test_lemma_1_against_brute_force(c, seed):
    w = np.random.default_rng(seed).normal(size=4)
    grid = simplex_grid(4, 20)
    values = grid @ w + c * (grid**2).sum(axis=1)
    found = least_on_simplex(w, c)
    value = w @ found + c * found @ found
    assert value <= values.min() + 1e-12
    if c <= 0:
        np.testing.assert_array_equal(found, grid[values.argmin()])


@pytest.mark.parametrize("c", [-2.0, -0.3, 0.0])
@pytest.mark.parametrize("seed", range(5))
def test_corollary_1_against_brute_force(c, seed):
    w = np.random.default_rng(seed).normal(size=4)
    grid = np.array(list(product(np.linspace(0, 1, 9), repeat=4)))
    values = grid @ w + c * (grid**2).sum(axis=1)
    found = least_in_box(w, c)
    assert w @ found + c * found @ found == pytest.approx(values.min(), abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_weighted_minimum_equals_a_quadratic_programme(seed):
    rng = np.random.default_rng(seed)
    w, curvature = rng.normal(size=6), rng.uniform(0.1, 5, size=6)
    found = least_on_weighted_simplex(w, curvature)
    np.testing.assert_allclose(found, quadratic_programme(w, curvature), atol=1e-6)
