"""The corpora that are audited: rows of counts or of ratings, each with its owner."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

import chatham as ch
from chatham.audit.neighbours import random_targets
from uplift_study.documents import COLUMNS, FILES, RATINGS, SAMPLE, read_ratings

Rows = NDArray[np.int64]

LEAST_TOKENS = 5
"""Documents with fewer words of the vocabulary are left out: there is little to recognise."""
LEAST_RATINGS = 200
"""Films with fewer ratings are left out, which saves two thirds of the time."""


@dataclass(frozen=True)
class Audited:
    """A corpus as the audit needs it."""

    name: str
    counts: sp.csr_array
    owners: tuple[str, ...]
    """Whose each row is; empty if nobody's in particular."""

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.counts.shape[0])

    def targets(self, count: int, seed: int = 0) -> Rows:
        """So many documents at random, the same for every party size."""
        return random_targets(min(count, self.size), self.size, seed)

    def of_unit_length(self) -> Audited:
        """The same with every row scaled to length one."""
        lengths = np.sqrt(np.asarray(self.counts.multiply(self.counts).sum(axis=1)))
        rows = self.counts.multiply(1 / np.maximum(lengths, 1e-300)[:, None])
        return replace(self, counts=sp.csr_array(rows))

    @property
    def described(self) -> str:
        """Its size in words."""
        rows, columns = self.counts.shape
        return f"{self.name}: {rows:,} rows, {columns:,} columns"


def read_documents(folder: Path | None, name: str, min_df: int) -> Audited:
    """A corpus of texts, or the bundled sample; texts that recur count once."""
    if folder is None:
        sample = ch.sample_corpus()
        table = pd.DataFrame({"text": sample.texts, "owner": sample.column(COLUMNS[SAMPLE])})
        return audited(SAMPLE, table, "owner", min_df)
    file = folder / FILES[name]
    if not file.exists():
        raise ch.InputError(f"The folder {folder} lacks {file.name}.")
    return audited(name, pd.read_parquet(file), COLUMNS[name], min_df)


def audited(name: str, table: pd.DataFrame, owner: str, min_df: int) -> Audited:
    """The documents of a table that have enough words of those in `min_df` documents."""
    once = table[~table["text"].fillna("").str.strip().duplicated()]
    corpus = ch.read_corpus(once, text="text", label=owner, min_df=min_df)
    counts = sp.csr_array(corpus.counts, dtype=np.float64)
    kept = np.flatnonzero(np.asarray(counts.sum(axis=1)) >= LEAST_TOKENS)
    labels: Any = corpus.labels
    return Audited(name, counts[kept], tuple(str(labels[row]) for row in kept))


def read_films(folder: Path) -> Audited:
    """Users × films of MovieLens-1M, 1 to 5 stars; a cell that isn't stored is unknown."""
    if not (folder / RATINGS).exists():
        raise ch.InputError(f"The folder {folder} lacks {RATINGS}.")
    ratings = read_ratings(folder)
    often = np.bincount(ratings.indices, minlength=ratings.shape[1]) >= LEAST_RATINGS
    known = sp.csr_array(ratings[:, often])
    return Audited("MovieLens-1M", known[np.diff(known.indptr) >= LEAST_TOKENS], ())
