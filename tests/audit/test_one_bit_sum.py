"""The one-bit sum against exact fractions, and the thesis's figures where they are right."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatham.audit import distances
from chatham.audit.one_bit_sum import (
    DELTAS,
    OneBitSum,
    epsilon_at_least_delta,
    epsilon_by_ratio,
    least_delta,
    window,
)
from chatham.errors import InputError


def binomial(n, p):
    return [Fraction(math.comb(n, k)) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def arms(others, p, neighbours, bit):
    """The two distributions by adding up every bit, in fractions."""
    mass = binomial(others, p)
    zero, one = [*mass, Fraction(0)], [Fraction(0), *mass]
    present = one if bit else zero
    mixed = [p * a + (1 - p) * b for a, b in zip(one, zero, strict=True)]
    return present, zero if neighbours == "add-remove" else mixed


@pytest.mark.parametrize(
    ("others", "known"), [(10, 0.246094), (100, 0.079589), (1000, 0.025225), (10_000, 0.007979)]
)
def test_known_answers_for_a_fair_bit(others, known):
    exact = Fraction(math.comb(others, others // 2), 2**others)
    found = OneBitSum(others).kolmogorov_smirnov
    assert abs(found - float(exact)) < 1e-12
    assert round(found, 6) == known


@pytest.mark.parametrize(("p", "known"), [(Fraction(3, 4), 0.300339), (Fraction(19, 20), 0.630249)])
def test_known_answers_of_fig_3_5(p, known):
    found = OneBitSum(others=9, p=float(p)).kolmogorov_smirnov
    assert abs(found - float(max(binomial(9, p)))) < 1e-12
    assert round(found, 6) == known


def test_known_answer_for_a_bit_that_is_replaced():
    found = OneBitSum(others=100, neighbours="replace-one").kolmogorov_smirnov
    assert abs(found - float(Fraction(math.comb(100, 50), 2**101))) < 1e-12
    assert round(found, 6) == 0.039795


@given(
    others=st.integers(1, 9),
    p=st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20),
    neighbours=st.sampled_from(["add-remove", "replace-one"]),
    bit=st.sampled_from([0, 1]),
    ratio=st.fractions(1, 6, max_denominator=8),
)
@settings(max_examples=60, deadline=None)
def test_all_distances_are_those_of_every_event_enumerated(others, p, neighbours, bit, ratio):
    """Statistical distance and hockey-stick by *all* events, not by the formulas' own tails."""
    present, absent = arms(others, p, neighbours, bit)
    values = range(others + 2)
    events = [event for r in values for event in combinations(values, r)]

    def most(a, b, times):
        return max(sum(a[k] for k in event) - times * sum(b[k] for k in event) for event in events)

    found = OneBitSum(others, float(p), neighbours, bit)
    assert abs(found.statistical_distance - most(present, absent, 1)) < 1e-12
    steps = [sum(present[: k + 1]) - sum(absent[: k + 1]) for k in values]
    assert abs(found.kolmogorov_smirnov - max(map(abs, steps))) < 1e-12
    squares = sum((a - b) ** 2 * b for a, b in zip(present, absent, strict=True))
    assert abs(found.squared_deviation - squares) < 1e-12
    delta = max(most(present, absent, ratio), most(absent, present, ratio))
    assert abs(found.delta(math.log(ratio)) - delta) < 1e-12


@given(
    others=st.integers(1, 200),
    p=st.floats(0.02, 0.98),
    neighbours=st.sampled_from(["add-remove", "replace-one"]),
    delta=st.floats(1e-6, 0.3),
)
@settings(max_examples=60, deadline=None)
def test_the_exact_epsilon_is_the_least_that_has_its_delta(others, p, neighbours, delta):
    one_bit = OneBitSum(others, p, neighbours)
    epsilon = one_bit.epsilon(delta)
    if math.isinf(epsilon):
        assert one_bit.delta(math.inf) > delta
    else:
        assert one_bit.delta(epsilon) <= delta * (1 + 1e-9)
        assert epsilon == 0 or one_bit.delta(epsilon - 1e-6) > delta


def test_no_finite_epsilon_has_a_delta_of_zero():
    one_bit = OneBitSum(others=20, p=0.7)
    assert math.isinf(one_bit.epsilon(0.0))
    assert one_bit.delta(math.inf) == pytest.approx(0.7**20, rel=1e-12)
    assert one_bit.delta(60.0) == pytest.approx(0.7**20, rel=1e-12)


def test_the_maximum_is_over_both_ends_of_the_window():
    low, high = window(100, 0.75, 1e-3)
    assert abs(math.log(3 * (100 - low) / low)) == pytest.approx(0.662, abs=5e-4)  # the thesis's
    assert epsilon_by_ratio(100, 0.75, 1e-3) == pytest.approx(1.018, abs=5e-4)
    assert epsilon_by_ratio(100, 0.25, 1e-3) == pytest.approx(epsilon_by_ratio(100, 0.75, 1e-3))
    assert high == pytest.approx(89.248, abs=1e-3)


def test_the_window_is_clipped_where_the_ratio_has_no_logarithm():
    assert window(5, 0.9, 1e-9) == (1.0, 4.0)
    assert math.isfinite(epsilon_by_ratio(5, 0.9, 1e-9))
    assert epsilon_by_ratio(2, 0.5, 1e-3) == 0.0


@given(n=st.integers(3, 150), p=st.fractions(Fraction(1, 9), Fraction(8, 9), max_denominator=9))
@settings(max_examples=40, deadline=None)
def test_the_exact_window_has_a_mass_of_at_least_one_minus_delta(n, p):
    delta = Fraction(1, 50)
    low, high = window(n, float(p), float(delta), exact=True)
    mass = binomial(n, p)
    inside = sum(mass[int(low) : int(high) + 1])
    assert inside >= 1 - delta - (mass[0] + mass[n])


@pytest.mark.parametrize("p", [0.5, 0.6, 0.9])
def test_least_delta_and_equation_3_3(p):
    n = 12
    exact = Fraction(p)
    expected = 1 - (1 - (1 - exact) ** (n - 1)) * (1 - exact ** (n - 1))
    assert abs(least_delta(n, p) - float(expected)) < 1e-12
    ratios = [p * (n - k) / ((1 - p) * k) for k in range(1, n)]
    greatest = max(max(r, 1 / r) for r in ratios)
    assert epsilon_at_least_delta(n, p) == pytest.approx(math.log(greatest), rel=1e-12)
    assert epsilon_at_least_delta(n, 1 - p) == pytest.approx(math.log(greatest), rel=1e-12)


@pytest.mark.parametrize(("name", "at_10"), [("constant", 1e-3), ("linear", 0.1),
                                             ("quadratic", 0.01), ("cubic", 1e-3)])  # fmt: skip
def test_epsilon_falls_with_the_root_of_n_for_each_delta(name, at_10):
    assert DELTAS[name](10) == pytest.approx(at_10)
    sizes = [10**4, 10**6]
    small, large = (epsilon_by_ratio(n, 0.5, DELTAS[name](n)) for n in sizes)
    # √100 = 10, but for the logarithm by which quantiles of a falling δ grow.
    assert 6 < small / large < 10.2
    if name == "constant":
        # Near the middle log r is 4(n/2 − k)/n, with k at 3.29 standard deviations of √n/2.
        assert large * math.sqrt(10**6) == pytest.approx(2 * 3.2905, rel=1e-3)


@given(n=st.integers(5, 400), p=st.floats(0.1, 0.9), delta=st.sampled_from([1e-1, 1e-2, 1e-3]))
@settings(max_examples=60, deadline=None)
def test_the_exact_epsilon_is_no_greater_than_the_one_by_ratios(n, p, delta):
    """A window that both neighbours are in with probability 1 − δ implies (ε, δ). The window is
    one of B(n, p), a mixture of both in shares p and 1 − p."""
    share = delta * min(p, 1 - p)
    low, high = window(n, p, share, exact=True)
    if low > 1 and high < n - 1:
        exact = OneBitSum(n - 1, p).epsilon(delta)
        assert exact <= epsilon_by_ratio(n, p, share, exact=True) + 1e-9


def test_a_clipped_window_hides_that_no_epsilon_is_enough():
    assert epsilon_by_ratio(50, 0.95, 1e-2) < 2
    assert math.isinf(OneBitSum(49, 0.95).epsilon(1e-2))


def test_the_mode_is_found_at_the_ends_too():
    assert OneBitSum(3, 0.999).mode_mass == pytest.approx(0.999**3)
    assert OneBitSum(3, 0.001).mode_mass == pytest.approx(0.999**3)


def test_a_zero_that_is_removed_changes_nothing():
    nothing = OneBitSum(10, 0.3, "add-remove", 0)
    assert nothing.statistical_distance == nothing.epsilon(0.0) == nothing.delta(0.0) == 0


@pytest.mark.parametrize("given", [{"others": 0}, {"others": 5, "p": 1.0}, {"others": 5, "bit": 2},
                                   {"others": 5, "neighbours": "none"}])  # fmt: skip
def test_what_is_no_one_bit_sum_is_refused(given):
    with pytest.raises(InputError):
        OneBitSum(**given)


@pytest.mark.parametrize("p", [0.5, 0.75])
def test_estimates_lie_within_the_simulated_band_of_the_statistic(p):
    """10,000 samples an arm: within what 99.9 % of such estimates are, by counts alone."""
    one_bit = OneBitSum(100, p)
    n, values = 10_000, np.arange(102)
    generator = np.random.default_rng(3)
    x = generator.choice(values, n, p=one_bit.present / one_bit.present.sum())
    y = generator.choice(values, n, p=one_bit.absent / one_bit.absent.sum())
    first = generator.multinomial(n, one_bit.present, 4000) / n
    second = generator.multinomial(n, one_bit.absent, 4000) / n
    edges = values[:-1] + 0.5
    bands = {
        distances.sampled_kolmogorov_smirnov(x, y): np.abs(np.cumsum(first - second, axis=1)).max(
            axis=1
        ),
        distances.sampled_statistical_distance(x, y, edges): np.abs(first - second).sum(axis=1) / 2,
        distances.sampled_squared_deviation(x, y, edges): ((first - second) ** 2 * second).sum(
            axis=1
        ),
    }
    truths = (one_bit.kolmogorov_smirnov, one_bit.statistical_distance, one_bit.squared_deviation)
    for (found, band), truth in zip(bands.items(), truths, strict=True):
        low, high = np.quantile(band, [0.0005, 0.9995])
        assert low <= found.estimate <= high
        assert found.low <= truth <= found.high
