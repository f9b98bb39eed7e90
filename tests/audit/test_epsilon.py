"""Lower bounds on ε: below the truth for correct mechanisms, above what a broken one claims."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom, norm

from chatham.audit.distances import gaussian_delta
from chatham.audit.epsilon import (
    Guesses,
    epsilon_from_counts,
    epsilon_from_samples,
    epsilon_of_gaussian,
    gaussian_epsilon,
    gaussian_sigma,
    guess,
    mu_from_samples,
    one_run_epsilon,
    one_run_p_value,
)
from chatham.audit.one_bit_sum import OneBitSum
from chatham.errors import InputError


def test_known_answers():
    assert gaussian_sigma(1.0, 1e-5) == pytest.approx(3.7306, abs=5e-5)
    assert gaussian_sigma(1.0, 1e-5, sensitivity=2.0) == pytest.approx(2 * gaussian_sigma(1, 1e-5))
    found = one_run_epsilon(Guesses(100, 100, 100))
    assert found.low == pytest.approx(3.493, abs=5e-4)
    accuracy = 0.05 ** (1 / 100)  # of guesses that are all right in 5 % of audits
    assert found.low == pytest.approx(math.log(accuracy / (1 - accuracy)), abs=1e-9)
    assert math.isinf(found.high)


@given(st.floats(0.05, 5), st.sampled_from([1e-2, 1e-5, 1e-9]))
@settings(max_examples=60, deadline=None)
def test_epsilon_delta_and_sigma_undo_each_other(mu, delta):
    epsilon = gaussian_epsilon(mu, delta)
    if epsilon > 0:
        assert gaussian_delta(mu, epsilon) == pytest.approx(delta, rel=1e-6)
    if epsilon > 1e-3:
        assert gaussian_sigma(epsilon, delta) == pytest.approx(1 / mu, rel=1e-6)


@pytest.mark.parametrize(("v", "r", "m"), [(9, 10, 10), (30, 40, 100), (60, 100, 1000)])
@pytest.mark.parametrize("delta", [0.0, 1e-5, 1e-3])
def test_the_one_run_p_value_is_the_papers_loop(v, r, m, delta):
    for epsilon in (0.0, 0.5, 2.0):
        q = 1 / (1 + math.exp(-epsilon))
        most = sum(binom.pmf(k, r, q) for k in range(v, r + 1))
        alpha = mass = 0.0
        for i in range(1, v + 1):
            mass += binom.pmf(v - i, r, q)
            alpha = max(alpha, mass / i)
        expected = min(1.0, most + 2 * m * delta * alpha)
        assert one_run_p_value(Guesses(m, r, v), epsilon, delta) == pytest.approx(
            expected, rel=1e-9
        )


def test_one_run_of_randomised_response_holds_and_comes_near():
    """A mechanism that tells each canary's coin with ε = 2: bounds are below it in 95 % of runs."""
    generator, truth, bounds = np.random.default_rng(31), 2.0, []
    for _ in range(300):
        included = generator.random(1000) < 0.5
        told = included ^ (generator.random(1000) < 1 / (1 + math.exp(truth)))
        guesses = guess(told + generator.random(1000) / 2, included, said_in=300, said_out=300)
        bounds.append(one_run_epsilon(guesses).low)
    assert np.mean(np.array(bounds) > truth) <= 0.085  # 5 % and four deviations of 300 runs
    assert np.median(bounds) > 1.7


def test_guessing_abstains_in_the_middle():
    included = np.array([True, False, True, False, True])
    found = guess([5.0, 4.0, 3.0, 2.0, 1.0], included, said_in=2, said_out=1)
    assert found == Guesses(canaries=5, made=3, right=1)
    assert guess([5.0, 4.0], included[:2], said_in=1, said_out=0) == Guesses(2, 1, 1)
    assert one_run_epsilon(Guesses(10, 10, 4)).low == 0


def test_a_bound_from_counts_by_hand():
    found = epsilon_from_counts(90, 100, 10, 100, level=0.95)

    low, high = beta.ppf(0.0125, 90, 11), beta.ppf(0.9875, 11, 90)
    assert found.low == pytest.approx(math.log(low / high), abs=1e-9)
    # Four ways to say the same: answers and directions exchanged.
    assert epsilon_from_counts(10, 100, 90, 100).low == pytest.approx(found.low, abs=1e-9)
    rare = epsilon_from_counts(60, 100, 0, 100)
    assert rare.low == pytest.approx(
        math.log(beta.ppf(0.0125, 60, 41) / beta.ppf(0.9875, 1, 100)), abs=1e-9
    )
    assert epsilon_from_counts(40, 100, 100, 100).low == pytest.approx(rare.low, abs=1e-9)
    assert epsilon_from_counts(60, 100, 0, 100, delta=0.1).low < rare.low


def laplace(epsilon):
    return lambda g, n: (g.laplace(1, 1 / epsilon, n), g.laplace(0, 1 / epsilon, n))


def response(epsilon):
    share = 1 / (1 + math.exp(-epsilon))
    return lambda g, n: ((g.random(n) < share) * 1.0, (g.random(n) >= share) * 1.0)


def geometric(epsilon):
    def draw(g, n):
        stay = 1 - math.exp(-epsilon)
        noise = g.geometric(stay, (2, n)) - g.geometric(stay, (2, n))
        return noise[0] + 1.0, noise[1] * 1.0

    return draw


def gaussian(mu):
    return lambda g, n: (g.normal(mu, 1, n), g.normal(0, 1, n))


def one_bit(others, p, neighbours):
    mechanism = OneBitSum(others, p, neighbours)

    def draw(g, n):
        return tuple(
            g.choice(others + 2, n, p=each / each.sum()).astype(float)
            for each in (mechanism.present, mechanism.absent)
        )

    return draw, mechanism.epsilon(0.01)


SUMS = [
    one_bit(10, 0.5, "add-remove"), one_bit(100, 0.5, "add-remove"),
    one_bit(100, 0.75, "add-remove"), one_bit(30, 0.3, "replace-one"),
]  # fmt: skip
CORRECT = [
    *((laplace(e), e, 0.0) for e in (0.1, 0.5, 1.0, 2.0, 4.0)),
    *((response(e), e, 0.0) for e in (0.1, 0.5, 1.0, 3.0)),
    *((geometric(e), e, 0.0) for e in (0.2, 1.0, 2.0)),
    *((gaussian(mu), gaussian_epsilon(mu, 0.01), 0.01) for mu in (0.1, 0.5, 1.0, 2.0)),
    *((draw, epsilon, 0.01) for draw, epsilon in SUMS),
]


def test_bounds_of_20_correct_mechanisms_hold_jointly_at_99_percent():
    """200 audits of all 20, of which 1 % may fail: 2, and four deviations above are 8."""
    assert len(CORRECT) == 20
    generator, failed = np.random.default_rng(41), 0
    for _ in range(200):
        bounds = [
            (epsilon_from_samples(*draw(generator, 300), delta=delta, level=1 - 0.01 / 20).low, e)
            for draw, e, delta in CORRECT
        ]
        failed += any(low > truth for low, truth in bounds)
    assert failed <= 8


def test_bounds_of_correct_mechanisms_are_not_empty():
    generator = np.random.default_rng(42)
    for draw, truth, delta in CORRECT:
        if truth >= 1:
            found = epsilon_from_samples(*draw(generator, 20_000), delta=delta)
            assert 0.5 * truth < found.low <= truth
            assert found.low <= found.estimate


def test_thresholds_fixed_beforehand_are_corrected_for():
    """Twenty thresholds, each of which would err by itself: together they hold as one does."""
    generator, over, level = np.random.default_rng(43), 0, 0.9
    cuts = norm.ppf(np.linspace(0.1, 0.9, 20))
    for _ in range(300):
        x, y = generator.normal(size=(2, 200))
        over += epsilon_from_samples(x, y, thresholds=cuts, level=level).low > 0
    assert over <= 0.1 * 300
    one = epsilon_from_samples(x + 1, y, thresholds=[0.5]).low
    assert epsilon_from_samples(x + 1, y, thresholds=[0.5, 9.0]).low < one


def test_choosing_an_event_by_half_of_the_samples_does_not_make_bounds_bold():
    generator = np.random.default_rng(44)
    over = sum(
        epsilon_from_samples(*generator.normal(size=(2, 100)), level=0.9).low > 0
        for _ in range(500)
    )
    assert over <= 0.1 * 500


def test_mu_holds_as_often_as_it_says_and_closes_in():
    generator = np.random.default_rng(45)
    for mu in (0.0, 0.5, 2.0):
        found = [
            mu_from_samples(generator.normal(mu, 1, 300), generator.normal(0, 1, 300), level=0.9)
            for _ in range(200)
        ]
        assert np.mean([each.low <= mu <= each.high for each in found]) >= 0.9
    many = mu_from_samples(generator.normal(-1, 1, 40_000), generator.normal(0, 1, 40_000))
    assert many.high - many.low < 0.12
    assert many.low < 1 < many.high


def test_epsilon_of_a_gaussian_mechanism_by_its_curve():
    generator, sigma = np.random.default_rng(46), gaussian_sigma(1.0, 1e-5)
    x, y = generator.normal(1, sigma, 20_000), generator.normal(0, sigma, 20_000)
    found = epsilon_of_gaussian(x, y, 1e-5)
    assert found.low < 1 < found.high
    # The curve knows what counting can't: events of 1e-5 aren't seen in 20,000 samples.
    assert found.low > epsilon_from_samples(x, y, delta=1e-5).low


# Planted leaks.


def test_a_sensitivity_understated_by_two_is_caught_by_the_curve():
    """Noise for a document that moves a total by 1, and one that moves it by 2."""
    generator, sigma = np.random.default_rng(51), gaussian_sigma(1.0, 1e-5)
    n = 4000
    honest, liar = (
        epsilon_of_gaussian(
            generator.normal(moved, sigma, n), generator.normal(0, sigma, n), 1e-5, level=0.99
        )
        for moved in (1.0, 2.0)
    )
    assert honest.low <= 1.0
    assert liar.low > 1.0
    caught = np.mean(
        [
            epsilon_of_gaussian(
                generator.normal(2, sigma, n), generator.normal(0, sigma, n), 1e-5, level=0.99
            ).low
            > 1
            for _ in range(50)
        ]
    )
    assert caught > 0.9


def test_a_sensitivity_understated_by_two_is_caught_by_counting_100000_draws():
    generator = np.random.default_rng(52)
    x, y = generator.laplace(2, 1, 100_000), generator.laplace(0, 1, 100_000)
    assert epsilon_from_samples(x, y, level=0.99).low > 1.0  # claimed: sensitivity 1, ε = 1
    x, y = generator.laplace(1, 1, 100_000), generator.laplace(0, 1, 100_000)
    assert epsilon_from_samples(x, y, level=0.99).low <= 1.0


def test_other_planted_leaks_refute_what_is_claimed():
    """Each claims ε = 1 and, but for the leak, would have it."""
    generator, n, claimed = np.random.default_rng(53), 4000, 1.0
    wide = generator.normal(0, 1.6, n), generator.normal(0, 1, n)
    parity = [(generator.integers(0, 2**30, n) * 2 + bit) % 2.0 for bit in (1, 0)]
    noise = generator.laplace(0, 100.0, (2, n))
    twice = [((noise[arm] + 0.3 * arm) - noise[arm]).round(9) for arm in (1, 0)]
    left_out = [generator.normal(0.3 * arm, 0.01, n) for arm in (1, 0)]
    for x, y in (wide, parity, twice, left_out):
        assert epsilon_from_samples(x, y, level=0.99).low > claimed


@pytest.mark.parametrize("level", [0.0, 1.0, 2.0])
def test_bad_levels_are_refused(level):
    with pytest.raises(InputError, match="level"):
        epsilon_from_samples(np.zeros(10), np.zeros(10), level=level)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(InputError, match="positives"):
        epsilon_from_counts(5, 4, 0, 4)
    with pytest.raises(InputError, match="canaries"):
        one_run_epsilon(Guesses(5, 6, 6))
    with pytest.raises(InputError, match="said_in"):
        guess([1.0, 2.0], np.array([True, False]), said_in=2, said_out=1)
    with pytest.raises(InputError, match="samples"):
        mu_from_samples([1.0], [2.0])
    with pytest.raises(InputError, match="delta"):
        gaussian_epsilon(1.0, 0.0)
