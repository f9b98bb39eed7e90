"""Words of one document out of a published summary.

A topic's part of a word is often one document's, though five have the word. Then words of that
document share a value in the topic (for NMF, w·x over the word's idf), or the ratio of two topics'
values (for PLSA expected counts over topics, which are w/(wT)). Nobody else's documents are needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.stats import poisson

from chatham.audit.rebuilding.finding import LEAST, SURE
from chatham.audit.rebuilding.same_weights import directions
from tests.attacks.kmeans_totals import Truth

TOLERANCES = (1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2)
"""By how much values may differ, beside themselves: an attacker tries all."""
NOTHING = 1e-9
"""Values below this are rounding errors."""
AROUND = 20
"""Values on each side that say how dense values are."""


class Claims(NamedTuple):
    """Groups of four words or more that an attacker is sure of: true, false, documents of these."""

    true: int
    false: int
    documents: int


@contextmanager
def told_exactly() -> Iterator[None]:
    """Publish exact sums, as it was before they were attacked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chatham.ensembles.publish.to_bits", lambda array, up=False: array)
        patch.setattr("chatham.ensembles.coarse.STEP", 1e-13)
        patch.setattr("chatham.ensembles.publish.whole_tokens", lambda expected: expected)
        yield


def sums_by_word(summary: Any, exact_topics: Any = None) -> Any:
    """What a summary tells of each topic and word, over what is known of the word: topics × words.

    For NMF, WᵀX = GT⁰ − g. Whole counts are taken as they are: PLSA's topics are their shares;
    `exact_topics` are the model's own, which were published before.
    """
    told, topics = summary.statistics, summary.topics
    if summary.kind == "nmf":
        products = told["gram"] @ topics - told["gradient"]
        return products / told.get("idf", np.ones(topics.shape[1]))
    counts = told["expected" if summary.kind == "plsa" else "counts"]
    if (counts == np.rint(counts)).all():
        return counts
    topics = topics if exact_topics is None else exact_topics
    return np.divide(counts, topics, out=np.zeros(topics.shape), where=topics > 0)


def groups_of(profiles: Any, tolerance: float) -> list[tuple[int, ...]]:
    """Words that agree in one topic, or in the ratio of two, apart from all others."""
    positive = profiles > NOTHING
    logs = np.log(profiles, out=np.full(profiles.shape, np.nan), where=positive)
    values = [*logs, *(first - second for first, second in combinations(logs, 2))]
    return [each for row in values for each in _agreeing(row, tolerance, SURE / len(values))]


def _agreeing(values: Any, tolerance: float, sure: float) -> Iterator[tuple[int, ...]]:
    words = np.flatnonzero(np.isfinite(values))
    words = words[np.argsort(values[words], kind="stable")]
    values = values[words]
    edges = np.flatnonzero(np.diff(values, prepend=-np.inf, append=np.inf) > tolerance)
    for first, last in pairwise(edges):
        size = last - first
        if size < LEAST or values[last - 1] - values[first] > 4 * tolerance:
            continue
        low, high = max(first - AROUND, 0), min(last + AROUND, len(values))
        span = max(values[high - 1] - values[low], 1e-12)
        usual = (high - low - size) * 4 * tolerance / span
        if poisson.sf(size - 2, usual) * len(values) < sure:
            yield tuple(sorted(words[first:last].tolist()))


def claims(profiles: Any, truth: Truth, tolerance: float) -> Claims:
    """How many groups are claimed, and how many are of one document."""
    found = set(groups_of(profiles, tolerance))
    held = [truth.holders_of(list(group)) for group in found]
    documents = {int(each[0]) for each in held if len(each) == 1}
    true = sum(bool(len(each)) for each in held)
    return Claims(true, len(found) - true, len(documents))


def most_claimed(profiles: Any, truth: Truth) -> Claims:
    """At the tolerance that serves an attacker best: most true ones among few that are false."""
    each = [claims(profiles, truth, tolerance) for tolerance in TOLERANCES]
    return max(each, key=lambda one: (one.true > 9 * one.false, one.true - one.false))


def by_chance(profiles: Any, truth: Truth, tolerance: float, seed: int = 0) -> Claims:
    """The same if words are swapped with others that as many documents have."""
    frequencies = np.diff(truth.by_word.indptr)
    rng = np.random.default_rng(seed)
    order = np.lexsort((np.arange(len(frequencies)), frequencies))
    swapped = np.lexsort((rng.random(len(frequencies)), frequencies))
    other = np.empty(len(order), dtype=int)
    other[order] = swapped
    found = set(groups_of(profiles, tolerance))
    held = [truth.holders_of(other[list(group)].tolist()) for group in found]
    true = sum(bool(len(each)) for each in held)
    return Claims(true, len(found) - true, 0)


def guessed_pairs(profiles: Any, truth: Truth, most: int, count: int = 100) -> tuple[float, float]:
    """Of so many pairs of words that at most `most` documents have, those whose topics are most
    alike: the share that one document has; and the share of all pairs."""
    words = np.flatnonzero(np.diff(truth.by_word.indptr) <= most)
    units = directions(profiles[:, words])
    has = (truth.counts[:, words] > 0).astype(float)
    pairs = np.triu_indices(len(words), 1)
    together = (has.T @ has).toarray()[pairs] > 0
    likeliest = np.argsort(-(units.T @ units)[pairs], kind="stable")[:count]
    return float(together[likeliest].mean()), float(together.mean())


def guessed_from_known(
    profiles: Any, truth: Truth, most: int = 8, known: int = 3, guesses: int = 3, seed: int = 0
) -> tuple[float, float]:
    """Some of a document's rare words are known, and its others are guessed: the share of guesses
    that is right, and what would be right by chance.

    What a document adds to each of its words goes to its own topics. So of every topic the document
    can have no more than the least of the known words' parts, and the likeliest other words are
    those that have as much.
    """
    rng = np.random.default_rng(seed)
    has = truth.counts.toarray() > 0
    rare = np.flatnonzero(has.sum(axis=0) <= most)
    has, sums = has[:, rare], np.maximum(profiles[:, rare], 0.0)
    units = directions(sums)
    right, chance = [], []
    for row in has[has.sum(axis=1) > known]:
        words = rng.permutation(np.flatnonzero(row))[:known]
        shared = sums[:, words].min(axis=1, keepdims=True)
        score = np.minimum(sums, shared).sum(axis=0)
        score += 1e-3 * (units.T @ units[:, words]).mean(axis=1)  # among equals the most alike
        score[words] = -1.0
        right.append(row[np.argsort(-score, kind="stable")[:guesses]].mean())
        chance.append((row.sum() - known) / (len(rare) - known))
    return float(np.mean(right)), float(np.mean(chance))
