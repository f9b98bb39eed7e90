"""The corpora, three with labels and three without, each cut anew for every seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import chatham as ch
from chatham.model.intake import as_matrix

HELD_OUT = 0.2
SHORTEST = 5
"""Tokens of a document at least: of fewer, halves tell nothing."""
SAMPLE = "bundled sample"
SAMPLE_WORDS = 1000


@dataclass(frozen=True)
class Source:
    """A file, how many of its words are kept, and how texts and labels are called."""

    file: str
    words: int = 8000
    text: str | None = None
    label: str | None = None
    documents: int | None = None


SOURCES = {
    "BBC": Source("bbc_raw.parquet", text="text", label="label"),
    "Reuters": Source("reuters21578.parquet", text="title,text", label="labels"),
    "20 Newsgroups": Source("20newsgroups_clean.parquet", text="text", label="label"),
    "NIPS": Source("nips12_bow.npz"),
    "AP": Source("ap.npz"),
    "ACL": Source("acl_abstracts.npz", documents=10_000),
}


@dataclass(frozen=True, eq=False)
class Parts:
    """A corpus in two: what models learn from, and what they are asked about."""

    name: str
    train: ch.Corpus
    unseen: ch.Corpus

    @property
    def labels(self) -> Any:
        """The training documents' labels, if there are any."""
        return self.train.labels


def read(folder: Path | None, names: Iterable[str]) -> Iterator[tuple[str, ch.Corpus]]:
    """The corpora of these names, one at a time; without a folder the bundled sample alone."""
    if folder is None:
        yield SAMPLE, long_enough(ch.sample_corpus(max_features=SAMPLE_WORDS))
        return
    for name in names:
        yield name, long_enough(_read(folder, SOURCES[name]))


def parts_of(name: str, corpus: ch.Corpus, seed: int) -> Parts:
    """Four fifths to learn from and a fifth held out, others for every seed."""
    train, unseen = corpus.split(HELD_OUT, random_state=seed)
    return Parts(name, train, unseen)


def long_enough(corpus: ch.Corpus) -> ch.Corpus:
    """The documents of five tokens or more."""
    return corpus.rows(np.asarray(as_matrix(corpus.counts).sum(axis=1)).ravel() >= SHORTEST)


def _read(folder: Path, source: Source) -> ch.Corpus:
    path = folder / source.file
    if not path.exists():
        raise ch.InputError(f"The folder {folder} lacks {source.file}.")
    options: dict[str, Any] = {"max_features": source.words}
    if source.text is None:
        corpus = ch.read_corpus(path, **options).rows(slice(source.documents))
        return ch.Corpus(corpus.counts, corpus.vocabulary, corpus.ids)  # sections are no subjects
    options |= {"text": source.text, "label": source.label, "keep_texts": False}
    return ch.read_corpus(_with_one_label(pd.read_parquet(path), source), **options)


def _with_one_label(table: pd.DataFrame, source: Source) -> pd.DataFrame:
    """Articles with one subject: with several, which of them is the main one isn't said."""
    labels = table[source.label].fillna("")
    return table[(labels != "") & ~labels.str.contains("|", regex=False)]
