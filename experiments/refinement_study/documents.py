"""The corpora, long documents first, cut into those to learn from and those held out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import chatham as ch

HELD_OUT = 0.2
SHORTEST = 5
"""Tokens of a document at least: of fewer, halves tell nothing."""


@dataclass(frozen=True)
class Source:
    """A file, how many of its words are kept, and which columns are text."""

    file: str
    words: int = 5000
    text: str | None = None
    documents: int | None = None


SOURCES = {
    "NIPS": Source("nips12_bow.npz"),
    "BBC": Source("bbc_raw.parquet", 8000, "text"),
    "AP": Source("ap.npz"),
    "KOS": Source("kos.npz"),
    "Blog": Source("poliblog5k.npz"),
    "20 Newsgroups": Source("20newsgroups_clean.parquet", 8000, "text"),
    "ACL": Source("acl_abstracts.npz", 8000, documents=20_000),
    "Reuters": Source("reuters21578.parquet", 8000, "title,text"),
}
SAMPLE = "bundled sample"
SAMPLE_WORDS = 1000


@dataclass(frozen=True, eq=False)
class Parts:
    """A corpus in two: what models learn from, and what they are asked about."""

    name: str
    train: ch.Corpus
    unseen: ch.Corpus

    @property
    def size(self) -> list[int]:
        """Training documents, held-out ones, words, training tokens."""
        train = self.train
        return [len(train), len(self.unseen), train.n_words, int(train.n_tokens)]


def read(folder: Path | None, names: Iterable[str], seed: int) -> Iterable[Parts]:
    """The corpora of these names, one at a time; without a folder the bundled sample alone."""
    if folder is None:
        yield _parts(SAMPLE, ch.sample_corpus(max_features=SAMPLE_WORDS), seed)
        return
    for name in names:
        yield _parts(name, _read(folder, SOURCES[name]), seed)


def _read(folder: Path, source: Source) -> ch.Corpus:
    path = folder / source.file
    if not path.exists():
        raise ch.InputError(f"The folder {folder} lacks {source.file}.")
    options: dict[str, Any] = {"max_features": source.words}
    if source.text is not None:
        options |= {"text": source.text, "keep_texts": False}
    corpus = ch.read_corpus(path, **options)
    return corpus.rows(np.arange(len(corpus))[: source.documents])


def _parts(name: str, corpus: ch.Corpus, seed: int) -> Parts:
    lengths = np.asarray(corpus.counts.sum(axis=1)).ravel()
    train, unseen = corpus.rows(lengths >= SHORTEST).split(HELD_OUT, random_state=seed)
    return Parts(name, train, unseen)
