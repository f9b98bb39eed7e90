"""The parameters of PLSA."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chatham.learners.parameters import check_choice, check_restarts
from chatham.learners.settings.anchor_words import told_by_start
from chatham.learners.settings.base import Settings


class PLSASettings(Settings):
    """How topics start."""

    algorithm = "plsa"

    def __init__(
        self,
        n_components: int = 10,
        *,
        init: Any = "random",
        n_init: int = 1,
        max_iter: int = 500,
        tol: float = 0.02,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def _reveals(cls, parameters: Mapping[str, Any], exact: bool) -> str:
        rare = (
            "From these one of three parties rebuilt 137 of the others' 1,853 documents exactly"
            if exact
            else "A word that fewer than five of a party's documents have isn't in its part; with "
            "such words, documents could be told apart"
        )
        own = (
            f"For each topic and word a sum over all documents, in every iteration, exactly. {rare}"
            " (docs/security.md). A topic that rests on few documents leads to them."
        )
        return own + told_by_start(parameters, exact)

    @property
    def _restarts(self) -> int:
        return int(self.n_init)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_restarts(self)
        if isinstance(self.init, str):
            check_choice(self, "init", ("random", "anchor"))
