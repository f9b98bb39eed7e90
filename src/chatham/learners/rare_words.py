"""Words that few of a party's documents have: it leaves them out of its part of a fit.

Sums by word and topic are sums over the documents that have the word. Where that is one document,
its weights follow from its expected counts divided by the topics, to the last digit, and whatever
words have the same weights are that document's (`tests/attacks/test_other_learners.py`). Rules for
the vocabulary don't prevent it: a word that other parties offered, or a public list has, may be in
one document here. Where five documents have it, their weights are mixed; copies of a document have
the same weights, and count as one. Noise hides rare words too, but less than others, so learners
that add noise follow the same rule.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons, Memory, keeps
from chatham.errors import InputError
from chatham.learners.documents import (
    OWN_WORDS,
    Documents,
    counted_documents,
    distinct_holders,
    with_words,
)
from chatham.numerics.products import sums_by

FEWEST = 5
"""A word that fewer of its own documents have is left out of a holder's part."""

ROUNDING = 1e-9


def leave_out_rare(commons: Commons) -> None:
    """Have every holder leave them out of this fit, where totals may not be exact."""
    if commons.exact_totals:
        return
    if not int(commons.sum(leave_out_rare_words, FEWEST)):
        raise InputError(
            f"No word is in {FEWEST} documents of any one party, and words that fewer have are "
            "left out between parties, since they lead to single documents; bring more documents."
        )


@keeps(own_words="which words enough of my documents have for them to be told")
def leave_out_rare_words(rows: Any, memory: Memory, fewest: int) -> NDArray[np.int64]:
    """How many documents have a word that at least so many documents of their holder have."""
    own_words = words_of_several(counted_documents(rows), fewest)
    memory[OWN_WORDS] = own_words
    left = counted_documents(with_words(rows, own_words))
    return np.array((~left.empty).sum(), dtype=np.int64)


def words_of_several(documents: Documents, fewest: int) -> NDArray[np.bool_]:
    """The words that so many documents have, copies counted once.

    Documents that differ in rare words alone are copies once these are gone, so words are left out
    until nothing changes. Where documents have weights, they count as several only if they are as
    much as so many of equal weight: what one document outweighs is nearly its alone.

    >>> rows = [[1, 1, 1, 0], [1, 1, 0, 0], [2, 1, 0, 0], [0, 1, 0, 3], [0, 1, 0, 3]]
    >>> words_of_several(Documents(np.array(rows)), 2)
    array([ True,  True, False, False])
    """
    words = np.ones(documents.d, dtype=bool)
    while True:
        cells = words[documents.indices]
        enough = distinct_holders(documents, cells) >= fewest
        if not documents.alike:
            weights = documents.repeats[documents.owners] * cells
            totals = sums_by(documents.indices, weights, documents.d)
            squares = sums_by(documents.indices, weights**2, documents.d)
            enough &= as_many(totals, squares) >= fewest - ROUNDING
        if (enough == words).all():
            return enough
        words = enough & words


def as_many(totals: NDArray[np.float64], squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """As how many of equal weight are these, by the sums of their weights and of the squares?

    >>> as_many(np.array([4.0, 4.0]), np.array([4.0, 10.0])).tolist()
    [4.0, 1.6]
    """
    return np.asarray(totals**2 / np.where(squares > 0, squares, 1.0))
