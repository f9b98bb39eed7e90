"""Topics by group and over time, as tables: shares with their intervals, and words that differ."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chatham.commons import Alone, Commons
from chatham.errors import InputError
from chatham.groups.cells import Cells, groups_of, spans_of
from chatham.groups.dates import EVERY
from chatham.groups.differing import Untold, differing_words
from chatham.groups.shares import shares_of
from chatham.groups.sums import FEWEST, CellSums, corpus_of, sum_cells
from chatham.learners.small_parties import warn_of_few
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.evaluate import read_once
from chatham.measures.settings import check_share, check_whole
from chatham.measures.subject import Subject
from chatham.model.cell_tables import COMMON, cell_table
from chatham.model.tables import in_a_row
from chatham.naming import nearest, shown
from chatham.notes import ChathamWarning
from chatham.numerics.threads import threads
from chatham.wording import say

Array = NDArray[np.float64]

TIMES_A_DOCUMENT = 2.0
"""How often a word is taken to be in a document that has it, where nobody tells."""


def by_group(
    model: Any,
    documents: Any,
    by: str,
    *,
    words: int = 5,
    level: float = 0.95,
    vocabulary: Any = None,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Each topic's share of each group of documents; one row per group and topic.

    `documents` are a corpus or a commons of corpora, and `by` is a column of theirs, such as the
    section of a newspaper, or that of labels; one with several labels is in several groups.
    Columns: the group (named as `by`), how many documents it has, topic and its name, its mean
    share of them, the ends of the interval in which that lies with a probability of `level`, and up
    to `words` words of the topic that this group uses clearly more than all others. Documents
    without a value are the last group, "no value", if there are any; those without any word of the
    model belong to none.

    Between parties small groups are added up as "other" before anything leaves.

    >>> import chatham as ch
    >>> corpus = ch.sample_corpus()
    >>> model = ch.fit("nmf", corpus, n_components=5, random_state=0)
    >>> table = ch.by_group(model, corpus, "community")
    >>> table.columns.tolist()
    ['community', 'documents', 'topic', 'name', 'share', 'low', 'high', 'words']
    >>> table.groupby("community")["share"].sum().round(6).tolist()
    [1.0, 1.0, 1.0]
    """
    subject, commons = _prepared(model, documents, vocabulary, words, level)
    cells = groups_of(_corpora(commons, by), by)
    return _table(subject, commons, cells, (words, level, n_jobs))


def over_time(
    model: Any,
    documents: Any,
    date: str = "date",
    *,
    every: str | None = None,
    words: int = 5,
    level: float = 0.95,
    vocabulary: Any = None,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Each topic's share of the documents of each span of time; one row per span and topic.

    `date` is a column of dates, or of years; `every` is how long a span is: "day", "week", "month",
    "quarter", "year" or "decade", by default the shortest with enough documents of which a figure
    can show all. Columns as in `by_group`, with the first day of the span (`start`) and its name
    (`span`) in place of the group. A span without documents has rows too, with 0 documents and no
    share: gaps are shown. Documents without a date are the last span, "no value".

    >>> import chatham as ch
    >>> corpus = ch.sample_corpus()
    >>> model = ch.fit("nmf", corpus, n_components=5, random_state=0)
    >>> table = ch.over_time(model, corpus, "year")
    >>> table["span"].unique()[:3].tolist()
    ['2016', '2017', '2018']
    """
    if every is not None and every not in EVERY:
        raise InputError(
            say(
                "{every} must be one of {choices}. Got {got}{meant}",
                choices=", ".join(EVERY), got=shown(every), meant=nearest(every, EVERY) or ".",
            )
        )  # fmt: skip
    subject, commons = _prepared(model, documents, vocabulary, words, level)
    cells, guessed = spans_of(_corpora(commons, date), date, every)
    if guessed:
        warnings.warn(
            f"Dates in the column {shown(date)} could be read with the day or with the month "
            "first; the month was taken to be first. Write them as 2017-02-07 if it isn't.",
            ChathamWarning,
            stacklevel=2,
        )
    return _table(subject, commons, cells, (words, level, n_jobs))


def _prepared(
    model: Any, documents: Any, vocabulary: Any, words: int, level: float
) -> tuple[Subject, Commons]:
    check_whole("words", words, least=0)
    check_share("level", level, above_zero=True, below_one=True)
    subject = as_subject(model, vocabulary)
    if subject.directions:
        raise InputError(
            f"Documents have no shares of the directions of {subject.learner}; give a model of "
            "topics."
        )
    rows = read_once(documents, [subject])
    return subject, rows if isinstance(rows, Commons) else Alone(rows)


def _corpora(commons: Commons, column: str) -> list[Any]:
    if len(commons.here) != commons.holders:
        raise InputError(
            "The groups of documents that are elsewhere must be agreed on beforehand, in the "
            "session; give documents that are here."
        )
    return [corpus_of(rows, column) for rows in commons.here]


def _table(
    subject: Subject, commons: Commons, cells: Cells, how: tuple[int, float, int | None]
) -> pd.DataFrame:
    words, level, n_jobs = how
    with threads(n_jobs), commons.fitting():
        warn_of_few(commons)
        sums = sum_cells(commons, subject, cells)
    if not sums.documents.any():
        raise InputError("No document has any word of the model's vocabulary.")
    table = table_of_cells(sums, figures_of(sums, subject, words, level), subject, cells)
    names = np.tile(np.array(subject.titles, dtype=object), len(sums.titles))
    table.insert(list(table).index("topic") + 1, "name", names)
    return table


@dataclass(frozen=True)
class Figures:
    """What is worked out from the sums of a table's cells, in numbers alone."""

    share: Array
    """Each topic's mean share of each cell's documents (cells×k)."""
    low: Array
    high: Array
    words: Array
    """The words that differ, as columns of the vocabulary (cells×k×n); −1 where there are fewer."""


def figures_of(sums: CellSums, subject: Subject, words: int, level: float) -> Figures:
    """Shares with their intervals, and words that differ."""
    shares = shares_of(sums.documents.astype(np.float64), sums.weights, sums.squares, level)
    told = sums.counts.sum(axis=1)
    untold = Untold(
        TIMES_A_DOCUMENT * (FEWEST - 1) * sums.silent.astype(np.float64),
        np.maximum(sums.tokens - told, 0.0)[:, None] * np.nan_to_num(shares.share),
    )
    best = differing_words(sums.counts, subject.distributions, subject.shares, words, untold)
    columns = np.full((*shares.share.shape, words), -1.0)
    for cell, listed in enumerate(best):
        for topic, found in enumerate(listed):
            columns[cell, topic, : len(found)] = found
    return Figures(shares.share, shares.low, shares.high, columns)


def table_of_cells(
    sums: CellSums, figures: Figures, subject: Subject, cells: Cells
) -> pd.DataFrame:
    """The table that is made from the sums of cells, by everyone alike."""
    k, n = subject.n_topics, len(sums.titles)
    listed = [
        in_a_row([str(word) for word in subject.vocabulary[found[found >= 0].astype(np.int64)]])
        for found in figures.words.reshape(n * k, -1)
    ]
    return cell_table(
        cells.column,
        cells.every,
        {
            "start": [start for start in sums.starts for _ in range(k)],
            "name": np.repeat(np.array(sums.titles, dtype=object), k),
            "documents": np.repeat(sums.documents, k),
            "topic": np.tile(subject.numbers, n),
            "share": figures.share.ravel(),
            "low": figures.low.ravel(),
            "high": figures.high.ravel(),
            "words": listed,
        },
    )


def no_table(cells: Cells) -> pd.DataFrame:
    """A table without rows, where none can be made."""
    return cell_table(cells.column, cells.every, {name: [] for name in ("start", "name", *COMMON)})
