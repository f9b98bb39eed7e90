"""Words with similar contexts: the coherence C_V of Röder et al. (thesis eq. 1.30, Fig. 1.15).

The thesis describes vectors of PMI over the whole vocabulary and a sum over words; the measure that
was published and that everybody reports has NPMI with the topic's own words and a mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from chatham.measures.coherence.base import Array, WindowCounts
from chatham.measures.coherence.pairwise import UCI


@dataclass(frozen=True)
class CV(UCI):
    """The mean over a topic's words of cos(v(i), v*) with v(i)_j = NPMI(i, j), v* = Σ_i v(i).

    Each word's vector is over the topic's words, itself included (with 1). Windows slide and have
    110 words by default. Words that the reference doesn't have are left out of the
    topic. Vectors that cancel each other out to v* = 0 have a cosine of 0. The plain mean over
    topics, as everybody reports it; Fig. 1.15 would weight topics by their shares.

    >>> from chatham.commons import Alone
    >>> from chatham.measures.subject import Subject
    >>> from chatham.measures.texts import TokenTexts
    >>> texts = TokenTexts([["tea", "milk"], ["tea", "milk"], ["car"], ["car"]])
    >>> subject = Subject(np.array([], dtype=object), lists=[["tea", "milk"], ["tea", "car"]])
    >>> [round(value, 6) for value in CV().measure(subject, Alone(texts)).per_topic]
    [1.0, 0.025723]

    The second: with c = NPMI(tea, car) = −1 + log(1/4) / log 1e-12 = −0.949828 both cosines are
    (1 + c)² / (√(1 + c²)·√2·(1 + c)).
    """

    window: int | str = 110
    name: ClassVar[str] = "c_v"
    source: ClassVar[str] = "eq. 1.30, Fig. 1.15 (Röder et al. 2015)"

    def by_topic(self, counts: WindowCounts) -> list[float | None]:
        """The mean of the cosines."""
        return [
            support(vectors[known][:, known])
            for vectors, known in zip(counts.npmi(self.epsilon), counts.known, strict=True)
        ]


def support(vectors: NDArray[np.float64]) -> float | None:
    """The mean cosine of the rows with their sum; None for fewer than two.

    >>> support(np.eye(4))  # (1, 0, 0, 0) · (1, 1, 1, 1) / 2
    0.5
    """
    if len(vectors) < 2:
        return None
    total: Array = vectors.sum(axis=0)
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(total)
    cosines = np.divide(vectors @ total, lengths, out=np.zeros(len(vectors)), where=lengths > 0)
    return float(cosines.mean())
