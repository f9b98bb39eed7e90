"""What a neighbour learns: in pairs all word counts, exactly; under masks those of two together.

The attacker follows the protocol, and remembers what it was shown.
"""

import numpy as np

import chatham as ch
from chatham.gossip import (
    GibbsAgents,
    Simulation,
    edge_list,
    ring,
    step_size,
    waking_neighbourhoods,
    waking_nodes,
)
from chatham.gossip.schedule import share_of


def step(t):
    return step_size(t, kappa=0.7, offset=4.0)


def played(schedule):
    """Two exchanges; what each agent had after the first, and what it gave to the second."""
    truth = np.random.default_rng(0).dirichlet(np.full(60, 0.1), 4)
    drawn = ch.synthetic_corpus(truth, 90, lengths=20, random_state=0).corpus.counts
    n = schedule.graph.n
    counts = [drawn[agent::n] for agent in range(n)]
    agents = GibbsAgents(counts, np.full(4, 0.1))
    simulation = Simulation(schedule, agents.start(), agents, step).run(1)
    alone = Simulation(schedule, agents.start()).run(1)  # the same exchange without updates
    words = [np.asarray(each.sum(axis=0)).ravel() for each in counts]
    share = share_of(step, 1, 1.0, 1.0)
    return alone.statistics[0], simulation.statistics, share, words


def told_by(given, average, share):
    """The word counts behind a step from the average: s = average + ρ (G − average)."""
    expected = average + (given - average) / share
    return np.rint(expected.sum(axis=0))


def test_a_neighbour_learns_how_often_every_word_occurs():
    average, given, share, words = played(waking_nodes(edge_list([(0, 1)])))
    np.testing.assert_array_equal(told_by(given[0], average, share), words[0])
    assert words[0].sum() == 900


def test_under_masks_it_learns_the_sum_of_two_and_neither_part():
    average, given, share, words = played(waking_neighbourhoods(ring(3)))
    total = given.sum(axis=0)
    others = (total - given[0]) / 2
    learned = 2 * told_by(others, average, share)
    assert np.abs(learned - (words[1] + words[2])).max() <= 1  # each rounded once
    assert np.abs(learned - 2 * words[1]).max() > 3
    assert np.abs(learned - 2 * words[2]).max() > 3


def test_neighbours_of_one_that_compare_notes_learn_its_part():
    average, given, share, words = played(waking_neighbourhoods(ring(3)))
    alone = given.sum(axis=0) - given[0] - given[2]
    np.testing.assert_array_equal(told_by(alone, average, share), words[1])
