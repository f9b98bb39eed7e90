"""In how many windows words stand, alone and two by two: what every coherence is computed from.

A window is a whole document, or a run of `s` words that moves by one word: a text of L words has
max(1, L − s + 1) of them, and an empty one none. A window counts once for a word, however often it
stands there. (gensim's sliding counts differ where a word repeats within a window: it forgets the
word as soon as the first of the two leaves.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from chatham.commons import Memory
from chatham.errors import InputError
from chatham.learners.documents import check_counts
from chatham.measures.coherence.pairs import Sightings, Words, count_pairs
from chatham.measures.evidence import corpus_in
from chatham.measures.measure import UndefinedError
from chatham.measures.subject import Subject
from chatham.measures.texts import (
    InOrder,
    TokenTexts,
    Whole,
    order_of_texts,
    order_of_tokens,
)

DOCUMENT = "document"
MOST_PAIRS = 1 << 25
"""Topics times words squared: as one array of counts, a quarter of a gigabyte."""


def check_window(window: Any) -> None:
    """A window is "document", or a whole number of at least two words."""
    whole = isinstance(window, int | np.integer) and not isinstance(window, bool)
    is_document = isinstance(window, str) and window == DOCUMENT
    if not is_document and not (whole and window >= 2):
        raise InputError(
            f"window must be {DOCUMENT!r} or a whole number of at least 2 words, not {window!r}."
        )


def words_of(subject: Subject, n_words: int) -> tuple[tuple[str, ...], Words]:
    """Each topic's first `n_words` words, none twice, as every holder is told them.

    They are the different words, by spelling, and the topics' words as places among these. An
    array of strings would give each word the room of the longest.

    >>> distinct, words = words_of(Subject(np.array([]), lists=[["tea", "milk"], ["tea"]]), 10)
    >>> distinct, words.tolist()
    (('milk', 'tea'), [[1, 0], [1, -1]])
    """
    listed = [list(dict.fromkeys(words)) for words in subject.top_words(n_words)]
    longest = max(map(len, listed), default=0)
    _check_pairs(len(listed), longest)
    distinct = tuple(sorted({word for words in listed for word in words}))
    place = {word: number for number, word in enumerate(distinct)}
    places = np.full((len(listed), longest), -1, dtype=np.int64)
    for row, words in zip(places, listed, strict=True):
        row[: len(words)] = [place[word] for word in words]
    return distinct, places


def _check_pairs(k: int, longest: int) -> None:
    if k * longest**2 > MOST_PAIRS:
        raise UndefinedError(
            f"{k:,} topics of up to {longest:,} words have {k * longest**2:,} pairs of words to "
            f"count, and at most {MOST_PAIRS:,} fit; set n_words lower."
        )


def count_windows(
    rows: Any, memory: Memory, subject: Subject, distinct: Sequence[str], words: Words,
    window: int | str,
) -> tuple[Whole, Whole]:  # fmt: skip
    """How many windows and documents there are, and in how many windows two words stand (k×N×N).

    The diagonal has the windows with one word. Documents without any word don't count.
    """
    found = _sightings(rows, memory, subject, distinct, window)
    sizes = np.array([found.windows.sum(), (found.windows > 0).sum()], dtype=np.int64)
    return sizes, count_pairs(found, words)


def _sightings(
    rows: Any, memory: Memory, subject: Subject, distinct: Sequence[str], window: int | str
) -> Sightings:
    if window == DOCUMENT and not isinstance(rows, TokenTexts):
        return _in_documents(rows, subject, distinct)
    found = _in_order(rows, memory, subject)
    longest = int(found.lengths.max(initial=1))
    span = longest if window == DOCUMENT else int(window)
    return _in_texts(found, distinct, span)


def _in_documents(rows: Any, subject: Subject, distinct: Sequence[str]) -> Sightings:
    """A document is a text of one window, in which all words stand at the same place."""
    corpus = corpus_in(rows)
    vocabulary = subject.vocabulary if corpus is None else corpus.vocabulary
    counts = sp.csr_array(rows if corpus is None else corpus.counts)
    check_counts(counts.data)
    if counts.shape[1] != len(vocabulary):
        raise InputError(
            f"There are {counts.shape[1]:,} columns of counts and {len(vocabulary):,} words in the "
            "model; give counts over the model's words, or a corpus, whose words can be matched."
        )
    cells = sp.coo_array(counts)
    said = cells.data > 0
    texts, columns = cells.coords[0][said].astype(np.int64), cells.coords[1][said]
    known = {str(word): number for number, word in enumerate(vocabulary)}
    filled = np.bincount(texts, minlength=counts.shape[0]) > 0
    words = _table(known, distinct)[columns]
    return _sorted(texts, words, np.zeros(len(texts), np.int64), filled.astype(np.int64), 1)


def _in_texts(found: InOrder, distinct: Sequence[str], span: int) -> Sightings:
    windows = np.where(found.lengths > 0, np.maximum(found.lengths - span + 1, 1), 0)
    words = _table(found.known, distinct)[found.numbers]
    return _sorted(found.texts, words, found.places, windows, span)


def _table(known: Any, distinct: Sequence[str]) -> Whole:
    """For each number of a word, which of the words asked for it is, or -1."""
    table = np.full(len(known), -1, dtype=np.int64)
    for place, word in enumerate(distinct):
        if word in known:
            table[known[word]] = place
    return table


def _sorted(texts: Whole, words: Whole, places: Whole, windows: Whole, span: int) -> Sightings:
    asked = words >= 0
    texts, words, places = texts[asked], words[asked], places[asked]
    # Places rise within a text already, and a stable sort keeps them so.
    order = np.argsort(texts * (int(words.max(initial=0)) + 1) + words, kind="stable")
    return Sightings(texts[order], words[order], places[order], windows, span)


def _in_order(rows: Any, memory: Memory, subject: Subject) -> InOrder:
    """This holder's texts as numbers, found once for all measures."""
    return memory.derived("in order", _read_in_order, rows, subject)


def _read_in_order(rows: Any, subject: Subject) -> InOrder:
    if isinstance(rows, TokenTexts):
        return order_of_tokens(rows.texts)
    if not rows.shape[0]:  # who has no documents misses no texts
        return order_of_tokens([])
    corpus = corpus_in(rows)
    vectorizers = (None if corpus is None else corpus.vectorizer, subject.vectorizer)
    tokenizers = (getattr(vectorizer, "tokenizer", None) for vectorizer in vectorizers)
    tokenizer = next((each for each in tokenizers if each is not None), None)
    if corpus is None or corpus.texts is None or tokenizer is None:
        raise InputError(
            "Sliding windows need words in their order, and counts have none; give a corpus that "
            f"keeps its texts, or TokenTexts(lists of words), or set window={DOCUMENT!r}."
        )
    return order_of_texts(corpus.texts, tokenizer)
