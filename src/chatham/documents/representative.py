"""The documents that show a topic best: mostly from it, with enough words to tell, no near-copies.

A document of three words that are all from a topic has weight 1, and says little. So documents are
ordered by the lower end of Wilson's 95 % interval for the weight, as if it were a share of as many
draws as the document has different words that the model knows; a word said again is no new
evidence. One that is too much like a better one is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Unpack

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.commons import Commons
from chatham.corpus import Corpus
from chatham.documents.passages import Passage, best_passage
from chatham.documents.tinting import DIGITS, check_topics, tint, topics_of_words
from chatham.errors import InputError
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.evaluate import read_once
from chatham.measures.evidence import corpus_in, plain_counts
from chatham.measures.subject import Subject
from chatham.model.intake import Where
from chatham.model.names import numbers_listed
from chatham.model.tables import beside, checked_number, in_a_row, table_of
from chatham.naming import columns_listed, nearest, plural, shown, value_shown
from chatham.numerics.intervals import wilson
from chatham.numerics.threads import threads
from chatham.wording import say

Array = NDArray[np.float64]

ERRORS = 1.96
"""Standard errors to each side of an interval of 95 %."""
ALIKE = 0.5
"""Of two documents in which more than this share of all words is in both, one is shown."""
WORDS = 10
"""Words that are told of a document without a text."""


@dataclass(frozen=True)
class Shown:
    """A document that shows a topic."""

    topic: int
    name: str
    """What the topic is called."""
    rank: int
    row: int
    """Which of the documents it is."""
    id: Any
    label: Any
    weight: float
    low: float
    """What the weight is at least, as far as its words can tell."""
    passage: Passage | None
    words: tuple[str, ...]
    """The words of the topic that it has most of, by expected numbers."""


def representative(
    model: Any,
    documents: Any,
    topic: int | Sequence[int] | None = None,
    n: int = 5,
    *,
    columns: bool | Sequence[str] = False,
    vocabulary: Any = None,
    n_jobs: int | None = None,
    **where: Unpack[Where],
) -> pd.DataFrame:
    """Up to `n` documents that show each topic best, near-copies left out.

    `documents` are a corpus, or anything that `read_corpus` reads, or counts; `topic` is the number
    of one topic or of several, all if it isn't given. Columns: topic, its name, rank, id, label if
    there are labels, weight (the share of the document's words that are from the topic), low (what
    that is at least, as far as so many different words can tell; the order of the documents),
    passage (at most 240 characters of the text with most of the topic) or, where there are only
    counts, the words of the topic that the document has most of. `columns` are those of the
    corpus's other columns that are wanted, all with True.

    >>> import chatham as ch
    >>> corpus = ch.sample_corpus()
    >>> model = ch.fit("nmf", corpus, n_components=5, random_state=0)
    >>> table = ch.representative(model, corpus, topic=0, n=3, columns=["year"])
    >>> table.columns.tolist()
    ['topic', 'name', 'rank', 'id', 'label', 'weight', 'low', 'passage', 'year']
    """
    subject = as_subject(model, vocabulary)
    found, corpus = documents_shown(subject, documents, topic, n, n_jobs=n_jobs, **where)
    return table_of_shown(found, corpus, columns)


def documents_shown(
    subject: Subject,
    documents: Any,
    topic: int | Sequence[int] | None = None,
    n: int = 5,
    *,
    n_jobs: int | None = None,
    **where: Unpack[Where],
) -> tuple[list[Shown], Corpus | None]:
    """The same documents with their passages, and the corpus that they are of, if it is one."""
    check_topics(subject)
    wanted, n = rows_of_topics(subject, topic), checked_number(n)
    rows = read_once(documents, [subject], where)
    if isinstance(rows, Commons):
        raise InputError(
            "Documents stay with their holders, and none of another's can be shown; give "
            "documents that are here."
        )
    corpus, (counts, _) = corpus_in(rows), plain_counts(rows, subject)
    filled = np.flatnonzero(np.diff(counts.indptr))
    weights = np.tile(np.asarray(subject.shares, dtype=np.float64), (counts.shape[0], 1))
    if len(filled):
        with threads(n_jobs):
            weights[filled] = subject.weights(counts[filled])
    of = _Documents(subject, corpus, counts, weights)
    return [each for row in wanted for each in of.showing(row, n)], corpus


@dataclass(frozen=True, eq=False)
class _Documents:
    """Documents with their weights, among which those that show a topic are sought."""

    subject: Subject
    corpus: Corpus | None
    counts: sp.csr_array
    weights: Array

    def showing(self, topic: int, n: int) -> Iterable[Shown]:
        """The `n` best documents of the topic in this row."""
        low = at_least(self.weights[:, topic], np.diff(self.counts.indptr))
        for rank, row in enumerate(best_unlike(self.counts, low, n), start=1):
            yield self._shown(topic, rank, row, float(low[row]))

    def _shown(self, topic: int, rank: int, row: int, low: float) -> Shown:
        corpus = self.corpus
        text = None if corpus is None or corpus.texts is None else corpus.texts[row]
        passage = None
        if text is not None:
            passage = best_passage(tint(self.subject, text, self.weights[row]), topic)
        return Shown(
            topic=self.subject.numbers[topic],
            name=self.subject.titles[topic],
            rank=rank,
            row=row,
            id=row if corpus is None else str(corpus.ids[row]),
            label=None if corpus is None or corpus.labels is None else corpus.labels[row],
            weight=float(self.weights[row, topic]),
            low=low,
            passage=passage,
            words=self._words(topic, row),
        )

    def _words(self, topic: int, row: int) -> tuple[str, ...]:
        begin, end = self.counts.indptr[row : row + 2]
        columns, said = self.counts.indices[begin:end], self.counts.data[begin:end]
        given = topics_of_words(self.subject.distributions, self.weights[row], columns)
        expected = np.round(said * given[:, topic], DIGITS)
        words = [str(self.subject.vocabulary[column]) for column in columns]
        order = sorted(range(len(words)), key=lambda place: (-expected[place], words[place]))
        return tuple(words[place] for place in order[:WORDS] if expected[place] > 0)


def at_least(weights: Array, different: NDArray[Any]) -> Array:
    """The lower ends of the weights of documents with so many different words; 0 without any.

    >>> at_least(np.array([1.0, 1.0, 0.9]), np.array([3, 300, 300])).round(2).tolist()
    [0.44, 0.99, 0.86]
    """
    shares = np.clip(weights, 0.0, 1.0)
    low, _ = wilson(shares, np.maximum(different, 1).astype(np.float64), ERRORS)
    return np.where(different > 0, np.round(low, DIGITS), 0.0)


def best_unlike(counts: sp.csr_array, scores: Array, n: int) -> list[int]:
    """The rows with the `n` highest scores above zero, none much like a better one.

    Of rows with equal scores the first comes first.

    >>> counts = sp.csr_array([[3, 1, 0], [3, 2, 0], [0, 1, 4], [0, 0, 0]])
    >>> best_unlike(counts, np.array([0.8, 0.9, 0.7, 0.0]), 3)
    [1, 2]
    """
    chosen: list[int] = []
    kept: list[dict[int, float]] = []
    for row in np.argsort(-scores, kind="stable").tolist():
        if len(chosen) == n or not scores[row] > 0:
            break
        begin, end = counts.indptr[row : row + 2]
        words = dict(
            zip(counts.indices[begin:end].tolist(), counts.data[begin:end].tolist(), strict=True)
        )
        if all(overlap(words, other) <= ALIKE for other in kept):
            chosen.append(row)
            kept.append(words)
    return chosen


def overlap(one: dict[int, float], other: dict[int, float]) -> float:
    """What share of all words of two documents is in both, each as often as in the poorer one.

    Σ_j min(a_j, b_j) / Σ_j max(a_j, b_j): 1 of copies, 0 of documents without a common word.

    >>> overlap({0: 2, 1: 1}, {0: 1, 2: 1})
    0.25
    """
    common = sum(min(number, other.get(word, 0.0)) for word, number in one.items())
    total = sum(one.values()) + sum(other.values()) - common
    return common / total if total > 0 else 0.0


def rows_of_topics(subject: Subject, topic: int | Sequence[int] | None) -> list[int]:
    """The rows of the topics with these numbers, all if there are none."""
    numbers = subject.numbers
    if topic is None:
        return list(range(len(numbers)))
    several = isinstance(topic, list | tuple | range | np.ndarray)
    rows = []
    for each in topic if several else [topic]:  # type: ignore[union-attr,list-item]
        if not isinstance(each, Integral) or isinstance(each, bool) or int(each) not in numbers:
            raise InputError(
                say(
                    "There is no topic {it}; the model has {numbers}.",
                    it=value_shown(each),
                    numbers=numbers_listed(numbers),
                )
            )
        rows.append(numbers.index(int(each)))
    return rows


def table_of_shown(
    found: Sequence[Shown], corpus: Corpus | None, columns: bool | Sequence[str] = False
) -> pd.DataFrame:
    """The documents as a table, a row for each and topic."""
    labelled = corpus is not None and corpus.labels is not None
    written = corpus is not None and corpus.texts is not None
    texts = [None if each.passage is None else each.passage.text for each in found]
    words = [in_a_row(list(each.words)) for each in found]
    table = table_of(
        {
            "topic": pd.Series([each.topic for each in found], dtype="int64"),
            "name": pd.Series([each.name for each in found], dtype=object),
            "rank": pd.Series([each.rank for each in found], dtype="int64"),
            "id": pd.Series([each.id for each in found], dtype=object),
            "label": pd.Series([each.label for each in found], dtype=object) if labelled else None,
            "weight": pd.Series([each.weight for each in found], dtype="float64"),
            "low": pd.Series([each.low for each in found], dtype="float64"),
            "passage": pd.Series(texts, dtype=object) if written else None,
            "words": None if written else pd.Series(words, dtype=object),
        }
    )
    if columns is False:
        return table
    others = _others(corpus, columns)
    return beside(table, others.iloc[[each.row for each in found]])


def _others(corpus: Corpus | None, columns: bool | Sequence[str]) -> pd.DataFrame:
    """The corpus's other columns, or those of them that are named."""
    if corpus is None:
        raise InputError(
            say(
                "Counts alone have no other columns; leave {columns} out, or give a corpus, as "
                "read_corpus returns it."
            )
        )
    if columns is True:
        return corpus.metadata
    names = [columns] if isinstance(columns, str) else list(columns)  # type: ignore[arg-type]
    known = [str(name) for name in corpus.metadata.columns]
    for name in names:
        if str(name) not in known:
            raise InputError(
                f"There is no other column {shown(name)}; {plural(len(known), 'other column')}: "
                f"{columns_listed(known)}{nearest(str(name), known) or '.'}"
            )
    return corpus.metadata.iloc[:, [known.index(str(name)) for name in names]]
