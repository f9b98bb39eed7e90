"""Distances: known answers, quadrature, laws that every distance obeys, intervals that hold."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta, norm

from chatham.audit import distances as d
from chatham.audit.one_bit_sum import OneBitSum
from chatham.errors import InputError

distributions = st.integers(2, 8).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 20), min_size=n, max_size=n) for _ in range(2)])
).filter(lambda pair: all(sum(each) for each in pair)).map(
    lambda pair: tuple(np.array(each) / sum(each) for each in pair)
)  # fmt: skip


def test_known_answers():
    assert d.gaussian_statistical_distance(1.0) == pytest.approx(0.382925, abs=5e-7)
    assert d.randomised_response_statistical_distance(1.0) == pytest.approx(0.462117, abs=5e-7)
    share = math.e / (1 + math.e)
    answers = [share, 1 - share], [1 - share, share]
    assert abs(d.statistical_distance(*answers) - math.tanh(0.5)) < 1e-15
    assert abs(d.epsilon(*answers, delta=0.0) - 1) < 1e-12
    assert d.delta(*answers, epsilon=1.0) < 1e-15
    assert d.randomised_response_delta(1.0, 0.0) == pytest.approx(math.tanh(0.5), abs=1e-12)


@pytest.mark.parametrize("mu", [0.2, 1.0, 2.5])
@pytest.mark.parametrize("epsilon", [0.0, 0.7, 3.0])
def test_closed_forms_of_a_gaussian_shift_by_quadrature(mu, epsilon):
    p, q = norm(mu).pdf, norm(0).pdf
    kink = mu / 2 + epsilon / mu  # where p = eᵉq
    options = {"epsabs": 1e-13, "epsrel": 1e-12}
    hockey = quad(lambda x: p(x) - math.exp(epsilon) * q(x), kink, kink + 40, **options)[0]
    assert abs(d.gaussian_delta(mu, epsilon) - hockey) < 1e-12
    squared = quad(lambda x: (p(x) - q(x)) ** 2 * q(x), -12, 15, **options)[0]
    assert abs(d.gaussian_squared_deviation(mu) - squared) < 1e-12
    assert abs(d.gaussian_delta(mu, 0.0) - d.gaussian_statistical_distance(mu)) < 1e-14


def test_a_shift_of_nothing_and_an_enormous_one():
    assert d.gaussian_delta(0.0, 0.5) == 0
    assert d.gaussian_delta(1e3, 5.0) == pytest.approx(1.0)
    assert 0 <= d.gaussian_delta(0.1, 700.0) < 1e-300


@given(distributions, st.floats(0, 4))
@settings(max_examples=150, deadline=None)
def test_laws_of_distances(pair, epsilon):
    p, q = pair
    distance = d.statistical_distance(p, q)
    assert d.kolmogorov_smirnov(p, q) <= distance + 1e-12
    assert 0 <= distance <= 1 + 1e-12
    assert distance == pytest.approx(d.delta(p, q, 0.0), abs=1e-12)
    assert distance == d.statistical_distance(q, p)
    assert d.delta(p, q, epsilon) <= distance + 1e-12
    merged = [np.append(each[:-2], each[-2:].sum()) for each in pair]
    assert d.delta(*merged, epsilon) <= d.delta(p, q, epsilon) + 1e-12  # processing only hides
    assert d.squared_deviation(p, q) <= (2 * distance) ** 2


@given(distributions, st.floats(1e-4, 0.5))
@settings(max_examples=150, deadline=None)
def test_epsilon_undoes_delta(pair, delta):
    epsilon = d.epsilon(*pair, delta)
    if math.isfinite(epsilon):
        assert d.delta(*pair, epsilon) <= delta + 1e-9
        assert epsilon == 0 or d.delta(*pair, epsilon - 1e-6) > delta - 1e-12
    else:
        assert d.delta(*pair, 50.0) > delta


def test_intervals_hold_as_often_as_they_say():
    """400 samples of 200 each: at 90 %, all of these bounds hold far more often."""
    p, q = np.array([0.5, 0.3, 0.15, 0.05]), np.array([0.4, 0.3, 0.2, 0.1])
    generator, held = np.random.default_rng(5), np.zeros(5)
    edges, runs = np.arange(3) + 0.5, 400
    truths = (
        d.kolmogorov_smirnov(p, q),
        d.statistical_distance(p, q),
        d.delta(p, q, 0.1),
        d.squared_deviation(p, q),
        d.statistical_distance(p, q),
    )
    for _ in range(runs):
        x, y = generator.choice(4, 200, p=p), generator.choice(4, 200, p=q)
        found = (
            d.sampled_kolmogorov_smirnov(x, y, level=0.9),
            d.sampled_statistical_distance(x, y, edges, level=0.9),
            d.sampled_delta(x, y, edges, 0.1, level=0.9),
            d.sampled_squared_deviation(x, y, edges, level=0.9),
            d.sampled_statistical_distance(x, y, edges, event=p > q, level=0.9),
        )
        held += [f.low <= truth <= f.high for f, truth in zip(found, truths, strict=True)]
    assert (held >= 0.9 * runs).all()


def test_intervals_close_in_on_the_truth():
    generator = np.random.default_rng(6)
    x, y = generator.normal(1.0, 1.0, 200_000), generator.normal(0.0, 1.0, 200_000)
    edges = np.linspace(-4, 5, 91)
    found = d.sampled_statistical_distance(x, y, edges)
    assert found.high - found.low < 0.06
    assert found.low <= d.gaussian_statistical_distance(1.0) <= found.high
    assert d.sampled_delta(x, y, edges, 1.0).estimate == pytest.approx(
        d.gaussian_delta(1.0, 1.0), abs=0.01
    )
    kolmogorov = d.sampled_kolmogorov_smirnov(x, y)
    assert kolmogorov.estimate == pytest.approx(0.382925, abs=0.006)
    assert kolmogorov.low < 0.382925 < kolmogorov.high


def test_an_event_that_is_known_beforehand_makes_the_lower_end_exact():
    x, y = np.repeat([0.0, 1.0, 2.0], [30, 8, 2]), np.repeat([0.0, 1.0, 2.0], [5, 10, 25])
    event = np.array([True, False, False])
    found = d.sampled_statistical_distance(x, y, [0.5, 1.5], event=event, level=0.9)
    by_hand = beta.ppf(0.025, 30, 11) - beta.ppf(0.975, 6, 35)
    assert found.low == pytest.approx(by_hand, abs=1e-9)
    assert found.low > d.sampled_statistical_distance(x, y, [0.5, 1.5], level=0.9).low
    wrong = d.sampled_statistical_distance(x, y, [0.5, 1.5], event=~event, level=0.9)
    assert wrong.low == 0
    # One sample changes the distance by 1/40: the upper end is the estimate and this much more.
    beyond = math.sqrt(math.log(20) * (1 / 40 + 1 / 40) / 2)
    near = d.sampled_statistical_distance(x, x, [0.5, 1.5], level=0.9)
    assert near.high == pytest.approx(beyond, abs=1e-12)
    with pytest.raises(InputError, match="each of 3 cells"):
        d.sampled_statistical_distance(x, y, [0.5, 1.5], event=[True, False])


def gaussian_cells(shift):
    """A Gaussian shift as probabilities of 2,000 narrow cells."""
    edges = np.concatenate([[-np.inf], np.linspace(-6, 7, 1999), [np.inf]])
    return np.diff(norm.cdf(edges - shift)), np.diff(norm.cdf(edges))


def sums(others, p=0.5, neighbours="add-remove"):
    one_bit = OneBitSum(others, p, neighbours)
    likely = (one_bit.present > 1e-12) | (one_bit.absent > 1e-12)
    arms = one_bit.present[likely], one_bit.absent[likely]
    return tuple(arm / arm.sum() for arm in arms)


SHARE = math.e / (1 + math.e)
KNOWN = {
    0.246094: sums(10), 0.079589: sums(100), 0.025225: sums(1000), 0.007979: sums(10_000),
    0.300339: sums(9, 0.75), 0.630249: sums(9, 0.95), 0.039795: sums(100, 0.5, "replace-one"),
    0.382925: gaussian_cells(1.0), 0.462117: ([1 - SHARE, SHARE], [SHARE, 1 - SHARE]),
}  # fmt: skip


@pytest.mark.parametrize("known", KNOWN)
def test_estimates_at_10000_samples_an_arm_lie_in_the_band_of_the_statistic_itself(known):
    """The band has 99.9 % of 4,000 simulations of max |F − G| with as many samples; where the
    distance is small it lies above the truth, which is inside every interval all the same."""
    n, arms = 10_000, KNOWN[known]
    generator = np.random.default_rng(round(1e6 * known))
    samples = [generator.choice(len(each), n, p=each).astype(float) for each in arms]
    found = d.sampled_kolmogorov_smirnov(*samples)
    present, absent = (generator.multinomial(n, each, 4000).cumsum(axis=1) for each in arms)
    low, high = np.quantile(np.abs(present - absent).max(axis=1) / n, [0.0005, 0.9995])
    assert low <= found.estimate <= high
    assert found.low <= known <= found.high


def test_interval_of_the_squared_deviation_by_a_grid():
    x, y = np.repeat([0.0, 1.0], [30, 10]), np.repeat([0.0, 1.0], [5, 35])
    found = d.sampled_squared_deviation(x, y, [0.5], level=0.9)

    def ends(k, n):
        return beta.ppf(0.0125, k, n - k + 1), beta.ppf(0.9875, k + 1, n - k)

    grids = [np.linspace(*ends(k, 40), 401) for k in (30, 10, 5, 35)]
    cells = [
        (grids[a][:, None] - grids[b][None, :]) ** 2 * grids[b][None, :]
        for a, b in ((0, 2), (1, 3))
    ]
    assert found.low == pytest.approx(sum(cell.min() for cell in cells), abs=1e-4)
    assert found.high == pytest.approx(sum(cell.max() for cell in cells), abs=1e-4)


@pytest.mark.parametrize(
    "arrays", [([0.5, 0.5], [1.0]), ([0.5, 0.6], [0.5, 0.5]), ([1.5, -0.5], [0.5, 0.5]), ([], [])]
)
def test_what_is_no_distribution_is_refused(arrays):
    with pytest.raises(InputError):
        d.statistical_distance(*arrays)


def test_bad_samples_are_refused():
    with pytest.raises(InputError, match="NaN"):
        d.sampled_kolmogorov_smirnov([1.0, math.nan], [1.0])
    with pytest.raises(InputError, match="edges"):
        d.sampled_statistical_distance([1.0], [1.0], [2.0, 1.0])
