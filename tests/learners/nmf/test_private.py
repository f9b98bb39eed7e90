"""Differentially private NMF: what a document can change, what crosses, and how good it is."""

from math import sqrt

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import chatham as ch
from chatham.audit.observing import Observed
from chatham.commons import Memory
from chatham.commons.privacy import Privacy
from chatham.errors import InputError
from chatham.learners.nmf.noised import PROBLEM
from chatham.learners.nmf.private import HEAVIEST, add_bounded, add_bounded_weights
from chatham.learners.noised_totals import add_random_groups
from tests.conftest import matched_distance, plant, split

SECRETS = [b"one", b"two", b"three"]
STRICT = Privacy(1.0, 1e-5)


def rows_of(draws, n, d):
    rows = draws.poisson(0.5, (n, d)) * draws.integers(1, 50, (n, 1))
    rows[draws.random(n) < 0.1] = 0
    return rows.astype(float)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 6))
def test_another_document_in_ones_place_moves_no_sum_further_than_is_accounted_for(seed, d, k):
    """Over three rounds with the same topics for both, weights carried along."""
    draws = np.random.default_rng(seed)
    one = rows_of(draws, 8, d)
    other = one.copy()
    other[3] = rows_of(draws, 1, d)[0]
    memories = [Memory(), Memory()]
    for _ in range(3):
        topics = draws.dirichlet(np.full(d, 0.3), k)
        sums = [
            add_bounded(rows, memory, topics, PROBLEM)
            for rows, memory in zip((one, other), memories, strict=True)
        ]
        products, grams = (np.linalg.norm(a - b) for a, b in zip(*sums, strict=True))
        assert products <= sqrt(2) + 1e-9
        assert grams <= sqrt(2) * HEAVIEST + 1e-9
    weights = [
        add_bounded_weights(rows, memory, topics, None, PROBLEM)
        for rows, memory in zip((one, other), memories, strict=True)
    ]
    assert np.linalg.norm(weights[0] - weights[1]) <= sqrt(2) + 1e-9
    groups = [add_random_groups(rows, Memory(0, 1, b"secret"), 2, 0) for rows in (one, other)]
    assert np.linalg.norm(groups[0] - groups[1]) <= sqrt(2) + 1e-9


def test_a_document_can_reach_the_bounds():
    """So that none of them is larger than it need be: two documents of one word each."""
    topics = np.eye(2)
    sums = []
    for row in ([[1.0, 0.0]], [[0.0, 1.0]]):
        memory = Memory()
        for _ in range(30):
            products, _ = add_bounded(np.array(row), memory, topics, PROBLEM)
        sums.append(products)
    assert np.linalg.norm(sums[0] - sums[1]) == pytest.approx(sqrt(2), abs=1e-6)


def test_a_document_of_many_words_adds_no_more_than_the_heaviest_may():
    """Its squared error would count 1/‖x‖ = 20 times."""
    flat, topics = np.ones((1, 400)), np.full((1, 400), 1 / 400)
    products, grams = add_bounded(flat, Memory(), topics, PROBLEM)
    assert grams == pytest.approx(np.array([[HEAVIEST]]))
    assert np.linalg.norm(products) == pytest.approx(HEAVIEST / 20)


def test_every_total_of_documents_has_its_noise_and_all_of_it_is_accounted_for():
    counts = plant(n=300, d=60, k=3, length=60, seed=0)[0]
    commons = Observed(split(counts, 3), coalition=(0,), secrets=SECRETS, privacy=STRICT)
    ch.NMF(3, random_state=0).fit(commons)
    told = [(seen.step, seen.noise) for seen in commons.rounds]
    assert [name for name, _ in told] == [
        "count_documents", "add_random_groups", *["add_bounded"] * 5, "add_bounded_weights",
    ]  # fmt: skip
    assert told[0][1] == (0.0,)
    bounds = {
        "add_random_groups": (sqrt(2),),
        "add_bounded": (sqrt(2), sqrt(2) * HEAVIEST),
        "add_bounded_weights": (sqrt(2),),
    }
    # What two honest parties leave of the noise, seen by the third, is all that protects.
    rho = sum(
        bound**2 / (2 * noise**2)
        for name, noises in told[1:]
        for bound, noise in zip(bounds[name], noises, strict=True)
    )
    assert 0.99 * STRICT.rho < rho <= STRICT.rho


def test_whether_a_word_is_rare_decides_nothing():
    """A rule for rare words would change with one document: all words cross, with noise."""
    counts = plant(n=90, d=30, k=3, length=40, seed=0)[0].toarray()
    counts[:, -1] = 0
    counts[0, -1] = 3  # one document of one party has it
    commons = Observed(split(sp.csr_array(counts), 3), secrets=SECRETS, privacy=STRICT)
    ch.NMF(3, random_state=0).fit(commons)
    assert "leave_out_rare_words" not in [seen.step for seen in commons.rounds]
    assert all((seen.others[0][-1] != 0).all() for seen in commons.rounds if "bounded" in seen.step
               and seen.others[0].ndim == 2)  # fmt: skip


def test_planted_topics_are_found_where_there_are_documents_enough_and_not_where_there_are_few():
    counts, topics, _ = plant(n=6000, d=40, k=3, length=80, seed=0)

    def distance(documents, privacy):
        parts = split(counts[:documents], 3)
        commons = ch.Simulated(parts, secure=True, secrets=SECRETS, privacy=privacy)
        model = ch.NMF(3, random_state=0).fit(commons)
        assert model.components_.sum(axis=1) == pytest.approx(np.ones(3))
        return matched_distance(model.components_, topics)

    usual, generous = distance(6000, None), distance(6000, Privacy(20.0, 1e-5))
    strict, few = distance(6000, Privacy(0.1, 1e-5)), distance(300, Privacy(1.0, 1e-5))
    assert generous < usual + 0.15
    assert min(strict, few) > generous + 0.2


def test_learners_without_such_a_fit_say_so():
    counts = plant(n=60, d=20, k=3, length=40)[0]
    for learner in (ch.LDA(3), ch.PLSA(3), ch.KMeans(3), ch.AnchorWords(3)):
        commons = ch.Simulated(split(counts, 3), secure=True, privacy=STRICT)
        with pytest.raises(InputError, match="no differentially private fit; NMF and SVD have"):
            learner.fit(commons)
