"""Perplexity: how well a model predicts unseen documents, as a number of words to guess among."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.commons.precision import Budgets
from chatham.errors import InputError
from chatham.measures.held_out.completion import Completion
from chatham.measures.held_out.left_to_right import LeftToRight
from chatham.measures.held_out.sums import BUDGETS
from chatham.measures.measure import Measure, Score, UndefinedError
from chatham.measures.subject import Subject
from chatham.naming import value_shown
from chatham.wording import say

ESTIMATORS: dict[str, type[LeftToRight] | type[Completion]] = {
    LeftToRight.name: LeftToRight,
    Completion.name: Completion,
}


@dataclass(frozen=True)
class Perplexity(Measure):
    """exp(−Σ_d log p(w_d) / Σ_d N_d): the number of equally likely words per token (Shen, eq. 16).

    What the word means everywhere but in the thesis, whose own (Fig. 1.12) is the measure
    `perplexity_of_average_weights`. `estimator` is how log p is estimated: "left_to_right"
    (Wallach's particles over whole documents) or "completion" (over hidden halves, and then N
    counts the hidden tokens); the two differ and must not be compared with each other. Each has its
    own settings at their defaults, except `smoothing` and `seed`; undefined where its estimator is.
    The notes are the estimator's, and its value as `log_probability`; the standard errors there are
    those of that logarithm, so relative ones of the perplexity.
    """

    estimator: str = LeftToRight.name
    smoothing: float = 0.01
    seed: int = 0
    name: ClassVar[str] = "perplexity"
    higher_is_better: ClassVar[bool] = False
    counts_absence: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"topics", "held_out"})
    source: ClassVar[str] = "Shen, eq. 16"
    budget: ClassVar[Budgets] = BUDGETS

    def __post_init__(self) -> None:
        if self.estimator not in ESTIMATORS:
            raise InputError(
                f"There is no estimator called {value_shown(self.estimator)}; choose from "
                f"{', '.join(ESTIMATORS)}."
            )
        self._estimate()  # which checks its own settings

    def _estimate(self) -> LeftToRight | Completion:
        return ESTIMATORS[self.estimator](smoothing=self.smoothing, seed=self.seed)

    def shared(self, subject: Subject) -> tuple[Any, ...]:
        """Which estimator, and its step's arguments."""
        return self.estimator, *self._estimate().shared(subject)

    @staticmethod
    def local_statistics(
        rows: Any, memory: Memory, subject: Subject, estimator: str, *settings: Any
    ) -> tuple[NDArray[np.float64], ...]:
        """Sums: log p, tokens, squares, product, variance; documents, cut or left out, impossible.

        What the estimator's own step returns; completion has no variance.
        """
        return ESTIMATORS[estimator].local_statistics(rows, memory, subject, *settings)

    def value(self, totals: Any, subject: Subject) -> Score:
        """The exponential of minus the mean."""
        estimate = self._estimate().value(totals, subject)
        if -estimate.value > math.log(np.finfo(np.float64).max):
            raise UndefinedError(
                say("The perplexity is larger than any number; set {smoothing} above zero.")
            )
        return Score(
            math.exp(-estimate.value), notes={"log_probability": estimate.value, **estimate.notes}
        )
