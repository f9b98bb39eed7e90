"""Distributed equals centralised: one test body for every learner over every commons.

(a) From the same state one step equals the pooled one to 1e-9, and masked in fixed point every sum
is within its bound; (b) running freely for 100 iterations, topics agree to 1e-8, masked or not;
(c) nothing that crosses grows with the documents.
"""

from functools import cache

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import chatham as ch
from tests.conftest import plant, split
from tests.watched import Watched

pytestmark = pytest.mark.filterwarnings("ignore:SVD stopped")

LEARNERS = {
    "kmeans ++": lambda **more: ch.KMeans(5, **more),
    "kmeans greedy": lambda **more: ch.KMeans(5, **{"init": "greedy", **more}),
    "kmeans random": lambda **more: ch.KMeans(5, **{"init": "random", **more}),
    "kmeans relative": lambda **more: ch.KMeans(5, loss="relative", **more),
    "plsa": lambda **more: ch.PLSA(5, **more),
    "online-lda": lambda **more: ch.OnlineLDA(5, batch_size=50, **{"random_state": 0, **more}),
}
BATCHED = ("online-lda",)
"""Learners that take a sum for each of their mini-batches, of which more documents have more."""
for schedule in ("block", "interleaved"):
    for label, settings in {
        "simplex": {},
        "simplex random": {"init": "random"},
        "simplex relative": {"loss": "relative"},
        "simplex ridge": {"l2_weights": 0.01, "l2_topics": 0.5},
        "simplex negative": {"l2_weights": -0.02, "l2_topics": -0.5},
        "simplex unobserved": {"missing": "unobserved"},
        "none": {"constraint": "none"},
        "none relative": {"constraint": "none", "loss": "relative"},
        "none penalties": {
            "constraint": "none",
            "l1_weights": 0.1,
            "l2_weights": 0.2,
            "l1_topics": 0.1,
            "l2_topics": 0.3,
            "init": "random",
        },
        "none unobserved": {"constraint": "none", "missing": "unobserved", "init": "random"},
    }.items():
        LEARNERS[f"nmf {schedule} {label}"] = lambda schedule=schedule, settings=settings, **more: (
            ch.NMF(5, schedule=schedule, **{**settings, **more})
        )
LEARNERS["nmf published"] = lambda **more: ch.NMF(
    5, schedule="interleaved", weights_step="published", **more
)

SPECTRAL = {
    f"anchor {label}": lambda settings=settings, **more: ch.AnchorWords(
        **{"n_components": 5, "min_anchor_df": 0.02, "refine": 0, **settings, **more}
    )
    for label, settings in {
        "posterior": {},
        "least squares": {"inference": "least-squares"},
        "spi": {"inference": "spi"},
        "tli": {"inference": "tli"},
        "padd": {"inference": "padd"},
        "refined": {"refine": 20},
        "refined padd": {"refine": 3, "inference": "padd"},
        "diagonal": {"rectify": "diagonal"},
        "unrectified": {"rectify": "none"},
        "l2": {"recover": "l2"},
        "kl": {"recover": "kl"},
        "inverse": {"recover": "inverse"},
        "smoothed": {"smoothing": 1e-5},
        "fast": {"anchors": "fast"},
        "pca": {"anchors": "pca"},
        "tsne": {"anchors": "tsne"},
        "given": {"anchors": [3, [4, 9]]},
    }.items()
}
"""Learners that begin from nothing: theirs is no state to step from."""
DIRECTIONS = {
    "svd": lambda **more: ch.SVD(5, **more),
    "svd normed": lambda **more: ch.SVD(5, sums="normed", **more),
}
"""Whose topics and weights are no distributions."""
EVERY = (
    LEARNERS | {name: make for name, make in SPECTRAL.items() if name != "anchor tsne"} | DIRECTIONS
)

HOLDERS = (1, 3, 9)

PRIVATE = {
    name: make for name, make in LEARNERS.items() if name not in ("kmeans ++", "kmeans greedy")
}
"""Learners that masked holders take, for whom no document may cross: k-means begins at random."""
PRIVATE["kmeans relative"] = lambda **more: LEARNERS["kmeans relative"](
    **{"init": "random", **more}
)


def commons_of(counts, holders):
    return ch.Simulated(split(counts, holders))


@pytest.mark.filterwarnings("ignore:.*were restarted")
@pytest.mark.parametrize("name", LEARNERS)
def test_one_step_from_the_same_state_equals_the_pooled_one(name, planted):
    counts = planted[0]
    state = LEARNERS[name](random_state=0, max_iter=4, tol=0).fit(counts).components_
    pooled = LEARNERS[name](init=state, max_iter=1).fit(ch.Alone(counts))
    for holders in HOLDERS:
        apart = LEARNERS[name](init=state, max_iter=1).fit(commons_of(counts, holders))
        np.testing.assert_allclose(apart.components_, pooled.components_, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(apart.objective_, pooled.objective_, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:.*were restarted")
@pytest.mark.parametrize("name", LEARNERS)
def test_a_hundred_free_iterations_reach_the_same_topics(name, planted):
    counts = planted[0]
    pooled = LEARNERS[name](random_state=3, max_iter=100, tol=0).fit(counts)
    for holders in (3, 9):  # one is alone to the bit, as is shown below
        apart = LEARNERS[name](random_state=3, max_iter=100, tol=0)
        apart.fit(commons_of(counts, holders))
        np.testing.assert_allclose(apart.components_, pooled.components_, rtol=0, atol=1e-8)
        np.testing.assert_allclose(apart.prevalence_, pooled.prevalence_, rtol=0, atol=1e-8)


@pytest.mark.filterwarnings("ignore:.*were restarted")
@pytest.mark.parametrize("holders", [3, 9])
@pytest.mark.parametrize("name", PRIVATE)
def test_one_step_in_fixed_point_is_within_the_bound(name, holders, planted):
    counts = planted[0]
    state = PRIVATE[name](random_state=0, max_iter=4, tol=0).fit(counts).components_
    pooled = PRIVATE[name](init=state, max_iter=1).fit(counts)
    commons = Watched(split(counts, holders))  # which looks at every sum
    apart = PRIVATE[name](init=state, max_iter=1).fit(commons)
    assert len(commons.states) >= 2
    assert commons.room < 0.5
    np.testing.assert_allclose(apart.components_, pooled.components_, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(apart.objective_, pooled.objective_, rtol=1e-9)


FREE = [
    "kmeans random",
    "kmeans relative",
    "plsa",
    "online-lda",
    "nmf published",
    "nmf block simplex",
    "nmf block simplex random",
    "nmf block simplex relative",
    "nmf block simplex unobserved",
    "nmf block none",
    "nmf block none relative",
]


@pytest.mark.filterwarnings("ignore:.*were restarted")
@pytest.mark.parametrize("name", FREE)
def test_a_hundred_free_iterations_in_fixed_point_reach_the_same_topics(name, planted):
    counts = planted[0]
    iterations = 20 if name == "nmf published" else 100  # five sums each
    pooled = PRIVATE[name](random_state=3, max_iter=iterations, tol=0).fit(counts)
    for holders in (3, 9):
        commons = ch.Simulated(split(counts, holders), secure=True, exact_totals=True)
        apart = PRIVATE[name](random_state=3, max_iter=iterations, tol=0).fit(commons)
        np.testing.assert_allclose(apart.components_, pooled.components_, rtol=0, atol=1e-8)
        np.testing.assert_allclose(apart.prevalence_, pooled.prevalence_, rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", EVERY)
def test_one_holder_is_alone_to_the_bit(name, planted):
    counts = planted[0]
    alone = EVERY[name](random_state=1, max_iter=5).fit(counts)
    one = EVERY[name](random_state=1, max_iter=5).fit(commons_of(counts, 1))
    assert alone.components_.tobytes() == one.components_.tobytes()


@pytest.mark.parametrize("name", EVERY)
def test_threads_and_a_second_fit_change_no_bit(name, planted):
    counts = planted[0]
    learner = EVERY[name](random_state=1, max_iter=8)
    first = learner.fit(counts).components_.tobytes()
    assert learner.fit(counts).components_.tobytes() == first
    weights = learner.transform(counts)
    with threadpool_limits(2):  # BLAS and OpenMP may use several too
        threaded = EVERY[name](random_state=1, max_iter=8, n_jobs=3).fit(counts)
        assert threaded.components_.tobytes() == first
        assert np.array_equal(threaded.transform(counts), weights)


@pytest.mark.parametrize("name", EVERY)
def test_what_crosses_does_not_grow_with_the_documents(name):
    ledgers = []
    for n in (60, 240):
        counts = plant(n=n)[0]
        commons = ch.Recorded(commons_of(counts, 3))
        EVERY[name](random_state=1, max_iter=2, tol=0).fit(commons)
        crossed = [(e.statistic, e.shape) for e in commons.ledger]
        ledgers.append([*dict.fromkeys(crossed)] if name in BATCHED else crossed)
    assert ledgers[0] == ledgers[1]


@pytest.mark.parametrize("schedule", ["block", "interleaved"])
def test_rounds_an_iteration(schedule, planted):
    commons = ch.Recorded(commons_of(planted[0], 3))
    ch.NMF(5, schedule=schedule, random_state=0, max_iter=4, tol=0).fit(commons)
    statistic = "topic_statistics" if schedule == "block" else "residue_statistics"
    rounds = {e.round for e in commons.ledger if e.statistic.endswith(statistic)}
    assert len(rounds) == 4 * (1 if schedule == "block" else 5)


@pytest.mark.parametrize("name", EVERY)
def test_weights_of_a_document_do_not_depend_on_its_neighbours(name, planted):
    counts = planted[0]
    learner = EVERY[name](random_state=1, max_iter=5).fit(counts)
    together = learner.transform(counts)
    by_itself = learner.transform(counts[11:12])
    np.testing.assert_allclose(together[11:12], by_itself, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "name", [name for name in EVERY if " none" not in name and name not in DIRECTIONS]
)
def test_topics_and_weights_are_distributions_and_topics_are_numbered_by_size(name, planted):
    counts = planted[0]
    learner = EVERY[name](random_state=1, max_iter=30).fit(counts)
    weights = learner.transform(counts)
    assert learner.components_.min() >= 0
    assert weights.min() >= 0
    np.testing.assert_allclose(learner.components_.sum(axis=1), 1, atol=1e-9)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-9)
    assert (np.diff(learner.prevalence_) <= 0).all()
    np.testing.assert_allclose(weights[7], learner.prevalence_)  # the empty document


# Anchor words: one round


SENSITIVE = {"anchor kl", "anchor tsne"}
"""These search with steps of which the last digits decide, and magnify them."""

FITTED = ("components_", "prevalence_", "correlations_", "alpha_", "dual_", "objective_")


def groups_of(learner):
    return [group.tolist() for group in learner.anchor_groups_]


@pytest.fixture(scope="module")
def all_pooled(planted):
    """A learner's fit to all documents in one place, which several tests compare theirs with."""
    return cache(lambda name: SPECTRAL[name](random_state=3).fit(planted[0]))


@pytest.mark.parametrize("name", SPECTRAL)
def test_anchor_words_apart_are_anchor_words_together(name, planted, all_pooled):
    pooled = all_pooled(name)
    for holders in HOLDERS:
        parts = [*split(planted[0], holders), planted[0][:0]]
        apart = SPECTRAL[name](random_state=3).fit(ch.Simulated(parts))
        assert groups_of(apart) == groups_of(pooled)
        for attribute in FITTED:
            found, wanted = getattr(apart, attribute), getattr(pooled, attribute)
            np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-8)
        weights = apart.transform(planted[0])
        np.testing.assert_allclose(weights, pooled.transform(planted[0]), rtol=0, atol=1e-8)


@pytest.mark.parametrize("holders", [3, 9])
@pytest.mark.parametrize("name", [name for name in SPECTRAL if name not in SENSITIVE])
def test_anchor_words_in_fixed_point_are_anchor_words_together(name, holders, planted, all_pooled):
    pooled = all_pooled(name)
    commons = Watched(split(planted[0], holders))
    apart = SPECTRAL[name](random_state=3).fit(commons)
    assert groups_of(apart) == groups_of(pooled)
    assert commons.room < 0.5
    for attribute in FITTED:
        found, wanted = getattr(apart, attribute), getattr(pooled, attribute)
        np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(("refine", "far"), [(0, 1e-6), (20, 1e-8)])
def test_in_single_precision_they_agree_as_far_as_it_goes(refine, far, planted):
    """Each holder's part is rounded to some seven digits, and the sweeps are in double."""
    settings = {"refine": refine, "precision": "single"}
    pooled = SPECTRAL["anchor posterior"](**settings).fit(planted[0])
    double = SPECTRAL["anchor posterior"](refine=refine).fit(planted[0])
    assert groups_of(double) == groups_of(pooled)
    np.testing.assert_allclose(double.components_, pooled.components_, rtol=0, atol=10 * far)
    for holders in HOLDERS:
        apart = SPECTRAL["anchor posterior"](**settings).fit(commons_of(planted[0], holders))
        assert groups_of(apart) == groups_of(pooled)
        for attribute in ("components_", "prevalence_", "correlations_", "alpha_"):
            found, wanted = getattr(apart, attribute), getattr(pooled, attribute)
            np.testing.assert_allclose(found, wanted, rtol=far, atol=far)


@pytest.mark.parametrize("name", SPECTRAL)
def test_anchor_words_take_one_sum_and_one_a_sweep(name, planted):
    commons = ch.Recorded(commons_of(planted[0], 3))
    learner = SPECTRAL[name](random_state=0).fit(commons)
    rounds = {entry.round: entry.statistic.split(".")[-1] for entry in commons.ledger}
    duals = 15 if learner.inference == "padd" else 0
    assert list(rounds.values()) == [
        "pair_statistics",
        *["sweep_documents"] * learner.refine,
        *["topic_moments"] * duals,
    ]
    first = [entry.shape for entry in commons.ledger if entry.round == 1]
    assert first == [(60 * 61 // 2,), (60,), (2,)]
