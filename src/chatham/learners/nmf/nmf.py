"""Non-negative matrix factorisation by rank-one residue iterations (thesis, section 1.2.2).

Minimises ½(‖X − WT‖² + ℓ2ʷ‖W‖² + ℓ2ᵗ‖T‖²) + ℓ1ʷ‖W‖₁ + ℓ1ᵗ‖T‖₁. The residue R is never formed: sums
of WᵀX and WᵀW, a topics × words and a topics × topics array, are all that the topics need. With a
relative loss a document's error and the penalties on its weights are all divided by its norm; with
weights of cells Ψ the error is ½Σ Ψᵢⱼ(X − WT)ᵢⱼ² (eqs. 2.22 to 2.24).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons
from chatham.errors import InputError
from chatham.learners.base import TopicLearner
from chatham.learners.beginnings import beginnings_for
from chatham.learners.convergence import has_converged
from chatham.learners.documents import Documents
from chatham.learners.fitted import Fitted
from chatham.learners.nmf.bounds import most_of_norm
from chatham.learners.nmf.cells import cells_of
from chatham.learners.nmf.local_start import local_topics
from chatham.learners.nmf.noised import NOISE, NoisedFactors
from chatham.learners.nmf.private import ROUNDS as PRIVATE_ROUNDS
from chatham.learners.nmf.private import PrivateFactors
from chatham.learners.nmf.problem import (
    Problem,
    WeightedProblem,
    documents_for,
    on_simplex,
    worth_of,
)
from chatham.learners.nmf.repair import WORST
from chatham.learners.nmf.schedules import SCHEDULES
from chatham.learners.nmf.start import Start, given_start, nndsvd_start, random_start
from chatham.learners.nmf.topics import UNUSED, Penalty
from chatham.learners.noised_totals import (
    ROUNDS,
    check_usual,
    rounded,
    warn_of_ignored,
    without_empty,
)
from chatham.learners.parameters import check_topics
from chatham.learners.progress import report
from chatham.learners.rare_words import leave_out_rare
from chatham.learners.settings.nmf import NMFSettings
from chatham.learners.weighted import Weighted, check_masked
from chatham.wording import say

Array = NDArray[np.float64]

TRIES = 3
"""How often an unused topic may be restarted."""

SWEEPS = 200
"""Maximum number of sweeps for a new document's weights."""


class NMF(NMFSettings, TopicLearner):
    """Topics and weights that approximate the documents with the least squared error.

    Parameters
    ----------
    n_components : number of topics.
    constraint : "simplex" makes topics and weights distributions, of documents turned into
        frequencies, as in the source; "none" is general NMF of the matrix as it is, which `ch.fit`
        sets for text: on the simplex a topic that says little may draw most documents.
    schedule : "block" updates all weights, then all topics, with one sum per iteration;
        "interleaved" takes topic after topic as published, with one sum per topic.
    init : "nndsvd" starts from singular vectors, "random" from random numbers, "random_2x" does the
        same and may take twice `max_iter`; "local" starts from every holder's own topics, weighted
        and mixed (PD-NMF-Init): sums over these topics cross before those over documents, without
        topics that fewer than five documents have. Or an array of topics.
    weights_step : "descent", or "published" for Algorithm 2 to the letter (interleaved, simplex),
        whose objective may rise.
    loss : "absolute" gives every squared error the same weight, as in the source; "relative"
        divides a document's by its own squared norm. A document of three words has a norm many
        times that of one of three hundred, so that otherwise the shortest documents dominate the
        topics.
    missing : None counts cells that aren't stored as zeros; "unobserved" leaves them out, as does
        a weight of zero in `fit(X, cell_weight=…)`.
    l1_weights, l2_weights, l1_topics, l2_topics : penalties. On the simplex ℓ1 has no meaning, and
        ℓ2 may be negative, which makes weights or topics sparse.
    tol : stop when as many iterations again, at the pace of the last ten, would explain at most
        this share more of ‖X‖² than is explained. 0 takes all of `max_iter`; if these end before,
        an `UnconvergedWarning` says so.

    `revived_` lists the (iteration, topic) pairs where a topic that no document used was restarted
    from the worst-explained document; only there may `objective_` rise.

    Between parties totals are noised, since exact ones tie words of a document together. A
    document's squared error is divided by its norm, whatever `loss` is; each party adds Gaussian
    noise of standard deviation 0.1 to every sum of weight × word; topics start from averages of
    random groups of documents, whether `init` is "nndsvd" or "random"; there are ten rounds, or
    `max_iter` if that is less, whatever `tol` is; an unused topic becomes a variation of the
    largest, and `revived_` stays empty; `objective_` and `prevalence_` are as the noised totals
    tell them, and `components_` are rounded. Words that fewer than five of a party's documents have
    are left out of its part. Other schedules, starts and constraints, penalties on topics, and
    negative ones on weights are refused.

    Where all parties know that totals are exact (`exact_totals_know` in the session), the fit is
    the one above, but for this: a topic is restarted from the average of the ten or more documents
    that are explained worst. It is no protection against what totals reveal. Where they agreed on
    differential privacy (`privacy` in the session), there are five rounds, and noise is as large as
    that needs (see `private`).

    >>> import numpy as np
    >>> from chatham import NMF
    >>> counts = np.array([[4, 2, 0, 0], [2, 1, 0, 0], [0, 0, 3, 3], [0, 0, 1, 1]])
    >>> NMF(2, random_state=0).fit(counts).components_.round(2)
    array([[0.67, 0.33, 0.  , 0.  ],
           [0.  , 0.  , 0.5 , 0.5 ]])
    """

    _noise: ClassVar[float] = NOISE
    """The standard deviation of what each party adds to a cell where totals may not be exact."""

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, cell_weight: Any = None
    ) -> Self:
        """Learn the topics of X: a matrix, or a Commons wherever the rows are.

        `sample_weight` has how much each row counts, `cell_weight` how much each cell's error does
        (rows × columns, or sparse). In a commons weights stand with each holder's rows
        (`Weighted`).
        """
        self._check_parameters()
        return self._learn(_with_weights(X, sample_weight, cell_weight))

    def transform(self, X: Any, cell_weight: Any = None) -> Array:
        """The weights of each document over its cells, which count as `cell_weight` says; an empty
        one gets the average of the training documents, or zeros without constraint."""
        return super().transform(_with_weights(X, None, cell_weight))

    def fit_transform(
        self, X: Any, y: Any = None, sample_weight: Any = None, cell_weight: Any = None
    ) -> Array:
        """`fit(X, ...)`, then `transform(X, cell_weight)`."""
        return self.fit(X, y, sample_weight, cell_weight).transform(X, cell_weight)

    def _check_between_parties(self, exact_totals: bool = False) -> None:
        if exact_totals:
            return
        usual = {
            "constraint": ("simplex",), "schedule": ("block",), "missing": (None,),
            "l2_topics": (0,), "init": ("nndsvd", "random"),
        }  # fmt: skip
        if self.l2_weights < 0:  # nearly all of a document in one topic needs more noise
            usual["l2_weights"] = (0,)
        check_usual(self, usual)

    def _fit(self, commons: Commons, seed: int) -> Fitted:
        weighted = [rows for rows in commons.here if isinstance(rows, Weighted)]
        if weighted:
            self._check_weights(commons, weighted)
        return (self._from_exact if commons.exact_totals else self._with_noise)(commons, seed)

    def _check_weights(self, commons: Commons, weighted: Sequence[Weighted]) -> None:
        """Weights go with the parameters and with what others know of them."""
        cells = any(rows.cell_weight is not None for rows in weighted)
        if not commons.exact_totals:
            raise InputError(
                "NMF got rows with weights, and between parties totals are noised, for rows of "
                "equal size; let all parties know of exact totals, or give rows without weights."
            )
        if cells and commons.index is not None and commons.holders > 1 and not self._observes:
            raise InputError(
                say(
                    "NMF got weights of cells, of which the other parties don't know; use "
                    "{missing='unobserved'}, where each word has its own sums, or give rows "
                    "without them."
                )
            )
        check_masked(commons, weighted)
        if len(weighted) == len(commons.here) and not any(rows.largest for rows in weighted):
            raise InputError(
                "NMF got weights that are all zero, so that nothing counts; give some weight."
            )
        if any(rows.start is not None for rows in weighted):
            self._check_starts(weighted)
        if cells and (self.weights_step == "published" or min(self.l2_weights, self.l2_topics) < 0):
            raise InputError(
                say(
                    "NMF got weights of cells, which don't go with {weights_step='published'} or "
                    "with a negative l2 penalty: cells of little weight would draw all; use "
                    "{weights_step='descent'} and penalties of at least 0."
                )
            )

    def _check_starts(self, weighted: Sequence[Weighted]) -> None:
        widths = {rows.start.shape[1] for rows in weighted if rows.start is not None}
        if isinstance(self.init, str) or widths != {self.n_components}:
            raise InputError(
                say(
                    "NMF got rows with a start of {widths} topic weights and {init=}; give "
                    "topics to begin from, as many as there are weights.",
                    widths=" or ".join(map(str, sorted(widths))),
                    init=self.init if isinstance(self.init, str) else "an array",
                )
            )

    def _with_noise(self, commons: Commons, seed: int) -> Fitted:
        """Algorithm 2 between parties, as long as not all of them know of exact totals."""
        most = ROUNDS if commons.privacy is None else PRIVATE_ROUNDS
        warn_of_ignored(self, most)
        self._check_between_parties()
        rounds = min(self.max_iter, most)
        told = self._told(commons, rounds)
        topics, objective = on_simplex(told.start(self, seed)), list[float]()
        for iteration in range(1, rounds + 1):
            topics, sizes, value = told.next_topics(topics)
            objective.append(value)
            report(type(self).__name__, iteration, rounds, value, self.verbose)
            if iteration < rounds:
                topics = without_empty(topics, sizes, seed + iteration)
        topics = rounded(topics)
        worth = worth_of(topics, told.problem, self._plain)
        return Fitted(topics, told.sizes(topics, worth), objective, rounds, revived=[])

    def _told(self, commons: Commons, rounds: int) -> NoisedFactors:
        """The totals that cross: with the usual noise, or with as much as was promised."""
        l2 = float(self.l2_weights)
        if commons.privacy is not None:
            return PrivateFactors(commons, rounds, l2)
        leave_out_rare(commons)
        return NoisedFactors(commons, self._noise, l2)

    def _from_exact(self, commons: Commons, seed: int) -> Fitted:
        """Algorithm 2, from exact totals."""
        penalty, beginnings = self._penalty, beginnings_for(commons)
        problem = self._problem_of(commons)
        start = self._start(commons, seed, problem)
        schedule = SCHEDULES[self.schedule](start, problem, penalty, self._plain)
        topics = start.topics
        objective: list[float] = []
        revived: list[tuple[int, int]] = []
        converged, nothing = False, 0.5 * start.squared_norm
        for iteration in range(1, self._most_iterations + 1):
            topics, value, sizes = schedule.iterate(commons, topics)
            objective.append(value)
            self._report(iteration, value)
            dead = self._dead(sizes.squares, iteration, revived)
            if dead is not None:
                topics[dead] = beginnings.worst(
                    commons, WORST, topics, problem,
                    seed=iteration, most=most_of_norm(commons, problem),
                )  # fmt: skip
                revived.append((iteration, dead))
            elif has_converged(objective, self.tol, nothing):
                converged = True
                break
        return Fitted(
            topics, sizes.shares, objective, iteration, revived=revived, converged=converged
        )

    def _dead(self, usage: Array, iteration: int, revived: list[tuple[int, int]]) -> int | None:
        """A topic that no document uses, to be restarted from what is explained worst.

        One per iteration, since the next would get the same document, and each at most three
        times: there may be no more to explain.
        """
        if iteration == self._most_iterations or self._problem.rule == "published":
            return None
        tries = np.bincount([topic for _, topic in revived], minlength=len(usage))
        dead = np.flatnonzero((usage <= UNUSED * usage.max()) & (tries < TRIES))
        return int(dead[np.argmin(tries[dead])]) if len(dead) else None

    def _weights(self, documents: Documents) -> Array:
        return weights_for(documents, self.components_, self._problem)

    def _documents(self, rows: Any) -> Documents:
        return documents_for(rows, self._problem)

    def _weights_of_nothing(self) -> Array:
        return self.prevalence_ if self._problem.simplex else np.zeros(len(self.components_))

    def _start(self, commons: Commons, seed: int, problem: Problem) -> Start:
        k = self.n_components
        if not isinstance(self.init, str):
            topics = check_topics(self, self.init, commons.n_features)
            return given_start(commons, topics, problem)
        if self.init == "local":
            topics = local_topics(commons, k, seed, problem, self._penalty)
            return given_start(commons, topics, problem)
        begin = nndsvd_start if self.init == "nndsvd" else random_start
        return begin(commons, k, seed, problem)

    @property
    def _most_iterations(self) -> int:
        doubled = isinstance(self.init, str) and self.init == "random_2x"
        return self.max_iter * (2 if doubled else 1)

    @property
    def _problem(self) -> Problem:
        if self.constraint == "none":
            rule = "nonnegative"
        else:
            rule = "published" if self.weights_step == "published" else "simplex"
        penalties = float(self.l1_weights), float(self.l2_weights)
        return Problem(rule, *penalties, self.missing == "unobserved", self.loss == "relative")

    def _problem_of(self, commons: Commons) -> Problem:
        """The problem that all holders share, who must know whether cells have weights."""
        problem, weighted = self._problem, (r for r in commons.here if isinstance(r, Weighted))
        if any(rows.cell_weight is not None for rows in weighted):
            return WeightedProblem(*problem)
        return problem

    @property
    def _penalty(self) -> Penalty:
        return Penalty(float(self.l1_topics), float(self.l2_topics), self.constraint == "simplex")


def weights_for(
    documents: Documents, topics: Array, problem: Problem, start: Array | None = None
) -> Array:
    """Each document's weights of least error; from `start`, or from zero (or uniform ones)."""
    flat = 1.0 / len(topics) if problem.simplex else 0.0
    weights = np.full((documents.n, len(topics)), flat) if start is None else start.copy()
    cells_of(documents, weights, problem).descend(np.ascontiguousarray(topics.T), SWEEPS)
    return weights


def _with_weights(X: Any, sample_weight: Any, cell_weight: Any) -> Any:
    """X with the weights of its rows and cells, if it gets any."""
    if sample_weight is None and cell_weight is None:
        return X
    if isinstance(X, Commons | Weighted):
        raise InputError(
            "NMF got weights beside a commons or rows that may have their own; put them with the "
            "rows, as in Simulated([Weighted(rows, sample_weight=…, cell_weight=…), …])."
        )
    return Weighted(X, sample_weight=sample_weight, cell_weight=cell_weight)
