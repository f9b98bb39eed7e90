"""The words of a topic that the documents of one cell use more than all others do.

How often a word of topic t is said in a cell is estimated by n·p(t|word), which needs nothing of
single documents; a word is ordered by the log of its odds among the topic's words there against
those elsewhere, in standard errors (Monroe, Colaresi and Quinn, 2008, section 3.5), with the topic
itself as the prior. So a topic that is larger in a cell has no words for that alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

PRIOR = 100.0
"""Words of each topic that everyone is taken to have said before."""
CLEAR = 1.96
"""Standard errors from which on a word is said to differ."""


def differing_words(
    counts: Array, topics: Array, shares: Array, n: int
) -> list[list[NDArray[np.intp]]]:
    """For each cell and each topic, the columns of up to `n` words, the clearest first.

    `counts` is how often each cell's documents have each word (cells×d); `topics` are over plain
    words (k×d), `shares` their sizes.

    >>> counts, topic = np.array([[90.0, 10.0], [10.0, 90.0]]), np.array([[0.5, 0.5]])
    >>> [[words.tolist() for words in cell] for cell in
    ...  differing_words(counts, topic, np.ones(1), 3)]
    [[[0]], [[1]]]
    """
    joint = topics * shares[:, None]
    total = joint.sum(axis=0)
    given_word = np.divide(joint, total, out=np.zeros_like(joint), where=total > 0)
    everywhere = counts.sum(axis=0)
    return [
        [
            _clearest(cell * mine, (everywhere - cell) * mine, PRIOR * topic, n)
            for mine, topic in zip(given_word, topics, strict=True)
        ]
        for cell in counts
    ]


def _clearest(here: Array, elsewhere: Array, prior: Array, n: int) -> NDArray[np.intp]:
    """The columns of the words whose odds are clearly higher here."""
    if not here.any() or not elsewhere.any():
        return np.array([], dtype=np.intp)
    # A word that is all that a topic says has no odds.
    alone = 1.0 - 1e-9
    said = np.flatnonzero((here > 0) & (prior > 0) & (here < alone * here.sum()))
    odds = [_log_odds(each, prior, said) for each in (here, elsewhere)]
    doubt = np.sqrt(1.0 / (here + prior)[said] + 1.0 / (elsewhere + prior)[said])
    clear = (odds[0] - odds[1]) / doubt
    order = np.argsort(-clear, kind="stable")[:n]
    return np.asarray(said[order[clear[order] >= CLEAR]], dtype=np.intp)


def _log_odds(said: Array, prior: Array, columns: NDArray[np.intp]) -> Array:
    """The log of the odds of each of these words among all that were said."""
    counts = said + prior
    mine = counts[columns]
    return np.asarray(np.log(mine) - np.log(counts.sum() - mine))
