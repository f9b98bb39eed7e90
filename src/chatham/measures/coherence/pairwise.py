"""How often a topic's words co-occur: NPMI, UCI and UMass (thesis 1.3.4).

All are computed from windows of a reference (see `windows`), and treat edge cases in the same way
(see `base`): words that the reference doesn't have are left out and counted, never NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from chatham.commons import Memory
from chatham.commons.precision import BY_DOCUMENT, Budgets
from chatham.errors import InputError
from chatham.measures.coherence.base import (
    EPSILON,
    WindowCoherence,
    WindowCounts,
    by_window,
    mean_over_topics,
    over_pairs,
)
from chatham.measures.coherence.windows import DOCUMENT, Words, count_windows
from chatham.measures.evidence import weights_at
from chatham.measures.measure import Score, weighted_mean
from chatham.measures.settings import check_positive, check_share
from chatham.measures.subject import Subject
from chatham.wording import say


@dataclass(frozen=True)
class UCI(WindowCoherence):
    """Newman's coherence: the mean over pairs of PMI = log((P(i, j) + ε) / (P(i)·P(j))) (eq. 1.29).

    Windows slide and have 10 words by default. Two words that never co-occur have
    log ε − log(P(i)·P(j)): about −28, and more the rarer they are.

    >>> from chatham.commons import Alone
    >>> from chatham.measures.texts import TokenTexts
    >>> texts = TokenTexts([["tea", "milk"], ["tea", "milk"], ["car"], ["car"]])
    >>> subject = Subject(np.array([], dtype=object), lists=[["tea", "milk"]])
    >>> round(UCI().measure(subject, Alone(texts)).value, 6)  # log((1/2) / (1/2 · 1/2))
    0.693147
    """

    window: int | str = 10
    epsilon: float = EPSILON
    name: ClassVar[str] = "uci"
    source: ClassVar[str] = "eq. 1.29"

    def __post_init__(self) -> None:
        """Refuse invalid settings."""
        super().__post_init__()
        check_share("epsilon", self.epsilon, above_zero=True, below_one=True)

    def by_topic(self, counts: WindowCounts) -> list[float | None]:
        """The mean over pairs."""
        return over_pairs(counts.pmi(self.epsilon), counts.pairs)


@dataclass(frozen=True)
class NPMI(UCI):
    """PMI over its largest possible value, PMI(i, j) / −log(P(i, j) + ε), averaged over pairs.

    Windows are documents unless a number of words is given, since every corpus has documents; 10
    words are what gensim's c_npmi has. Two words that always co-occur have 1 (also where they
    are in every window, where the formula is 0/0), independent ones 0, and two that never do
    −1 + log(P(i)·P(j)) / log ε: it tends to −1 with ε, but slowly (−0.67 for words in one window
    of a hundred each at ε = 1e-12).

    >>> from chatham.commons import Alone
    >>> from chatham.measures.texts import TokenTexts
    >>> texts = TokenTexts([["tea", "milk"], ["tea", "milk"], ["car"], ["car"]])
    >>> subject = Subject(np.array([], dtype=object), lists=[["tea", "milk"], ["tea", "car"]])
    >>> NPMI().measure(subject, Alone(texts)).per_topic  # 1, and −1 + log(1/4) / log 1e-12
    [1.0, -0.949...]
    """

    window: int | str = DOCUMENT
    name: ClassVar[str] = "npmi"
    source: ClassVar[str] = "eq. 1.29, normalised (Bouma 2009)"

    def by_topic(self, counts: WindowCounts) -> list[float | None]:
        """The mean over pairs."""
        return over_pairs(counts.npmi(self.epsilon), counts.pairs)


@dataclass(frozen=True)
class UMass(WindowCoherence):
    """Mimno's coherence Σ_{m>l} log((D(w_m, w_l) + smoothing) / D(w_l)) (eq. 1.27).

    Words are ordered, best first. `smoothing` is in documents: 1 as in the thesis, 0.01 in Arora
    (eq. 3), whose sum and Lee's (eq. 1.10) are over all ordered pairs. `aggregate="mean"` is over
    pairs; with `smoothing=1e-12 * documents` it is gensim's u_mass, and tomotopy's where all pairs
    co-occur (else its pairs have log 1e-12, whatever D is). A sum over fewer pairs is nearer to
    zero, so where words are missing, means are fairer.
    """

    smoothing: float = 1.0
    aggregate: str = "sum"
    name: ClassVar[str] = "umass"
    source: ClassVar[str] = "eq. 1.27"

    def __post_init__(self) -> None:
        """Refuse invalid settings."""
        super().__post_init__()
        check_positive("smoothing", self.smoothing)
        if self.aggregate not in ("sum", "mean"):
            raise InputError(
                say("{aggregate} must be 'sum' or 'mean', not {it!r}.", it=self.aggregate)
            )

    def by_topic(self, counts: WindowCounts) -> list[float | None]:
        """The sum or mean over pairs; a column is the better word of the two."""
        of_better = np.where(counts.known, counts.alone, 1.0)[:, None, :]
        logs = np.log((counts.together + self.smoothing) / of_better)
        return over_pairs(logs, counts.pairs, self.aggregate == "mean")


@dataclass(frozen=True)
class ExpectedUMass(UMass):
    """UMass with topics weighted by their share of the corpus, Σ_t C(t)·(1/n) Σ_i W_it (eq. 1.28).

    The thesis's "coherence": words are counted in the documents that the weights are of. Over the
    topics that have a value, whose shares are scaled to sum to one.
    """

    name: ClassVar[str] = "expected_umass"
    needs: ClassVar[frozenset[str]] = by_window("words", "weights")
    source: ClassVar[str] = "eq. 1.28"
    budget: ClassVar[Budgets] = BY_DOCUMENT

    @staticmethod
    def local_statistics(
        rows: Any, memory: Memory, subject: Subject, distinct: Sequence[str], words: Words,
        window: int | str,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Windows; those with each top word and each pair of a topic's; the sum of my weights."""
        counted = count_windows(rows, memory, subject, distinct, words, window)
        return *counted, weights_at(rows, memory, subject).sum(axis=0)

    def value(self, totals: Any, subject: Subject) -> Score:
        """The mean by the topics' shares."""
        counts = WindowCounts.of(*totals[:2])
        by_topic = self.by_topic(counts)
        mean_over_topics(by_topic)  # has the clearer error where no topic has a value
        value = weighted_mean(by_topic, [float(share) for share in totals[2]])
        return Score(value, by_topic, self.notes(counts, subject))
