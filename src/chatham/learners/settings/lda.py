"""The parameters of LDA."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from chatham.errors import InputError
from chatham.learners.parameters import check_choice, check_prior, check_whole, refused
from chatham.learners.settings.anchor_words import told_by_start
from chatham.learners.settings.base import Array, Settings
from chatham.learners.settings.learned import SMALLEST, Numbers
from chatham.wording import Either, say

MUCH = 2e7
"""Tokens to draw, over all sweeps, from which on more threads are worth a thought: seconds."""
INTERVAL = 10
"""Sweeps between two evaluations of the chain: log-likelihood, priors, samples."""


class LDASettings(Settings):
    """Which priors, how many sweeps and samples, and how topics start."""

    algorithm = "lda"
    learned: ClassVar = {
        "alpha_": Numbers("k", least=SMALLEST),
        "beta_": Numbers(("", "d"), least=SMALLEST),
    }
    utters_all = True

    alpha_: Array
    beta_: float | Array

    def __init__(
        self,
        n_components: int = 10,
        *,
        alpha: Any = None,
        beta: Any = 0.01,
        init: Any = "random",
        n_init: int = 1,
        learn_priors: bool = True,
        max_iter: int = 300,
        burn_in: int = 50,
        n_samples: int = 1,
        shards: int = 1,
        tol: float = 0.0,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.init = init
        self.n_init = n_init
        self.learn_priors = learn_priors
        self.max_iter = max_iter
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.shards = shards
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def _reveals(cls, parameters: Mapping[str, Any], exact: bool) -> str:
        rare = (
            "A word that one document alone has leads to its topics"
            if exact
            else "A word that fewer than five of a party's documents have isn't in its part; with "
            "such words, documents could be told apart"
        )
        own = (
            "How often each word occurs over all documents and, after every sweep, how often it "
            "has each topic, exactly; sums over documents for the prior. Topics are drawn at "
            f"random at each party. {rare} (docs/security.md). A topic that rests on few documents "
            "leads to them."
        )
        return own + told_by_start(parameters, exact)

    def _idle(self, threads: int, tokens: float) -> Any:
        if self.shards >= threads or tokens * self.max_iter * self.n_init < MUCH:
            return None
        return say(
            "LDA with {shards=} draws one token after another{where}, so {busy} of {threads} "
            "threads had work; {more} sweeps so many parts of the documents at a time, which is "
            "faster and approximate. The model depends on the number of shards, never on that of "
            "threads.",
            shards=self.shards,
            where="" if self.shards == 1 else " in each",
            busy=self.shards,
            threads=threads,
            more=Either(f"shards={threads}", f"--set shards={threads}"),
        )

    @property
    def _restarts(self) -> int:
        return int(self.n_init)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_whole(self, "n_init")
        check_whole(self, "burn_in", 0)
        if not isinstance(self.learn_priors, bool | np.bool_):
            raise refused(self, "learn_priors", "True or False", self.learn_priors)
        if isinstance(self.init, str):
            check_choice(self, "init", ("random", "anchor"))
        check_whole(self, "n_samples")
        check_whole(self, "shards")
        check_prior(self, "alpha")
        check_prior(self, "beta")
        if self.n_samples > 1 and self.burn_in + self._sampled_sweeps > self.max_iter:
            raise InputError(
                say(
                    "{n_samples} samples {interval} sweeps apart take {sampled_sweeps} sweeps "
                    "after the burn-in of {burn_in}, and {max_iter} is {it}; take fewer "
                    "samples or more sweeps.",
                    n_samples=self.n_samples,
                    interval=INTERVAL,
                    sampled_sweeps=self._sampled_sweeps,
                    burn_in=self.burn_in,
                    it=self.max_iter,
                )
            )

    @property
    def _sampled_sweeps(self) -> int:
        return (self.n_samples - 1) * INTERVAL
