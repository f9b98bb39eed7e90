"""Refinement: the sweep as its docstring says, document by document; the prior; several holders."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.special import psi
from sklearn.exceptions import ConvergenceWarning

import chatham as ch
from chatham.corpus.synthetic.planting import planted_topics
from chatham.learners.anchor import refine as module
from chatham.learners.anchor.refine import (
    FIRST_SUM,
    LEAST,
    MOST_SWEEPS,
    UNIGRAM,
    hold_out,
    likelihood_of,
    mean_weights,
    posterior_weights,
    refine,
    refine_by_held_out,
    second_moments,
)
from chatham.learners.documents import Documents
from chatham.numerics.keyed import uniform
from tests.conftest import matched_distance, plant, split

STEPS, LEARN_FROM, LARGEST_SUM = 3, 3, 50.0
"""Steps in a sweep, the first sweep that learns α, the most that Σα may be: as documented, and
written anew so that a change there is noticed here."""


def settled(row, topics, alpha, counts, steps):
    """One document: its topic counts, each word's probabilities, its log-likelihood."""
    own = np.zeros((len(row), len(alpha)))
    for _ in range(steps):
        leaning, counts, likelihood = counts + alpha, np.zeros(len(alpha)), 0.0
        for word in np.flatnonzero(row):
            others = leaning - min(row[word], 1.0) * own[word]
            chances = others * topics[:, word]
            likelihood += row[word] * np.log(max(chances.sum(), LEAST) / others.sum())
            own[word] = chances / max(chances.sum(), LEAST)
            counts = counts + row[word] * own[word]
    return counts, own, likelihood


def steps_of_the_prior(counts, alpha):
    """The mean of ψ(n + α) − ψ(α) if n is one of the whole numbers about each count."""
    floor = np.floor(counts)
    low, high = (psi(floor + more + alpha) - psi(alpha) for more in (0, 1))
    return low + (counts - floor) * (high - low)


def dirichlet_moments(alpha):
    """E[wwᵀ] of a Dirichlet (Lee's equation 3.2)."""
    total = alpha.sum()
    return (np.outer(alpha, alpha) + np.diag(alpha)) / (total * (total + 1))


def naive(rows, topics, shares, unigram, sweeps, beta):
    """All of `refine`, by loops over documents and words."""
    topics = (1 - UNIGRAM) * topics + UNIGRAM * unigram
    alpha = FIRST_SUM * np.maximum(shares, UNIGRAM / len(shares))
    counts = rows.sum(axis=1, keepdims=True) * alpha / alpha.sum()
    likelihoods = []
    for sweep in range(1, sweeps + 1):
        expected, likelihood = np.zeros_like(topics), 0.0
        for i, row in enumerate(rows):
            counts[i], own, more = settled(row, topics, alpha, counts[i], STEPS)
            expected += (row[:, None] * own).T
            likelihood += more
        weights = (counts + alpha) / (counts + alpha).sum(axis=1, keepdims=True)
        weights = weights[rows.any(axis=1)]
        topics = (expected + beta) / (expected + beta).sum(axis=1, keepdims=True)
        moments = sum(dirichlet_moments(row + alpha) for row in counts if row.any())
        if sweep >= LEARN_FROM:
            sizes = counts.sum(axis=1)
            moved = steps_of_the_prior(counts, alpha).sum(axis=0)
            alpha = alpha * moved / (psi(sizes + alpha.sum()) - psi(alpha.sum())).sum()
            alpha = np.maximum(alpha, 1e-6)
            alpha = alpha * min(1, LARGEST_SUM / alpha.sum())
        likelihoods.append(likelihood / rows.sum())
    return topics, alpha, weights.sum(axis=0), moments / moments.sum(), likelihoods


def start(counts, k, seed=0):
    rows = sp.csr_array(counts).toarray().astype(float)
    rng = np.random.default_rng(seed)
    unigram = rows.sum(axis=0) / rows.sum()
    return rows, rng.dirichlet(np.ones(rows.shape[1]), k), rng.dirichlet(np.ones(k)), unigram


def corpus(kind):
    counts = plant(n=25, d=14, k=3, length=12)[0].toarray().astype(float)
    counts[4] = 0
    counts[5] = np.eye(14)[3]
    return {
        "counts": counts,
        "fractional": counts * np.random.default_rng(1).uniform(0.1, 1.7, counts.shape),
        "binary": np.minimum(counts, 1),
    }[kind]


@pytest.mark.parametrize("kind", ["counts", "fractional", "binary"])
@pytest.mark.parametrize("sweeps", [1, 2, 7])
def test_is_what_its_docstring_says(kind, sweeps):
    rows, topics, shares, unigram = start(corpus(kind), 3)
    expected = naive(rows, topics, shares, unigram, sweeps, 0.1)
    commons = ch.Alone(rows)
    with commons.fitting():
        found = refine(commons, topics, shares, unigram, sweeps=sweeps, beta=0.1)
    parts = found.topics, found.alpha, found.sizes, found.correlations, found.likelihood
    for part, wanted in zip(parts, expected, strict=True):
        np.testing.assert_allclose(part, wanted, rtol=1e-9)


def test_many_documents_are_counted_in_parts_and_none_twice():
    rows, topics, shares, unigram = start(plant(n=97, d=14, k=3, length=9)[0], 3)
    expected = naive(rows, topics, shares, unigram, 2, 0.01)
    for commons in (ch.Alone(rows), ch.Simulated(split(rows, 4))):
        with commons.fitting():
            found = refine(commons, topics, shares, unigram, sweeps=2, beta=0.01)
        np.testing.assert_allclose(found.topics, expected[0], rtol=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 6), st.sampled_from([0, 0.1]))
def test_the_result_is_always_a_model(seed, k, sweeps, beta):
    rng = np.random.default_rng(seed)
    rows = rng.poisson(rng.gamma(0.2, 3, (8, 6))) * rng.choice([1, 0.3, 40])
    rows[0] = 0
    rows[1, :2] = 2  # so that there are words at all
    rows, topics, shares, unigram = start(rows, k, seed)
    commons = ch.Alone(rows)
    with commons.fitting():
        found = refine(commons, topics, shares, unigram, sweeps=sweeps, beta=beta)
    np.testing.assert_allclose(found.topics.sum(axis=1), 1, rtol=1e-9)
    assert found.topics.min() >= 0
    assert found.alpha.min() > 0
    assert found.alpha.sum() <= LARGEST_SUM * (1 + 1e-9)
    assert found.correlations.min() >= 0
    assert found.correlations.sum() == pytest.approx(1)
    assert (found.correlations == found.correlations.T).all()
    assert np.linalg.eigvalsh(found.correlations)[0] >= -1e-12
    assert np.isfinite(found.likelihood).all()
    assert found.sizes.sum() == pytest.approx(rows.any(axis=1).sum())


def test_the_likelihood_rises_and_the_topics_come_closer():
    counts, truth, _ = plant(n=400, d=60, k=5, length=60)
    rows, topics, shares, unigram = start(counts, 5)
    topics = 0.5 * truth + 0.5 * topics
    commons = ch.Alone(rows)
    with commons.fitting():
        found = refine(commons, topics, shares, unigram, sweeps=30, beta=0.05)
    assert (np.diff(found.likelihood) > -1e-5).all()
    assert found.likelihood[-1] > found.likelihood[0] + 0.1
    assert matched_distance(found.topics, truth) < 0.15
    assert matched_distance(found.topics, truth) < matched_distance(topics, truth) / 3


def test_the_prior_is_about_the_one_that_documents_were_drawn_with():
    rng = np.random.default_rng(0)
    prior = np.array([0.6, 0.3, 0.1])
    truth = np.kron(np.eye(3), np.full(10, 0.1))
    rows = np.array([rng.multinomial(60, w @ truth) for w in rng.dirichlet(prior, 1500)])
    _, _, shares, unigram = start(rows, 3)
    commons = ch.Alone(rows)
    with commons.fitting():
        found = refine(commons, truth, shares, unigram, sweeps=60, beta=0.01)
    np.testing.assert_allclose(found.alpha, prior, rtol=0.15)


def test_the_prior_of_documents_that_are_all_alike_stays_within_bounds():
    shares = np.full(20, 1 / 20)
    commons = ch.Alone(np.full((5, 20), 1000))
    with commons.fitting():
        found = refine(commons, np.eye(20), shares, shares, sweeps=60, beta=0.01)
    np.testing.assert_allclose(found.alpha, LARGEST_SUM * shares)


def test_the_prior_is_learned_from_the_third_sweep_on():
    rows, topics, shares, unigram = start(corpus("counts"), 3)
    first = FIRST_SUM * shares

    def prior(sweeps):
        commons = ch.Alone(rows)
        with commons.fitting():
            return refine(commons, topics, shares, unigram, sweeps=sweeps, beta=0.1).alpha

    np.testing.assert_allclose(prior(1), first, rtol=1e-12)
    np.testing.assert_allclose(prior(2), first, rtol=1e-12)
    assert np.abs(prior(3) / first - 1).max() > 0.01


@pytest.mark.parametrize("holders", [3, 9])
def test_twenty_sweeps_apart_are_twenty_sweeps_together(holders, planted):
    rows, topics, shares, unigram = start(planted[0], 5)
    parts = [rows[:0], *split(rows, holders)]
    found = []
    for commons in (ch.Alone(rows), ch.Recorded(ch.Simulated(parts))):
        with commons.fitting():
            found.append(refine(commons, topics, shares, unigram, sweeps=20, beta=0.1))
    assert max(entry.round for entry in commons.ledger) == 20
    for name in ("topics", "alpha", "sizes", "correlations", "likelihood"):
        together, apart = (getattr(one, name) for one in found)
        np.testing.assert_allclose(apart, together, rtol=1e-8, atol=1e-8)


# Correlations


def test_second_moments_of_one_document_are_those_of_its_posterior():
    """By Lee's equation 3.2 to the last digits, and by a million draws to three."""
    alpha, counts = np.array([0.3, 0.1, 0.7]), np.array([[2.5, 0.0, 1.25]])
    found = second_moments(mean_weights(counts, alpha), counts, alpha, [(0, 1)])
    np.testing.assert_allclose(found, dirichlet_moments(counts[0] + alpha), rtol=1e-13)
    drawn = np.random.default_rng(0).dirichlet(counts[0] + alpha, 1_000_000)
    np.testing.assert_allclose(found, drawn.T @ drawn / len(drawn), atol=2e-3)
    assert found.sum() == pytest.approx(1)


def test_a_document_without_words_has_no_second_moments():
    alpha, counts = np.array([0.3, 0.1]), np.array([[0.0, 0.0], [1.0, 3.0]])
    found = second_moments(mean_weights(counts, alpha), counts, alpha, [(0, 2)])
    np.testing.assert_allclose(found, dirichlet_moments(counts[1] + alpha), rtol=1e-13)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("length", "most"), [(10, 0.075), (20, 0.05)])
def test_correlations_of_short_documents_dont_lean_towards_independence(seed, length, most):
    """Products of means alone are 0.11 and 0.06 of ‖A‖ away, and their topics too much apart."""
    counts, topics, weights = plant(
        n=2000, d=100, k=5, length=length, seed=seed, concentration=0.15
    )
    learner = ch.AnchorWords(5, random_state=0).fit(counts)
    distances = np.abs(topics[:, None] - learner.components_[None]).sum(axis=2)
    order = linear_sum_assignment(distances)[1]
    truth = weights.T @ weights / len(weights)
    means = learner.transform(counts)
    errors = [
        np.linalg.norm(found[np.ix_(order, order)] - truth) / np.linalg.norm(truth)
        for found in (learner.correlations_, means.T @ means / len(means))
    ]
    assert errors[0] < most
    assert errors[0] < 0.7 * errors[1]


def test_a_report_comes_after_each_sweep():
    rows, topics, shares, unigram = start(corpus("counts"), 3)
    told = []
    commons = ch.Alone(rows)
    with commons.fitting():
        found = refine(
            commons, topics, shares, unigram,
            sweeps=4, beta=0.1, report=lambda *what: told.append(what),
        )  # fmt: skip
    assert told == list(enumerate(found.likelihood, start=1))


# New documents


def test_weights_are_counts_and_prior_where_topics_share_no_word():
    topics = np.array([[0.5, 0.5, 0, 0, 0], [0, 0, 0.2, 0.8, 0]])
    alpha = np.array([0.3, 0.1])
    rows = np.array([[2, 1, 3, 0, 0], [0, 0, 0, 0.5, 0]])
    weights = posterior_weights(Documents(rows), topics, alpha, 30)
    np.testing.assert_allclose(weights, [[3.3 / 6.4, 3.1 / 6.4], [0.3 / 0.9, 0.6 / 0.9]])


def test_weights_are_the_naive_ones():
    rows, topics, shares, _ = start(corpus("fractional"), 3)
    found = posterior_weights(Documents(rows), topics, shares, 30)
    for row, weights in zip(rows, found, strict=True):
        counts = settled(row, topics, shares, row.sum() * shares, 30)[0]
        wanted = (counts + shares) / (row.sum() + 1) if row.any() else np.zeros(3)
        np.testing.assert_allclose(weights, wanted, rtol=1e-9, atol=1e-15)


def test_words_that_no_topic_utters_say_nothing():
    topics = np.array([[0.5, 0.5, 0, 0, 0], [0, 0.1, 0.1, 0.8, 0]])
    alpha = np.array([0.3, 0.1])
    rows = np.array([[2, 1, 3, 0, 0], [2, 1, 3, 0, 7], [0, 0, 0, 0, 7]])
    known, with_more, unknown = posterior_weights(Documents(rows), topics, alpha, 30)
    assert known.sum() == pytest.approx(1)
    # The unknown words lean towards the prior in the first step alone.
    np.testing.assert_allclose(with_more, known, rtol=1e-6)
    assert unknown.tolist() == [0, 0]
    assert mean_weights(np.zeros((1, 2)), alpha).tolist() == [[0, 0]]


def test_a_document_has_the_same_weights_among_any_others(planted):
    rows, topics, shares, _ = start(planted[0], 5)
    together = posterior_weights(Documents(rows), topics, shares, 30)
    for place in (0, 11, 299):
        by_itself = posterior_weights(Documents(rows[place : place + 1]), topics, shares, 30)
        assert by_itself.tobytes() == together[place : place + 1].tobytes()


def test_the_likelihood_of_one_topic_is_that_of_its_words():
    """With one topic a word's chance is the topic's own, whatever part of it is left out."""
    rows = plant(n=40)[0].toarray()
    words = rows.sum(axis=0) / rows.sum()
    found = refine(ch.Alone(rows), words[None], np.ones(1), words, sweeps=1, beta=0.0)
    expected = (rows * np.log(np.where(words > 0, words, 1.0))).sum() / rows.sum()
    assert found.likelihood[0] == pytest.approx(expected, rel=1e-10)


def test_threads_change_no_bit_of_the_weights():
    """Eight topics: rows so small that an allocator puts them side by side, or doesn't."""
    counts = plant(n=300, d=60, k=8, length=40)[0]
    learner = ch.AnchorWords(8, random_state=1, refine=0).fit(counts)
    weights = learner.transform(counts).tobytes()
    for n_jobs in [1, 2, 3] * 5:
        assert learner.set_params(n_jobs=n_jobs).transform(counts).tobytes() == weights


# Stopped by held-out words


def naive_split(rows, seed):
    """Cell by cell, by numbers that belong to the document and the word; d stands for no word."""
    seen, held = np.zeros(rows.shape), np.zeros(rows.shape)
    keys = Documents(rows).keys(seed)
    for row, key in enumerate(keys):
        if uniform(key, rows.shape[1]) >= 0.1:
            continue
        half = np.zeros(rows.shape[1])
        for word in np.flatnonzero(rows[row]):
            count = rows[row, word]
            half[word] = min(np.floor(0.5 * count + uniform(key, word)), count)
        if (rows[row] - half).any():
            seen[row], held[row] = rows[row] - half, half
    return rows - seen - held, seen, held


def as_arrays(split):
    return [
        sp.csr_array((part.data, part.indices, part.indptr), (part.n, part.d)).toarray()
        for part in (split.swept, split.seen, split.held)
    ]


@pytest.mark.parametrize("kind", ["counts", "fractional", "binary"])
def test_half_of_a_tenth_of_the_documents_is_held_out_whatever_their_place(kind):
    rows = np.vstack([corpus(kind)] * 8) * np.repeat(np.arange(1, 9), 25)[:, None]
    found = as_arrays(hold_out(Documents(rows), 3))
    for part, wanted in zip(found, naive_split(rows, 3), strict=True):
        np.testing.assert_allclose(part, wanted, rtol=1e-15)
    assert found[2].any()
    assert not (found[0].any(axis=1) & found[1].any(axis=1)).any()
    turned = as_arrays(hold_out(Documents(rows[::-1]), 3))
    for part, other in zip(found, turned, strict=True):
        np.testing.assert_array_equal(other[::-1], part)
    assert (as_arrays(hold_out(Documents(rows), 4))[2] != found[2]).any()


def test_the_shares_are_a_tenth_and_a_half():
    counts = plant(n=4000, d=60, k=5, length=40)[0]
    split = hold_out(Documents(counts), 0)
    assert (split.held.sizes > 0).mean() == pytest.approx(0.1, abs=0.02)
    assert split.held.sizes.sum() / split.seen.sizes.sum() == pytest.approx(1, abs=0.05)


def by_held_out(commons, start, **how):
    with commons.fitting():
        return refine_by_held_out(commons, *start, **{"seed": 1, "beta": 0.03, **how})


def test_is_sweeps_over_most_documents_and_one_over_all():
    rows, *begun = start(plant(n=60, d=20, k=3, length=50)[0], 3)
    found = by_held_out(ch.Alone(rows), begun, most=4)
    swept, seen, held = naive_split(rows, 1)
    states, wanted = [], []
    for sweeps in range(4):
        if sweeps:
            topics, alpha, *_ = naive(swept, *begun, sweeps, 0.03)
        else:
            topics = (1 - UNIGRAM) * begun[0] + UNIGRAM * begun[2]
            alpha = FIRST_SUM * np.maximum(begun[1], UNIGRAM / 3)
        states.append((topics, alpha))
    counts = swept.sum(axis=1, keepdims=True) * states[0][1] / states[0][1].sum()
    for topics, alpha in states:
        for i, row in enumerate(swept):
            counts[i] = settled(row, topics, alpha, counts[i], STEPS)[0]
        weights = posterior_weights(Documents(seen), topics, alpha, 10)
        likelihood = (held * np.log(np.maximum(weights @ topics, LEAST))).sum()
        wanted.append(likelihood / held.sum())
    np.testing.assert_allclose(found.likelihood, wanted, rtol=1e-9)
    topics, alpha = states[int(np.argmax(wanted))]
    expected = np.zeros_like(topics)
    for i, row in enumerate(rows):
        before = counts[i] if swept[i].any() else row.sum() * alpha / alpha.sum()
        before = settled(row, topics, alpha, before, 10)[0]
        expected += (row[:, None] * settled(row, topics, alpha, before, STEPS)[1]).T
    wanted = (expected + 0.03) / (expected + 0.03).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.topics, wanted, rtol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_it_ends_near_the_sweep_that_is_best_for_other_documents(seed):
    """From topics that are half noise, in few short documents: too many sweeps learn these by
    heart."""
    counts, truth, _ = plant(n=330, d=150, k=8, length=25, seed=seed, concentration=0.1)
    rows, others = counts[:150].toarray().astype(float), counts[150:]
    _, noise, shares, unigram = start(rows, 8, seed)
    beginning = 0.5 * truth + 0.5 * noise, shares, unigram
    others = others.toarray().astype(float)
    half = np.random.default_rng(seed).binomial(others.astype(int), 0.5)
    seen, unseen = Documents(half), Documents(others - half)

    def score(found):
        weights = posterior_weights(seen, found.topics, found.alpha, 30)
        return likelihood_of(unseen, found.topics, weights) / unseen.sizes.sum()

    def after(sweeps):
        commons = ch.Alone(rows)
        with commons.fitting():
            return score(refine(commons, *beginning, sweeps=sweeps, beta=0.03))

    scores = {sweeps: after(sweeps) for sweeps in (1, 2, 4, 8, 16, 32, 64, 100)}
    found = by_held_out(ch.Alone(rows), beginning)
    assert found.converged
    assert len(found.likelihood) < MOST_SWEEPS
    best, worst = max(scores.values()), min(scores.values())
    assert best - worst > 0.02
    assert best - score(found) < 0.5 * (best - worst)
    assert score(found) > scores[100] or best - score(found) < 0.01


@pytest.mark.parametrize("holders", [3, 9])
def test_held_out_words_stop_holders_as_they_stop_one(holders, planted):
    rows, *beginning = start(planted[0], 5)
    together = by_held_out(ch.Alone(rows), beginning)
    apart = by_held_out(ch.Simulated([rows[:0], *split(rows, holders)]), beginning)
    masked = by_held_out(ch.Simulated(split(rows, 3), secure=True), beginning)
    for found in (apart, masked):
        assert len(found.likelihood) == len(together.likelihood)
        for name in ("topics", "alpha", "sizes", "correlations", "likelihood"):
            np.testing.assert_allclose(
                getattr(found, name), getattr(together, name), rtol=1e-5, atol=1e-6
            )
    np.testing.assert_allclose(apart.topics, together.topics, rtol=1e-8, atol=1e-9)


def test_threads_change_no_bit_of_a_fit_that_held_out_words_end():
    counts = plant(n=300, d=60, k=5, length=40)[0]
    found = [
        ch.AnchorWords(5, random_state=1, refine="held-out", n_jobs=jobs).fit(counts)
        for jobs in (1, 2, 3)
    ]
    assert len({model.components_.tobytes() for model in found}) == 1
    assert len(found[0].likelihood_) >= 4
    other = ch.AnchorWords(5, random_state=2, refine="held-out").fit(counts)
    assert other.components_.tobytes() != found[0].components_.tobytes()


def test_sweeps_that_held_out_words_dont_end_are_told(monkeypatch):
    monkeypatch.setattr(module, "LEAST_GAIN", -1.0)
    monkeypatch.setitem(module.refine_by_held_out.__kwdefaults__, "most", 3)
    counts = plant(n=100, d=30, k=3, length=40)[0]
    with pytest.warns(ConvergenceWarning, match="gained in the last of 3 sweeps") as told:
        ch.AnchorWords(3, random_state=1, refine="held-out", tol=50).fit(counts)
    assert told[0].filename == __file__


def test_where_no_word_can_be_held_out_a_number_is_asked_for():
    rows = np.array([[1.0, 1, 0], [0, 1, 1]])
    beginning = start(rows, 2)[1:]
    for seed in range(20):
        if not hold_out(Documents(rows), seed).held.sizes.any():
            with pytest.raises(ch.InputError, match="give refine a number of sweeps"):
                by_held_out(ch.Alone(rows), beginning, seed=seed)
            return
    raise AssertionError


def test_the_learned_prior_is_too_large():
    """The figures of docs/refinement.md: Σα where it was planted to be one."""
    found = []
    for seed in range(3):
        topics, _ = planted_topics(20, 1000, concentration=0.1, anchor_probability=0.005,
                                   random_state=seed)  # fmt: skip
        rng = np.random.default_rng(seed)
        weights = rng.dirichlet(np.full(20, 1.0 / 20), 2000)
        counts = np.array([rng.multinomial(100, words) for words in weights @ topics])
        found.append(round(ch.AnchorWords(20, random_state=0).fit(counts).alpha_.sum(), 1))
    assert (min(found), max(found)) == (1.9, 2.0)
