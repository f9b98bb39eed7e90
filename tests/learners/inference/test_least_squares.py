"""Least squares on the simplex: the minimum that general solvers find."""

import numpy as np
import pytest
from scipy.optimize import minimize, nnls

from chatham.learners.documents import Documents
from chatham.learners.inference import LeastSquares
from tests.conftest import plant


def by_nnls(topics, row):
    """min ‖Bw − h‖² with w ≥ 0 and Σw = 1, the sum by a heavy row of its own."""
    heavy = 1e4
    left = np.vstack([topics.T, np.full(len(topics), heavy)])
    return nnls(left, np.append(row, heavy))[0]


def by_slsqp(topics, row):
    k = len(topics)
    found = minimize(
        lambda w: 100 * np.sum((w @ topics - row) ** 2),
        np.full(k, 1 / k),
        jac=lambda w: 200 * topics @ (w @ topics - row),
        bounds=[(0, 1)] * k,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": lambda w: np.ones(k)},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    return found.x


@pytest.mark.parametrize("length", [8, 80, 1000])
def test_agrees_with_other_solvers(length):
    counts, topics, _ = plant(n=40, length=length)
    weights = LeastSquares(topics, np.full(5, 0.2)).weights(Documents(counts, frequencies=True))
    for row, found in zip(counts.toarray() / length, weights, strict=True):
        assert found == pytest.approx(by_nnls(topics, row), abs=1e-5)
        assert found == pytest.approx(by_slsqp(topics, row), abs=1e-5)


def test_exact_frequencies_give_exact_weights():
    _, topics, weights = plant(n=30, k=4, d=50)
    found = LeastSquares(topics, np.full(4, 0.25)).weights(
        Documents(weights @ topics, frequencies=True)
    )
    assert found == pytest.approx(weights, abs=1e-9)


def test_words_that_no_topic_utters_change_nothing():
    counts, topics, _ = plant(n=30)
    wider = np.hstack([topics, np.zeros((5, 1))])
    more = np.hstack([counts.toarray(), np.arange(30)[:, None]])
    plain = LeastSquares(topics, np.full(5, 0.2)).weights(Documents(counts, frequencies=True))
    found = LeastSquares(wider, np.full(5, 0.2)).weights(Documents(more, frequencies=True))
    assert found == pytest.approx(plain, abs=1e-10)


def test_topics_that_are_alike_share_the_weight():
    counts, topics, _ = plant(n=30)
    topics[3] = topics[0]
    found = LeastSquares(topics, np.full(5, 0.2)).weights(Documents(counts, frequencies=True))
    once = LeastSquares(np.delete(topics, 3, axis=0), np.full(4, 0.25)).weights(
        Documents(counts, frequencies=True)
    )
    assert found[:, 0] + found[:, 3] == pytest.approx(once[:, 0], abs=1e-6)
