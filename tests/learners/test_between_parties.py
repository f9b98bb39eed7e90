"""Learners among masked holders: private draws, one shared state, sums that never overflow."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.commons.counting import Counted
from chatham.commons.interface import Memory
from chatham.commons.precision import Precision
from chatham.learners import plsa
from chatham.learners.documents import own_seed
from chatham.learners.lda.lda import largest_tally
from chatham.learners.lda.steps import EXACT
from chatham.learners.nmf.bounds import (
    bound_of_block,
    bound_of_image,
    bound_of_residue,
    most_of_norm,
)
from chatham.learners.nmf.problem import Problem
from tests.conftest import plant, split
from tests.learners.test_one_body import DIRECTIONS, PRIVATE, SPECTRAL
from tests.watched import Watched

pytestmark = pytest.mark.filterwarnings("ignore:.*fewer than 30 documents")

SECRETS = [b"one", b"two", b"three"]
DRAWING = {
    "kmeans": lambda **more: ch.KMeans(5, init="random", max_iter=1, random_state=1, **more),
    "nmf": lambda **more: ch.NMF(5, init="random", max_iter=1, random_state=1, **more),
    "lda": lambda **more: ch.LDA(5, max_iter=10, random_state=1, **more),
    "lda given": lambda **more: ch.LDA(
        5, init=plant(seed=4)[1], max_iter=1, learn_priors=False, random_state=1, **more
    ),
}
"""Learners that draw something at random for each document."""


def topics_of(learner, commons):
    return learner.fit(commons).components_


@pytest.mark.parametrize("secure", [False, True])
@pytest.mark.parametrize("name", DRAWING)
def test_draws_are_keyed_by_the_holders_secret(name, secure, planted):
    parts = split(planted[0], 3)

    def fitted(secrets):
        return topics_of(DRAWING[name](), ch.Simulated(parts, secure=secure, secrets=secrets))

    open_, private = fitted(None), fitted(SECRETS)
    assert np.array_equal(open_, fitted([b"", b"", b""]))
    assert np.array_equal(private, fitted(SECRETS))
    assert np.abs(private - open_).max() > 1e-6
    assert np.abs(private - fitted([b"one", b"two", b"other"])).max() > 1e-6


@pytest.mark.parametrize("name", ["plsa", "nmf block simplex"])
def test_who_draws_nothing_has_no_use_for_a_secret(name, planted):
    parts = split(planted[0], 3)
    settings = {"random_state": 0, "max_iter": 3, "tol": 0}
    first = topics_of(PRIVATE[name](**settings), ch.Simulated(parts))
    second = topics_of(PRIVATE[name](**settings), ch.Simulated(parts, secrets=SECRETS))
    assert np.array_equal(first, second)


def test_a_secret_seed_is_another_for_every_secret_and_seed():
    seeds = {own_seed(seed, Memory(secret=s)) for seed in (0, 1, 2) for s in (b"a", b"b", b"ab")}
    assert len(seeds) == 9
    assert all(0 <= seed < 2**64 for seed in seeds)
    assert [own_seed(seed, Memory()) for seed in (0, 7)] == [0, 7]


@pytest.mark.parametrize("holders", [3, 9])
def test_lda_among_masked_holders_is_lda_among_holders_to_the_bit(holders, planted):
    parts = split(planted[0], holders)
    settings = {"max_iter": 30, "learn_priors": False, "n_samples": 1, "random_state": 0}
    plain = ch.LDA(5, **settings).fit(ch.Simulated(parts))
    commons = Watched(parts)
    masked = ch.LDA(5, **settings).fit(commons)
    assert np.array_equal(masked.components_, plain.components_)
    np.testing.assert_allclose(masked.objective_, plain.objective_, rtol=1e-12)
    np.testing.assert_allclose(masked.prevalence_, plain.prevalence_, rtol=0, atol=1e-12)
    assert commons.room < 0.5


def test_lda_learns_priors_and_takes_fractions_among_masked_holders(planted):
    rows = planted[0] * 0.75
    masked = ch.LDA(5, max_iter=60, burn_in=10, random_state=0).fit(Watched(split(rows, 3)))
    assert np.isfinite(masked.alpha_).all()
    assert masked.objective_[-1] > masked.objective_[0]


def test_a_prior_next_to_nothing_takes_bits_and_is_no_reason_to_stop(planted):
    commons = Watched(split(planted[0], 3))
    masked = ch.LDA(5, alpha=1e-10, max_iter=20, learn_priors=False, random_state=0).fit(commons)
    assert np.isfinite(masked.objective_).all()
    assert commons.room < 0.5


# What is shared


EVERYONE = (
    PRIVATE
    | DIRECTIONS
    | {
        "anchor refined padd": SPECTRAL["anchor refined padd"],
        "kmeans by itself": lambda **more: ch.KMeans(5, **more),
        "nmf local": lambda **more: ch.NMF(5, init="local", **more),
        "lda": lambda **more: ch.LDA(5, **more),
    }
)


@pytest.mark.filterwarnings("ignore:.*were restarted", "ignore:SVD stopped")
@pytest.mark.parametrize("name", EVERYONE)
def test_parties_share_the_same_whatever_their_machine_is_like(name):
    counts = plant(n=90, d=30)[0]
    states = []
    for more in ({}, {"n_jobs": 2, "verbose": 1}):
        commons = Watched(split(counts, 3))
        more = more | ({} if "anchor" in name else {"max_iter": 2})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            EVERYONE[name](random_state=0, **more).fit(commons)
        states.append(commons.states)
    assert len(states[0]) > 0
    assert states[0] == states[1]


def test_parties_that_share_something_else_are_told_apart(planted):
    states = []
    for seed in (0, 1):
        commons = Watched(split(planted[0], 3))
        ch.PLSA(5, random_state=seed, max_iter=2).fit(commons)
        states.append(commons.states)
    assert states[0][0] == states[1][0]  # the documents are counted, and nothing is shared
    assert set(states[0][1:]).isdisjoint(states[1][1:])


# Large corpora, and what is too large


@pytest.mark.parametrize("refine", [0, 3])
def test_anchor_words_of_a_billion_words_have_room(refine, planted):
    counts = planted[0] * 40_000
    assert counts.sum() > 9e8
    commons = Watched(split(counts, 9))
    settings = {"refine": refine, "min_anchor_df": 0.02, "random_state": 0}
    masked = ch.AnchorWords(5, **settings).fit(commons)
    pooled = ch.AnchorWords(5, **settings).fit(counts)
    assert commons.room < 0.5
    np.testing.assert_allclose(masked.components_, pooled.components_, rtol=0, atol=1e-8)


@pytest.mark.parametrize("holders", [1, 3, 10, 50])
def test_ten_million_documents_have_room(holders):
    """The worst that each statistic can be, for the largest corpora that we have in mind."""
    rows = [sp.csr_array((1, 50_000))] * holders
    commons, n, topics = ch.Simulated(rows), 10**7, np.full((100, 50_000), 1 / 50_000)
    commons.counted = Counted(n, n)
    largest = 2**60 / holders

    def bits(arrays=1, **bound):
        return Precision(**bound).bits([np.zeros(1)] * arrays, n, holders, 59)

    def room(bits, most):
        return largest / 2.0**bits / most

    plain = Problem("simplex", 0.0, 0.0, unobserved=False, relative=False)
    assert room(bits(most=most_of_norm(commons, plain, 100))[0], n * 100**2) > 1
    assert room(bits(**bound_of_image(plain, n))[0], n) > 1
    assert room(bits(**bound_of_residue(commons, plain, topics, n))[0], 2 * n) > 1
    products, grams, *sizes = bits(5, **bound_of_block(commons, plain, topics, n))
    assert room(products, n) > 1
    assert room(min(grams, *sizes), n) > 1
    relative = plain._replace(relative=True)
    products, grams, *sizes = bits(5, **bound_of_block(commons, relative, topics, n))
    assert room(products, n * 50_000**0.5) > 1
    assert room(max(grams, *sizes), n * 50_000) > 1
    assert min(products, grams, *sizes) >= 10
    assert room(bits(total=EXACT)[0], 2**24) > 1
    tally = bits(total=largest_tally(commons, 1e9, np.full(100, 0.05)))[0]
    assert room(tally, 1e9 * 20 + n * 20) > 1
    assert tally >= 12


@pytest.mark.parametrize("name", ["kmeans random", "plsa", "nmf block simplex"])
def test_who_looks_at_frequencies_takes_counts_of_any_size(name, planted):
    settings = {"random_state": 0, "max_iter": 5, "tol": 0}
    masked = PRIVATE[name](**settings).fit(Watched(split(planted[0] * 1e12, 3)))
    pooled = PRIVATE[name](**settings).fit(planted[0])
    np.testing.assert_allclose(masked.components_, pooled.components_, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "learner",
    [
        ch.AnchorWords(5, min_anchor_df=0.02, random_state=0),
        ch.NMF(5, constraint="none", random_state=0),
        ch.NMF(5, constraint="none", init="random", random_state=0),
    ],
)
def test_counts_that_no_sum_has_room_for_are_refused_before_they_leave(learner, planted):
    commons = ch.Simulated(split(planted[0] * 1e12, 3), secure=True, exact_totals=True)
    with pytest.raises(
        ch.InputError, match=r"the bound at \d+ fraction bits and 3 parties.*divide"
    ):
        learner.fit(commons)


def test_lda_counts_a_word_that_is_said_a_million_times():
    rows = np.array([[10**6, 3, 4], [5, 10, 2], [1, 2, 9]])
    settings = {"max_iter": 1, "learn_priors": False, "random_state": 0}
    plain = ch.LDA(1, **settings).fit(ch.Simulated(split(rows, 3)))
    masked = ch.LDA(1, **settings).fit(Watched(split(rows, 3)))
    assert np.array_equal(masked.components_, plain.components_)


def test_lda_has_its_own_word_for_counts_that_are_too_large(planted):
    commons = ch.Simulated(split(planted[0] * 1e8, 3), secure=True)
    with pytest.raises(ch.InputError, match="LDA counts up to 16,777,216"):
        ch.LDA(5, random_state=0).fit(commons)


# Zeros that rounding made


def test_em_without_a_pseudo_count_would_drift(planted, monkeypatch):
    settings = {"random_state": 3, "max_iter": 60, "tol": 0}
    masked = ch.PLSA(5, **settings).fit(ch.Simulated(split(planted[0], 9), secure=True))
    assert masked.components_.min() > 0
    monkeypatch.setattr(plsa, "PSEUDO_COUNT", 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        masked = ch.PLSA(5, **settings).fit(ch.Simulated(split(planted[0], 9), secure=True))
    assert (masked.components_ == 0).any()  # which, from then on, they stay


def test_refinement_with_a_beta_of_nothing_has_no_zeros_either(planted):
    settings = {"refine": 60, "beta": 0.0, "min_anchor_df": 0.02, "random_state": 0}
    masked = ch.AnchorWords(5, **settings).fit(Watched(split(planted[0], 9)))
    pooled = ch.AnchorWords(5, **settings).fit(planted[0])
    assert masked.components_.min() > 0
    np.testing.assert_allclose(masked.components_, pooled.components_, rtol=0, atol=1e-8)
