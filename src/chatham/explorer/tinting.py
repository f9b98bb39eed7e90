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
    rows = iter(document.probabilities)
    numbers = [int(number) for number in document.numbers]
    return [
        [text] if span is None else [text, likely(next(rows), numbers)]
        for text, span in document.pieces()
    ]


def likely(probabilities: NDArray[np.float64], numbers: Sequence[int]) -> list[list[float]]:
    """The topics that a word may be from.

    >>> likely(np.array([0.05, 0.2, 0.75]), [0, 1, 4])
    [[4, 0.75], [1, 0.2]]
    """
    order = np.argsort(-np.round(probabilities, DIGITS), kind="stable")[:MOST]
    return [
        [numbers[row], round(float(probabilities[row]), 4)]
        for row in order
        if probabilities[row] >= SURE
    ]
