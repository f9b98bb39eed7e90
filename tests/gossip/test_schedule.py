"""Schedules: E[W] and activity by enumeration, λ₂ as published, draws as they should be."""

import numpy as np
import pytest

from chatham.errors import InputError
from chatham.gossip import (
    complete,
    edge_list,
    grid,
    ring,
    uniform_edges,
    waking_neighbourhoods,
    waking_nodes,
    watts_strogatz,
)

PATH = edge_list([(0, 1), (1, 2), (2, 3)])
STAR = edge_list([(0, leaf) for leaf in range(1, 5)])
GRAPHS = [PATH, STAR, complete(5), ring(6), grid(2, 3), watts_strogatz(12, 24, 0.3)]


def events_of(graph, kind):
    """Every event by its probability: an edge, or who wakes and whom it chooses, if anybody."""
    if kind is uniform_edges:
        return [(tuple(edge), 1 / len(graph.edges)) for edge in graph.edges.tolist()]
    if kind is waking_neighbourhoods:
        groups = [(i, *near) for i, near in enumerate(graph.neighbours) if len(near) > 1]
        return [(group, 1 / len(groups)) for group in groups]
    return [
        ((i, j), 1 / graph.n / len(graph.neighbours[i]))
        for i in range(graph.n)
        for j in graph.neighbours[i]
    ]


@pytest.mark.parametrize("kind", [uniform_edges, waking_nodes, waking_neighbourhoods])
@pytest.mark.parametrize("graph", GRAPHS, ids=str)
def test_expectations_by_enumeration(graph, kind):
    schedule = kind(graph)
    mean, active = np.zeros((graph.n, graph.n)), np.zeros(graph.n)
    for group, probability in events_of(graph, kind):
        averaging = np.eye(graph.n)
        averaging[np.ix_(group, group)] = 1 / len(group)
        mean += probability * averaging
        active[list(group)] += probability
    np.testing.assert_allclose(schedule.averaging, mean, atol=1e-15)
    np.testing.assert_allclose(schedule.activity, active, atol=1e-15)
    assert schedule.probabilities.sum() == pytest.approx(1)
    assert schedule.second_eigenvalue == pytest.approx(np.linalg.eigvalsh(mean)[-2], abs=1e-14)
    np.testing.assert_allclose(schedule.corrections * active, active.mean())


@pytest.mark.parametrize("graph", GRAPHS, ids=str)
def test_uniform_edges_by_the_algebraic_connectivity(graph):
    laplacian = np.diag(graph.degrees.astype(float))
    for i, j in graph.edges:
        laplacian[i, j] = laplacian[j, i] = -1
    expected = 1 - np.linalg.eigvalsh(laplacian)[1] / (2 * len(graph.edges))
    schedule = uniform_edges(graph)
    assert schedule.second_eigenvalue == pytest.approx(expected, abs=1e-14)
    np.testing.assert_allclose(schedule.activity, graph.degrees / len(graph.edges))


def test_closed_forms():
    # Complete: μ₂ = n. Ring: μ₂ = 2 − 2 cos(2π/n), and waking nodes draw its edges evenly too.
    assert uniform_edges(complete(50)).second_eigenvalue == pytest.approx(1 - 1 / 49, abs=1e-14)
    assert round(uniform_edges(complete(50)).second_eigenvalue, 6) == 0.979592
    assert round(uniform_edges(ring(50)).second_eigenvalue, 6) == 0.999842
    assert round(waking_nodes(ring(50)).second_eigenvalue, 6) == 0.999842
    # One pairing of two agents is the average.
    two = uniform_edges(complete(2))
    assert two.second_eigenvalue == 0
    assert two.exchanges(1e-9) == 1


def test_activity_by_hand():
    # Ends wake one time in four, and are chosen by the middle ones half the time.
    np.testing.assert_allclose(waking_nodes(PATH).activity, [0.375, 0.625, 0.625, 0.375])
    np.testing.assert_allclose(uniform_edges(STAR).activity, [1, 0.25, 0.25, 0.25, 0.25])
    np.testing.assert_allclose(uniform_edges(STAR).corrections, [0.4, 1.6, 1.6, 1.6, 1.6])


def test_neighbourhoods_hold_three_or_more():
    # A leaf never wakes: it and the hub alone would see each other's statistics.
    star = waking_neighbourhoods(STAR)
    assert star.groups == [[0, 1, 2, 3, 4]]
    assert star.second_eigenvalue == 0
    assert waking_neighbourhoods(PATH).groups == [[0, 1, 2], [1, 2, 3]]
    with pytest.raises(InputError) as caught:
        waking_neighbourhoods(complete(2))
    assert str(caught.value) == (
        "No agent has two neighbours, so a sum would show each of the two the other's statistics; "
        "add an agent, or let them average in pairs."
    )


def test_the_number_of_exchanges_is_the_least():
    schedule = waking_nodes(grid(3, 3))
    for share in (0.5, 1e-3):
        exchanges = schedule.exchanges(share)
        eigenvalue = schedule.second_eigenvalue
        assert eigenvalue**exchanges <= share**2 < eigenvalue ** (exchanges - 1)
    with pytest.raises(InputError, match=r"^share=1 must lie between 0 and 1\.$"):
        schedule.exchanges(1)


def test_what_a_schedule_says_of_itself():
    assert str(uniform_edges(complete(50))) == (
        "complete graph of 50 agents and 1,225 edges, uniform edges: λ₂ = 0.979592, so that a "
        "thousandth of the disagreement is left after 671 exchanges at most (root of the mean "
        "square), 27 for each agent"
    )


@pytest.mark.parametrize("kind", [uniform_edges, waking_nodes])
def test_draws_follow_the_probabilities(kind):
    schedule = kind(grid(2, 3))
    draws = 100_000
    observed = np.bincount(schedule.draw(7, 0, draws), minlength=7) / draws
    errors = np.sqrt(schedule.probabilities * (1 - schedule.probabilities) / draws)
    assert (np.abs(observed - schedule.probabilities) < 4 * errors).all()
    # One draw says nothing of the next.
    drawn = schedule.draw(7, 0, draws)
    both = np.bincount(drawn[:-1] * 7 + drawn[1:], minlength=49) / (draws - 1)
    expected = np.outer(schedule.probabilities, schedule.probabilities).ravel()
    assert (np.abs(both - expected) < 5 * np.sqrt(expected / draws)).all()


def test_a_draw_follows_from_its_seed_and_number():
    schedule = uniform_edges(ring(9))
    whole = schedule.draw(3, 0, 50)
    parts = np.concatenate([schedule.draw(3, 0, 20), schedule.draw(3, 20, 50)])
    np.testing.assert_array_equal(whole, parts)
    assert (whole != schedule.draw(4, 0, 50)).any()
