"""The learned statistic: what it finds, and that it finds nothing where there is nothing."""

import numpy as np
import pytest
from scipy.special import ndtr

from chatham.audit.learned import held_out_scores, learn
from chatham.audit.two_sample import two_sample
from chatham.errors import InputError
from chatham.numerics.threads import threads


def halves(n, draws):
    return draws.permutation(np.arange(n) % 2)


def learned(features, present, draws, level=0.95):
    return learn(features, present, halves(len(present), draws), level=level, joint=level)


def test_it_finds_what_no_single_statistic_shows_and_learns_nothing_by_heart():
    draws = np.random.default_rng(0)
    present = draws.random(400) < 0.5
    common = draws.normal(size=400) * 5
    features = np.stack([common, common + present, np.ones(400)], axis=1)
    assert min(two_sample(features[present].T, features[~present].T).p) > 0.01
    found = learned(features, present, draws)
    assert found.p < 1e-30
    assert found.auc.low > 0.95
    assert found.advantage.low > 0.85
    assert found.epsilon.low > 2
    noise = draws.normal(size=(400, 6))
    nothing = learned(noise, present, draws)
    assert nothing.advantage.low < 0 < nothing.advantage.high
    assert nothing.epsilon.low == 0


def test_scores_are_the_same_again_and_say_nothing_of_what_never_varies():
    draws = np.random.default_rng(1)
    present, part = draws.random(100) < 0.5, np.arange(100) % 5
    features = draws.normal(size=(100, 3))
    scores = held_out_scores(features, present, part)
    np.testing.assert_array_equal(scores, held_out_scores(features, present, part))
    # What a database of a part has, or is, decides nothing about how that part is scored.
    changed = np.where(part == 2, ~present, present)
    again = held_out_scores(features, changed, part)
    np.testing.assert_array_equal(scores[part == 2], again[part == 2])
    constant = learned(np.ones((100, 2)), present, draws)
    assert (constant.p, constant.advantage.estimate, constant.auc.estimate) == (1, 0, 0.5)


def test_where_nothing_leaks_its_p_values_are_no_less_than_they_should_be():
    """400 audits without a leak: of statistics that depend on each other. What is learned from the
    databases that it is tried on would be found guilty far too often."""
    draws, runs, n = np.random.default_rng(2), 400, 60
    told, by_heart = [], []
    with threads(None):
        for run in range(runs):
            features = draws.normal(size=(n, 1)) + draws.normal(size=(n, 4))
            present = draws.random(n) < 0.5
            told.append(learned(features, present, draws).p)
            if run < 60:
                twice, part = np.tile(present, 2), np.repeat([0, 1], n)
                scores = held_out_scores(np.tile(features, (2, 1)), twice, part)[:n]
                by_heart.append(two_sample(scores[present], scores[~present]).p[0])
    for alpha in (0.05, 0.2, 0.5):
        margin = 4 * np.sqrt(alpha * (1 - alpha) / runs)
        assert np.mean(np.array(told) <= alpha) <= alpha + margin
    assert np.mean(np.array(by_heart) <= 0.05) > 0.2


@pytest.mark.parametrize("shift", [0.0, 1.0, 2.0])
def test_its_advantage_is_that_of_the_best_test_and_intervals_hold(shift):
    """One Gaussian shift among noise: 2Φ(μ/2) − 1 is possible, a little less is learned."""
    draws, held, found = np.random.default_rng(3), 0, []
    best = 2 * ndtr(shift / 2) - 1
    for _ in range(30):
        present = draws.random(400) < 0.5
        features = draws.normal(size=(400, 3))
        features[:, 1] += shift * present
        each = learned(features, present, draws, level=0.9).advantage
        held += each.low <= best <= each.high
        found.append(each.estimate)
    assert held >= 24  # of at least 27 expected
    assert best - 0.06 < np.mean(found) < best + 0.02


def test_its_bound_on_epsilon_holds_for_randomised_response():
    draws, truth, bounds = np.random.default_rng(4), 1.0, []
    for _ in range(40):
        present = draws.random(300) < 0.5
        told = present ^ (draws.random(300) < 1 / (1 + np.exp(truth)))
        features = np.stack([told * 1.0, draws.normal(size=300)], axis=1)
        bounds.append(learned(features, present, draws).epsilon.low)
    assert np.mean(np.array(bounds) > truth) <= 0.1
    assert np.median(bounds) > 0.3


def test_too_few_databases_to_learn_from_are_refused():
    features, present = np.zeros((6, 2)), np.array([True, True, True, True, True, False])
    with pytest.raises(InputError, match=r"needs 2 databases with the document .* ask for more\.$"):
        held_out_scores(features, present, np.arange(6) % 2)
