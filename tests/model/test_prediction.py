"""Predictions of cells that nobody stored, from models to which these are unknown."""

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.errors import InputError

K, N, D = 2, 60, 25


@pytest.fixture(scope="module")
def ratings():
    """Ratings of rank two, half of them known, and the others."""
    rng = np.random.default_rng(3)
    full = rng.gamma(2.0, 1.0, (N, K)) @ rng.gamma(2.0, 1.0, (K, D)) + 0.5
    known = rng.random(full.shape) < 0.5
    known[0] = False
    rows, columns = np.nonzero(known)
    return full, sp.csr_array((full[known], (rows, columns)), shape=full.shape), ~known


def words(d=D):
    return [f"film {j:02}" for j in range(d)]


@pytest.fixture(scope="module")
def model(ratings):
    return ch.fit("nmf", ratings[1], vocabulary=words(), n_components=3, constraint="none",
                  missing="unobserved", max_iter=3000, tol=0, random_state=0,
                  l2_weights=0, l2_topics=0)  # fmt: skip


def wanted(mask):
    rows, columns = np.nonzero(mask)
    return sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=mask.shape)


def test_unknown_cells_of_low_rank_come_back(ratings, model):
    full, known, unknown = ratings
    unknown = unknown.copy()
    unknown[0] = False
    found = model.predict(known, wanted(unknown)).toarray()
    assert np.sqrt(np.mean((found - full)[unknown] ** 2)) < 0.05 * full[unknown].std()


def test_predictions_are_coordinates_times_topics(ratings, model):
    _, known, _ = ratings
    estimator = model.estimator
    product = estimator.transform(known) @ estimator.components_
    found = model.predict(known)
    rows = np.repeat(np.arange(N), np.diff(found.indptr))
    np.testing.assert_allclose(found.data, product[rows, found.indices], rtol=1e-12)


@pytest.mark.parametrize("constraint", ["none", "simplex"])
def test_predictions_are_in_the_documents_own_scale(ratings, constraint):
    """Twice the stars, twice the predictions."""
    _, known, _ = ratings
    model = ch.fit("nmf", known, vocabulary=words(), n_components=2, constraint=constraint,
                   missing="unobserved", max_iter=50, random_state=0)  # fmt: skip
    one, two = model.predict(known).data, model.predict(2 * known).data
    np.testing.assert_allclose(two, 2 * one, rtol=1e-6)
    assert one.mean() == pytest.approx(known.data.mean(), rel=0.5)


def test_ratings_are_no_words_and_so_not_weighted(ratings):
    corpus = ch.Corpus(ratings[1], words())
    model = ch.fit("nmf", corpus, n_components=2, constraint="none", missing="unobserved")
    assert model.vectorizer is None
    weighted = ch.fit("nmf", corpus, n_components=2, constraint="none", missing="unobserved",
                      weighting="tfidf", max_iter=500)  # fmt: skip
    assert weighted.predict(corpus).data.mean() == pytest.approx(ratings[1].data.mean(), rel=0.1)


def test_recommended_are_the_best_of_the_others(ratings, model):
    _, known, unknown = ratings
    corpus = ch.Corpus(known, words(), ids=[f"user {row}" for row in range(N)])
    table = model.recommend(corpus, 3)
    assert list(table) == ["id", "rank", "word", "predicted"]
    assert "user 0" not in set(table["id"])  # who rated nothing
    assert len(table) == 3 * (N - 1)
    predicted = model.estimator.transform(known) @ model.estimator.components_
    for row in (1, 17, 59):
        own = table[table["id"] == f"user {row}"]
        values = np.where(unknown[row], predicted[row], -np.inf)
        np.testing.assert_allclose(own["predicted"], np.sort(values)[::-1][:3])
        assert all(unknown[row, words().index(word)] for word in own["word"])


def test_who_rated_nothing_has_no_predictions(ratings, model):
    cells = wanted(ratings[2])
    found = model.predict(ratings[1], cells)
    assert np.isnan(found.data[: found.indptr[1]]).all()
    assert np.isfinite(found.data[found.indptr[1] :]).all()


def test_where_there_is_nothing_to_predict_it_is_said(ratings):
    model = ch.fit("nmf", ratings[1], vocabulary=words(), n_components=2, random_state=0)
    for call in (model.predict, model.recommend):
        with pytest.raises(
            InputError, match=r"takes cells that aren't stored as zeros.*unobserved"
        ):
            call(ratings[1])


@pytest.mark.parametrize("cells", [np.ones((N, D)), sp.csr_array((N, D + 1)), "all"])
def test_wanted_cells_are_a_matrix_of_the_same_shape(ratings, model, cells):
    with pytest.raises(InputError, match="sparse matrix with 60 rows and 25 columns"):
        model.predict(ratings[1], cells)
