"""`init="anchor"`: PLSA and LDA from the spectral solution, by the rules of anchor words."""

import warnings

import numpy as np
import pytest

import chatham as ch
from chatham.errors import ChathamError
from tests.conftest import matched_distance, plant

LEARNERS = {
    "plsa": lambda **more: ch.PLSA(4, **{"max_iter": 5, "tol": 0, "random_state": 0, **more}),
    "lda": lambda **more: ch.LDA(4, **{"max_iter": 5, "random_state": 0, **more}),
}
WAYS = {
    "alone": ch.Alone,
    "apart": lambda counts: ch.Simulated(thirds(counts)),
    "exact": lambda counts: ch.Simulated(thirds(counts), secure=True, exact_totals=True,
                                         secrets=[b"a", b"b", b"c"]),
    "parties": lambda counts: ch.Simulated(thirds(counts), secure=True,
                                           secrets=[b"a", b"b", b"c"]),
}  # fmt: skip


def thirds(counts):
    return [counts[::3], counts[1::3], counts[2::3]]


@pytest.fixture(scope="module")
def counts():
    return plant(n=900, d=300, k=4, length=150, concentration=0.3)[0]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", LEARNERS)
def test_it_starts_where_anchor_words_end(name, way, counts):
    spectral = ch.AnchorWords(4, refine=0, random_state=0).fit(WAYS[way](counts))
    there = LEARNERS[name](init="anchor").fit(WAYS[way](counts))
    given = LEARNERS[name](init=spectral.components_).fit(WAYS[way](counts))
    tolerance = 1e-6 if name == "plsa" else 0.05  # topics in another order draw others at random
    assert matched_distance(there.components_, given.components_) < tolerance
    elsewhere = LEARNERS[name](init="random").fit(WAYS[way](counts))
    assert matched_distance(there.components_, elsewhere.components_) > 2 * tolerance


@pytest.mark.parametrize("name", LEARNERS)
def test_the_rules_of_anchor_words_hold_between_parties(name, counts):
    learner = LEARNERS[name](init="anchor")
    assert learner._measurements() == ch.AnchorWords(4)._measurements() > 0
    assert LEARNERS[name]()._measurements() == 0
    few = counts[:60]  # too few words have as many neighbours as it takes to hide a row
    with pytest.raises(ChathamError) as refused:
        ch.AnchorWords(4, refine=0, random_state=0).fit(WAYS["parties"](few))
    with pytest.raises(type(refused.value)) as here:
        learner.fit(WAYS["parties"](few))
    assert str(here.value) == str(refused.value)
    told = type(learner)._reveals({"init": "anchor"}, False)
    assert type(learner)._reveals({}, False) in told
    assert ch.AnchorWords._reveals({}, False) in told


def test_uneven_topics_are_found_by_a_spectral_start_more_often_than_by_random_ones():
    rng = np.random.default_rng(1)
    shares = np.array([0.4, 0.3, 0.15, 0.1, 0.03, 0.02])
    topics = np.array([rng.dirichlet(np.full(200, 0.05)) for _ in shares])
    weights = rng.dirichlet(6 * 0.1 * shares * len(shares), 1500)
    rows = np.array([rng.multinomial(60, w @ topics) for w in weights])
    missed = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for init in ("anchor", "random"):
            fits = [ch.PLSA(6, init=init, random_state=s).fit(rows).components_ for s in range(4)]
            farthest = [np.abs(topics[:, None] - f).sum(-1).min(axis=1).max() for f in fits]
            missed[init] = sum(far > 0.7 for far in farthest)
    assert missed["anchor"] == 0
    assert missed["random"] > 0
