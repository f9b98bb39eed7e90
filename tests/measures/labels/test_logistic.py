"""Logistic regression by sums: by hand, by differences, and beside scikit-learn."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import approx_fprime
from sklearn.linear_model import LogisticRegression

from chatham.measures.labels import logistic
from chatham.measures.labels.logistic import (
    Moments,
    fit,
    loss_and_gradient,
    moments,
    pairs_of,
    right,
)

ALL = np.arange(3)


def noisy(n=150, d=6, classes=3, seed=0, scale=1.0):
    """Sparse features, and classes that depend on them but not on them alone."""
    rng = np.random.default_rng(seed)
    features = rng.poisson(0.8, (n, d)) * scale
    leaning = features / scale @ rng.normal(size=(d, classes)) + rng.gumbel(size=(n, classes))
    return sp.csr_array(features), leaning.argmax(axis=1)


def fitted(features, classes, columns, penalty=1.0, max_rounds=500):
    def total(parameters):
        return loss_and_gradient(features, classes, columns, parameters)

    sums, (rows, squares) = moments(features)
    return fit(total, Moments(rows, sums, squares), len(columns), penalty, max_rounds)


def scale_of(features):
    sums, (rows, squares) = moments(features)
    return Moments(rows, sums, squares).scale


def test_loss_by_hand():
    # Scores of the one row: 2·ln 2 + 0 for class 0 and 0 for class 1, chances ⅘ and ⅕.
    features, parameters = sp.csr_array([[2.0]]), np.array([[np.log(2.0), 0.0], [0.0, 0.0]])
    loss, gradient = loss_and_gradient(features, np.array([1]), np.arange(2), parameters)
    assert loss == pytest.approx(np.log(5))
    assert gradient == pytest.approx(np.array([[1.6, -1.6], [0.8, -0.8]]))  # ⅘ times 2, and ⅘


def test_loss_of_pairs_by_hand():
    # Score ln 3 for the pair (0, 1): chance ¾ of class 0; a row of class 2 is in no such pair.
    features, parameters = sp.csr_array([[1.0], [1.0], [1.0]]), np.array([[np.log(3.0)], [0.0]])
    loss, gradient = loss_and_gradient(
        features, np.array([0, 1, 2]), np.array([[0, 1]]), parameters
    )
    assert loss == pytest.approx(np.log(4 / 3) + np.log(4))
    assert gradient == pytest.approx(np.full((2, 1), -0.25 + 0.75))


@pytest.mark.parametrize("columns", [ALL, pairs_of(ALL)])
def test_gradient_is_the_slope_of_the_loss(columns):
    features, classes = noisy(n=40)
    start = np.random.default_rng(1).normal(size=(7, 3))

    def loss(flat):
        return loss_and_gradient(features, classes, columns, flat.reshape(7, 3))[0][0]

    slopes = approx_fprime(start.ravel(), loss, 1e-7).reshape(7, 3)
    assert loss_and_gradient(features, classes, columns, start)[1] == pytest.approx(
        slopes, abs=1e-4
    )


@pytest.mark.parametrize(("limit", "at_most"), [("PIECE", 7), ("CELLS", 21), ("CELLS", 1)])
@pytest.mark.parametrize("columns", [ALL, pairs_of(ALL)])
def test_a_piece_at_a_time_makes_no_difference(columns, limit, at_most, monkeypatch):
    features, classes = noisy(n=40)
    parameters = np.random.default_rng(1).normal(size=(7, 3))
    steps = (loss_and_gradient, right)
    whole = [step(features, classes, columns, parameters) for step in steps]
    monkeypatch.setattr(logistic, limit, at_most)
    pieces = [step(features, classes, columns, parameters) for step in steps]
    for (first, second), (one, two) in zip(whole, pieces, strict=True):
        assert one == pytest.approx(first)
        assert two == pytest.approx(second)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 50.0])
def test_parameters_as_scikit_learn_finds_them(scale):
    features, classes = noisy(scale=scale)
    ours, size = fitted(features, classes, ALL, penalty=0.5), scale_of(features)
    theirs = LogisticRegression(C=2.0, tol=1e-9, max_iter=2000).fit(features * size, classes)
    assert ours.converged
    assert ours.parameters[:-1] / size == pytest.approx(theirs.coef_.T, abs=1e-4)
    assert ours.parameters[-1] == pytest.approx(theirs.intercept_, abs=1e-4)
    hits, asked = right(features, classes, ALL, ours.parameters)
    assert hits / asked == theirs.score(features * size, classes)


def test_every_pair_as_if_by_itself():
    features, classes = noisy(n=300)
    pairs, size = pairs_of(ALL), scale_of(features)
    ours = fitted(features, classes, pairs)
    hits, asked = right(features, classes, pairs, ours.parameters)
    for number, pair in enumerate(pairs):
        own = np.isin(classes, pair)
        part, first = features[own] * size, classes[own] == pair[0]
        theirs = LogisticRegression(tol=1e-9, max_iter=2000).fit(part, first)
        assert ours.parameters[:-1, number] / size == pytest.approx(theirs.coef_[0], abs=2e-4)
        assert asked[number] == own.sum()
        assert hits[number] / asked[number] == theirs.score(part, first)


def test_ties_count_in_equal_parts():
    features, classes = sp.csr_array(np.ones((4, 1))), np.array([0, 1, 2, 7])
    parameters = np.array([[1.0, 1.0, 0.0], [0.0, 1e-9, 0.0]])  # 0 and 1 tie; 7 has no column
    assert [each.tolist() for each in right(features, classes, ALL, parameters)] == [[1.0], [4.0]]
    for one in (0, 1):  # by itself either is half right, whichever the last bits are for
        assert right(features[:1], np.array([one]), ALL, parameters)[0].tolist() == [0.5]
    nought = np.zeros((2, 3))
    hits, asked = right(features, classes, pairs_of(ALL), nought)
    assert hits.tolist() == [1.0, 1.0, 1.0]  # half of either row of a pair
    assert asked.tolist() == [2.0, 2.0, 2.0]


def test_no_rows():
    nothing, nobody = sp.csr_array((0, 4)), np.zeros(0, dtype=np.intp)
    for columns, problems in ((ALL, 1), (pairs_of(ALL), 3)):
        loss, gradient = loss_and_gradient(nothing, nobody, columns, np.ones((5, 3)))
        assert loss.tolist() == [0.0]
        assert not gradient.any()
        assert gradient.shape == (5, 3)
        hits, asked = right(nothing, nobody, columns, np.ones((5, 3)))
        assert hits.tolist() == asked.tolist() == [0.0] * problems


def test_scale_makes_the_spread_one():
    features = sp.csr_array(np.array([[1.0, 0.0], [3.0, 0.0], [2.0, 3.0], [2.0, -3.0]]))
    # The mean is (2, 0); squared distances 1, 1, 9, 9 have the mean 5.
    assert scale_of(features) == pytest.approx(1 / np.sqrt(5))
    assert scale_of(sp.csr_array(np.full((5, 1), 0.1))) == 1.0


def test_the_search_ends_when_it_is_told_to():
    features, classes = noisy()
    early = fitted(features, classes, ALL, max_rounds=3)
    assert not early.converged
    assert early.rounds < 3 + 20  # a step that was begun is ended
    assert np.isfinite(early.parameters).all()


def test_classes_that_never_meet_still_have_an_answer():
    features = sp.csr_array(np.array([[1.0, 0.0]] * 5 + [[0.0, 1.0]] * 5))
    classes = np.repeat([0, 1], 5)
    found = fitted(features, classes, np.arange(2))
    assert found.converged
    assert right(features, classes, np.arange(2), found.parameters)[0] == 10
