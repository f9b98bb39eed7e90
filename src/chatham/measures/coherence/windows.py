"""In how many windows words occur, singly and in pairs: what every coherence is computed from.

A window is a whole document, or a run of `s` words that moves by one word: a text of L words has
max(1, L − s + 1) of them, and an empty one none. A window counts once for a word, however often it
occurs there. (gensim's sliding counts differ where a word repeats within a window: it forgets the
word as soon as the first of the two leaves.)

Windows that hold a word are a union of intervals of starting positions; windows that hold both of
two words are those with one plus those with the other less those with either. So the time for a
text depends on its top words, not on its windows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numba import njit
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.errors import InputError
from chatham.learners.documents import check_counts
from chatham.measures.evidence import corpus_in
from chatham.measures.measure import UndefinedError
from chatham.measures.subject import Subject
from chatham.measures.texts import (
    Terms,
    TokenTexts,
    Whole,
    terms_of_texts,
    terms_of_tokens,
)
from chatham.wording import say

Words = NDArray[np.int64]
"""The topics' words (k×N) as numbers in a list of distinct words; −1 where a topic has no more."""

DOCUMENT = "document"
MOST_PAIRS = 1 << 25
"""Topics times words squared: as one array of counts, a quarter of a gigabyte."""


def check_window(window: Any) -> None:
    """A window is "document", or a whole number of at least two words."""
    whole = isinstance(window, int | np.integer) and not isinstance(window, bool)
    is_document = isinstance(window, str) and window == DOCUMENT
    if not is_document and not (whole and window >= 2):
        raise InputError(
            say(
                "{window} must be {document!r} or a whole number of at least 2 words, not {it!r}.",
                document=DOCUMENT,
                it=window,
            )
        )


def words_of(subject: Subject, n_words: int) -> tuple[tuple[str, ...], Words]:
    """Each topic's first `n_words` words, none twice, as every holder gets them.

    They are the distinct words, by spelling, and the topics' words as numbers among these. An
    array of strings would take the space of the longest for each word.

    >>> distinct, words = words_of(Subject(np.array([]), lists=[["tea", "milk"], ["tea"]]), 10)
    >>> distinct, words.tolist()
    (('milk', 'tea'), [[1, 0], [1, -1]])
    """
    listed = [list(dict.fromkeys(words)) for words in subject.top_words(n_words)]
    longest = max(map(len, listed), default=0)
    _check_pairs(len(listed), longest)
    distinct = tuple(sorted({word for words in listed for word in words}))
    number_of = {word: position for position, word in enumerate(distinct)}
    numbers = np.full((len(listed), longest), -1, dtype=np.int64)
    for row, words in zip(numbers, listed, strict=True):
        row[: len(words)] = [number_of[word] for word in words]
    return distinct, numbers


def _check_pairs(k: int, longest: int) -> None:
    if k * longest**2 > MOST_PAIRS:
        raise UndefinedError(
            say(
                "{k:,} topics of up to {longest:,} words have {pairs:,} pairs of words to "
                "count, and at most {most:,} fit; set {n_words} lower.",
                k=k,
                longest=longest,
                pairs=k * longest**2,
                most=MOST_PAIRS,
            )
        )


def count_windows(
    rows: Any, memory: Memory, subject: Subject, distinct: Sequence[str], words: Words,
    window: int | str,
) -> tuple[Whole, Whole]:  # fmt: skip
    """How many windows and documents there are, and in how many windows two words are (k×N×N).

    The diagonal has the windows with one word. Documents without any word don't count.
    """
    sightings = _sightings(rows, memory, subject, distinct, window)
    sizes = np.array([sightings.windows.sum(), (sightings.windows > 0).sum()], dtype=np.int64)
    return sizes, count_pairs(sightings, words)


def _sightings(
    rows: Any, memory: Memory, subject: Subject, distinct: Sequence[str], window: int | str
) -> Sightings:
    if window == DOCUMENT and not isinstance(rows, TokenTexts):
        return _in_documents(rows, subject, distinct)
    terms = _in_order(rows, memory, subject)
    longest = int(terms.lengths.max(initial=1))
    span = longest if window == DOCUMENT else int(window)
    return _in_texts(terms, distinct, span)


def _in_documents(rows: Any, subject: Subject, distinct: Sequence[str]) -> Sightings:
    """A document is a text of one window, in which all words have the same position."""
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
    above_zero = cells.data > 0
    rows_of_cells, columns = (coordinates[above_zero] for coordinates in cells.coords)
    texts = rows_of_cells.astype(np.int64)
    number_of = {str(word): number for number, word in enumerate(vocabulary)}
    filled = np.bincount(texts, minlength=counts.shape[0]) > 0
    words = _table(number_of, distinct)[columns]
    return _sorted(texts, words, np.zeros(len(texts), np.int64), filled.astype(np.int64), 1)


def _in_texts(terms: Terms, distinct: Sequence[str], span: int) -> Sightings:
    windows = np.where(terms.lengths > 0, np.maximum(terms.lengths - span + 1, 1), 0)
    words = _table(terms.number_of, distinct)[terms.numbers]
    return _sorted(terms.texts, words, terms.positions, windows, span)


def _table(number_of: Any, distinct: Sequence[str]) -> Whole:
    """For each word's number, its index among the distinct top words, or -1."""
    table = np.full(len(number_of), -1, dtype=np.int64)
    for index, word in enumerate(distinct):
        if word in number_of:
            table[number_of[word]] = index
    return table


def _sorted(texts: Whole, words: Whole, positions: Whole, windows: Whole, span: int) -> Sightings:
    is_top_word = words >= 0
    texts, words, positions = texts[is_top_word], words[is_top_word], positions[is_top_word]
    # Positions rise within a text already, and a stable sort keeps them so.
    order = np.argsort(texts * (int(words.max(initial=0)) + 1) + words, kind="stable")
    return Sightings(texts[order], words[order], positions[order], windows, span)


def _in_order(rows: Any, memory: Memory, subject: Subject) -> Terms:
    """This holder's terms in their order, read once for all measures."""
    return memory.derived("in order", _read_in_order, rows, subject)


def _read_in_order(rows: Any, subject: Subject) -> Terms:
    if isinstance(rows, TokenTexts):
        return terms_of_tokens(rows.texts)
    if not rows.shape[0]:  # a holder without documents lacks no texts
        return terms_of_tokens([])
    corpus = corpus_in(rows)
    vectorizers = (None if corpus is None else corpus.vectorizer, subject.vectorizer)
    tokenizers = (getattr(vectorizer, "tokenizer", None) for vectorizer in vectorizers)
    tokenizer = next((each for each in tokenizers if each is not None), None)
    if corpus is None or corpus.texts is None or tokenizer is None:
        raise InputError(
            say(
                "Sliding windows need words in their order, and counts have none; give a "
                "corpus that keeps its texts, or TokenTexts(lists of words), or set "
                "{window=!r}.",
                window=DOCUMENT,
            )
        )
    return terms_of_texts(corpus.texts, tokenizer)


@dataclass(frozen=True, eq=False)
class Sightings:
    """Where each of some words occurs: by text, then by word, then by position."""

    texts: Whole
    words: Whole
    positions: Whole
    windows: Whole
    """How many windows each text has."""
    span: int


def count_pairs(sightings: Sightings, words: Words) -> Whole:
    """Windows with both words of each pair of a topic's (k×N×N), with one word on the diagonal."""
    new = (np.diff(sightings.texts) != 0) | (np.diff(sightings.words) != 0)
    starts = np.flatnonzero(np.concatenate([[len(sightings.texts) > 0], new]))
    ends = np.append(starts, len(sightings.texts)).astype(np.int64)
    texts, numbers = sightings.texts[ends[:-1]], sightings.words[ends[:-1]]
    member_ends, topics, slots = _membership(words, int(numbers.max(initial=-1)) + 1)
    return np.asarray(
        _count(
            texts, numbers, ends, sightings.positions, sightings.windows, sightings.span,
            member_ends, topics, slots, np.zeros((*words.shape, words.shape[1]), np.int64),
        )
    )  # fmt: skip


def _membership(words: Words, n: int) -> tuple[Whole, Whole, Whole]:
    """For each word, at least the first `n`, in which topics it is and at which slots."""
    topics, slots = np.nonzero(words >= 0)
    of_word = words[topics, slots]
    order = np.argsort(of_word, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(of_word, minlength=n))])
    return ends.astype(np.int64), topics[order].astype(np.int64), slots[order].astype(np.int64)


@njit(cache=True, nogil=True)
def _covered(
    positions: Whole, a: int, a_end: int, b: int, b_end: int, windows: int, span: int
) -> int:  # fmt: skip
    """Windows with any of the positions a to a_end or b to b_end, each of which rise."""
    covered, reached = 0, -1
    while a < a_end or b < b_end:
        if b >= b_end or (a < a_end and positions[a] <= positions[b]):
            position, a = positions[a], a + 1
        else:
            position, b = positions[b], b + 1
        first = max(position - span + 1, reached + 1)
        last = min(position, windows - 1)
        if last >= first:
            covered += last - first + 1
            reached = last
    return covered


@njit(cache=True, nogil=True)
def _count_topic(
    pairs: Whole,
    run_at: Whole,
    alone: Whole,
    ends: Whole,
    positions: Whole,
    windows: int,
    span: int,
) -> None:
    """Add one text's windows to one topic's pairs, and clear the topic's runs."""
    for slot in range(len(run_at)):
        run = run_at[slot]
        if run < 0:
            continue
        pairs[slot, slot] += alone[run]
        for other_slot in range(slot):
            other_run = run_at[other_slot]
            if other_run >= 0:
                either = _covered(
                    positions,
                    ends[run],
                    ends[run + 1],
                    ends[other_run],
                    ends[other_run + 1],
                    windows,
                    span,
                )
                both = alone[run] + alone[other_run] - either
                pairs[slot, other_slot] += both
                pairs[other_slot, slot] += both
    run_at[:] = -1


@njit(cache=True, nogil=True)
def _count(
    run_texts: Whole, run_words: Whole, ends: Whole, positions: Whole, windows: Whole, span: int,
    member_ends: Whole, topics: Whole, slots: Whole, pairs: Whole,
) -> Whole:  # fmt: skip
    """Windows with both words of each pair; a run is one word's positions in one text."""
    run_at = np.full(pairs.shape[:2], -1, np.int64)
    alone = np.zeros(len(run_texts), np.int64)
    touched = np.empty(len(pairs), np.int64)
    waiting = np.zeros(len(pairs), np.bool_)
    n_touched = 0
    for run in range(len(run_texts)):
        text, word = run_texts[run], run_words[run]
        alone[run] = _covered(positions, ends[run], ends[run + 1], 0, 0, windows[text], span)
        for member in range(member_ends[word], member_ends[word + 1]):
            topic = topics[member]
            run_at[topic, slots[member]] = run
            if not waiting[topic]:
                waiting[topic] = True
                touched[n_touched] = topic
                n_touched += 1
        if run + 1 == len(run_texts) or run_texts[run + 1] != text:
            for topic in touched[:n_touched]:
                _count_topic(
                    pairs[topic], run_at[topic], alone, ends, positions, windows[text], span
                )  # fmt: skip
                waiting[topic] = False
            n_touched = 0
    return pairs
