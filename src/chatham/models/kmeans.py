"""k-means by Lloyd's algorithm on document frequencies (thesis, section 1.2.1, Algorithm 1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from chatham.commons import Commons, Memory
from chatham.models.base import Fitted, TopicLearner, has_converged
from chatham.models.candidates import candidate, chosen
from chatham.models.documents import Documents, frequencies_of
from chatham.models.parameters import check_choice
from chatham.models.starts import check_topics
from chatham.numerics.keyed import uniforms
from chatham.numerics.products import multiply, sums_by

Array = NDArray[np.float64]

STARTS = ("k-means++", "greedy", "random")

TRIES = 3
"""How often, for each topic there is, one without documents may begin anew."""


class KMeans(TopicLearner):
    """Each document has one topic, and each topic is the mean of its documents.

    Parameters
    ----------
    n_components : number of topics.
    init : "k-means++" picks documents far from those picked before, at random (one that is there
        twice is as likely as one that is there once, so that the draw doesn't depend on who holds
        the copies); "greedy" picks the farthest; "random" gives each document a topic at random;
        or an array of topics.
    loss : "absolute" counts every squared distance alike, as in the source; "relative" divides a
        document's by its own squared norm, so that the shortest don't shape the topics.

    `revived_` lists the (iteration, topic) pairs where a topic had lost its last document and
    began anew from the one farthest from its topic.

    >>> import numpy as np
    >>> from chatham import KMeans
    >>> counts = np.array([[4, 2, 0, 0], [2, 1, 0, 0], [4, 2, 0, 0], [0, 0, 3, 3]])
    >>> KMeans(2, random_state=0).fit(counts).components_.round(2)
    array([[0.67, 0.33, 0.  , 0.  ],
           [0.  , 0.  , 0.5 , 0.5 ]])
    """

    def __init__(
        self,
        n_components: int = 10,
        *,
        init: Any = "k-means++",
        loss: str = "absolute",
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.loss = loss
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit(self, commons: Commons, seed: int) -> Fitted:
        topics = self._start(commons, seed)
        objective: list[float] = []
        revived: list[tuple[int, int]] = []
        for iteration in range(1, self.max_iter + 1):
            totals, sizes, moved = commons.sum(assign_documents, topics, self._relative)
            topics = means(totals, sizes[1], topics)
            # Σ‖x − mean‖² = Σ‖x‖² − Σ sizeₜ‖meanₜ‖², so the total alone gives the objective.
            objective.append(float(moved[0] - sizes[1] @ (topics**2).sum(axis=1)))
            self._report(iteration, objective[-1])
            if self._revive(commons, topics, sizes[0], iteration, revived):
                continue
            if moved[1] == 0 or has_converged(objective, self.tol):
                break
        return Fitted(topics, sizes[0], objective, iteration, revived=revived)

    def _start(self, commons: Commons, seed: int) -> Array:
        if not isinstance(self.init, str):
            return check_topics(self, self.init, commons.n_features)
        if self.init == "random":
            totals, sizes = commons.sum(assign_at_random, self.n_components, seed, self._relative)
            return means(totals, sizes[1], totals.sum(axis=0) / sizes[1].sum())
        topics = np.empty((0, commons.n_features))
        for _ in range(self.n_components):
            slots = commons.sum(next_centre, topics, seed, self.init == "greedy", self._relative)
            topics = np.vstack([topics, chosen(slots)])
        return topics

    def _revive(
        self,
        commons: Commons,
        topics: Array,
        sizes: Array,
        iteration: int,
        revived: list[tuple[int, int]],
    ) -> bool:
        """Give each topic without documents the one that is farthest from its own."""
        empty = np.flatnonzero(sizes == 0)
        if iteration == self.max_iter or len(revived) >= TRIES * self.n_components:
            return False
        for topic in empty:
            topics[topic] = chosen(commons.sum(farthest_document, topics, self._relative))
            revived.append((iteration, int(topic)))
        return len(empty) > 0

    @property
    def _relative(self) -> bool:
        return self.loss == "relative"

    def _weights(self, documents: Documents) -> Array:
        labels, _ = nearest(documents, self.components_)
        return np.eye(len(self.components_))[labels]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice(self, "loss", ("absolute", "relative"))
        if isinstance(self.init, str):
            check_choice(self, "init", STARTS)


def assign_documents(
    rows: Any, memory: Memory, topics: Array, relative: bool
) -> tuple[Array, Array, Array]:
    """Each topic's documents summed and counted; ‖X‖² and how many documents changed topic."""
    documents = frequencies_of(rows, memory, relative)
    labels, _ = nearest(documents, topics)
    labels[documents.empty] = -1
    before = memory.get("labels", np.full(documents.n, -2))
    memory["labels"] = labels
    totals, sizes = _sums(documents, labels, len(topics))
    return totals, sizes, np.array([documents.squared_norm, (labels != before).sum()])


def means(totals: Array, sizes: Array, otherwise: Array) -> Array:
    """Totals divided by sizes, or what stands there otherwise for a size of nothing."""
    divisor = np.where(sizes > 0, sizes, 1.0)
    return np.where(sizes[:, None] > 0, totals / divisor[:, None], otherwise)


def assign_at_random(
    rows: Any, memory: Memory, k: int, seed: int, relative: bool
) -> tuple[Array, Array]:
    """The sums and the numbers of documents of randomly assigned topics."""
    documents = frequencies_of(rows, memory, relative)
    draws = uniforms(documents.keys(seed), 1)[:, 0]
    labels = np.where(documents.empty, -1, np.minimum((draws * k).astype(np.int64), k - 1))
    return _sums(documents, labels, k)


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
