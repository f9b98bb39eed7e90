"""True topics over the model's own words, whatever words they came with."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.subject import Subject
from chatham.notes import ChathamWarning

Array = NDArray[np.float64]


def topics_over(subject: Subject, true_topics: Any) -> Array:
    """The true topics (k*×d) with a column for each of the subject's words.

    A plain array is over the subject's words already. Anything with words of its own (a model, a
    pair of an array and its vocabulary, a table) is matched by them; words that the subject doesn't
    know are left out and reported. Rows sum to one.
    """
    if isinstance(true_topics, np.ndarray | list):
        width = np.shape(true_topics)[-1] if np.ndim(true_topics) == 2 else 0
        if width != len(subject.vocabulary):
            raise InputError(
                f"The true topics are over {width:,} words and the model's vocabulary has "
                f"{len(subject.vocabulary):,}; give them over the model's words, or with their own."
            )
        return as_subject(true_topics, subject.vocabulary).distributions
    truth = as_subject(true_topics)
    return _matched(subject, truth) if truth is not subject else truth.distributions


def _matched(subject: Subject, truth: Subject) -> Array:
    column_of = {str(word): number for number, word in enumerate(truth.vocabulary)}
    columns = np.array([column_of.get(str(word), -1) for word in subject.vocabulary])
    topics = truth.distributions
    matched = np.where(columns >= 0, topics[:, columns], 0.0)
    lost = 1 - matched.sum() / topics.sum()
    if lost > 1 - 1e-9:
        raise InputError(
            "The true topics have no word in common with the model; give those of the same corpus."
        )
    if lost > 1e-9:
        warnings.warn(
            f"{lost:.1%} of the true topics is words that {subject.name} doesn't know; they are "
            "left out, and the rest is scaled to sum to one.",
            ChathamWarning,
            stacklevel=4,
        )
    return as_subject(matched, subject.vocabulary).distributions
