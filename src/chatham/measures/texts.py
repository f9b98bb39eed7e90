"""Words in their order: every term of every text as a number and a position.

Positions are those of the words that a tokenizer keeps: stop words and dropped words take none,
words outside a vocabulary do. An n-gram is at the position of its last word.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from chatham.corpus import Tokenizer
from chatham.corpus.text.counting import DROPPED, Numbering
from chatham.errors import InputError

Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TokenTexts:
    """Texts as lists of words, as users of gensim have them: rows for measures of coherence.

    They have no columns, so their width is zero. An empty text is allowed and has no windows.

    >>> TokenTexts([["tea", "milk"], ["tea"], []]).shape
    (3, 0)
    """

    texts: Sequence[Sequence[str]] = field(repr=False)

    def __post_init__(self) -> None:
        """Refuse what isn't lists of words."""
        if isinstance(self.texts, str) or any(isinstance(text, str) for text in self.texts):
            raise InputError("Give each text as a list of its words, not as one string.")
        kinds = set(map(type, chain.from_iterable(self.texts)))
        wrong_types = sorted(kind.__name__ for kind in kinds if not issubclass(kind, str))
        if wrong_types:
            raise InputError(f"Words must be strings; a text holds one of type {wrong_types[0]}.")

    @property
    def shape(self) -> tuple[int, int]:
        """How many texts there are, and no columns."""
        return len(self.texts), 0


@dataclass(frozen=True, eq=False)
class Terms:
    """Every term of every text: its number, its text, its position; and how long texts are."""

    numbers: NDArray[np.int32]
    texts: Whole
    positions: Whole
    lengths: Whole
    number_of: Mapping[str, int]
    """The number of each distinct term."""


def terms_of_tokens(texts: Sequence[Sequence[str]]) -> Terms:
    """The words of texts that are already split.

    >>> terms_of_tokens([["tea", "milk", "tea"], ["milk"]]).numbers.tolist()
    [0, 1, 0, 1]
    """
    number_of: defaultdict[str, int] = defaultdict()
    number_of.default_factory = (
        number_of.__len__
    )  # a new word's number is how many there are before it
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    numbers = map(number_of.__getitem__, chain.from_iterable(texts))
    total = int(lengths.sum())
    return _single_words(np.fromiter(numbers, dtype=np.int32, count=total), lengths, number_of)


def terms_of_texts(texts: Iterable[str], tokenizer: Tokenizer) -> Terms:
    """The terms that a tokenizer finds in texts.

    >>> terms = terms_of_texts(["Tea with milk", ""], Tokenizer(stop_words=frozenset({"with"})))
    >>> terms.positions.tolist(), terms.lengths.tolist()
    ([0, 1], [2, 0])
    """
    if tokenizer.ngrams != (1, 1):
        return _terms_of_ngrams(texts, tokenizer)
    numbering, numbers, ends = Numbering(tokenizer), array("i"), [0]
    for text in texts:
        numbers.extend(map(numbering.__getitem__, tokenizer.words(text)))
        ends.append(len(numbers))
    with_dropped = np.array(numbers, dtype=np.int32)
    is_kept = with_dropped != DROPPED
    lengths = np.diff(np.concatenate([[0], np.cumsum(is_kept)])[ends])
    number_of = {term: number for number, term in enumerate(numbering.terms)}
    return _single_words(with_dropped[is_kept], lengths, number_of)


def _single_words(
    numbers: NDArray[np.int32], lengths: Whole, number_of: Mapping[str, int]
) -> Terms:
    texts = np.repeat(np.arange(len(lengths)), lengths)
    begins = np.cumsum(lengths) - lengths
    return Terms(numbers, texts, np.arange(len(numbers)) - begins[texts], lengths, number_of)


def _terms_of_ngrams(texts: Iterable[str], tokenizer: Tokenizer) -> Terms:
    keeps, number_of = cache(tokenizer.keeps), defaultdict[str, int]()
    number_of.default_factory = number_of.__len__
    numbers, positions, sizes, lengths = [], [], [], []
    for text in texts:
        words = list(filter(keeps, tokenizer.words(text)))
        last_words = _positions_of_ngrams(len(words), tokenizer.ngrams)
        terms = list(map(number_of.__getitem__, tokenizer.join_ngrams(words)))
        order = np.argsort(last_words, kind="stable")
        numbers.append(np.array(terms, dtype=np.int32)[order])
        positions.append(last_words[order])
        sizes.append(len(terms))
        lengths.append(len(words))
    return Terms(
        np.concatenate([np.empty(0, np.int32), *numbers]),
        np.repeat(np.arange(len(sizes)), np.array(sizes, dtype=np.int64)),
        np.concatenate([np.empty(0, np.int64), *positions]),
        np.array(lengths, dtype=np.int64),
        number_of,
    )


def _positions_of_ngrams(length: int, ngrams: tuple[int, int]) -> Whole:
    """The position of each n-gram's last word, in the order in which a tokenizer returns them."""
    sizes = range(ngrams[0], ngrams[1] + 1)
    return np.concatenate([np.arange(size - 1, length, dtype=np.int64) for size in sizes])
