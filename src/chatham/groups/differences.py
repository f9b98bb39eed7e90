"""What differences of two tables of the same documents tell, and which cells must join others.

Who has two tables of a party can add up some cells of the one and subtract some of the other. What
remains are the documents that are in the chosen cells of one table alone. Take a graph whose nodes
are the cells of both tables, with an edge for each document between its two: such a choice cuts the
graph in two, and what remains are the edges of the cut. If every cut has no edge or many, so has
everything else that is linear in the two tables, since numbers for the cells that nearly all
documents cancel out are the same on either side of small cuts.

Small cuts are found by maximum adjacency orderings (Nagamochi and Ibaraki, 1992; Stoer and Wagner,
1997): each node comes after those that it has most edges with, the last one's edges are the
smallest cut between it and the one before, and neighbours that no small cut parts are joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


def keep_apart(
    cells: Sequence[Numbers], sizes: Sequence[int], copied: Numbers, fewest: int
) -> list[Numbers]:
    """The cells of each document in each table, of which as many joined the last as it takes.

    `cells` has the cell of each document in each table, and `sizes` how many cells a table has;
    documents of the same number in `copied` count as one. Of three tables each two are looked at.

    >>> years, months = np.repeat([0, 1], 40), np.repeat([0, 1, 2, 3], 20)
    >>> months[:2] = 4  # two documents of the first year have no month
    >>> [each.tolist()[0] for each in keep_apart([years, months], [3, 6], np.arange(80), 5)]
    [2, 5]
    """
    moved = [each.copy() for each in cells]
    pairs = list(combinations(range(len(moved)), 2))
    while True:
        found = [
            joining
            for one, other in pairs
            if (joining := _joining(moved, (one, other), sizes, copied, fewest)) is not None
        ]
        if not found:
            return moved
        table, cell = found[0]
        moved[table][moved[table] == cell] = sizes[table] - 1


def _joining(
    cells: Sequence[Numbers], pair: tuple[int, int], sizes: Sequence[int], copied: Numbers,
    fewest: int,
) -> tuple[int, int] | None:  # fmt: skip
    """The table and the cell that must join the others, if a difference is over few documents.

    It is the smallest of those that the few documents are in; where these are all others already,
    the smallest of all.
    """
    one, other = pair
    rows, columns = sizes[one], sizes[other]
    seen = np.unique(np.column_stack([cells[one], cells[other], copied]), axis=0)
    shared = np.zeros((rows, columns), dtype=np.int64)
    np.add.at(shared, (seen[:, 0], seen[:, 1]), 1)
    cut = small_cut(shared, fewest)
    if cut is None:
        return None
    across = (shared > 0) & (cut[:rows, None] != cut[None, rows:])
    held = [(one, shared.sum(axis=1), across.any(axis=1)),
            (other, shared.sum(axis=0), across.any(axis=0))]  # fmt: skip
    named = [
        (not touched[cell], documents[cell], table, cell)
        for table, documents, touched in held
        for cell in range(len(documents) - 1)
        if documents[cell]
    ]
    if not named:
        return None
    *_, table, cell = min(named)
    return table, int(cell)


def small_cut(shared: Numbers, fewest: int) -> NDArray[np.bool_] | None:
    """One side of a cut of some edges, but fewer than `fewest`, in the graph of rows and columns.

    >>> small_cut(np.array([[40, 2], [0, 40]]), 5).tolist()
    [False, True, False, True]
    >>> small_cut(np.array([[40, 9], [0, 40]]), 5), small_cut(np.array([[40, 0], [0, 40]]), 5)
    (None, None)
    """
    rows, columns = shared.shape
    edges = np.zeros((rows + columns,) * 2, dtype=np.int64)
    edges[:rows, rows:], edges[rows:, :rows] = shared, shared.T
    filled = np.flatnonzero(edges.any(axis=1))
    holds = np.eye(rows + columns, dtype=bool)[filled]
    edges = edges[np.ix_(filled, filled)]
    while len(edges) > 1:
        order, attached = _by_adjacency(edges)
        if 0 < attached[-1] < fewest:
            return np.asarray(holds[order[-1]])
        if attached[-1] == 0:  # nothing holds it to any other
            order, attached = order[:-1], attached[:-1]
        begins = np.flatnonzero(attached < fewest)
        edges = np.add.reduceat(edges[np.ix_(order, order)], begins, axis=0)
        edges = np.add.reduceat(edges, begins, axis=1)
        np.fill_diagonal(edges, 0)
        holds = np.logical_or.reduceat(holds[order], begins, axis=0)
    return None


def _by_adjacency(edges: Numbers) -> tuple[Numbers, Numbers]:
    """Each node after those that it has most edges with, and how many it has with all before."""
    n = len(edges)
    order, attached = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    waiting, held = np.ones(n, dtype=bool), np.zeros(n, dtype=np.int64)
    for place in range(n):
        node = int(np.argmax(np.where(waiting, held, -1)))
        order[place], attached[place] = node, held[node]
        waiting[node] = False
        held += edges[node]
    return order, attached
