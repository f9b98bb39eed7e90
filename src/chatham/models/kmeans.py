"""k-means by Lloyd's algorithm on document frequencies (thesis, section 1.2.1, Algorithm 1).

Between parties (`commons.private`) nothing that crosses is one document: see `KMeans`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons
from chatham.errors import InputError
from chatham.models.base import Fitted, TopicLearner, has_converged
from chatham.models.candidates import LEAST, MANY, chosen, mean_of_worst
from chatham.models.documents import Documents
from chatham.models.kmeans_steps import (
    add_farthest,
    assign_at_random,
    assign_documents,
    count_far,
    count_nearest,
    farthest_document,
    means,
    nearest,
    next_centre,
)
from chatham.models.parameters import check_choice
from chatham.models.starts import check_topics, normalised

Array = NDArray[np.float64]

STARTS = ("auto", "k-means++", "greedy", "random")

TRIES = 3
"""How often, for each topic there is, one without documents may begin anew."""


class KMeans(TopicLearner):
    """Each document has one topic, and each topic is the mean of its documents.

    Parameters
    ----------
    n_components : number of topics.
    init : "auto" is "k-means++", and between parties "random". "k-means++" picks documents far
        from those picked before, at random (one that is there twice is as likely as one that is
        there once, so that the draw doesn't depend on who holds the copies); "greedy" picks the
        farthest; "random" gives each document a topic at random; or an array of topics.
    loss : "absolute" counts every squared distance alike, as in the source; "relative" divides a
        document's by its own squared norm, so that the shortest don't shape the topics.

    `revived_` lists the (iteration, topic) pairs where a topic had lost its last document and
    began anew from the one farthest from its topic.

    Between parties no start and no repair picks a document: "k-means++" and "greedy" are refused,
    a random topic begins from about twenty documents or more (where there are fewer for each, from
    a mixture of such averages), and an empty one begins anew from the average of the ten or more
    that are farthest. A topic whose documents are fewer than five, all parties taken together,
    isn't added up (a sum of sizes comes first and shows it); it counts as empty, and as long as it
    does, its documents are outside `objective_`.

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
        init: Any = "auto",
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
            shared = topics, self._relative, self._large_enough(commons, topics)
            totals, sizes, moved = commons.sum(
                assign_documents, *shared, bits=self._sum_bits(commons)
            )
            topics = means(totals, sizes[1], topics)
            # Σ‖x − mean‖² = Σ‖x‖² − Σ sizeₜ‖meanₜ‖², so the total alone gives the objective.
            objective.append(float(moved[0] - sizes[1] @ (topics**2).sum(axis=1)))
            self._report(iteration, objective[-1])
            if self._revive(commons, topics, sizes[0], iteration, revived, seed):
                continue
            if moved[1] == 0 or has_converged(objective, self.tol):
                break
        return Fitted(topics, sizes[0], objective, iteration, revived=revived)

    def _start(self, commons: Commons, seed: int) -> Array:
        if not isinstance(self.init, str):
            return check_topics(self, self.init, commons.n_features)
        if self.init == "random" or (self.init == "auto" and commons.private):
            return self._random_start(commons, seed)
        if commons.private:
            raise InputError(
                f"KMeans got init={self.init!r}, which begins topics from single documents, and "
                "between parties no document may cross; use init='auto' or 'random', or topics of "
                "your own."
            )
        topics = np.empty((0, commons.n_features))
        for _ in range(self.n_components):
            slots = commons.sum(next_centre, topics, seed, self.init == "greedy", self._relative)
            topics = np.vstack([topics, chosen(slots)])
        return topics

    def _random_start(self, commons: Commons, seed: int) -> Array:
        """The averages of random groups; between parties each has some twenty documents.

        Where that makes fewer groups than topics, topics are mixtures of these averages. Groups
        that overlap wouldn't do: what they have in common follows from them.
        """
        k = groups = self.n_components
        if commons.private:
            groups = max(1, min(k, self._n_with_words // (2 * MANY)))
        totals, sizes = commons.sum(
            assign_at_random, groups, seed, self._relative, bits=self._sum_bits(commons)
        )
        averages = means(totals, sizes[1], totals.sum(axis=0) / sizes[1].sum())
        if groups == k:
            return averages
        draws = np.random.default_rng(seed)
        mixtures = draws.dirichlet(np.ones(groups), k) @ averages
        return normalised(mixtures * draws.uniform(0.5, 1.5, mixtures.shape))

    def _large_enough(self, commons: Commons, topics: Array) -> NDArray[np.bool_]:
        """Which topics' documents may be added up: between parties, those that have several."""
        if not commons.private:
            return np.ones(len(topics), dtype=bool)
        return np.asarray(commons.sum(count_nearest, topics, self._relative, bits=0) >= LEAST)

    def _revive(
        self,
        commons: Commons,
        topics: Array,
        sizes: Array,
        iteration: int,
        revived: list[tuple[int, int]],
        seed: int,
    ) -> bool:
        """Give each topic without documents the one, or those, farthest from their own."""
        empty = np.flatnonzero(sizes == 0)
        if iteration == self.max_iter or len(revived) >= TRIES * self.n_components:
            return False
        for topic in empty:
            topics[topic] = self._farthest(commons, topics, seed + iteration)
            revived.append((iteration, int(topic)))
        return len(empty) > 0

    def _farthest(self, commons: Commons, topics: Array, seed: int) -> Array:
        if commons.private:
            steps, bits = (count_far, add_farthest), self._bits(commons)
            return mean_of_worst(commons, *steps, topics, self._relative, seed=seed, bits=bits)
        return chosen(commons.sum(farthest_document, topics, self._relative))

    def _sum_bits(self, commons: Commons) -> int:
        return self._bits(commons, self._most_each(commons))

    def _most_each(self, commons: Commons) -> float:
        """The largest number that a document adds to a sum."""
        return commons.n_features if self._relative else 1.0

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
