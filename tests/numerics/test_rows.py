"""Row descents reach the minimum that an independent solver finds, and never rise on the way."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, nnls

from chatham.numerics.observed import pack, residues, unpack
from chatham.numerics.products import gram, multiply
from chatham.numerics.rows import descend_nonnegative, descend_simplex


def problem(seed, n=6, k=5, d=12):
    rng = np.random.default_rng(seed)
    topics = rng.random((k, d)) * (rng.random((k, d)) < 0.6) + 1e-3
    rows = rng.random((n, d))
    return topics, rows, topics @ topics.T, rows @ topics.T


def values(weights, products, inner, l2=0.0):
    quadratic = 0.5 * np.einsum("ij,jk,ik->i", weights, inner, weights)
    return quadratic - (weights * products).sum(1) + 0.5 * l2 * (weights**2).sum(1)


@pytest.mark.parametrize("seed", range(4))
def test_nonnegative_descent_reaches_nnls(seed):
    topics, rows, inner, products = problem(seed)
    weights = np.zeros_like(products)
    descend_nonnegative(weights, products, inner, 0.0, 0.0, 0, 5, 3000)
    expected = np.array([nnls(topics.T, row)[0] for row in rows])
    np.testing.assert_allclose(weights, expected, atol=1e-8)


def test_nonnegative_descent_with_penalties_meets_the_optimality_conditions():
    _, _, inner, products = problem(1)
    weights = np.zeros_like(products)
    descend_nonnegative(weights, products, inner, 0.3, 0.7, 0, 5, 3000)
    slope = weights @ inner - products + 0.3 + 0.7 * weights
    assert np.abs(slope[weights > 0]).max() < 1e-9
    assert slope[weights == 0].min() > -1e-9


def on_simplex_by_solver(products, inner):
    k = len(products)
    result = minimize(
        lambda w: 0.5 * w @ inner @ w - products @ w,
        np.full(k, 1 / k),
        jac=lambda w: inner @ w - products,
        bounds=[(0, 1)] * k,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 2000},
    )
    return result.x


@pytest.mark.parametrize("seed", range(4))
def test_simplex_descent_reaches_the_quadratic_programme(seed):
    _, _, inner, products = problem(seed)
    expected = np.array([on_simplex_by_solver(row, inner) for row in products])
    weights = np.full_like(products, 0.2)
    descend_simplex(weights, products, inner, 0.0, 0, 5, 500)
    np.testing.assert_allclose(weights, expected, atol=1e-5)
    gradient = weights @ inner - products
    gap = (weights * gradient).sum(axis=1) - gradient.min(axis=1)  # zero at the minimum alone
    assert gap.max() < 1e-8


@pytest.mark.parametrize("l2", [0.0, 0.01, 0.3])
def test_rows_with_many_topics_need_few_sweeps(l2):
    """Trades between two alone would leave the gap ten thousand times as wide after six sweeps."""
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(200, 0.3), 60)
    rows = rng.dirichlet(np.full(60, 0.5), 20) @ topics
    inner, products = topics @ topics.T, rows @ topics.T
    weights = np.full_like(products, 1 / 60)
    descend_simplex(weights, products, inner, l2, 0, 60, 6)
    gradient = weights @ inner - products + l2 * weights
    gap = (weights * gradient).sum(axis=1) - gradient.min(axis=1)
    assert gap.max() < 1e-9 * np.abs(products).max()
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-12)


def test_topics_that_are_alike_only_trade():
    topics = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.2, 0.8]])
    products = np.array([[0.3, 0.4, 0.3]]) @ topics.T
    weights = np.full((1, 3), 1 / 3)
    descend_simplex(weights, products, topics @ topics.T, 0.0, 0, 3, 50)
    explained = weights @ topics
    best = on_simplex_by_solver(products[0], topics @ topics.T) @ topics
    np.testing.assert_allclose(explained[0], best, atol=1e-6)


@given(seed=st.integers(0, 10**6), l2=st.sampled_from([-5.0, -0.5, 0.0, 0.5]))
@settings(max_examples=60, deadline=None)
def test_jumps_never_rise_and_rows_stay_on_the_simplex(seed, l2):
    _, _, inner, products = problem(seed)
    start = np.random.default_rng(seed).dirichlet(np.full(5, 0.3), len(products))
    before = values(start, products, inner, l2)
    for sweeps in (2, 3, 6):
        weights = start.copy()
        descend_simplex(weights, products, inner, l2, 0, 5, sweeps)
        after = values(weights, products, inner, l2)
        assert (after <= before + 1e-12).all()
        assert weights.min() >= 0
        np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-12)
        before = after


@given(
    seed=st.integers(0, 10**6),
    l2=st.sampled_from([-5.0, -0.5, 0.0, 0.5]),
    topic=st.integers(0, 4),
)
@settings(max_examples=60, deadline=None)
def test_the_descent_never_rises_and_rows_stay_on_the_simplex(seed, l2, topic):
    _, _, inner, products = problem(seed)
    start = np.random.default_rng(seed).dirichlet(np.full(5, 0.3), len(products))
    before = values(start, products, inner, l2)
    weights = start.copy()
    descend_simplex(weights, products, inner, l2, topic, topic + 1, 1)
    assert (values(weights, products, inner, l2) <= before + 1e-12).all()
    assert weights.min() >= 0
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-12)


def test_exchange_with_a_negative_penalty_ends_where_no_trade_helps():
    _, _, inner, products = problem(3)
    weights = np.full_like(products, 0.2)
    descend_simplex(weights, products, inner, -4.0, 0, 5, 50)
    for row, own in zip(weights, products, strict=True):
        here = values(row[None], own[None], inner, -4.0)[0]
        for a in range(5):
            for b in range(5):
                for share in np.linspace(0, 1, 21):
                    moved = row.copy()
                    moved[a], moved[b] = row[a] * (1 - share), row[b] + row[a] * share
                    if a != b:
                        assert values(moved[None], own[None], inner, -4.0)[0] >= here - 1e-12


def test_products_and_grams_equal_dense_ones():
    from chatham.learners.documents import Documents

    rng = np.random.default_rng(0)
    rows = rng.poisson(0.4, (40, 30)).astype(float)
    rows[5] = 0
    documents = Documents(rows)
    dense, factor = rng.random((30, 4)), rng.random((40, 4))
    np.testing.assert_allclose(multiply(documents, dense), rows @ dense)
    np.testing.assert_allclose(multiply(documents.by_word, factor), rows.T @ factor)
    np.testing.assert_allclose(gram(factor, factor, documents.blocks), factor.T @ factor)
    left = residues(documents.indptr, documents.indices, documents.data, factor, dense)
    np.testing.assert_allclose(left, (rows - factor @ dense.T)[rows > 0])
    products, packed = pack(documents.by_word, np.ones(len(documents.data)), factor)
    np.testing.assert_allclose(products, rows.T @ factor)
    own = np.empty((4, 4))
    for word in range(30):
        unpack(packed[word], own)
        mine = factor[rows[:, word] > 0]
        np.testing.assert_allclose(own, mine.T @ mine)
