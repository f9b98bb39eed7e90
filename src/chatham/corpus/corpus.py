"""A corpus: one row of counts per document, with what is known about its words and documents."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.corpus.checks import as_counts, as_ids, as_labels, as_vocabulary, string_array
from chatham.corpus.splitting import copies, rows_at_random, rows_by_value, split_rows
from chatham.corpus.text.vectorizer import Vectorizer, as_texts
from chatham.corpus.text.weighting import own_idf, unweight_by_idf
from chatham.errors import InputError
from chatham.naming import columns_listed, labels_shown, nearest, plural, shown
from chatham.wording import Sentence, say


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Documents as counts of words; texts, labels and the rest are there if they were given.

    Row i is the same document in ``counts``, ``ids``, ``labels``, ``texts`` and ``metadata``.
    A document without any word of the vocabulary stays, as an empty row.

    >>> corpus = Corpus(np.array([[2, 0], [0, 0], [1, 1]]), ["tea", "milk"])
    >>> corpus
    Corpus(3 documents, 1 empty, 2 words, 4 tokens)
    >>> corpus.ids.tolist()
    ['0', '1', '2']
    """

    counts: sp.csr_array
    vocabulary: NDArray[np.str_]
    ids: NDArray[np.str_] = None  # type: ignore[assignment]
    labels: NDArray[np.object_] | None = None
    texts: list[str] | None = None
    metadata: pd.DataFrame = None  # type: ignore[assignment]
    vectorizer: Vectorizer | None = None
    notes: list[str] = field(default_factory=list)
    label_name: str = "label"
    digests: list[bytes] | None = None
    """A hash of each text, where the texts themselves aren't kept."""

    def __post_init__(self) -> None:
        """Put everything into its one form, and refuse what doesn't fit together."""
        counts = as_counts(self.counts)
        n_documents, n_words = counts.shape
        self._set("counts", counts)
        self._set("vocabulary", as_vocabulary(self.vocabulary, n_words, n_documents))
        self._set("ids", as_ids(self.ids, n_documents))
        self._set("labels", as_labels(self.labels, n_documents))
        metadata = (
            pd.DataFrame(index=range(n_documents)) if self.metadata is None else self.metadata
        )
        self._set("metadata", metadata.reset_index(drop=True))
        self._set("texts", None if self.texts is None else as_texts(self.texts))
        self._check_length("texts", self.texts)
        self._check_length("metadata", self.metadata)
        self._check_length("digests", self.digests)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _check_length(self, name: str, values: Any) -> None:
        if values is not None and len(values) != len(self):
            raise InputError(
                f"{name} has {plural(len(values), 'row')} and counts has {len(self):,}: "
                "both must have one for each document."
            )

    def __len__(self) -> int:
        """Count the documents."""
        return int(self.counts.shape[0])

    @property
    def shape(self) -> tuple[int, int]:
        """Documents and words: a corpus can be the rows of a commons, as its counts can."""
        return self.n_documents, self.n_words

    @property
    def n_documents(self) -> int:
        """How many documents there are, empty ones included."""
        return len(self)

    @property
    def n_words(self) -> int:
        """How many words the vocabulary has."""
        return int(self.counts.shape[1])

    @property
    def n_tokens(self) -> int | float:
        """How many words are counted in all; for weighted counts, their total weight."""
        total: int | float = self.counts.sum(dtype=self._sum_type).item()
        return total

    @property
    def empty(self) -> NDArray[np.bool_]:
        """Which documents have no word of the vocabulary.

        >>> Corpus(np.array([[2, 0], [0, 0]]), ["tea", "milk"]).empty.tolist()
        [False, True]
        """
        totals = np.asarray(self.counts.sum(axis=1, dtype=self._sum_type))
        without_words: NDArray[np.bool_] = totals == 0
        return without_words

    @property
    def _sum_type(self) -> type:
        return np.int64 if self.counts.dtype.kind == "i" else np.float64

    def __repr__(self) -> str:
        """Say the size in one line."""
        return (
            f"Corpus({plural(self.n_documents, 'document')}, {int(self.empty.sum()):,} empty, "
            f"{plural(self.n_words, 'word')}, {self._tokens_shown()})"
        )

    def _tokens_shown(self) -> str:
        if self.counts.dtype.kind == "i":
            return plural(int(self.n_tokens), "token")
        return f"total weight {self.n_tokens:,.1f}"

    def summary(self) -> Sentence:
        """Describe the corpus in a few lines: sizes, labels, and what was decided on the way.

        >>> print(Corpus(np.array([[2, 0], [0, 0]]), ["tea", "milk"], labels=["a", "b"]).summary())
        documents   2 (1 empty)
        words       2
        tokens      2
        labels      2 (a, b)
        """
        lines = [
            f"documents   {self.n_documents:,} ({int(self.empty.sum()):,} empty)",
            f"words       {self.n_words:,}",
            f"{self._tokens_line()}",
            *self._labels_line(),
        ]
        return Sentence("\n".join(lines), *(part for note in self.notes for part in ("\n- ", note)))

    def _tokens_line(self) -> str:
        if self.counts.dtype.kind == "i":
            return f"tokens      {self.n_tokens:,}"
        return f"weight      {self.n_tokens:,.1f}"

    def _labels_line(self) -> list[str]:
        if self.labels is None:
            return []
        return [f"labels      {labels_shown(self.labels)}"]

    def rows(self, index: Any) -> Corpus:
        """Take some documents, by number, slice or mask; the vocabulary stays the same.

        >>> Corpus(np.array([[2, 0], [0, 1]]), ["tea", "milk"]).rows([False, True]).ids.tolist()
        ['1']
        """
        rows = _as_rows(index, len(self))
        return derived(
            self,
            counts=self.counts[rows],
            ids=as_ids(self.ids[rows], len(rows)),  # a row that is chosen twice is refused
            labels=None if self.labels is None else self.labels[rows],
            texts=None if self.texts is None else [self.texts[row] for row in rows],
            metadata=self.metadata.iloc[rows].reset_index(drop=True),
            digests=None if self.digests is None else [self.digests[row] for row in rows],
        )

    def split(
        self, test: float = 0.2, random_state: int = 0, stratify: bool = False
    ) -> tuple[Corpus, Corpus]:
        """Split into train and test parts at random, within each label if `stratify`.

        Documents with the same words equally often stay together, so that none is tested that
        was learned from; copies with several labels are dealt with those of one of them. A text
        that makes up much of the corpus stays in the larger part, and the others are dealt as if
        it weren't there. If the corpus is weighted by tf-idf, both parts are weighted anew, by
        the training part's document frequencies.

        >>> corpus = Corpus(np.arange(20).reshape(10, 2), ["tea", "milk"])
        >>> train, test = corpus.split(test=0.2)
        >>> len(train), len(test)
        (8, 2)
        """
        if stratify and self.labels is None:
            raise InputError(
                say("{stratify=True} needs labels, and this corpus has none: pass {label=}.")
            )
        strata = list(self.labels) if stratify and self.labels is not None else None
        parts = split_rows(len(self), test, random_state, strata, copies(self.counts))
        train, held_out = (self.rows(rows) for rows in parts)
        return _weighted_by_the_first(train, held_out)

    def parties(
        self, by: str | None = None, n: int | None = None, random_state: int = 0
    ) -> dict[str, Corpus]:
        """Split into parties that share one vocabulary: by a column, or n of them at random.

        If the corpus is weighted by tf-idf they share its idf too, which parties of a session
        agree on in the same way: from the document frequencies of all of them.

        >>> corpus = Corpus(np.ones((4, 1)), ["tea"], labels=["x", "y", "x", "x"])
        >>> {name: len(party) for name, party in corpus.parties(by="label").items()}
        {'x': 3, 'y': 1}
        """
        if by is not None and n is not None:
            raise InputError(
                say("Parties are made by a column or at random: give {by=} or {n=}, not both.")
            )
        if by is not None:
            groups = rows_by_value(self.column(by))
        else:
            groups = rows_at_random(len(self), 3 if n is None else n, random_state)
        return {name: self.rows(rows) for name, rows in groups.items()}

    def column(self, name: str) -> Sequence[object]:
        """Find a column of the metadata, or the labels, by name.

        >>> Corpus(np.ones((2, 1)), ["tea"], labels=["x", None]).column("label")
        ['x', None]
        """
        if name in self.metadata.columns:
            return list(self.metadata[name])
        if self.labels is not None and name in ("label", self.label_name):
            return list(self.labels)
        raise InputError(
            f"There is no column {shown(name)}; the columns are {columns_listed(self.column_names)}"
            f"{nearest(name, self.column_names) or '.'}"
        )

    @property
    def column_names(self) -> list[str]:
        """What there is to look up by name.

        >>> Corpus(np.ones((2, 1)), ["tea"], labels=["x", None]).column_names
        ['label']
        """
        label = [self.label_name] if self.labels is not None else []
        return [*map(str, self.metadata.columns), *label]


def derived(corpus: Corpus, **parts: Any) -> Corpus:
    """A copy of the corpus with some parts replaced by others that are already in their one form.

    They come from a corpus, or the caller has put them into that form: nothing is checked again,
    as `Corpus` itself would. The rest is copied, so that changing one of the two in place doesn't
    change the other.

    >>> corpus = Corpus(np.array([[2, 0], [0, 1]]), ["tea", "milk"])
    >>> derived(corpus, labels=np.array(["warm", "cold"], dtype=object))
    Corpus(2 documents, 0 empty, 2 words, 3 tokens)
    """
    other = copy(corpus)
    kept = {name: value for name, value in vars(corpus).items() if name not in parts}
    vars(other).update(parts)
    vars(other).update({n: v.copy() if hasattr(v, "copy") else v for n, v in kept.items()})
    return other


def _weighted_by_the_first(train: Corpus, test: Corpus) -> tuple[Corpus, Corpus]:
    """Both parts of a weighted corpus, weighted as if the second had never been seen."""
    vectorizer = train.vectorizer
    if vectorizer is None or vectorizer.idf is None:
        return train, test
    plain, unseen = (unweight_by_idf(part.counts, vectorizer.idf) for part in (train, test))
    vectorizer = replace(vectorizer, idf=own_idf(plain))
    return (
        derived(train, counts=vectorizer.weigh(plain), vectorizer=vectorizer),
        derived(test, counts=vectorizer.weigh(unseen), vectorizer=vectorizer),
    )


def of_words(corpus: Corpus, columns: NDArray[np.int64], **parts: Any) -> Corpus:
    """The corpus with these words only, in this order; and with other parts replaced, if any.

    >>> of_words(Corpus(np.array([[2, 0, 1]]), ["tea", "milk", "rum"]), np.array([0, 2]))
    Corpus(1 document, 0 empty, 2 words, 3 tokens)
    """
    vectorizer = corpus.vectorizer
    return derived(
        corpus,
        counts=corpus.counts[:, columns],
        vocabulary=string_array(corpus.vocabulary[columns].tolist(), "word"),
        vectorizer=None if vectorizer is None else vectorizer.with_columns(columns),
        **parts,
    )


def _as_rows(index: Any, n_rows: int) -> NDArray[np.int64]:
    every_row: NDArray[np.int64] = np.arange(n_rows)
    if isinstance(index, slice):
        return every_row[index]
    rows = np.atleast_1d(np.asarray(index))
    if rows.dtype == bool and len(rows) != n_rows:
        raise InputError(
            f"A mask must have {n_rows:,} values, one per document, not {len(rows):,}."
        )
    if rows.size == 0:
        return np.empty(0, dtype=np.int64)
    if rows.dtype.kind not in "biu":
        raise InputError("Rows are chosen by whole numbers, a slice or a mask of True and False.")
    try:
        chosen: NDArray[np.int64] = every_row[rows]
        return chosen
    except IndexError:
        raise InputError(f"A row number is outside 0 to {n_rows - 1:,}.") from None
