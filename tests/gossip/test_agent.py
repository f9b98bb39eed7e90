"""Agents with documents: DELEDA is G-OEM on all of them, but for the gaps between agents."""

import numpy as np
import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.gossip import GibbsAgents, Simulation, complete, ring, uniform_edges, waking_nodes
from chatham.learners.online_lda import expected_counts, step_size, topics_of
from chatham.measures.subject import Subject
from chatham.measures.truth.topics import DistanceToTruth

ALPHA = np.full(3, 0.2)


def planted(n, seed=0, d=30):
    topics = np.random.default_rng(1).dirichlet(np.full(d, 0.1), 3)
    drawn = ch.synthetic_corpus(topics, n, lengths=12, poisson=True, prior=0.2, random_state=seed)
    return drawn.corpus.counts, topics


def dealt(counts, agents):
    return [counts[agent::agents] for agent in range(agents)]


def step(t):
    return step_size(t, kappa=0.6)


def test_algorithm_1_is_full_batch_em_where_all_statistics_are_equal():
    """Ten iterations; before each, every agent gets the average. The draws are the same by key."""
    counts, _ = planted(40)
    agents = GibbsAgents(dealt(counts, 8), ALPHA, smoothing=0.01, random_state=5)
    simulation = Simulation(uniform_edges(ring(8)), agents.start(), agents, step, synchronous=True)
    pooled = 8 * agents.start()[0]
    for t in range(1, 11):
        simulation.statistics[:] = simulation.average
        simulation.run(1)
        topics = topics_of(pooled, 8 * 0.01)
        expected = expected_counts(counts, topics, ALPHA, sweeps=20, burn_in=10, seed=(5 << 32) + t)
        pooled += step(t) * (expected - pooled)
        np.testing.assert_allclose(8 * simulation.average, pooled, atol=1e-11, rtol=0)
        # Each iteration starts from its own mean, so rounding doesn't build up into other draws.
        pooled = 8 * simulation.average


def test_algorithm_1_is_full_batch_em_where_all_have_the_same_documents():
    counts, _ = planted(10)
    agents = GibbsAgents([counts] * 4, ALPHA)
    simulation = Simulation(
        uniform_edges(complete(4)), agents.start(), agents, step, synchronous=True
    )
    alone = agents.start()[0]
    for t in range(1, 11):
        simulation.run(1)
        expected = expected_counts(
            counts, topics_of(alone, 0.01), ALPHA, sweeps=20, burn_in=10, seed=t
        )
        alone = alone + step(t) * (expected - alone)
        for agent in range(4):
            np.testing.assert_allclose(simulation.statistics[agent], alone, atol=1e-12, rtol=0)


def test_expected_counts_hold_every_token():
    counts, _ = planted(24)
    agents = GibbsAgents(dealt(counts, 6), ALPHA)
    for agent, mine in enumerate(dealt(counts, 6)):
        found = agents(agent, agents.start()[agent], 1)
        words = np.asarray(mine.sum(axis=0)).ravel()
        np.testing.assert_allclose(found.sum(axis=0), words, atol=1e-5)


def test_every_agent_finds_the_topics_of_all():
    """Each has six documents, from which alone nobody could tell three topics."""
    counts, truth = planted(150)
    parts = dealt(counts, 25)
    agents = GibbsAgents(parts, ALPHA)
    simulation = Simulation(waking_nodes(ring(25)), agents.start(), agents, step).run(4000)

    def distance(topics):
        words = np.arange(topics.shape[1]).astype(str).astype(object)
        subject = Subject(words, topics=topics, true_topics=truth)
        return DistanceToTruth().value(None, subject).value

    found = [distance(agents.topics(each)) for each in simulation.statistics]
    alone = []
    for agent in range(5):
        statistics = agents.start()[agent]
        for t in range(1, 300):
            statistics = statistics + step(t) * (agents(agent, statistics, t) - statistics)
        alone.append(distance(agents.topics(statistics)))
    assert max(found) < 0.25 < min(alone)


def test_the_same_seed_gives_the_same_bytes():
    counts, _ = planted(20)

    def run(seed):
        agents = GibbsAgents(dealt(counts, 5), ALPHA, random_state=seed)
        simulation = Simulation(waking_nodes(ring(5)), agents.start(), agents, step, random_state=1)
        return simulation.run(30).statistics.tobytes()

    assert run(3) == run(3) != run(4)


def test_a_start_is_the_same_for_all():
    counts, _ = planted(20)
    start = GibbsAgents(dealt(counts, 4), ALPHA).start(random_state=7)
    assert start.shape == (4, 3, counts.shape[1])
    assert (start == start[0]).all()
    assert start[0].sum() == pytest.approx(counts.sum() / 4)
    assert (start[0] != GibbsAgents(dealt(counts, 4), ALPHA).start(random_state=8)[0]).any()


@pytest.mark.parametrize(
    ("matrices", "alpha", "sentence"),
    [
        ([np.eye(3), np.eye(4)], ALPHA,
         "counts must have one matrix for each agent, all over the same words. Got matrices of 3 "
         "and 4 columns instead."),
        ([], ALPHA,
         "counts must have one matrix for each agent, all over the same words. Got matrices of no "
         "columns instead."),
        ([np.eye(3)], [0.1, 0.0], "alpha must be one number above 0 for each topic."),
        ([np.eye(3)], 0.1, "alpha must be one number above 0 for each topic."),
    ],
)  # fmt: skip
def test_what_is_refused(matrices, alpha, sentence):
    with pytest.raises(InputError) as caught:
        GibbsAgents(matrices, alpha)
    assert str(caught.value) == sentence
