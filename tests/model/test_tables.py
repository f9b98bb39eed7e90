"""Which topics go together, against what chance and a planted prior say."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from chatham.model.tables import in_a_row, related_table, weight_table
from chatham.numerics.joint import lifts


def dirichlet_moments(alpha):
    """E[wwᵀ] of a Dirichlet: (α₀·aaᵀ + diag a) / (α₀ + 1)."""
    total = alpha.sum()
    shares = alpha / total
    return (total * np.outer(shares, shares) + np.diag(shares)) / (total + 1)


@pytest.mark.parametrize("alpha", [[0.1, 0.1, 0.1], [0.05, 2.0, 0.7, 0.3], [30.0, 1.0]])
def test_under_any_dirichlet_no_two_topics_go_together(alpha):
    found = lifts(dirichlet_moments(np.array(alpha)))
    apart = ~np.eye(len(alpha), dtype=bool)
    assert np.allclose(found[apart], 1.0, atol=1e-12)
    assert (found[~apart] == 0).all()


def test_lifts_are_how_often_topics_meet_by_chance_and_in_fact():
    rng = np.random.default_rng(0)
    weights = rng.dirichlet([0.3, 0.3, 0.3, 0.3], 20_000)
    weights[:10_000, :2] = weights[:10_000, :2].mean(axis=1, keepdims=True)
    joint = weights.T @ weights / len(weights)
    sizes = weights.mean(axis=0)
    chance = np.outer(sizes, sizes)
    apart = ~np.eye(4, dtype=bool)
    expected = joint[0, 1] / chance[0, 1] / (joint[apart].sum() / chance[apart].sum())
    assert lifts(joint)[0, 1] == pytest.approx(expected, rel=1e-12)
    assert expected > 1.5


def test_scale_does_not_matter():
    joint = dirichlet_moments(np.array([0.2, 0.5, 1.0]))
    joint[0, 1] = joint[1, 0] = 2 * joint[0, 1]
    assert np.allclose(lifts(joint), lifts(7.0 * joint), atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(arrays(np.float64, (4, 4), elements=st.floats(0, 1)))
def test_lifts_are_finite_numbers_whatever_meets(found):
    joint = found + found.T
    joint[0, 0] += 0.1
    lift = lifts(joint)
    assert np.isfinite(lift).all()
    assert (lift >= 0).all()
    assert np.array_equal(lift, lift.T)


def test_topics_that_never_meet_go_with_none():
    assert related_table(np.diag([0.5, 0.5]), np.arange(2), 3).empty
    assert related_table(np.ones((1, 1)), np.arange(1), 3).empty


def test_the_closest_comes_first_and_strangers_are_left_out():
    joint = dirichlet_moments(np.full(4, 0.5))
    joint[0, 1] = joint[1, 0] = 3 * joint[0, 1]
    joint[0, 2] = joint[2, 0] = 4 * joint[0, 2]
    table = related_table(joint, np.arange(4), 3)
    mine = table[table["topic"] == 0]
    assert mine["related"].tolist() == [2, 1]
    assert mine["rank"].tolist() == [1, 2]
    assert mine["lift"].is_monotonic_decreasing
    assert 3 not in set(table["topic"])
    assert related_table(joint, np.arange(4), 1)["rank"].tolist() == [1] * len(
        related_table(joint, np.arange(4), 1)
    )


def test_titles_are_told_apart():
    assert in_a_row(["Emma", "Heat"]) == "Emma Heat"
    assert in_a_row(["Emma", "Toy Story"]) == "Emma; Toy Story"


def test_weights_have_ids():
    table = weight_table(np.array([[0.25, 0.75]]), ["x"], [0, 3])
    expected = pd.DataFrame({"id": ["x"], "topic_0": [0.25], "topic_3": [0.75]})
    pd.testing.assert_frame_equal(table, expected)
