"""The parameters of online LDA."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from chatham.errors import InputError
from chatham.learners.parameters import (
    SMALLEST_PRIOR,
    check_choice,
    check_prior,
    check_real,
    check_whole,
    refused,
)
from chatham.learners.settings.base import Array, Settings
from chatham.learners.settings.learned import SMALLEST, Numbers
from chatham.wording import say


class OnlineLDASettings(Settings):
    """How large mini-batches are, how they are sampled, and how fast old ones are forgotten."""

    algorithm = "online-lda"
    learned: ClassVar = {
        "alpha_": Numbers("k", least=SMALLEST),
        "statistics_": Numbers("kd", least=0.0),
        "log_weights_": Numbers("k"),
        "documents_seen_": Numbers("", least=0.0),
        "mass_": Numbers("", least=0.0),
        "evidence_": Numbers("", least=0.0),
    }
    utters_all = True

    alpha_: Array
    statistics_: Array
    log_weights_: Array
    documents_seen_: float
    mass_: float
    evidence_: float

    def __init__(
        self,
        n_components: int = 10,
        *,
        alpha: Any = None,
        beta: float = 0.03,
        learn_alpha: bool = True,
        batch_size: int = 64,
        kappa: float = 0.7,
        offset: float = 0.0,
        sweeps: int = 10,
        burn_in: int = 5,
        init: Any = "random",
        max_iter: int = 10,
        tol: float = 0.0,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.learn_alpha = learn_alpha
        self.batch_size = batch_size
        self.kappa = kappa
        self.offset = offset
        self.sweeps = sweeps
        self.burn_in = burn_in
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_prior(self, "alpha")
        check_real(self, "beta", SMALLEST_PRIOR)
        if not isinstance(self.learn_alpha, bool | np.bool_):
            raise refused(self, "learn_alpha", "True or False", self.learn_alpha)
        check_whole(self, "batch_size")
        check_real(self, "kappa", 0.0)
        check_real(self, "offset", 0.0)
        check_whole(self, "sweeps")
        check_whole(self, "burn_in", 0)
        if isinstance(self.init, str):
            check_choice(self, "init", ("random",))
        if self.burn_in >= self.sweeps:
            raise InputError(
                say(
                    "OnlineLDA got {burn_in=} of {sweeps=}, which leaves none to learn from; keep "
                    "at least one of them.",
                    burn_in=self.burn_in,
                    sweeps=self.sweeps,
                )
            )
