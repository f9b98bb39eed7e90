"""k-means between parties by default: what is told, how good it is, and what it says of itself."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.learners import noised_totals
from chatham.notes import IgnoredParametersWarning
from tests.conftest import matched_distance, plant, split
from tests.learners.spying import NEAR, parties, spied

SECRETS = [b"one", b"two", b"three"]


def planted_clusters(n=1200, d=200, k=5, length=150):
    """Documents of one topic each, and the topics."""
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(d, 0.1), k)
    labels = rng.integers(0, k, n)
    counts = np.array([rng.multinomial(length, topics[label]) for label in labels])
    return sp.csr_array(counts.astype(float)), topics, labels


def between(counts, holders=3, **more):
    return ch.Simulated(split(counts, holders), secure=True, secrets=SECRETS[:holders], **more)


def cosine_distance(model, counts):
    """1 − the mean cosine of documents and their topic."""
    rows = counts / np.sqrt(counts.multiply(counts).sum(axis=1))[:, None]
    topics = model.components_ / np.linalg.norm(model.components_, axis=1, keepdims=True)
    own = topics[model.transform(counts).argmax(axis=1)]
    return float(1 - (rows.toarray() * own).sum(axis=1).mean())


# What is told


def test_ten_rounds_and_sizes_are_all_that_is_told():
    counts = planted_clusters(n=300)[0]
    commons = ch.Recorded(between(counts))
    model = ch.KMeans(5, random_state=0).fit(commons)
    told = [(entry.statistic.rsplit(".", 1)[1], entry.shape) for entry in commons.ledger]
    assert told == [
        ("count_documents", (2,)),
        ("leave_out_rare_words", ()),
        ("add_random_groups", (5, 200)),
        *[("add_unit_rows", (5, 200))] * 10,
        ("count_by_topic", (5,)),
    ]
    assert all("noise is added" in entry.meaning for entry in commons.ledger[2:])
    assert model.n_iter_ == len(model.objective_) == 10
    assert model.revived_ == []


def test_fewer_rounds_may_be_agreed_on():
    model = ch.KMeans(5, max_iter=3, random_state=0).fit(between(planted_clusters(n=300)[0]))
    assert model.n_iter_ == 3


@pytest.mark.filterwarnings("ignore:.*fewer than 30 documents")
def test_no_total_is_nearly_a_document():
    for k in (4, 30):
        totals = spied(ch.KMeans(k, random_state=0), parties(), exact_totals=False)[1]
        assert max(totals.values()) < NEAR, totals


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, False),
        ({"max_iter": 10}, False),
        ({"max_iter": 4, "tol": 0}, False),
        ({"max_iter": 11}, True),
        ({"max_iter": 300}, False),
        ({"tol": 1e-3}, True),
    ],
)
def test_who_asks_for_more_rounds_or_a_tolerance_is_told_that_they_do_not_count(given, told):
    commons = between(planted_clusters(n=120)[0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ch.KMeans(3, random_state=0, **given).fit(commons)
    of_kind = [w for w in caught if w.category is IgnoredParametersWarning]
    assert len(of_kind) == told
    if told:
        assert of_kind[0].filename == __file__
        assert set(of_kind[0].message.parameters) == {"max_iter", "tol"}


@pytest.mark.filterwarnings("ignore:.*were restarted")
def test_where_all_know_of_exact_totals_or_nobody_is_private_nothing_is_noised():
    counts = planted_clusters(n=300)[0]
    settings = {"init": "random", "random_state": 0}
    plain = ch.KMeans(5, **settings).fit(ch.Simulated(split(counts, 3)))
    exact = ch.KMeans(5, **settings).fit(
        ch.Simulated(split(counts, 3), secure=True, exact_totals=True)
    )
    np.testing.assert_allclose(exact.components_, plain.components_, atol=1e-9)
    assert exact.n_iter_ == plain.n_iter_


# Determinism


def test_the_same_keys_give_the_same_bytes_and_others_do_not():
    counts = planted_clusters(n=300)[0]

    def fitted(secrets=SECRETS, **more):
        commons = ch.Simulated(split(counts, 3), secure=True, secrets=secrets)
        model = ch.KMeans(5, random_state=0, **more).fit(commons)
        return model.components_.tobytes() + model.prevalence_.tobytes()

    assert fitted() == fitted() == fitted(n_jobs=3)
    assert fitted() != fitted([b"one", b"two", b"other"])


def test_a_second_fit_equals_the_first():
    commons, learner = between(planted_clusters(n=300)[0]), ch.KMeans(5, random_state=0)
    first = learner.fit(commons).components_.tobytes()
    assert learner.fit(commons).components_.tobytes() == first


# How good it is


def best_of(rows, **more):
    """Of five starts the best: a random start may merge two clusters, with noise or without."""
    fits = [ch.KMeans(5, random_state=seed, **more).fit(rows) for seed in range(5)]
    return min(fits, key=lambda model: model.objective_[-1])


@pytest.mark.filterwarnings("ignore:.*were restarted")
def test_planted_clusters_are_found_through_the_noise():
    """All of them, and 1 − cosine is off by at most a hundredth."""
    counts, topics, labels = planted_clusters()
    exact = best_of(counts, init="random", loss="relative")
    for holders in (1, 3):
        noised = best_of(between(counts, holders))
        assert matched_distance(noised.components_, topics) < 0.25
        found = noised.transform(counts).argmax(axis=1)
        table = np.zeros((5, 5))
        np.add.at(table, (labels, found), 1)
        assert table.max(axis=1).sum() > 0.99 * len(labels)
        assert cosine_distance(noised, counts) < cosine_distance(exact, counts) + 0.01
        sizes = np.sort(np.bincount(labels))
        np.testing.assert_allclose(np.sort(noised.prevalence_) * len(labels), sizes, atol=8)


def test_the_objective_is_what_the_totals_tell_of_cosines():
    """By definition: 1 − the mean cosine of documents and the sum of their topic's unit rows."""
    counts = planted_clusters()[0]
    model = ch.KMeans(5, random_state=0).fit(between(counts))
    rows = (counts / np.sqrt(counts.multiply(counts).sum(axis=1))[:, None]).toarray()
    labels = model.transform(counts).argmax(axis=1)
    totals = np.array([rows[labels == topic].sum(axis=0) for topic in range(5)])
    by_definition = 1 - np.linalg.norm(totals, axis=1).sum() / len(rows)
    assert model.objective_[-1] == pytest.approx(by_definition, abs=0.005)
    assert model.objective_[-1] < model.objective_[0]


def test_topics_are_distributions_numbered_by_size():
    model = ch.KMeans(8, random_state=0).fit(between(planted_clusters(n=300)[0]))
    assert model.components_.min() >= 0
    np.testing.assert_allclose(model.components_.sum(axis=1), 1, atol=1e-12)
    assert (np.diff(model.prevalence_) <= 0).all()
    assert model.prevalence_.min() >= 0


def test_what_is_kept_of_topics_is_rounded():
    counts = planted_clusters(n=300)[0]
    model = ch.KMeans(5, random_state=0).fit(between(counts))
    steps = model.components_ / model.components_.max(axis=1, keepdims=True) * 2**16
    np.testing.assert_allclose(steps, np.rint(steps), atol=1e-6)


# Awkward documents


@pytest.mark.filterwarnings("ignore:.*fewer than 30 documents")
@pytest.mark.parametrize("each", [6, 20, 40])
def test_few_documents_for_many_topics(each):
    rng = np.random.default_rng(0)
    parts = [rng.poisson(2.0, (each, 40)).astype(float) for _ in range(3)]
    model = ch.KMeans(30, random_state=0).fit(ch.Simulated(parts, secure=True))
    assert np.isfinite(model.components_).all()
    assert np.isfinite(model.objective_).all()


@pytest.mark.filterwarnings("ignore:.*fewer than 30 documents")
def test_empty_documents_and_an_empty_party_add_nothing():
    counts = plant(n=120, d=40)[0].toarray().astype(float)
    parts = [counts[:60], np.vstack([counts[60:], np.zeros((5, 40))]), counts[:0]]
    commons = ch.Simulated(parts, secure=True, secrets=SECRETS)
    model = ch.KMeans(3, random_state=0).fit(commons)
    noise = 3 * noised_totals.SIZE_NOISE * np.sqrt(9)
    assert np.isfinite(model.components_).all()
    assert 0 < model.prevalence_.max() <= 1
    assert noise < 10


def test_given_topics_are_where_it_begins():
    counts, topics, _ = planted_clusters()
    model = ch.KMeans(5, init=topics, max_iter=1).fit(between(counts))
    assert matched_distance(model.components_, topics) < 0.25
