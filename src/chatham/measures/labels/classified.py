"""A holder's documents with one label each, parted into those to learn on and those to try.

Which is which is a coin for each document, tossed by its content, so it falls alike anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.measures.evidence import classes_at, holding_at, weights_at
from chatham.measures.labels.logistic import Places
from chatham.measures.subject import Subject
from chatham.numerics.keyed import row_keys, uniforms

Part = tuple[sp.csr_array, Places]
"""Documents' features, and their classes by place among the agreed ones."""


class Features(NamedTuple):
    """What of the documents is looked at ("weights" or "words"), and how they are parted."""

    kind: str
    test: float
    random_state: int


@dataclass(frozen=True, eq=False)
class Classified:
    """A holder's documents with one label each, to learn on and to try; how many were left out."""

    learned: Part
    tried: Part
    unlabelled: int
    several: int


def classified_at(rows: Any, memory: Memory, subject: Subject, asked: Features) -> Classified:
    """This holder's documents with one label, prepared once."""
    key = f"classified {asked}"
    if key not in memory:
        memory[key] = _classified(rows, memory, subject, asked)
    classified: Classified = memory[key]
    return classified


def _classified(rows: Any, memory: Memory, subject: Subject, asked: Features) -> Classified:
    classes = classes_at(rows, memory, subject)
    labels = np.diff(classes.indptr)
    features = _features(rows, memory, subject, asked.kind)
    test = coins(holding_at(rows, memory, subject).counts, asked)
    learned, tried = (
        (sp.csr_array(features[chosen]), classes[chosen].indices.astype(np.intp))
        for chosen in ((labels == 1) & ~test, (labels == 1) & test)
    )
    return Classified(learned, tried, int((labels == 0).sum()), int((labels > 1).sum()))


def _features(rows: Any, memory: Memory, subject: Subject, kind: str) -> sp.csr_array:
    if kind == "words":
        return holding_at(rows, memory, subject).frequencies
    # Sparse too: one way for both, whose sums no threaded BLAS can reorder.
    return sp.csr_array(weights_at(rows, memory, subject))


def coins(counts: sp.csr_array, asked: Features) -> NDArray[np.bool_]:
    """Which documents are tests, by a coin for each that is keyed by its counts."""
    keys = row_keys(counts.indptr, counts.indices, counts.data, asked.random_state)
    return np.asarray(uniforms(keys, 1)[:, 0] < asked.test)
