"""k-means: Lloyd's algorithm against scikit-learn's, its starts against their definitions."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats
from sklearn.cluster import KMeans as SklearnKMeans

import chatham as ch
from chatham.errors import InputError
from chatham.learners.beginnings import chosen
from chatham.learners.kmeans import next_centre
from tests.conftest import matched_distance, plant, split


def frequencies(counts):
    rows = counts.toarray().astype(float)
    return rows / np.maximum(rows.sum(axis=1, keepdims=True), 1)


def test_equals_scikit_learns_lloyd_from_the_same_start():
    counts = plant(n=200, d=30, k=4)[0]
    rows = frequencies(counts)
    start = rows[[3, 50, 90, 160]]
    theirs = SklearnKMeans(4, init=start, n_init=1, algorithm="lloyd", tol=0, max_iter=300)
    theirs.fit(rows)
    ours = ch.KMeans(4, init=start, tol=0).fit(counts)
    assert ours.objective_[-1] == pytest.approx(theirs.inertia_, rel=1e-10)
    assert matched_distance(ours.components_, theirs.cluster_centers_) < 1e-10


@pytest.mark.parametrize("init", ["random", "greedy", "k-means++"])
@pytest.mark.parametrize("loss", ["absolute", "relative"])
def test_the_objective_never_rises(init, loss, planted):
    model = ch.KMeans(6, init=init, loss=loss, random_state=1, tol=0).fit(planted[0])
    assert (np.diff(model.objective_) <= 1e-12).all()
    rows = frequencies(planted[0])
    weights = model.transform(planted[0])
    # The empty document, row 7, is outside the objective.
    errors = ((rows - weights @ model.components_) ** 2).sum(axis=1)
    if loss == "relative":
        errors /= np.maximum((rows**2).sum(axis=1), 1e-300)
    by_definition = np.delete(errors, 7).sum()
    assert model.objective_[-1] == pytest.approx(by_definition, rel=1e-9)


def test_planted_clusters_are_recovered():
    rng = np.random.default_rng(0)
    topics = plant()[1]
    labels = rng.integers(0, 5, 400)
    counts = np.array([rng.multinomial(150, topics[label]) for label in labels])
    model = ch.KMeans(5, random_state=0).fit(counts)
    assert matched_distance(model.components_, topics) < 0.12
    found = model.transform(counts).argmax(axis=1)
    table = np.zeros((5, 5))
    np.add.at(table, (labels, found), 1)
    assert (table.max(axis=1) == table.sum(axis=1)).all()


def test_greedy_picks_the_farthest_document(planted):
    counts = planted[0]
    rows = frequencies(counts)
    topics = np.empty((0, counts.shape[1]))
    for _ in range(4):
        slots = ch.Simulated(split(counts, 3)).sum(next_centre, topics, 9, True, False)
        picked = chosen(slots)
        if len(topics):
            distances = ((rows[:, None] - topics[None]) ** 2).sum(axis=2).min(axis=1)
            distances[7] = -1
            np.testing.assert_allclose(picked, rows[distances.argmax()])
        topics = np.vstack([topics, picked])


def test_plus_plus_draws_in_proportion_to_squared_distance():
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.ones(6) * 0.5, 12)
    first = rows[:1]
    commons = ch.Simulated([rows[:5], rows[5:]])
    draws = np.zeros(12)
    for seed in range(3000):
        picked = chosen(commons.sum(next_centre, first, seed, False, False))
        draws[np.abs(rows - picked).sum(axis=1).argmin()] += 1
    expected = ((rows - first) ** 2).sum(axis=1)
    assert draws[0] == 0
    expected = expected[1:] / expected.sum() * 3000
    assert stats.chisquare(draws[1:], expected).pvalue > 1e-3


def test_an_empty_topic_begins_anew_from_the_farthest_document():
    counts = plant(n=60, d=20, k=3)[0]
    start = frequencies(counts)[:3]
    start[2] = 0.0
    start[2, 0] = 50.0  # far from every document
    with pytest.warns(UserWarning, match="1 of 3 topics were left without documents"):
        model = ch.KMeans(3, init=start).fit(counts)
    assert model.revived_[0][0] == 1
    assert (model.transform(counts).sum(axis=0) > 0).all()


def test_more_topics_than_distinct_documents_ends():
    rows = np.repeat(np.eye(3), 4, axis=0)
    with pytest.warns(UserWarning, match="were restarted"):
        model = ch.KMeans(5, random_state=0).fit(rows)
    assert model.objective_[-1] == pytest.approx(0, abs=1e-12)


def test_the_random_start_does_not_depend_on_the_order_of_rows(planted):
    counts = planted[0]
    order = np.random.default_rng(0).permutation(counts.shape[0])
    settings = {"init": "random", "random_state": 0, "max_iter": 1}
    straight = ch.KMeans(4, **settings).fit(counts)
    mixed = ch.KMeans(4, **settings).fit(sp.csr_array(counts[order]))
    np.testing.assert_allclose(straight.components_, mixed.components_, atol=1e-12)


def test_wrong_starts_are_named():
    with pytest.raises(InputError, match="'init' parameter of KMeans must be one of"):
        ch.KMeans(2, init="far").fit(np.ones((4, 3)))
