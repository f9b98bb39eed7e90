"""The words of a model: one per column, all different, each a string that files can hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError


def as_vocabulary(vocabulary: Any, width: int) -> NDArray[np.object_]:
    """The words as an array of strings: one per column, all different."""
    words = [] if isinstance(vocabulary, str) else list(vocabulary)
    if len(words) != width or not all(isinstance(word, str) for word in words):
        raise InputError(
            f"The vocabulary must be a list of {width:,} words, one for each column; "
            f"got {len(words):,} {'entries' if words else 'words'}."
        )
    if len(set(words)) != len(words):
        raise InputError("The vocabulary has the same word twice; every column needs its own word.")
    if not all(word.isascii() or _is_unicode(word) for word in words):
        raise InputError("A word of the vocabulary has half a character; save it again as UTF-8.")
    array = np.empty(width, dtype=object)
    array[:] = [str(word) for word in words]
    return array


def _is_unicode(word: str) -> bool:
    """Whether a word has no lone surrogates, which no file and no table can hold."""
    return not any("\ud800" <= character <= "\udfff" for character in word)
