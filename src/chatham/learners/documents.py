"""A holder's documents in the form that kernels read: canonical rows, and the same by word."""

from __future__ import annotations

import hmac
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.errors import InputError
from chatham.learners.weighted import Weighted, counted_in, weighted_cells
from chatham.numerics.keyed import row_keys
from chatham.numerics.products import sums_by
from chatham.numerics.threads import blocks

MOST_TOKENS = 2**24
"""The maximum number of tokens of a document: a topic's count of them must be exact."""


class Documents:
    """Rows in CSR form, sorted, without duplicates; stored zeros are dropped unless `keep_zeros`.

    `indptr`, `indices` and `data` are the rows; `by_word` is the transpose in the same form.
    `importance` is how much each row's squared error counts: 1, or with `relative` the inverse of
    the row's squared norm, times `repeats`, how many documents the row stands for. With `signed`,
    cells may be negative. With weights of cells, the cells are those whose weight is positive, with
    zeros among them, and `cell_weight` is beside `data`; otherwise it is None, and each counts 1.
    """

    def __init__(
        self,
        rows: Any,
        *,
        frequencies: bool = False,
        keep_zeros: bool = False,
        relative: bool = False,
        signed: bool = False,
        sample_weight: NDArray[np.float64] | None = None,
        cell_weight: sp.csr_array | None = None,
    ) -> None:
        matrix = sp.csr_array(counts_in(rows), dtype=np.float64, copy=True)
        matrix.check_format(full_check=True)  # kernels read where the indices say
        matrix.sum_duplicates()
        (check_finite if signed else check_counts)(matrix.data)
        if not keep_zeros:
            matrix.eliminate_zeros()
        self.cell_weight: NDArray[np.float64] | None = None
        if cell_weight is not None:
            matrix, self.cell_weight = weighted_cells(matrix, cell_weight, stored=keep_zeros)
        self.n, self.d = matrix.shape
        self.indptr: NDArray[Any] = matrix.indptr
        self.indices: NDArray[Any] = matrix.indices
        self.sizes: NDArray[np.float64] = np.asarray(matrix.sum(axis=1)).ravel()
        # Where zeros are kept, a stored zero is an observation.
        self.empty: NDArray[np.bool_] = np.diff(self.indptr) == 0
        data = matrix.data
        self._zeros_known = cell_weight is None or keep_zeros
        if not self._zeros_known:
            self.empty = sums_by(self.owners, data != 0, self.n) == 0
        if frequencies:
            data = data / np.where(self.sizes > 0, self.sizes, 1.0)[self.owners]
        self.data: NDArray[np.float64] = data
        self._ones: NDArray[np.float64] = np.ones(self.n)
        self.repeats = self._ones
        if sample_weight is not None:
            self.repeats, self.empty = sample_weight, self.empty | (sample_weight == 0)
        self.importance = self.repeats
        if relative:
            norms = self.squared_norms
            inverse = np.where(norms > 0, 1.0 / np.where(norms > 0, norms, 1.0), 0.0)
            self.importance = self.repeats * inverse

    @cached_property
    def by_word(self) -> WordsOfDocuments:
        """The same cells, gathered by word."""
        return WordsOfDocuments(self)

    @cached_property
    def blocks(self) -> list[tuple[int, int]]:
        """Fixed ranges of rows for our threads: cut by the data, never by the number of threads."""
        return blocks(self.indptr)

    def keys(self, seed: int) -> NDArray[np.uint64]:
        """Each row's key for its own randomness: its content and the seed, not its position.

        Zeros that are there because of their weights alone are no content.
        """
        if self._zeros_known:
            return row_keys(self.indptr, self.indices, self.data, seed)
        filled = self.data != 0
        ends = np.cumsum(np.bincount(self.owners[filled], minlength=self.n))
        pointers = np.concatenate([[0], ends])
        return row_keys(pointers, self.indices[filled], self.data[filled], seed)

    @property
    def squared_norms(self) -> NDArray[np.float64]:
        """Each row's sum of squares, as its cells count."""
        squares = self.data**2
        if self.cell_weight is not None:
            squares *= self.cell_weight
        return sums_by(self.owners, squares, self.n)

    @property
    def alike(self) -> bool:
        """Whether all rows are equally important."""
        return self.importance is self._ones

    @cached_property
    def counting(self) -> NDArray[np.float64]:
        """How much each cell counts within its row."""
        return np.ones(len(self.data)) if self.cell_weight is None else self.cell_weight

    @cached_property
    def counting_in_all(self) -> NDArray[np.float64]:
        """How much each cell counts among all: the row's importance included."""
        return self.counting if self.alike else self.counting * self.importance[self.owners]

    @cached_property
    def counting_by_word(self) -> NDArray[np.float64]:
        """The same in the order of `by_word`."""
        return self.counting_in_all[self.by_word.order]

    @property
    def squared_norm(self) -> float:
        """The sum of the rows' squared norms, each weighted by its row's importance."""
        return float(self.importance @ self.squared_norms)

    @property
    def owners(self) -> NDArray[np.int64]:
        """The row of each cell."""
        return np.repeat(np.arange(self.n), np.diff(self.indptr))


class WordsOfDocuments:
    """The transpose of a holder's rows; `order` leads from its cells to those of the rows."""

    def __init__(self, documents: Documents) -> None:
        cell_numbers = np.arange(len(documents.data), dtype=np.int64)
        cells = sp.csr_array(
            (cell_numbers, documents.indices, documents.indptr), shape=(documents.n, documents.d)
        ).tocsc()
        self.indptr: NDArray[Any] = cells.indptr
        self.indices: NDArray[Any] = cells.indices
        self.order: NDArray[np.int64] = cells.data
        self.data: NDArray[np.float64] = documents.data[cells.data]
        self.blocks = blocks(self.indptr)


def token_starts(documents: Documents) -> NDArray[np.int64]:
    """Where each cell's tokens start if all are put in one row, and where the last ones end.

    A cell of 2.7 is three tokens. A document with too many tokens is refused.

    >>> token_starts(Documents(np.array([[1, 2.7], [0, 4]]))).tolist()
    [0, 1, 4, 8]
    """
    per_cell = np.ceil(documents.data)
    most = sums_by(documents.owners, per_cell, documents.n).max(initial=0.0)
    if most > MOST_TOKENS:  # compared in floating point, where no sum wraps around
        raise InputError(
            f"A document has {most:.10g} tokens, and up to {MOST_TOKENS:,} can be read. Scale the "
            "counts down, or split the document into several."
        )
    return np.concatenate([[0], np.cumsum(per_cell, dtype=np.int64)])


def counts_in(rows: Any) -> Any:
    """A holder's matrix: rows are one, or a corpus, which has one among its other data.

    Rows with weights are refused: whoever can weight them asks for their parts.
    """
    if isinstance(rows, Weighted):
        raise InputError(
            "These rows have weights, which would be ignored here: NMF alone weights rows and "
            "cells, from exact totals. Give the matrix without weights."
        )
    return getattr(rows, "counts", rows)


def own_seed(seed: int, memory: Memory) -> int:
    """The seed of what is random about this holder's rows: a different one if it has a secret.

    Draws that everybody could repeat would reveal more about the rows than a sum over them does.
    """
    if not memory.secret:
        return seed
    return int.from_bytes(hmac.digest(memory.secret, b"rows %d" % seed, "sha256")[:8], "big")


def counts_of(rows: Any, memory: Memory) -> Documents:
    """This holder's documents as counts, prepared once per fit."""
    return _prepared(rows, memory, "counts", frequencies=False)


def frequencies_of(rows: Any, memory: Memory, relative: bool = False) -> Documents:
    """This holder's documents, each with sum one (empty ones stay zero), prepared once per fit."""
    kind = "relative frequencies" if relative else "frequencies"
    return _prepared(rows, memory, kind, frequencies=True, relative=relative)


OWN_WORDS = "own_words"
"""The name under which a holder keeps which words its part of a fit is about; all of them, if there
is no such array. Cells of other words are as good as zero."""


def _prepared(rows: Any, memory: Memory, kind: str, **options: Any) -> Documents:
    return memory.derived(kind, partial(_documents, **options), rows, memory.get(OWN_WORDS))


def _documents(rows: Any, own_words: Any, **options: Any) -> Documents:
    return Documents(rows if own_words is None else with_words(rows, own_words), **options)


def counted_documents(rows: Any) -> Documents:
    """The cells that count at all, with the weights of rows if they have any."""
    of_rows = rows.sample_weight if isinstance(rows, Weighted) else None
    return Documents(counted_in(rows), sample_weight=of_rows)


def with_words(rows: Any, words: NDArray[np.bool_]) -> Any:
    """The rows without the cells of other words; their columns stay, empty.

    >>> with_words(np.array([[1, 2, 3]]), np.array([True, False, True])).toarray()
    array([[1., 0., 3.]])
    """
    if isinstance(rows, Weighted):
        return rows.of_words(words)
    matrix = sp.csr_array(counts_in(rows), dtype=np.float64, copy=True)
    matrix.data *= words[matrix.indices]
    matrix.eliminate_zeros()
    return matrix


def distinct_holders(documents: Documents, cells: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many documents have each word, by these cells alone; copies count once.

    Copies have the same weights, and hide one another no more than a document hides itself.
    """
    owners, words = documents.owners[cells], documents.indices[cells]
    ends = np.cumsum(np.bincount(owners, minlength=documents.n))
    keys = row_keys(np.concatenate([[0], ends]), words, documents.data[cells], 0)
    first = np.zeros(documents.n, dtype=bool)
    first[np.unique(keys, return_index=True)[1]] = True
    return np.bincount(words[first[owners]], minlength=documents.d)


def check_counts(data: NDArray[np.float64]) -> None:
    """Refuse cells that can't be counts."""
    check_finite(data)
    if data.size and data.min() < 0:
        raise InputError("Negative values in data passed as counts; each must be at least 0.")


def check_finite(data: NDArray[np.float64]) -> None:
    """Refuse cells that no sum can hold."""
    if not np.isfinite(data).all():
        raise InputError("The counts contain NaN or infinity; each must be a finite number.")
