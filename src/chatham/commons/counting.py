"""The number of documents, which everybody must know before sums over them can be bounded."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chatham.commons.memory import Memory


class Counted(NamedTuple):
    """The number of documents of all holders together."""

    documents: int
    with_words: int
    """How many of them have any words."""


def count_documents(rows: Any, memory: Memory) -> NDArray[np.int64]:
    """How many documents there are, and how many of them have any words."""
    totals = np.asarray(getattr(rows, "counts", rows).sum(axis=1)).ravel()
    return np.array([len(totals), (totals != 0).sum()], dtype=np.int64)
