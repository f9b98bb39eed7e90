"""What particles estimate, against every assignment of topics summed up."""

import math
from itertools import combinations, permutations, product

import numpy as np
import pytest

from chatham.measures.held_out import particles as kernels
from chatham.measures.held_out.left_to_right import read_documents
from chatham.measures.held_out.particles import LOG, VARIANCE
from tests.measures.held_out.reading import ALPHA, TOPICS, WORDS, bag


def exact(words, topics, alpha):
    """p(w) = Σ_z Π_n T_{z_n, w_n} (N_{z_n} + α_{z_n}) / (n − 1 + Σα), over all z."""
    total = 0.0
    for z in product(range(len(alpha)), repeat=len(words)):
        chance, counts = 1.0, np.zeros(len(alpha))
        for topic, word in zip(z, words, strict=True):
            chance *= topics[topic, word] * (counts + alpha)[topic] / (counts + alpha).sum()
            counts[topic] += 1
        total += chance
    return total


def chances(z, word, topics, alpha):
    """P(z_n = t, w_n = word | z) for every topic t."""
    counts = np.bincount(z, minlength=len(alpha)) + alpha
    return topics[:, word] * counts / counts.sum()


def moment(words, places, topics, alpha, resample):
    """E[Π p_n over the given places] of one particle, its distribution followed exactly."""
    k = len(alpha)
    mass = {(): 1.0}  # E[the product so far · 1(the particle is z)] for each z
    for n, word in enumerate(words):
        for place in range(n if resample else 0):
            moved = {}
            for z, value in mass.items():
                to = chances(z[:place] + z[place + 1 :], words[place], topics, alpha)
                for t in range(k):
                    new = (*z[:place], t, *z[place + 1 :])
                    moved[new] = moved.get(new, 0.0) + value * to[t] / to.sum()
            mass = moved
        grown = {}
        for z, value in mass.items():
            to = chances(z, word, topics, alpha)
            for t in range(k):
                grown[(*z, t)] = value * (to.sum() if n in places else 1.0) * to[t] / to.sum()
        mass = grown
    return sum(mass.values())


def expected(words, particles, resample, topics=TOPICS, alpha=ALPHA):
    """E of the estimate of p(w), over all orders of the words, for 1, 2 or endless particles."""
    every = range(len(words))
    orders, total = list(permutations(words)), 0.0
    for order in orders:
        alone = [moment(order, {n}, topics, alpha, resample) for n in every]
        if particles == 1:
            total += moment(order, set(every), topics, alpha, resample)
        elif particles == 2:  # each place's mean takes its half from the one or from the other
            for size in range(len(words) + 1):
                for one in combinations(every, size):
                    halves = (set(one), set(every) - set(one))
                    parts = [moment(order, half, topics, alpha, resample) for half in halves]
                    total += parts[0] * parts[1] / 2 ** len(words)
        else:
            total += math.prod(alone)
    return total / len(orders)


def estimates(words, repetitions, particles, resample=True, topics=TOPICS, alpha=ALPHA):
    document = bag(words, topics.shape[1])
    return np.array(
        [
            read_documents(document, topics, alpha, particles, resample, seed=seed)[0]
            for seed in range(repetitions)
        ]
    )


@pytest.mark.parametrize("resample", [True, False])
def test_one_particle_is_unbiased_in_theory(resample):
    truth = exact(WORDS, TOPICS, ALPHA)
    assert expected(WORDS, 1, resample) == pytest.approx(truth, rel=1e-12)


def test_several_particles_are_off_by_what_the_docstring_says():
    rng, off = np.random.default_rng(0), []
    for _ in range(60):
        topics = rng.dirichlet(np.full(3, rng.choice([0.2, 0.5, 1.0])), 2)
        alpha, words = rng.choice([0.05, 0.1, 0.3, 0.5], 2), tuple(rng.integers(0, 3, 4))
        truth = exact(words, topics, alpha)
        limits = [expected(words, np.inf, way, topics, alpha) for way in (True, False)]
        off.append(np.abs(np.array(limits) / truth - 1))
    assert np.median(off, axis=0) == pytest.approx([0.01, 0.07], abs=0.005)
    assert np.max(off, axis=0) == pytest.approx([0.28, 1.20], abs=0.005)


def agree(found, value, most_error):
    """The mean is the value within four standard errors, and these are a small share of it."""
    error = found.std(ddof=1) / math.sqrt(len(found))
    return abs(found.mean() - value) < 4 * error and error < most_error * found.mean()


@pytest.mark.parametrize("resample", [True, False])
@pytest.mark.parametrize("particles", [1, 2])
def test_mean_over_repetitions_is_what_it_should_be(particles, resample):
    found = np.exp(estimates(WORDS, 3000, particles, resample)[:, LOG])
    assert agree(found, expected(WORDS, particles, resample), 0.02)


@pytest.mark.parametrize("resample", [True, False])
def test_many_particles_reach_the_limit(resample):
    found = np.exp(estimates(WORDS, 2000, 200, resample)[:, LOG])
    assert agree(found, expected(WORDS, np.inf, resample), 0.004)


def test_unbiased_with_three_topics_and_five_words():
    rng = np.random.default_rng(1)
    topics, alpha, words = (
        rng.dirichlet(np.full(4, 0.4), 3),
        np.array([0.1, 0.3, 1.0]),
        (0, 1, 1, 2, 3),
    )
    found = np.exp(estimates(words, 4000, 1, topics=topics, alpha=alpha)[:, LOG])
    assert agree(found, exact(words, topics, alpha), 0.02)


def test_more_particles_scatter_less_and_the_error_says_by_how_much():
    # Orders differ between repetitions, which is a little of the scatter that no particle sees.
    logs = [
        sum(math.log(moment(order, {n}, TOPICS, ALPHA, True)) for n in range(4))
        for order in permutations(WORDS)
    ]
    scatter = {}
    for particles in (8, 32):
        found = estimates(WORDS, 4000, particles)
        scatter[particles] = found[:, LOG].var() - np.var(logs)
        # A variance from 4000 draws has a standard error of √(2 / 4000) = 2.2%. To first order, as
        # it is stated, it is a little too low, the less so the more particles there are.
        ratio = found[:, VARIANCE].mean() / scatter[particles]
        assert 1 - 1.5 / particles - 0.07 < ratio < 1.07
    assert scatter[8] == pytest.approx(4 * scatter[32], rel=3 * 0.022 * math.sqrt(2))


def test_what_particles_find_is_summed_up_by_hand():
    # Means 0.3 and 0.5. One pulls by 0.2/0.3 − 1 + 2 (0.6/0.5 − 1) = 1/15, the other by −1/15, and
    # the variance of a mean of two is (1/15² + 1/15²) / (2 · 1).
    found, weights = np.full(5, 7.0), np.array([1.0, 2.0])
    rows = np.array([[0.2, 0.4], [0.6, 0.4]])
    kernels._sum_up(rows, weights, 2, np.zeros(2), found)
    logs = math.log(0.3) + 2 * math.log(0.5)
    assert found.tolist() == pytest.approx([logs, 1 / 15**2, 3.0, 0.0, 0.0])
    kernels._sum_up(rows * 0, weights, 2, np.zeros(2), found)
    assert found.tolist() == [0.0, 0.0, 3.0, 0.0, 1.0]
