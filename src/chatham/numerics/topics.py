"""Topics in whatever form somebody has them, as one array of topics × words.

They are an array, lists, a table or a sparse matrix, or a model has them: an estimator as
`components_`, anything else as `topics`. Whoever takes topics takes all of these and refuses the
same, whether they are to begin from, to draw documents of, to weigh documents by or to be measured.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.wording import Sentence, say

Array = NDArray[np.float64]

TOPICS = say("{topics}")
"""The parameter by which most functions take them."""


def topics_of(given: Any) -> Any:
    """The topics of a model, or else what was given; dense where it is sparse.

    >>> topics_of([[0.5, 0.5]]), topics_of("random")
    ([[0.5, 0.5]], 'random')
    """
    if not hasattr(given, "__array__"):  # a table may have a column called 'topics'
        given = getattr(given, "components_", getattr(given, "topics", given))
    return given.toarray() if hasattr(given, "toarray") else given


def as_topics(given: Any, what: str | Sentence = TOPICS, *, each_with_words: bool = False) -> Array:
    """A copy of the topics: finite numbers of at least 0, at least one topic over one word.

    `what` is what they are called in a refusal. With `each_with_words` no topic may be zero.

    >>> as_topics([[3, 1], [0, 0]]).tolist()
    [[3.0, 1.0], [0.0, 0.0]]
    """
    try:
        topics = _numbers(np.asarray(topics_of(given)))
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            say(
                "{what} must be an array of numbers only, topics × words, or a model that has one; "
                "this {kind} is neither.",
                what=what,
                kind=type(given).__name__,
            )
        ) from None
    if topics.ndim != 2 or not topics.size:
        raise InputError(
            say(
                "{what} must be topics × words, not an array of shape {shape}.",
                what=what,
                shape=topics.shape,
            )
        )
    if not np.isfinite(topics).all():
        raise InputError(
            say("{what} must hold finite numbers, not NaN or infinity: mend them first.", what=what)
        )
    if topics.min() < 0:
        raise InputError(
            say(
                "{what} must have no negative entry, being distributions over words: give "
                "probabilities, or weights of at least 0.",
                what=what,
            )
        )
    if each_with_words and not topics.any(axis=1).all():
        empty = int(np.argmin(topics.any(axis=1)))
        raise InputError(f"Topic {empty} (counted from 0) has no word: leave it out.")
    return topics


def _numbers(given: NDArray[Any]) -> Array:
    """Numbers as they are: NumPy would read "1", dates and complex numbers as some, too."""
    fine = given.dtype.kind in "iufb"
    if given.dtype.kind == "O":  # columns of unlike kinds in a table, say
        fine = all(isinstance(each, Real) for each in given.flat)
    if not fine:
        raise TypeError
    return np.array(given, dtype=np.float64)
