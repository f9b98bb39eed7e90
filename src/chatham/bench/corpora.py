"""What is measured on: 20 Newsgroups and NIPS where they lie, the bundled sample otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from chatham.corpus import read_corpus, sample_corpus
from chatham.errors import InputError

NEWS = ("20newsgroups_clean.parquet", 8000)
NIPS = ("nips12_bow.npz", 5000)


def corpora(folder: Path | None) -> dict[str, sp.csr_array]:
    """Counts by name; documents without words are left out, since some peers can't take them."""
    if folder is None:
        return {"bundled sample": _full_rows(sample_corpus(min_df=2).counts)}
    found = {}
    for name, (file, words) in {"20 Newsgroups": NEWS, "NIPS": NIPS}.items():
        if (folder / file).exists():
            corpus = read_corpus(folder / file, max_features=words, keep_texts=False)
            found[name] = _full_rows(corpus.counts)
    if not found:
        raise InputError(
            f"The folder '{folder}' has neither {NEWS[0]} nor {NIPS[0]}; name another with --data, "
            "or leave it out to measure on the bundled sample."
        )
    return found


def _full_rows(counts: Any) -> sp.csr_array:
    rows = sp.csr_array(counts, dtype=np.float64)
    return sp.csr_array(rows[np.asarray(rows.sum(axis=1)).ravel() > 0])
