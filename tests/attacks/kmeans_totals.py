"""Documents out of the totals of k-means: by difference, and by single totals.

**By difference.** Two rounds' totals of a topic differ by the documents that changed it. If that
was one, the difference is the document. It gives itself away: all cells have one sign, and divided
by idf they are whole multiples of one number (a word's count over the document's length).

**By single totals.** Words that one document alone brings to a topic share value/idf. Words whose
values agree far better than chance would have it are a group, and a group is part of a document.

Both take noise into account: numbers agree if they do so within the noise, and a group counts only
if chance can't explain it. What an attacker is sure of is *certified*; the truth then says how much
of it is true. What it would get right by its best guess, sure or not, is measured separately.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import poisson

from tests.attacks.overhearing import Heard

EXACT = 1e-7
"""By how much exact sums may differ from what was summed: rounding, at thirty bits and more."""
WIDTH = 4.0
"""Within how many standard deviations of the noise numbers agree."""
SURE = 1e-3
"""How probable it may be that any of the groups is there by chance."""
LEAST = 4
"""Words that make a group."""


@dataclass(frozen=True)
class Found:
    """What an attack is sure of, and how much of it is true."""

    true: int
    false: int

    def __add__(self, other: Found) -> Found:
        return Found(self.true + other.true, self.false + other.false)


class Truth:
    """The others' documents, to see whether an attack is right."""

    def __init__(self, counts: sp.csr_array) -> None:
        self.counts = sp.csr_array(counts)
        self.by_word = sp.csc_array(counts)
        sizes = np.diff(self.counts.indptr)
        rows = (self._row(document) for document in np.flatnonzero(sizes))
        self._documents = {_key(words, numbers) for words, numbers in rows}

    def _row(self, document: int) -> tuple[Any, Any]:
        cells = slice(self.counts.indptr[document], self.counts.indptr[document + 1])
        order = np.argsort(self.counts.indices[cells])
        return self.counts.indices[cells][order], self.counts.data[cells][order]

    def has_document(self, words: Any, proportions: Any) -> bool:
        """Whether one of the documents has these words in these proportions, and no others."""
        return _key(words, proportions) in self._documents

    def holders_of(self, words: Sequence[int]) -> Any:
        """The documents that have all of these words."""
        ends = self.by_word.indptr
        each = [self.by_word.indices[ends[word] : ends[word + 1]] for word in words]
        held, times = np.unique(np.concatenate(each), return_counts=True)
        return held[times == len(words)]


def _key(words: Any, numbers: Any) -> tuple[bytes, bytes]:
    """A document up to its length."""
    multiples = np.rint(np.asarray(numbers) / np.min(numbers) * 60).astype(np.int64)
    return np.asarray(words, dtype=np.int64).tobytes(), multiples.tobytes()


# By difference


def lone_documents(
    rounds: Sequence[tuple[Any, float]], idf: Any, apart: int = 1, topics: int = 1
) -> Iterator[tuple[Any, Any]]:
    """Words and proportions of documents that left or entered a topic, or several, alone.

    `rounds` has each round's totals and their noise; `apart` how far two rounds may lie apart, and
    `topics` how many topics' totals are added up.
    """
    seen: set[tuple[bytes, bytes]] = set()
    for first, second in combinations(range(len(rounds)), 2):
        if second - first > apart:
            continue
        (before, noise), (after, other) = rounds[first], rounds[second]
        change = after - before
        for chosen in range(1, topics + 1):
            spread = np.sqrt(chosen) * np.hypot(noise, other)
            for some in combinations(range(len(change)), chosen):
                lone = _lone(change[list(some)].sum(axis=0), idf, spread)
                if lone is not None and (key := _key(*lone)) not in seen:
                    seen.add(key)
                    yield lone


def _lone(change: Any, idf: Any, noise: float) -> tuple[Any, Any] | None:
    """The document that a difference is, if it is surely one: words, and multiples of a number."""
    slack = max(EXACT, WIDTH * noise)
    words = np.flatnonzero(np.abs(change) > slack)
    if not LEAST <= len(words) <= 1000:
        return None
    shares = change[words] / idf[words]
    if (shares < 0).any() and (shares > 0).any():
        return None
    shares = np.abs(shares)
    multiples = shares / shares.min()
    off = slack / idf[words] / shares.min() * (1 + multiples)
    whole = np.abs(multiples - np.rint(multiples)) <= off
    # One time out of several a wide interval has a whole number in it, whatever the number is.
    by_chance = np.log10(np.minimum(2 * off, 1.0)).sum()
    return (words, np.rint(multiples)) if whole.all() and by_chance < -6 else None


def documents_by_difference(
    rounds: Sequence[tuple[Any, float]], idf: Any, truth: Truth, **ways: int
) -> Found:
    """How many documents of the others an attacker is sure of, and whether they are there."""
    right = [truth.has_document(*lone) for lone in lone_documents(rounds, idf, **ways)]
    return Found(sum(right), len(right) - sum(right))


# By single totals


def groups_of(total: Any, idf: Any, noise: float) -> Iterator[Any]:
    """Groups of words in one total whose value/idf agree, and by more than chance."""
    slack = max(EXACT, WIDTH * noise)
    words = np.flatnonzero(total > slack)
    if len(words) < LEAST:
        return
    shares = total[words] / idf[words]
    order = np.argsort(shares)
    words, shares = words[order], shares[order]
    width = 2 * slack / np.median(idf[words])
    ends = np.searchsorted(shares, shares + width, side="right")
    density = _density(shares, width)
    start = 0
    while start < len(words):
        size = ends[start] - start
        if size >= LEAST:
            chance = poisson.sf(size - 2, density[start] * width) * len(words)
            if chance < SURE:
                yield words[start : ends[start]]
                start = ends[start]
                continue
        start += 1


def _density(shares: Any, width: float) -> Any:
    """How many values there are to a unit around each, in a neighbourhood of a hundred of them."""
    near = min(50, len(shares) - 1)
    low = shares[np.maximum(np.arange(len(shares)) - near, 0)]
    high = shares[np.minimum(np.arange(len(shares)) + near, len(shares) - 1)]
    return 2 * near / np.maximum(high - low, width)


def groups_in(totals: Any, idf: Any, noise: float, truth: Truth) -> tuple[Found, dict[int, set]]:
    """The groups in a round's totals that an attacker is sure of, and of whom they are part."""
    found, parts = Found(0, 0), {}
    for total in totals:
        for group in groups_of(total, idf, noise):
            holders = truth.holders_of(group.tolist())
            found += Found(int(len(holders) > 0), int(len(holders) == 0))
            for document in holders:
                parts.setdefault(int(document), set()).update(group.tolist())
    return found, parts


def share_of_words(parts: Sequence[dict[int, set]], truth: Truth) -> float:
    """The median share of a document's words that are in groups, over all rounds together."""
    sizes = np.diff(truth.counts.indptr)
    words: dict[int, set] = {}
    for each in parts:
        for document, some in each.items():
            words.setdefault(document, set()).update(some)
    shares = np.array([len(words.get(i, ())) / size for i, size in enumerate(sizes) if size])
    return float(np.median(shares))


# The best guess, by somebody who is told where to look


def best_guess(changes: Any, truth: Truth, documents: Sequence[int]) -> tuple[float, float]:
    """Of documents that moved alone: the share of right words, and the largest cosine.

    As many words are guessed as the document has: those that changed most. `changes` has for each
    of the `documents` the difference that it makes, up to noise.
    """
    right, cosines = [], []
    for change, document in zip(changes, documents, strict=True):
        words, _ = truth._row(document)
        guess = np.argsort(-change)[: len(words)]
        right.append(len(np.intersect1d(words, guess)) / len(words))
        row = np.zeros(truth.counts.shape[1])
        row[words] = 1.0
        size = np.linalg.norm(change)
        cosines.append(float(change @ row / max(size, 1e-300) / np.sqrt(len(words))))
    return float(np.mean(right)), float(np.max(cosines))


# What a fit of k-means tells


def totals_of(heard: Sequence[Heard], steps: Sequence[str]) -> list[tuple[Any, float]]:
    """The totals of documents by topic, with their noise, of rounds of these steps."""
    return [(one.others[0], one.noise[0]) for one in heard if one.step in steps]


def averaged(rounds: Sequence[tuple[Any, float]]) -> tuple[Any, float]:
    """The average over rounds: the documents that stayed in their topic, with less noise."""
    totals = np.mean([total for total, _ in rounds], axis=0)
    return totals, float(np.sqrt(sum(noise**2 for _, noise in rounds)) / len(rounds))
