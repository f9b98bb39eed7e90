"""The words of a topic that the documents of one cell use more than all others do.

How often a word of topic t is said in a cell is estimated by n·p(t|word), which needs nothing of
single documents; a word is ordered by the log of its odds among the topic's words there against
those elsewhere, in standard errors (Monroe, Colaresi and Quinn, 2008, section 3.5), with the topic
itself as the prior. So a topic that is larger in a cell has no words for that alone.

Between parties not every word is told of every cell. What isn't counts among a topic's words all
the same, as many of them as its share of the cell's documents; and elsewhere a word that isn't told
is taken to be said as often as it may be, so that none differs for not being told.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

PRIOR = 100.0
"""Words of each topic that everyone is taken to have said before."""
CLEAR = 1.96
"""Standard errors from which on a word is said to differ."""


@dataclass(frozen=True)
class Untold:
    """What isn't told between parties: of each cell and word, and of each cell and topic."""

    hidden: Array
    """How often a word may be said at most by those who don't tell, cells×d."""
    rest: Array
    """How many of each topic's words aren't told of the cell, cells×k."""


def differing_words(
    counts: Array, topics: Array, shares: Array, n: int, untold: Untold | None = None
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
    if untold is None:
        untold = Untold(np.zeros_like(counts), np.zeros((len(counts), len(topics))))
    told = counts @ given_word.T + untold.rest  # of each cell and topic
    at_most = counts + untold.hidden
    elsewhere, said = at_most.sum(axis=0) - at_most, told.sum(axis=0) - told
    return [
        [
            _clearest((cell * mine, here), (others * mine, there), PRIOR * topic, n)
            for mine, topic, here, there in zip(
                given_word, topics, told[number], said[number], strict=True
            )
        ]
        for number, (cell, others) in enumerate(zip(counts, elsewhere, strict=True))
    ]


Said = tuple[Array, float]
"""How often each word of a topic was said at most, and how many words of it were in all."""


def _clearest(here: Said, elsewhere: Said, prior: Array, n: int) -> NDArray[np.intp]:
    """The columns of the words whose odds are clearly higher here."""
    (mine, of_all), (theirs, _) = here, elsewhere
    if not mine.any() or not theirs.any():
        return np.array([], dtype=np.intp)
    # A word that is all that a topic says has no odds.
    alone = 1.0 - 1e-9
    said = np.flatnonzero((mine > 0) & (prior > 0) & (mine < alone * of_all))
    odds = [_log_odds(each, prior, said) for each in (here, elsewhere)]
    doubt = np.sqrt(1.0 / (mine + prior)[said] + 1.0 / (theirs + prior)[said])
    clear = (odds[0] - odds[1]) / doubt
    order = np.argsort(-clear, kind="stable")[:n]
    return np.asarray(said[order[clear[order] >= CLEAR]], dtype=np.intp)


def _log_odds(said: Said, prior: Array, columns: NDArray[np.intp]) -> Array:
    """The log of the odds of each of these words among all that were said."""
    mine = (said[0] + prior)[columns]
    others = np.maximum(said[1] + prior.sum() - mine, prior.sum() - prior[columns])
    return np.asarray(np.log(mine) - np.log(others))
