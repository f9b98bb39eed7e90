"""The parameters of `AnchorWords`, and the ranges of a fitted model's numbers."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.parameters import check_choice, check_real, check_whole, refused
from chatham.learners.settings import given_anchors
from chatham.learners.settings.base import Array, Settings
from chatham.learners.settings.inference import METHODS
from chatham.learners.settings.learned import SMALLEST, Groups, Numbers, Series
from chatham.numerics.joint import LEAST_SHARE
from chatham.wording import say

PROJECTIONS = ("gaussian", "sparse")
FAST_DIMENSIONS = 1000
CHOICES = {
    "rectify": ("alternating", "diagonal", "none"),
    "recover": ("admm", "l2", "kl", "inverse"),
    "inference": ("posterior", *METHODS),
    "precision": ("auto", "single", "double"),
    "fast_projection": PROJECTIONS,
    "correlations": ("anchors", "least-squares"),
    "prior": ("moments", "likelihood"),
    "mean_over": ("auto", "tokens", "documents"),
}
ANCHORS = ("qr", "fast", "tsne", "pca")
HELD_OUT = "held-out"
DIMENSIONS = (2, 3, 4)
LEAST_CONCENTRATION, MOST_CONCENTRATION = 1e-3, 1e4
"""The smallest and largest α₀ that are returned: nearly every document of one topic, or nearly
every document composed like the whole corpus."""
FARTHEST = 1e9
"""The sum of correlations read off anchors is about one where C is rectified. Where it isn't,
bursts of words more than double it on real text, and an anchor with a tiny probability in its topic
may be far worse; but no meaningful fit is off by more than this factor."""
LEAST_PRIOR = 0.5 * LEAST_SHARE * LEAST_CONCENTRATION
MOST_PRIOR = 2.0 * MOST_CONCENTRATION


class AnchorWordsSettings(Settings):
    """How anchors are chosen, what is rectified, and how topics and weights are found from them."""

    algorithm = "anchor"
    learned: ClassVar = {
        "alpha_": Numbers("k", least=SMALLEST),
        "correlations_": Numbers("kk", symmetric=True),
        "dual_": Numbers("kk", symmetric=True),
        "likelihood_": Series(),
        "anchor_groups_": Groups(),
    }

    anchor_groups_: list[NDArray[np.int64]]
    correlations_: Array
    alpha_: Array
    dual_: Array
    likelihood_: Array

    def __init__(
        self,
        n_components: int = 10,
        *,
        anchors: Any = "qr",
        min_anchor_df: Any = "auto",
        fast_projection: str = PROJECTIONS[0],
        fast_dimensions: int = FAST_DIMENSIONS,
        mean_over: str = "auto",
        min_length: float = 0,
        rectify: str = "alternating",
        recover: str = "admm",
        smoothing: float = 0.0,
        correlations: str = "anchors",
        prior: str = "moments",
        refine: Any = 20,
        beta: float = 0.03,
        inference: str = "posterior",
        dimensions: int = 3,
        precision: str = "auto",
        keep_cooccurrence: bool = False,
        max_iter: int = 150,
        tol: float = 0.03,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.anchors = anchors
        self.min_anchor_df = min_anchor_df
        self.fast_projection = fast_projection
        self.fast_dimensions = fast_dimensions
        self.mean_over = mean_over
        self.min_length = min_length
        self.rectify = rectify
        self.recover = recover
        self.smoothing = smoothing
        self.correlations = correlations
        self.prior = prior
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

    @classmethod
    def _for_text_between_parties(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """What "auto" means there, said outright: so that the model tells it to whoever measures
        it later, alone, where "auto" would mean tokens."""
        return {"mean_over": "documents"}

    @classmethod
    def _reveals(cls, parameters: Mapping[str, Any], exact: bool) -> str:
        if exact:
            return (
                "How often any two words co-occur, exactly. From this one total one of three "
                "parties tied together five or more words of 1,529 of the others' 1,853 documents, "
                "with the documents' exact lengths, and rebuilt 4 documents count for count "
                "(sample corpus)."
            )
        return (
            "Products of the co-occurrences with a few blocks of columns, fewer than the entries "
            "of any row of yours; words that fewer than ten of your documents have are left out. "
            "Attacked, none of 36 rows and no group of words came back (docs/security.md). Also, "
            "exactly: document frequencies, and in every sweep how often words have each topic."
        )

    def _repeated(self) -> dict[str, int]:
        """Projections where there are any, then sweeps where there are any."""
        projections = {"projection": int(self.n_iter_)} if self.rectify == "alternating" else {}
        sweeps = len(self.likelihood_)
        return projections | ({"sweep": sweeps} if sweeps else {})

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_settings(self)

    def _check_fitted(self) -> None:
        """What a model file must satisfy besides shapes and ranges."""
        check_fitted(self)


def check_settings(estimator: Any) -> None:
    """Refuse invalid parameters before anything is counted."""
    if given_anchors.is_given(estimator.anchors):
        given_anchors.check_anchors(estimator.anchors, estimator.n_components)
    else:
        check_choice(estimator, "anchors", ANCHORS)
    for name, choices in CHOICES.items():
        check_choice(estimator, name, choices)
    for name in ("smoothing", "beta"):
        check_real(estimator, name, 0)
    check_real(estimator, "min_length", 0)
    if isinstance(estimator.refine, str) and estimator.refine != HELD_OUT:
        raise refused(
            estimator, "refine", f"a whole number of at least 0, or {HELD_OUT!r}", estimator.refine
        )
    if not isinstance(estimator.refine, str):
        check_whole(estimator, "refine", 0)
    check_whole(estimator, "fast_dimensions")
    check_whole(estimator, "dimensions", DIMENSIONS[0])
    if estimator.prior == "likelihood" and estimator.refine != 0:
        raise InputError(
            say(
                "{prior='likelihood'} is for the spectral solution, and sweeps learn their own "
                "prior; give {refine=0}, or leave {prior} at 'moments'."
            )
        )
    if estimator.correlations == "least-squares" and estimator.refine != 0:
        raise InputError(
            say(
                "{correlations='least-squares'} is for the spectral solution, and sweeps take "
                "correlations from the documents' weights; give {refine=0}, or leave "
                "{correlations} at 'anchors'."
            )
        )
    if not (isinstance(estimator.min_anchor_df, str) and estimator.min_anchor_df == "auto"):
        check_least(estimator.min_anchor_df)
    if not isinstance(estimator.keep_cooccurrence, bool | np.bool_):
        raise refused(estimator, "keep_cooccurrence", "True or False", estimator.keep_cooccurrence)
    if estimator.dimensions > DIMENSIONS[-1]:
        raise refused(estimator, "dimensions", "2, 3 or 4", estimator.dimensions)


def check_least(least: Any) -> None:
    """A minimum document frequency is a whole number of documents, or a share of them."""
    whole = isinstance(least, Integral) and not isinstance(least, bool) and int(least) >= 1
    share = isinstance(least, Real) and not isinstance(least, Integral) and 0 <= float(least) < 1
    if not whole and not share:
        raise InputError(
            say(
                "The {min_anchor_df!r} parameter of AnchorWords must be 'auto', a whole "
                "number of documents of at least 1, or a share of them from 0 up to but "
                "not including 1. Got {least!r} instead.",
                least=least,
            )
        )


def check_fitted(learner: Any) -> None:
    """Refuse correlations, a prior or given anchors that no fit has."""
    _check_correlations(learner.correlations_, refined=len(learner.likelihood_) > 0)
    if not ((learner.alpha_ >= LEAST_PRIOR) & (learner.alpha_ <= MOST_PRIOR)).all():
        raise InputError(
            f"its array 'fitted.alpha_' must be a prior from {LEAST_PRIOR:g} to {MOST_PRIOR:g}; it "
            f"goes from {learner.alpha_.min():g} to {learner.alpha_.max():g}."
        )
    if given_anchors.is_given(learner.anchors):
        given_anchors.check_anchors(learner.anchors, *learner.components_.shape)


def _check_correlations(correlations: Array, *, refined: bool) -> None:
    """Joint probabilities of two topics: none below zero; refined, they sum to one."""
    total = float(correlations.sum())
    near = abs(total - 1.0) <= 1e-6 if refined else 1.0 / FARTHEST <= total <= FARTHEST
    if not near or not correlations.min() >= 0:
        raise InputError(
            "its array 'fitted.correlations_' must hold joint probabilities of two topics; the "
            f"least is {correlations.min():g}, and their sum is {total:g}."
        )


def told_by_start(parameters: Mapping[str, Any], exact: bool) -> str:
    """What a learner that starts from anchor words reveals besides, if it does."""
    init = parameters.get("init")
    if not isinstance(init, str) or init != "anchor":
        return ""
    return " Before that, for its start: " + AnchorWordsSettings._reveals({"refine": 0}, exact)
