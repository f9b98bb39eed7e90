"""NMF between parties by default: what is told, how good it is, and what is refused."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.commons import Memory
from chatham.learners.nmf.noised import GRAM_NOISE, PROBLEM, add_by_weight, rows_of_unit_length
from chatham.learners.noised_totals import SIZE_NOISE
from chatham.notes import IgnoredParametersWarning
from tests.conftest import matched_distance, plant, split
from tests.learners.spying import NEAR, parties, spied

SECRETS = [b"one", b"two", b"three"]


def between(counts, holders=3, **more):
    return ch.Simulated(split(counts, holders), secure=True, secrets=SECRETS[:holders], **more)


def mixtures(n=900, d=150, k=4, length=120, seed=0):
    """Documents of several topics each, and the topics."""
    return plant(n=n, d=d, k=k, length=length, seed=seed)


# What is told


def test_ten_rounds_and_sizes_are_all_that_is_told():
    commons = ch.Recorded(between(mixtures(n=300)[0]))
    model = ch.NMF(4, random_state=0).fit(commons)
    told = [(entry.statistic.rsplit(".", 1)[1], entry.shape) for entry in commons.ledger]
    assert told == [
        ("count_documents", (2,)),
        ("leave_out_rare_words", ()),
        ("add_random_groups", (4, 150)),
        *[("add_by_weight", (150, 4)), ("add_by_weight", (4, 4)), ("add_by_weight", ())] * 10,
        ("add_weights", (4,)),
    ]
    assert all("noise is added" in entry.meaning for entry in commons.ledger[2:])
    assert model.n_iter_ == len(model.objective_) == 10
    assert model.revived_ == []


def test_a_document_adds_a_row_of_unit_length_times_its_weights():
    rows, topics = mixtures(n=50)[0], np.random.default_rng(0).dirichlet(np.ones(150), 4)
    for document in range(5):
        memory = Memory()
        products, grams, norm = add_by_weight(rows[[document]], memory, topics, PROBLEM)
        weights = memory["weights"][0]
        unit = rows[[document]].toarray()[0] / np.linalg.norm(rows[[document]].toarray())
        np.testing.assert_allclose(products, np.outer(unit, weights), atol=1e-12)
        assert norm == pytest.approx(
            np.sqrt((rows[[document]] / rows[[document]].sum()).power(2).sum())
        )
        np.testing.assert_allclose(grams, np.outer(weights, weights) / norm, atol=1e-12)


def test_noise_has_the_deviation_that_is_declared():
    """What a round tells, less the same round without noise: 0.1 from each of three parties."""
    counts, topics = mixtures(n=300)[0], np.random.default_rng(0).dirichlet(np.ones(150), 4)

    def told(**more):
        commons = between(counts, **more)
        commons.count()
        noise = (ch.NMF._noise, GRAM_NOISE, SIZE_NOISE)
        return commons.sum(add_by_weight, topics, PROBLEM, most=(1.0, 13.0, 1.0), noise=noise)

    (noised, grams, _), (exact, exact_grams, _) = told(), told(exact_totals=True)
    assert (noised - exact).std() == pytest.approx(0.1 * np.sqrt(3), rel=0.1)
    assert (grams - exact_grams).std() == pytest.approx(np.sqrt(3), rel=0.5)


@pytest.mark.filterwarnings("ignore:.*fewer than 30 documents")
def test_no_total_is_nearly_a_document():
    for k in (4, 30):
        totals = spied(ch.NMF(k, random_state=0), parties(), exact_totals=False)[1]
        assert max(totals.values()) < NEAR, totals


@pytest.mark.parametrize(
    ("given", "told"),
    [({}, False), ({"max_iter": 10, "tol": 0}, False), ({"max_iter": 50}, True)],
)
def test_who_asks_for_more_rounds_is_told_that_they_do_not_count(given, told):
    commons = between(mixtures(n=120)[0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ch.NMF(3, random_state=0, **given).fit(commons)
    of_kind = [w for w in caught if w.category is IgnoredParametersWarning]
    assert len(of_kind) == told
    assert all(w.filename == __file__ for w in of_kind)


@pytest.mark.parametrize(
    "given",
    [
        {"constraint": "none"},
        {"schedule": "interleaved"},
        {"schedule": "interleaved", "weights_step": "published"},
        {"missing": "unobserved"},
        {"init": "local"},
        {"init": "random_2x"},
        {"l2_topics": 0.5},
        {"l2_weights": -0.5},
    ],
)
def test_what_needs_exact_totals_is_refused_unless_all_know(given):
    counts = mixtures(n=120)[0]
    with pytest.raises(ch.InputError, match="exact totals"):
        ch.NMF(3, random_state=0, **given).fit(between(counts))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ch.NMF(3, random_state=0, max_iter=2, **given).fit(between(counts, exact_totals=True))


def test_where_all_know_of_exact_totals_nothing_is_noised():
    counts = mixtures(n=300)[0]
    plain = ch.NMF(4, random_state=0).fit(ch.Simulated(split(counts, 3)))
    exact = ch.NMF(4, random_state=0).fit(between(counts, exact_totals=True))
    np.testing.assert_allclose(exact.components_, plain.components_, atol=1e-9)


# Determinism


def test_the_same_keys_give_the_same_bytes_and_others_do_not():
    counts = mixtures(n=300)[0]

    def fitted(secrets=SECRETS, **more):
        commons = ch.Simulated(split(counts, 3), secure=True, secrets=secrets)
        model = ch.NMF(4, random_state=0, **more).fit(commons)
        return model.components_.tobytes() + model.prevalence_.tobytes()

    assert fitted() == fitted() == fitted(n_jobs=3)
    assert fitted() != fitted([b"one", b"two", b"other"])


# How good it is


@pytest.mark.parametrize("holders", [1, 3])
def test_planted_topics_are_found_through_the_noise(holders):
    """Of three seeds each is nearly as near to them as exact totals come."""
    counts, topics, _ = mixtures()
    for seed in range(3):
        noised = ch.NMF(4, random_state=seed).fit(between(counts, holders))
        exact = ch.NMF(4, loss="relative", random_state=seed).fit(counts)
        off = matched_distance(noised.components_, topics)
        assert off < matched_distance(exact.components_, topics) + 0.2
        assert off < 0.45


def test_without_noise_an_iteration_is_algorithm_2(monkeypatch):
    """The estimate is then the clipped minimum, and the objective falls."""
    monkeypatch.setattr("chatham.learners.nmf.noised.GRAM_NOISE", 0.0)
    monkeypatch.setattr("chatham.learners.noised_totals.SIZE_NOISE", 0.0)
    monkeypatch.setattr("chatham.learners.nmf.noised.SIZE_NOISE", 0.0)
    monkeypatch.setattr(ch.NMF, "_noise", 0.0)
    counts = mixtures()[0]
    model = ch.NMF(4, random_state=1).fit(between(counts))
    assert (np.diff(model.objective_) < 1e-6).all()
    documents = rows_of_unit_length(counts)
    weights = model.transform(counts)
    rows = counts.toarray() / counts.sum(axis=1)[:, None]
    error = ((rows - weights @ model.components_) ** 2).sum(axis=1)
    by_definition = 0.5 * float(documents.importance @ error)
    assert model.objective_[-1] == pytest.approx(by_definition, rel=0.02)
    np.testing.assert_allclose(model.prevalence_, weights.mean(axis=0), atol=0.02)


def test_topics_are_distributions_numbered_by_size_and_rounded():
    model = ch.NMF(6, random_state=0).fit(between(mixtures(n=300)[0]))
    assert model.components_.min() >= 0
    np.testing.assert_allclose(model.components_.sum(axis=1), 1, atol=1e-12)
    assert (np.diff(model.prevalence_) <= 0).all()
    steps = model.components_ / model.components_.max(axis=1, keepdims=True) * 2**16
    np.testing.assert_allclose(steps, np.rint(steps), atol=1e-6)


def test_given_topics_are_where_it_begins():
    counts, topics, _ = mixtures()
    model = ch.NMF(4, init=topics * 3, max_iter=1).fit(between(counts))
    assert matched_distance(model.components_, topics) < 0.3


# Awkward documents


@pytest.mark.filterwarnings("ignore:.*fewer than 30 documents")
@pytest.mark.parametrize("each", [6, 20, 40])
def test_few_documents_for_many_topics(each):
    rng = np.random.default_rng(0)
    parts = [rng.poisson(2.0, (each, 40)).astype(float) for _ in range(3)]
    model = ch.NMF(30, random_state=0).fit(ch.Simulated(parts, secure=True))
    assert np.isfinite(model.components_).all()
    assert np.isfinite(model.objective_).all()


@pytest.mark.filterwarnings("ignore:.*fewer than 30 documents")
def test_empty_documents_and_an_empty_party_add_nothing():
    counts = mixtures(n=120, d=40)[0].toarray().astype(float)
    parts = [counts[:60], np.vstack([counts[60:], np.zeros((5, 40))]), counts[:0]]
    model = ch.NMF(3, random_state=0).fit(ch.Simulated(parts, secure=True, secrets=SECRETS))
    assert np.isfinite(model.components_).all()
    lists = [sp.csr_array(part) for part in (counts[:60], counts[60:], counts[:0])]
    same = ch.NMF(3, random_state=0).fit(ch.Simulated(lists, secure=True, secrets=SECRETS))
    assert matched_distance(model.components_, same.components_) < 1e-9
