"""Further figures of a document where the truth is known, and where a choice was luck."""

import numpy as np
import pytest
from scipy.stats import norm

from chatham.audit.distances import squared_deviation, statistical_distance
from chatham.audit.figures import MEANINGS, cells_of, figures_of
from chatham.audit.guessing import Choice
from chatham.audit.intervals import Estimate

ANY = Estimate(0.0, -1.0, 1.0, 0.95)


def choice(draws, shift, n=200, width=1.0):
    """A statistic with a Gaussian shift, chosen in one half and tried in the other."""
    known, tried = ((shift + width * draws.normal(size=n), draws.normal(size=n)) for _ in range(2))
    return Choice(0, known, tried)


def figures(choices, level=0.95):
    arms = tuple(np.concatenate([each.tried[arm] for each in choices])[None] for arm in (0, 1))
    return figures_of(arms, choices, ANY, level=level, seed=0)


def cell_shares(edges, shift):
    cuts = np.concatenate([[-np.inf], edges, [np.inf]])
    return np.diff(norm(shift).cdf(cuts)), np.diff(norm().cdf(cuts))


@pytest.mark.parametrize("shift", [0.0, 0.7, 2.0])
def test_intervals_hold_for_a_gaussian_shift(shift):
    draws, held = np.random.default_rng(5), np.zeros(4)
    rate = norm.cdf(shift + norm.ppf(0.01))
    for _ in range(30):
        choices = choice(draws, shift), choice(draws, shift)
        found = figures(choices, level=0.9)
        shares = [cell_shares(cells_of(each)[0], shift) for each in choices]
        truths = [
            np.mean([statistical_distance(*each) for each in shares]),
            np.mean([squared_deviation(*each) for each in shares]),
            2 * norm.cdf(shift / 2) - 1,
            rate,
        ]
        told = [found.statistical_distance, found.squared_deviation, found.optimal_advantage,
                found.true_positives[0.01]]  # fmt: skip
        held += [e.low - 1e-9 <= t <= e.high for e, t in zip(told, truths, strict=True)]
    assert (held >= 24).all()  # of at least 27 expected


def test_figures_come_near_the_truth_with_many_databases():
    draws = np.random.default_rng(6)
    found = figures((choice(draws, 1.0, n=5000), choice(draws, 1.0, n=5000)))
    distance, best = found.statistical_distance, 2 * norm.cdf(0.5) - 1
    assert best - 0.02 < distance.estimate < best + 0.02  # 22 cells hide hardly anything
    assert distance.high - distance.low < 0.1
    assert best - 0.05 < found.optimal_advantage.estimate < best + 0.02
    for rate, each in found.true_positives.items():
        assert each.estimate == pytest.approx(norm.cdf(1 + norm.ppf(rate)), rel=0.15)
        assert each.caveat == "extrapolated"
    assert found.optimal_advantage.caveat == "asymptotic"
    assert found.squared_deviation.low > 0


def test_a_statistic_that_was_the_best_by_luck_is_measured_where_luck_has_no_say():
    """The best of 30 statistics that tell nothing looks as if it told something, where it was
    chosen; elsewhere it is seen to tell nothing."""
    draws, told, lucky = np.random.default_rng(7), [], []
    for _ in range(25):
        values = draws.normal(size=(2, 2, 30, 40))  # halves × arms × statistics × databases
        choices = []
        for known, tried in (values, values[::-1]):
            best = int(np.argmax(np.abs(known[0].mean(axis=1) - known[1].mean(axis=1))))
            choices.append(Choice(best, tuple(known[:, best]), tuple(tried[:, best])))
        told.append(figures(tuple(choices)))
        lucky.append(figures(tuple(Choice(0, each.known, each.known) for each in choices)))
    assert max(each.statistical_distance.low for each in told) == 0
    distances = [[e.statistical_distance.estimate for e in each] for each in (told, lucky)]
    assert np.mean(distances[1]) > np.mean(distances[0]) + 0.05
    rates = [[e.true_positives[0.01].estimate for e in each] for each in (told, lucky)]
    assert np.mean(rates[1]) > 1.5 * np.mean(rates[0])
    assert np.mean([e.true_positives[0.01].low > 0.0101 for e in told]) < 0.15


def test_what_tells_all_and_what_tells_nothing():
    zeros, ones = np.zeros(60), np.ones(60)
    everything = figures((Choice(0, (ones, zeros), (ones, zeros)),) * 2)
    assert everything.statistical_distance.estimate == everything.statistical_distance.high == 1
    assert everything.statistical_distance.low > 0.8
    assert everything.optimal_advantage.estimate == 1
    assert everything.true_positives[0.001].estimate == pytest.approx(1)
    nothing = figures((Choice(0, (ones, ones), (ones, ones)),) * 2)
    assert nothing.statistical_distance.estimate == nothing.squared_deviation.estimate == 0
    assert nothing.optimal_advantage.estimate == 0
    assert nothing.true_positives[0.01].estimate == pytest.approx(0.01)


def test_values_that_tie_are_told_from_those_just_below():
    """Two thirds of a half have the highest value, which would be one with those below it if edges
    were quantiles alone."""
    below = np.linspace(0.9, 0.99, 30)
    arms = np.ones(60), below
    found = figures((Choice(0, arms, arms),) * 2)
    assert found.statistical_distance.estimate == 1


def test_every_figure_has_a_meaning_and_a_column():
    draws = np.random.default_rng(8)
    columns = figures((choice(draws, 1.0), choice(draws, 1.0))).by_name
    for name in columns:
        assert any(name.startswith(each) for each in MEANINGS)
    assert {"true_positives_0.001", "true_positives_0.01"} <= set(columns)
    assert all(each.low <= each.estimate <= each.high for each in columns.values())
