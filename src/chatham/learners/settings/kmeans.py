"""The parameters of k-means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from chatham.learners.parameters import check_choice, check_restarts
from chatham.learners.settings.base import Settings
from chatham.learners.settings.learned import Events

STARTS = ("auto", "k-means++", "greedy", "random")


class KMeansSettings(Settings):
    """How topics start, and how much each document's distance counts."""

    algorithm = "kmeans"
    _better = -1
    learned: ClassVar = {"revived_": Events()}

    def __init__(
        self,
        n_components: int = 10,
        *,
        init: Any = "auto",
        n_init: int = 1,
        loss: str = "absolute",
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.n_init = n_init
        self.loss = loss
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def _for_text(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return {"loss": "relative", "init": "random"}

    @classmethod
    def _text_weighting(cls, parameters: Mapping[str, Any]) -> str:
        return "tfidf"

    @classmethod
    def _reveals(cls, parameters: Mapping[str, Any], exact: bool) -> str:
        if exact:
            return (
                "The exact sum of each topic's documents, in every round. From these one of three "
                "parties rebuilt 50 to 70 of the others' 1,853 documents exactly, and from "
                "the first sum alone 1,074 groups of four or more words of one document (sample "
                "corpus, 20 topics)."
            )
        return (
            "The sum of each topic's documents in ten rounds, and their numbers at the end, each "
            "party's with noise; document frequencies exactly. Attacked, no document and no group "
            "of four words came back, but whoever has a document may recognise it "
            "(docs/security.md)."
        )

    @property
    def _restarts(self) -> int:
        return int(self.n_init)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_restarts(self)
        check_choice(self, "loss", ("absolute", "relative"))
        if isinstance(self.init, str):
            check_choice(self, "init", STARTS)
