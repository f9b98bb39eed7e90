"""The parts of a topic, as the documents of a corpus tell them apart.

What a document has of a topic are the words n_j = x_j · p(topic | word j) that are expected to come
from it. LDA of these alone finds the parts: a document with little of the topic counts little.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.words import as_probabilities
from chatham.model.edits import Edits, Split, checked_topic, come_from
from chatham.model.registry import make_estimator
from chatham.naming import value_shown
from chatham.wording import say

Array = NDArray[np.float64]

STARTS = 3
"""The best of so many chains: one alone may leave two parts together."""
LEAST = 0.01
"""Expected occurrences of a word in a document that are too few to look at."""


def split_topic(
    edits: Edits, topic: Any, counts: Any, weights: Array, *, into: int, random_state: int
) -> Split:
    """The edit that splits a topic into `into` parts.

    `counts` are plain counts of the documents, and `weights` what they have of the topics now.
    """
    number = checked_topic(edits.last, topic)
    if isinstance(into, bool) or not isinstance(into, int | np.integer) or into < 2:
        raise InputError(
            say(
                "{into} must be a whole number of at least 2. Got {it} instead.",
                it=value_shown(into),
            )
        )
    row = edits.last.row_of(number)
    expected = sp.csr_array(counts, dtype=np.float64, copy=True)
    expected.data = expected.data * come_from(expected, weights, edits.edited_topics, row)
    expected.data[expected.data < LEAST] = 0.0
    expected.eliminate_zeros()
    telling = np.diff(expected.indptr) > 0
    if telling.sum() < into:
        raise InputError(
            f"{int(telling.sum()):,} of these documents have words of topic {number}, too few to "
            f"tell {int(into)} parts of it apart; give the documents that the model was fitted to."
        )
    learner = make_estimator(
        "lda", {"n_components": int(into), "random_state": random_state, "n_init": STARTS}
    )
    learner.fit(sp.csr_array(expected[telling]))
    shares = np.asarray(learner.transform(expected[telling]).T @ expected[telling].sum(axis=1))
    return Split(number, as_probabilities(learner.components_), shares / shares.sum())
