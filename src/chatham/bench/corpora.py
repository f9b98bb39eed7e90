"""What is measured on: 20 Newsgroups and NIPS where they lie, the bundled sample otherwise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from chatham.corpus import Corpus, read_corpus, sample_corpus
from chatham.errors import InputError

NEWS = ("20newsgroups_clean.parquet", 8000)
NIPS = ("nips12_bow.npz", 5000)


class Counts(sp.csr_array):  # type: ignore[misc]
    """Counts that remember the corpus they are of, for contests that need its texts."""

    corpus: Corpus | None = None


def corpora(folder: Path | None) -> dict[str, Counts]:
    """Counts by name; documents without words are left out, since some peers can't take them."""
    if folder is None:
        return {"bundled sample": _full_rows(sample_corpus(min_df=2))}
    found = {}
    for name, (file, words) in {"20 Newsgroups": NEWS, "NIPS": NIPS}.items():
        if (folder / file).exists():
            found[name] = _full_rows(read_corpus(folder / file, max_features=words))
    if not found:
        raise InputError(
            f"The folder '{folder}' has neither {NEWS[0]} nor {NIPS[0]}; name another with --data, "
            "or leave it out to measure on the bundled sample."
        )
    return found


def _full_rows(corpus: Corpus) -> Counts:
    kept = corpus.rows(~corpus.empty)
    counts = Counts(kept.counts, dtype=np.float64)
    counts.corpus = kept
    return counts
