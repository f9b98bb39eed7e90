"""A planted corpus that comes in slices, with what happens to its topics from slice to slice."""

import numpy as np

import chatham as ch

EACH = 6
WORDS = [f"w{number:02d}" for number in range(7 * EACH)]


def topic(*blocks):
    """Nearly all words from these blocks of words, as many of each."""
    row = np.full(len(WORDS), 0.04 / len(WORDS))
    for block in blocks:
        row[block * EACH : (block + 1) * EACH] += 0.96 / (EACH * len(blocks))
    return row / row.sum()


A, B, C, WIDE, NEW = topic(0), topic(1), topic(2), topic(3, 4), topic(5)
HALVES = topic(3), topic(4)


def documents(topics, seed, n=150, shares=None):
    """Counts of documents, mostly about one topic each."""
    rng = np.random.default_rng(seed)
    chances = np.full(len(topics), 1 / len(topics)) if shares is None else np.array(shares)
    weights = rng.dirichlet(0.2 * len(topics) * chances, n)
    return np.array([rng.multinomial(60, row @ np.array(topics)) for row in weights])


JANUARY = documents([A, B, C, WIDE], 0)
FEBRUARY = documents([A, B, WIDE, NEW], 1)
"""C dies, and NEW is born."""
MARCH = documents([A, B, *HALVES, NEW], 2, shares=[0.4, 0.15, 0.15, 0.15, 0.15])
"""WIDE splits, and A grows."""


def january(kind, **parameters):
    """A model of the first slice."""
    return ch.fit(kind, JANUARY, vocabulary=WORDS, n_components=4, random_state=0, **parameters)


def likeness(first, second):
    """Bhattacharyya's coefficients."""
    return np.sqrt(first) @ np.sqrt(second).T
