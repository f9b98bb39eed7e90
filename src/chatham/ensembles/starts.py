"""Where a merge starts: from as many base topics as it is to find, as different as they can be.

A topic is drawn among all base topics with a chance that grows with its size and with its squared
distance from those drawn before (k-means++), where the distance is Hellinger's, over the words that
both parties have. As many topics as there are base topics are all of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chatham.ensembles.alignment import Aligned
from chatham.ensembles.summary import IDF
from chatham.errors import InputError
from chatham.naming import plural
from chatham.numerics.threads import threads

Array = NDArray[np.float64]

BLEND = 0.01
"""How much of all base topics together is in each topic of a start: in EM a zero stays one."""


def check_number(k: int, together: Aligned) -> None:
    """More topics than all parties have published can't be told apart."""
    published = sum(each.n_topics for each in together.summaries)
    if k > published:
        raise InputError(
            f"{plural(k, 'topic')} were asked for, and the summaries have {published:,} together; "
            f"ask for at most {published:,}."
        )


def base_topics(together: Aligned) -> tuple[Array, Array]:
    """All base topics over plain words, rows that sum to one; and how many documents have each."""
    rows = [plain_topics(together, party) for party in range(len(together.summaries))]
    return np.vstack(rows), np.concatenate([each.sizes for each in together.summaries])


def plain_topics(together: Aligned, party: int) -> Array:
    """A party's topics over plain words, rows that sum to one, among all words."""
    summary = together.summaries[party]
    plain = summary.topics / summary.statistics.get(IDF, 1.0)
    return together.spread(party, plain / plain.sum(axis=1, keepdims=True))


def parties_of(together: Aligned) -> NDArray[np.int64]:
    """Whose each base topic is."""
    sizes = [each.n_topics for each in together.summaries]
    return np.repeat(np.arange(len(sizes)), sizes)


def similarity(first: Array, second: Array, common: NDArray[np.bool_] | None = None) -> float:
    """Bhattacharyya's coefficient Σ√(pq) of two topics over common words: 1 for the same, 0 for
    topics without a word in common.

    >>> similarity(np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.5, 0.5]))
    0.5
    """
    if common is not None:
        first, second = first[common], second[common]
    totals = float(first.sum() * second.sum())
    return float(np.sqrt(first * second).sum() / np.sqrt(totals)) if totals > 0 else 0.0


def chosen_base(together: Aligned, k: int, seed: int) -> list[int]:
    """The numbers of k base topics that differ, by their sizes and distances.

    Where fewer than k differ at all, the largest of the others follow.
    """
    with threads(1):
        return _chosen(together, k, np.random.default_rng(seed))


def _chosen(together: Aligned, k: int, rng: np.random.Generator) -> list[int]:
    topics, sizes = base_topics(together)
    owners = parties_of(together)
    # A topic is zero in words that its party doesn't publish, so products are over common words.
    roots, masses = np.sqrt(topics), topics @ together.observed.T.astype(np.float64)
    far = np.full(len(topics), 1.0)
    chosen: list[int] = []
    for _ in range(k):
        chances = np.where(far > 1e-12, far, 0.0) * sizes
        if chances.sum() <= 0:
            left = [topic for topic in np.argsort(-sizes, kind="stable") if topic not in chosen]
            return chosen + [int(topic) for topic in left[: k - len(chosen)]]
        drawn = int(np.searchsorted(np.cumsum(chances), rng.random() * chances.sum(), "right"))
        chosen.append(min(drawn, len(topics) - 1))
        common = masses[:, owners[chosen[-1]]] * masses[chosen[-1], owners]
        alike = roots @ roots[chosen[-1]] / np.sqrt(np.where(common > 0, common, np.inf))
        far = np.minimum(far, np.maximum(1.0 - alike, 0.0))
        far[chosen] = 0.0
    return chosen


def start_from_base(together: Aligned, k: int, seed: int) -> Array:
    """Topics (k×d, rows sum to one) from chosen base topics; no word that anybody has is zero.

    A word that a topic's party doesn't publish has the probability that it has in all base topics.
    """
    topics, _ = base_topics(together)
    owners = parties_of(together)
    overall = overall_words(together)
    start = np.empty((k, topics.shape[1]))
    for number, topic in enumerate(chosen_base(together, k, seed)):
        known = together.observed[owners[topic]]
        row = np.where(known, topics[topic] * overall[known].sum(), overall)
        start[number] = (1.0 - BLEND) * row / row.sum() + BLEND * overall
    return start


def overall_words(together: Aligned) -> Array:
    """Each word's probability over all parties, each word among the parties that publish it."""
    topics, sizes = base_topics(together)
    owners = parties_of(together)
    told = sizes @ topics
    heard = np.zeros(len(told))
    for party, known in enumerate(together.observed):
        heard += known * sizes[owners == party].sum()
    rates = told / heard
    return np.asarray(rates / rates.sum())
