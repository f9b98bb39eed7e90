"""Membership attacks where the best adversary is known, and where there is nothing to find."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri
from scipy.stats import norm
from sklearn.metrics import roc_auc_score, roc_curve

from chatham.audit.distances import gaussian_statistical_distance
from chatham.audit.membership import (
    Attacked,
    document_auc,
    document_true_positives,
    fit_gaussians,
    likelihood_ratios,
    nearest_neighbours,
    pooled_risk,
)
from chatham.errors import InputError


def drawn(shift, width=1.0, databases=400, documents=50, seed=0):
    generator = np.random.default_rng(seed)
    included = generator.random((databases, documents)) < 0.5
    noise = generator.normal(size=included.shape)
    return np.where(included, shift + width * noise, noise), included


def test_ratios_are_those_of_gaussians_fitted_to_the_other_half():
    scores, included = drawn(1.0, documents=3)
    attacked = likelihood_ratios(scores, included)
    assert sorted(np.bincount(attacked.half)) == [200, 200]
    for half in (0, 1):
        fit, tried = attacked.half != half, attacked.half == half
        for document in range(3):
            inside = scores[fit & included[:, document], document]
            outside = scores[fit & ~included[:, document], document]
            value = scores[tried, document]
            expected = norm(inside.mean(), inside.std(ddof=1)).logpdf(value)
            expected = expected - norm(outside.mean(), outside.std(ddof=1)).logpdf(value)
            assert attacked.ratios[tried, document] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("shift", "width"), [(0.0, 1.0), (1.0, 1.0), (2.0, 1.0), (-1.0, 1.0)])
def test_a_shift_has_the_area_and_the_rates_of_its_curve(shift, width):
    found = pooled_risk(likelihood_ratios(*drawn(shift, width, databases=800)), level=0.999)
    area = ndtr(abs(shift) / np.sqrt(2))
    # Fitted means and variances cost the attack a little, never a gain.
    assert found.auc.low - 0.01 < area < found.auc.high + 0.015
    for rate in (0.001, 0.01):
        truth, true = ndtr(abs(shift) + ndtri(rate)), found.true_positives[rate]
        assert true.low - 0.001 <= truth <= 1.2 * true.high + 0.001
        assert true.low <= true.estimate <= true.high


def test_a_leak_of_variance_alone_is_found():
    scores, included = drawn(0.0, 2.0)
    risk = pooled_risk(likelihood_ratios(scores, included))
    assert risk.auc.low > 0.65
    assert risk.true_positives[0.01].low > 0.1
    # The score by itself says nothing: in a document's own order half of the pairs are right.
    assert all(each.low < 0.55 for each in document_auc(scores, included))


def test_where_nothing_leaks_figures_are_those_of_chance():
    """Over 60 audits: no leaning to either side, which leaving out one at a time would have."""
    areas, rates, held = [], [], 0
    for seed in range(60):
        found = pooled_risk(
            likelihood_ratios(*drawn(0.0, databases=60, documents=20, seed=seed)), draws=200
        )
        areas.append(found.auc.estimate)
        rates.append(found.true_positives[0.01].estimate)
        held += found.auc.low <= 0.5 <= found.auc.high
    assert abs(np.mean(areas) - 0.5) < 4 * np.std(areas) / np.sqrt(60)
    assert abs(np.mean(areas) - 0.5) < 0.01
    assert np.mean(rates) < 0.013
    assert held >= 53  # of 57 expected at 95 %


def test_pooled_figures_by_an_independent_curve():
    generator = np.random.default_rng(8)
    ratios = generator.integers(-5, 9, (60, 30)) / 2.0  # with many ties
    included = generator.random((60, 30)) < ndtr(ratios / 3)
    half = np.arange(60) % 2
    found = pooled_risk(Attacked(ratios, included, half), rates=(0.05, 0.2), draws=50)
    areas, rates = [], {0.05: [], 0.2: []}
    for each in (0, 1):
        truth, score = included[half == each].ravel(), ratios[half == each].ravel()
        areas.append(roc_auc_score(truth, score))
        false, true, _ = roc_curve(truth, score, drop_intermediate=False)
        for rate, values in rates.items():
            values.append(true[false <= rate].max())
    assert found.auc.estimate == pytest.approx(np.mean(areas), abs=1e-12)
    for rate, values in rates.items():
        assert found.true_positives[rate].estimate == pytest.approx(np.mean(values), abs=1e-12)


def test_a_mechanism_that_tells_all_has_an_interval_too():
    _, included = drawn(0.0)
    found = pooled_risk(likelihood_ratios(included.astype(float), included))
    assert found.auc.estimate == found.auc.high == 1
    assert 0.98 < found.auc.low < 1
    assert found.true_positives[0.001].estimate == 1
    nothing = pooled_risk(likelihood_ratios(np.zeros(included.shape), included))
    assert nothing.auc.estimate == 0.5
    assert nothing.true_positives[0.01].estimate == 0
    assert nothing.true_positives[0.01].high > 0


def test_documents_that_share_a_fit_have_wider_intervals():
    """All documents of a database have the same score: 50 of them are worth one."""
    generator = np.random.default_rng(10)
    included = np.repeat(generator.random((200, 1)) < 0.5, 50, axis=1)
    shared = np.repeat(generator.normal(size=(200, 1)), 50, axis=1) + included
    alone = generator.normal(size=(200, 50)) + included
    together, apart = (pooled_risk(likelihood_ratios(s, included)).auc for s in (shared, alone))
    assert together.high - together.low > 3 * (apart.high - apart.low)


def test_a_documents_own_area_and_its_interval():
    truth, held, runs = ndtr(0.5 / np.sqrt(2)), 0, 0
    scores, included = drawn(0.5, databases=100, documents=500)
    for column, found in enumerate(document_auc(scores, included, level=0.9)):
        inside = included[:, column]
        assert found.estimate == pytest.approx(roc_auc_score(inside, scores[:, column]))
        held += found.low <= truth <= found.high
        runs += 1
    assert held >= 0.9 * runs


def likelihood_power(shift, width, rate):
    """The power of the best test of N(shift, width) against N(0, 1): a search for the level of the
    log-ratio, a parabola, with the event that it is exceeded read off its roots."""
    curve = np.array([0.5 - 0.5 / width**2, shift / width**2, -0.5 * (shift / width) ** 2])

    def mass(level, mean, deviation):
        roots = np.roots(curve - [0, 0, level])
        if np.iscomplex(roots).any():
            return float(width > 1)
        low, high = norm(mean, deviation).cdf(np.sort(roots.real))
        return 1 - (high - low) if width > 1 else high - low

    level = brentq(lambda each: mass(each, 0, 1) - rate, -30, 30, xtol=1e-13)
    return mass(level, shift, width)


@pytest.mark.parametrize(("shift", "width"), [(1.0, 1.5), (0.0, 2.0), (0.7, 0.6), (-1.0, 1.3)])
def test_extrapolated_rates_are_those_of_the_best_test(shift, width):
    """Samples with exactly these moments, so that nothing is left to chance."""
    unit = norm.ppf((np.arange(200) + 0.5) / 200)
    unit = (unit - unit.mean()) / unit.std(ddof=1)
    scores = np.concatenate([shift + width * unit, unit])
    included = np.repeat([True, False], 200)
    for rate in (0.001, 0.01):
        (found,) = document_true_positives(scores, included, rate)
        assert found.estimate == pytest.approx(likelihood_power(shift, width, rate), rel=1e-6)
        assert found.low < found.estimate < found.high
        assert found.caveat == "extrapolated"


@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_extrapolated_intervals_hold_for_gaussian_scores(shift):
    scores, included = drawn(shift, databases=300, documents=300, seed=4)
    truth = ndtr(shift + ndtri(0.01))
    found = document_true_positives(scores, included, 0.01, level=0.9, draws=200)
    held = np.mean([each.low <= truth * 1.000001 and truth <= each.high for each in found])
    assert held >= 0.86


def test_constant_scores_tell_nothing_or_everything():
    included = np.repeat([True, False], 20)
    (nothing,) = document_true_positives(np.full(40, 3.0), included, 0.01)
    assert (nothing.estimate, nothing.low) == pytest.approx((0.01, 0.01))
    (everything,) = document_true_positives(included * 1.0, included, 0.01)
    assert everything.estimate == pytest.approx(1.0)
    fitted = fit_gaussians(np.full(40, 3.0), included)
    assert np.isfinite(fitted.log_ratio(np.array([[3.0], [4.0]]))).all()


@pytest.mark.parametrize(("shift", "width"), [(1.0, 1.0), (0.0, 2.0)])
def test_nearest_neighbours_come_near_the_best_adversary(shift, width):
    generator = np.random.default_rng(14)
    x, y = shift + width * generator.normal(size=4000), generator.normal(size=4000)
    p, q = norm(shift, width).pdf, norm(0, 1).pdf
    best = quad(lambda v: abs(p(v) - q(v)) / 2, -12, 12, limit=400)[0]
    if width == 1:
        assert best == pytest.approx(gaussian_statistical_distance(shift), abs=1e-6)
    found = nearest_neighbours(x, y)
    assert found.caveat == "asymptotic"
    assert found.low < best < found.high
    assert best - 0.06 < found.estimate < best + 0.03


def test_nearest_neighbours_see_what_no_single_feature_says():
    generator = np.random.default_rng(15)
    x, y = generator.choice([-1.0, 1.0], (2, 600, 2))
    x[:, 1], y[:, 1] = x[:, 0], -y[:, 0]
    jitter = generator.normal(0, 0.1, (2, 600, 2))
    assert nearest_neighbours(x + jitter[0], y + jitter[1]).low > 0.95
    assert abs(nearest_neighbours(x[:, 0] + jitter[0, :, 0], y[:, 0] + jitter[1, :, 0]).low) < 0.2


def test_nearest_neighbours_of_nothing():
    generator = np.random.default_rng(16)
    found = [
        nearest_neighbours(*generator.normal(size=(2, 60)), seed=seed, level=0.9)
        for seed in range(150)
    ]
    advantages = [each.estimate for each in found]
    assert abs(np.mean(advantages)) < 0.03
    assert np.mean([each.low <= 0 for each in found]) >= 0.95
    assert nearest_neighbours(np.zeros(30), np.zeros(30)).estimate == 0


def test_the_same_seed_gives_the_same_bytes():
    scores, included = drawn(0.5, databases=60, documents=8)
    assert pooled_risk(likelihood_ratios(scores, included)) == pooled_risk(
        likelihood_ratios(scores, included)
    )
    assert document_true_positives(scores, included, 0.01) == document_true_positives(
        scores, included, 0.01
    )


def test_what_cannot_be_attacked_is_refused():
    with pytest.raises(InputError, match="too few databases"):
        fit_gaussians(np.zeros((4, 1)), np.array([[True]] * 4))
    with pytest.raises(InputError, match="included"):
        fit_gaussians(np.zeros((4, 1)), np.zeros((4, 1)))
    with pytest.raises(InputError, match="finite"):
        fit_gaussians(np.full((4, 1), np.inf), np.array([[True], [False]] * 2))
    with pytest.raises(InputError, match="same features"):
        nearest_neighbours(np.zeros((9, 2)), np.zeros((9, 3)))
