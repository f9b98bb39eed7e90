"""Graphs of agents: their edges by hand, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatham.errors import InputError
from chatham.gossip import complete, edge_list, grid, neighbour_lists, ring, watts_strogatz


def test_complete_and_ring():
    assert complete(4).edges.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert len(complete(50).edges) == 1225
    assert ring(4).edges.tolist() == [[0, 1], [0, 3], [1, 2], [2, 3]]
    assert complete(2).edges.tolist() == [[0, 1]]


def test_a_grid_by_hand():
    # 0 1 2
    # 3 4 5
    edges = {(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)}
    assert set(map(tuple, grid(2, 3).edges.tolist())) == edges
    assert grid(2, 3).degrees.tolist() == [2, 3, 2, 2, 3, 2]
    assert grid(1, 3).neighbours == ((1,), (0, 2), (1,))


def test_a_small_world_without_moved_edges_is_a_lattice():
    lattice = watts_strogatz(50, 100, 0.0)
    assert set(lattice.degrees) == {4}
    assert lattice.neighbours[0] == (1, 2, 48, 49)


@given(st.integers(5, 30), st.integers(1, 2), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_a_small_world_keeps_its_edges(n, near, p, seed):
    graph = watts_strogatz(n, near * n, p, random_state=seed)
    assert len({tuple(edge) for edge in graph.edges.tolist()}) == near * n
    same = watts_strogatz(n, near * n, p, random_state=seed)
    assert (same.edges == graph.edges).all()


def test_a_small_world_moves_the_share_of_edges_that_it_says():
    lattice = {tuple(edge) for edge in watts_strogatz(50, 100, 0.0).edges.tolist()}
    kept = [
        len(lattice & set(map(tuple, watts_strogatz(50, 100, 0.3, random_state=s).edges.tolist())))
        for s in range(200)
    ]  # fmt: skip
    # A moved edge lands on another one's old place with probability about 0.3 · 4/45 at most.
    assert 70 - 0.5 < np.mean(kept) < 70 + 30 * 0.3 * 4 / 45 + 0.5


def test_edges_by_names():
    star = edge_list([("hub", "a"), ("b", "hub")])
    assert star.names == ("a", "b", "hub")
    assert star.degrees.tolist() == [1, 1, 2]
    assert str(star) == "graph of 3 agents and 2 edges"
    assert edge_list([(2, 10), (10, 1)]).names == ("1", "2", "10")


def test_a_bipartite_graph_is_as_good_as_any():
    assert edge_list([("a", "b")]).n == 2
    assert ring(4).n == 4


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: edge_list([("a", "b"), ("c", "d")]),
         "The graph is in 2 parts that can't reach each other (no path leads from agent a to agent "
         "c), so they would never agree; add edges between them."),
        (lambda: neighbour_lists({"a": ["b"], "b": ["a"], "c": []}),
         "The graph is in 2 parts that can't reach each other (no path leads from agent a to agent "
         "c), so they would never agree; add edges between them."),
        (lambda: neighbour_lists({"a": ["b"], "b": []}),
         "Agent a lists b as a neighbour, but b doesn't list a; an edge must be listed on both "
         "sides, or on neither."),
        (lambda: neighbour_lists({"a": ["b"]}),
         "Agent a lists b as a neighbour, who isn't among the agents; add b with a as a "
         "neighbour."),
        (lambda: edge_list([("a", "b"), ("b", "a")]),
         "The edge between a and b is listed 2 times; list it once."),
        (lambda: edge_list([("a", "a"), ("b", "a")]),
         "Agent a is listed as its own neighbour; leave that pair out."),
        (lambda: edge_list([("a", "b", "c")]),
         "An edge is a pair of agents, and ('a', 'b', 'c') has 3."),
        (lambda: edge_list([]),
         "A graph must have at least two agents to talk to each other, and here is none."),
        (lambda: complete(1), "n=1 must be a whole number of at least 2."),
        (lambda: ring(2), "n=2 must be a whole number of at least 3."),
        (lambda: grid(0, 3), "rows=0 must be a whole number of at least 1."),
        (lambda: grid(1, 1),
         "A graph must have at least two agents to talk to each other, and here is one."),
        (lambda: watts_strogatz(50, 101, 0.3),
         "edges=101 must be 50 times a whole number from 1 to 24, the neighbours that each of the "
         "50 agents has on either side before edges are moved."),
        (lambda: watts_strogatz(50, 100, 1.5), "p=1.5 must be a probability, from 0 to 1."),
    ],
)  # fmt: skip
def test_what_is_refused(make, sentence):
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value) == sentence


def test_numbers_of_numpy_are_numbers():
    assert edge_list(np.array([[10, 2], [2, 3]])).names == ("2", "3", "10")


def test_a_number_and_its_text_are_not_two_agents():
    with pytest.raises(InputError, match="Two agents are called 1"):
        edge_list([(1, "1"), ("1", 2)])
