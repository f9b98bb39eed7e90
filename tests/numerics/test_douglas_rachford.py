"""Least squares on the simplex: a general solver, the printed algorithm, awkward input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from chatham.errors import InputError
from chatham.numerics.douglas_rachford import least_on_simplices
from chatham.numerics.simplex import project, project_rows
from chatham.numerics.threads import threads


def problem(m=40, k=6, width=25, seed=0, noise=0.02):
    """Rows near mixtures of k distributions: their Gram matrix and their products with them."""
    rng = np.random.default_rng(seed)
    corners = rng.dirichlet(np.full(width, 0.3), k)
    rows = rng.dirichlet(np.full(k, 0.3), m) @ corners + noise * rng.normal(size=(m, width))
    return corners @ corners.T, rows @ corners.T


def values(gram, linear, y):
    return 0.5 * np.einsum("ij,jk,ik->i", y, gram, y) - (linear * y).sum(axis=1)


def gaps(gram, linear, y):
    """How much a row could still gain at most: zero at a stationary point, and only there."""
    slopes = y @ gram - linear
    return (slopes * y).sum(axis=1) - slopes.min(axis=1)


def general_solver(gram, f):
    """The same minimum by sequential quadratic programming, in units that suit its tolerance."""
    gram, f = gram / gram.diagonal().mean(), f / gram.diagonal().mean()
    k = len(f)
    found = minimize(
        lambda y: 0.5 * y @ gram @ y - f @ y,
        np.full(k, 1 / k),
        jac=lambda y: gram @ y - f,
        bounds=[(0, 1)] * k,
        constraints={"type": "eq", "fun": lambda y: y.sum() - 1, "jac": lambda y: np.ones(k)},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 2000},
    )
    return found.x


def algorithm_3(gram, f, iterations, rate, gamma):
    """Lines 6–12 for one word, as printed."""
    inverse = np.linalg.inv(gamma * gram + np.eye(len(gram)))
    y = q = project(np.linalg.solve(gram, f))
    for _ in range(iterations):
        p = inverse @ (2 * y - q + gamma * f)
        q = q + rate * (p - y)
        y = project(q)
    return y


@pytest.mark.parametrize("seed", range(6))
def test_agrees_with_a_general_solver(seed):
    gram, linear = problem(seed=seed)
    found, _ = least_on_simplices(gram, linear)
    expected = np.array([general_solver(gram, f) for f in linear])
    np.testing.assert_allclose(found, expected, atol=1e-5)
    excess = values(gram, linear, found) - values(gram, linear, expected)
    assert excess.max() <= 1e-5 * gram.diagonal().mean()


def test_is_where_the_printed_algorithm_goes():
    gram, linear = problem(m=10)
    unit = gram.diagonal().mean()
    expected = [algorithm_3(gram / unit, f / unit, 3000, 1.9, 3.0) for f in linear]
    np.testing.assert_allclose(least_on_simplices(gram, linear)[0], expected, atol=1e-6)


def test_takes_the_printed_steps_in_the_centred_problem():
    gram, linear = problem(m=5, k=4)
    k = len(gram)
    plane = np.eye(k) - 1 / k
    centred = plane @ gram @ plane
    pairs = gram.diagonal()[:, None] + gram.diagonal() - 2 * gram
    unit = pairs.sum() / (k * (k - 1))
    inverse = np.linalg.inv(3.0 * centred / unit + np.eye(k))
    start = np.random.default_rng(0).dirichlet(np.ones(k), 5)
    for row, f in enumerate(linear):
        y = q = start[row]
        for _ in range(7):
            p = inverse @ (2 * y - q + 3.0 * plane @ (f - gram.mean(axis=1)) / unit)
            q = q + 1.9 * (p - y)
            y = project(q)
        found, steps = least_on_simplices(gram, linear[[row]], start[[row]], max_iter=7, tol=0.0)
        assert steps == 7
        np.testing.assert_allclose(found[0], y, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 9), st.integers(1, 30))
def test_rows_are_on_the_simplex_and_nothing_is_left_to_gain(seed, k, m):
    gram, linear = problem(m=m, k=k, seed=seed)
    found, _ = least_on_simplices(gram, linear, max_iter=5000)
    assert found.min() >= 0
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)
    assert gaps(gram, linear, found).max() <= 1e-6 * gram.diagonal().mean()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 9))
def test_a_rearrangement_rearranges_the_answer(seed, k):
    gram, linear = problem(k=k, seed=seed)
    rng = np.random.default_rng(seed)
    topics, rows = rng.permutation(k), rng.permutation(len(linear))
    found, _ = least_on_simplices(gram, linear, max_iter=5000, tol=1e-11)
    moved, _ = least_on_simplices(
        gram[np.ix_(topics, topics)], linear[np.ix_(rows, topics)], max_iter=5000, tol=1e-11
    )
    np.testing.assert_allclose(moved, found[np.ix_(rows, topics)], atol=1e-7)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.floats(-1e3, 1e3), st.floats(1e-9, 1e9))
def test_neither_a_constant_nor_the_unit_matters(seed, shift, unit):
    gram, linear = problem(m=8, k=4, seed=seed)
    found, steps = least_on_simplices(gram, linear)
    # Beside a thousand, digits are lost: the tolerance is for rounding and not for the steps.
    other, again = least_on_simplices(unit * (gram + shift), unit * (linear + 2 * shift))
    np.testing.assert_allclose(other, found, atol=1e-6)
    assert abs(steps - again) <= 10


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.5, 1.95), st.floats(0.3, 30))
def test_every_rate_and_gamma_leads_to_the_same_minimum(seed, rate, gamma):
    gram, linear = problem(m=8, k=4, seed=seed)
    found, _ = least_on_simplices(gram, linear, rate=rate, gamma=gamma, max_iter=20_000)
    np.testing.assert_allclose(found, least_on_simplices(gram, linear)[0], atol=1e-5)


def test_a_start_at_the_minimum_stays_and_a_bad_one_only_costs_steps():
    gram, linear = problem()
    found, _ = least_on_simplices(gram, linear, tol=1e-12)
    corner = np.tile(np.eye(6)[0], (len(linear), 1))
    again, steps = least_on_simplices(gram, linear, corner, tol=1e-12)
    np.testing.assert_allclose(again, found, atol=1e-9)
    assert np.array_equal(corner, np.tile(np.eye(6)[0], (len(linear), 1)))
    assert steps < 500


@pytest.mark.parametrize("m", [1, 127, 128, 129, 400])
def test_threads_change_no_bit(m):
    gram, linear = problem(m=m, k=12)
    with threads(1):
        alone = least_on_simplices(gram, linear)
    with threads(3):
        together = least_on_simplices(gram, linear)
    assert alone[0].tobytes() == together[0].tobytes()
    assert alone[1] == together[1]


def test_rows_of_a_block_that_are_done_early_wait_for_nobody():
    gram, linear = problem(m=100, k=8)
    linear[:90] = 10 * np.eye(8)[0]
    found, steps = least_on_simplices(gram, linear)
    alone, _ = least_on_simplices(gram, linear[90:])
    np.testing.assert_allclose(found[90:], alone, atol=1e-12)
    np.testing.assert_array_equal(found[:90], np.tile(np.eye(8)[0], (90, 1)))
    assert steps > 10


def test_a_singular_gram_still_has_its_least_value():
    gram, linear = problem(k=5)
    twice = np.ix_([0, 1, 2, 3, 4, 4, 0], [0, 1, 2, 3, 4, 4, 0])
    found, _ = least_on_simplices(gram[twice], linear[:, [0, 1, 2, 3, 4, 4, 0]], max_iter=5000)
    merged = np.column_stack([found[:, 0] + found[:, 6], found[:, 1:4], found[:, 4] + found[:, 5]])
    np.testing.assert_allclose(merged, least_on_simplices(gram, linear)[0], atol=1e-6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("depth", [0.05, 0.5, 5.0])
def test_an_indefinite_gram_leads_to_a_stationary_point(seed, depth):
    gram, linear = problem(m=60, seed=seed)
    direction = np.random.default_rng(seed).normal(size=len(gram))
    direction -= direction.mean()
    direction /= np.linalg.norm(direction)
    least = direction @ gram @ direction
    gram = gram - (1 + depth) * least * np.outer(direction, direction)
    centred = gram - gram.mean(axis=0) - gram.mean(axis=1)[:, None] + gram.mean()
    assert np.linalg.eigvalsh(centred)[0] < 0
    start = np.full_like(linear, 1 / len(gram))
    found, _ = least_on_simplices(gram, linear, start, max_iter=20_000)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)
    assert gaps(gram, linear, found).max() <= 1e-5 * np.abs(gram).max()
    assert (values(gram, linear, found) <= values(gram, linear, start) + 1e-9).all()


@pytest.mark.parametrize(
    ("gram", "linear"),
    [
        (np.zeros((3, 3)), np.array([[1.0, 3.0, 2.0], [-1.0, -3.0, -2.0]])),
        (np.ones((3, 3)), np.array([[1e-3, 3e-3, 2e-3], [-1e-3, -3e-3, -2e-3]])),
        (np.eye(3), 1e18 * np.array([[1.0, 3.0, 2.0], [-1.0, -3.0, -2.0]])),
        (1e-200 * np.eye(3), np.array([[1.0, 3.0, 2.0], [-1.0, -3.0, -2.0]])),
        (-np.eye(3), np.array([[1.0, 3.0, 2.0], [-1.0, -3.0, -2.0]])),
    ],
)
def test_slopes_without_curvature_lead_to_corners(gram, linear):
    found, _ = least_on_simplices(gram, linear)
    np.testing.assert_allclose(found, [[0, 1, 0], [1, 0, 0]], atol=1e-6)


def test_projection_is_the_case_of_the_identity():
    points = np.random.default_rng(0).normal(size=(300, 40))
    found, _ = least_on_simplices(np.eye(40), points)
    project_rows(points)
    np.testing.assert_allclose(found, points, atol=1e-7)


def test_one_topic_and_no_row():
    assert least_on_simplices(np.eye(1), np.zeros((3, 1)))[0].tolist() == [[1.0]] * 3
    assert least_on_simplices(np.eye(2), np.zeros((0, 2)))[0].shape == (0, 2)
    assert least_on_simplices(np.eye(2), np.zeros((1, 2)), max_iter=0)[1] == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gram": np.eye(3)}, r"\(3, 3\) gram"),
        ({"start": np.ones((1, 2))}, r"start is \(1, 2\)"),
        ({"linear": np.array([[np.nan, 1.0], [0.0, 1.0]])}, "not finite"),
        ({"rate": 2.0}, "rate=2.0"),
        ({"gamma": 0.0}, "gamma=0.0"),
    ],
)
def test_wrong_input_is_named(change, message):
    arguments = {"gram": np.eye(2), "linear": np.zeros((2, 2)), **change}
    with pytest.raises(InputError, match=message):
        least_on_simplices(**arguments)
