"""Rectified anchor words: topics and their correlations from word co-occurrence.

The Robust Rectified Anchor Word algorithm (Lee 2018, section 3.3): co-occurrence, which is the one
sum, or between parties a few products with it; rectification; anchors; topics; correlations and
prior. `spectral_solution` has its steps. Then, unless `refine` is 0, a few sweeps over the
documents refine them. New documents get their posterior means as weights, or the weights of the
chosen inference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from chatham.commons import Alone, Commons
from chatham.learners.anchor.concentration import prior_by_likelihood
from chatham.learners.anchor.conditional import Group
from chatham.learners.anchor.correlations import dirichlet_prior, smallest_eigenvalue
from chatham.learners.anchor.hierarchy import Hierarchy, build_hierarchy
from chatham.learners.anchor.notices import (
    check_products,
    check_sizes,
    check_width,
    warn_of_empty,
    warn_unsettled,
    warn_unstopped,
    warn_without_dual,
)
from chatham.learners.anchor.products import check_ever_hidden, measurements
from chatham.learners.anchor.refine import (
    MOST_SWEEPS,
    Refined,
    posterior_weights,
    refine,
    refine_by_held_out,
)
from chatham.learners.anchor.spectral import Spectral, pairing_of, spectral_solution
from chatham.learners.base import TopicLearner
from chatham.learners.documents import Documents
from chatham.learners.fitted import Fitted
from chatham.learners.inference.base import Inference
from chatham.learners.inference.methods import inference_by
from chatham.learners.inference.padd import learn_dual
from chatham.learners.parameters import check_choice
from chatham.learners.progress import report
from chatham.learners.settings import given_anchors
from chatham.learners.settings.anchor_words import CHOICES, HELD_OUT, AnchorWordsSettings
from chatham.learners.words import own_words_fit
from chatham.numerics.threads import threads

Array = NDArray[np.float64]

WIDE = 2048
"""From this many words on, `precision="auto"` is single: noise is far above rounding."""
SETTLED = 30
"""The number of steps for a new document's weights."""
_INFERENCES: WeakKeyDictionary[Any, tuple[str, tuple[Array, ...], Inference]] = WeakKeyDictionary()
"""The inferences of estimators in use, kept here since `transform` may not change an estimator."""


class AnchorWords(AnchorWordsSettings, TopicLearner):
    """Topics found by their anchors: words that occur in one topic only.

    Parameters
    ----------
    n_components : number of topics.
    anchors : how anchors are chosen: "qr", each the word least explained by those before (Lee's
        Algorithm 2); "fast", Arora's FastAnchorWords on random projections; "tsne" or "pca", the
        corners of a hull in `dimensions` dimensions. Or your own list, with one or several column
        indices for each topic; the other topics' anchors are found by "qr".
    min_anchor_df : minimum document frequency of an anchor: a number, a share of all documents, or
        "auto": 2 % of them, but never so many that fewer than ten candidates per topic are left.
    fast_projection, fast_dimensions : of "fast": "gaussian" or "sparse", a matrix of which 5 % are
        +1 and 5 % −1 (Lee, section 1.4), and to how many dimensions; the source's 1,000 work well,
        and with no more words than that nothing is projected. It pays with far more words.
    mean_over : what the co-occurrence is the mean over: "documents", which all count alike, as in
        the source; "tokens", so that a document counts in proportion to its length; "auto", tokens,
        but documents between parties.
    min_length : documents of fewer words are left out of the co-occurrence; the source leaves out
        those of fewer than 5 or 10.
    rectify : "alternating" projection (Algorithm 1), "diagonal" completion (Algorithm 7), "none".
        A co-occurrence with fewer positive eigenvalues than topics can't be projected; it is used
        as counted, with a warning.
    recover : "admm" (Algorithm 3), "l2" or "kl" (exponentiated gradient), "inverse" (the original).
    smoothing : added to the anchors' rows before topics are recovered; 1e-5 is usual.
    correlations : how A is found without sweeps: from the "anchors" that co-occur with one another
        (Lee, eq. 2.5), or by "least-squares" from all of C (Arora), which pays where anchors are
        rare and few of them meet.
    prior : how α₀ is found without sweeps: from the "moments" A (Lee, Algorithm 4), or by the
        "likelihood" of the documents (Arora), one more sum, which pays where A is off.
    refine : sweeps over the documents from the spectral solution; 0 is the algorithm as published.
        A fixed number is early stopping: more would explain these documents better and others
        worse. "held-out" stops once words of a tenth of the documents, left out, gain no more.
    beta : prior of a topic's words in these sweeps.
    inference : how `transform` finds weights. "posterior": their means under topics and `alpha_`;
        "padd", "spi" and "tli" are Lee's chapter 4; "least-squares" is on the simplex.
    dimensions : of the hull.
    precision : of the co-occurrence: "double", "single", or "auto", single from 2,048 words on.
    keep_cooccurrence : keep the counted co-occurrence as `cooccurrence_`; it isn't saved to files.
    max_iter, tol : maximum number of projections, and how far the anchors may be from settled when
        they stop: the ℓ1 distance that the row of any would move by in as many again. A
        `ConvergenceWarning` says where `max_iter` came first. `tol=0` takes all of them, and then
        nothing is said of what hasn't converged.

    Attributes
    ----------
    components_, prevalence_ : topics and their shares, the largest first. Unrefined shares are the
        sums of the correlations' rows or, where nothing was rectified, Σ_x p(z|x)p(x).
    anchors_ : each topic's anchor; `anchor_groups_` has all of its words.
    anchors_fit_ : whether no other topic gives the anchor more probability: sweeps may change that.
    correlations_ : the joint probability of the topics of two words of a document (k×k).
    smallest_eigenvalue_ : of the correlations; second moments of weights have none below zero.
    alpha_ : the Dirichlet prior that fits the correlations, or was learned by the sweeps.
    dual_ : what PADD learned from the training documents (15 more sums); zeros otherwise.
    objective_ : how far the anchors were from settled after each projection but the first.
    n_iter_ : the number of projections; 1 where there is none.
    likelihood_ : the log-likelihood per token at each sweep; with "held-out", of the words held
        out, and the last sweep over all documents isn't in it.

    Inside one organisation it takes one sum, the co-occurrence, and one more for each sweep.
    Between parties such a total would give documents away. Unless all know that, they add up five
    products with k + 20 directions instead, after one sum of document frequencies; each leaves out
    of its part, sweeps included, the words that fewer than ten of its own documents have, and takes
    no part where a word that remains occurs together with fewer words than 5(k + 20). What needs
    the co-occurrence itself (`rectify` "diagonal" or "none", `keep_cooccurrence`) is refused.

    >>> import numpy as np
    >>> from chatham import AnchorWords
    >>> counts = np.array([[4, 2, 0, 0], [6, 3, 0, 0], [0, 0, 3, 6], [0, 0, 2, 4]] * 5)
    >>> learner = AnchorWords(2, random_state=0).fit(counts)
    >>> learner.components_.round(1)
    array([[0.7, 0.3, 0. , 0. ],
           [0. , 0. , 0.3, 0.7]])
    """

    cooccurrence_: NDArray[Any]

    def _check_between_parties(self, exact_totals: bool = False) -> None:
        if not exact_totals:
            check_products(self)

    def _measurements(self) -> int:
        return measurements(self.n_components)

    def _check_told(self, rows: Any, before: int) -> None:
        pairing = pairing_of(self, private=True)
        check_ever_hidden(rows, self._measurements(), before, pairing)

    def _fit(self, commons: Commons, seed: int) -> Fitted:
        self._check_between_parties(commons.exact_totals)
        check_width(self.n_components, commons.n_features)
        auto = self.precision == "auto" and commons.n_features >= WIDE
        solution = spectral_solution(
            commons, self, self._given_groups(commons.n_features),
            single=auto or self.precision == "single", seed=seed, report=self._reporter(0),
        )  # fmt: skip
        if not solution.converged and self.tol > 0:
            warn_unsettled(self, len(solution.changes) + 1)
        topics, sizes, correlations = solution.topics, solution.shares, solution.correlations
        alpha, likelihood, n_iter = dirichlet_prior(correlations), [], len(solution.changes) + 1
        if self.prior == "likelihood":
            alpha = prior_by_likelihood(commons, topics, sizes, solution.unigram)
        if self.refine:
            refined = self._refined(commons, solution, seed, n_iter)
            topics, alpha, sizes = refined.topics, refined.alpha, refined.sizes
            correlations, likelihood = refined.correlations, refined.likelihood
        more = {
            "anchor_groups_": solution.anchors,
            "correlations_": correlations,
            "alpha_": alpha,
            "dual_": self._dual(commons, topics, correlations),
            "likelihood_": np.array(likelihood),
        }
        self.__dict__.pop("cooccurrence_", None)
        if solution.cooccurrence is not None:
            self.cooccurrence_ = solution.cooccurrence
        return Fitted(topics, sizes, solution.changes, n_iter, more)

    def _refined(self, commons: Commons, start: Spectral, seed: int, before: int) -> Refined:
        beginning, report = (start.topics, start.shares, start.unigram), self._reporter(before)
        if self.refine != HELD_OUT:
            return refine(commons, *beginning, sweeps=self.refine, beta=self.beta, report=report)
        refined = refine_by_held_out(commons, *beginning, seed=seed, beta=self.beta, report=report)
        if not refined.converged and self.tol > 0:
            warn_unstopped(len(refined.likelihood))
        return refined

    def _keep(self, fitted: Fitted) -> None:
        super()._keep(fitted)
        warn_of_empty(self.prevalence_)

    def hierarchy(self, levels: Sequence[int]) -> Hierarchy:
        """Supertopics of the topics, of those in turn, and so on (Lee 2018, section 3.4).

        `levels` is the number on each level, fewer from level to level: (10, 3).
        """
        check_is_fitted(self)
        with threads(self.n_jobs):
            return build_hierarchy(self.correlations_, levels, topics=self.components_)

    def _index_words(self, vocabulary: NDArray[Any]) -> None:
        """Replace anchor words by their column indices, which is what a fit uses."""
        if given_anchors.is_given(self.anchors):
            self.set_params(anchors=given_anchors.indices_of(self.anchors, vocabulary))

    def _given_groups(self, n_features: int) -> list[Group]:
        if not given_anchors.is_given(self.anchors):
            return []
        return given_anchors.as_groups(
            self.anchors, n_features, getattr(self, "feature_names_in_", None)
        )

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

    @property
    def anchors_fit_(self) -> NDArray[np.bool_]:
        """Whether no other topic gives a topic's anchor a larger probability than its own does."""
        return own_words_fit(self.components_, self.anchor_groups_)

    def _commons(self, X: Any) -> Commons:
        commons = super()._commons(X)
        if isinstance(commons, Alone) and commons is not X:
            check_sizes(commons.rows)
        return commons

    def _documents(self, rows: Any) -> Documents:
        check_choice(self, "inference", CHOICES["inference"])  # it may have been set since
        check_sizes(rows)
        return Documents(rows, frequencies=self.inference != "posterior")

    def _weights(self, documents: Documents) -> Array:
        return weights_of(self, documents)

    def _reporter(self, before: int) -> Callable[[int, float], None]:
        sweeps = MOST_SWEEPS if self.refine == HELD_OUT else int(self.refine)
        most = (self.max_iter if self.rectify == "alternating" else 0) + sweeps

        def report_iteration(iteration: int, value: float) -> None:
            report(type(self).__name__, before + iteration, most, value, self.verbose)

        return report_iteration

    def _check_documents(self, commons: Commons) -> None:
        """Nothing to do: documents are counted in the first sum."""


def weights_of(learner: Any, documents: Documents) -> Array:
    """The weights (n×k) of documents under a fitted `AnchorWords`."""
    if learner.inference != "posterior":
        return _inference(learner).weights(documents)
    weights = posterior_weights(documents, learner.components_, learner.alpha_, SETTLED)
    weights[~weights.any(axis=1)] = learner.prevalence_
    return weights


def _inference(learner: Any) -> Inference:
    """Built once for these topics: TLI's left inverse takes one linear programme per topic."""
    arrays = learner.components_, learner.prevalence_, learner.dual_
    method, used_arrays, inference = _INFERENCES.get(learner, ("", (), None))
    same = len(used_arrays) == len(arrays) and all(
        a is b for a, b in zip(used_arrays, arrays, strict=True)
    )
    if inference is None or method != learner.inference or not same:
        topics, shares, dual = arrays
        if learner.inference == "padd":
            warn_without_dual(len(topics), dual)
        inference = inference_by(learner.inference, topics, shares, dual=dual)
        _INFERENCES[learner] = learner.inference, arrays, inference
    return inference
