"""What every learner shares: scikit-learn's conventions, one `fit`, topics numbered by size."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from chatham.commons import Commons, as_commons
from chatham.commons.privacy import Privacy
from chatham.errors import InputError
from chatham.learners.convergence import warn_unconverged
from chatham.learners.documents import Documents, check_counts, check_finite, counts_in
from chatham.learners.fitted import Fitted, checked, checked_weights
from chatham.learners.held_out import score_of_cells, score_of_directions, score_of_words
from chatham.learners.parameters import check_jobs, check_matrix, learner_called, refused
from chatham.learners.progress import report
from chatham.learners.settings.base import Settings
from chatham.learners.small_parties import warn_of_few
from chatham.learners.weighted import Weighted
from chatham.notes import ChathamWarning
from chatham.numerics.threads import threads
from chatham.wording import Either, say

Array = NDArray[np.float64]

EQUAL = 1e-9
"""Restarts whose objectives differ by no more than this share of them count as equally good."""


class TopicLearner(  # type: ignore[misc]
    Settings, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC
):
    """A topic model that is fitted by sums alone.

    A learner adds `_fit`, its algorithm written against `commons.sum`, and `_weights`, which
    finds the weights of documents for fixed topics. What other rooms ask of any learner, and how
    one that differs answers, is in `Settings`.
    """

    revived_: list[tuple[int, int]]

    _order: NDArray[np.int64]
    """As which of its own topics the algorithm knew each one that is kept."""

    _plain: Array | None = None
    """During a fit to weighted words, how many plain words a unit of each column stands for."""

    def __init__(
        self,
        n_components: int = 10,
        *,
        max_iter: int = 100,
        tol: float = 1e-3,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        """The parameters that every learner has; one with more has its own `__init__`."""
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @abstractmethod
    def _fit(self, commons: Commons, seed: int) -> Fitted:
        """The learner's algorithm."""

    @abstractmethod
    def _weights(self, documents: Documents) -> Array:
        """The weights of these documents under the learner's own objective."""

    def _check_between_parties(self, exact_totals: bool = False) -> None:
        """Refuse parameters with which the learner can't work where no document may cross.

        With `exact_totals` all parties know of totals that give documents away.
        """

    def _measurements(self) -> int:
        """How many linear measurements of every document a fit between parties tells them at most.

        So many equations does a party's row enter; who has as many as a row has unknowns solves it.
        """
        return 0

    def _check_told(self, rows: Any, before: int) -> None:
        """Refuse a party's counts of all its words, before anything leaves, if so many measurements
        would say too much about them whichever words are agreed on; `before` were told earlier."""

    def _index_words(self, vocabulary: NDArray[Any]) -> None:
        """Replace words among the parameters by column indices, for learners that take words."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the topics of X: a matrix of counts, or a Commons wherever the rows are."""
        self._check_parameters()
        return self._learn(X)

    def _learn(self, X: Any, idf: Array | None = None) -> Self:
        """`fit` without checking parameters, for callers that did so before reading documents.

        If X is weighted by `idf`, the topics' shares may be those of the plain words.
        """
        self._check_weighted(X)
        commons = self._commons(X)
        self._check_privacy(commons.privacy)
        self._check_seed(commons)
        seed = self._seed()
        warn_of_few(commons, stacklevel=4)
        commons.telling(self._measurements())
        fits = []
        for restart in range(self._restarts):
            with threads(self.n_jobs), commons.fitting():
                self._check_documents(commons)
                self._plain = None if idf is None else 1.0 / idf
                try:
                    fits.append(checked(self, self._fit(commons, seed_of(restart, seed))))
                finally:
                    del self._plain
        self._keep(self._best(fits))
        return self

    def _best(self, fits: list[Fitted]) -> Fitted:
        """The fit that ended with the best objective; of equal ones the first.

        Equal but for rounding, that is, which parties' machines don't share.
        """
        if len(fits) == 1:
            return fits[0]
        ends = np.array([self._better * fitted.objective[-1] for fitted in fits])
        return fits[int(np.argmax(ends >= ends.max() - EQUAL * np.abs(ends.max())))]

    def transform(self, X: Any) -> Array:
        """The weights of each document; an empty one gets the average of the training documents.

        Rows sum to one, but for plain coordinates, as those of `SVD` and of NMF without constraint,
        which are zero for an empty document.
        """
        documents = self._documents(self._new_rows(X, "transform"))
        with threads(self.n_jobs):
            weights = checked_weights(self, self._weights(documents), documents.n)
        weights[documents.empty] = self._weights_of_nothing()
        return weights

    def score(self, X: Any, y: Any = None) -> float:
        """How well the model predicts documents that it hasn't seen; higher is better.

        For topics it is document completion: a coin for each token decides whether it is seen or
        hidden, and the score is the mean log-probability of hidden tokens under the weights that
        the seen ones give, with 1 % of the uniform distribution in each topic. Coins are keyed by
        the document's content, so neither its place nor the model matters, and `GridSearchCV` can
        choose `n_components` by it without labels. Where cells that aren't stored are unknown, it
        is minus the mean squared error of hidden cells (with weights on the simplex, which have no
        size of their own, completion all the same); of directions, such as those of `SVD`, it
        is the share of the squares that they explain, which grows with each. `y` is ignored.
        """
        rows = sp.csr_array(counts_in(self._new_rows(X, "score")))
        with threads(self.n_jobs):
            if self._gives_directions:
                return score_of_directions(self, rows)
            if self._observes and not self._on_simplex:
                return score_of_cells(self, rows)
            return score_of_words(self, rows)

    def _new_rows(self, X: Any, asked: str) -> Any:
        """New documents as a matrix, if there are as many words as in training."""
        check_is_fitted(self)
        check_jobs(self)
        if isinstance(X, Commons):
            raise InputError(
                f"{asked} takes a matrix, not a commons, whose rows stay where they are; "
                f"{asked} each holder's rows there."
            )
        if isinstance(X, Weighted):
            return X.around(self._new_rows(X.counts, asked))
        check_matrix(self, X)
        return validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)

    def _check_privacy(self, privacy: Privacy | None) -> None:
        """Refuse to promise what the learner's own sums don't keep."""
        if privacy is not None and not self._fits_privately:
            raise InputError(
                say(
                    "{learner} has no differentially private fit; NMF and SVD have one.",
                    learner=learner_called(self),
                )
            )

    def _check_seed(self, commons: Commons) -> None:
        """Parties that each draw their own seed would start from different topics."""
        if self.random_state is None and commons.index is not None and commons.holders > 1:
            raise InputError(
                say(
                    "{kind} got no {random_state}, and between parties all must start from the "
                    "same topics; agree on a whole number and give it as {random_state}.",
                    kind=type(self).__name__,
                )
            )

    def _seed(self) -> int:
        with suppress(ValueError):
            return int(check_random_state(self.random_state).randint(2**31 - 1))
        raise refused(
            self,
            "random_state",
            f"None, a whole number from 0 to {2**32 - 1}, or a RandomState",
            self.random_state,
        )

    def _documents(self, rows: Any) -> Documents:
        """New documents in the form that `_weights` reads."""
        return Documents(rows, frequencies=True)

    def _weights_of_nothing(self) -> Array:
        return self.prevalence_

    def _commons(self, X: Any) -> Commons:
        if isinstance(X, Commons):
            self.n_features_in_ = X.n_features
            if hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
            return X
        counts = X.counts if isinstance(X, Weighted) else X
        check_matrix(self, counts)
        rows = validate_data(self, counts, accept_sparse="csr", dtype=np.float64)
        check = check_finite if self._signed else check_counts
        check(rows.data if hasattr(rows, "indptr") else rows)
        return as_commons(X.around(rows) if isinstance(X, Weighted) else rows)

    def _check_documents(self, commons: Commons) -> None:
        counted = commons.count()
        if counted.with_words == 0:
            raise InputError(
                f"All {counted.documents} documents are empty; {type(self).__name__} needs at "
                "least one document with words."
            )

    def _check_weighted(self, X: Any) -> None:
        """Refuse rows with weights that the learner would ignore."""
        here = X.here if isinstance(X, Commons) else [X]
        if not self._weighs_rows and any(isinstance(rows, Weighted) for rows in here):
            raise InputError(
                say(
                    "{learner} got rows with weights, and can't weight them; NMF can, or give it "
                    "the matrix without weights.",
                    learner=learner_called(self),
                )
            )

    def _keep(self, fitted: Fitted) -> None:
        """Keep what was learned, with the topics numbered by size: the largest is topic 0.

        Unless they have their numbers already.
        """
        shares = fitted.sizes / max(fitted.sizes.sum(), np.finfo(float).tiny)
        # Rounded, so that the last bit doesn't order topics of the same size.
        ranks = np.zeros(len(shares)) if fitted.numbered else -np.round(shares, 9)
        order = np.argsort(ranks, kind="stable")
        self.components_ = np.ascontiguousarray(fitted.topics[order])
        self.prevalence_ = shares[order]
        self.objective_ = np.array(fitted.objective)
        self.n_iter_ = fitted.n_iter
        self._order = order
        for name, value in fitted.more.items():
            setattr(self, name, self.learned[name].ordered(value, order))
        if fitted.revived is not None:
            self._warn_of_revived()
        if not fitted.converged and self.tol > 0:
            warn_unconverged(self, self.n_iter_, stacklevel=4)

    def _warn_of_revived(self) -> None:
        topics = {topic for _, topic in self.revived_}
        if topics:
            warnings.warn(
                say(
                    "{restarted} of {k} topics were left without documents and were restarted from "
                    "the worst-explained documents{where}; fewer topics may suit these documents "
                    "better.",
                    restarted=len(topics),
                    k=self.n_components,
                    where=Either(" (see revived_)", ""),
                ),
                ChathamWarning,
                stacklevel=5,
            )

    def _report(self, iteration: int, objective: float | None) -> None:
        report(type(self).__name__, iteration, self.max_iter, objective, self.verbose)

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = not self._signed
        return tags


def seed_of(restart: int, seed: int) -> int:
    """The seed of each restart; the first has the fit's own, as if it were the only one."""
    if restart == 0:
        return seed
    return int(np.random.default_rng([seed, restart]).integers(2**31 - 1))
