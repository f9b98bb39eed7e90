"""From texts to a sparse matrix of counts, a block of documents at a time.

Whether a word counts is decided once for each different word, not once for each time it occurs:
the dictionary that numbers the words remembers the answer.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.corpus.text.tokens import Tokenizer

Progress = Callable[[int, int], None]

BLOCK_OF_DOCUMENTS = 2000
DROPPED = -1


class Numbering(dict[str, int]):
    """Number words as they first occur; with a fixed vocabulary, only the words in it.

    >>> numbering = Numbering(Tokenizer())
    >>> [numbering[word] for word in ["tea", "7", "milk", "tea"]]
    [0, -1, 1, 0]
    """

    def __init__(self, tokenizer: Tokenizer, vocabulary: Iterable[str] | None = None) -> None:
        """Begin without words."""
        super().__init__()
        # n-grams are made of words that are already filtered, and a fixed vocabulary itself says
        # which words count.
        decides = tokenizer.ngrams == (1, 1) and vocabulary is None
        self._keeps = tokenizer.keeps if decides else lambda term: True
        self._fixed = None if vocabulary is None else {w: i for i, w in enumerate(vocabulary)}
        self.terms: list[str] = []

    def __missing__(self, term: str) -> int:
        """Decide about a word that occurs for the first time."""
        number = self._number(term)
        self[term] = number
        return number

    def _number(self, term: str) -> int:
        if not self._keeps(term):
            return DROPPED
        if self._fixed is not None:
            return self._fixed.get(term, DROPPED)
        self.terms.append(term)
        return len(self.terms) - 1


def _terms_of(tokenizer: Tokenizer) -> Callable[[str], list[str]]:
    """Single words are filtered by their numbering; n-grams need their words filtered before."""
    if tokenizer.ngrams == (1, 1):
        return tokenizer.words
    keeps = cache(tokenizer.keeps)
    return lambda text: tokenizer.join_ngrams(list(filter(keeps, tokenizer.words(text))))


def count_terms(
    texts: Sequence[str],
    tokenizer: Tokenizer,
    vocabulary: Sequence[str] | NDArray[np.str_] | None = None,
    progress: Progress | None = None,
) -> tuple[sp.csr_array, list[str]]:
    """Count the terms of each text; columns are the vocabulary, or the terms in sorted order.

    >>> counts, terms = count_terms(["tea and milk", "", "tea, tea"], Tokenizer())
    >>> terms
    ['and', 'milk', 'tea']
    >>> counts.toarray().tolist()
    [[1, 1, 1], [0, 0, 0], [0, 0, 2]]
    """
    numbering, terms_of = Numbering(tokenizer, vocabulary), _terms_of(tokenizer)
    blocks = []
    for start in range(0, len(texts), BLOCK_OF_DOCUMENTS):
        block = texts[start : start + BLOCK_OF_DOCUMENTS]
        blocks.append(_count_block(block, terms_of, numbering))
        if progress is not None:
            progress(start + len(block), len(texts))
    if vocabulary is not None:
        return _stack(blocks, len(vocabulary)), [str(word) for word in vocabulary]
    return _sorted_by_term(_stack(blocks, len(numbering.terms)), numbering.terms)


def _count_block(
    texts: Sequence[str], terms_of: Callable[[str], list[str]], numbering: Numbering
) -> sp.csr_array:
    numbers, ends = array("i"), [0]
    for text in texts:
        numbers.extend(map(numbering.__getitem__, terms_of(text)))
        ends.append(len(numbers))
    return _as_rows(np.array(numbers, dtype=np.int32), np.array(ends))


def _as_rows(numbers: NDArray[np.int32], ends: NDArray[np.int64]) -> sp.csr_array:
    is_kept = numbers != DROPPED
    indptr = np.concatenate([[0], np.cumsum(is_kept)])[ends]
    columns = numbers[is_kept]
    width = int(columns.max()) + 1 if columns.size else 0
    ones = np.ones(columns.size, dtype=np.int32)
    rows = sp.csr_array((ones, columns, indptr.astype(np.int32)), shape=(len(ends) - 1, width))
    rows.sum_duplicates()
    return rows


def _stack(blocks: list[sp.csr_array], width: int) -> sp.csr_array:
    if not blocks:
        return sp.csr_array((0, width), dtype=np.int32)
    for block in blocks:
        block.resize((block.shape[0], width))
    return sp.csr_array(sp.vstack(blocks, format="csr"))


def _sorted_by_term(counts: sp.csr_array, terms: list[str]) -> tuple[sp.csr_array, list[str]]:
    order = sorted(range(len(terms)), key=terms.__getitem__)
    position = np.empty(len(order), dtype=np.int32)
    position[order] = np.arange(len(order), dtype=np.int32)
    moved = sp.csr_array((counts.data, position[counts.indices], counts.indptr), counts.shape)
    moved.sort_indices()
    return moved, [terms[number] for number in order]
