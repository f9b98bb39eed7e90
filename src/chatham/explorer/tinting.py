"""A document's words with the topics that each may be from, as the page tints them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.documents.tinting import DIGITS
from chatham.model.tinted import Tinted

MOST, SURE = 3, 0.1
"""How many topics are named with a word at most, and how probable each is at least."""


def pieces_of(document: Tinted) -> list[list[Any]]:
    """The text in pieces, which joined are the text again: [text], or of a word [text, topics].

    Topics are [number, probability that the word is from it], the likeliest first.
    """
    numbers = [int(number) for number in document.numbers]
    topics = iter(likely(document.probabilities, numbers))
    return [[text] if span is None else [text, next(topics)] for text, span in document.pieces()]


def likely(probabilities: NDArray[np.float64], numbers: Sequence[int]) -> list[list[list[float]]]:
    """The topics that each of some words may be from; a long document has thousands of words.

    >>> likely(np.array([[0.05, 0.2, 0.75], [0.5, 0.5, 0.0]]), [0, 1, 4])
    [[[4, 0.75], [1, 0.2]], [[0, 0.5], [1, 0.5]]]
    """
    left, words = np.round(probabilities, DIGITS), np.arange(len(probabilities))
    found: list[list[list[float]]] = [[] for _ in words]
    for _ in range(min(MOST, left.shape[1])):
        best = left.argmax(axis=1)  # the first of those that are alike
        sure = probabilities[words, best]
        for word in np.flatnonzero(sure >= SURE).tolist():
            found[word].append([numbers[best[word]], round(float(sure[word]), 4)])
        left[words, best] = -1.0
    return found
