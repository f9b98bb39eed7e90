"""Words for the page: enough of each topic's to order them as the library does, at any λ.

Of the four orderings (`chatham.learners.words`) two have a λ, which the page's slider moves in
steps of a hundredth. The words that are among the best at any of them are few, and the page orders
these by the library's own numbers: it adds and multiplies in the same order, and takes no logarithm
itself, so that its order is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.learners.words import (
    TINY,
    as_probabilities,
    discriminability,
    relevance,
    score_words,
    uplift,
)

Array = NDArray[np.float64]

SHOWN = 30
"""The most words of a topic that the page shows."""
GRID = [step / 100 for step in range(101)]
"""Where λ can stand."""
STRIDE = 10
"""Between every so many of them, words are looked for that could be among the best at all."""
HOMES, LEAST_HOME = 8, 0.01
"""How many topics a word is said to live in, and the least share of it that counts."""


def word_tables(
    topics: Array, ordering: Array, shares: Array, vocabulary: NDArray[Any], numbers: list[int]
) -> dict[str, Any]:
    """The words of all topics (`words`), and each topic's entries for its own (`topics`).

    A word's place in `words` is its rank by spelling, by which ties go.
    """
    given_topic = as_probabilities(ordering)
    spelled = np.array(sorted(range(len(vocabulary)), key=lambda j: str(vocabulary[j])))
    rank = np.empty(len(vocabulary), dtype=np.int64)
    rank[spelled] = np.arange(len(vocabulary))
    exclusive = uplift(ordering, 1.0)
    logs, log_shares = _logarithms(ordering, shares)
    pools = [np.zeros(len(vocabulary), dtype=np.bool_) for _ in numbers]
    for by in ("prevalence", "discriminability"):
        scores = score_words(ordering, shares, by)
        for pool, row, own in zip(pools, scores, ordering, strict=True):
            pool[_best(row, np.flatnonzero(own > 0), rank)] = True
    for topic, pool in enumerate(pools):
        columns = np.flatnonzero(ordering[topic] > 0)
        log, everywhere = logs[topic, columns], log_shares[columns]
        pool |= _ever_best(lambda lam: log - (1.0 - lam) * everywhere, columns, rank)  # noqa: B023
        own, lifted = given_topic[topic, columns], exclusive[topic, columns]
        pool |= _ever_best(lambda lam: lifted * lam + (1.0 - lam) * own, columns, rank)  # noqa: B023
    columns = spelled[np.logical_or.reduce(pools)[spelled]]
    place = np.full(len(vocabulary), -1, dtype=np.int64)
    place[columns] = np.arange(len(columns))
    same = np.array_equal(given_topic, topics)
    return {
        "words": _words(topics, ordering, shares, vocabulary, columns, numbers),
        "topics": [
            _entries(
                topics[t], given_topic[t], logs[t], exclusive[t], np.flatnonzero(pool), place, same
            )
            for t, pool in enumerate(pools)
        ],
    }


def _logarithms(ordering: Array, shares: Array) -> tuple[Array, Array]:
    """log P(j|t) and log P(j), of which relevance is made: it is their difference at λ = 0, and the
    first alone at λ = 1."""
    logs = relevance(ordering, shares, 1.0)
    floored = np.maximum(np.asarray(shares, dtype=np.float64), 1e-12)
    overall = as_probabilities(ordering) * (floored / floored.sum())[:, None]
    return logs, np.log(np.maximum(overall.sum(axis=0), TINY))


def _ever_best(
    score: Callable[[float], Array], columns: NDArray[np.int64], rank: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which words are among the best for some λ, if scores are linear in it.

    Between two values of λ a word can be among them only if its larger score at the two reaches
    what enough words have throughout; only such words are looked at in between.

    >>> first, last = np.arange(40.0), -np.arange(40.0)
    >>> line = lambda lam: (1 - lam) * first + lam * last
    >>> int(_ever_best(line, np.arange(40), np.arange(40)).sum())
    40
    """
    chosen = np.zeros(len(rank), dtype=np.bool_)
    if len(columns) <= SHOWN:
        chosen[columns] = True
        return chosen
    for first in range(0, len(GRID) - 1, STRIDE):
        begin, end = score(GRID[first]), score(GRID[first + STRIDE])
        least, most = np.minimum(begin, end), np.maximum(begin, end)
        reached = -np.partition(-least, SHOWN - 1)[SHOWN - 1]
        possible = most >= reached - 1e-9 * max(1.0, abs(float(reached)))
        for lam in GRID[first : first + STRIDE + 1]:
            chosen[_best(score(lam)[possible], columns[possible], rank, among=True)] = True
    return chosen


def _best(
    scores: Array, columns: NDArray[np.int64], rank: NDArray[np.int64], among: bool = False
) -> NDArray[np.int64]:
    """The best of these columns, as the library has them: ties go by spelling.

    `scores` are those of all columns or, with `among`, of these.
    """
    own = scores if among else scores[columns]
    if len(own) > SHOWN:
        last = -np.partition(-own, SHOWN - 1)[SHOWN - 1]
        kept = own >= last
        own, columns = own[kept], columns[kept]
    return columns[np.lexsort((rank[columns], -own))[:SHOWN]]


def _words(
    topics: Array,
    ordering: Array,
    shares: Array,
    vocabulary: NDArray[Any],
    columns: NDArray[np.int64],
    numbers: list[int],
) -> dict[str, Any]:
    """What is true of a word in all topics."""
    floored = np.maximum(np.asarray(shares, dtype=np.float64), 1e-12)
    return {
        "word": [str(vocabulary[j]) for j in columns],
        "share": (topics[:, columns] * (floored / floored.sum())[:, None]).sum(axis=0).tolist(),
        "log_share": _logarithms(ordering, shares)[1][columns].tolist(),
        "discriminability": discriminability(ordering)[columns].tolist(),
        "homes": _homes(topics[:, columns], floored / floored.sum(), numbers),
    }


def _homes(topics: Array, shares: Array, numbers: list[int]) -> list[list[list[float]]]:
    """For each word the topics it lives in: number, P(topic | word), P(word | topic)."""
    joint = topics * shares[:, None]
    given_word = joint / np.maximum(joint.sum(axis=0), TINY)
    order = np.argsort(-given_word, axis=0, kind="stable")[:HOMES]
    return [
        [
            [numbers[t], float(given_word[t, j]), float(topics[t, j])]
            for t in order[:, j]
            if given_word[t, j] >= LEAST_HOME
        ]
        for j in range(topics.shape[1])
    ]


def _entries(
    topic: Array,
    ordering: Array,
    logs: Array,
    exclusive: Array,
    columns: NDArray[np.intp],
    place: NDArray[np.int64],
    same: bool,
) -> dict[str, Any]:
    """A topic's candidates: their places, probabilities, and what they are ordered by."""
    entries = {
        "word": place[columns].tolist(),
        "probability": topic[columns].tolist(),
        "log": logs[columns].tolist(),
        "exclusive": exclusive[columns].tolist(),
    }
    return entries if same else {**entries, "ordering": ordering[columns].tolist()}
