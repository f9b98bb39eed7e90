"""What measures read of a holder's documents: counts, weights, labels, truth, words in order.

A holder's rows are a `Corpus`, an `Evidence` (a corpus and what else is known of it), or plain
counts. What is derived from them is kept in the holder's private memory while one model is
measured. A document without any word of the model's vocabulary is left out of every measure of
documents.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.corpus import Corpus
from chatham.corpus.tfidf import unweighted
from chatham.errors import InputError
from chatham.measures.subject import Subject
from chatham.measures.texts import TokenTexts
from chatham.model.intake import plain, take_in
from chatham.notes import UnknownWordsWarning

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evidence:
    """A corpus, and its documents' true weights (n×k, in the true topics' order) if known."""

    corpus: Corpus
    true_weights: Array | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Documents and words, as of any rows."""
        return self.corpus.shape

    @property
    def counts(self) -> sp.csr_array:
        """The corpus's counts, for learners."""
        return self.corpus.counts


@dataclass(frozen=True, eq=False)
class KnownDocuments:
    """A holder's documents with any word of the subject: their counts, and what else is known.

    The counts are plain ones over the subject's words; labels and true weights have the same rows.
    """

    counts: sp.csr_array
    labels: NDArray[np.object_] | None
    true_weights: Array | None
    words_in_all: float = 0.0
    """How many tokens the documents have, including those that the subject doesn't know."""
    rows: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Which of the holder's documents they are."""

    @property
    def n(self) -> int:
        """How many documents there are."""
        return int(self.counts.shape[0])

    @cached_property
    def frequencies(self) -> sp.csr_array:
        """The counts with rows that sum to one."""
        return sp.csr_array(sp.diags_array(1.0 / self.counts.sum(axis=1)) @ self.counts)


def corpus_in(rows: Any) -> Corpus | None:
    """The corpus of the rows, if they aren't just counts."""
    return rows.corpus if isinstance(rows, Evidence) else rows if isinstance(rows, Corpus) else None


def documents_at(rows: Any, memory: Memory, subject: Subject) -> KnownDocuments:
    """This holder's documents with words, prepared once for a subject."""
    return memory.derived("documents", _known_documents, rows, subject)


def _known_documents(rows: Any, subject: Subject) -> KnownDocuments:
    if not rows.shape[0]:
        return KnownDocuments(sp.csr_array((0, len(subject.vocabulary))), None, None)
    counts, labels = plain_counts(rows, subject)
    corpus = corpus_in(rows)
    filled = np.diff(counts.indptr) > 0
    truth = getattr(rows, "true_weights", None)
    if truth is not None and np.shape(truth)[0] != len(filled):
        raise InputError(
            f"There are true weights of {np.shape(truth)[0]:,} documents and {len(filled):,} "
            "documents; give a row for each document."
        )
    return KnownDocuments(
        sp.csr_array(counts[filled]),
        None if labels is None else np.asarray(labels, dtype=object)[filled],
        None if truth is None else np.asarray(truth)[filled],
        float(counts.sum() if corpus is None else unweighted(corpus).counts.sum()),
        np.flatnonzero(filled),
    )


def plain_counts(documents: Any, subject: Subject) -> tuple[sp.csr_array, Any]:
    """Counts over the subject's words, without any weighting, and the labels if there are any."""
    corpus = corpus_in(documents)
    with warnings.catch_warnings():
        # Such documents and words are left out here; the scores report how many.
        warnings.simplefilter("ignore", UnknownWordsWarning)
        intake = take_in(
            documents if corpus is None else corpus, subject.vocabulary, plain(subject.vectorizer)
        )
    counts = sp.csr_array(intake.counts, dtype=np.float64)
    counts.sum_duplicates()
    if not subject.observes:
        counts.eliminate_zeros()
    return counts, intake.labels


def weights_at(rows: Any, memory: Memory, subject: Subject) -> Array:
    """The weights (n×k) of this holder's documents with words, computed once for a subject."""
    return memory.derived("weights", _weights, documents_at(rows, memory, subject), subject)


def _weights(documents: KnownDocuments, subject: Subject) -> Array:
    return subject.weights(documents.counts) if documents.n else np.zeros((0, subject.n_topics))


def count_known(rows: Any, memory: Memory, subject: Subject) -> Array:
    """How many tokens my documents have, and how many of them the model knows."""
    documents = documents_at(rows, memory, subject)
    return np.array([documents.words_in_all, documents.counts.sum()])


def classes_at(rows: Any, memory: Memory, subject: Subject) -> sp.csr_array:
    """The documents' classes (n×C), rows that sum to one; a document without a label has none.

    A document with several labels belongs to each in equal parts. A label that isn't among the
    agreed ones is refused: it may be one of them, spelled differently.
    """
    documents = documents_at(rows, memory, subject)
    return memory.derived("classes", _classes, documents, subject.classes or ())


def _classes(documents: KnownDocuments, names: tuple[str, ...]) -> sp.csr_array:
    class_of = {name: number for number, name in enumerate(names)}
    labels = [names_in(label) for label in ([] if documents.labels is None else documents.labels)]
    unknown = sorted({name for label in labels for name in label} - set(class_of))
    if unknown:
        raise InputError(
            f"{len(unknown)} of the labels here are not among the {len(names)} agreed ones; all "
            "parties must use the same class names: rename them, or agree on more labels."
        )
    cells = [
        (row, class_of[name], 1 / len(label)) for row, label in enumerate(labels) for name in label
    ]
    row, column, share = zip(*cells, strict=True) if cells else ((), (), ())
    shape = (documents.n, len(names))
    return sp.csr_array((np.array(share, dtype=np.float64), (row, column)), shape=shape)


def names_in(label: Any) -> list[str]:
    """The classes that a label names: none, one, or several in a list, a set or an array."""
    if label is None:
        return []
    several = isinstance(label, list | tuple | set | frozenset | np.ndarray)
    return sorted({str(name) for name in label}) if several else [str(label)]


def what_there_is(rows: Any, memory: Memory) -> NDArray[np.int64]:
    """Documents, and how many have labels; holders without counts, texts or true weights."""
    corpus = corpus_in(rows)
    labels = None if corpus is None else corpus.labels
    labelled = 0 if labels is None else sum(label is not None for label in labels)
    lacks_counts = isinstance(rows, TokenTexts)
    lacks_texts = not lacks_counts and (corpus is None or corpus.texts is None)
    lacks_truth = getattr(rows, "true_weights", None) is None
    n = rows.shape[0]
    lacking = (lacks_counts and n > 0, lacks_texts and n > 0, lacks_truth and n > 0)
    return np.array([n, labelled, *lacking], dtype=np.int64)
