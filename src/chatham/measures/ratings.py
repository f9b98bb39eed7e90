"""How well a model of ratings predicts them: errors over the cells that are known, and no others.

For models to which a cell that isn't stored is unknown. All other measures of documents take such a
cell for a zero, and aren't for them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.commons import Commons, Memory
from chatham.commons.precision import BY_TOKEN, Budgets
from chatham.learners.documents import Documents
from chatham.learners.held_out import split_cells
from chatham.measures.evidence import KnownDocuments, documents_at
from chatham.measures.measure import Measure, Score, UndefinedError, by_settings, named
from chatham.measures.settings import check_positive, check_share, check_whole
from chatham.measures.subject import Subject
from chatham.model.prediction import predicted
from chatham.numerics.products import sums_by

Array = NDArray[np.float64]

SHRINK_WORD, SHRINK_DOCUMENT, EPOCHS = 10.0, 15.0, 10
"""So many cells at the mean are added to those of a word and of a document, and so often the two
biases are estimated in turn: as in scikit-surprise's `BaselineOnly`."""


@dataclass(frozen=True)
class OverKnownCells(Measure):
    """What both errors share: which cells are seen, which are predicted, and the baseline."""

    hidden: float = 0.2
    scale: float = 1.0
    seed: int = 0
    held_out: bool = False
    higher_is_better: ClassVar[bool] = False
    needs: ClassVar[frozenset[str]] = by_settings(
        lambda m: frozenset({"ratings", "held_out" if m.held_out else "weights"})
    )
    budget: ClassVar[Budgets] = BY_TOKEN

    def __post_init__(self) -> None:
        """Refuse invalid settings."""
        check_share("hidden", self.hidden, above_zero=True, below_one=True)
        check_positive("scale", self.scale)
        check_whole("seed", self.seed, 0)

    @staticmethod
    def local_statistics(
        rows: Any, memory: Memory, subject: Subject, share: float, seed: int
    ) -> tuple[Array, Array]:
        """Sums of absolute and squared errors of my cells; cells, documents, and those left out."""
        split = _split_at(rows, memory, subject, share, seed)
        errors = memory.derived(("rating errors", share, seed), _errors, split, subject)
        numbers = len(errors), split.hidden.shape[0], split.left_out
        return _sums(errors), np.array(numbers, dtype=np.float64)

    def shared(self, subject: Subject) -> tuple[Any, ...]:
        """What share of each document's cells is hidden, and by which draw."""
        return self.hidden if self.held_out else 0.0, self.seed

    def measure(self, subject: Subject, commons: Commons | None) -> Score:
        """The sums of errors; where totals may be exact, those of the baseline too."""
        assert commons is not None, f"{self.name} needs documents"
        errors, numbers = commons.sum(
            self.local_statistics, subject, *self.shared(subject), most=BY_TOKEN
        )
        cells, documents, left_out = (int(number) for number in numbers)
        if not cells:
            raise UndefinedError("No document has a cell to predict and others to predict it by.")
        notes: dict[str, Any] = {
            "documents": documents, "cells": cells, "left_out": left_out, "baseline": None,
        }  # fmt: skip
        if commons.exact_totals:
            baseline = self._baseline(subject, commons)
            notes["baseline"] = self.of(baseline, cells)
        return Score(self.of(errors, cells), notes=notes)

    def of(self, errors: Array, cells: int) -> float:
        """The error from Σ|r − r̂| and Σ(r − r̂)² over so many cells."""
        raise AssertionError("each of the two errors is its own")

    def value(self, totals: Any, subject: Subject) -> Score:
        """From the sums alone, without a baseline."""
        errors, numbers = totals
        return Score(self.of(errors, int(numbers[0])))

    def _baseline(self, subject: Subject, commons: Commons) -> Array:
        """The same sums for mean + bias of the word + bias of the document, from the seen cells."""
        shared = subject, *self.shared(subject)
        total, times = commons.sum(add_seen, *shared, most=BY_TOKEN)
        mean, biases = float(total) / float(times.sum()), np.zeros(len(times))
        for _ in range(EPOCHS):
            left = commons.sum(add_what_is_left, *shared, mean, biases, most=BY_TOKEN)
            biases = left / (SHRINK_WORD + times)
        return np.asarray(commons.sum(sum_baseline_errors, *shared, mean, biases, most=BY_TOKEN))


@dataclass(frozen=True)
class RMSE(OverKnownCells):
    """The root of the mean squared error of ratings, √(Σ (r − r̂)² / n), over known cells alone.

    r̂ is W̃C, from the weights that the model gives a document's cells. `rmse` is in sample: the
    weights and the errors are of the same cells. With `held_out` a share `hidden` of each
    document's cells is drawn, keyed by its content, and predicted by the others. Errors are divided
    by `scale`: films read with `read_baskets(scale=2)` count twice their stars. The note `baseline`
    is the error of mean + bias of the item + bias of the basket, from the same seen cells; between
    parties, where its sums over single items may not be exact, there is none.
    """

    name: ClassVar[str] = named("rmse")
    source: ClassVar[str] = "thesis, section 3.3.1"

    def of(self, errors: Array, cells: int) -> float:
        """√(Σ (r − r̂)² / n)."""
        return math.sqrt(max(float(errors[1]), 0.0) / cells) / self.scale


@dataclass(frozen=True)
class MAE(OverKnownCells):
    """The mean absolute error of ratings, Σ |r − r̂| / n, over known cells alone; see `rmse`."""

    name: ClassVar[str] = named("mae")
    source: ClassVar[str] = "thesis, section 3.3.1"

    def of(self, errors: Array, cells: int) -> float:
        """Σ |r − r̂| / n."""
        return float(errors[0]) / cells / self.scale


@dataclass(frozen=True, eq=False)
class SplitCells:
    """Documents with cells on both sides: what is seen of them, and what is to be predicted."""

    seen: sp.csr_array
    hidden: sp.csr_array
    left_out: int


def add_seen(
    rows: Any, memory: Memory, subject: Subject, share: float, seed: int
) -> tuple[Array, Array]:
    """The sum of my seen ratings, and how many there are of each word."""
    seen = _split_at(rows, memory, subject, share, seed).seen
    return np.array(seen.data.sum()), sums_by(seen.indices, np.ones(len(seen.data)), seen.shape[1])


def add_what_is_left(
    rows: Any, memory: Memory, subject: Subject, share: float, seed: int, mean: float, biases: Array
) -> Array:
    """For each word, the sum of my ratings of it less their mean and their documents' biases."""
    seen = _split_at(rows, memory, subject, share, seed).seen
    own = np.repeat(_own_biases(seen, mean, biases), np.diff(seen.indptr))
    return np.asarray(sums_by(seen.indices, seen.data - mean - own, seen.shape[1]))


def sum_baseline_errors(
    rows: Any, memory: Memory, subject: Subject, share: float, seed: int, mean: float, biases: Array
) -> Array:
    """Sums of the baseline's absolute and squared errors over my cells."""
    split = _split_at(rows, memory, subject, share, seed)
    own = np.repeat(_own_biases(split.seen, mean, biases), np.diff(split.hidden.indptr))
    return _sums(split.hidden.data - mean - biases[split.hidden.indices] - own)


def _own_biases(seen: sp.csr_array, mean: float, biases: Array) -> Array:
    """How far a document's ratings are above what is usual for their words, drawn towards zero."""
    times = np.diff(seen.indptr)
    owners = np.repeat(np.arange(seen.shape[0]), times)
    left = sums_by(owners, seen.data - mean - biases[seen.indices], seen.shape[0])
    return np.asarray(left / (SHRINK_DOCUMENT + times))


def _errors(split: SplitCells, subject: Subject) -> Array:
    """r − r̂ of each cell to be predicted."""
    if not len(split.hidden.data):
        return np.zeros(0)
    idf = getattr(subject.vectorizer, "idf", None)
    known = sp.csr_array(subject.weighed(split.seen.copy()))
    return np.asarray(split.hidden.data - predicted(subject.estimator, idf, known, split.hidden))


def _sums(errors: Array) -> Array:
    return np.array([np.abs(errors).sum(), errors @ errors])


def _split_at(rows: Any, memory: Memory, subject: Subject, share: float, seed: int) -> SplitCells:
    documents = documents_at(rows, memory, subject)
    return memory.derived(("cells", share, seed), _split, documents, share, seed)


def _split(documents: KnownDocuments, share: float, seed: int) -> SplitCells:
    counts = documents.counts
    if share == 0:
        return SplitCells(counts, counts, 0)
    seen, hidden = split_cells(Documents(counts, keep_zeros=True), share, seed)
    both = (np.diff(seen.indptr) > 0) & (np.diff(hidden.indptr) > 0)
    return SplitCells(sp.csr_array(seen[both]), sp.csr_array(hidden[both]), int((~both).sum()))
