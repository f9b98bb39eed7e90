"""What is told of a cell: sums over its documents, whoever has them.

Between parties a cell may have few documents of one of them, and a sum over few tells about each.
So there, before anything leaves, a party moves its cells of fewer than `FEWEST` documents into a
cell `OTHER`, then its next smallest, until that holds none or enough; a first sum says how many
parties fill each cell, and one that only one fills joins `OTHER` for all. Words are told of a cell
only where enough of the party's documents there have them. Copies of a document count as one.
Several tables of the same documents can be subtracted, so cells join `OTHER` also where a
difference of two tables would be over few documents (`differences`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.commons import Commons, Memory
from chatham.commons.precision import BY_DOCUMENT, BY_TOKEN
from chatham.corpus import Corpus
from chatham.corpus.splitting import copies
from chatham.errors import InputError
from chatham.groups.cells import NO_VALUE, OTHER, Cells
from chatham.groups.differences import keep_apart
from chatham.measures.evidence import corpus_in, documents_at, weights_at
from chatham.measures.subject import Subject

Array = NDArray[np.float64]

FEWEST = 30
"""Documents of a party in a cell, and in a cell with a word, for it to tell of them."""


@dataclass(frozen=True)
class CellSums:
    """What all holders have together, cell by cell."""

    titles: list[str]
    """What the cells are called."""
    starts: list[str | None]
    """Their values: the name of a group, the first day of a span; None for no value and other."""
    documents: NDArray[np.int64]
    weights: Array
    """Σ w, cells×k."""
    squares: Array
    """Σ w², cells×k."""
    counts: Array
    """How often each word of the model occurs, cells×d, where it is told."""
    tokens: Array
    """How many words there are in all, told or not, one number for each cell."""
    silent: NDArray[np.int64]
    """How many parties that have the cell don't tell of the word, cells×d; at home none."""


def sum_cells(commons: Commons, subject: Subject, cells: Cells) -> CellSums:
    """The sums of all cells of one table; between parties by the rule above."""
    (sums,) = sum_tables(commons, subject, (cells,))
    if sums is None:
        raise InputError(untold(cells.every))
    return sums


def untold(every: str | None) -> str:
    """Why there is no table."""
    return (
        f"No {'group' if every is None else 'span of time'} has {FEWEST} documents of each of two "
        "parties, and sums over fewer, or over one party's, would tell about them; bring more "
        "documents."
    )


def sum_tables(
    commons: Commons, subject: Subject, tables: tuple[Cells, ...]
) -> list[CellSums | None]:
    """The sums of all cells of several tables of the same documents; None where none may be told.

    Between parties each of them keeps to the rule, and no difference of two is over few documents.
    """
    goes_to = [np.arange(len(cells)) for cells in tables]
    if commons.private and tables:
        filled = np.split(
            np.asarray(commons.sum(count_fillers, subject, tables)),
            np.cumsum([len(cells) for cells in tables])[:-1],
        )
        goes_to = [join_lonely(each) for each in filled]
    return [
        None
        if commons.private and not _has_two(filled[number], joined)
        else _sums_of(commons, subject, tables, number, joined)
        for number, joined in enumerate(goes_to)
    ]


def _has_two(filled: NDArray[np.int64], joined: NDArray[np.int64]) -> bool:
    """Whether it is certain that two parties are in the cells that are told."""
    return bool(filled[joined != len(filled) - 1].any() or filled.max() > 1)


def _sums_of(
    commons: Commons,
    subject: Subject,
    tables: tuple[Cells, ...],
    number: int,
    joined: NDArray[np.int64],
) -> CellSums:
    cells = tables[number]
    titles, values = cells.titles, [*cells.names, None, None]
    documents, weights, squares, counts, tokens, silent = commons.sum(
        add_up_cells, subject, tables, number, joined, commons.private,
        most=(BY_DOCUMENT,) * 3 + (BY_TOKEN,) * 2 + (BY_DOCUMENT,),
    )  # fmt: skip
    documents, silent = (np.asarray(np.rint(each), dtype=np.int64) for each in (documents, silent))
    shown = _shown(cells, documents, joined)
    return CellSums(
        [titles[cell] for cell in shown], [values[cell] for cell in shown], documents[shown],
        weights[shown], squares[shown], counts[shown], tokens[shown], silent[shown],
    )  # fmt: skip


def count_fillers(
    rows: Any, memory: Memory, subject: Subject, tables: tuple[Cells, ...]
) -> NDArray[np.int64]:
    """In which spans or groups, "no value" and "other" I have documents to tell of: 30 or more."""
    mine, _ = _own_cells(rows, memory, subject, tables)
    return np.concatenate([(each.sum(axis=0) > 0).astype(np.int64) for each in mine])


def join_lonely(fillers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each cell goes, if those that fewer than two parties fill join the last, `OTHER`.

    So that no sum is one party's, a cell that several fill joins it too where one party alone would
    be in it: the one that fewest fill, of equal ones the last.

    >>> join_lonely(np.array([3, 1, 2, 2])).tolist(), join_lonely(np.array([3, 2, 0, 1])).tolist()
    ([0, 3, 2, 3], [0, 3, 3, 3])
    """
    goes_to = np.arange(len(fillers))
    other = len(fillers) - 1
    goes_to[:other][fillers[:other] < 2] = other
    lonely = np.append(fillers[:other][fillers[:other] < 2], fillers[other])
    kept = [cell for cell in range(other) if goes_to[cell] != other]
    if lonely.any() and fillers[other] < 2 and kept:
        fewest = min(kept, key=lambda cell: (fillers[cell], -cell))
        goes_to[fewest] = other
    return goes_to


def add_up_cells(
    rows: Any,
    memory: Memory,
    subject: Subject,
    tables: tuple[Cells, ...],
    number: int,
    joined: Any,
    private: bool,
) -> tuple[NDArray[np.int64], Array, Array, Array, Array, NDArray[np.int64]]:
    """Per span or group: documents, their weights, squares and words, and words I don't tell of."""
    documents = documents_at(rows, memory, subject)
    if private:
        told, distinct = _own_cells(rows, memory, subject, tables)
        membership = told[number]
    else:
        membership, distinct = _membership(rows, memory, subject, tables[number]), None
    moves = (np.ones(len(joined)), (np.arange(len(joined)), joined))
    membership = sp.csr_array(membership @ sp.csr_array(moves, shape=(len(joined),) * 2))
    weights = weights_at(rows, memory, subject)
    counts = np.asarray((membership.T @ documents.counts).todense(), dtype=np.float64)
    size, tokens = np.asarray(membership.sum(axis=0)).astype(np.int64).ravel(), counts.sum(axis=1)
    silent = np.zeros(counts.shape, dtype=np.int64)
    if distinct is not None:
        silent[_holders(membership, documents.counts, distinct) < FEWEST] = 1
        counts[silent > 0] = 0.0
        silent[size == 0] = 0
    return (
        size, np.asarray(membership.T @ weights), np.asarray(membership.T @ weights**2), counts,
        tokens, silent,
    )  # fmt: skip


def _membership(rows: Any, memory: Memory, subject: Subject, cells: Cells) -> sp.csr_array:
    """Which of this holder's documents with words are in which cells."""
    documents = documents_at(rows, memory, subject)
    return memory.derived(
        ("membership", cells), _members, corpus_of(rows, cells.column), documents, cells
    )


def _members(corpus: Corpus, documents: Any, cells: Cells) -> sp.csr_array:
    values = corpus.column(cells.column) if len(corpus) else []
    return sp.csr_array(cells.membership(values)[documents.rows])


def _own_cells(
    rows: Any, memory: Memory, subject: Subject, tables: tuple[Cells, ...]
) -> tuple[list[sp.csr_array], NDArray[np.int64]]:
    """The cells of each table that this party tells of; and which documents are copies."""
    memberships = [_membership(rows, memory, subject, cells) for cells in tables]
    return memory.derived(
        ("told", tables), _told, documents_at(rows, memory, subject), *memberships
    )


def _told(
    documents: Any, *memberships: sp.csr_array
) -> tuple[list[sp.csr_array], NDArray[np.int64]]:
    copied = copies(documents.counts) if documents.n else np.zeros(0, dtype=np.int64)
    cells = [_only_cell(membership) for membership in memberships]
    sizes = [membership.shape[1] for membership in memberships]
    goes_to = [
        moved_to_other(_distinct_in(cell, copied, size))
        for cell, size in zip(cells, sizes, strict=True)
    ]
    moved = keep_apart([goes[cell] for goes, cell in zip(goes_to, cells, strict=True)], sizes,
                       copied, FEWEST)  # fmt: skip
    return [_told_of(cell, copied, size) for cell, size in zip(moved, sizes, strict=True)], copied


def _only_cell(membership: sp.csr_array) -> NDArray[np.int64]:
    """The cell of each document; one with several groups is in none of them, but in `OTHER`."""
    first = membership.indices[membership.indptr[:-1]].astype(np.int64)
    return np.where(np.diff(membership.indptr) > 1, membership.shape[1] - 1, first)


def _told_of(cell: NDArray[np.int64], copied: NDArray[np.int64], size: int) -> sp.csr_array:
    n = len(cell)
    if 0 < _distinct_in(cell, copied, size)[size - 1] < FEWEST:  # all there are, and too few
        return sp.csr_array((n, size))
    return sp.csr_array((np.ones(n), cell, np.arange(n + 1)), shape=(n, size))


def moved_to_other(documents: NDArray[np.int64], fewest: int = FEWEST) -> NDArray[np.int64]:
    """Where a party's cells go: small ones to the last, and the next smallest until that is large.

    >>> moved_to_other(np.array([100, 40, 5, 0, 0])).tolist()
    [0, 4, 4, 3, 4]
    >>> moved_to_other(np.array([100, 40, 20, 10, 0])).tolist()
    [0, 1, 4, 4, 4]
    """
    other = len(documents) - 1
    goes_to = np.arange(len(documents))
    sizes = documents.astype(np.int64).copy()
    held = int(sizes[other])
    by_size = sorted((cell for cell in range(other) if sizes[cell]), key=lambda c: (sizes[c], c))
    for cell in by_size:
        if sizes[cell] >= fewest and not 0 < held < fewest:
            break
        goes_to[cell] = other
        held += int(sizes[cell])
    return goes_to


def _distinct_in(
    cell: NDArray[np.int64], groups: NDArray[np.int64], size: int
) -> NDArray[np.int64]:
    """How many documents each cell has, copies counted once."""
    pairs = np.unique(np.column_stack([cell, groups]), axis=0) if len(cell) else np.zeros((0, 2))
    return np.bincount(pairs[:, 0].astype(np.int64), minlength=size)


def _holders(
    membership: sp.csr_array, counts: sp.csr_array, groups: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How many documents of each cell have each word, copies counted once."""
    has = sp.coo_array(counts)
    cell = np.full(membership.shape[0], -1, dtype=np.int64)
    inside = np.diff(membership.indptr) > 0
    cell[inside] = membership.indices[membership.indptr[:-1][inside]]
    seen = np.column_stack([cell[has.row], groups[has.row], has.col])[cell[has.row] >= 0]
    seen = np.unique(seen, axis=0) if len(seen) else seen
    holders = sp.coo_array(
        (np.ones(len(seen), dtype=np.int64), (seen[:, 0], seen[:, 2])),
        shape=(membership.shape[1], counts.shape[1]),
    )
    return np.asarray(holders.todense())


def corpus_of(rows: Any, column: str) -> Corpus:
    """The corpus of these rows, which knows its documents' values."""
    corpus = corpus_in(rows)
    if corpus is None:
        raise InputError(
            f"Counts alone have no column '{column}'; give a corpus, as read_corpus returns it."
        )
    return corpus


def _shown(cells: Cells, documents: NDArray[np.int64], joined: NDArray[np.int64]) -> list[int]:
    """The cells in a table: spans of time with their gaps, groups that have documents."""
    named = len(cells.names)
    gaps = cells.every is not None
    alive = [cell for cell in range(named) if joined[cell] == cell and (documents[cell] or gaps)]
    return [*alive, *(cell for cell in range(named, len(documents)) if documents[cell])]


__all__ = ["FEWEST", "NO_VALUE", "OTHER", "CellSums", "corpus_of", "join_lonely", "moved_to_other",
           "sum_cells", "sum_tables", "untold"]  # fmt: skip
