"""What topics from elsewhere must be: rows of numbers, words, and a prior that is one."""

from __future__ import annotations

from collections import Counter
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.model.file import LONGEST_WORD
from chatham.model.intake import as_vocabulary

Array = NDArray[np.float64]


def checked_topics(topics: Any) -> Array:
    """Rows of finite nonnegative numbers, at least one of them above zero."""
    try:
        plain = topics.toarray() if sp.issparse(topics) else topics
        rows = _numbers(np.asarray(plain))
    except (TypeError, ValueError, OverflowError):
        raise InputError("The array of topics must hold numbers only, K rows of V each.") from None
    if rows.ndim != 2 or not rows.size:
        raise InputError(f"The array of topics must be K×V; this one has the shape {rows.shape}.")
    if not np.isfinite(rows).all():
        raise InputError("The array of topics holds a number that isn't finite; mend it first.")
    if (rows < 0).any():
        raise InputError(
            "The array of topics holds negative numbers, so its rows are no distributions over "
            "words; give probabilities or weights of at least 0, or lists of words."
        )
    if not rows.any():
        raise InputError("The array of topics holds zeros only; there is nothing to measure.")
    return rows


def _numbers(given: NDArray[Any]) -> Array:
    """Numbers as they are: NumPy would read "1", dates and complex numbers as some, too."""
    fine = given.dtype.kind in "iufb"
    if given.dtype.kind == "O":  # columns of unlike kinds in a DataFrame, say
        fine = all(isinstance(each, Real) for each in given.flat)
    if not fine:
        raise TypeError
    return np.asarray(given, dtype=np.float64)


def check_words(number: int, words: list[Any]) -> None:
    """A topic of words has strings that are not empty, too long or there twice."""
    if not all(isinstance(word, str) and word for word in words):
        raise InputError(f"Topic {number} holds something that isn't a word; give strings only.")
    _check_lengths(words)
    if len(set(words)) < len(words):
        twice = Counter(words).most_common(1)[0][0]
        raise InputError(f"Topic {number} has the word {twice[:40]!r} twice; give each word once.")


def _check_lengths(words: list[Any]) -> None:
    """As of a model that is loaded: a text in place of a word would make every table huge."""
    longest = max((word for word in words if isinstance(word, str)), key=len, default="")
    if len(longest) > LONGEST_WORD:
        raise InputError(
            f"The word {longest[:40]!r}… has {len(longest):,} characters; at most {LONGEST_WORD} "
            "are allowed."
        )


def words_for(rows: Array, vocabulary: Any) -> NDArray[np.object_]:
    """The words of the columns, one for each."""
    words = [str(word) if isinstance(word, np.str_) else word for word in vocabulary]
    _check_lengths(words)
    if len(words) == len(rows) != rows.shape[1]:
        raise InputError(
            f"The array has {rows.shape[1]:,} columns and the vocabulary {len(words):,} words, as "
            "many as the array has rows; topics are rows here: transpose the array."
        )
    return as_vocabulary(words, rows.shape[1])


def as_alpha(alpha: Any, k: int) -> Array | None:
    """A prior for each topic, from one or from one for all; None unless all are above zero."""
    if alpha is None:
        return None
    try:
        values = np.asarray(alpha, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    values = np.full(k, float(values)) if values.ndim == 0 else values
    fine = values.shape == (k,) and np.isfinite(values).all() and (values > 0).all()
    return values if fine else None
