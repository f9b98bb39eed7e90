"""Documents from the transcript of PLSA: every iteration of EM is a system of linear equations.

A word that one document alone has gives away that document's weights: its expected counts are
x·w∘T/(wT), so that divided by the topics T they are proportional to the weights w, in every round;
and their sum is x itself, the word's count over the document's length, which gives the length n.

Weights of successive rounds then give the document. The M-step w'ₜ = wₜ Σⱼ xⱼTₜⱼ/(wT)ⱼ is linear in
x where w, w' and T are known: as many equations in each round as there are topics, and rounds
enough for a document of a hundred words. Which words it may have at all follows too: no word's
expected counts are less than what this document adds to them. The solution is non-negative, adds up
to n in whole counts, and agrees with all equations: that is the certificate.

A document that is known can be taken off all totals, its own EM being known; words that it had in
common with one other document are then words of one document, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chatham.audit.observing import Round
from chatham.audit.rebuilding.finding import Certificate, Finding, whole_document
from chatham.audit.rebuilding.known import Known, words_of_one
from chatham.audit.rebuilding.whole_counts import Solved, solve_whole

Array = NDArray[np.float64]

STEP = "expectations"
LONGEST = 2000
"""Words of a document."""
MOST_OF_A_WORD = 5
"""How often a word may occur that leads to its document."""
LEAST_WEIGHT = 1e-9
"""A weight that is less is unknown, and taken to be this."""
WHOLE = 1e-5
"""By what share of itself a length may differ from a whole number."""
KNOWN_TO = 100.0
"""A weight is known if it is so many times its error."""


@dataclass
class Transcript:
    """Rounds of PLSA: topics × words that all know, and expected counts of the others."""

    topics: list[Array]
    expected: list[Array]
    off: float
    """By how much an expected count may be off by rounding."""

    @classmethod
    def of(cls, rounds: Sequence[Round], others: int) -> Transcript | None:
        """The transcript of a fit of PLSA with exact totals; None if there is none."""
        told = [one for one in rounds if one.step == STEP]
        if not told or any(one.noise[0] for one in told):
            return None
        return cls(
            [np.asarray(one.shared[0]) for one in told],
            [np.array(np.asarray(one.others[0]).T, order="C") for one in told],
            others * max(one.units[0] for one in told) / 2.0,
        )

    def without(self, words: Any, shares: Array) -> None:
        """Take a document off all totals: replay its EM from equal weights."""
        weights = np.full(len(self.topics[0]), 1.0 / len(self.topics[0]))
        for topics, expected in zip(self.topics, self.expected, strict=True):
            own = topics[:, words]
            weights = weights * (own @ (shares / (weights @ own)))
            expected[:, words] -= own * weights[:, None] * (shares / (weights @ own))


class Followed(NamedTuple):
    """A document's weights as one of its words tells them, round by round, and their errors."""

    share: float
    """The word's count over the document's length."""
    weights: list[Array]
    errors: list[Array]


def followed(transcript: Transcript, word: int) -> Followed | None:
    """The weights of the one document that has this word; None if no total has it."""
    share = float(np.mean([expected[:, word].sum() for expected in transcript.expected]))
    if not share > 1.0 / LONGEST:
        return None
    weights, errors = [], []
    for topics, expected in zip(transcript.topics, transcript.expected, strict=True):
        profile = np.maximum(expected[:, word], 0.0) / topics[:, word]
        total = profile.sum()
        weights.append(np.maximum(profile / total, LEAST_WEIGHT))
        errors.append(transcript.off / topics[:, word] / total)
    return Followed(share, weights, errors)


def may_be_in(transcript: Transcript, document: Followed, least: float) -> NDArray[np.int64]:
    """The words of which this document may have this share: totals have room for it."""
    most = np.full(transcript.topics[0].shape[1], np.inf)
    each = zip(transcript.topics, transcript.expected, document.weights, document.errors,
               strict=True)  # fmt: skip
    for topics, expected, weights, errors in each:
        sure = weights > KNOWN_TO * errors
        if sure.any():
            room = (expected[sure] + 2 * transcript.off) / topics[sure] / weights[sure, None]
            most = np.minimum(most, room.min(axis=0) * (weights @ topics))
    return np.flatnonzero(most >= 0.9 * least)


def equations_of(
    transcript: Transcript, document: Followed, words: NDArray[np.int64]
) -> tuple[Array, Array, Array]:
    """The M-steps of a document's weights: a matrix, what it times the document is, and errors."""
    k = len(transcript.topics[0])
    before, error = np.full(k, 1.0 / k), np.zeros(k)
    matrix, right, off = [], [], []
    for topics, weights, errors in zip(
        transcript.topics, document.weights, document.errors, strict=True
    ):
        own = topics[:, words]
        matrix.append(own * before[:, None] / (before @ own))
        right.append(weights)
        # The errors of these weights, of their sum, and of the weights before.
        carried = error / before + (weights / before * error).sum()
        off.append(errors + weights * (errors.sum() + carried) + LEAST_WEIGHT * 1e-4)
        before, error = weights, errors
    return np.vstack(matrix), np.concatenate(right), np.concatenate(off)


def document_of(transcript: Transcript, word: int) -> tuple[NDArray[np.int64], Solved] | None:
    """The one document that has this word: its words and counts, if these are sure."""
    document = followed(transcript, word)
    if document is None:
        return None
    for count in range(1, MOST_OF_A_WORD + 1):
        length = count / document.share
        n = round(length)
        if abs(length - n) > WHOLE * length:
            continue
        words = may_be_in(transcript, document, 1.0 / n)
        matrix, right, off = equations_of(transcript, document, words)
        solved = solve_whole(matrix / n, right, off, total=n)
        if solved is not None:
            held = np.flatnonzero(solved.counts)
            return words[held], Solved(solved.counts[held], solved.log10_chance)
    return None


def by_expected_counts(rounds: Sequence[Round], known: Known, most: int) -> Iterator[Finding]:
    """Documents that have a word to themselves, and those that have once these are taken off."""
    transcript = Transcript.of(rounds, known.others)
    if transcript is None or known.frequencies is None:
        return
    for word, left in words_of_one(known.frequencies, most):
        found = document_of(transcript, word)
        if found is None:
            continue
        words, solved = found
        n = int(solved.counts.sum())
        transcript.without(words, solved.counts / n)
        left[words] -= 1
        seen = (
            f"{len(transcript.topics) * len(transcript.topics[0])} equations of EM have whole "
            f"counts of {len(words)} words that add up to {n}"
        )
        yield whole_document(words, solved.counts, STEP, Certificate(seen, solved.log10_chance), n)
