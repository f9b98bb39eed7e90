"""`score`: documents that a model hasn't seen, so that grid searches need no labels."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import chatham as ch
from chatham.errors import InputError
from chatham.learners.held_out import halves
from tests.conftest import plant
from tests.learners.test_estimators import instances, learners


@pytest.fixture(scope="module")
def counts():
    return plant(n=300, d=40, k=4, length=60)[0]


@pytest.mark.parametrize("estimator", instances(), ids=repr)
def test_the_score_is_finite_and_no_order_changes_it(estimator, counts):
    estimator.set_params(n_components=4, random_state=0).fit(counts[:200])
    unseen = counts[200:]
    score = estimator.score(unseen, np.arange(100))
    assert isinstance(score, float)
    assert np.isfinite(score)
    order = np.random.default_rng(0).permutation(100)
    assert estimator.score(sp.csr_array(unseen)[order]) == pytest.approx(score, rel=1e-9)
    assert estimator.score(unseen.toarray()) == score


@pytest.mark.parametrize("learner", [ch.KMeans, ch.NMF, ch.PLSA, ch.LDA])
def test_it_is_the_measure_called_completion(learner, counts):
    words = [f"w{word}" for word in range(40)]
    model = ch.TopicModel(learner(4, random_state=0).fit(counts[:200]), words)
    held_out = ch.Corpus(counts[200:], words)
    table = ch.evaluate(model, measures=["completion"], held_out=held_out)
    assert model.estimator.score(counts[200:]) == pytest.approx(table["value"].item(), rel=1e-9)


def test_it_is_the_mean_log_probability_of_hidden_tokens():
    plsa = ch.PLSA(2)
    plsa.components_ = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.25, 0.75]])
    plsa.prevalence_, plsa.n_features_in_ = np.array([0.5, 0.5]), 4
    rows = np.array([[9, 9, 0, 0], [0, 0, 9, 9]])
    hidden = halves(rows)[1].toarray()
    logs = np.log(0.99 * plsa.components_ + 0.01 / 4)  # each document is all of one topic
    assert plsa.score(rows) == pytest.approx((hidden * logs).sum() / hidden.sum(), rel=1e-6)


@pytest.mark.parametrize("learner", [ch.LDA, ch.NMF, ch.PLSA])
def test_a_grid_search_without_labels_finds_how_many_topics_were_planted(learner):
    counts = plant(n=400, d=60, k=4, length=80, concentration=0.05)[0]
    short = {"max_iter": 60} if learner is ch.LDA else {}
    search = GridSearchCV(
        learner(random_state=0, **short), {"n_components": [1, 2, 4, 12]}, cv=3, error_score="raise"
    ).fit(counts)
    assert search.best_params_ == {"n_components": 4}


def test_a_grid_search_goes_through_a_pipeline(counts):
    pipeline = make_pipeline(TfidfTransformer(), ch.NMF(random_state=0))
    grid = {"nmf__n_components": [1, 4]}
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(counts)
    assert search.best_params_ == {"nmf__n_components": 4}


def test_directions_explain_a_share_and_hidden_ratings_have_an_error():
    rng = np.random.default_rng(0)
    rows = rng.random((60, 3)) @ rng.random((3, 20))
    assert ch.SVD(3, random_state=0).fit(rows).score(rows) == pytest.approx(1.0)
    one = ch.SVD(1, random_state=0).fit(rows)
    explained = one.transform(rows) @ one.components_
    expected = 1 - ((rows - explained) ** 2).sum() / (rows**2).sum()
    assert one.score(rows) == pytest.approx(expected)
    ratings = sp.csr_array(rows * (rng.random((60, 20)) < 0.7))
    nmf = ch.NMF(3, constraint="none", missing="unobserved", random_state=0).fit(ratings)
    assert -0.05 < nmf.score(ratings) < 0
    assert nmf.score(3 * ratings) < nmf.score(ratings)


@pytest.mark.parametrize("learner", learners(), ids=lambda c: c.__name__)
def test_what_has_no_halves_is_refused(learner, counts):
    fitted = learner(2, random_state=0).fit(counts)
    with pytest.raises(InputError, match="can't be scored"):
        fitted.score(np.zeros((3, 40)))
    with pytest.raises(InputError, match="score takes a matrix, not a commons"):
        fitted.score(ch.Alone(counts))
