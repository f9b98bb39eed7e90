"""k-means by Lloyd's algorithm on document frequencies (thesis, section 1.2.1, Algorithm 1).

Where the rows are, documents get their topics and are added up by topic; the totals make the next
centres. How topics start and restart is decided in `beginnings`: between parties nothing that
crosses is one document. Between parties that don't all know of exact totals, these are noised:
see `noised_means`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons, Memory, keeps
from chatham.errors import InputError
from chatham.learners.base import TopicLearner
from chatham.learners.beginnings import (
    FromManyDocuments,
    FromOneDocument,
    Worst,
    add_worst,
    beginnings_for,
    candidate,
    chosen,
    count_by_error,
)
from chatham.learners.convergence import has_converged
from chatham.learners.documents import Documents, frequencies_of
from chatham.learners.fitted import Fitted
from chatham.learners.nearest import nearest, totals_by
from chatham.learners.noised_means import NoisedMeans, cosine_distance
from chatham.learners.noised_totals import (
    NOISE,
    ROUNDS,
    group_at_random,
    mixed_averages,
    rounded,
    warn_of_ignored,
    without_empty,
)
from chatham.learners.parameters import check_topics
from chatham.learners.progress import report
from chatham.learners.rare_words import leave_out_rare
from chatham.learners.settings.kmeans import KMeansSettings
from chatham.numerics.keyed import uniforms
from chatham.numerics.products import sums_by
from chatham.wording import Parameter, say

Array = NDArray[np.float64]

TRIES = 3
"""The number of restarts of empty topics that are allowed per topic."""


class KMeans(KMeansSettings, TopicLearner):
    """Each document has one topic, and each topic is the mean of its documents.

    Parameters
    ----------
    n_components : number of topics.
    init : "auto" is "k-means++", and between parties "random". "k-means++" picks documents far
        from those picked before, at random (duplicates count once, so that the draw doesn't depend
        on who holds the copies); "greedy" picks the farthest; "random" gives each document a topic
        at random; or an array of topics.
    n_init : number of starts, of which the fit with the least squared error is kept. Several pay
        where topics differ much in size and a start may have two in a large one. Between parties
        it is 1, unless all know that totals are exact: each start would tell as much again.
    loss : "absolute" gives every squared distance the same weight, as in the source; "relative"
        divides a document's by its own squared norm, so that short documents don't dominate.
    tol : stop when no document changes its topic, or when as many iterations again, at the pace of
        the last ten, would explain at most this share more of ‖X‖² than is explained. 0 waits for
        the first; if `max_iter` ends before, an `UnconvergedWarning` says so.

    `revived_` lists the (iteration, topic) pairs where a topic had lost its last document and was
    restarted from the document farthest from its topic.

    Between parties totals are noised, since exact ones give documents away, and words that fewer
    than five of a party's documents have are left out of its part. Documents are scaled to
    unit length instead of being weighted by `loss`; each party adds Gaussian noise of standard
    deviation 0.2 to every cell; there are ten rounds, or `max_iter` if that is less, whatever `tol`
    is; an empty topic becomes a variation of the largest, and `revived_` stays empty; `objective_`
    is 1 − the mean cosine of documents and their topic's total, as the noised totals tell it;
    `prevalence_` comes from noised sizes, and `components_` are rounded. No start picks a document:
    "k-means++" and "greedy" are refused, and a random topic starts from about twenty documents or
    more (where there are too few, from a mixture of such averages).

    Where all parties know that totals are exact (`exact_totals_know` in the session), the fit is
    the one above, but for this: an empty topic is restarted from the average of the ten or more
    documents that are farthest. A topic with fewer than five documents, over all parties, isn't
    added up (a sum of sizes comes first and shows it); it counts as empty, and while it does, its
    documents are left out of `objective_`. It is no protection against what totals reveal.

    >>> import numpy as np
    >>> from chatham import KMeans
    >>> counts = np.array([[4, 2, 0, 0], [2, 1, 0, 0], [4, 2, 0, 0], [0, 0, 3, 3]])
    >>> KMeans(2, random_state=0).fit(counts).components_.round(2)
    array([[0.67, 0.33, 0.  , 0.  ],
           [0.  , 0.  , 0.5 , 0.5 ]])
    """

    _noise: ClassVar[float] = NOISE
    """The standard deviation of what each party adds to a cell where totals may not be exact."""

    def _check_between_parties(self, exact_totals: bool = False) -> None:
        if isinstance(self.init, str):
            FromManyDocuments().check_start(self)
        if self.n_init > 1 and not exact_totals:
            raise InputError(
                say(
                    "KMeans got {n_init=}, and between parties each start tells as much again; "
                    "leave {n} at 1, or let all parties know that totals are exact.",
                    n_init=self.n_init,
                    n=Parameter("n_init"),
                )
            )

    def _fit(self, commons: Commons, seed: int) -> Fitted:
        return (self._lloyd if commons.exact_totals else self._with_noise)(commons, seed)

    def _with_noise(self, commons: Commons, seed: int) -> Fitted:
        """Lloyd's algorithm between parties, as long as not all of them know of exact totals."""
        warn_of_ignored(self, ROUNDS)
        self._check_between_parties()
        leave_out_rare(commons)
        rounds, told = min(self.max_iter, ROUNDS), NoisedMeans(commons, self._noise)
        topics = told.start(self, seed)
        objective: list[float] = []
        for iteration in range(1, rounds + 1):
            topics, squares = told.next_topics(topics)
            objective.append(cosine_distance(squares, told.documents))
            report(type(self).__name__, iteration, rounds, objective[-1], self.verbose)
            if iteration < rounds:
                topics = without_empty(topics, squares, seed + iteration)
        topics = rounded(topics)
        return Fitted(topics, told.sizes(topics), objective, rounds, revived=[])

    def _lloyd(self, commons: Commons, seed: int) -> Fitted:
        """Lloyd's algorithm, from exact totals."""
        beginnings, most = beginnings_for(commons), self._most(commons)
        farthest = Worst(farthest_document, count_far, add_farthest)
        topics = self._start(commons, beginnings, seed)
        objective: list[float] = []
        revived: list[tuple[int, int]] = []
        converged = False
        for iteration in range(1, self.max_iter + 1):
            active = beginnings.large_enough(commons, count_nearest, topics, self._relative)
            totals, sizes, weights, norm, moved = commons.sum(
                assign_documents, topics, self._relative, active, most=most
            )
            topics = means(totals, weights, topics)
            # Σ‖x − mean‖² = Σ‖x‖² − Σ weightₜ‖meanₜ‖², so the total alone gives the objective.
            objective.append(float(norm - weights @ (topics**2).sum(axis=1)))
            self._report(iteration, objective[-1])
            dead = self._dead(sizes, iteration, revived)
            for topic in dead:
                topics[topic] = beginnings.worst(
                    commons, farthest, topics, self._relative, seed=seed + iteration
                )
                revived.append((iteration, int(topic)))
            settled = moved == 0 or has_converged(objective, self.tol, nothing=float(norm))
            converged = not len(dead) and settled
            if converged:
                break
        return Fitted(
            topics, sizes, objective, iteration, revived=revived, converged=bool(converged)
        )

    def _start(self, commons: Commons, beginnings: FromOneDocument, seed: int) -> Array:
        """The first topics: given ones, averages of random groups, or documents far apart."""
        if not isinstance(self.init, str):
            return check_topics(self, self.init, commons.n_features)
        beginnings.check_start(self)
        init = beginnings.usual_start if self.init == "auto" else self.init
        if init == "random":
            return self._random_start(commons, beginnings, seed)
        topics = np.empty((0, commons.n_features))
        for _ in range(self.n_components):
            slots = commons.sum(next_centre, topics, seed, init == "greedy", self._relative)
            topics = np.vstack([topics, chosen(slots)])
        return topics

    def _random_start(self, commons: Commons, beginnings: FromOneDocument, seed: int) -> Array:
        """The averages of random groups; between parties each has about twenty documents.

        Where that makes fewer groups than topics, topics are mixtures of these averages.
        """
        assert commons.counted is not None
        groups = beginnings.groups(self.n_components, commons.counted)
        totals, _, weights = commons.sum(
            assign_at_random, groups, seed, self._relative, most=self._most(commons)
        )
        averages = means(totals, weights, totals.sum(axis=0) / weights.sum())
        return mixed_averages(averages, self.n_components, seed)

    def _dead(
        self, sizes: Array, iteration: int, revived: list[tuple[int, int]]
    ) -> NDArray[np.intp]:
        """The topics without documents, as long as they may be restarted."""
        if iteration == self.max_iter or len(revived) >= TRIES * self.n_components:
            return np.empty(0, dtype=np.intp)
        return np.flatnonzero(sizes == 0)

    def _most(self, commons: Commons) -> float:
        """The most that a document adds to a cell: its importance."""
        return commons.n_features if self._relative else 1.0

    @property
    def _relative(self) -> bool:
        return self.loss == "relative"

    def _weights(self, documents: Documents) -> Array:
        labels, _ = nearest(documents, self.components_)
        return np.eye(len(self.components_))[labels]


@keeps(labels="each document's topic, or −1 where it has none")
def assign_documents(
    rows: Any, memory: Memory, topics: Array, relative: bool, active: NDArray[np.bool_]
) -> tuple[Array, Array, Array, Array, Array]:
    """Each topic's documents summed and counted; ‖X‖² and how many documents changed topic.

    Documents whose topic isn't active are left out of all of these.
    """
    documents = frequencies_of(rows, memory, relative)
    labels, _ = nearest(documents, topics)
    labels[documents.empty | ~active[labels]] = -1
    before = memory.get("labels", np.full(documents.n, -2))
    memory["labels"] = labels
    norm = documents.importance[labels >= 0] @ documents.squared_norms[labels >= 0]
    moved = float((labels != before).sum())
    return *_sums(documents, labels, len(topics)), np.array(norm), np.array(moved)


def count_nearest(rows: Any, memory: Memory, topics: Array, relative: bool) -> NDArray[np.int64]:
    """How many documents are nearest to each topic."""
    documents = frequencies_of(rows, memory, relative)
    labels = nearest(documents, topics)[0][~documents.empty]
    return np.bincount(labels, minlength=len(topics)).astype(np.int64)


def means(totals: Array, sizes: Array, fallback: Array) -> Array:
    """Totals divided by sizes, or the rows of `fallback` where a size is zero."""
    divisor = np.where(sizes > 0, sizes, 1.0)
    return np.where(sizes[:, None] > 0, totals / divisor[:, None], fallback)


def assign_at_random(
    rows: Any, memory: Memory, groups: int, seed: int, relative: bool
) -> tuple[Array, Array, Array]:
    """The sums and the numbers of documents of random groups, each document in one."""
    documents = frequencies_of(rows, memory, relative)
    return _sums(documents, group_at_random(documents, memory, groups, seed), groups)


def next_centre(
    rows: Any, memory: Memory, topics: Array, seed: int, greedy: bool, relative: bool
) -> Array:
    """Each holder's candidate for the next topic to start from (a document crosses).

    Drawing with probability ∝ D² is a race: the document with the least E/D², E exponential, wins,
    and a race can be held among holders. The draw is keyed by the document's content, so that
    identical documents share one draw and duplicates count once.
    """
    documents = frequencies_of(rows, memory, relative)
    race = -np.log(uniforms(documents.keys(seed + len(topics)), 1)[:, 0])
    if not len(topics):
        return candidate(documents, memory, -race)
    distances = documents.importance * nearest(documents, topics)[1]
    return candidate(documents, memory, distances if greedy else distances / race)


def farthest_document(rows: Any, memory: Memory, topics: Array, relative: bool) -> Array:
    """Each holder's document farthest from its topic (a document crosses)."""
    documents = frequencies_of(rows, memory, relative)
    distances = documents.importance * nearest(documents, topics)[1]
    return candidate(documents, memory, distances)


def count_far(rows: Any, memory: Memory, topics: Array, relative: bool) -> NDArray[np.int64]:
    """The number of documents at each distance from their topic or farther."""
    documents = frequencies_of(rows, memory, relative)
    return count_by_error(documents, documents.importance * nearest(documents, topics)[1])


def add_farthest(
    rows: Any, memory: Memory, topics: Array, relative: bool, least: float
) -> tuple[Array, NDArray[np.int64]]:
    """The sum and number of the documents farthest from their topic, at least five per holder."""
    documents = frequencies_of(rows, memory, relative)
    return add_worst(documents, documents.importance * nearest(documents, topics)[1], least)


def _sums(documents: Documents, labels: NDArray[np.int64], k: int) -> tuple[Array, Array, Array]:
    """Per topic: the sum of its documents, their number, and the sum of their importance."""
    assigned = labels >= 0
    counted = np.bincount(labels[assigned], minlength=k).astype(np.float64)
    importance = sums_by(labels[assigned], documents.importance[assigned], k)
    return totals_by(documents, documents.importance, labels, k), counted, importance
