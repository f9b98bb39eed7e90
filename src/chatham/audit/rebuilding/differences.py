"""Documents that left or entered a topic alone: differences of totals.

Two rounds' totals of a topic differ by the documents that changed it. If that was one, the
difference is the document. It gives itself away: all cells have one sign, and divided by idf they
are whole multiples of one number (a word's count over the document's length). With noise, numbers
are whole if they are so within the noise, and a document counts only if chance can't explain it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chatham.audit.observing import Round
from chatham.audit.rebuilding.finding import LEAST, Certificate, Finding, whole_document
from chatham.audit.rebuilding.known import Effort, Known
from chatham.audit.rebuilding.word_totals import are_products, are_whole, totals_by_step

EXACT = 1e-7
"""By how much exact sums may differ from what was summed: rounding, at thirty bits and more."""
WIDTH = 4.0
"""Within how many standard deviations of the noise numbers agree."""
WHOLE = -6.0
"""The decimal logarithm of how probable whole numbers may be by chance, in one difference."""
LONGEST = 1000
"""Different words of a document: a difference with more is that of several."""


class Multiples(NamedTuple):
    """Words whose numbers are whole multiples of one number, and how probable that is."""

    words: NDArray[np.int64]
    counts: NDArray[np.float64]
    log10_chance: float


def lone_documents(
    rounds: Sequence[Any], scale: Any, apart: int = 1, topics: int = 1
) -> Iterator[Multiples]:
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
                lone = whole_multiples(change[list(some)].sum(axis=0), scale, spread)
                if lone is not None and (key := proportions_key(*lone[:2])) not in seen:
                    seen.add(key)
                    yield lone


def whole_multiples(numbers: Any, scale: Any, noise: float) -> Multiples | None:
    """The document that these numbers are, if they are surely one: all of one sign, and over the
    scale whole multiples of the least."""
    slack = max(EXACT, WIDTH * noise)
    words = np.flatnonzero(np.abs(numbers) > slack)
    if not LEAST <= len(words) <= LONGEST:
        return None
    shares = numbers[words] / scale[words]
    if (shares < 0).any() and (shares > 0).any():
        return None
    shares = np.abs(shares)
    multiples = shares / shares.min()
    off = slack / scale[words] / shares.min() * (1 + multiples)
    whole = np.abs(multiples - np.rint(multiples)) <= off
    # One time out of several a wide interval has a whole number in it, whatever the number is.
    by_chance = float(np.log10(np.minimum(2 * off, 1.0)).sum())
    if not whole.all() or by_chance >= WHOLE:
        return None
    return Multiples(words, np.rint(multiples), by_chance)


def proportions_key(words: Any, numbers: Any) -> tuple[bytes, bytes]:
    """A document up to its length."""
    multiples = np.rint(np.asarray(numbers) / np.min(numbers) * 60).astype(np.int64)
    return np.asarray(words, dtype=np.int64).tobytes(), multiples.tobytes()


def by_difference(rounds: Sequence[Round], known: Known, effort: Effort) -> Iterator[Finding]:
    """Documents that are differences of two rounds' totals by topic."""
    told = [one for one in rounds if not are_products(one, known.n_words)]
    for step, totals in totals_by_step(told, known.n_words).items():
        if len(totals) < 2 or are_whole(totals):
            continue
        topics = min(effort.topics, len(totals[0].total))
        tries = len(totals) * effort.apart * sum(
            comb(len(totals[0].total), chosen) for chosen in range(1, topics + 1)
        )  # fmt: skip
        for lone in lone_documents(totals, known.scale, effort.apart, topics):
            seen = (
                f"the difference of two rounds has {len(lone.words)} words, all of one sign and "
                "in whole proportions"
            )
            certificate = Certificate(seen, lone.log10_chance + float(np.log10(tries)))
            yield whole_document(lone.words, lone.counts, step, certificate)
