"""tf-idf: a word's count in a document times how rare the word is.

With n documents of which df(w) contain the word w::

    idf(w) = ln((1 + n) / (1 + df(w))) + 1        weight(d, w) = count(d, w) * idf(w)

These are scikit-learn's smoothed weights without the normalisation of rows (the models scale rows
themselves). A word in every document has idf 1, so no word's weight is ever zero. The idf of the
training documents is kept, and new documents are weighted with it.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


def document_frequencies(counts: sp.csr_array) -> NDArray[np.int64]:
    """Count the documents that contain each word; an explicit zero isn't an occurrence.

    >>> document_frequencies(sp.csr_array([[2, 0], [1, 1]])).tolist()
    [2, 1]
    """
    return np.bincount(counts.indices[counts.data != 0], minlength=counts.shape[1])


def inverse_document_frequencies(
    frequencies: NDArray[np.int64], n_documents: int
) -> NDArray[np.float64]:
    """How rare each word is, from the number of documents that contain it.

    >>> inverse_document_frequencies(np.array([2, 1]), n_documents=2).round(3).tolist()
    [1.0, 1.405]
    """
    idf: NDArray[np.float64] = np.log((1 + n_documents) / (1 + frequencies)) + 1.0
    return idf


def own_idf(counts: sp.csr_array) -> NDArray[np.float64]:
    """The idf of these documents themselves.

    >>> own_idf(sp.csr_array([[2, 0], [1, 1]])).round(3).tolist()
    [1.0, 1.405]
    """
    return inverse_document_frequencies(document_frequencies(counts), counts.shape[0])


def weight_by_idf(counts: sp.csr_array, idf: NDArray[np.float64]) -> sp.csr_array:
    """Multiply each column by its idf, leaving explicit zeros where they are.

    >>> weight_by_idf(sp.csr_array([[2, 0], [1, 1]]), np.array([1.0, 3.0])).toarray().tolist()
    [[2.0, 0.0], [1.0, 3.0]]
    """
    weights = counts.data * idf[counts.indices]
    return sp.csr_array((weights, counts.indices, counts.indptr), shape=counts.shape)


def unweight_by_idf(weights: sp.csr_array, idf: NDArray[np.float64]) -> sp.csr_array:
    """The counts before they were weighted; those that are whole but for rounding are rounded.

    >>> counts, idf = sp.csr_array([[2, 0], [1, 3]]), np.array([1.1, 1.4])
    >>> unweight_by_idf(weight_by_idf(counts, idf), idf).toarray().tolist()
    [[2.0, 0.0], [1.0, 3.0]]
    """
    counts = weights.copy()
    counts.data = counts.data / np.asarray(idf)[counts.indices]
    whole = np.round(counts.data)
    counts.data = np.where(np.abs(counts.data - whole) < 1e-9 * (1 + whole), whole, counts.data)
    return counts
