"""Small parties with known topics, their models, and summaries made by hand."""

import numpy as np

import chatham as ch
from chatham.ensembles.summary import Summary

WORDS = [f"w{number}" for number in range(9)]
BARS = np.array(
    [
        [1, 1, 1, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 1, 1, 1, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 1, 1, 1],
        [1, 0, 0, 1, 0, 0, 1, 0, 0],
        [0, 1, 0, 0, 1, 0, 0, 1, 0],
        [0, 0, 1, 0, 0, 1, 0, 0, 1],
    ]
) / 3.0  # fmt: skip
"""Shen et al., Fig. 5: the rows and the columns of 3 × 3 pixels."""


def drawn(topics, n, length=100, concentration=1.0, seed=0):
    """Counts and weights of documents drawn by LDA's own story."""
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(len(topics), concentration), n)
    return np.array([rng.multinomial(length, row @ topics) for row in weights]), weights


def plsa_summary(topics, tokens, words=None, name="", documents=100):
    """A summary of PLSA with these topics, of so many tokens each."""
    topics, tokens = np.asarray(topics, dtype=float), np.asarray(tokens, dtype=float)
    k, d = topics.shape
    expected = tokens[:, None] * topics
    vocabulary = np.array(words or [f"w{number:02d}" for number in range(d)], dtype=object)
    return Summary(
        kind="plsa",
        vocabulary=vocabulary,
        topics=topics,
        sizes=documents * tokens / tokens.sum(),
        documents=documents,
        tokens=float(expected.sum()),
        statistics={
            "expected": expected,
            "log_likelihood": np.array(-float(expected.sum()) * np.log(d)),
        },
        numbers=tuple(range(k)),
        name=name,
    )


def published(kind, counts, k=2, words=None, name="", **settings):
    """The summary of a model of these counts."""
    words = words or [f"w{number}" for number in range(np.shape(counts)[1])]
    model = ch.fit(kind, counts, vocabulary=words, n_components=k, random_state=0, **settings)
    return model, ch.publish(model, counts, name=name)


def some_counts(n=60, d=8, k=2, seed=0):
    """Documents of k topics with words of their own."""
    topics = np.full((k, d), 0.02)
    for topic in range(k):
        topics[topic, topic::k] = 1.0
    return drawn(topics / topics.sum(axis=1, keepdims=True), n, 40, 0.4, seed)[0]
