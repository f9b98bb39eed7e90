"""What (ε, δ) costs, and that noise of all honest parties is as large as it must be."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatham import Simulated
from chatham.audit.epsilon import gaussian_sigma
from chatham.audit.observing import Observed
from chatham.commons.precision import Precision
from chatham.commons.privacy import FINEST, Privacy, Spending, epsilon_of
from chatham.errors import InputError


def test_the_package_knows_the_gaussian_mechanism():
    """ε = 1 at δ = 10⁻⁵ needs σ = 3.7306, by our closed form and by the package's own way."""
    from dp_accounting import GaussianDpEvent
    from dp_accounting.pld import PLDAccountant

    sigma = gaussian_sigma(1.0, 1e-5)
    assert sigma == pytest.approx(3.7306, abs=1e-4)
    accountant = PLDAccountant()
    accountant.compose(GaussianDpEvent(sigma))
    assert accountant.get_epsilon(1e-5) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.1, 1e-6), (1.0, 1e-5), (10.0, 1e-9), (100, 0.01)]
)
def test_all_of_the_privacy_and_no_more_is_spent(epsilon, delta):
    privacy = Privacy(epsilon, delta)
    assert epsilon_of(privacy.rho, delta) <= epsilon
    assert epsilon_of(1.001 * privacy.rho, delta) > epsilon
    # Concentrated privacy implies (ε, δ) at least as well as its simplest conversion.
    simple = privacy.rho + 2 * math.sqrt(privacy.rho * math.log(1 / delta))
    assert epsilon <= simple * (1 + 1e-6)


def test_more_noise_than_an_exact_gaussian_would_need_but_not_much():
    rho = Privacy(1.0, 1e-5).rho
    assert gaussian_sigma(1.0, 1e-5) < 1 / math.sqrt(2 * rho) < 1.1 * gaussian_sigma(1.0, 1e-5)


def test_shares_add_up():
    spending = Spending(Privacy(2.0, 1e-5, honest=3))
    each = spending.noise("words", 0.7, 1.5, times=4)
    spending.noise("sizes", 0.3, 1.0)
    assert sum(release.rho for release in spending.releases) == pytest.approx(spending.privacy.rho)
    words = spending.releases[0]
    assert words.deviation == pytest.approx(each * math.sqrt(3))
    assert words.sensitivity == pytest.approx(1.5, rel=1e-4)
    assert words.sensitivity == 1.5 + FINEST * each
    with pytest.raises(InputError, match="times the privacy"):
        spending.noise("more", 0.1, 1.0)


@settings(max_examples=50, deadline=None)
@given(
    st.integers(1, 400),
    st.floats(1e-2, 1e3),
    st.integers(0, 2**32 - 1),
)
def test_rounding_moves_neighbours_apart_by_no_more_than_is_accounted_for(cells, noise, seed):
    draws = np.random.default_rng(seed)
    x, v = draws.normal(size=cells), draws.normal(size=cells) * 10.0 ** draws.integers(-8, 1)
    bits = Precision(noise=noise, discrete=True).bits([x], 1000, 3, 59)[0]
    moved = (np.rint((x + v) * 2.0**bits) - np.rint(x * 2.0**bits)) / 2.0**bits
    assert np.linalg.norm(moved) <= np.linalg.norm(v) + FINEST * noise * (1 + 1e-9)


def add_ones(rows, memory):
    """The sum of all rows."""
    return np.asarray(rows, dtype=np.float64).sum(axis=0)


def test_noise_of_a_total_and_what_a_coalition_leaves_of_it():
    """M parties add σ²/h each: Mσ²/h in all, and σ² at least where h don't collude."""
    parts = [np.full((3, 10_000), 0.25) for _ in range(4)]
    secrets = [bytes([i]) * 32 for i in range(4)]
    privacy = Privacy(1.0, 1e-5, honest=2)
    each = Spending(privacy).noise("rows", 1.0, 1.0)
    sigma = each * math.sqrt(2)
    commons = Observed(parts, coalition=(0, 3), secrets=secrets, privacy=privacy)
    commons.count()
    total = commons.sum(add_ones, noise=each)
    # A variance of 10,000 draws is within 7 % in all but one of a million tries.
    assert (total - 3.0).var() == pytest.approx(4 * sigma**2 / 2, rel=0.07)
    others = commons.rounds[-1].others[0] - 1.5
    assert others.var() == pytest.approx(sigma**2, rel=0.07)
    assert commons.rounds[-1].noise[0] == pytest.approx(sigma)
    units = others / commons.rounds[-1].units[0]
    assert np.array_equal(units, np.rint(units))


def test_sums_without_noise_are_exact_and_totals_differ_by_secret():
    parts = [np.ones((2, 3)), np.ones((1, 3))]
    privacy = Privacy(5.0, 1e-3, honest=1)

    def total(secrets):
        commons = Simulated(parts, secure=True, secrets=secrets, privacy=privacy)
        commons.count()
        return commons.sum(add_ones, noise=2.0)

    first = total([b"a" * 32, b"b" * 32])
    assert np.array_equal(first, total([b"a" * 32, b"b" * 32]))
    assert not np.array_equal(first, total([b"a" * 32, b"c" * 32]))


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ((0.0, 1e-5), "epsilon must be a number above 0; got 0.0."),
        ((float("nan"), 1e-5), "epsilon must be a number above 0; got nan."),
        ((1.0, 1.0), "delta must lie between 1e-20 and 1, well below"),
        ((1.0, 1e-30), "delta must lie between 1e-20 and 1, well below"),
        ((1.0, 1e-5, 0), "honest must be a whole number of at least 1"),
    ],
)
def test_what_promises_nothing_is_refused(values, sentence):
    with pytest.raises(InputError, match=sentence.replace("(", r"\(")):
        Privacy(*values)


def test_what_can_not_be_kept_is_refused():
    parts = [np.ones((2, 3)), np.ones((1, 3))]
    with pytest.raises(InputError, match="exact"):
        Simulated(parts, secure=True, exact_totals=True, privacy=Privacy(1.0, 1e-5))
    with pytest.raises(InputError, match="exact"):
        Simulated(parts, privacy=Privacy(1.0, 1e-5))
    with pytest.raises(InputError, match="honest=2 parties' noise can't be left"):
        Simulated(parts, secure=True, privacy=Privacy(1.0, 1e-5))  # one of two looks on
    loosest = Privacy(1.0, 1e-5, honest=1)
    commons = Simulated(parts, secure=True, fraction_bits=10, privacy=loosest)
    commons.count()
    with pytest.raises(InputError, match="fraction bits"):
        commons.sum(add_ones, noise=1.0)
    with pytest.raises(InputError, match="without noise"):
        commons.sum(add_ones)


def add_twice(rows, memory):
    """The sum of all rows, in two arrays."""
    total = np.asarray(rows, dtype=np.float64).sum(axis=0)
    return total, total[:5_000]


def test_arrays_of_one_round_have_noise_of_their_own():
    """Else one would take the noise off the other."""
    parts = [np.zeros((1, 10_000)) for _ in range(3)]
    secrets = [bytes([i]) * 32 for i in range(3)]
    commons = Simulated(parts, secure=True, secrets=secrets, privacy=Privacy(1.0, 1e-5))
    commons.count()
    first, second = commons.sum(add_twice, noise=(2.0, 20.0))
    assert abs(np.corrcoef(first[:5_000], second)[0, 1]) < 0.08  # of 5,000 draws: 0.014


def test_an_epsilon_that_no_noise_can_keep_is_refused():
    with pytest.raises(InputError, match="too small"):
        _ = Privacy(1e-8, 1e-12).rho


def test_whether_there_is_room_follows_from_what_all_know():
    """And never from the numbers, of which a refusal would tell something."""
    precision = Precision(noise=0.01, discrete=True)
    small, large = np.zeros(10_000), np.full(10_000, 900.0)
    bits = [precision.bits([each], 1000, 3, 59) for each in (small, large)]
    assert bits[0] == bits[1]
    with pytest.raises(InputError, match="there is room for"):
        precision.bits([small], 10**9, 3, 59)
