"""How finely a summary tells its sums: no finer than a document adds to them.

A cell of topic × word is often one document's, although five have the word, and words of that
document then share a value, or a ratio of two topics, to the last digit
(`tests/attacks/test_summaries.py`). What a merge needs is far coarser.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

BITS = 9
"""Of the significand of NMF's topics and squared errors: to within a part in 512."""
STEP = 0.1
"""Of the grid of g, beside what a usual document adds with all its weight on one topic."""
TIED = 1e-6
"""Fractions of tokens within this are tied, whatever the order in which they were summed."""


def to_bits(array: Array, *, up: bool = False) -> Array:
    """The same numbers with few significant bits; the nearest ones, or the next above.

    >>> to_bits(np.array([0.0, 1.0, 1 / 3])).tolist()
    [0.0, 1.0, 0.3330078125]
    """
    significand, exponent = np.frexp(array)
    scaled = significand * 2.0**BITS
    return np.asarray(np.ldexp(np.ceil(scaled) if up else np.rint(scaled), exponent - BITS))


def grid_of(topics: Array, usual: float) -> Array:
    """The step between values that g may have, topics × 1; `usual` is the mean of ‖x‖².

    A document x that is w times a topic t adds w·x to the topic's row, and ‖x‖² / ‖t‖ is its
    length.
    """
    norms = np.linalg.norm(topics, axis=1, keepdims=True)
    return np.asarray(STEP * usual / np.where(norms > 0, norms, 1.0))


def steps_of_costs(topics: Array, usual: float) -> Array:
    """The same for what errors cost: such a document adds w² = ‖x‖² / ‖t‖² to it."""
    squares = (topics**2).sum(axis=1, keepdims=True)
    return np.asarray(STEP * usual / np.where(squares > 0, squares, 1.0))


def up_to(array: Array, steps: Array) -> Array:
    """The same on a grid, never less.

    >>> up_to(np.array([[0.0, 0.1, 0.5]]), np.array([[0.25]])).tolist()
    [[0.0, 0.25, 0.5]]
    """
    return np.asarray(np.ceil(array / steps) * steps)


def whole_tokens(expected: Array) -> Array:
    """Expected counts, topics × words, as whole tokens that add up to each word's occurrences.

    Each word's tokens that are left over go to the topics with the largest fractions.

    >>> whole_tokens(np.array([[0.4, 2.0], [0.3, 0.2], [0.3, 0.8]])).tolist()
    [[1.0, 2.0], [0.0, 0.0], [0.0, 1.0]]
    """
    whole = np.floor(expected + TIED)
    left = np.rint(expected.sum(axis=0)) - whole.sum(axis=0)
    fractions = np.rint((expected - whole) / TIED)
    order = np.argsort(-fractions, axis=0, kind="stable")
    first = np.arange(len(expected))[:, None] < left
    more = np.empty_like(whole)
    np.put_along_axis(more, order, first.astype(np.float64), axis=0)
    return np.asarray(whole + more)
