"""PLSA: Algorithm 3 to the letter, a likelihood that never falls, agreement with KL-NMF."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn import decomposition

import chatham as ch
from chatham.errors import InputError
from tests.conftest import matched_distance, plant


def expected_counts(rows, weights, topics):
    """X·P(z|i,j) for all pairs."""
    joint = weights[:, :, None] * topics[None, :, :]
    return rows[:, None, :] * joint / joint.sum(axis=1, keepdims=True)


def algorithm_3(rows, topics, iterations):
    """EM to the letter, with the E-step before each M-step and the pseudo-count on topics."""
    weights = np.full((len(rows), len(topics)), 1 / len(topics))
    for _ in range(iterations):
        weights = expected_counts(rows, weights, topics).sum(axis=2)
        weights /= rows.sum(axis=1, keepdims=True)
        topics = expected_counts(rows, weights, topics).sum(axis=0) + 1e-6
        topics /= topics.sum(axis=1, keepdims=True)
    return topics


def test_is_algorithm_3():
    counts = plant(n=40, d=20, k=3)[0]
    rows = counts.toarray() / counts.sum(axis=1)[:, None]
    start = np.random.default_rng(0).dirichlet(np.ones(20), 3)
    expected = algorithm_3(rows, (start + 1e-6) / (start + 1e-6).sum(axis=1, keepdims=True), 7)
    model = ch.PLSA(3, init=start, max_iter=7, tol=0).fit(counts)
    assert matched_distance(model.components_, expected) < 1e-11


@pytest.mark.parametrize("seed", range(3))
def test_the_likelihood_never_falls(seed, planted):
    model = ch.PLSA(6, random_state=seed, max_iter=150, tol=0).fit(planted[0])
    assert (np.diff(model.objective_) >= -1e-9).all()


def test_the_objective_is_the_log_likelihood_with_its_pseudo_count():
    counts = plant(n=30, d=15, k=3)[0]
    rows = counts.toarray() / counts.sum(axis=1)[:, None]
    start = np.random.default_rng(0).dirichlet(np.ones(15), 3)
    model = ch.PLSA(3, init=start, max_iter=1).fit(counts)
    begun = (start + 1e-6) / (start + 1e-6).sum(axis=1, keepdims=True)
    weights = expected_counts(rows, np.full((30, 3), 1 / 3), begun).sum(axis=2)
    likelihood = (rows * np.log(weights @ begun)).sum()
    assert model.objective_[0] == pytest.approx(likelihood + 1e-6 * np.log(begun).sum(), rel=1e-12)


def test_reaches_the_divergence_of_scikit_learns_kl_nmf():
    counts = plant(n=200, d=40, k=4)[0]
    rows = sp.csr_array(counts / counts.sum(axis=1)[:, None])
    start = np.random.default_rng(1).dirichlet(np.ones(40), 4)
    theirs = decomposition.NMF(
        4, init="custom", solver="mu", beta_loss="kullback-leibler", max_iter=2000, tol=0
    )
    weights = theirs.fit_transform(rows, W=np.full((200, 4), 0.25), H=start.copy())
    scale = theirs.components_.sum(axis=1)
    weights = weights * scale / (weights * scale).sum(axis=1, keepdims=True)
    fit = weights @ (theirs.components_ / scale[:, None])
    likelihood = (rows.toarray() * np.log(np.maximum(fit, 1e-300))).sum()
    ours = ch.PLSA(4, init=start, max_iter=2000, tol=0).fit(counts)
    assert ours.objective_[-1] >= likelihood - 1e-3 * abs(likelihood)


def test_planted_topics_are_recovered():
    counts, topics, _ = plant(n=1500, length=200, concentration=0.08)
    model = ch.PLSA(5, random_state=0, tol=1e-7).fit(counts)
    assert matched_distance(model.components_, topics) < 0.1


def test_begins_from_another_model(planted):
    counts = planted[0]
    other = ch.KMeans(5, random_state=0).fit(counts)
    warm = ch.PLSA(5, init=other, max_iter=15).fit(counts)
    cold = ch.PLSA(5, random_state=0, max_iter=15).fit(counts)
    assert warm.objective_[0] > cold.objective_[0]
    assert np.array_equal(
        warm.components_, ch.PLSA(5, init=other.components_, max_iter=15).fit(counts).components_
    )


def test_transform_finds_the_likeliest_weights():
    counts, _, _ = plant(n=60, d=20, k=3)
    model = ch.PLSA(3, random_state=0, max_iter=500).fit(counts)
    rows = counts.toarray() / counts.sum(axis=1)[:, None]
    weights = model.transform(counts)

    def loss(free, row):
        shares = np.exp(free - free.max())
        return -(row * np.log(shares / shares.sum() @ model.components_)).sum()

    for row, found in zip(rows[:10], weights[:10], strict=True):
        best = minimize(loss, np.zeros(3), args=(row,), method="BFGS").fun
        assert -(row * np.log(found @ model.components_)).sum() <= best + 1e-4


def test_transform_meets_the_conditions_of_the_maximum():
    """At the maximum Σ x T/(wT) is one for every topic in use, and at most one for the others."""
    counts = plant(n=200, d=60, k=5)[0]
    model = ch.PLSA(12, random_state=0, max_iter=300).fit(counts)
    rows = counts.toarray() / counts.sum(axis=1)[:, None]
    pull = (rows / (model.transform(counts) @ model.components_)) @ model.components_.T
    assert pull.max() - 1 < 1e-4


def test_wrong_starts_are_named():
    with pytest.raises(InputError, match="'init' parameter of PLSA must be one of"):
        ch.PLSA(2, init="nndsvd").fit(np.ones((4, 3)))
    with pytest.raises(InputError, match=r"\(2, 3\)"):
        ch.PLSA(2, init=np.ones((2, 5))).fit(np.ones((4, 3)))


@pytest.mark.parametrize(("k", "d", "apart"), [(4, 50, 0.02), (10, 200, 0.01), (10, 200, 1.0)])
def test_new_documents_get_the_most_likely_weights_also_of_topics_that_are_alike(k, d, apart):
    rng = np.random.default_rng(0)
    kinds = rng.dirichlet(np.full(d, 0.1), 3)[rng.integers(0, 3, k)]
    topics = np.abs(kinds * (1 + apart * rng.standard_normal((k, d)))) + 1e-6
    topics /= topics.sum(axis=1, keepdims=True)
    counts = np.array([rng.multinomial(60, w @ topics) for w in rng.dirichlet([0.3] * k, 30)])
    plsa = ch.PLSA(k)
    plsa.components_, plsa.n_features_in_, plsa.prevalence_ = topics, d, np.full(k, 1 / k)
    weights = plsa.transform(counts)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    shares = counts / counts.sum(axis=1, keepdims=True)
    slopes = (shares / (weights @ topics)) @ topics.T  # the likelihood is concave in weights
    assert (slopes.max(axis=1) - (slopes * weights).sum(axis=1)).max() < 1e-6
    for row, found in zip(shares[:5], weights, strict=False):
        best = np.full(k, 1 / k)
        for _ in range(20_000):  # plain EM
            best *= topics @ (row / (best @ topics))
        assert row @ np.log(found @ topics) > row @ np.log(best @ topics) - 1e-6
