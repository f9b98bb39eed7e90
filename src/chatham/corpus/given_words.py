"""Documents that come as lists of words: taken as they are, and not split again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from chatham.errors import InputError


class Words(str):
    """A document given as words: it reads as a text, and knows which words it is made of.

    >>> document = Words(["New York", "tea"])
    >>> document, document.words
    ('New York tea', ('New York', 'tea'))
    """

    words: tuple[str, ...]

    def __new__(cls, words: Iterable[str]) -> Self:
        """The document of these words."""
        words = tuple(words)
        document = super().__new__(cls, " ".join(words))
        document.words = words
        return document

    def beginning(self, n_characters: int) -> Words:
        """Its first words, of about so many characters."""
        n, words = 0, []
        for word in self.words:
            n += len(word) + 1
            if n > n_characters:
                break
            words.append(word)
        return Words(words)


def is_list(value: Any) -> bool:
    """Whether a value may be a list of words: a list, a tuple or an array, of strings alone.

    >>> is_list(["tea", "milk"]), is_list([]), is_list("tea"), is_list([1, 2])
    (True, True, False, False)
    """
    if isinstance(value, np.ndarray):
        value = value.tolist() if value.ndim == 1 else None
    return isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)


def as_words(value: Any) -> Words:
    """A list of words as a document; those that can't be written in any file are refused."""
    document = Words(value)
    try:
        document.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(
            "A word that was given is no text, since half a character is in it: clean it first."
        ) from None
    return document
