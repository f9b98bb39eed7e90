"""Documents from one exact total of co-occurrences, minus what the curious party added itself.

Two words that occur together in one document only have c·c'/n(n−1) there; most words occur once in
a document, so 1/n(n−1), which gives away the length n. Words of which all pairs have the same n
belong together, and so does every word that each of them meets at a multiple of 1/n(n−1): if the
multiples add up to n, that is the document, count for count.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

SMALLEST_GROUP = 4
LONGEST = 2000
"""Words of a document: a cell that would say more is a rounding error."""


@dataclass(frozen=True)
class Group:
    """Words that are said to be in one document of this many words, each once."""

    words: frozenset[int]
    length: int


def lengths_of(cells, tolerance=1e-6):
    """n where a cell is 1/n(n−1), and 0 where it is no such number."""
    positive = np.maximum(cells, 1e-300)
    lengths = (1.0 + np.sqrt(1.0 + 4.0 / positive)) / 2.0
    nearest = np.rint(lengths)
    good = (np.abs(lengths - nearest) <= tolerance * nearest) & (nearest >= 2)
    return np.where(good & (nearest <= LONGEST), nearest, 0).astype(np.int64)


def groups_in(matrix, tolerance=1e-6):
    """Groups of four words or more whose pairs all have the same length; matrix is symmetric."""
    lengths = np.triu(lengths_of(matrix, tolerance), 1)
    rows, columns = np.nonzero(lengths)
    found = set()
    by_length = defaultdict(list)
    for row, column, n in zip(rows, columns, lengths[rows, columns], strict=True):
        by_length[int(n)].append((int(row), int(column)))
    for n, edges in by_length.items():
        found |= {Group(words, n) for words in _cliques(edges)}
    return found


def _cliques(edges):
    """For every edge its ends and the words that both are tied to, if these are all tied too."""
    near = defaultdict(set)
    for one, other in edges:
        near[one].add(other)
        near[other].add(one)
    seen = set()
    for one, other in edges:
        shared = near[one] & near[other]
        words = frozenset(shared | {one, other})
        if len(words) < SMALLEST_GROUP or words in seen:
            continue
        seen.add(words)
        if all(len(near[word] & shared) == len(shared) - 1 for word in shared):
            yield words


class Truth:
    """The documents that an attack is after."""

    def __init__(self, documents):
        dense = [np.asarray(part.toarray()) for part in documents]
        self.rows = np.vstack(dense).astype(int)
        self.words = [frozenset(np.flatnonzero(row).tolist()) for row in self.rows]
        self.by_length = defaultdict(list)
        for number, length in enumerate(self.rows.sum(axis=1)):
            self.by_length[int(length)].append(number)

    def holding(self, group):
        """The number of a document of this length with all these words; None if there is none."""
        for number in self.by_length[group.length]:
            if group.words <= self.words[number]:
                return number
        return None


def rebuilt(matrix, groups, tolerance=1e-3):
    """Whole documents, each a row of counts: those whose counts add up to their length."""
    found, inside = [], defaultdict(list)
    for group in sorted(groups, key=lambda group: -len(group.words)):
        if any(group.words <= words for words in inside[group.length]):
            continue
        n, words = group.length, sorted(group.words)
        multiples = matrix[words].min(axis=0) * n * (n - 1)
        counts = np.rint(multiples).astype(int)
        counts[np.abs(multiples - counts) > tolerance] = 0
        counts[words] = 1
        if counts.sum() == n and _fits(matrix, counts, n, tolerance):
            found.append(counts)
            inside[n].append(frozenset(np.flatnonzero(counts).tolist()))
    return found


def _fits(matrix, counts, n, tolerance):
    """Whether every pair of these words co-occurs often enough for a document with these counts."""
    words = np.flatnonzero(counts)
    pairs = np.multiply.outer(counts[words], counts[words]).astype(float)
    np.fill_diagonal(pairs, 0.0)
    return bool((matrix[np.ix_(words, words)] * n * (n - 1) >= pairs - tolerance).all())


def figures(matrix, documents, tolerance=1e-6):
    """What the attack claims of these documents, and how much of that is true."""
    truth, groups = Truth(documents), groups_in(matrix, tolerance)
    holders = {group: truth.holding(group) for group in groups}
    whole = rebuilt(matrix, groups)
    tied = {
        number
        for group, number in holders.items()
        if number is not None and len(group.words) > SMALLEST_GROUP
    }
    rows = {row.tobytes() for row in truth.rows}
    return {
        "groups": len(groups),
        "true": sum(number is not None for number in holders.values()),
        "documents tied": len(tied),
        "rebuilt": len(whole),
        "rebuilt rightly": sum(row.astype(truth.rows.dtype).tobytes() in rows for row in whole),
    }
