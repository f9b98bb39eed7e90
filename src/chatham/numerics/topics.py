"""Topics given in any of several forms, as one array of topics × words.

They are an array, lists, a table or a sparse matrix, or a model has them: an estimator as
`components_`, anything else as `topics`. Every function that takes topics accepts all of these and
refuses the same ones, whether it starts from them, draws documents, infers weights or measures.
"""

from __future__ import annotations

from contextlib import suppress
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.wording import Sentence, say

Array = NDArray[np.float64]

TOPICS = say("{topics}")
"""The parameter that most functions take them by."""


def topics_of(source: Any) -> Any:
    """The topics of a model, or the source itself if it isn't one; dense where it is sparse.

    >>> topics_of([[0.5, 0.5]]), topics_of("random")
    ([[0.5, 0.5]], 'random')
    """
    if not hasattr(source, "__array__"):  # a table may have a column called 'topics'
        source = getattr(source, "components_", getattr(source, "topics", source))
    return source.toarray() if hasattr(source, "toarray") else source


def as_topics(
    source: Any, name: str | Sentence = TOPICS, *, each_with_words: bool = False
) -> Array:
    """A copy of the topics: finite numbers of at least 0, at least one topic over one word.

    `name` is what an error calls them. With `each_with_words` no topic may be zero.

    >>> as_topics([[3, 1], [0, 0]]).tolist()
    [[3.0, 1.0], [0.0, 0.0]]
    """
    topics = _numbers_in(source)
    if topics is None:
        raise InputError(
            say(
                "{name} must be an array of numbers only, topics × words, or a model that has one; "
                "this {kind} is neither.",
                name=name,
                kind=type(source).__name__,
            )
        )
    if topics.ndim != 2 or not topics.size:
        raise InputError(
            say(
                "{name} must be topics × words, not an array of shape {shape}.",
                name=name,
                shape=topics.shape,
            )
        )
    if not np.isfinite(topics).all():
        raise InputError(
            say("{name} must hold finite numbers, not NaN or infinity: fix them first.", name=name)
        )
    if topics.min() < 0:
        raise InputError(
            say(
                "{name} must have no negative entry, being distributions over words: give "
                "probabilities, or weights of at least 0.",
                name=name,
            )
        )
    if each_with_words and not topics.any(axis=1).all():
        empty = int(np.argmin(topics.any(axis=1)))
        raise InputError(f"Topic {empty} (counted from 0) has no word: leave it out.")
    return topics


def _numbers_in(source: Any) -> Array | None:
    """What NumPy makes of it; nothing where it only has something to say, which may quote it."""
    with suppress(TypeError, ValueError, OverflowError):
        return _numbers(np.asarray(topics_of(source)))
    return None


def _numbers(array: NDArray[Any]) -> Array:
    """Numbers as they are: NumPy would read "1", dates and complex numbers as some, too."""
    is_numeric = array.dtype.kind in "iufb"
    if array.dtype.kind == "O":  # columns of different types in a table, say
        is_numeric = all(isinstance(entry, Real) for entry in array.flat)
    if not is_numeric:
        raise TypeError
    return np.array(array, dtype=np.float64)
