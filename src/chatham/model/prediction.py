"""What a model of ratings predicts of the cells that nobody stored.

To most models a cell that isn't stored is a zero. To one that was fitted with
`missing="unobserved"` it is unknown, and W̃C, the weights of a document's known cells times the
topics, is a prediction of it; no array of n × d numbers is ever formed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.held_out import at_cells
from chatham.learners.parameters import learner_called
from chatham.naming import plural
from chatham.numerics.threads import threads
from chatham.wording import say

Array = NDArray[np.float64]

CELLS_AT_ONCE = 2**22
"""How many predictions are in memory at any time, while the best of them are sought."""


def predictions(estimator: Any, vectorizer: Any, known: Any, cells: Any) -> sp.csr_array:
    """The wanted `cells` of documents, or their known ones if these are None."""
    _check_observes(estimator)
    known = sp.csr_array(known)
    wanted = _pattern_of(known if cells is None else cells, known.shape)
    values = predicted(estimator, getattr(vectorizer, "idf", None), known, wanted)
    return sp.csr_array((values, wanted.indices, wanted.indptr), shape=wanted.shape)


def recommendations(
    estimator: Any, vectorizer: Any, known: Any, ids: Any, vocabulary: NDArray[Any], n: int
) -> pd.DataFrame:
    """The `n` words with the highest predictions among those that a document has not."""
    _check_observes(estimator)
    idf = getattr(vectorizer, "idf", None)
    with threads(estimator.n_jobs):  # where products are the same at any number of them
        rows = [
            (ids[row], rank, vocabulary[column], value)
            for row, columns, values in _best_unknown(estimator, idf, sp.csr_array(known), n)
            for rank, (column, value) in enumerate(zip(columns, values, strict=True), start=1)
        ]
    return pd.DataFrame(rows, columns=["id", "rank", "word", "predicted"])


def predicted(estimator: Any, idf: Any, known: sp.csr_array, wanted: sp.csr_array) -> Array:
    """The wanted cells, row after row, as these documents' known cells predict them.

    `known` are cells as the model reads them, weighted by `idf` if it was fitted to such. Where a
    document has no known cell the predictions are NaN.
    """
    cells = at_cells(_coordinates(estimator, known), estimator.components_, wanted)
    return np.asarray(cells if idf is None else cells / np.asarray(idf)[wanted.indices])


def _best_unknown(
    estimator: Any, idf: Any, known: sp.csr_array, n: int
) -> Iterator[tuple[int, NDArray[np.intp], Array]]:
    """Each document that has known cells, its `n` best other words, and what is predicted."""
    topics = estimator.components_ if idf is None else estimator.components_ / np.asarray(idf)
    coordinates = _coordinates(estimator, known)
    step = max(1, CELLS_AT_ONCE // topics.shape[1])
    for first in range(0, known.shape[0], step):
        cells = coordinates[first : first + step] @ topics
        for row, values in enumerate(cells, start=first):
            own = known.indices[known.indptr[row] : known.indptr[row + 1]]
            if len(own):
                values[own] = -np.inf
                best = np.argsort(-values, kind="stable")[: min(n, len(values) - len(own))]
                yield row, best, values[best]


def _coordinates(estimator: Any, known: sp.csr_array) -> Array:
    """W̃ in the documents' own scale; NaN for a document without any known cell."""
    coordinates = np.array(estimator.transform(known), dtype=np.float64)
    if estimator._on_simplex:  # of rows that were divided by their sums
        coordinates *= np.asarray(known.sum(axis=1)).reshape(-1, 1)
    coordinates[np.diff(known.indptr) == 0] = np.nan
    return coordinates


def _pattern_of(cells: Any, shape: tuple[int, int]) -> sp.csr_array:
    """The wanted cells of a matrix as large as the documents'; what is stored there is ignored."""
    if not sp.issparse(cells) or cells.shape != shape:
        what = f"a {type(cells).__name__}"
        if hasattr(cells, "shape"):
            what += " of shape " + " × ".join(map(str, cells.shape))
        raise InputError(
            say(
                "{cells} must be a sparse matrix with {n} and {d}, in which the wanted cells are "
                "stored. Got {what} instead.",
                n=plural(shape[0], "row"),
                d=plural(shape[1], "column"),
                what=what,
            )
        )
    wanted = sp.csr_array(cells, copy=True)
    wanted.sort_indices()
    return wanted


def _check_observes(fitted: Any) -> None:
    """Refuse a model to which cells that aren't stored are zeros: it has nothing to predict."""
    if not fitted._observes:
        raise InputError(
            say(
                "{learner} takes cells that aren't stored as zeros, so it has nothing to predict; "
                "fit a model to which they are unknown, NMF with {missing='unobserved'}.",
                learner=learner_called(fitted),
            )
        )
