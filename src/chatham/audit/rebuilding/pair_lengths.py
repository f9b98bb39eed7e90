"""Documents from one exact total of co-occurrences: pairs of words give away a length.

Two words that occur together in one document only have c·c'/n(n−1) there; most words occur once in
a document, so 1/n(n−1), which gives away the length n. Words of which all pairs have the same n
belong together, and so does every word that each of them meets at a multiple of 1/n(n−1): if the
multiples add up to n, that is the document, count for count. Where documents count by their length
it is 1/(n−1) in place of 1/n(n−1), and gives n away as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from chatham.audit.observing import Round
from chatham.audit.rebuilding.finding import (
    LEAST,
    SURE,
    Certificate,
    Finding,
    group_of,
    whole_document,
)
from chatham.audit.rebuilding.known import Known
from chatham.learners.cooccurrence import unpacked

LONGEST = 2000
"""Words of a document: a cell that would say more is a rounding error."""
AGREES = 1e-6
"""By how much a multiple of 1/n(n−1) may differ from a whole number."""
LIKELY = 0.5
"""How probable it may be that a whole document is wrong; its certificate says how probable it is.
Here alone an attack tells what it isn't sure of: groups of the same words are."""
AT_LEAST = 0.36
"""What is said at least: the model of chance alone would be far too sure. Of eleven documents that
it let through, over three curious parties, one was wrong, for which it said one case in a million;
this is the upper end of what one of eleven may mean (95 %)."""
EXACT = 1e-6
"""By what share of itself a length may differ from a whole number."""


@dataclass(frozen=True)
class Tied:
    """Words that are said to be in one document of this many words, each once."""

    words: frozenset[int]
    length: int


def pairs_of(n: int, by_length: bool = False) -> int:
    """What a pair of words that occur once in a document of n words has there, is one over this."""
    return n - 1 if by_length else n * (n - 1)


def lengths_of(cells: Any, tolerance: float = EXACT, by_length: bool = False) -> NDArray[np.int64]:
    """n where a cell is 1/n(n−1), or by length 1/(n−1); and 0 where it is no such number.

    >>> lengths_of(np.array([0.5, 1 / 6, 0.3, 0.0])).tolist()
    [2, 3, 0, 0]
    >>> lengths_of(np.array([0.5, 1 / 6, 0.3, 0.0]), by_length=True).tolist()
    [3, 7, 0, 0]
    """
    positive = np.maximum(cells, 1e-300)
    lengths = 1.0 + 1.0 / positive if by_length else (1.0 + np.sqrt(1.0 + 4.0 / positive)) / 2.0
    nearest = np.rint(lengths)
    good = (np.abs(lengths - nearest) <= tolerance * nearest) & (nearest >= 2)
    return np.where(good & (nearest <= LONGEST), nearest, 0).astype(np.int64)


def tied_words(matrix: Any, tolerance: float = EXACT, by_length: bool = False) -> set[Tied]:
    """Groups of four words or more whose pairs all have the same length; matrix is symmetric."""
    lengths = np.triu(lengths_of(matrix, tolerance, by_length), 1)
    rows, columns = np.nonzero(lengths)
    found: set[Tied] = set()
    of_length: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for row, column, n in zip(rows, columns, lengths[rows, columns], strict=True):
        of_length[int(n)].append((int(row), int(column)))
    for n, edges in of_length.items():
        found |= {Tied(words, n) for words in _cliques(edges)}
    return found


def _cliques(edges: Sequence[tuple[int, int]]) -> Iterator[frozenset[int]]:
    """For every edge its ends and the words that both are tied to, if these are all tied too."""
    near: dict[int, set[int]] = defaultdict(set)
    for one, other in edges:
        near[one].add(other)
        near[other].add(one)
    seen = set()
    for one, other in edges:
        shared = near[one] & near[other]
        words = frozenset(shared | {one, other})
        if len(words) < LEAST or words in seen:
            continue
        seen.add(words)
        if all(len(near[word] & shared) == len(shared) - 1 for word in shared):
            yield words


def rebuilt(
    matrix: Any, groups: Iterable[Tied], tolerance: float = 1e-3, by_length: bool = False
) -> list[Any]:
    """Whole documents, each a row of counts: those whose counts add up to their length."""
    found: list[Any] = []
    inside: dict[int, list[frozenset[int]]] = defaultdict(list)
    for group in sorted(groups, key=lambda group: (-len(group.words), sorted(group.words))):
        if any(group.words <= words for words in inside[group.length]):
            continue
        n, words = group.length, sorted(group.words)
        multiples = matrix[words].min(axis=0) * pairs_of(n, by_length)
        counts = np.rint(multiples).astype(int)
        counts[np.abs(multiples - counts) > tolerance] = 0
        counts[words] = 1
        if counts.sum() == n and _fits(matrix, counts, pairs_of(n, by_length), tolerance):
            found.append(counts)
            inside[n].append(frozenset(np.flatnonzero(counts).tolist()))
    return found


def _fits(matrix: Any, counts: Any, of_pairs: int, tolerance: float) -> bool:
    """Whether every pair of these words co-occurs often enough for a document with these counts."""
    words = np.flatnonzero(counts)
    pairs = np.multiply.outer(counts[words], counts[words]).astype(float)
    np.fill_diagonal(pairs, 0.0)
    return bool((matrix[np.ix_(words, words)] * of_pairs >= pairs - tolerance).all())


def by_pair_lengths(rounds: Sequence[Round], known: Known) -> Iterator[Finding]:
    """Groups and documents from totals that have a number for every pair of words."""
    for step, matrix, by_length in _pair_totals(rounds, known.n_words):
        tied = tied_words(matrix, by_length=by_length)
        chances = _chances_of_length(matrix, by_length)
        for group in sorted(tied, key=lambda each: (each.length, sorted(each.words))):
            chance = _log10_by_chance(len(group.words), chances[group.length], known.n_words)
            seen = f"all pairs of {len(group.words)} words say that a document has {group.length}"
            if chance < np.log10(SURE):
                certificate = Certificate(seen, chance)
                yield group_of(group.words, step, certificate, group.length)
        for counts in rebuilt(matrix, tied, by_length=by_length):
            words, n = np.flatnonzero(counts), int(counts.sum())
            lightly = agreeing_with_one(matrix, counts, by_length)
            # Counts add up, so if one is wrong another is: both of words that one other vouches
            # for, as a document of the same length may do too.
            chance = lightly * (lightly - 1) / 2 * (len(words) * chances[n]) ** 2
            if chance < LIKELY:
                seen = (
                    f"counts of {len(words)} words add up to the length {n} that their pairs say; "
                    f"{lightly} of them agree with one other alone"
                )
                certificate = Certificate(seen, float(np.log10(max(chance, AT_LEAST))))
                yield whole_document(words, counts[words], step, certificate, n)


def agreeing_with_one(matrix: Any, counts: Any, by_length: bool = False) -> int:
    """How many words of a document agree with one other alone, or none: they co-occur with it as
    often as these counts say, and in no other document."""
    words, n = np.flatnonzero(counts), int(counts.sum())
    pairs = np.multiply.outer(counts[words], counts[words]).astype(float)
    scaled = matrix[np.ix_(words, words)] * pairs_of(n, by_length)
    agree = np.abs(scaled - pairs) <= AGREES
    np.fill_diagonal(agree, False)
    return int((agree.sum(axis=1) < 2).sum())


def _pair_totals(rounds: Sequence[Round], d: int) -> Iterator[tuple[str, Any, bool]]:
    """Exact totals with a number for every pair of words, as matrices; whether by length."""
    for one in rounds:
        by_length = any(getattr(each, "by_length", False) for each in one.shared)
        for array, noise in zip(one.others, one.noise, strict=True):
            packed = np.asarray(array)
            if packed.shape == (d * (d + 1) // 2,) and d > 1 and not noise:
                yield one.step, unpacked(packed, d), by_length


def _chances_of_length(matrix: Any, by_length: bool) -> Any:
    """How often a pair that co-occurs says each length: among all such pairs."""
    upper = np.triu(matrix, 1)
    lengths = lengths_of(upper, by_length=by_length)
    often = np.bincount(lengths[lengths > 0], minlength=LONGEST + 1)
    return (often + 1.0) / max(float((upper > 0).sum()), 1.0)


def _log10_by_chance(words: int, chance: float, d: int) -> float:
    """That so many words' pairs all say one length though they are of no one document: of all
    groups of so many words. Pairs are taken to say it as often as all pairs do."""
    ways = float(gammaln(d + 1) - gammaln(words + 1) - gammaln(d - words + 1)) / np.log(10)
    pairs = words * (words - 1) / 2
    return float(ways + pairs * np.log10(min(chance, 1.0)))
