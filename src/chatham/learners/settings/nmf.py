"""The parameters of NMF, and which of them go together."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from chatham.errors import InputError
from chatham.learners.parameters import check_choice, check_real
from chatham.learners.settings.base import Settings
from chatham.learners.settings.learned import Events
from chatham.wording import say

STARTS = ("nndsvd", "random", "random_2x", "local")
RATINGS = {"l2_weights": 2.0, "l2_topics": 2.0}
"""The penalties that suit ratings of one to ten."""


class NMFSettings(Settings):
    """Which constraint, which schedule, which loss, which penalties, and how topics start."""

    algorithm = "nmf"
    learned: ClassVar = {"revived_": Events()}
    _fits_privately = True
    _weighs_rows = True

    def __init__(
        self,
        n_components: int = 10,
        *,
        constraint: str = "simplex",
        schedule: str = "block",
        init: Any = "nndsvd",
        l1_weights: float = 0.0,
        l2_weights: float = 0.0,
        l1_topics: float = 0.0,
        l2_topics: float = 0.0,
        weights_step: str = "descent",
        loss: str = "absolute",
        missing: str | None = None,
        max_iter: int = 500,
        tol: float = 1e-5,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.constraint = constraint
        self.schedule = schedule
        self.init = init
        self.l1_weights = l1_weights
        self.l2_weights = l2_weights
        self.l1_topics = l1_topics
        self.l2_topics = l2_topics
        self.weights_step = weights_step
        self.loss = loss
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def _reveals(cls, parameters: Mapping[str, Any], exact: bool) -> str:
        if exact:
            return (
                "For each topic and word a sum over all documents, in every iteration, and for "
                "each pair of topics, all exact. From these one of three parties rebuilt 33 of the "
                "others' 1,853 documents exactly (154 without constraint), and two colluding "
                "parties learned which words occur with a rare one (docs/security.md)."
            )
        return (
            "For each topic and word a sum over all documents in ten rounds, and for each pair of "
            "topics, each party's with noise and without the words that fewer than five of its "
            "documents have; document frequencies exactly. Attacked, no document and no group of "
            "four words came back, but whoever has a document may recognise it (docs/security.md)."
        )

    @classmethod
    def _reveals_privately(cls, parameters: Mapping[str, Any]) -> str:
        return (
            "For each topic and word a sum over all documents in five rounds, and for each pair of "
            "topics, all with as much noise as the privacy below needs."
        )

    @property
    def _on_simplex(self) -> bool:
        return self.constraint == "simplex"

    @property
    def _observes(self) -> bool:
        return self.missing is not None

    @classmethod
    def _for_text(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """A relative loss and no constraint: on the simplex the flattest topic draws whatever no
        topic explains. The simplex stays where another parameter needs it. Ratings need a penalty:
        without one, films that few have seen get any prediction (`experiments/ratings.py`)."""
        if parameters.get("missing") is not None:
            free = parameters.get("constraint", "none") == "none"
            return {"constraint": "none", **RATINGS} if free else {}
        relative = cls._for_text_between_parties(parameters)
        return relative | {"constraint": "none"} if _free(parameters) else relative

    @classmethod
    def _for_text_between_parties(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """A relative loss; but where cells are unknown, so are the norms. The simplex stays: it
        bounds what a document adds, and from noised totals no topic draws so much."""
        return {} if parameters.get("missing") is not None else {"loss": "relative"}

    @classmethod
    def _text_weighting(cls, parameters: Mapping[str, Any]) -> str:
        """By idf; but where cells are unknown they are ratings, and not words."""
        return "counts" if parameters.get("missing") is not None else "tfidf"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_settings(self)


def _free(parameters: Mapping[str, Any]) -> bool:
    """Whether these parameters go with weights and topics that are only not negative."""
    if parameters.get("weights_step", "descent") != "descent":
        return False
    penalties = (parameters.get(name, 0.0) for name in ("l2_weights", "l2_topics"))
    return not any(isinstance(each, Real) and float(each) < 0 for each in penalties)


def check_settings(nmf: Any) -> None:
    """Each setting is valid, and they don't contradict each other."""
    check_choice(nmf, "constraint", ("simplex", "none"))
    check_choice(nmf, "schedule", ("block", "interleaved"))
    check_choice(nmf, "weights_step", ("descent", "published"))
    check_choice(nmf, "loss", ("absolute", "relative"))
    if isinstance(nmf.init, str):
        check_choice(nmf, "init", STARTS)
    if nmf.missing is not None:
        check_choice(nmf, "missing", ("unobserved",))
    for name in ("l1_weights", "l1_topics"):
        check_real(nmf, name, 0)
    for name in ("l2_weights", "l2_topics"):
        check_real(nmf, name, 0 if nmf.constraint == "none" else -np.inf)
    _check_combination(nmf)


def _check_combination(nmf: Any) -> None:
    if nmf.constraint == "simplex" and (nmf.l1_weights or nmf.l1_topics):
        raise InputError(
            say(
                "NMF got an l1 penalty with {constraint='simplex'}, where the l1 norm is "
                "always 1; use a negative l2 penalty for sparse topics, or "
                "{constraint='none'}."
            )
        )
    if nmf.weights_step == "published" and (
        nmf.schedule != "interleaved" or nmf.constraint != "simplex" or nmf.missing
    ):
        raise InputError(
            say(
                "NMF got {weights_step='published'}, which is defined for "
                "{constraint='simplex'}, {schedule='interleaved'} and {missing=None} only."
            )
        )
    if nmf.missing and min(nmf.l2_weights, nmf.l2_topics) < 0:
        raise InputError(
            say(
                "NMF got a negative l2 penalty with {missing='unobserved'}, where words "
                "that few documents have would draw all weight; use penalties of at least "
                "0."
            )
        )
    if nmf.loss == "relative" and nmf.missing:
        raise InputError(
            say(
                "NMF got {loss='relative'} with {missing='unobserved'}, where a row's norm "
                "depends on which cells happen to be stored; use {loss='absolute'}."
            )
        )
