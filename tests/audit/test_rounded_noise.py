"""Noise of several holders in one draw has the law of noise that each adds and rounds itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from chatham.audit.rounded_noise import (
    WIDEST,
    alias_table,
    law_of_noise,
    noised_sum,
    table_of_noise,
)
from chatham.commons.fixed_point import encode


@pytest.mark.parametrize("holders", [1, 2, 5])
@pytest.mark.parametrize("deviation", [0.05, 0.4, 25.6, 100.0])
def test_moments_are_those_of_rounded_gaussians(deviation, holders):
    """Independently: by Sheppard the variance is σ² + 1/12, from σ = 0.4 on nearly; the mean 0."""
    values, shares = table_of_noise(deviation, holders).probabilities()
    assert shares.sum() == pytest.approx(1.0, abs=1e-12)
    assert values @ shares == pytest.approx(0.0, abs=1e-9)
    z = np.linspace(-9, 9, 4_000_001)
    density = np.exp(-(z**2) / 2)
    expected = np.average(np.rint(deviation * z) ** 2, weights=density)
    assert values**2 @ shares == pytest.approx(holders * expected, rel=1e-4, abs=1e-9)
    if deviation > 1:
        assert values**2 @ shares == pytest.approx(holders * (deviation**2 + 1 / 12), rel=1e-9)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40).filter(lambda each: sum(each) > 0.01))
@settings(max_examples=100, deadline=None)
def test_a_table_has_the_law_that_it_was_made_from(weights):
    law = np.array(weights) / sum(weights)
    values, shares = alias_table(-3, law).probabilities()
    assert values[0] == -3
    np.testing.assert_allclose(shares[: len(law)], law, atol=1e-12)
    np.testing.assert_allclose(shares[len(law) :], 0.0, atol=1e-12)


def chi_square(drawn, law, first):
    """The p-value of drawn values under a law; rare values count together."""
    counts = np.bincount(drawn - first, minlength=len(law)).astype(float)
    rare = law * drawn.size < 20
    seen = np.append(counts[~rare], counts[rare].sum())
    expected = np.append(law[~rare], law[rare].sum()) * drawn.size
    return chi2.sf(((seen - expected) ** 2 / expected).sum(), len(seen) - 1)


def each_by_itself(parts, deviation, bits, seed):
    """As a session does it: every holder draws, adds, rounds."""
    draws = np.random.default_rng(seed)
    sent = [part + deviation * draws.standard_normal(part.shape) for part in parts]
    return sum(encode(each, bits, 4).view(np.int64) for each in sent)


@pytest.mark.parametrize("holders", [1, 2, 3])
def test_zeros_and_others_are_drawn_from_the_same_law(holders):
    """Cells with a part of almost nothing are drawn by Gaussians, zeros from the table."""
    deviation, bits, size = 0.1, 8, 400_000
    law = law_of_noise(deviation * 2**bits, holders)
    first = -(len(law) // 2)
    for value in (0.0, 1e-300):
        parts = [np.full(size, value)] * holders
        drawn = noised_sum(parts, deviation, bits, 4, seed=5)
        assert chi_square(drawn, law, first) > 1e-3
    assert chi_square(each_by_itself(parts, deviation, bits, 6), law, first) > 1e-3
    # The test sees what is wrong by little: noise of 2 % more.
    draws = np.random.default_rng(0)
    if holders == 1:
        wrong = np.rint(1.02 * deviation * 2**bits * draws.standard_normal(size)).astype(int)
        assert chi_square(np.clip(wrong, first, -first), law, first) < 1e-6


def test_parts_are_added_where_they_are_and_nowhere_else():
    parts = [np.array([[0.0, 3.0, 0.0], [0.0, 0.0, -2.0]]), np.array([[0.0, 1.0, 0], [5.0, 0, 0]])]
    draws = np.array([noised_sum(parts, 0.1, 8, 4, seed) for seed in range(600)]) / 2**8
    error = 0.1 * np.sqrt(2) / np.sqrt(600)
    np.testing.assert_allclose(draws.mean(axis=0), parts[0] + parts[1], atol=5 * error)
    np.testing.assert_allclose(draws.std(axis=0), 0.1 * np.sqrt(2), rtol=0.15)
    assert abs(np.corrcoef(draws.reshape(600, -1).T)[np.triu_indices(6, 1)]).max() < 0.2


def test_wide_noise_has_no_table_and_the_same_deviation():
    drawn = noised_sum([np.zeros(20_000)] * 2, 2 * WIDEST, 0, 3, seed=1)
    assert drawn.std() == pytest.approx(2 * WIDEST * np.sqrt(2), rel=0.03)


def test_the_same_seed_gives_the_same_and_another_other_draws():
    parts = [np.zeros(100), np.eye(10).ravel()]
    one, again, other = (noised_sum(parts, 0.1, 8, 3, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()
