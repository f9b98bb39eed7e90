"""Word co-occurrence: the one sum from which anchor words, topics and correlations follow.

For a document of n words with counts h, the unbiased estimate of the joint probability of two of
its words is (hhᵀ − diag h) / n(n−1) (Lee 2018, eqs. 2.4 and 3.1): a word doesn't pair with itself.
C is the mean over documents, as in the source, or over their tokens: then a document counts in
proportion to its length, as (hhᵀ − diag h) / (n−1), all divided by Σn. What a document of few words
says of its pairs is mostly noise, which the first gives the same voice as a long document; the
second is unbiased too, for the correlations of topics in which each document counts by its length.

What crosses is the upper half of the d×d sum, packed row after row, with the words' document
frequencies; its size doesn't depend on the number of documents.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from chatham.commons import Commons, Memory
from chatham.commons.precision import PAIRS, PAIRS_BY_LENGTH
from chatham.errors import InputError
from chatham.learners.documents import Documents, counts_of
from chatham.numerics.threads import blocks, each
from chatham.wording import say

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

TILE = 1024
"""Size of the squares in which a large matrix is mirrored, so that two of them fit the cache."""

LARGEST_SIZE = 1e150
ROUNDING = 1e-9
"""A document whose counts sum to at most this much above one counts as a single word."""


@dataclass(frozen=True)
class Pairing:
    """Which documents pairs of words come from, and how much each of them counts."""

    by_length: bool = False
    """Whether in proportion to its length; or all alike."""
    min_length: float = 0
    """Documents of fewer words are left out, and always those of at most one: they have no pair."""

    def takes(self, sizes: Array) -> NDArray[np.bool_]:
        """Which documents of these sizes have pairs that count.

        >>> Pairing(min_length=5).takes(np.array([0.0, 1.0, 4.0, 5.0])).tolist()
        [False, False, False, True]
        """
        return np.asarray((sizes > 1 + ROUNDING) & (sizes >= self.min_length * (1 - ROUNDING)))

    def weights(self, documents: Documents) -> Array:
        """1/n(n−1) of each document, or 1/(n−1) by length; 0 of those that don't count."""
        takes = self.takes(documents.sizes)
        sizes = np.where(takes, documents.sizes, 2.0)
        pairs = sizes - 1.0 if self.by_length else sizes * (sizes - 1.0)
        return np.asarray(np.where(takes, 1.0 / pairs, 0.0))


ALIKE = Pairing()
"""All documents count alike, as in the source."""


@dataclass(frozen=True)
class PairedDocuments:
    """How many documents there are that pairs of words come from, and which words they contain."""

    document_frequencies: Array
    """The number of kept documents that contain each word."""
    kept: int
    dropped: int
    """Documents that are too short to have pairs that count."""


@dataclass(frozen=True)
class Cooccurrence(PairedDocuments):
    """The totals: joint probabilities of two words, and how many documents they come from."""

    matrix: NDArray[Any]
    """d×d, symmetric, not negative, sum one; of single or double precision."""


def pair_statistics(
    rows: Any, memory: Memory, pairing: Pairing = ALIKE
) -> tuple[Array, Whole, Whole]:
    """Word co-occurrence (upper half) and document frequencies; documents kept and dropped."""
    return statistics_of_pairs(counts_of(rows, memory), pairing)


def statistics_of_pairs(
    documents: Documents, pairing: Pairing = ALIKE
) -> tuple[Array, Whole, Whole]:
    """The same for documents that are already prepared."""
    check_pairs(documents.sizes)
    return _packed_pairs(documents, pairing), *documents_with_pairs(documents, pairing)


def documents_with_pairs(documents: Documents, pairing: Pairing = ALIKE) -> tuple[Whole, Whole]:
    """The words' document frequencies where there are pairs; documents with and without."""
    has_pairs = pairing.takes(documents.sizes)
    paired = documents.indices[has_pairs[documents.owners]]
    frequencies = np.bincount(paired, minlength=documents.d).astype(np.int64)
    return frequencies, np.array([has_pairs.sum(), (~has_pairs).sum()], dtype=np.int64)


def with_pairs(sizes: Array) -> NDArray[np.bool_]:
    """Which documents of these sizes have more than one word, and so a pair."""
    return ALIKE.takes(sizes)


def check_pairs(sizes: Array) -> None:
    """Refuse a document whose counts sum to so much that its number of pairs can't be computed."""
    if sizes.size and not sizes.max() <= LARGEST_SIZE:
        raise InputError(
            f"The counts of a document sum to {sizes.max():.3g}, and at most {LARGEST_SIZE:g} can "
            "be squared safely, as pairs of words are; divide such rows by a number of your choice."
        )


def cooccurrence(
    commons: Commons, *, single: bool = False, pairing: Pairing = ALIKE
) -> Cooccurrence:
    """The one sum over all documents, made a joint distribution.

    It crosses in double precision even where the matrix is single: contributions that are rounded
    separately would add up to something other than the whole.
    """
    budget = PAIRS_BY_LENGTH if pairing.by_length else PAIRS
    packed, frequencies, numbers = commons.sum(pair_statistics, pairing, most=budget)
    paired = paired_documents(frequencies, numbers, pairing)
    matrix = joint_distribution(packed, commons.n_features, np.float32 if single else np.float64)
    if matrix is None:
        raise InputError(
            "No two words ever co-occur in a document, so there is nothing to learn from; "
            "anchor words need documents with at least two words."
        )
    return Cooccurrence(paired.document_frequencies, paired.kept, paired.dropped, matrix)


def paired_documents(
    frequencies: Whole, numbers: Whole, pairing: Pairing = ALIKE
) -> PairedDocuments:
    """From the totals; refused if no document has a pair."""
    kept, dropped = map(int, numbers)
    if kept == 0 and pairing.min_length > 1:
        raise InputError(
            say(
                "None of the {dropped} documents has {limit} words or more; choose a smaller "
                "{min_length}, or bring longer documents.",
                dropped=dropped,
                limit=f"{pairing.min_length:g}",
            )
        )
    if kept == 0:
        raise InputError(
            f"None of the {dropped} documents has two words or more, so no two words ever "
            "co-occur; anchor words need longer documents."
        )
    return PairedDocuments(frequencies.astype(np.float64), kept, dropped)


def joint_distribution(
    packed: NDArray[Any], d: int, dtype: Any = np.float64
) -> NDArray[Any] | None:
    """C from the total of the packed upper halves (d×d, sum one); None if no two words co-occur."""
    # By a power of two, which rounds nothing: totals by length may be too large for single floats.
    largest = float(packed.max(initial=0.0))
    factor = 2.0 ** -max(math.frexp(largest)[1], 0)
    matrix = unpacked(packed, d, dtype, factor)
    diagonal = np.einsum("ii->i", matrix)
    # Counts below one would pair with themselves less often than never.
    np.maximum(diagonal, 0, out=diagonal)
    total = _entry_sum(matrix)
    if not total > 0:
        return None
    matrix /= matrix.dtype.type(total)
    return matrix


def unpacked(
    packed: NDArray[Any], d: int, dtype: Any = np.float64, factor: float = 1.0
) -> NDArray[Any]:
    """The symmetric matrix of an upper half that is packed row after row, times a factor.

    >>> unpacked(np.array([1.0, 2.0, 3.0]), 2).tolist()
    [[1.0, 2.0], [2.0, 3.0]]
    """
    matrix = np.empty((d, d), dtype=dtype)
    starts = row_starts(d)
    for row in range(d):
        matrix[row, row:] = packed[starts[row] : starts[row + 1]] * factor
    mirror(matrix)
    return matrix


def mirror(matrix: NDArray[Any]) -> None:
    """Copy the upper half to the lower one, square by square."""
    squares = range(0, len(matrix), TILE)

    def work(first: int) -> None:
        rows = slice(first, first + TILE)
        own = matrix[rows, rows]
        own[...] = np.triu(own) + np.triu(own, 1).T
        for other in squares[first // TILE + 1 :]:
            matrix[other : other + TILE, rows] = matrix[rows, other : other + TILE].T

    each(work, squares)


def row_starts(d: int) -> NDArray[np.int64]:
    """Where each row of the packed upper half begins, and where the last one ends."""
    lengths = np.arange(d, -1, -1, dtype=np.int64)
    return np.concatenate([[0], np.cumsum(lengths[:-1])])


def _packed_pairs(documents: Documents, pairing: Pairing) -> Array:
    """Σ (hhᵀ − diag h) × weight: each row is added up by itself, in the order of the documents."""
    d, words, starts = documents.d, documents.by_word, row_starts(documents.d)
    packed = np.empty(d * (d + 1) // 2)
    scale = pairing.weights(documents)
    ends, indices = documents.indptr[1:], documents.indices.astype(np.uint32)

    def work(block: tuple[int, int]) -> None:
        _pair_rows(
            ends, indices, documents.data, words.indptr, words.indices, words.order, scale, starts,
            packed, *block,
        )  # fmt: skip

    each(work, blocks(words.indptr, _block_count(documents)))
    return packed


def _block_count(documents: Documents) -> int:
    """More blocks than for other passes: early words pair with more words than late ones."""
    return min(256, max(1, documents.d // 8))


def _entry_sum(matrix: NDArray[Any]) -> float:
    return float(np.sum(matrix.sum(axis=1, dtype=np.float64)))


@njit(cache=True, nogil=True)
def _pair_rows(
    ends: NDArray[Any],
    indices: NDArray[np.uint32],
    data: Array,
    word_indptr: NDArray[Any],
    word_documents: NDArray[Any],
    word_cells: NDArray[np.int64],
    scale: Array,
    starts: NDArray[np.int64],
    packed: NDArray[Any],
    first: int,
    last: int,
) -> None:
    """Rows `first` to `last` of the packed half; words of a document are in ascending order."""
    row = np.empty(len(word_indptr) - 1)
    for word in range(first, last):
        row[word:] = 0.0
        for entry in range(word_indptr[word], word_indptr[word + 1]):
            document, own = word_documents[entry], word_cells[entry]
            weight = data[own] * scale[document]
            row[word] -= weight
            for cell in range(own, ends[document]):
                row[indices[cell]] += weight * data[cell]
        packed[starts[word] : starts[word + 1]] = row[word:]
