"""`n_init`: several starts, of which the best is kept, wherever the rows are."""

import numpy as np
import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.learners.base import seed_of
from tests.conftest import matched_distance, plant

LEARNERS = {
    "kmeans": lambda **more: ch.KMeans(8, **{"init": "random", "max_iter": 30, **more}),
    "plsa": lambda **more: ch.PLSA(8, **{"max_iter": 30, **more}),
    "lda": lambda **more: ch.LDA(8, **{"max_iter": 20, **more}),
}


@pytest.fixture(scope="module")
def counts():
    return plant(n=120, d=40, k=8, length=60)[0]


@pytest.mark.parametrize("name", LEARNERS)
def test_the_best_of_several_starts_is_kept(name, counts):
    better = 0
    for seed in range(3):
        alone = LEARNERS[name](random_state=seed).fit(counts)
        several = LEARNERS[name](random_state=seed, n_init=4).fit(counts)
        first = several._seed()
        ends = {0: alone.objective_[-1]}
        for restart in range(1, 4):
            again = LEARNERS[name](random_state=seed)
            again._seed = lambda first=first, restart=restart: seed_of(restart, first)
            ends[restart] = again.fit(counts).objective_[-1]
        best = (min if name == "kmeans" else max)(ends.values())
        assert several.objective_[-1] == best
        better += best != alone.objective_[-1]
    assert better  # a single start isn't always the best


def test_parties_keep_the_same_one(counts):
    parts = [counts[::3], counts[1::3], counts[2::3]]
    where = ch.Simulated(parts, secure=True, exact_totals=True)
    apart = LEARNERS["plsa"](random_state=0, n_init=3).fit(where)
    alone = LEARNERS["plsa"](random_state=0, n_init=3).fit(counts)
    assert matched_distance(apart.components_, alone.components_) < 1e-6


@pytest.mark.parametrize("learner", [ch.KMeans, ch.PLSA])
def test_given_topics_are_one_start(learner, counts):
    with pytest.raises(InputError, match="would find the same each time"):
        learner(8, init=np.ones((8, 40)), n_init=2).fit(counts)


@pytest.mark.parametrize("learner", [ch.KMeans, ch.PLSA, ch.LDA])
def test_a_number_of_starts_is_a_whole_one(learner, counts):
    with pytest.raises(InputError, match="n_init"):
        learner(8, n_init=0).fit(counts)


def test_between_parties_a_noised_fit_has_one_start(counts):
    where = ch.Simulated([counts[::2], counts[1::2], counts], secure=True)
    with pytest.raises(InputError, match="each start tells as much again"):
        ch.KMeans(4, n_init=2, random_state=0).fit(where)
