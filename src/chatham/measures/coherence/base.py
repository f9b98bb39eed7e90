"""What all measures of coherence by windows share: counts, settings, words that are missing.

P(i) is the share of windows with word i and P(i, j) of those with both, D the same as numbers of
windows.

Edge cases, the same for all: a word that the reference doesn't have is left out with its pairs and
counted in `notes["missing_words"]`; a topic with fewer than two words that it has (one without
words, too) has None and is left out of the mean; where no topic has two, there is no value. A
topic with fewer words than requested has fewer pairs. A word that is listed twice counts once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.measures.coherence.windows import (
    DOCUMENT,
    Words,
    check_window,
    count_windows,
    words_of,
)
from chatham.measures.measure import Measure, Score, UndefinedError, by_settings, mean_known
from chatham.measures.settings import check_whole
from chatham.measures.subject import Subject
from chatham.measures.texts import Whole

Array = NDArray[np.float64]

EPSILON = 1e-12
"""What is added to a probability before its logarithm is taken, as gensim does."""


@dataclass(frozen=True, eq=False)
class WindowCounts:
    """The totals of `count_windows`: how many windows, and how many with each pair of words."""

    windows: int
    documents: int
    together: Array
    """K×N×N; the diagonal has the windows with one word."""

    @classmethod
    def of(cls, sizes: Whole, together: Whole) -> WindowCounts:
        """From sums; without a window there is nothing to measure."""
        if sizes[0] <= 0:
            raise UndefinedError("No document of the reference has any word.")
        return cls(int(sizes[0]), int(sizes[1]), np.asarray(together, dtype=np.float64))

    @property
    def alone(self) -> Array:
        """Windows with each word (k×N)."""
        return np.asarray(np.diagonal(self.together, axis1=1, axis2=2))

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which words the reference has (k×N)."""
        return self.alone > 0

    @property
    def pairs(self) -> NDArray[np.bool_]:
        """Which cells are pairs of two known words (k×N×N): rows come after columns."""
        both = self.known[:, :, None] & self.known[:, None, :]
        return np.tril(both, k=-1)

    def pmi(self, epsilon: float) -> Array:
        """log((P(i, j) + ε) / (P(i)·P(j))), and 0 where a word isn't known."""
        alone = np.where(self.known, self.alone, 1.0) / self.windows
        joint = self.together / self.windows
        pmi = np.log((joint + epsilon) / (alone[:, :, None] * alone[:, None, :]))
        return np.where(self.known[:, :, None] & self.known[:, None, :], pmi, 0.0)

    def npmi(self, epsilon: float) -> Array:
        """PMI / −log(P(i, j) + ε), at most 1, which two words in every window have."""
        scale = -np.log(self.together / self.windows + epsilon)
        always = self.together >= self.windows
        npmi = np.minimum(self.pmi(epsilon) / np.where(always, 1.0, scale), 1.0)
        return np.where(always, 1.0, npmi)


def by_window(*needs: str) -> frozenset[str]:
    """What a coherence needs with any window; and words in their order where it slides."""
    return by_settings(lambda m: frozenset(needs) | ({"order"} if m.window != DOCUMENT else set()))


FREQUENT = 50
"""How many of a topic's words at most are counted in pairs between parties."""


@dataclass(frozen=True)
class WindowCoherence(Measure):
    """What all coherences of windows share: the words they are about, and the windows' counts.

    `window` is "document" or a number of words: sliding windows need texts, documents only counts.
    """

    n_words: int = 10
    window: int | str = DOCUMENT
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = by_window("words", "reference")

    def __post_init__(self) -> None:
        """Refuse invalid settings."""
        check_whole("n_words", self.n_words, 2)  # a pair takes two
        check_window(self.window)

    @property
    def tells_exactly(self) -> bool:
        """Pairs of a topic's most frequent words are many documents'; pairs of all words aren't."""
        return self.n_words > FREQUENT

    def shared(self, subject: Subject) -> tuple[Any, ...]:
        """The topics' words, and the window."""
        return *words_of(subject, self.n_words), self.window

    @staticmethod
    def local_statistics(
        rows: Any, memory: Memory, subject: Subject, distinct: Sequence[str], words: Words,
        window: int | str,
    ) -> tuple[Whole, ...]:  # fmt: skip
        """Windows and documents; windows with each top word and each pair of a topic's."""
        return count_windows(rows, memory, subject, distinct, words, window)

    @abstractmethod
    def by_topic(self, counts: WindowCounts) -> list[float | None]:
        """Each topic's coherence."""

    def value(self, totals: Any, subject: Subject) -> Score:
        """The plain mean over the topics that have a value."""
        counts = WindowCounts.of(*totals[:2])
        by_topic = self.by_topic(counts)
        return Score(mean_over_topics(by_topic), by_topic, self.notes(counts, subject))

    def notes(self, counts: WindowCounts, subject: Subject) -> dict[str, Any]:
        """How large the reference is, and how many distinct words it doesn't have."""
        _, words = words_of(subject, self.n_words)
        missing = set(words[~counts.known].tolist()) - {-1}
        return {
            "windows": counts.windows,
            "documents": counts.documents,
            "missing_words": len(missing),
        }


def mean_over_topics(by_topic: Sequence[float | None]) -> float:
    """The mean over the topics that have a value."""
    return mean_known(by_topic, "No topic has two words that are known here.")


def over_pairs(values: Array, pairs: NDArray[np.bool_], mean: bool = True) -> list[float | None]:
    """Each topic's sum or mean over its pairs, None where it has none."""
    sums = np.where(pairs, values, 0.0).sum(axis=(1, 2))
    return [
        None if not n else float(total / n if mean else total)
        for total, n in zip(sums, pairs.sum(axis=(1, 2)), strict=True)
    ]
