"""Exponentiated gradient: a general solver's minima, gaps that are true, steps that never climb."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from chatham.learners.anchor.conditional import Conditional
from chatham.learners.anchor.exponentiated import (
    FLOOR,
    nearest_by_divergence,
    nearest_by_squares,
)
from chatham.numerics.threads import threads


def rows_and_anchors(m=12, k=4, d=15, seed=0, noise=0.3):
    """Distributions near mixtures of k others."""
    rng = np.random.default_rng(seed)
    anchors = rng.dirichlet(np.full(d, 0.5), k)
    rows = rng.dirichlet(np.ones(k), m) @ anchors * rng.gamma(1 / noise, noise, (m, d))
    return rows / rows.sum(axis=1, keepdims=True), anchors


class Rows(Conditional):
    """C̄ given as it is, of any number of rows."""

    def __init__(self, rows):
        self.given = rows

    def rows(self, places):
        return self.given[places]


def by_divergence(rows, anchors, **options):
    return nearest_by_divergence(Rows(rows), np.arange(len(rows)), anchors, **options)


def by_squares(rows, anchors, **options):
    return nearest_by_squares(anchors @ anchors.T, rows @ anchors.T, **options)


def squares(row, anchors, y):
    """½‖row − mixture‖² in units of the mean ‖anchor‖², and its slopes."""
    unit = (anchors**2).sum(axis=1).mean()
    residue = y @ anchors - row
    return 0.5 * residue @ residue / unit, anchors @ residue / unit


def divergence(row, anchors, y):
    """KL(row ‖ mixture) and its slopes, over the entries where the row isn't zero."""
    met = row > 0
    mixture = y @ anchors[:, met]
    return row[met] @ np.log(row[met] / mixture), -anchors[:, met] @ (row[met] / mixture)


LOSSES = [(by_squares, squares), (by_divergence, divergence)]


def general_solver(loss, row, anchors):
    k = len(anchors)
    return minimize(
        lambda y: loss(row, anchors, y),
        np.full(k, 1 / k),
        jac=True,
        bounds=[(1e-12, 1)] * k,
        constraints={"type": "eq", "fun": lambda y: y.sum() - 1, "jac": lambda y: np.ones(k)},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    ).x


@pytest.mark.parametrize(("solve", "loss"), LOSSES)
@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_a_general_solver(solve, loss, seed):
    rows, anchors = rows_and_anchors(seed=seed)
    found = solve(rows, anchors, max_iter=50_000, tol=1e-13)
    expected = np.array([general_solver(loss, row, anchors) for row in rows])
    np.testing.assert_allclose(found.weights, expected, atol=1e-5)
    for row, ours, theirs in zip(rows, found.weights, expected, strict=True):
        assert loss(row, anchors, ours)[0] <= loss(row, anchors, theirs)[0] + 1e-10


@pytest.mark.parametrize(("solve", "loss"), LOSSES)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 7), steps=st.integers(1, 60))
def test_no_step_climbs_and_the_gap_is_what_it_says(solve, loss, seed, k, steps):
    rows, anchors = rows_and_anchors(m=5, k=k, seed=seed)
    before = solve(rows, anchors, max_iter=steps, tol=0.0)
    after = solve(rows, anchors, max_iter=steps + 1, tol=0.0)
    even = np.full(k, 1 / k)
    gaps = []
    for row, first, second in zip(rows, before.weights, after.weights, strict=True):
        assert loss(row, anchors, second)[0] <= loss(row, anchors, first)[0] + 1e-14
        assert loss(row, anchors, first)[0] <= loss(row, anchors, even)[0] + 1e-14
        slopes = loss(row, anchors, second)[1]
        gaps.append(second @ slopes - slopes.min())
    assert after.gap == pytest.approx(max(gaps), abs=1e-9)
    assert before.n_iter <= after.n_iter <= steps + 1
    assert after.weights.min() > 0
    np.testing.assert_allclose(after.weights.sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize(("solve", "loss"), LOSSES)
@pytest.mark.parametrize("tol", [1e-3, 1e-5])
def test_stops_once_nothing_much_is_left_to_gain(solve, loss, tol):
    rows, anchors = rows_and_anchors(m=40, seed=3)
    found = solve(rows, anchors, tol=tol, max_iter=5000)
    assert found.gap <= tol
    assert found.n_iter < 5000
    for row, weights in zip(rows[:5], found.weights[:5], strict=True):
        best = loss(row, anchors, general_solver(loss, row, anchors))[0]
        assert -1e-12 <= loss(row, anchors, weights)[0] - best <= tol


@pytest.mark.parametrize("solve", [by_squares, by_divergence])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_a_rearrangement_rearranges_the_answer(solve, seed):
    """After few steps: on the way the choice of steps makes much of the last bit."""
    rows, anchors = rows_and_anchors(seed=seed)
    rng = np.random.default_rng(seed)
    words, topics = rng.permutation(len(rows)), rng.permutation(len(anchors))
    found = solve(rows, anchors, max_iter=10, tol=0.0).weights
    moved = solve(rows[words], anchors[topics], max_iter=10, tol=0.0).weights
    np.testing.assert_allclose(moved, found[np.ix_(words, topics)], atol=1e-8)


def test_the_unit_of_squares_does_not_matter():
    rows, anchors = rows_and_anchors()
    gram, linear = anchors @ anchors.T, rows @ anchors.T
    found = nearest_by_squares(gram, linear)
    other = nearest_by_squares(2.0**40 * gram, 2.0**40 * linear)
    assert np.array_equal(found.weights, other.weights)
    assert found.gap == other.gap


@pytest.mark.parametrize("solve", [by_squares, by_divergence])
def test_mixtures_of_all_anchors_come_back(solve):
    rng = np.random.default_rng(0)
    anchors = rng.dirichlet(np.full(30, 0.3), 5)
    truth = 0.5 * rng.dirichlet(np.ones(5), 20) + 0.1
    found = solve(truth @ anchors, anchors, max_iter=5000, tol=1e-14)
    np.testing.assert_allclose(found.weights, truth, atol=1e-10)
    assert found.gap <= 1e-14


def test_entries_that_no_anchor_has_are_equally_far_from_all():
    rows, anchors = rows_and_anchors()
    alone = by_divergence(rows, anchors, tol=1e-10, max_iter=5000)
    none = np.zeros((len(anchors), 1))
    padded = np.hstack([0.9 * rows, np.full((len(rows), 1), 0.1)])
    found = by_divergence(padded, np.hstack([anchors, none]), tol=1e-10, max_iter=5000)
    assert np.isfinite(found.weights).all()
    np.testing.assert_allclose(found.weights, alone.weights, atol=1e-5)


def test_an_entry_of_one_anchor_alone_draws_weight_to_it():
    anchors = np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])
    rows = np.array([[0.25, 0.75, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    found = by_divergence(rows, anchors, tol=1e-12, max_iter=5000)
    # What one weight adds to the other's entries is the floor, which is all that is asked of it.
    np.testing.assert_allclose(found.weights, [[0.25, 0.75], [0, 1], [1, 0]], atol=1e-9)
    assert FLOOR < 1e-9


@pytest.mark.parametrize("solve", [by_squares, by_divergence])
@pytest.mark.parametrize("m", [1, 64, 129, 300])
def test_threads_change_no_bit(solve, m):
    rows, anchors = rows_and_anchors(m=m)
    with threads(1):
        alone = solve(rows, anchors)
    with threads(3):
        together = solve(rows, anchors)
    assert alone.weights.tobytes() == together.weights.tobytes()
    assert alone[1:] == together[1:]


@pytest.mark.parametrize("solve", [by_squares, by_divergence])
def test_no_row_one_anchor_and_anchors_that_are_alike(solve):
    rows, anchors = rows_and_anchors()
    assert solve(rows[:0], anchors).weights.shape == (0, 4)
    assert (solve(rows, anchors[:1]).weights == 1).all()
    twins = solve(rows, anchors[[0, 0, 1]], tol=1e-12, max_iter=20_000).weights
    pair = solve(rows, anchors[:2], tol=1e-12, max_iter=20_000).weights
    np.testing.assert_allclose(twins[:, 0], twins[:, 1], atol=1e-12)
    np.testing.assert_allclose(twins[:, 2], pair[:, 1], atol=1e-5)
