"""Who can talk to whom: a connected, undirected graph of agents.

The graphs of Colin and Dupuy's section 4 (complete; Watts and Strogatz's), a ring and a grid, or
one's own by its edges. The few generators are written out here rather than taken from a library:
they are a line each, and the same seed then gives the same graph whatever is installed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from chatham.errors import InputError
from chatham.gossip.checks import as_list, check_number, check_whole
from chatham.learners.parameters import check_seed
from chatham.naming import plural
from chatham.wording import say

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Graph:
    """Agents 0 … n−1 and the pairs of them that can talk; connected, each pair once.

    A bipartite graph is as good as any: the source asks for one that isn't, but the two agents of
    a pair both keep half of their own, and E[W] is positive semi-definite whatever the graph.
    """

    edges: Numbers
    """m×2, the smaller number of each pair first, in order."""
    names: tuple[str, ...]
    """What the agents are called."""
    kind: str = "graph"
    degrees: Numbers = field(init=False)
    """How many neighbours each agent has."""

    def __post_init__(self) -> None:
        edges = np.sort(np.asarray(self.edges, dtype=np.int64).reshape(-1, 2), axis=1)
        edges = edges[np.lexsort((edges[:, 1], edges[:, 0]))]
        self._check(edges)
        object.__setattr__(self, "edges", edges)
        object.__setattr__(self, "degrees", np.bincount(edges.ravel(), minlength=self.n))

    @property
    def n(self) -> int:
        """How many agents there are."""
        return len(self.names)

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """The neighbours of each agent."""
        lists: list[list[int]] = [[] for _ in range(self.n)]
        for i, j in self.edges.tolist():
            lists[i].append(j)
            lists[j].append(i)
        return tuple(tuple(sorted(each)) for each in lists)

    def __str__(self) -> str:
        return f"{self.kind} of {self.n:,} agents and {plural(len(self.edges), 'edge')}"

    def _check(self, edges: Numbers) -> None:
        if self.n < 2:
            raise InputError(
                f"A graph must have at least two agents to talk to each other, and here is "
                f"{'one' if self.n else 'none'}."
            )
        for i, _ in edges[edges[:, 0] == edges[:, 1]].tolist():
            raise InputError(
                f"Agent {self.names[i]} is listed as its own neighbour; leave that pair out."
            )
        for (i, j), times in Counter(map(tuple, edges.tolist())).items():
            if times > 1:
                raise InputError(
                    f"The edge between {self.names[i]} and {self.names[j]} is listed {times} "
                    "times; list it once."
                )
        parts, labels = _parts(self.n, edges)
        if parts > 1:
            apart = self.names[int(np.argmax(labels != labels[0]))]
            raise InputError(
                f"The graph is in {parts} parts that can't reach each other (no path leads from "
                f"agent {self.names[0]} to agent {apart}), so they would never agree; add edges "
                "between them."
            )


def complete(n: int) -> Graph:
    """Everybody talks to everybody."""
    return Graph(np.argwhere(np.triu(np.ones((_size(n), n)), 1)), _numbered(n), "complete graph")


def ring(n: int) -> Graph:
    """Each agent talks to the one before and the one after it."""
    first = np.arange(_size(n, 3))
    return Graph(np.column_stack([first, (first + 1) % n]), _numbered(n), "ring")


def grid(rows: int, columns: int) -> Graph:
    """Agents in rows and columns, each talking to those above, below, left and right."""
    place = np.arange(_size(rows, 1, "rows") * _size(columns, 1, "columns")).reshape(rows, columns)
    across = np.column_stack([place[:, :-1].ravel(), place[:, 1:].ravel()])
    down = np.column_stack([place[:-1].ravel(), place[1:].ravel()])
    return Graph(np.vstack([across, down]), _numbered(rows * columns), "grid")


def watts_strogatz(n: int, edges: int, p: float, *, random_state: int = 0) -> Graph:
    """A small world: a ring of near neighbours, some of whose edges lead elsewhere instead.

    Watts and Strogatz (1998): each agent has `edges`/n neighbours before it on a ring and as many
    after it; then, one lap of the ring for each distance, each edge keeps its first end, and with
    probability `p` gets another second end, drawn evenly from agents that the first doesn't talk
    to. A graph that has fallen apart is drawn again.
    """
    near, rest = divmod(check_whole(edges, 1, "edges"), _size(n, 3))
    if rest or not 0 < near <= (n - 1) // 2:
        raise InputError(
            say(
                "{edges=} must be {n} times a whole number from 1 to {most}, the neighbours that "
                "each of the {n} agents has on either side before edges are moved.",
                edges=edges,
                n=n,
                most=(n - 1) // 2,
            )
        )
    check_number(p, 0, 1, "p", "a probability, from 0 to 1")
    rng = np.random.default_rng(check_seed(random_state))
    # Even the thinnest, n edges that all lead anywhere, is connected about once in √n draws.
    while _parts(n, pairs := _rewired(n, near, p, rng))[0] > 1:
        pass
    return Graph(pairs, _numbered(n), "Watts–Strogatz graph")


def edge_list(edges: Iterable[Sequence[Hashable]]) -> Graph:
    """The graph of these pairs of names; agents are numbered in the order of their names.

    >>> path = edge_list([("b", "c"), ("a", "b")])
    >>> path.names, path.edges.tolist()
    (('a', 'b', 'c'), [[0, 1], [1, 2]])
    """
    rule = "An edge is a pair of agents, such as ('north', 'east')"
    pairs = [tuple(as_list(edge, rule)) for edge in as_list(edges, "Edges are pairs of agents")]
    for pair in pairs:
        if len(pair) != 2:
            raise InputError(f"An edge is a pair of agents, and {pair!r} has {len(pair)}.")
        _check_names(pair)
    names = sorted({name for pair in pairs for name in pair}, key=_order)
    number = {name: place for place, name in enumerate(names)}
    numbers = np.array([(number[a], number[b]) for a, b in pairs], dtype=np.int64)
    return Graph(numbers, _texts(names))


def neighbour_lists(neighbours: Mapping[Hashable, Iterable[Hashable]]) -> Graph:
    """The graph in which each agent named talks to those listed; both must list each other.

    >>> neighbour_lists({"a": ["b"], "b": ["a", "c"], "c": ["b"]}).degrees.tolist()
    [1, 2, 1]
    """
    if not isinstance(neighbours, Mapping):
        raise InputError(
            "Neighbours must be given as the names that each agent lists, such as {'north': "
            f"['east'], 'east': ['north']}}; got a {type(neighbours).__name__}."
        )
    rule = "An agent's neighbours are a list of names"
    lists = {agent: as_list(each, rule) for agent, each in neighbours.items()}
    for listed in lists.values():
        _check_names(listed)
    for agent, listed in lists.items():
        for other in listed:
            if other not in lists:
                raise InputError(
                    f"Agent {agent} lists {other} as a neighbour, who isn't among the agents; add "
                    f"{other} with {agent} as a neighbour."
                )
            if agent not in lists[other]:
                raise InputError(
                    f"Agent {agent} lists {other} as a neighbour, but {other} doesn't list {agent};"
                    " an edge must be listed on both sides, or on neither."
                )
    names = sorted(lists, key=_order)
    number = {name: place for place, name in enumerate(names)}
    pairs = {(number[a], number[b]) for a in lists for b in lists[a]}
    once = sorted({(min(pair), max(pair)) for pair in pairs})
    return Graph(np.array(once, dtype=np.int64), _texts(names))


def _rewired(n: int, near: int, p: float, rng: np.random.Generator) -> Numbers:
    neighbours = [{(i + step) % n for step in range(-near, near + 1) if step} for i in range(n)]
    for step in range(1, near + 1):
        for i in range(n):
            if rng.random() >= p or len(neighbours[i]) == n - 1:
                continue
            j = (i + step) % n
            free = [other for other in range(n) if other != i and other not in neighbours[i]]
            other = free[rng.integers(len(free))]
            neighbours[i].remove(j)
            neighbours[j].remove(i)
            neighbours[i].add(other)
            neighbours[other].add(i)
    return np.array([(i, j) for i in range(n) for j in sorted(neighbours[i]) if i < j])


def _parts(n: int, edges: Numbers) -> tuple[int, Numbers]:
    """How many parts no path connects, and in which of them each agent is."""
    matrix = coo_array((np.ones(len(edges)), edges.T), shape=(n, n))
    return connected_components(matrix, directed=False)


def _numbered(n: int) -> tuple[str, ...]:
    return tuple(map(str, range(n)))


def _check_names(names: Sequence[Any]) -> None:
    for name in names:
        if not isinstance(name, Hashable):
            raise InputError(f"An agent is called by a text or a number, not by {name!r:.40}.")


def _order(name: Any) -> tuple[bool, Any]:
    """Numbers by their value, before texts."""
    return (True, str(name)) if not isinstance(name, Integral) else (False, int(name))


def _texts(names: Sequence[Any]) -> tuple[str, ...]:
    """Names as text, by which agents are told apart from here on."""
    texts = tuple(map(str, names))
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise InputError(
            f"Two agents are called {twice}, as a number and as text; call each by one of them."
        )
    return texts


def _size(value: int, least: int = 2, name: str = "n") -> int:
    return check_whole(value, least, name)
