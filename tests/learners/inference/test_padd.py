"""PADD: the step's mathematics, moments that come to agree, sums alone, and better weights."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from chatham.commons import Alone, Recorded, Simulated
from chatham.errors import InputError
from chatham.learners.documents import Documents
from chatham.learners.inference import PADD, SPI, TLI, LeastSquares, learn_dual
from chatham.learners.inference.padd import next_curvature
from chatham.numerics.threads import threads
from tests.conftest import plant, split


def correlated(n=600, k=8, d=200, length=40, seed=0):
    """Documents whose topics come in pairs (logistic-normal weights), from topics that overlap."""
    rng = np.random.default_rng(seed)
    topics = 0.5 * rng.dirichlet(np.full(d, 0.1), k) + 0.5 * rng.dirichlet(np.full(d, 0.3))
    pairs = 2.5 * np.kron(np.eye(k // 2), np.ones((2, 2))) + 0.3 * np.eye(k)
    weights = np.exp(rng.multivariate_normal(np.linspace(1, -1, k), pairs, n))
    weights /= weights.sum(axis=1, keepdims=True)
    counts = [rng.multinomial(length, row) for row in weights @ topics]
    return sp.csr_array(np.array(counts)), topics, weights


def moments_of(weights):
    return weights.T @ weights / len(weights)


def learned(commons, topics, correlations, **options):
    """The dual and the mismatch before each step."""
    history = []
    with commons.fitting():
        dual = learn_dual(
            commons, topics, correlations, report=lambda _, off: history.append(off), **options
        )
    return dual, np.array(history)


def padd(counts, topics, dual):
    return PADD(topics, np.full(len(topics), 1 / len(topics)), dual).weights(
        Documents(counts, frequencies=True)
    )


def least_squares(counts, topics):
    return LeastSquares(topics, np.full(len(topics), 1 / len(topics))).weights(
        Documents(counts, frequencies=True)
    )


def some_moments(rng, k, n):
    return moments_of(rng.dirichlet(np.full(k, 0.5), n))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 9))
def test_the_step_solves_newtons_equation_and_stays_positive(seed, k):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(k, k))
    curvature = root @ root.T + 0.01 * np.eye(k)
    moments, target = some_moments(rng, k, 50), some_moments(rng, k, 50)
    following = next_curvature(curvature, moments, target)
    # Q⁻¹XN + NXQ⁻¹ = V − A as k² equations in k² numbers
    middle = (moments + target) / 2
    middle += 1e-6 * np.trace(middle) / k * np.eye(k)
    inverse = np.linalg.inv(curvature)
    operator = np.kron(inverse, middle) + np.kron(middle, inverse)
    step = np.linalg.solve(operator, (moments - target).ravel()).reshape(k, k)
    assert following - curvature == pytest.approx(step, abs=1e-6 * np.abs(curvature).max())
    assert np.linalg.eigvalsh(following)[0] > 0
    assert np.linalg.eigvalsh(2 * curvature - following)[0] > -1e-6 * np.trace(curvature)


def test_the_step_rests_where_moments_agree():
    rng = np.random.default_rng(0)
    moments = some_moments(rng, 5, 30)
    curvature = np.cov(rng.normal(size=(5, 20)))
    assert next_curvature(curvature, moments, moments) == pytest.approx(curvature, rel=1e-12)


def test_no_curvature_and_no_moments_are_nothing_to_divide_by():
    nothing = np.diag([1.0, 0.0])
    assert np.isfinite(next_curvature(nothing, nothing, nothing)).all()


def test_a_dual_of_zero_is_least_squares():
    counts, topics, _ = correlated(n=100)
    assert np.array_equal(padd(counts, topics, np.zeros((8, 8))), least_squares(counts, topics))


def test_a_dual_is_a_penalty_on_the_weights():
    counts, topics, _ = correlated(n=3)
    dual = np.diag(np.linspace(0.01, 0.3, 8))
    rows, candidates = counts.toarray() / 40, np.random.default_rng(0).dirichlet(np.ones(8), 2000)
    for row, found in zip(rows, padd(counts, topics, dual), strict=True):

        def objective(w, row=row):
            return ((w @ topics - row) ** 2).sum(axis=-1) + np.einsum("...i,ij,...j", w, dual, w)

        nearby = 0.99 * found + 0.01 * candidates
        assert (objective(nearby) >= objective(found) - 1e-15).all()


@pytest.mark.parametrize("length", [15, 40, 400])
def test_the_moments_come_to_agree_with_the_correlations(length):
    counts, topics, weights = correlated(length=length)
    target = moments_of(weights)
    dual, history = learned(Alone(counts), topics, target)
    assert len(history) == 15
    assert (np.diff(history) < 0).all()
    plain = np.linalg.norm(target - moments_of(least_squares(counts, topics)))
    assert history[0] == pytest.approx(plain, rel=1e-6)
    after = np.linalg.norm(target - moments_of(padd(counts, topics, dual)))
    assert after < 0.1 * plain


@pytest.mark.parametrize("kind", ["equal", "rank one", "indefinite", "without a topic"])
def test_correlations_that_no_weights_have_are_approached_and_never_break_it(kind):
    counts, topics, weights = correlated()
    target = moments_of(weights)
    if kind == "equal":
        target = np.eye(8) / 8
    elif kind == "rank one":
        target = np.outer(target.sum(axis=1), target.sum(axis=1))
    elif kind == "indefinite":
        target = target - 1.5 * np.diag(target.diagonal() * (np.arange(8) == 2))
    else:
        target = target * np.outer(np.arange(8) != 3, np.arange(8) != 3)
    dual, history = learned(Alone(counts), topics, target)
    assert history[-1] < 0.6 * history[0]
    assert np.linalg.eigvalsh(topics @ topics.T + dual)[0] > 0
    found = padd(counts, topics, dual)
    assert np.isfinite(found).all()
    assert found.sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("length", [5, 300])
@pytest.mark.parametrize("alpha", [0.05, 5.0])
@pytest.mark.parametrize("kind", ["other weights", "never meet", "by chance"])
def test_the_first_round_goes_towards_a_target_however_far_it_is(length, alpha, kind):
    counts, topics, _ = plant(n=80, k=4, length=length, seed=1)
    target = moments_of(np.random.default_rng(2).dirichlet(np.full(4, alpha), 80))
    if kind == "never meet":
        target = np.diag(target.sum(axis=1))
    elif kind == "by chance":
        target = np.outer(target.sum(axis=1), target.sum(axis=1))
    _, history = learned(Alone(counts), topics, target, rounds=3)
    assert (np.diff(history) < 0).all()


def test_the_weights_of_a_fixed_dual_are_those_of_the_next_round():
    counts, topics, weights = correlated(n=200)
    target = moments_of(weights)
    dual, _ = learned(Alone(counts), topics, target, rounds=3)
    _, history = learned(Alone(counts), topics, target, rounds=4)
    found = moments_of(padd(counts, topics, dual))
    assert np.linalg.norm(target - found) == pytest.approx(history[3], rel=1e-9)


def test_the_dual_does_not_grow_with_the_documents():
    counts, topics, weights = correlated(n=100)
    once, _ = learned(Alone(counts), topics, moments_of(weights))
    thrice, _ = learned(Alone(sp.vstack([counts] * 3)), topics, moments_of(weights))
    assert thrice == pytest.approx(once, abs=1e-10)


def test_correlations_of_any_size_and_a_second_learning_in_the_same_memory():
    counts, topics, weights = correlated(n=100)
    target, commons = moments_of(weights), Alone(counts)
    with commons.fitting():
        learn_dual(commons, topics[:3], np.eye(3), rounds=1)
        again = learn_dual(commons, topics, 7.0 * target)
    assert again == pytest.approx(learned(Alone(counts), topics, target)[0], abs=1e-12)


@pytest.mark.parametrize("holders", [1, 3, 9])
def test_holders_learn_what_one_would(holders):
    counts, topics, weights = correlated(n=200)
    target = moments_of(weights)
    commons = Recorded(Simulated(split(counts, holders)))
    dual, _ = learned(commons, topics, target)
    pooled, _ = learned(Alone(counts), topics, target)
    assert dual == pytest.approx(pooled, abs=1e-10)
    assert padd(counts, topics, dual) == pytest.approx(padd(counts, topics, pooled), abs=1e-8)
    assert [entry.shape for entry in commons.ledger] == [(8, 8), ()] * 15
    assert commons.ledger[-1].round == 15


def test_a_holder_without_documents_adds_nothing():
    counts, topics, weights = correlated(n=60)
    target = moments_of(weights)
    nobody = sp.csr_array((2, 200))
    dual, _ = learned(Simulated([counts, nobody]), topics, target)
    assert dual == pytest.approx(learned(Alone(counts), topics, target)[0], abs=1e-10)


def test_no_documents_at_all_are_refused():
    topics = plant()[1]
    with pytest.raises(InputError, match="nothing to learn its dual from"):
        learned(Alone(sp.csr_array((3, 60))), topics, np.eye(5) / 5)


def test_a_documents_weights_are_the_same_whatever_its_neighbours():
    counts, topics, weights = correlated(n=300)
    dual, _ = learned(Alone(counts), topics, moments_of(weights))
    together = padd(counts, topics, dual)
    some = [250, 3, 77]
    assert padd(counts[some], topics, dual) == pytest.approx(together[some], abs=1e-11)
    assert padd(counts[[9]], topics, dual) == pytest.approx(together[[9]], abs=1e-11)


def test_threads_change_nothing():
    counts, topics, weights = correlated(n=300)
    duals = []
    for jobs in (1, 3):
        with threads(jobs):
            duals.append(learned(Alone(counts), topics, moments_of(weights), rounds=3)[0])
    assert np.array_equal(*duals)


@pytest.mark.parametrize("seed", range(3))
def test_planted_weights_are_found_better_than_by_the_linear_inferences(seed):
    counts, topics, weights = correlated(seed=seed, length=150)
    target = moments_of(weights)
    dual, _ = learned(Alone(counts), topics, target)
    documents, prevalence = Documents(counts, frequencies=True), target.sum(axis=1)

    def error(inference):
        return np.abs(inference.weights(documents) - weights).sum(axis=1).mean()

    ours = error(PADD(topics, prevalence, dual))
    assert ours < 0.6 * error(SPI(topics, prevalence))
    assert ours < 0.7 * error(TLI(topics, prevalence))
    assert ours < 0.95 * error(LeastSquares(topics, prevalence))


def test_new_documents_gain_from_a_dual_learned_elsewhere():
    counts, topics, weights = correlated(n=1200)
    dual, _ = learned(Alone(counts[:600]), topics, moments_of(weights[:600]))
    ours = np.abs(padd(counts[600:], topics, dual) - weights[600:]).sum(axis=1).mean()
    plain = np.abs(least_squares(counts[600:], topics) - weights[600:]).sum(axis=1).mean()
    assert ours < 0.95 * plain
