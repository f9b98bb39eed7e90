"""The estimator as a whole: exact where C is, near the planted truth, deterministic.

That several holders equal one, and how often they sum, is in `tests/learners/test_one_body.py`.
"""

import numpy as np
import pytest

import chatham as ch
from chatham.corpus.synthetic.corpora import synthetic_corpus
from chatham.corpus.synthetic.planting import planted_topics
from chatham.errors import InputError
from chatham.learners.anchor.conditional import Conditional
from chatham.learners.anchor.correlations import (
    anchor_correlations,
    dirichlet_prior,
    smallest_eigenvalue,
)
from chatham.learners.anchor.recover import recover
from chatham.learners.anchor.rectify import alternate
from chatham.learners.anchor.select import pivoted_qr
from chatham.numerics.threads import threads
from tests.conftest import matched_distance, plant
from tests.learners.anchor.drawn import INFERENCES, fitted, order_of

# Exact where C is


def noiseless(k=4, d=30, seed=0):
    """B (k×d) with an anchor for each topic, A of a Dirichlet, C = BᵀAB, the prior."""
    rng = np.random.default_rng(seed)
    topics, anchors = planted_topics(
        k, d, concentration=0.3, anchor_probability=0.05, random_state=seed
    )
    alpha = rng.uniform(0.05, 0.4, k)
    moments = (np.outer(alpha, alpha) + np.diag(alpha)) / (alpha.sum() * (alpha.sum() + 1))
    return topics, anchors, moments, topics.T @ moments @ topics, alpha


TIGHT = {"max_iter": 100_000, "tol": 1e-11}


@pytest.mark.parametrize("seed", range(2, 5))
@pytest.mark.parametrize(
    ("method", "tolerance", "settings"),
    [
        ("admm", 1e-9, {}),
        ("l2", 2e-3, {}),
        ("l2", 1e-6, TIGHT),
        ("kl", 1e-3, {}),
        ("kl", 1e-6, TIGHT),
        ("inverse", 1e-9, {}),
    ],
)
def test_a_noiseless_model_comes_back(seed, method, tolerance, settings):
    topics, anchors, moments, joint, alpha = noiseless(seed=seed)
    with threads(1):
        rectified = alternate(joint, 4).matrix
        words = Conditional(rectified)
        chosen = pivoted_qr(words, 4, np.ones(30, dtype=bool))[0]
        found = recover(words, chosen, method, **settings).topics
    np.testing.assert_allclose(rectified, joint, atol=1e-12)
    order = [int(np.flatnonzero(anchors == group[0])[0]) for group in chosen]
    assert sorted(order) == list(range(4))
    np.testing.assert_allclose(found, topics[order], rtol=0, atol=tolerance)
    correlations = anchor_correlations(rectified, found, chosen)
    truth = moments[np.ix_(order, order)]
    np.testing.assert_allclose(correlations, truth, rtol=0, atol=tolerance)
    assert correlations.min() >= 0
    assert smallest_eigenvalue(correlations) >= -1e-10
    np.testing.assert_allclose(dirichlet_prior(correlations), alpha[order], rtol=30 * tolerance)
    inverse = np.linalg.pinv(found.T)  # by all words instead of the anchors (Arora, section 3)
    by_all = inverse @ rectified @ inverse.T
    np.testing.assert_allclose(by_all, truth, rtol=0, atol=10 * tolerance)


# Near the truth


@pytest.fixture(scope="module")
def drawn():
    topics = planted_topics(5, 80, concentration=0.1, anchor_probability=0.02, random_state=1)
    prior = [0.1, 0.15, 0.2, 0.25, 0.3]
    return synthetic_corpus(topics, 1500, lengths=80, prior=prior, random_state=1)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"rectify": "none"},
        {"rectify": "diagonal"},
        {"recover": "l2"},
        {"recover": "kl"},
        {"recover": "inverse"},
        {"smoothing": 1e-5},
        {"anchors": "fast"},
        {"precision": "single"},
    ],
    ids=str,
)
def test_the_planted_model_is_found(drawn, settings):
    model = fitted(drawn, **settings)
    order = order_of(model, drawn)
    assert sorted(order) == list(range(5))
    assert matched_distance(model.components_, drawn.topics) < 0.1
    np.testing.assert_allclose(model.prevalence_, drawn.weights.mean(axis=0)[order], atol=0.03)
    truth = drawn.correlations[np.ix_(order, order)]
    np.testing.assert_allclose(model.correlations_, truth, atol=0.03)
    np.testing.assert_allclose(model.alpha_, np.array([0.1, 0.15, 0.2, 0.25, 0.3])[order], rtol=0.3)


def test_sweeps_come_closer_to_it(drawn):
    unrefined, refined = fitted(drawn), fitted(drawn, refine=20, beta=0.05)
    far, near = (
        matched_distance(model.components_, drawn.topics) for model in (unrefined, refined)
    )
    assert near < 0.7 * far
    assert (np.diff(refined.likelihood_) > -1e-4).all()
    assert len(refined.likelihood_) == 20
    assert len(unrefined.likelihood_) == 0
    order = order_of(refined, drawn)
    truth = drawn.correlations[np.ix_(order, order)]
    np.testing.assert_allclose(refined.correlations_, truth, atol=0.02)
    assert np.linalg.eigvalsh(refined.correlations_)[0] >= -1e-12
    assert refined.correlations_.sum() == pytest.approx(1)
    assert 0.7 < refined.alpha_.sum() < 1.5  # it was one


def test_the_anchors_are_the_planted_ones_where_they_are_given(drawn):
    model = fitted(drawn, anchors=drawn.anchors)
    assert (model.anchors_ == drawn.anchors[order_of(model, drawn)]).all()
    assert matched_distance(model.components_, drawn.topics) < 0.07


@pytest.mark.parametrize("inference", INFERENCES)
def test_weights_are_near_those_that_documents_were_drawn_from(drawn, inference):
    model = fitted(drawn, inference=inference)
    weights = model.transform(drawn.corpus.counts[:300])
    assert weights.min() >= 0
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-9)
    far = np.abs(weights - drawn.weights[:300][:, order_of(model, drawn)]).sum(axis=1).mean()
    assert far < {"spi": 0.5, "tli": 0.3}.get(inference, 0.22)


def test_the_anchor_of_each_topic_goes_with_it(drawn):
    model = fitted(drawn)
    among = model.components_[:, model.anchors_]
    assert (among[~np.eye(5, dtype=bool)] == 0).all()
    assert (np.diag(among) > 0).all()
    assert (np.diff(model.prevalence_) <= 0).all()
    # Eq. 2.5 in the order of the topics: each of alpha, anchors and correlations was put in it.
    counted = fitted(drawn, keep_cooccurrence=True).cooccurrence_
    joint = alternate(counted, 5, max_iter=model.n_iter_, tol=0).matrix
    np.testing.assert_allclose(
        model.correlations_,
        joint[np.ix_(model.anchors_, model.anchors_)] / np.outer(np.diag(among), np.diag(among)),
        rtol=1e-9,
    )
    np.testing.assert_allclose(model.alpha_, dirichlet_prior(model.correlations_), rtol=1e-9)
    np.testing.assert_allclose(
        model.prevalence_, model.correlations_.sum(axis=1) / model.correlations_.sum(), rtol=1e-9
    )


def test_smoothing_is_that_of_the_anchors_rows(drawn):
    model = fitted(drawn, smoothing=0.01, keep_cooccurrence=True)
    rectified = alternate(model.cooccurrence_, 5, max_iter=model.n_iter_, tol=0)
    words = Conditional(rectified.matrix)
    wanted = recover(words, model.anchor_groups_, smoothing=0.01).topics
    np.testing.assert_allclose(model.components_, wanted, atol=1e-9)
    assert np.abs(wanted - recover(words, model.anchor_groups_).topics).max() > 1e-3


def test_the_dual_is_in_the_order_of_the_topics(drawn):
    from chatham.learners.inference.padd import learn_dual

    model = fitted(drawn, inference="padd")
    commons = ch.Alone(drawn.corpus.counts)
    with commons.fitting():
        dual = learn_dual(commons, model.components_, model.correlations_)
    np.testing.assert_allclose(model.dual_, dual, rtol=1e-6, atol=1e-9)


# Deterministic


@pytest.mark.parametrize("settings", [{}, {"refine": 5}, {"inference": "padd"}], ids=str)
def test_no_bit_depends_on_threads_or_seed(drawn, settings):
    first = fitted(drawn, **settings)
    for other in (
        fitted(drawn, **settings),
        fitted(drawn, **settings, n_jobs=2),
        fitted(drawn, **{**settings, "random_state": 7}),
    ):
        for name in ("components_", "prevalence_", "correlations_", "alpha_", "dual_", "anchors_"):
            assert getattr(first, name).tobytes() == getattr(other, name).tobytes()
        rows = drawn.corpus.counts[:100]
        assert first.transform(rows).tobytes() == other.transform(rows).tobytes()


@pytest.mark.parametrize(
    "settings", [{"anchors": "fast"}, {"anchors": "pca"}, {"rectify": "diagonal"}], ids=str
)
def test_a_seed_says_it_all(drawn, settings):
    one, again, threaded = (fitted(drawn, **settings, n_jobs=n) for n in (None, None, 2))
    assert one.components_.tobytes() == again.components_.tobytes()
    assert one.components_.tobytes() == threaded.components_.tobytes()


@pytest.mark.parametrize("seed", range(3))
def test_long_documents_say_more_than_short_ones(seed):
    """Half of them have 3 words, half 120: alike, the short ones' noise is most of what counts."""
    topics, _ = planted_topics(10, 300, concentration=0.1, anchor_probability=0.02,
                               random_state=seed)  # fmt: skip
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(10, 0.15), 2000)
    lengths = np.where(rng.random(2000) < 0.5, 3, 120)
    rows = [rng.multinomial(n, p) for n, p in zip(lengths, weights @ topics, strict=True)]
    settings = [{"mean_over": "documents"}, {}, {"mean_over": "documents", "min_length": 10}]
    alike, usual, long_ones = (
        matched_distance(
            ch.AnchorWords(10, refine=0, random_state=0, **more).fit(rows).components_, topics
        )
        for more in settings
    )
    assert usual < alike / 2
    assert long_ones < alike / 2


def test_fast_anchors_are_those_of_the_projection_that_is_asked_for():
    """With as many dimensions as words nothing is projected; with few, seed and kind matter."""
    counts = plant(n=60, d=60, k=5, length=20)[0]

    def anchors(seed=0, **settings):
        settings = {
            "anchors": "fast",
            "min_anchor_df": 1,
            "rectify": "none",
            "refine": 0,
        } | settings
        return tuple(ch.AnchorWords(12, random_state=seed, **settings).fit(counts).anchors_)

    assert anchors() == anchors(fast_dimensions=60) == anchors(fast_projection="sparse")
    few = {
        kind: {anchors(seed, fast_dimensions=15, fast_projection=kind) for seed in range(4)}
        for kind in ("gaussian", "sparse")
    }
    assert all(len(each) > 1 for each in few.values())
    assert few["gaussian"] != few["sparse"]


def test_correlations_by_least_squares_are_those_of_all_pairs(drawn):
    model = fitted(drawn, correlations="least-squares")
    truth = drawn.weights.T @ drawn.weights / len(drawn.weights)
    order = order_of(model, drawn)
    found = model.correlations_
    assert found.sum() == pytest.approx(1)
    error = np.linalg.norm(found - truth[np.ix_(order, order)]) / np.linalg.norm(truth)
    assert error < 0.15
    assert np.abs(found - fitted(drawn).correlations_).max() > 1e-4
    np.testing.assert_allclose(model.prevalence_, found.sum(axis=1), atol=1e-9)
    with pytest.raises(InputError, match=r"correlations='least-squares'.*refine=0"):
        ch.AnchorWords(4, correlations="least-squares").fit(drawn.corpus.counts)
