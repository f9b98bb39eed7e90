"""PD-NMF-Init: everybody's own topics, weighted, and what they are mixtures of."""

import numpy as np
import pytest

import chatham as ch
from chatham.commons import Alone, Simulated
from chatham.errors import InputError
from chatham.learners.documents import own_seed
from chatham.learners.nmf import local_start as nmf_local
from chatham.learners.nmf.local_start import begin_local, local_topics
from chatham.learners.nmf.problem import Problem
from chatham.learners.nmf.topics import Penalty
from tests.conftest import matched_distance, plant, split

SIMPLEX = Problem("simplex", 0.0, 0.0, unobserved=False, relative=False)
PENALTY = Penalty(0.0, 0.0, True)


def own_topics(rows, k, problem=SIMPLEX, penalty=PENALTY):
    """What one holder keeps as its own weighted topics, dense."""
    alone = Alone(rows)
    alone.count()
    alone.sum(begin_local, k, 0, problem, penalty)
    return alone._memory["own"]


def test_own_topics_are_those_of_a_fit_weighted_by_the_root_of_squared_weights():
    counts = plant(n=150, d=30, k=4, length=200)[0]
    own = own_topics(counts, 4)
    model = ch.NMF(4, random_state=0, tol=nmf_local.TOL, max_iter=100).fit(counts)
    shapes = own / own.sum(axis=1, keepdims=True)
    assert matched_distance(shapes, model.components_) < 1e-5
    weights = model.transform(counts)
    expected = np.sort(np.sqrt((weights**2).sum(axis=0)))
    np.testing.assert_allclose(np.sort(own.sum(axis=1)), expected, rtol=0.01)


@pytest.mark.parametrize(("l2", "counted"), [(0.0, 0.0), (9.0, 9.0), (-0.5, 0.0)])
def test_a_topic_weighs_more_by_the_penalty_on_topics(l2, counted):
    counts = plant(n=150, d=30, k=4, length=200)[0]
    own = own_topics(counts, 4, penalty=Penalty(0.0, l2, True))
    model = ch.NMF(4, l2_topics=l2, random_state=0, tol=nmf_local.TOL, max_iter=100).fit(counts)
    squares = (model.transform(counts) ** 2).sum(axis=0)
    expected = np.sort(squares + counted)
    np.testing.assert_allclose(np.sort(own.sum(axis=1) ** 2), expected, rtol=0.03)


def test_a_large_penalty_fits_into_masked_sums():
    parts = split(plant(n=150, d=30, k=4, length=200)[0], 3)
    settings = {"init": "local", "l2_topics": 1e6, "max_iter": 3, "tol": 0, "random_state": 0}
    masked = Simulated(parts, secure=True, exact_totals=True)
    topics = [ch.NMF(4, **settings).fit(where).components_ for where in (Simulated(parts), masked)]
    np.testing.assert_allclose(*topics, atol=1e-4)  # the penalty takes twenty bits


def test_where_only_stored_cells_count_a_topic_weighs_as_in_corollary_4():
    rng = np.random.default_rng(0)
    rows = rng.integers(1, 6, (60, 12)) * (rng.random((60, 12)) < 0.5)
    problem = Problem("nonnegative", 0.0, 0.1, unobserved=True, relative=False)
    alone = Alone(rows.astype(float))
    alone.count()
    alone.sum(begin_local, 2, 0, problem, Penalty(0.0, 0.1, False))
    squares = np.array([[1.0, 0.2, 4.0], [3.0, 0.1, 2.0]])
    assert nmf_local._largest_squares(squares, 2).tolist() == [3.0, 4.0]
    assert len(alone._memory["own"]) == 2


def test_the_start_is_nearer_to_the_answer_than_a_random_one():
    counts, topics, _ = plant(n=900, d=60, k=5, length=200, concentration=0.08)
    parts = split(counts, 5)
    found = local_topics(Simulated(parts), 5, 0, SIMPLEX, PENALTY)
    assert matched_distance(found, topics) < 0.25
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-9)
    settings = {"random_state": 0, "max_iter": 5, "tol": 0}
    local = ch.NMF(5, init="local", **settings).fit(Simulated(parts))
    random = ch.NMF(5, init="random", **settings).fit(Simulated(parts))
    assert local.objective_[0] < 0.9 * random.objective_[0]
    assert local.objective_[-1] < random.objective_[-1]


@pytest.mark.filterwarnings("ignore:.*were restarted")
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"loss": "relative"},
        {"schedule": "interleaved"},
        {"schedule": "interleaved", "weights_step": "published"},
        {"l2_weights": 0.01, "l2_topics": -0.5},
        {"constraint": "none"},
        {"constraint": "none", "l1_weights": 0.1, "l2_topics": 0.3},
        {"constraint": "none", "missing": "unobserved", "l2_weights": 0.1, "l2_topics": 0.1},
    ],
    ids=str,
)
def test_through_masks_it_leads_to_the_same_topics(settings, planted):
    parts = split(planted[0], 3)
    learner = ch.NMF(5, init="local", random_state=0, max_iter=30, tol=0, **settings)
    plain = learner.fit(Simulated(parts)).components_
    assert np.isfinite(learner.objective_).all()
    secure = learner.fit(Simulated(parts, secure=True, exact_totals=True)).components_
    np.testing.assert_allclose(secure, plain, rtol=0, atol=1e-8 * max(1.0, plain.max()))


def test_it_is_for_one_holder_too_and_for_some_without_documents(planted):
    counts = planted[0]
    alone = ch.NMF(5, init="local", random_state=0).fit(counts)
    nndsvd = ch.NMF(5, random_state=0).fit(counts)
    assert alone.objective_[-1] < 1.05 * nndsvd.objective_[-1]
    empty = np.zeros((3, counts.shape[1]))
    apart = ch.NMF(5, init="local", random_state=0).fit(Simulated([counts, counts[:0], empty]))
    np.testing.assert_allclose(apart.components_, alone.components_, atol=1e-8)


def test_a_holder_has_at_most_one_topic_for_ten_documents():
    counts = plant(n=200, d=30, k=4)[0]
    assert [len(own_topics(counts[:n], 4)) for n in (9, 10, 25, 39)] == [0, 1, 2, 3]
    few = ch.NMF(3, init="local", random_state=0, max_iter=5).fit(Simulated(split(counts[:20], 4)))
    assert np.isfinite(few.components_).all()


def test_a_topic_that_few_documents_carry_stays_home(monkeypatch):
    counts = np.hstack([plant(n=120, d=30, k=3, length=60)[0].toarray(), np.zeros((120, 2))])
    counts[5] = 0
    counts[5, 30:] = 40, 20  # one odd document: a topic of its own, if it may

    def nearest():
        own = own_topics(counts, 6)
        return (own @ counts[5] / np.linalg.norm(own, axis=1)).max() / np.linalg.norm(counts[5])

    assert nearest() < 0.5
    monkeypatch.setattr(nmf_local, "LEAST", 0)
    assert nearest() > 0.99


def test_what_crosses_does_not_grow_with_documents_or_topics_of_ones_own():
    shapes = []
    for n in (90, 360):
        commons = ch.Recorded(Simulated(split(plant(n=n)[0], 3)))
        ch.NMF(5, init="local", random_state=0, max_iter=2, tol=0).fit(commons)
        shapes.append({(entry.statistic, entry.array, entry.shape) for entry in commons.ledger})
    assert shapes[0] == shapes[1]
    assert ("chatham.learners.nmf.local_start.mix_topics", 0, (60, 5)) in shapes[0]


def test_random_2x_is_random_with_twice_the_iterations(planted):
    counts = planted[0]
    twice = ch.NMF(4, init="random_2x", random_state=0, max_iter=7, tol=0).fit(counts)
    random = ch.NMF(4, init="random", random_state=0, max_iter=14, tol=0).fit(counts)
    assert twice.n_iter_ == 14
    assert np.array_equal(twice.components_, random.components_)


def test_an_unknown_start_is_named():
    with pytest.raises(InputError, match="'nndsvd', 'random', 'random_2x', 'local'"):
        ch.NMF(2, init="merge").fit(np.ones((4, 3)))
    assert own_seed(3, Alone(np.ones((1, 1)))._memory) == 3
