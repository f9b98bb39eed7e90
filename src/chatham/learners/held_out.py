"""A learner's score on documents that it hasn't seen: half of each predicts the other half.

Document completion (Wallach et al. 2009): no topics are fitted better to the hidden half by adding
more of them, so scores can be compared over the number of topics. `measures.held_out.completion` is
the same for finished models, over plain words.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numba import njit
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.documents import Documents, token_starts
from chatham.learners.parameters import learner_called
from chatham.numerics.keyed import GOLDEN, mix, uniform

Array = NDArray[np.float64]

SMOOTHING = 0.01
"""The share of the uniform distribution in topics: no word is impossible, and no score infinite."""
CELLS_AT_ONCE = 2**16


def score_of_words(learner: Any, rows: Any) -> float:
    """The mean log-probability of a hidden token, given the weights of the half that is seen."""
    seen, hidden = halves(rows)
    both = (np.diff(seen.indptr) > 0) & (np.diff(hidden.indptr) > 0)
    if not both.any():
        raise InputError(
            f"{learner_called(learner)} can't be scored: none of the {len(both)} documents has "
            "words in each of two halves; give it some with several words."
        )
    hidden = sp.csr_array(hidden[both])
    weights, topics = shares(learner, sp.csr_array(seen[both]))
    topics = (1 - SMOOTHING) * topics + SMOOTHING / topics.shape[1]
    logs = np.log(at_cells(weights, topics, hidden))
    return float(hidden.data @ logs / hidden.data.sum())


def shares(learner: Any, rows: Any) -> tuple[Array, Array]:
    """Documents' weights and topics, both as distributions: general NMF's are of any size."""
    topics = learner.components_
    words = topics.sum(axis=1)
    weights = np.maximum(learner._weights(learner._documents(rows)), 0.0) * words
    totals = weights.sum(axis=1, keepdims=True)
    usual = learner.prevalence_ / max(float(learner.prevalence_.sum()), np.finfo(float).tiny)
    weights = np.where(totals > 0, weights / np.where(totals > 0, totals, 1.0), usual)
    return weights, topics / np.where(words > 0, words, 1.0)[:, None]


def score_of_cells(learner: Any, rows: Any) -> float:
    """Minus the mean squared error of half of the observed cells, given the other half."""
    matrix = sp.csr_array(rows, dtype=np.float64, copy=True)
    matrix.sum_duplicates()
    seen, hidden = split_cells(Documents(matrix, keep_zeros=True), 0.5)
    if hidden.nnz == 0:
        raise InputError(
            f"{learner_called(learner)} can't be scored: no cell is observed and hidden; give it "
            "rows with several observed cells."
        )
    weights = learner._weights(learner._documents(seen))
    errors = hidden.data - at_cells(weights, learner.components_, hidden)
    return -float(errors @ errors) / hidden.nnz


def score_of_directions(learner: Any, rows: Any) -> float:
    """The share of the rows' squares that directions explain; more directions explain more."""
    documents = learner._documents(rows)
    matrix = sp.csr_array((documents.data, documents.indices, documents.indptr), rows.shape)
    squares = float(documents.data @ documents.data)
    if squares == 0:
        raise InputError(
            f"{learner_called(learner)} can't be scored: all {rows.shape[0]} rows are empty; give "
            "it some that aren't."
        )
    weights, directions = learner._weights(documents), learner.components_
    fitted = float((weights * (matrix @ directions.T)).sum())
    size = float(((weights.T @ weights) * (directions @ directions.T)).sum())
    return (2.0 * fitted - size) / squares


def at_cells(weights: Array, topics: Array, rows: sp.csr_array) -> Array:
    """The cells of WT at the places that are stored in these rows."""
    owners = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    by_word, values = np.ascontiguousarray(topics.T), np.empty(rows.nnz)
    for first in range(0, rows.nnz, CELLS_AT_ONCE):
        part = slice(first, first + CELLS_AT_ONCE)
        values[part] = (weights[owners[part]] * by_word[rows.indices[part]]).sum(axis=1)
    return values


def split_cells(
    documents: Documents, share: float, seed: int = 0
) -> tuple[sp.csr_array, sp.csr_array]:
    """Each document's seen cells, and those hidden: so large a share, drawn for each cell.

    Draws are keyed by the document's content and the word. A cell with a zero is one, too.
    """
    hides = _drawn(documents.indptr, documents.indices, documents.keys(seed), share)
    return _cells(documents, ~hides), _cells(documents, hides)


@njit(cache=True, nogil=True)
def _drawn(
    indptr: NDArray[Any], indices: NDArray[Any], keys: NDArray[np.uint64], share: float
) -> NDArray[np.bool_]:
    hides = np.zeros(len(indices), dtype=np.bool_)
    for row in range(len(keys)):
        for cell in range(indptr[row], indptr[row + 1]):
            hides[cell] = uniform(keys[row], indices[cell]) < share
    return hides


def _cells(documents: Documents, kept: NDArray[np.bool_]) -> sp.csr_array:
    before = np.concatenate([[0], np.cumsum(kept)])
    cells = documents.data[kept], documents.indices[kept], before[documents.indptr]
    return sp.csr_array(cells, (documents.n, documents.d))


def halves(counts: Any, seed: int = 0) -> tuple[sp.csr_array, sp.csr_array]:
    """Each document's seen and hidden tokens, one coin per token; the two add up to the counts.

    A document with too many tokens to read is refused.

    >>> seen, hidden = halves(np.array([[3, 0, 5], [1, 2, 0]]))
    >>> (seen + hidden).toarray().astype(int).tolist()
    [[3, 0, 5], [1, 2, 0]]
    """
    documents = Documents(counts)
    token_starts(documents)  # refuses documents that would take for ever
    seen = _toss(documents.indptr, documents.data, documents.keys(seed))
    parts = []
    for data in (seen, documents.data - seen):
        part = sp.csr_array(
            (data, documents.indices.copy(), documents.indptr.copy()),
            shape=(documents.n, documents.d),
        )
        part.eliminate_zeros()
        parts.append(part)
    return parts[0], parts[1]


@njit(cache=True, nogil=True)
def _toss(
    indptr: NDArray[Any], counts: NDArray[np.float64], keys: NDArray[np.uint64]
) -> NDArray[np.float64]:
    """How much of each cell is seen; differences and sums are exact, so the halves add up."""
    seen = np.zeros(len(counts))
    for row in range(len(keys)):
        state = keys[row]
        for cell in range(indptr[row], indptr[row + 1]):
            left = counts[cell]
            while left > 0:
                state += GOLDEN
                if mix(state) >> np.uint64(63):
                    seen[cell] += min(left, 1.0)
                left -= 1.0
    return seen
