"""Where NMF begins, and the error that it comes to beside scikit-learn's from the same start."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import decomposition
from sklearn.decomposition._nmf import _initialize_nmf

import chatham as ch
from chatham.commons import Alone
from chatham.learners.nmf.problem import Problem
from chatham.learners.nmf.start import nndsvd_start, random_start, singular_vectors
from tests.conftest import plant

PLAIN = Problem("nonnegative", 0.0, 0.0, unobserved=False, relative=False)


@pytest.mark.parametrize("schedule", ["block", "interleaved"])
def test_error_is_that_of_scikit_learn_from_the_same_start(schedule):
    counts = sp.csr_array(plant(n=400, d=120, k=8)[0].astype(float))
    commons = Alone(counts)
    seed = int(np.random.RandomState(0).randint(2**31 - 1))  # what random_state=0 begins from
    start = nndsvd_start(commons, 8, seed, PLAIN)
    weights = np.maximum(commons._memory["start"] * start.scale, 0)
    theirs = decomposition.NMF(8, init="custom", solver="cd", max_iter=300, tol=0)
    theirs.fit_transform(counts, W=weights, H=start.topics.copy())
    ours = ch.NMF(8, constraint="none", schedule=schedule, random_state=0, max_iter=300, tol=0).fit(
        counts
    )
    assert np.sqrt(2 * ours.objective_[-1]) <= 1.001 * theirs.reconstruction_err_


def test_nndsvd_equals_scikit_learns():
    rows = np.random.default_rng(0).poisson(1.0, (60, 14)).astype(float)
    commons = Alone(rows)
    start = nndsvd_start(commons, 5, 0, PLAIN)
    weights = np.maximum(commons._memory["start"] * start.scale, 0)
    w, h = _initialize_nmf(rows, 5, init="nndsvd", random_state=0)
    np.testing.assert_allclose(start.topics, h, atol=2e-6)  # theirs rounds below 1e-6 to zero
    np.testing.assert_allclose(weights, w, atol=2e-6)


@pytest.mark.filterwarnings("ignore:.*were restarted")
@pytest.mark.parametrize("constraint", ["simplex", "none"])
def test_more_topics_than_words_still_end(constraint):
    rows = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 1.0]])
    model = ch.NMF(5, constraint=constraint, random_state=0).fit(rows)
    assert model.components_.shape == (5, 2)
    assert np.isfinite(model.transform(rows)).all()
    assert model.objective_[-1] < 1e-3 * (rows**2).sum()


def test_singular_vectors_are_found_by_few_power_steps():
    rows = plant(n=300, d=120, k=6, length=300)[0].toarray().astype(float)
    values, vectors = singular_vectors(Alone(rows), 6, 0, PLAIN)
    exact = np.linalg.svd(rows)
    np.testing.assert_allclose(values, exact[1][:6], rtol=1e-6)
    assert np.abs((vectors * exact[2][:6].T).sum(axis=0)).min() > 1 - 1e-6


@pytest.mark.parametrize("unobserved", [False, True])
def test_random_start_is_scaled_to_fit_best(unobserved):
    rows = np.random.default_rng(0).poisson(1.0, (30, 14)).astype(float)
    commons = Alone(rows)
    start = random_start(commons, 3, 5, PLAIN._replace(unobserved=unobserved))
    model = (commons._memory["start"] * start.scale) @ start.topics
    model *= (rows > 0) if unobserved else 1.0
    best = (rows * model).sum() / (model * model).sum()
    assert best == pytest.approx(1, abs=1e-12)
