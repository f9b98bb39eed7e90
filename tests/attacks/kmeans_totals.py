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
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import poisson

from chatham.audit.observing import Round

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
    """Groups of words in one total whose value/idf agree, apart from all others, and not by chance.

    Values are as precise as the noise over the word's idf; the median word's stands for all.
    """
    slack = max(EXACT, WIDTH * noise)
    words = np.flatnonzero(total > slack)
    if len(words) < LEAST:
        return
    shares = total[words] / idf[words]
    order = np.argsort(shares)
    words, shares = words[order], shares[order]
    width = 2 * slack / np.median(idf[words])
    edges = np.flatnonzero(np.diff(shares, prepend=-np.inf, append=np.inf) > width)
    for first, last in pairwise(edges):
        size, spread = last - first, shares[last - 1] - shares[first]
        if size >= LEAST and spread <= width:
            usual = _around(shares, shares[first], width)
            if poisson.sf(size - 2, usual) * len(words) < SURE:
                yield words[first:last]


def _around(shares: Any, value: float, width: float) -> float:
    """How many values there are to a width in a neighbourhood of twenty."""
    ends = np.clip([value - 10 * width, value + 10 * width], shares[0], shares[-1])
    near = np.searchsorted(shares, ends, side="right")
    return float((near[1] - near[0]) * width / max(ends[1] - ends[0], width))


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


@dataclass(frozen=True)
class Guess:
    """Of documents that changed topic alone: how many, and what share of their words is guessed."""

    documents: int
    right: float
    """The share of right words among as many as the document has."""
    usual: float
    """The same for somebody who heard nothing, and guesses the most frequent words."""
    cosine: float
    """The largest cosine between a difference and the document that it is of."""


def best_guess(
    rounds: Sequence[tuple[Any, float]], labels: Any, units: sp.csr_array, apart: int = 1
) -> Guess:
    """What rounds tell of documents that changed topic alone, to one who is told when and where.

    `labels` has each round's topic of each of the others' documents, which no attacker has, and
    `units` these documents as they were added up. `apart` rounds before a change and after it are
    averaged, as long as the document was the only one to move. A word is guessed by its posterior
    odds: the prior is its frequency, the evidence the difference beside the noise.
    """
    frequency = np.bincount(units.indices, minlength=units.shape[1]) / units.shape[0]
    usual = np.asarray(units.sum(axis=0)).ravel() / np.maximum(frequency * units.shape[0], 1)
    prior = np.log(np.maximum(frequency, 1e-9) / (1 - np.minimum(frequency, 1 - 1e-9)))
    right, blind, cosines = [], [], []
    for document, change, noise in _lone_moves(rounds, labels, apart):
        row = units[[document]].toarray().ravel()
        words = np.flatnonzero(row)
        odds = prior + (change * usual - usual**2 / 2) / max(noise, 1e-4) ** 2
        right.append(_hits(odds, words))
        blind.append(_hits(prior, words))
        sizes = float(np.linalg.norm(change) * np.linalg.norm(row))
        cosines.append(float(change @ row) / max(sizes, 1e-300))
    if not right:
        return Guess(0, 0.0, 0.0, 0.0)
    return Guess(len(right), float(np.mean(right)), float(np.mean(blind)), max(cosines))


def _hits(odds: Any, words: Any) -> float:
    return len(np.intersect1d(words, np.argsort(-odds)[: len(words)])) / len(words)


def _lone_moves(
    rounds: Sequence[tuple[Any, float]], labels: Any, apart: int
) -> Iterator[tuple[int, Any, float]]:
    """Documents, the change of a topic that each alone made, and the noise in it."""
    for after in range(1, len(rounds)):
        moved = np.flatnonzero(labels[after] != labels[after - 1])
        for topic in range(len(rounds[0][0])):
            own = moved[(labels[after][moved] == topic) | (labels[after - 1][moved] == topic)]
            if len(own) == 1:
                sign = 1.0 if labels[after][own[0]] == topic else -1.0
                late = _settled(rounds, labels, topic, after, apart)
                early = _settled(rounds, labels, topic, after - 1, -apart)
                change = sign * (late[0] - early[0])
                yield int(own[0]), change, float(np.hypot(late[1], early[1]))


def _settled(
    rounds: Sequence[tuple[Any, float]], labels: Any, topic: int, first: int, steps: int
) -> tuple[Any, float]:
    """The average of a topic's totals from a round on, as long as its documents are the same."""
    same = []
    for number in range(first, first + steps, 1 if steps > 0 else -1):
        inside = 0 <= number < len(rounds)
        if not inside or ((labels[number] == topic) != (labels[first] == topic)).any():
            break
        same.append((rounds[number][0][topic], rounds[number][1]))
    return averaged(same)


def located_words(totals: Any, noise: float, lone: Any, topic_of: Any) -> tuple[int, float, float]:
    """Words that one document of the others has, by its topic: how many, share right, by chance.

    That a word is in one document alone follows from document frequencies, which are told exactly.
    `lone` has these words, and `topic_of` the topic of the document of each.
    """
    guess = totals[:, lone].argmax(axis=0)
    largest = totals.sum(axis=1).argmax()
    return len(lone), float((guess == topic_of).mean()), float((topic_of == largest).mean())


# What a fit of k-means tells


def totals_of(heard: Sequence[Round], steps: Sequence[str]) -> list[tuple[Any, float]]:
    """The totals of documents by topic, with their noise, of rounds of these steps."""
    return [(one.others[0], one.noise[0]) for one in heard if one.step in steps]


def averaged(rounds: Sequence[tuple[Any, float]]) -> tuple[Any, float]:
    """The average over rounds: the documents that stayed in their topic, with less noise."""
    totals = np.mean([total for total, _ in rounds], axis=0)
    return totals, float(np.sqrt(sum(noise**2 for _, noise in rounds)) / len(rounds))
