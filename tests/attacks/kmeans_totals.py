"""Documents out of the totals of k-means, compared with the truth.

The attacks are `audit/rebuilding`: differences of rounds, and words that share a value in a single
total. What an attacker is sure of is *certified*; the truth here says how much of it is true. What
it would get right by its best guess, sure or not, is measured separately.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from chatham.audit.rebuilding.differences import lone_documents
from chatham.audit.rebuilding.exposing import Lookup
from chatham.audit.rebuilding.shared_values import groups_of
from chatham.audit.rebuilding.word_totals import averaged


@dataclass(frozen=True)
class Found:
    """What an attack is sure of, and how much of it is true."""

    true: int
    false: int

    def __add__(self, other: Found) -> Found:
        return Found(self.true + other.true, self.false + other.false)


class Truth(Lookup):
    """The others' documents, to see whether an attack is right."""

    def has_document(self, words: Any, proportions: Any) -> bool:
        """Whether one of the documents has these words in these proportions, and no others."""
        return bool(self.having(words, proportions))


def documents_by_difference(
    rounds: Sequence[tuple[Any, float]], idf: Any, truth: Truth, **ways: int
) -> Found:
    """How many documents of the others an attacker is sure of, and whether they are there."""
    found = lone_documents(rounds, idf, **ways)
    right = [truth.has_document(lone.words, lone.counts) for lone in found]
    return Found(sum(right), len(right) - sum(right))


def groups_in(totals: Any, idf: Any, noise: float, truth: Truth) -> tuple[Found, dict[int, set]]:
    """The groups in a round's totals that an attacker is sure of, and of whom they are part."""
    found, parts = Found(0, 0), {}
    for total in totals:
        for group, _ in groups_of(total, idf, noise):
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
