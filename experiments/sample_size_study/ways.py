"""Ways from documents, or from their exact co-occurrence, to topics."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from chatham.commons import Alone
from chatham.learners.anchor.conditional import Conditional, Group
from chatham.learners.anchor.projected import fast_anchors
from chatham.learners.anchor.recover import recover
from chatham.learners.anchor.rectify import alternate
from chatham.learners.anchor.select import pivoted_qr
from chatham.learners.anchor.spectral import candidates_among
from chatham.learners.cooccurrence import cooccurrence

Array = NDArray[np.float64]

RECOVER, L2, KL = "Recover", "RecoverL2", "RecoverKL"
AP, REFINED, GIBBS = "AP + ADMM", "refined", "Gibbs"
WAYS = (RECOVER, L2, KL, AP, REFINED, GIBBS)
METHODS = {RECOVER: "inverse", L2: "l2", KL: "kl"}
NEED_DOCUMENTS = (REFINED, GIBBS)

CANDIDATES = "auto"
"""How frequent an anchor must be, in every way: the library's own choice."""
PROJECTIONS = 15
"""The most in rectification."""
SWEEPS, BETA = 20, 0.03
"""Of the refined way: the library's own choice."""
GIBBS_SWEEPS, BURN_IN, SAMPLES = 200, 100, 10
"""The source has 1,000 sweeps before ten samples that are 100 apart."""

SETTINGS: dict[str, list[Any]] = {
    **{way: [CANDIDATES] for way in METHODS},
    AP: [CANDIDATES, PROJECTIONS],
    REFINED: [CANDIDATES, PROJECTIONS, SWEEPS, BETA],
    GIBBS: [GIBBS_SWEEPS, BURN_IN, SAMPLES],
}
"""What a result depends on besides its documents."""


class Counted:
    """Words' co-occurrence and which may be anchors, with Arora's anchors once they are asked."""

    def __init__(self, joint: Array, candidates: NDArray[np.bool_], k: int, seed: int) -> None:
        self.words = Conditional(joint)
        self.candidates, self.k, self.seed = candidates, k, seed

    @cached_property
    def anchors(self) -> list[Group]:
        """By FastAnchorWords."""
        return fast_anchors(self.words, self.k, self.candidates, seed=self.seed)[0]

    def topics(self, way: str) -> Array:
        """By one of the ways that need no documents."""
        if way in METHODS:
            return recover(self.words, self.anchors, METHODS[way]).topics
        assert way == AP, way
        rectified = Conditional(
            alternate(self.words.joint, self.k, max_iter=PROJECTIONS, tol=0.0).matrix
        )
        anchors = pivoted_qr(rectified, self.k, self.candidates)[0]
        return recover(rectified, anchors, "admm").topics


def counted_in(counts: Any, k: int, seed: int) -> Counted:
    """The co-occurrence in documents."""
    found = cooccurrence(Alone(counts))
    return Counted(found.matrix, candidates_among(found, CANDIDATES, k, k), k, seed)


def without_noise(joint: Array, k: int, seed: int) -> Counted:
    """The exact co-occurrence, in which every word may be an anchor."""
    return Counted(joint, np.ones(len(joint), dtype=bool), k, seed)


def from_documents(way: str, counts: Any, k: int, seed: int, n_jobs: int) -> Array:
    """Topics by a way that reads documents."""
    learner: Any = {REFINED: _refined, GIBBS: _gibbs}[way](k)
    learner.set_params(random_state=seed, n_jobs=n_jobs).fit(counts)
    return np.asarray(learner.components_)


def _refined(k: int) -> ch.AnchorWords:
    return ch.AnchorWords(
        k, anchors="qr", min_anchor_df=CANDIDATES, rectify="alternating", recover="admm",
        refine=SWEEPS, beta=BETA, precision="double", max_iter=PROJECTIONS, tol=0.0,
        mean_over="documents",
    )  # fmt: skip


def _gibbs(k: int) -> ch.LDA:
    return ch.LDA(k, max_iter=GIBBS_SWEEPS, burn_in=BURN_IN, n_samples=SAMPLES)
