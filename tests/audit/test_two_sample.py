"""Two-sample tests: against enumeration, scipy, themselves under the null, and planted leaks."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import comb
from scipy.stats import ks_2samp

from chatham.audit.one_bit_sum import OneBitSum
from chatham.audit.two_sample import holm, ksdp, power, sample_size, two_sample
from chatham.errors import InputError


def distance(x, y):
    """max |F − G| by its definition."""
    return max(abs((x <= v).mean() - (y <= v).mean()) for v in np.concatenate([x, y]))


@given(
    x=st.lists(st.integers(0, 4), min_size=1, max_size=5),
    y=st.lists(st.integers(0, 4), min_size=1, max_size=5),
)
@settings(max_examples=60, deadline=None)
def test_p_is_the_share_of_all_ways_to_deal_the_values_ties_included(x, y):
    x, y = np.array(x, float), np.array(y, float)
    pooled, found = np.concatenate([x, y]), two_sample(x, y, seed=3)
    seen, ways = distance(x, y), []
    for chosen in combinations(range(pooled.size), x.size):
        mask = np.isin(np.arange(pooled.size), chosen)
        ways.append(distance(pooled[mask], pooled[~mask]))
    as_far = np.mean(np.array(ways) >= seen - 1e-9)
    further = np.mean(np.array(ways) > seen + 1e-9)
    assert found.statistic[0] == pytest.approx(seen, abs=1e-12)
    assert found.p[0] == pytest.approx(as_far, abs=1e-12)
    share = np.random.default_rng(3).random()
    assert found.randomised[0] == pytest.approx(further + share * (as_far - further), abs=1e-12)
    assert found.exact[0] >= found.p[0] - 1e-12


@pytest.mark.parametrize(("n", "m"), [(20, 20), (37, 12), (1, 9), (150, 151)])
def test_without_ties_p_is_scipys_exact_one(n, m):
    generator = np.random.default_rng(n)
    x, y = generator.normal(size=(6, n)), generator.normal(0.4, 1, size=(6, m))
    found = two_sample(x, y)
    for row in range(6):
        theirs = ks_2samp(x[row], y[row], method="exact")
        assert found.p[row] == pytest.approx(theirs.pvalue, rel=1e-9)
        assert found.exact[row] == pytest.approx(theirs.pvalue, rel=1e-9)
        assert found.statistic[row] == pytest.approx(theirs.statistic, abs=1e-12)


def test_a_constant_mechanism_gets_one_and_one_that_releases_all_is_caught():
    same = np.full((3, 200), 7.0)
    found = two_sample(same, same)
    assert found.p.tolist() == found.exact.tolist() == [1.0] * 3
    caught = two_sample(same + 1, same)
    assert caught.statistic.tolist() == [1.0] * 3
    # Only two ways to deal are as far apart; far below what 1 − P would leave.
    assert caught.p[0] == pytest.approx(2 / comb(400, 200, exact=True), rel=1e-9)


def test_beyond_floats_there_is_a_least_p():
    zeros = np.zeros((1, 2000))
    assert two_sample(zeros, zeros + 1).p[0] == 1e-300


def test_null_rejections_of_the_randomised_test_over_10000_runs():
    """Continuous scores, whole numbers with many ties, and single bits, with unlike arms."""
    generator = np.random.default_rng(11)
    draws = {
        "continuous": lambda n: generator.normal(size=(10_000, n)),
        "sums": lambda n: generator.binomial(12, 0.4, size=(10_000, n)).astype(float),
        "bits": lambda n: generator.binomial(1, 0.3, size=(10_000, n)).astype(float),
    }
    for seed, (name, draw) in enumerate(draws.items()):
        found = two_sample(draw(40), draw(25), seed=seed)
        for alpha, low, high in ((0.05, 0.043, 0.057), (0.5, 0.48, 0.52)):
            assert low <= np.mean(found.randomised <= alpha) <= high, name
        assert np.mean(found.p <= 0.05) <= 0.057, name  # cautious, never too bold


def test_family_wise_rejections_after_holm():
    """Eight statistics, all of one database, so that they depend on each other."""
    generator = np.random.default_rng(12)
    runs, family, n = 10_000, 8, 20
    present, absent = (
        generator.normal(size=(runs, 1, n)) + generator.normal(size=(runs, family, n))
        for _ in range(2)
    )
    p = two_sample(present.reshape(-1, n), absent.reshape(-1, n), seed=1).randomised
    p = p.reshape(runs, family)
    corrected = np.array([holm(row) for row in p])
    wise, uncorrected = (np.mean(each.min(axis=1) <= 0.05) for each in (corrected, p))
    assert wise <= 0.057
    assert uncorrected > 0.15  # why the least p of many is shown beside Holm's


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
@settings(max_examples=100, deadline=None)
def test_holm_by_its_own_steps(p):
    """Rejected at α one after another, while p ≤ α/(left)."""
    corrected = holm(p)
    for alpha in (0.05, 0.3):
        left, rejected = len(p), set()
        for index in np.argsort(p, kind="stable"):
            if p[index] * left > alpha:
                break
            rejected.add(int(index))
            left -= 1
        assert set(np.flatnonzero(corrected <= alpha).tolist()) == rejected


def test_ksdp_is_the_least_p_of_algorithm_11():
    generator = np.random.default_rng(2)
    present = {name: generator.normal(size=(5, 60)) for name in ("first", "second")}
    absent = {name: generator.normal(size=(5, 60)) for name in ("first", "second")}
    present["second"][3] += 2
    found = ksdp(present, absent)
    by_hand = np.array(
        [
            [ks_2samp(present[s][x], absent[s][x], method="exact").pvalue for x in range(5)]
            for s in ("first", "second")
        ]
    )
    assert found.statistics == ("first", "second")
    assert found.by_document == pytest.approx(by_hand.min(axis=0), rel=1e-9)
    assert found.pi == pytest.approx(by_hand.min(), rel=1e-9)
    assert int(np.argmin(found.by_document)) == 3
    assert found.holm_by_document[3] == pytest.approx(10 * found.pi, rel=1e-9)
    assert (found.holm >= [test.p for test in found.tests]).all()


def test_the_power_of_700_samples_an_arm_beside_100_others_is_about_0_8():
    one_bit = OneBitSum(others=100)
    found = power(one_bit.present, one_bit.absent, 700, ties=False, runs=4000)
    assert 0.78 < found.estimate < 0.85
    assert found.low < found.estimate < found.high
    assert found.high - found.low < 0.03
    size = sample_size(one_bit.present, one_bit.absent, ties=False, runs=4000)
    assert 620 <= size.per_arm <= 740
    assert size.power.estimate >= 0.8


def test_counting_ties_needs_fewer_samples():
    one_bit = OneBitSum(others=100)
    with_ties = power(one_bit.present, one_bit.absent, 540, runs=600)
    without = power(one_bit.present, one_bit.absent, 540, ties=False, runs=600)
    assert with_ties.low > without.high


def test_power_is_what_tests_do():
    """The shortcut over counts, against whole tests of samples."""
    one_bit = OneBitSum(others=20)
    generator = np.random.default_rng(9)
    values, runs, n = np.arange(22), 1500, 60
    x, y = (
        generator.choice(values, (runs, n), p=each / each.sum())
        for each in (one_bit.present, one_bit.absent)
    )
    tests = two_sample(x, y)
    for p, ties in ((tests.p, True), (tests.exact, False)):
        found = power(one_bit.present, one_bit.absent, n, ties=ties, runs=3000, level=0.999)
        assert found.low - 0.04 < np.mean(p <= 0.05) < found.high + 0.04


def test_under_the_null_power_is_alpha():
    same = OneBitSum(others=20).absent
    assert power(same, same, 50, runs=3000).estimate <= 0.06


def test_the_same_seed_gives_the_same_bytes_in_any_batch():
    generator = np.random.default_rng(4)
    x, y = generator.integers(0, 9, (2, 30, 50)).astype(float)
    whole, again = two_sample(x, y, seed=5), two_sample(x, y, seed=5)
    assert whole.randomised.tobytes() == again.randomised.tobytes()
    parts = np.concatenate([two_sample(x[:7], y[:7]).p, two_sample(x[7:], y[7:]).p])
    assert parts.tobytes() == whole.p.tobytes()


def test_too_much_to_want_is_refused():
    same = OneBitSum(others=20).absent
    with pytest.raises(InputError, match=r"Even 64 samples an arm .* wanted=0.8: raise most"):
        sample_size(same, same, most=64, runs=100)


@pytest.mark.parametrize(
    ("x", "y"), [([[1.0], [2.0]], [[1.0]]), ([1.0, np.nan], [1.0]), ([], [1.0]), (1.0, [1.0])]
)
def test_bad_samples_are_refused(x, y):
    with pytest.raises(InputError):
        two_sample(x, y)


def test_unlike_statistics_are_refused():
    with pytest.raises(InputError):
        ksdp({"one": [1.0]}, {"other": [1.0]})
    with pytest.raises(InputError):
        ksdp({}, {})
    with pytest.raises(InputError):
        ksdp({"a": [[1.0]], "b": [[1.0], [1.0]]}, {"a": [[1.0]], "b": [[1.0], [1.0]]})


# Planted leaks: what each of them would look like to somebody with the right statistic.


def leaks():
    generator = np.random.default_rng(21)
    n, word = 400, 0.3  # with which second moments find a deviation of 1.6 in 999 of 1,000 draws

    def noise(scale=1.0):
        return generator.normal(0, scale, n)

    yield "variance only, by second moments", noise(1.6) ** 2, noise() ** 2
    total = generator.integers(0, 2**40, (2, n)) * 2
    yield "low-bit parity", *((total[bit] + bit) % 2.0 for bit in (1, 0))
    once, twice = noise(50.0), noise(50.0)
    yield (
        "a seed used twice",
        *(((each + present * word) - each).round(9) for each, present in ((once, 1), (twice, 0))),
    )
    exact = generator.normal(0, 0.01, (2, n))
    yield "noise left out in one round", exact[0] + word, exact[1]
    yield "everything", np.ones(n), np.zeros(n)


@pytest.mark.parametrize("leak", list(leaks()), ids=lambda leak: leak[0])
def test_planted_leaks_are_caught(leak):
    _, present, absent = leak
    assert holm(np.append(two_sample(present, absent).p, np.ones(99))).min() < 0.01


def test_a_leak_of_variance_is_mostly_missed_without_second_moments():
    """The test looks at values, and a wider distribution crosses the narrower in the middle: among
    a hundred tests, 200 samples an arm of the value itself seldom find what their squares do."""
    generator = np.random.default_rng(23)
    present, absent = generator.normal(0, 1.6, (500, 200)), generator.normal(0, 1, (500, 200))
    by_value = np.mean(100 * two_sample(present, absent).p < 0.01)
    by_square = np.mean(100 * two_sample(present**2, absent**2).p < 0.01)
    assert by_value < 0.1
    assert by_square > 0.5


def test_the_wrong_statistic_does_not_see_parity():
    generator = np.random.default_rng(22)
    total = generator.integers(0, 2**40, (2, 200)) * 2
    assert two_sample((total[0] + 1).astype(float), total[1].astype(float)).p[0] > 0.01
