"""Correlations come back exactly from a separable model, α from moments and from samples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from chatham.errors import InputError
from chatham.learners.anchor.conditional import Conditional
from chatham.learners.anchor.correlations import (
    anchor_correlations,
    correlations_of,
    dirichlet_prior,
    least_squares_correlations,
    smallest_eigenvalue,
)
from chatham.learners.settings.anchor_words import LEAST_CONCENTRATION, MOST_CONCENTRATION
from chatham.numerics.joint import LEAST_SHARE, normalised


def separable(d=700, k=6, group=1, seed=0):
    """C = BABᵀ with pure anchors: topics, correlations, and the anchors' places, not in order."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(d, 0.1), k)
    places = rng.permutation(d)[: k * group]
    topics[:, places] = 0.0
    anchors = [np.sort(part) for part in places.reshape(k, group)]
    for row, own in zip(topics, anchors, strict=True):
        row[own] = rng.uniform(0.01, 0.05, group)
    topics /= topics.sum(axis=1, keepdims=True)
    weights = rng.dirichlet(rng.uniform(0.1, 0.5, k), 300)
    correlations = weights.T @ weights / 300
    return topics.T @ correlations @ topics, topics, correlations, anchors


def moments(alpha):
    """Equation 3.2."""
    total = alpha.sum()
    return (np.outer(alpha, alpha) + np.diag(alpha)) / (total * (total + 1))


def squared_distance(concentration, correlations):
    """The objective under Algorithm 4, entry by entry."""
    shares = correlations.sum(axis=1)
    rows = correlations / shares[:, None]
    model = (concentration * shares[None, :] + np.eye(len(shares))) / (concentration + 1)
    return ((model - rows) ** 2).sum()


def random_correlations(k, seed):
    rng = np.random.default_rng(seed)
    weights = np.exp(rng.standard_normal((60, 2)) @ rng.standard_normal((2, k)))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights.T @ weights / 60


@pytest.mark.parametrize("group", [1, 3])
def test_a_separable_model_gives_its_correlations_back(group):
    joint, topics, correlations, anchors = separable(group=group)
    found = anchor_correlations(joint, topics, anchors)
    assert np.abs(found - correlations).max() < 1e-12
    assert (found == found.T).all()
    assert smallest_eigenvalue(found) >= -1e-10


def test_an_impure_anchor_makes_correlations_too_large():
    joint, topics, correlations, anchors = separable()
    frequent = int(np.argmax(topics.min(axis=0)))
    found = anchor_correlations(joint, topics, [np.append(anchors[0], frequent), *anchors[1:]])
    assert (found[0] > correlations[0]).all()
    assert np.abs(found[1:, 1:] - correlations[1:, 1:]).max() < 1e-12


def test_single_precision_is_taken_in_double():
    joint, topics, correlations, anchors = separable()
    single = joint.astype(np.float32)
    assert anchor_correlations(single, topics, anchors).dtype == np.float64
    assert np.abs(anchor_correlations(single, topics, anchors) - correlations).max() < 1e-6


def test_anchors_that_never_meet_are_topics_of_their_own_sizes():
    """Where C_SS is zero, A is diagonal with p(z), the anchors' p(x) over what topics give them."""
    topics = np.array([[0.25, 0.0, 0.75, 0.0], [0.0, 0.5, 0.0, 0.5]])
    joint = np.zeros((4, 4))
    joint[0, 2] = joint[2, 0] = 0.1
    joint[1, 3] = joint[3, 1] = 0.15
    joint[2, 2], joint[3, 3] = 0.3, 0.2
    words, anchors = Conditional(joint), [np.array([0]), np.array([1])]
    found = correlations_of(words, topics, anchors)
    np.testing.assert_allclose(found, np.diag([0.1 / 0.25, 0.15 / 0.5]), rtol=1e-12)
    joint[0, 0] = 0.01
    met = correlations_of(Conditional(joint), topics, anchors)
    np.testing.assert_allclose(met, anchor_correlations(joint, topics, anchors))
    assert met[0, 0] == pytest.approx(0.01 / 0.25**2)


def test_an_anchor_without_probability_is_refused():
    joint, topics, _, anchors = separable()
    topics[2, anchors[2]] = 0.0
    with pytest.raises(InputError, match="Topic 2 gives its own anchor no probability"):
        anchor_correlations(joint, topics, anchors)


def test_anchors_that_do_not_fit_the_topics_are_refused():
    joint, topics, _, anchors = separable()
    for wrong in (anchors[:5], [np.array([], dtype=np.int64), *anchors[1:]]):
        with pytest.raises(InputError, match="6 topics need as many anchors"):
            anchor_correlations(joint, topics, wrong)


def test_normalised_sums_to_one_and_refuses_what_cannot():
    assert normalised(np.array([[1.0, 1.0], [1.0, 5.0]])).tolist() == [[0.125] * 2, [0.125, 0.625]]
    with pytest.raises(InputError, match="sum to -1"):
        normalised(np.array([[1.0, -1.0], [-1.0, 0.0]]))


def test_the_smallest_eigenvalue_is_the_one_below_zero():
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((4, 4)))[0]
    assert smallest_eigenvalue((turn * [0.5, -0.2, 0.9, 0.1]) @ turn.T) == pytest.approx(-0.2)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(1e-2, 20.0), min_size=2, max_size=12), st.floats(0.1, 10.0))
def test_alpha_comes_back_from_exact_moments(alpha, legality):
    alpha = np.array(alpha)
    assert dirichlet_prior(legality * moments(alpha)) == pytest.approx(alpha, rel=1e-8)


def test_alpha_comes_back_from_samples():
    alpha = np.array([0.1, 0.6, 0.3, 0.05, 0.4])
    weights = np.random.default_rng(0).dirichlet(alpha, 100_000)
    found = dirichlet_prior(weights.T @ weights / len(weights))
    assert found == pytest.approx(alpha, rel=0.02)


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 9), st.integers(0, 10_000))
def test_alpha_is_where_an_exhaustive_search_ends(k, seed):
    correlations = random_correlations(k, seed)
    found = dirichlet_prior(correlations).sum()
    searched = minimize_scalar(
        lambda log: squared_distance(np.exp(log), correlations),
        bounds=(np.log(LEAST_CONCENTRATION), np.log(MOST_CONCENTRATION)),
        method="bounded",
        options={"xatol": 1e-10},
    )
    least = squared_distance(found, correlations)
    assert least <= searched.fun + 1e-12
    assert least == pytest.approx(searched.fun, rel=1e-7, abs=1e-12)


def test_the_printed_slope_is_zero_at_the_closed_form():
    """Lines 8 and 9 of RECOVER-ALPHA, as printed."""
    correlations = random_correlations(7, 3)
    shares, k = correlations.sum(axis=1), 7
    rows = correlations / shares[:, None]
    total = dirichlet_prior(correlations).sum()
    slope = (1 - total - k) + total * k * (shares**2).sum()
    slope += (total + 1) * np.trace(rows) - (total + 1) * (rows @ shares).sum()
    assert abs(slope) < 1e-9 * total


def test_without_a_fitting_dirichlet_alpha_is_at_its_limits():
    apart = dirichlet_prior(np.diag([0.5, 0.3, 0.2]))
    assert apart == pytest.approx(LEAST_CONCENTRATION * np.array([0.5, 0.3, 0.2]))
    together = dirichlet_prior(np.array([[0.1, 0.4], [0.4, 0.1]]))
    assert together == pytest.approx(MOST_CONCENTRATION * np.array([0.5, 0.5]))
    assert dirichlet_prior(np.full((3, 3), 1 / 9)).sum() == pytest.approx(MOST_CONCENTRATION)
    assert dirichlet_prior(np.array([[0.7]])).tolist() == [1.0]


def test_a_topic_that_is_never_drawn_stays_out_of_the_fit():
    alpha = np.array([0.5, 0.2, 1.0])
    correlations = np.zeros((4, 4))
    correlations[np.ix_([0, 1, 3], [0, 1, 3])] = moments(alpha)
    found = dirichlet_prior(correlations)
    assert found[[0, 1, 3]] == pytest.approx(alpha)
    assert found[2] == pytest.approx(LEAST_SHARE * alpha.sum())
    with pytest.raises(InputError, match="No topic has any probability"):
        dirichlet_prior(np.zeros((3, 3)))


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 5), st.integers(0, 10_000))
def test_alpha_is_positive_and_finite_or_refused(k, seed):
    values = np.random.default_rng(seed).standard_normal((k, k))
    correlations = values + values.T + 2.0 * np.eye(k)
    try:
        alpha = dirichlet_prior(correlations)
    except InputError:
        return
    assert np.isfinite(alpha).all()
    assert (alpha > 0).all()


# By least squares


def test_least_squares_give_the_correlations_of_a_separable_model_back():
    joint, topics, correlations, _ = separable()
    found = least_squares_correlations(Conditional(joint), topics)
    np.testing.assert_allclose(found, correlations, atol=1e-9)


def test_least_squares_are_the_nearest_that_a_joint_distribution_can_be():
    """B†CB†ᵀ by solving the normal equations, entry by entry; then the nearest that is one."""
    joint, topics, _, _ = separable(d=60, k=4)
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.5, joint.shape) * joint.mean()
    joint = np.maximum(joint + noise + noise.T, 0)
    joint /= joint.sum()
    design = np.kron(topics, topics).T
    solution = np.linalg.lstsq(design, joint.ravel(), rcond=None)[0].reshape(4, 4)
    found = least_squares_correlations(Conditional(joint), topics)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)
    assert (found == found.T).all()
    for _ in range(300):
        other = rng.dirichlet(np.full(16, 0.3)).reshape(4, 4)
        mixed = 0.9 * found + 0.1 * other
        assert ((found - solution) ** 2).sum() <= ((mixed - solution) ** 2).sum() + 1e-12


def test_least_squares_are_nearer_where_the_few_entries_of_anchors_are_noisy():
    joint, topics, truth, anchors = separable(d=200, k=5)
    places = np.ix_(np.concatenate(anchors), np.concatenate(anchors))
    factors = np.random.default_rng(0).gamma(2.0, 0.5, (5, 5))
    joint[places] *= (factors + factors.T) / 2
    joint /= joint.sum()
    words = Conditional(joint)
    read = normalised(anchor_correlations(words.joint, topics, anchors))
    by_squares = least_squares_correlations(words, topics)
    assert np.linalg.norm(by_squares - truth) < np.linalg.norm(read - truth) / 3
