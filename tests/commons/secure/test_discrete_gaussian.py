"""Whole numbers with Gaussian probabilities: exactly those, on every machine."""

import math
from hashlib import sha256

import numpy as np
import pytest

from chatham.commons.secure import discrete_gaussian
from chatham.commons.secure.discrete_gaussian import NARROWEST, discrete_gaussians

KEY = bytes(range(32))


def masses(width, reach):
    weights = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * width**2))
    return weights / weights.sum()


def test_the_table_holds_the_probabilities():
    high, _ = discrete_gaussian._table(40.5)
    cumulative = high.astype(np.float64) / 2.0**64
    reach = len(high) // 2
    assert np.allclose(np.diff(cumulative), masses(40.5, reach)[1:-1], atol=1e-15)


def test_the_other_64_bits_decide_where_the_first_are_an_entry_s():
    high = np.array([1, 5, 5, 9], dtype=np.uint64)
    low = np.array([0, 3, 7, 0], dtype=np.uint64)
    words, rest = np.array([5, 5, 5, 1], np.uint64), np.array([2, 3, 8, 0], np.uint64)
    assert discrete_gaussian._by_both(high, low, words, rest).tolist() == [1, 2, 3, 1]


@pytest.mark.parametrize("step", [1, 4])
def test_narrow_ones_put_together_are_a_wide_one(step):
    """A·2ᵇ + B by their probabilities, with B of the narrowest width."""
    top, factor = 33.0, 2**step
    below, above = masses(NARROWEST, 450), masses(top, 450)
    sums = np.zeros(2 * 450 * factor + 1)
    sums[::factor] = above
    together = np.convolve(sums, below)
    width = math.sqrt((factor * top) ** 2 + NARROWEST**2)
    direct = masses(width, (len(together) - 1) // 2)
    near = direct > 1e-12
    assert np.abs(together[near] / direct[near] - 1).max() < 1e-9


@pytest.mark.parametrize("width", [32.0, 100.0, 2.0**20, 2.0**31.7])
def test_parts_have_the_variance_of_the_whole(width):
    exponents, top = discrete_gaussian._parts_of(width)
    variance = top**2 * 4.0 ** exponents[-1] + sum(NARROWEST**2 * 4.0**e for e in exponents[:-1])
    assert variance == pytest.approx(width**2, rel=1e-12)
    # Whatever is below a step is twice as wide as it, as the theorem asks.
    widths = np.sqrt(np.cumsum([NARROWEST**2 * 4.0**e for e in exponents[:-1]]))
    assert all(w >= 2 * 2.0**e for w, e in zip(widths, exponents[1:], strict=True))
    assert top > 0.99 * NARROWEST


@pytest.mark.parametrize("width", [50.0, 3e8])
def test_moments_of_many_draws(width):
    draws = discrete_gaussians(KEY, 100_000, width) / width
    # Standard errors are 0.0032, 0.0022 and 0.0155; these are five of each.
    assert abs(draws.mean()) < 0.016
    assert abs(draws.std() - 1) < 0.012
    assert abs((draws**4).mean() - 3) < 0.16


def test_draws_are_the_same_everywhere_and_differ_by_key():
    draws = discrete_gaussians(KEY, 1000, 123456.75)
    digest = sha256(draws.astype("<i8").tobytes()).hexdigest()
    assert digest == "59c4f8df560b816faafb9dd6fa38d856b5a40019bcef7a936848c5175623fe10"
    assert not np.array_equal(draws, discrete_gaussians(bytes(32), 1000, 123456.75))


def test_a_width_that_no_table_suits_is_refused():
    with pytest.raises(ValueError, match="between"):
        discrete_gaussians(KEY, 1, 3.0)
