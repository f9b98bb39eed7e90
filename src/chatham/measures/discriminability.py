"""How much words say about topics, and topics about documents (thesis, eq. 1.31 and Fig. 1.17).

Both are the share of uncertainty that is removed, between 0 and 1: of the topic, once a word is
seen, and of the document, once a topic is. They average over topics by their weights in the
documents, w_t = Σ_i W_it / ‖W‖₁.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from chatham.commons.interface import Step
from chatham.learners.words import discriminability
from chatham.measures.distances import (
    score_by_weight,
    weight_divergences,
    weight_spread,
    weight_sums,
)
from chatham.measures.measure import Measure, Score, known_or_none
from chatham.measures.subject import Subject

Array = NDArray[np.float64]


def discriminability_by_topic(topics: Array) -> list[float | None]:
    """Σ_j T_tj disc(j) of each topic: how much its words say; None for a topic without words.

    >>> discriminability_by_topic(np.array([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]]))
    [0.5, 0.5]
    """
    has_words = topics.sum(axis=1) > 0
    several = has_words.sum() > 1
    by_word = discriminability(topics[has_words]) if several else np.zeros(topics.shape[1])
    return known_or_none(np.clip(topics @ by_word, 0.0, 1.0), has_words)


@dataclass(frozen=True)
class DiscriminabilityOfWords(Measure):
    """Σ_j v_j disc(j), with v_j = Σ_t w_t T_tj and disc(j) = 1 − H(P(t|j)) / log k (eq. 1.31).

    The source takes the entropy of the column T_:j, which doesn't sum to one; here it is normalised
    first. The sum is Σ_t w_t Σ_j T_tj disc(j), which gives each topic its own value. With a single
    topic there is nothing to distinguish, and the value is 0. A topic without words has no value
    and doesn't count among the k.
    """

    name: ClassVar[str] = "discriminability_words"
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"topics", "weights"})
    source: ClassVar[str] = "Fig. 1.17"
    local_statistics: ClassVar[Step | None] = staticmethod(weight_sums)

    def value(self, totals: Any, subject: Subject) -> Score:
        """From the topics and their weights."""
        return score_by_weight(discriminability_by_topic(subject.distributions), totals)


@dataclass(frozen=True)
class DiscriminabilityOfTopics(Measure):
    """Σ_t w_t disc(t), with disc(t) = 1 − H(W_:t) / log n (Fig. 1.17, where t is called j).

    The column W_:t is normalised first, so disc(t) is the distance to the background of
    `weights_background` over log n. With a single document there is nothing to
    distinguish, and the value is 0. A topic that no document has is left out.
    """

    name: ClassVar[str] = "discriminability_topics"
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"weights"})
    source: ClassVar[str] = "Fig. 1.17"
    local_statistics: ClassVar[Step | None] = staticmethod(weight_spread)

    def value(self, totals: Any, subject: Subject) -> Score:
        """From the weights alone."""
        documents = round(float(totals[2][0]))
        largest = math.log(documents) if documents > 1 else 1.0
        by_topic = [
            None if divergence is None else divergence / largest
            for divergence in weight_divergences(totals)
        ]
        scored = score_by_weight(by_topic, totals[0])
        return Score(scored.value, scored.per_topic, {"documents": documents})
