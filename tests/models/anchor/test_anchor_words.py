"""The estimator as a whole: exact where C is, near the planted truth, deterministic, never silent.

That several holders equal one, and how often they sum, is in `tests/models/test_one_body.py`.
"""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.corpus.planting import planted_topics
from chatham.corpus.synthetic import synthetic_corpus
from chatham.models.anchor.conditional import Conditional
from chatham.models.anchor.correlations import (
    anchor_correlations,
    dirichlet_prior,
    least_squares_correlations,
    smallest_eigenvalue,
)
from chatham.models.anchor.recover import recover
from chatham.models.anchor.rectify import alternate
from chatham.models.anchor.select import pivoted_qr
from chatham.numerics.threads import threads
from tests.conftest import matched_distance, plant, split

INFERENCES = ["posterior", "padd", "spi", "tli", "least-squares"]


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
    np.testing.assert_allclose(
        least_squares_correlations(rectified, found), truth, rtol=0, atol=10 * tolerance
    )


# Near the truth


@pytest.fixture(scope="module")
def drawn():
    topics = planted_topics(5, 80, concentration=0.1, anchor_probability=0.02, random_state=1)
    prior = [0.1, 0.15, 0.2, 0.25, 0.3]
    return synthetic_corpus(topics, 1500, lengths=80, prior=prior, random_state=1)


def fitted(drawn, k=5, **settings):
    settings = {"refine": 0, "min_anchor_df": 0.02, "random_state": 0, **settings}
    return ch.AnchorWords(k, **settings).fit(drawn.corpus.counts)


def order_of(model, drawn):
    return np.abs(model.components_[:, None] - drawn.topics[None]).sum(axis=2).argmin(axis=1)


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
    joint = alternate(fitted(drawn, keep_cooccurrence=True).cooccurrence_, 5).matrix
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
    words = Conditional(alternate(model.cooccurrence_, 5).matrix)
    wanted = recover(words, model.anchor_groups_, smoothing=0.01).topics
    np.testing.assert_allclose(model.components_, wanted, atol=1e-9)
    assert np.abs(wanted - recover(words, model.anchor_groups_).topics).max() > 1e-3


def test_the_dual_is_in_the_order_of_the_topics(drawn):
    from chatham.models.inference.padd import learn_dual

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


# Words and documents


@pytest.mark.parametrize("inference", INFERENCES)
@pytest.mark.parametrize("refine", [0, 3])
def test_words_that_never_occurred_say_nothing(refine, inference):
    counts = sp.lil_array(plant(n=120, d=30, k=3)[0])
    counts[:, 4] = 0
    model = ch.AnchorWords(3, refine=refine, inference=inference, min_anchor_df=1)
    model.fit(sp.csr_array(counts))
    assert model.components_.sum(axis=1) == pytest.approx(1)
    assert 4 not in model.anchors_
    if refine == 0:
        assert (model.components_[:, 4] == 0).all()
        rows = np.zeros((3, 30))
        rows[1:, 4], rows[2, :3] = 5, 40
        nothing, unknown, mixed = model.transform(rows)
        np.testing.assert_allclose(nothing, model.prevalence_)
        np.testing.assert_allclose(unknown, model.prevalence_)
        assert mixed.sum() == pytest.approx(1)


def test_short_and_empty_documents_take_no_part_in_the_co_occurrence():
    counts = plant(n=120, d=30, k=3)[0]
    short = sp.csr_array(np.vstack([np.eye(30), np.zeros((4, 30)), np.full((1, 30), 0.01)]))
    settings = {"refine": 0, "min_anchor_df": 0.02}
    plain = ch.AnchorWords(3, **settings).fit(counts)
    padded = ch.AnchorWords(3, **settings).fit(sp.csr_array(sp.vstack([counts, short])))
    np.testing.assert_allclose(padded.components_, plain.components_, atol=1e-12)
    refined = ch.AnchorWords(3, refine=4).fit(sp.csr_array(sp.vstack([counts, short])))
    assert np.isfinite(refined.likelihood_).all()


def test_fractional_counts_are_learned_from():
    counts, truth, _ = plant(n=300, d=30, k=3)
    model = ch.AnchorWords(3, refine=0, min_anchor_df=0.05).fit(counts * 0.37)
    assert matched_distance(model.components_, truth) < 0.35
    refined = ch.AnchorWords(3, refine=10, min_anchor_df=0.05).fit(counts * 0.37)
    assert matched_distance(refined.components_, truth) < 0.25


def test_the_co_occurrence_is_kept_on_request_only():
    counts = plant(n=60, d=20, k=3)[0]
    model = ch.AnchorWords(3, refine=0, keep_cooccurrence=True).fit(counts)
    kept = model.cooccurrence_
    assert kept.shape == (20, 20)
    assert kept.sum() == pytest.approx(1)
    assert (kept == kept.T).all()
    model.set_params(keep_cooccurrence=False).fit(counts[:30])
    assert not hasattr(model, "cooccurrence_")


def test_another_inference_may_be_chosen_afterwards(drawn):
    model, rows = fitted(drawn), drawn.corpus.counts[:50]
    for inference in ("spi", "tli", "least-squares", "posterior"):
        model.set_params(inference=inference)
        wanted = fitted(drawn, inference=inference).transform(rows)
        assert model.transform(rows).tobytes() == wanted.tobytes()
    model.set_params(inference="padd")
    with pytest.warns(UserWarning, match="PADD is least squares; if this model was fitted for"):
        weights = model.transform(rows)
    model.set_params(inference="least-squares")
    np.testing.assert_allclose(weights, model.transform(rows), atol=1e-12)


def test_a_new_fit_forgets_the_old_inference(drawn):
    model = fitted(drawn, inference="tli")
    model.transform(drawn.corpus.counts[:5])
    counts = plant(n=120, d=80, k=5, seed=3)[0]
    wanted = fitted(drawn, inference="tli").fit(counts).transform(counts)
    assert model.fit(counts).transform(counts).tobytes() == wanted.tobytes()


def test_projections_are_counted(drawn):
    model = fitted(drawn, max_iter=4, tol=0)
    assert model.n_iter_ == 4
    assert len(model.objective_) == 3
    assert fitted(drawn, max_iter=1).n_iter_ == 1
    patient = fitted(drawn, max_iter=500, tol=1e-3)
    assert 1 < patient.n_iter_ < 100
    assert patient.objective_[-1] <= 1e-3
    assert fitted(drawn, rectify="none").n_iter_ == 1


def test_progress_is_told(drawn, capsys, caplog):
    fitted(drawn, max_iter=3, tol=0, refine=2, verbose=1)
    said = capsys.readouterr()
    assert "AnchorWords" in said.out + said.err + caplog.text


def test_a_hierarchy_of_the_topics(drawn):
    model = fitted(drawn)
    (level,) = model.hierarchy([2]).levels
    assert level.topics.shape == (2, 5)
    np.testing.assert_allclose(level.topics.sum(axis=1), 1)


def test_measures_and_tables_take_it(drawn):
    model = ch.fit("anchor", drawn.corpus, n_components=5, refine=3, min_anchor_df=0.02)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = ch.evaluate(model, drawn.corpus)
    assert {"npmi", "frobenius", "log_likelihood", "specificity"} <= set(scores["measure"])
    assert np.isfinite(scores["value"].astype(float)).all()
    assert len(model.topic_info()) == 5


def test_the_smallest_eigenvalue_is_told():
    counts = plant(n=200)[0]
    model = ch.AnchorWords(5, refine=0, min_anchor_df=0.02).fit(counts)
    expected = np.linalg.eigvalsh(model.correlations_)[0]
    assert model.smallest_eigenvalue_ == pytest.approx(expected, abs=1e-12)
    # Refined correlations are means of wwᵀ, so they have no negative eigenvalue.
    assert ch.AnchorWords(5, refine=3).fit(counts).smallest_eigenvalue_ >= -1e-12


def test_holders_equal_pooled_in_single_precision_too():
    """Sums cross in double precision, so that what is rounded afterwards is the same."""
    counts = plant(n=300)[0]
    settings = {"refine": 0, "min_anchor_df": 0.02, "precision": "single"}
    alone = ch.AnchorWords(5, **settings).fit(counts)
    for holders in (3, 9):
        several = ch.AnchorWords(5, **settings).fit(ch.Simulated(split(counts, holders)))
        assert several.anchors_.tolist() == alone.anchors_.tolist()
        np.testing.assert_allclose(several.components_, alone.components_, atol=1e-8)
