"""Rectified anchor words: topics and their correlations from how often words meet.

The Robust Rectified Anchor Word algorithm (Lee 2018, section 3.3), a step a line: co-occurrence,
which is the one sum; rectification; anchors; topics; correlations and prior. Then, unless `refine`
is 0, a few sweeps over the documents from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from chatham.commons import Commons
from chatham.models.anchor import given
from chatham.models.anchor.choose import candidates_among, choose_anchors
from chatham.models.anchor.completion import complete_diagonal
from chatham.models.anchor.conditional import Conditional, Group
from chatham.models.anchor.cooccurrence import Cooccurrence, cooccurrence
from chatham.models.anchor.correlations import (
    correlations_of,
    dirichlet_prior,
    smallest_eigenvalue,
)
from chatham.models.anchor.hierarchy import Hierarchy, build_hierarchy
from chatham.models.anchor.recover import recover
from chatham.models.anchor.rectify import alternate
from chatham.models.anchor.refine import posterior_weights, refine
from chatham.models.anchor.settings import (
    check_settings,
    check_width,
    has_rank,
    warn_without_dual,
)
from chatham.models.base import Fitted, TopicLearner
from chatham.models.documents import Documents
from chatham.models.inference.base import Inference
from chatham.models.inference.infer import inference_by
from chatham.models.inference.padd import learn_dual
from chatham.models.progress import report
from chatham.numerics.threads import threads

Array = NDArray[np.float64]

WIDE = 2048
"""From so many words on, `precision="auto"` is single: noise is far above rounding."""
SETTLED = 30
"""Steps that settle a new document's weights."""


class AnchorWords(TopicLearner):
    """Topics found by their anchors: words that one topic has to itself.

    Parameters
    ----------
    n_components : number of topics.
    anchors : how anchors are chosen: "qr", each the word least explained by those before (Lee's
        Algorithm 2); "fast", Arora's FastAnchorWords on random projections; "tsne" or "pca", the
        corners of a hull in `dimensions` dimensions. Or a list of your own, a word's place or
        several for each topic; topics beyond them are found by "qr".
    min_anchor_df : in how many documents an anchor must be: a number, a share of all, or "auto":
        2 % of them, but never so many that fewer than ten words a topic are left to choose from.
    rectify : "alternating" projection (Algorithm 1), "diagonal" completion (Algorithm 7), "none".
        A co-occurrence with fewer positive eigenvalues than topics can't be projected to so many;
        it is used as counted, and a warning says so.
    recover : "admm" (Algorithm 3), "l2" or "kl" (exponentiated gradient), "inverse" (the original).
    smoothing : added to the anchors' rows before topics are recovered; 1e-5 is usual.
    refine : sweeps over the documents from the spectral solution; 0 is the algorithm as published.
    beta : prior of a topic's words in these sweeps.
    inference : how `transform` finds weights. "posterior" are the means under topics and `alpha_`;
        "padd", "spi" and "tli" are Lee's chapter 4; "least-squares" is on the simplex.
    dimensions : of the hull.
    precision : of the co-occurrence: "double", "single", or "auto", single from 2,048 words on.
    keep_cooccurrence : keep the counted co-occurrence as `cooccurrence_`; a saved model has none.
    max_iter, tol : the most projections, and the relative change at which they stop.

    Attributes
    ----------
    components_, prevalence_ : topics and their shares, the largest first.
    anchors_ : each topic's anchor; `anchor_groups_` has all of its words.
    correlations_ : the joint probability of two topics for two words of a document (k×k).
    smallest_eigenvalue_ : theirs; moments of documents' weights have none below zero.
    alpha_ : the Dirichlet prior that fits the correlations, or was learned by the sweeps.
    dual_ : what PADD learned from the training documents (15 more sums); zeros otherwise.
    objective_ : how much each projection after the first changed the co-occurrence.
    n_iter_ : the number of projections; 1 where there is none.
    likelihood_ : the log-likelihood of a word at each sweep.

    Parties need one sum, and one more for each sweep.

    >>> import numpy as np
    >>> from chatham import AnchorWords
    >>> counts = np.array([[4, 2, 0, 0], [6, 3, 0, 0], [0, 0, 3, 6], [0, 0, 2, 4]] * 5)
    >>> learner = AnchorWords(2, random_state=0).fit(counts)
    >>> learner.components_.round(1)
    array([[0.7, 0.3, 0. , 0. ],
           [0. , 0. , 0.3, 0.7]])
    """

    anchor_groups_: list[Group]
    correlations_: Array
    alpha_: Array
    dual_: Array
    likelihood_: Array
    cooccurrence_: NDArray[Any]

    def __init__(
        self,
        n_components: int = 10,
        *,
        anchors: Any = "qr",
        min_anchor_df: Any = "auto",
        rectify: str = "alternating",
        recover: str = "admm",
        smoothing: float = 0.0,
        refine: int = 20,
        beta: float = 0.03,
        inference: str = "posterior",
        dimensions: int = 3,
        precision: str = "auto",
        keep_cooccurrence: bool = False,
        max_iter: int = 15,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.anchors = anchors
        self.min_anchor_df = min_anchor_df
        self.rectify = rectify
        self.recover = recover
        self.smoothing = smoothing
        self.refine = refine
        self.beta = beta
        self.inference = inference
        self.dimensions = dimensions
        self.precision = precision
        self.keep_cooccurrence = keep_cooccurrence
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit(self, commons: Commons, seed: int) -> Fitted:
        k = self.n_components
        check_width(k, commons.n_features)
        own = self._given(commons.n_features)
        counted = self._counted(commons)
        candidates = candidates_among(counted, self.min_anchor_df, k, k - len(own))
        joint, changes = self._rectified(counted.matrix, seed)
        words = Conditional(joint)
        anchors = choose_anchors(
            words, k, candidates, way=self.anchors, given=own, dimensions=self.dimensions, seed=seed
        )
        recovered = recover(words, anchors, self.recover, smoothing=self.smoothing)
        topics = recovered.topics
        correlations = correlations_of(words, topics, anchors)
        sizes, alpha, likelihood = correlations.sum(axis=1), dirichlet_prior(correlations), []
        if self.refine:
            refined = refine(
                commons, topics, sizes / sizes.sum(), words.totals,
                sweeps=self.refine, beta=self.beta, report=self._reporter(len(changes) + 1),
            )  # fmt: skip
            topics, alpha, sizes = refined.topics, refined.alpha, refined.sizes
            correlations, likelihood = refined.correlations, refined.likelihood
        more = {
            "anchor_groups_": anchors,
            "correlations_": correlations,
            "alpha_": alpha,
            "dual_": self._dual(commons, topics, correlations),
            "likelihood_": np.array(likelihood),
        }
        self.__dict__.pop("cooccurrence_", None)
        if self.keep_cooccurrence:
            more["cooccurrence_"] = counted.matrix
        return Fitted(
            topics, sizes, changes, len(changes) + 1, more,
            per_topic=("anchor_groups_", "alpha_"), per_pair=("correlations_", "dual_"),
        )  # fmt: skip

    def hierarchy(self, levels: Sequence[int]) -> Hierarchy:
        """Supertopics of the topics, of those in turn, and so on (Lee 2018, section 3.4).

        `levels` says how many there are on each level, fewer from level to level: (10, 3).
        """
        check_is_fitted(self)
        with threads(self.n_jobs):
            return build_hierarchy(self.correlations_, levels, topics=self.components_)

    def _counted(self, commons: Commons) -> Cooccurrence:
        auto = self.precision == "auto" and commons.n_features >= WIDE
        return cooccurrence(commons, single=auto or self.precision == "single")

    def _rectified(self, counted: NDArray[Any], seed: int) -> tuple[NDArray[Any], list[float]]:
        if self.rectify == "none":
            return counted, []
        if self.rectify == "diagonal":
            return complete_diagonal(counted, self.n_components, seed=seed).matrix, []
        rectified = alternate(
            counted, self.n_components,
            max_iter=self.max_iter, tol=self.tol, report=self._reporter(0),
        )  # fmt: skip
        if not has_rank(rectified, self.n_components):
            return counted, []
        return rectified.matrix, rectified.changes

    def _given(self, n_features: int) -> list[Group]:
        if not given.is_given(self.anchors):
            return []
        return given.as_groups(self.anchors, n_features, getattr(self, "feature_names_in_", None))

    def _dual(self, commons: Commons, topics: Array, correlations: Array) -> Array:
        if self.inference != "padd":
            return np.zeros((self.n_components, self.n_components))
        return learn_dual(commons, topics, correlations)

    @property
    def smallest_eigenvalue_(self) -> float:
        """The correlations' smallest eigenvalue."""
        return smallest_eigenvalue(self.correlations_)

    @property
    def anchors_(self) -> NDArray[np.int64]:
        """Each topic's anchor; of several, the first."""
        return np.array([group[0] for group in self.anchor_groups_], dtype=np.int64)

    def _documents(self, rows: Any) -> Documents:
        return Documents(rows, frequencies=self.inference != "posterior")

    def _weights(self, documents: Documents) -> Array:
        if self.inference == "posterior":
            weights = posterior_weights(documents, self.components_, self.alpha_, SETTLED)
            weights[~weights.any(axis=1)] = self.prevalence_
            return weights
        return self._inference().weights(documents)

    def _inference(self) -> Inference:
        """Made once for these topics: TLI's left inverse takes a linear programme for each."""
        own = self.components_, self.prevalence_, self.dual_
        method, of, made = _MADE.get(self, ("", (), None))
        same = len(of) == len(own) and all(a is b for a, b in zip(of, own, strict=True))
        if made is None or method != self.inference or not same:
            if self.inference == "padd":
                warn_without_dual(self.n_components, self.dual_)
            made = inference_by(self.inference, self.components_, self.prevalence_, dual=self.dual_)
            _MADE[self] = self.inference, own, made
        return made

    def _reporter(self, before: int) -> Callable[[int, float], None]:
        most = (self.max_iter if self.rectify == "alternating" else 0) + int(self.refine)

        def tell(iteration: int, value: float) -> None:
            report(type(self).__name__, before + iteration, most, value, self.verbose)

        return tell

    def _check_documents(self, commons: Commons) -> None:
        """Documents are counted in the one sum there is."""

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_settings(self)


_MADE: WeakKeyDictionary[AnchorWords, tuple[str, tuple[Array, ...], Inference]] = (
    WeakKeyDictionary()
)
"""The inferences of estimators in use: a transform may not change an estimator itself."""
