"""What a coalition knows besides the rounds, and how much work it puts into an attack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.errors import InputError


@dataclass(frozen=True)
class Known:
    """What everybody knows of the words, and what a coalition knows of its own documents."""

    scale: NDArray[np.float64]
    """What counts were multiplied by before the fit, word by word: idf, or ones."""
    frequencies: NDArray[np.int64] | None = None
    """How many of the others' documents have each word: told exactly when words are agreed on."""
    own: Any = None
    """The coalition's own rows, as they entered the fit: they say which words go together."""
    others: int = 2
    """How many parties there are besides the coalition: each rounds what it adds."""

    def __post_init__(self) -> None:
        d = len(self.scale)
        if not (np.isfinite(self.scale).all() and (np.asarray(self.scale) > 0).all()):
            raise InputError("The scale of each word must be a positive number.")
        if self.frequencies is not None and len(self.frequencies) != d:
            raise InputError(
                f"There are {len(self.frequencies)} document frequencies for {d} words; give one "
                "for each word."
            )
        if self.own is not None and self.own.shape[1] != d:
            raise InputError(
                f"The coalition's own rows have {self.own.shape[1]} columns for {d} words; give "
                "them as they entered the fit."
            )

    @property
    def n_words(self) -> int:
        """The number of words."""
        return len(self.scale)

    @classmethod
    def of_parts(cls, parts: Any, coalition: Any = (0,), scale: Any = None) -> Known:
        """What these parties know of each other's rows after they have agreed on words."""
        d = parts[0].shape[1]
        others = [sp.csc_array(part) for i, part in enumerate(parts) if i not in coalition]
        frequencies = sum(np.diff(_without_zeros(part).indptr) for part in others)
        own = sp.vstack([sp.csr_array(parts[i]) for i in coalition], format="csr")
        given = np.ones(d) if scale is None else np.asarray(scale, dtype=np.float64)
        return cls(given, np.asarray(frequencies, dtype=np.int64), own, len(others))


def _without_zeros(part: Any) -> Any:
    part = part.copy()
    part.eliminate_zeros()
    return part


def words_of_one(
    frequencies: NDArray[np.int64], most: int
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Words that one document has, at most so many, each once; with how many documents are left.

    Whoever finds a document takes it off what is left, so that further words are of one document.
    """
    left, tried = np.array(frequencies), np.zeros(len(frequencies), dtype=bool)
    for _ in range(most):
        lone = np.flatnonzero((left == 1) & ~tried)
        if not len(lone):
            return
        tried[lone[0]] = True
        yield int(lone[0]), left


@dataclass(frozen=True)
class Effort:
    """How far attacks go that would take for ever otherwise."""

    apart: int = 3
    """How far two rounds may lie apart to be subtracted."""
    topics: int = 2
    """How many topics' totals are added up before they are subtracted."""
    rows: int = 12
    """For how many of the rarest words rows are solved from products."""
    documents: int = 1000
    """How many documents are solved for, one after another, from a learner's transcript."""
