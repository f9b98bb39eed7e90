"""What merged topics cost a party: what holds, and what Theorem 1 says that doesn't."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import nnls

import chatham as ch
from chatham.ensembles.bounds import Penalties, bounds, least_error, local_fit
from chatham.errors import InputError
from tests.conftest import plant


def dense_error(rows, psi, topics):
    """½‖X − WT‖² over Ψ with the best weights, row by row."""
    roots = np.sqrt(psi)
    return 0.5 * sum(
        nnls((topics * root).T, row * root)[1] ** 2 for row, root in zip(rows, roots, strict=True)
    )


def test_theorem_1_fails_for_topics_that_share_a_document():
    rows, weights = np.array([[1.0, 1.0, 2.0]]), np.array([[1.0, 1.0]])
    own, topics = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]), np.eye(3)[:2]
    fit = local_fit(rows, weights, own)
    assert fit.error == 0
    assert not fit.gradient.any()  # an exact local model: nothing is left to converge
    found = bounds(fit, np.eye(2), topics)
    true = least_error(rows, topics)
    assert true == 2.0
    assert found.printed == 1.0
    assert found.quadratic == found.diagonal == 2.0


def test_claim_1_and_corollary_2_are_no_equality_where_gradients_do_not_vanish():
    rows, weights, own = np.eye(3), np.ones((3, 1)), np.full((1, 3), 1 / 3)
    fit = local_fit(rows, weights, own)
    assert fit.error == pytest.approx(1.0)
    np.testing.assert_allclose(fit.gradient, 0, atol=1e-15)
    found = bounds(fit, np.array([[1 / 3]]), np.eye(3)[:1])
    assert found.printed == pytest.approx(4 / 3)
    assert least_error(rows, np.eye(3)[:1]) == pytest.approx(1.0)
    held = 0.5 * ((rows - weights @ (np.eye(3)[:1] / 3)) ** 2).sum()
    assert found.quadratic == pytest.approx(held) == pytest.approx(4 / 3)  # with W held at WŴ


def test_active_zeros_alone_are_enough_for_theorem_1_to_fail():
    """Only one entry of one topic changes, so nothing is shared by two errors: but at a zero the
    gradient of a converged fit needn't vanish."""
    rows = np.random.default_rng(0).random((12, 8))
    model = ch.NMF(3, constraint="none", random_state=0, tol=0, max_iter=5000).fit(rows)
    fit = local_fit(rows, model.transform(rows), model.components_)
    at = np.unravel_index(np.argmax(np.where(fit.topics == 0, fit.gradient, 0)), fit.topics.shape)
    assert fit.gradient[at] > 0.01
    assert np.abs(fit.gradient[fit.topics > 0]).max() < 1e-6
    topics = fit.topics.copy()
    topics[at] += 1e-4
    found = bounds(fit, np.eye(3), topics)
    true = dense_error(rows, np.ones_like(rows), topics)
    assert (
        found.printed
        < true
        <= found.quadratic
        == pytest.approx(found.printed + 1e-4 * fit.gradient[at])
    )


NUMBERS = st.sampled_from([0.0, 0.1, 0.4, 1.0, 2.5])


@st.composite
def situations(draw):
    n, d, k, merged = (draw(st.integers(1, 4)) for _ in range(4))
    shapes = {"rows": (n, d), "weights": (n, k), "own": (k, d), "mixtures": (k, merged),
              "topics": (merged, d), "psi": (n, d)}  # fmt: skip
    return {name: draw(arrays(float, shape, elements=NUMBERS)) for name, shape in shapes.items()}


@settings(max_examples=200)
@given(situations(), st.booleans())
def test_what_holds_holds_for_any_fit_and_any_topics(it, by_cell):
    """Converged or not; the first with equality where W is held at WŴ."""
    psi = it["psi"] if by_cell else np.ones_like(it["psi"])
    rows = ch.Weighted(it["rows"], cell_weight=psi) if by_cell else it["rows"]
    if by_cell and not psi.any():
        return
    fit = local_fit(rows, it["weights"], it["own"])
    left = it["weights"] @ it["own"] - it["rows"]
    assert fit.error == pytest.approx(0.5 * (psi * left**2).sum())
    np.testing.assert_allclose(fit.gradient, it["weights"].T @ (psi * left), atol=1e-12)
    found = bounds(fit, it["mixtures"], it["topics"])
    mixed = it["weights"] @ it["mixtures"] @ it["topics"]
    held = 0.5 * (psi * (it["rows"] - mixed) ** 2).sum()
    assert found.quadratic == pytest.approx(held, rel=1e-9, abs=1e-9)
    assert found.diagonal >= found.quadratic - 1e-9
    true = dense_error(it["rows"], psi, it["topics"])
    assert true <= found.quadratic + 1e-9 * (1 + found.quadratic)


@pytest.mark.parametrize("by_cell", [False, True])
def test_the_true_error_is_that_of_the_best_weights(by_cell):
    rng = np.random.default_rng(0)
    rows, psi, topics = rng.random((20, 9)), rng.random((20, 9)) + 0.1, rng.dirichlet(np.ones(9), 3)
    psi = psi if by_cell else np.ones_like(psi)
    true = least_error(ch.Weighted(rows, cell_weight=psi) if by_cell else rows, topics)
    assert true == pytest.approx(dense_error(rows, psi, topics), rel=1e-9)
    whole = rows / rows.sum(axis=1, keepdims=True)
    on_simplex = least_error(whole, topics, "simplex")
    assert on_simplex > least_error(whole, topics)
    weights = ch.NMF(3, init=topics, max_iter=1, tol=0).fit(whole).set_params(max_iter=1)
    weights.components_ = topics
    left = whole - weights.transform(whole) @ topics
    assert on_simplex == pytest.approx(0.5 * (left**2).sum(), rel=1e-9)


@settings(max_examples=100)
@given(situations(), st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS))
def test_with_penalties_it_is_the_objective_with_w_held(it, numbers):
    fit = local_fit(it["rows"], it["weights"], it["own"])
    penalties = Penalties(*numbers)
    mixed = it["weights"] @ it["mixtures"]
    held = 0.5 * ((it["rows"] - mixed @ it["topics"]) ** 2).sum()
    held += penalties.l1_topics * it["topics"].sum() + penalties.l1_weights * mixed.sum()
    held += 0.5 * penalties.l2_topics * (it["topics"] ** 2).sum()
    held += 0.5 * penalties.l2_weights * (mixed**2).sum()
    found = bounds(fit, it["mixtures"], it["topics"], penalties)
    assert found.quadratic == pytest.approx(held, rel=1e-9, abs=1e-9)
    assert found.diagonal >= found.quadratic - 1e-9


@settings(max_examples=100)
@given(situations())
def test_costs_by_cell_are_one_for_all_where_cells_have_none(it):
    ones = np.ones_like(it["rows"])
    plain = local_fit(it["rows"], it["weights"], it["own"])
    by_cell = local_fit(ch.Weighted(it["rows"], cell_weight=ones), it["weights"], it["own"])
    for by in ("thesis", "gram"):
        np.testing.assert_allclose(by_cell.costs(by), plain.costs(by))  # Corollary 4 is Theorem 1
        np.testing.assert_allclose(
            by_cell.cell_costs(by).T, np.tile(plain.costs(by), (len(ones[0]), 1))
        )
    expected = (it["weights"] ** 2).sum(axis=0)
    np.testing.assert_allclose(plain.costs("thesis"), expected)
    np.testing.assert_allclose(plain.costs("gram"), it["weights"].T @ it["weights"].sum(axis=1))


@settings(max_examples=100)
@given(situations())
def test_corollary_4_takes_the_largest_word(it):
    psi = it["psi"] + 0.1
    fit = local_fit(ch.Weighted(it["rows"], cell_weight=psi), it["weights"], it["own"])
    expected = ((it["weights"] ** 2).T @ psi).max(axis=1)
    np.testing.assert_allclose(fit.costs("thesis"), expected)
    sums = np.einsum("it,ij,i->tj", it["weights"], psi, it["weights"].sum(axis=1))
    np.testing.assert_allclose(fit.cell_costs("gram"), sums)
    np.testing.assert_allclose(fit.costs("gram"), sums.max(axis=1))


@pytest.mark.parametrize("constraint", ["none", "simplex"])
def test_at_a_converged_fit_the_linear_term_never_helps(constraint):
    """−⟨g, Δ⟩ ≥ 0: to leave T⁰ for what is allowed costs at least nothing."""
    counts = plant(n=80, d=20, k=3, length=40)[0]
    rows = counts.toarray() / np.maximum(counts.sum(axis=1), 1)[:, None]
    model = ch.NMF(3, constraint=constraint, random_state=0, tol=0, max_iter=3000).fit(rows)
    weights = model.transform(rows)
    weights[counts.sum(axis=1) == 0] = 0
    fit = local_fit(rows, weights, model.components_)
    rng = np.random.default_rng(0)
    for _ in range(50):
        topics, mixtures = rng.dirichlet(np.ones(20), 4), rng.dirichlet(np.ones(4), 3)
        change = fit.topics - mixtures @ topics
        assert -(fit.gradient * change).sum() >= -1e-6


def test_wrong_shapes_and_kinds_are_said():
    with pytest.raises(InputError, match="don't factorise 3 rows"):
        local_fit(np.ones((3, 2)), np.ones((3, 2)), np.ones((1, 2)))
    fit = local_fit(np.ones((3, 2)), np.ones((3, 1)), np.ones((1, 2)))
    with pytest.raises(InputError, match="'thesis' or by 'gram'"):
        fit.costs("squares")
