"""NMF where cells that aren't stored say nothing."""

import numpy as np
import scipy.sparse as sp
from scipy.optimize import least_squares

import chatham as ch


def test_unobserved_with_every_cell_stored_is_the_plain_problem():
    rows = np.random.default_rng(0).poisson(1.0, (30, 12)).astype(float)
    stored = sp.csr_array(
        (rows.ravel(), np.tile(np.arange(12), 30), np.arange(0, 361, 12)), shape=(30, 12)
    )
    assert stored.nnz == rows.size
    for constraint in ("none", "simplex"):
        start = np.random.default_rng(1).dirichlet(np.ones(12), 3)
        settings = {
            "constraint": constraint,
            "schedule": "interleaved",
            "init": start,
            "max_iter": 20,
            "tol": 0,
            "l2_weights": 0.1,
        }
        # The exchange is what both use for weights when cells are weighted, so compare it there.
        plain = ch.NMF(3, **settings).fit(rows)
        seen = ch.NMF(3, missing="unobserved", **settings).fit(ch.Alone(stored))
        np.testing.assert_allclose(seen.components_, plain.components_, atol=1e-9)


def test_unobserved_cells_are_filled_in():
    rng = np.random.default_rng(0)
    truth = rng.random((120, 3)) @ rng.random((3, 40)) + 0.0
    shown = rng.random(truth.shape) < 0.4
    ratings = sp.csr_array(np.where(shown, truth, 0.0))
    model = ch.NMF(
        3,
        constraint="none",
        missing="unobserved",
        init="random",
        random_state=0,
        max_iter=500,
        tol=1e-9,
        l2_weights=1e-4,
        l2_topics=1e-4,
    ).fit(ratings)
    guess = model.transform(ratings) @ model.components_
    hidden = ~shown
    error = np.sqrt(((guess - truth)[hidden] ** 2).mean())
    assert error < 0.05 * truth.std()
    blind = ch.NMF(3, constraint="none", random_state=0, max_iter=500).fit(ratings)
    wrong = np.sqrt(((blind.transform(ratings) @ blind.components_ - truth)[hidden] ** 2).mean())
    assert wrong > 10 * error


def test_a_stored_zero_counts_as_observed_and_a_missing_cell_does_not():
    rows = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 1.0], [1.0, 2.0, 1.0]])
    all_cells = (rows.ravel(), np.tile([0, 1, 2], 3), np.array([0, 3, 6, 9]))
    for stored in (sp.csr_array(rows), sp.csr_array(all_cells, shape=(3, 3))):
        at = stored.tocoo().coords

        def left(x, at=at):
            return rows[at] - np.outer(x[:3], x[3:])[at]

        expected = least_squares(left, np.ones(6)).x
        model = ch.NMF(
            1, constraint="none", missing="unobserved", random_state=0, max_iter=2000, tol=1e-14
        ).fit(stored)
        found = model.components_[0]
        np.testing.assert_allclose(
            found / found.sum(), expected[3:] / expected[3:].sum(), rtol=1e-4
        )
