"""Six corpora as `read_corpus` reads them by default, each cut once into training and held-out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.corpus import Corpus, read_corpus, sample_corpus
from chatham.errors import InputError

Rows = NDArray[np.int64]

SOURCES: dict[str, tuple[str, dict[str, Any]]] = {
    "20 Newsgroups": ("20newsgroups_clean.parquet", {"text": "text", "label": "label", "id": "id"}),
    "BBC": ("bbc_raw.parquet", {"text": "text", "label": "label", "id": "id"}),
    "Reuters": ("reuters21578.parquet", {"text": "title,text", "label": "labels", "id": "id"}),
    "NIPS": ("nips12_bow.npz", {}),
    "AP": ("ap.npz", {}),
    "ACL": ("acl_abstracts_2016on.parquet", {"text": "title,text", "id": "id"}),
}
"""By name: the file, and which of its columns are what."""

SAMPLE = "bundled sample"

UNLABELLED = ("NIPS", SAMPLE)
"""Corpora whose labels (a section of the proceedings, a year) aren't what a document is about."""

HELD_OUT = 0.2


@dataclass(frozen=True, eq=False)
class Parts:
    """One corpus: the documents that all are fitted to, and those that nobody has seen."""

    name: str
    train: Corpus
    test: Corpus
    everything: Corpus
    """Both: where top words are looked for together."""
    classes: NDArray[np.object_] | None
    """The label of each training document that has exactly one, else None; of a corpus without
    labels nothing at all."""

    @cached_property
    def fingerprint(self) -> str:
        """Of the words and counts of both: results on other documents aren't comparable."""
        digest = hashlib.sha256("\n".join(map(str, self.train.vocabulary)).encode())
        for corpus in (self.train, self.test):
            counts = corpus.counts
            for array in (counts.indptr, counts.indices, counts.data):
                digest.update(np.ascontiguousarray(array, dtype=np.int64).tobytes())
        return digest.hexdigest()[:16]


def read_parts(folder: Path | None, names: Sequence[str]) -> dict[str, Parts]:
    """The corpora of these names; the bundled sample where no folder is given."""
    if folder is None:
        return {SAMPLE: parts_of(SAMPLE, sample_corpus(min_df=2))}
    lacking = [SOURCES[name][0] for name in names if not (folder / SOURCES[name][0]).exists()]
    if lacking:
        raise InputError(
            f"The folder '{folder}' lacks {', '.join(lacking)}; name another with --data, or fewer "
            "corpora with --corpora."
        )
    return {name: parts_of(name, _read(folder, name)) for name in names}


def _read(folder: Path, name: str) -> Corpus:
    file, columns = SOURCES[name]
    return read_corpus(folder / file, keep_texts=False, **columns)


def parts_of(name: str, corpus: Corpus) -> Parts:
    """Cut into training and held-out; what only held-out documents have isn't anybody's word."""
    if name in UNLABELLED:
        corpus = replace(corpus, labels=None)
    training, held_out = cut(corpus.rows(~corpus.empty), HELD_OUT)
    counted = np.asarray(training.counts.sum(axis=0)).ravel() > 0
    words = [str(word) for word in training.vocabulary[counted]]
    train, test = (read_corpus(part, vocabulary=words) for part in (training, held_out))
    test = test.rows(~test.empty)
    everything = Corpus(sp.csr_array(sp.vstack([train.counts, test.counts])), train.vocabulary)
    return Parts(name, train, test, everything, _classes(train.labels))


def cut(corpus: Corpus, test: float) -> tuple[Corpus, Corpus]:
    """Training and held-out documents at random; copies of a document stay on one side.

    Not by `Corpus.split`: what peers reached is kept, and must be on the same documents for ever.
    """
    rows_of: dict[bytes, list[int]] = {}
    for row in range(len(corpus)):
        cells = slice(corpus.counts.indptr[row], corpus.counts.indptr[row + 1])
        order = np.argsort(corpus.counts.indices[cells])
        content = [corpus.counts.indices[cells][order], corpus.counts.data[cells][order]]
        key = b"|".join(np.asarray(part, dtype=np.int64).tobytes() for part in content)
        rows_of.setdefault(key, []).append(row)
    alike = list(rows_of.values())
    held_out: list[int] = []
    for group in np.random.default_rng(0).permutation(len(alike)):
        if len(held_out) + len(alike[group]) <= round(test * len(corpus)):
            held_out += alike[group]
    is_test = np.zeros(len(corpus), dtype=bool)
    is_test[held_out] = True
    return corpus.rows(~is_test), corpus.rows(is_test)


def _classes(labels: Iterable[Any] | None) -> NDArray[np.object_] | None:
    if labels is None:
        return None
    return np.array([_only(label) for label in labels], dtype=object)


def _only(label: Any) -> str | None:
    """The label of a document that has exactly one."""
    if label is None or (isinstance(label, float) and np.isnan(label)):
        return None
    several = label.split("|") if isinstance(label, str) else [str(each) for each in label]
    several = [each for each in several if each]
    return several[0] if len(several) == 1 else None
