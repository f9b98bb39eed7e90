"""Topics from anchors: planted topics come back, and every method is what its source says."""

import numpy as np
import pytest
from scipy.optimize import minimize, nnls

from chatham.learners.anchor.conditional import Conditional
from chatham.learners.anchor.recover import recover
from tests.learners.anchor.separable import MIXING, noisy, separable, singles


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", ["admm", "inverse"])
def test_planted_topics_come_back(method, seed):
    topics, _, joint = separable(seed=seed)
    found = recover(Conditional(joint), singles(4), method)
    np.testing.assert_allclose(found.topics, topics, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", MIXING)
def test_planted_topics_come_back_to_the_gap_that_is_asked_for(method, seed):
    """Where every word has something of every topic, all methods converge fast."""
    topics, _, joint = separable(seed=seed, least=0.05)
    found = recover(Conditional(joint), singles(4), method, max_iter=20_000, tol=1e-14)
    np.testing.assert_allclose(found.topics, topics, atol=1e-6)
    assert found.gap < 1e-12


@pytest.mark.parametrize("method", ["l2", "kl"])
def test_sparse_planted_topics_come_back_to_the_gap_that_is_left(method):
    """Mixtures are exact, so the loss is at most the gap: ½σ²‖error‖² ≤ gap in l2's unit."""
    topics, correlations, joint = separable()
    conditional = Conditional(joint)
    found = recover(conditional, singles(4), method)
    assert found.gap <= 1e-5
    assert np.abs(found.topics - topics).sum(axis=1).max() < 0.01
    truth = (topics * correlations.sum(axis=1)[:, None]).T
    truth /= truth.sum(axis=1, keepdims=True)
    errors = np.linalg.norm(found.coefficients - truth, axis=1)
    if method == "l2":
        basis = conditional.rows_of(singles(4))
        gram = basis @ basis.T / (np.trace(basis @ basis.T) / 4)
        assert errors.max() <= np.sqrt(2 * found.gap / np.linalg.eigvalsh(gram)[0])
    assert errors.max() < 0.02


def test_the_inversion_gives_the_correlations_too():
    _, correlations, joint = separable()
    found = recover(Conditional(joint), singles(4), "inverse")
    np.testing.assert_allclose(found.correlations, correlations, atol=1e-10)
    assert found.coefficients is None
    assert found.gap is None


def original_recover(joint, anchors):
    """Arora's Algorithm 2, with Q_S for the last factor."""
    rows, square = joint[anchors], joint[np.ix_(anchors, anchors)]
    z = np.linalg.solve(square, rows.sum(axis=1))
    return np.linalg.inv(square * z) @ rows, z[:, None] * square * z


@pytest.mark.parametrize(("seed", "size"), [(0, 0.02), (1, 0.02), (2, 0.02), (10, 2.0)])
def test_the_inversion_is_algorithm_2(seed, size):
    joint = noisy(separable(seed=seed)[2], seed, size=size)
    raw, correlations = original_recover(joint, [0, 1, 2, 3])
    np.testing.assert_allclose(raw.sum(axis=1), 1)
    clipped = np.maximum(raw, 0)
    found = recover(Conditional(joint), singles(4), "inverse")
    expected = clipped / clipped.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.topics, expected, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(found.correlations, correlations)


def least_squares_by_word(rows, basis):
    """Simplex-constrained least squares through nnls: the sum of one as a very heavy equation."""
    heavy = np.vstack([basis.T, 1e4 * np.ones(len(basis))])
    return np.array([nnls(heavy, np.append(row, 1e4))[0] for row in rows])


@pytest.mark.parametrize("seed", range(3))
def test_admm_is_least_squares_and_bayes_rule(seed):
    joint = noisy(separable(seed=seed)[2], seed)
    rows = joint / joint.sum(axis=1, keepdims=True)
    coefficients = least_squares_by_word(rows, rows[:4])
    coefficients[:4] = np.eye(4)
    topics = (coefficients * joint.sum(axis=1)[:, None]).T
    topics /= topics.sum(axis=1, keepdims=True)
    found = recover(Conditional(joint), singles(4))
    np.testing.assert_allclose(found.coefficients, coefficients, atol=1e-5)
    np.testing.assert_allclose(found.topics, topics, atol=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_kl_is_the_likeliest_mixture(seed):
    joint = noisy(separable(d=20, seed=seed)[2], seed)
    rows = joint / joint.sum(axis=1, keepdims=True)
    found = recover(Conditional(joint), singles(4), "kl", max_iter=20_000, tol=1e-11)

    def loss(y, row):
        return -row @ np.log(y @ rows[:4]), -rows[:4] @ (row / (y @ rows[:4]))

    for word in range(4, 20):
        best = minimize(
            loss,
            np.full(4, 0.25),
            args=(rows[word],),
            jac=True,
            bounds=[(1e-12, 1)] * 4,
            constraints={"type": "eq", "fun": lambda y: y.sum() - 1, "jac": lambda y: np.ones(4)},
            method="SLSQP",
            options={"ftol": 1e-15},
        )
        assert abs(loss(found.coefficients[word], rows[word])[0] - best.fun) < 1e-9
        np.testing.assert_allclose(found.coefficients[word], best.x, atol=1e-5)


def test_l2_and_admm_have_the_same_minimum():
    joint = noisy(separable()[2])
    exact = recover(Conditional(joint), singles(4))
    stepped = recover(Conditional(joint), singles(4), "l2", max_iter=50_000, tol=1e-12)
    np.testing.assert_allclose(stepped.coefficients, exact.coefficients, atol=1e-5)
    assert exact.gap < 1e-7


@pytest.mark.parametrize("method", MIXING)
def test_shares_are_those_that_topics_give_words_back_by(method):
    _, correlations, joint = separable(least=0.05)
    conditional = Conditional(joint)
    found = recover(conditional, singles(4), method)
    np.testing.assert_allclose(found.shares, correlations.sum(axis=1), atol=2e-3)
    np.testing.assert_allclose(found.shares @ found.topics, conditional.totals, atol=1e-12)
    assert recover(conditional, singles(4), "inverse").shares is None


@pytest.mark.parametrize("method", MIXING)
def test_whether_iterations_ran_out_is_told(method):
    conditional = Conditional(noisy(separable(d=60, k=8)[2]))
    short = recover(conditional, singles(8), method, max_iter=7)
    assert short.n_iter == 7
    assert short.gap > 1e-5
    assert not short.settled
    if method == "admm":  # whose own tolerance says nothing of the gap
        assert not recover(conditional, singles(8), method, max_iter=7, tol=1.0).settled
    patient = recover(conditional, singles(8), method, max_iter=50_000)
    assert patient.n_iter < 50_000
    assert patient.gap <= 1e-5
    assert patient.settled
    assert recover(conditional, singles(8), "inverse").settled
    # That it took all iterations is no harm if the last of them sufficed.
    just = recover(conditional, singles(8), method, max_iter=patient.n_iter)
    assert just.n_iter == patient.n_iter
    assert just.settled


def test_admm_takes_up_to_five_hundred_steps_and_rests_at_a_hundred_millionth():
    """The documented limits, on two problems: one that ends by the tolerance, one by the steps."""
    joint = noisy(separable(d=60, k=8)[2])
    usual = recover(Conditional(joint), singles(8))
    exact = recover(Conditional(joint), singles(8), max_iter=50_000, tol=1e-14)
    assert usual.n_iter < 500
    assert 2e-10 < np.abs(usual.coefficients - exact.coefficients).max() < 2e-9
    # Eight anchors that differ little beside what they share are far from rest after 500 steps.
    alike = separable(d=60, k=8)[2] + 1e-3 * noisy(separable(d=60, k=8, seed=1)[2], seed=1)
    alike = alike / alike.sum() + 3 * np.outer(alike.sum(axis=0), alike.sum(axis=0))
    slow = recover(Conditional(alike / alike.sum()), singles(8), tol=0.0)
    assert slow.n_iter == 500
