"""The parameters of PLSA."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chatham.learners.parameters import check_choice
from chatham.learners.settings.base import Settings


class PLSASettings(Settings):
    """How topics start."""

    algorithm = "plsa"

    def __init__(
        self,
        n_components: int = 10,
        *,
        init: Any = "random",
        max_iter: int = 200,
        tol: float = 1e-6,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def _reveals(cls, parameters: Mapping[str, Any], exact: bool) -> str:
        return (
            "For each topic and word a sum over all documents, in every iteration. No sum is over "
            "one document; but a word that few documents have leads to them, and a topic that "
            "rests on one document is that document, for all to see. docs/security.md says what "
            "was attacked."
        )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if isinstance(self.init, str):
            check_choice(self, "init", ("random",))
