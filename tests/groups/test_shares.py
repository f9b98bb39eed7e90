"""Intervals of shares have the truth inside as often as they say, also with few documents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatham.groups.shares import shares_of


@pytest.mark.parametrize("n", [5, 30, 200])
@pytest.mark.parametrize("concentration", [0.3, 5.0])
def test_coverage(n, concentration):
    rng = np.random.default_rng(n)
    truth = np.array([0.6, 0.3, 0.1])
    inside = []
    for _ in range(200):
        cells = rng.dirichlet(concentration * truth, size=(4, n))
        shares = shares_of(np.full(4, float(n)), cells.sum(axis=1), (cells**2).sum(axis=1))
        inside.append((shares.low <= truth) & (truth <= shares.high))
    assert np.mean(inside) > 0.92
    assert n < 30 or np.mean(inside) < 0.98


def test_clusters_have_wilsons_interval():
    """Of 20 documents none is in the topic: Wilson's upper end is t² / (n + t²)."""
    shares = shares_of(np.array([20.0]), np.array([[0.0, 20.0]]), np.array([[0.0, 20.0]]))
    assert shares.low[0, 0] == 0
    assert shares.high[0, 0] == pytest.approx(2.085963**2 / (20 + 2.085963**2), rel=1e-6)


def test_a_gap_has_no_share():
    shares = shares_of(np.array([0.0, 2.0]), np.array([[0.0], [1.0]]), np.array([[0.0], [0.6]]))
    assert np.isnan([shares.share[0, 0], shares.low[0, 0], shares.high[0, 0]]).all()
    assert shares.share[1, 0] == 0.5


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.floats(0.5, 0.999))
def test_the_share_is_always_inside_and_inside_of_0_to_1(weights, level):
    w = np.array(weights)[:, None]
    shares = shares_of(
        np.array([float(len(w))]), w.sum(axis=0)[None], (w**2).sum(axis=0)[None], level
    )
    assert 0 <= shares.low[0, 0] <= shares.share[0, 0] + 1e-12
    assert shares.share[0, 0] - 1e-12 <= shares.high[0, 0] <= 1
