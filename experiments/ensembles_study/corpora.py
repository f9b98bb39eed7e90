"""Labelled corpora in the words that tell most about labels; their folds, dealt to parties."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

import chatham as ch
from chatham.corpus.splitting import copies
from chatham.model.intake import as_matrix

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

SAMPLE = "bundled sample"
CANDIDATES = 8000
"""The commonest words, from which those that tell most are chosen."""
SHORTEST = 2
"""Tokens of a document at least: of one, there are no halves."""
FOLDS = 5


@dataclass(frozen=True)
class Source:
    """A file, how texts and labels are called, and how many of the largest classes are compared."""

    file: str
    text: str
    label: str
    classes: int


SOURCES = {
    "Reuters": Source("reuters21578.parquet", "title,text", "labels", 10),
    "20 Newsgroups": Source("20newsgroups_clean.parquet", "text", "label", 20),
    "Enron": Source("enron_ham.parquet", "text", "owner", 6),
}


USUAL = ("Reuters", "20 Newsgroups")


@dataclass(frozen=True, eq=False)
class Labelled:
    """Counts of the chosen words, and the number of each document's class, the largest first."""

    name: str
    counts: sp.csr_array
    classes: Rows
    compared: int
    """How many of the classes are told apart in pairs."""


@dataclass(frozen=True, eq=False)
class Fold:
    """What models learn from, dealt at random by `order`; and what they are asked about."""

    train: sp.csr_array
    classes: Rows
    test: sp.csr_array
    test_classes: Rows
    order: Rows

    def parties(self, number: int) -> list[sp.csr_array]:
        """The training documents in so many parts of equal size."""
        return [sp.csr_array(self.train[np.sort(part)]) for part in self._dealt(number)]

    def _dealt(self, number: int) -> list[Rows]:
        return np.array_split(self.order, number)


def read(folder: Path | None, name: str, words: int, documents: int) -> Labelled:
    """So many documents of a corpus, drawn at random; without a folder of the bundled sample."""
    if folder is None:
        corpus, compared = ch.sample_corpus(), 3
    else:
        corpus, compared = _read(folder, SOURCES[name]), SOURCES[name].classes
    labels = np.asarray(corpus.labels)
    counts = sp.csr_array(as_matrix(corpus.counts), dtype=np.float64)
    drawn = np.sort(np.random.default_rng(0).permutation(len(labels))[:documents])
    counts, classes = sp.csr_array(counts[drawn]), by_size(labels[drawn].astype(str))
    counts = sp.csr_array(counts[:, most_telling(counts, classes, words)])
    long = np.asarray(counts.sum(axis=1)).ravel() >= SHORTEST
    return Labelled(name, sp.csr_array(counts[long]), classes[long], compared)


def _read(folder: Path, source: Source) -> ch.Corpus:
    path = folder / source.file
    if not path.exists():
        raise ch.InputError(f"The folder {folder} lacks {source.file}.")
    table = pd.read_parquet(path)
    labels = table[source.label].fillna("").astype(str)
    alone = (labels != "") & ~labels.str.contains("|", regex=False)
    return ch.read_corpus(
        table[alone], text=source.text, label=source.label, stop_words="en",
        max_features=CANDIDATES, keep_texts=False,
    )  # fmt: skip


def by_size(labels: NDArray[Any]) -> Rows:
    """Each document's class as a number, 0 for the largest class."""
    _, numbers, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return rank[numbers]


def most_telling(counts: sp.csr_array, classes: Rows, words: int) -> Rows:
    """The columns of the words with the highest information gain, in their order.

    That is how much less uncertain a document's class is once it is known whether it has the word.
    """
    gains = information_gains(counts, classes)
    return np.sort(np.argsort(-gains, kind="stable")[:words])


def information_gains(counts: sp.csr_array, classes: Rows) -> Array:
    """H(class) − H(class | word is there or not), for each word, in nats.

    >>> counts = sp.csr_array(np.array([[3, 1], [1, 0], [0, 1], [0, 0]]))
    >>> information_gains(counts, np.array([0, 0, 1, 1])).round(4).tolist()
    [0.6931, 0.0]
    """
    own = np.eye(int(classes.max()) + 1)[classes]
    with_word = (counts > 0).astype(np.float64).T @ own
    without = own.sum(axis=0) - with_word
    left = sum(part.sum(axis=1) * _entropies(part) for part in (with_word, without))
    return np.asarray(_entropies(own.sum(axis=0)[None])[0] - left / len(classes))


def _entropies(numbers: Array) -> Array:
    shares = numbers / np.maximum(numbers.sum(axis=1, keepdims=True), 1.0)
    return -(shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=1)


def folds(corpus: Labelled, number: int = FOLDS) -> Iterator[Fold]:
    """Five-fold cross validation; copies of a document are in one fold."""
    rng = np.random.default_rng(0)
    texts = copies(corpus.counts)
    fold_of = (rng.permutation(int(texts.max()) + 1) % number)[texts]
    for fold in range(number):
        learned, tried = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        yield Fold(
            sp.csr_array(corpus.counts[learned]), corpus.classes[learned],
            sp.csr_array(corpus.counts[tried]), corpus.classes[tried],
            np.random.default_rng([1, fold]).permutation(len(learned)),
        )  # fmt: skip
