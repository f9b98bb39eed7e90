"""What k-means does where the rows are: give documents their topics, add them up, find far ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.models.candidates import add_worst, candidate, count_by_error
from chatham.models.documents import Documents, frequencies_of, own_seed
from chatham.numerics.keyed import uniforms
from chatham.numerics.products import multiply, sums_by

Array = NDArray[np.float64]


def assign_documents(
    rows: Any, memory: Memory, topics: Array, relative: bool, kept: NDArray[np.bool_]
) -> tuple[Array, Array, Array]:
    """Each topic's documents summed and counted; ‖X‖² and how many documents changed topic.

    Documents whose topic isn't to be kept are left out of it all.
    """
    documents = frequencies_of(rows, memory, relative)
    labels, _ = nearest(documents, topics)
    labels[documents.empty | ~kept[labels]] = -1
    before = memory.get("labels", np.full(documents.n, -2))
    memory["labels"] = labels
    totals, sizes = _sums(documents, labels, len(topics))
    norm = documents.importance[labels >= 0] @ documents.squared_norms[labels >= 0]
    return totals, sizes, np.array([norm, (labels != before).sum()])


def count_nearest(rows: Any, memory: Memory, topics: Array, relative: bool) -> NDArray[np.int64]:
    """How many documents are nearest to each topic."""
    documents = frequencies_of(rows, memory, relative)
    labels = nearest(documents, topics)[0][~documents.empty]
    return np.bincount(labels, minlength=len(topics)).astype(np.int64)


def means(totals: Array, sizes: Array, otherwise: Array) -> Array:
    """Totals divided by sizes, or what stands there otherwise for a size of nothing."""
    divisor = np.where(sizes > 0, sizes, 1.0)
    return np.where(sizes[:, None] > 0, totals / divisor[:, None], otherwise)


def assign_at_random(
    rows: Any, memory: Memory, groups: int, seed: int, relative: bool
) -> tuple[Array, Array]:
    """The sums and the numbers of documents of random groups, each document in one."""
    documents = frequencies_of(rows, memory, relative)
    draws = uniforms(documents.keys(own_seed(seed, memory)), 1)[:, 0]
    places = np.minimum((draws * groups).astype(np.int64), groups - 1)
    return _sums(documents, np.where(documents.empty, -1, places), groups)


def next_centre(
    rows: Any, memory: Memory, topics: Array, seed: int, greedy: bool, relative: bool
) -> Array:
    """The next document to begin a topic from, out of each holder's (a document crosses).

    Drawing with probability ∝ D² is a race: the document with the least E/D², E exponential, wins,
    and a race can be held among holders. Its draw is keyed by the document's content; identical
    documents share one, so a document that is there twice is as likely as one that is there once.
    """
    documents = frequencies_of(rows, memory, relative)
    race = -np.log(uniforms(documents.keys(seed + len(topics)), 1)[:, 0])
    if not len(topics):
        return candidate(documents, memory, -race)
    distances = documents.importance * nearest(documents, topics)[1]
    return candidate(documents, memory, distances if greedy else distances / race)


def farthest_document(rows: Any, memory: Memory, topics: Array, relative: bool) -> Array:
    """The document farthest from its topic, from each holder (a document crosses)."""
    documents = frequencies_of(rows, memory, relative)
    distances = documents.importance * nearest(documents, topics)[1]
    return candidate(documents, memory, distances)


def count_far(rows: Any, memory: Memory, topics: Array, relative: bool) -> NDArray[np.int64]:
    """How many documents are how far from their topic, or farther."""
    documents = frequencies_of(rows, memory, relative)
    return count_by_error(documents, documents.importance * nearest(documents, topics)[1])


def add_farthest(
    rows: Any, memory: Memory, topics: Array, relative: bool, least: float
) -> tuple[Array, NDArray[np.int64]]:
    """The sum and the number of the documents farthest from their topic, of at least five each."""
    documents = frequencies_of(rows, memory, relative)
    return add_worst(documents, documents.importance * nearest(documents, topics)[1], least)


def nearest(documents: Documents, topics: Array) -> tuple[NDArray[np.int64], Array]:
    """Each document's nearest topic, and its squared distance."""
    products = multiply(documents, np.ascontiguousarray(topics.T))
    distances = (topics**2).sum(axis=1) - 2 * products
    labels = np.argmin(distances, axis=1)
    closest = distances[np.arange(documents.n), labels]
    return labels, np.maximum(closest + documents.squared_norms, 0.0)


def _sums(documents: Documents, labels: NDArray[np.int64], k: int) -> tuple[Array, Array]:
    """Each topic's documents added up, and how many they are: counted, and by importance."""
    totals = np.zeros((k, documents.d))
    data = documents.data * documents.importance[documents.owners]
    _add_rows(documents.indptr, documents.indices, data, labels, totals)
    mine = labels >= 0
    counted = np.bincount(labels[mine], minlength=k).astype(np.float64)
    return totals, np.stack([counted, sums_by(labels[mine], documents.importance[mine], k)])


@njit(cache=True, nogil=True)
def _add_rows(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: Array,
    labels: NDArray[np.int64],
    totals: Array,
) -> None:
    for row in range(len(labels)):
        if labels[row] >= 0:
            for place in range(indptr[row], indptr[row + 1]):
                totals[labels[row], indices[place]] += data[place]
