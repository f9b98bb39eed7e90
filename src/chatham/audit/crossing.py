"""What crosses in one session like those that are audited: its ledger, and small counts.

A release is asked for both: which totals become known, of what shape and how many bytes; and
whether anything published rests on a handful of documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.audit.mechanisms import FitMechanism, are_distributions
from chatham.commons import Recorded
from chatham.commons.recorded import Entry
from chatham.learners.base import TopicLearner
from chatham.numerics.threads import threads

FEW = (5, 10)
"""Documents: fewer than so many are called a small count."""
LEAST_DOCUMENTS = 5
"""A word that fewer documents have is rare."""


@dataclass(frozen=True)
class Crossed:
    """One kind of total: how often it crossed, and how large it is each time."""

    statistic: str
    meaning: str
    array: int
    """Which of the round's arrays it is."""
    shape: tuple[int, ...]
    dtype: str
    times: int
    bytes: int
    """In all."""


@dataclass(frozen=True)
class SmallCounts:
    """What rests on few documents."""

    documents: int
    words: int
    """With any document."""
    rare_words: int
    """That fewer than five documents have."""
    topics: int
    small_topics: dict[int, int] | None
    """How many topics have fewer documents' worth of weight than each of these; None where weights
    aren't shares."""
    smallest_topic: float | None
    """The least that a topic has, in documents' worth of weight."""
    shortest_document: int
    """How many different words it has."""


@dataclass(frozen=True)
class Crossing:
    """The ledger of one session, and its small counts."""

    rounds: int
    bytes: int
    ledger: tuple[Crossed, ...]
    small_counts: SmallCounts

    def to_dict(self) -> dict[str, Any]:
        """All of it in JSON's terms."""
        small = asdict(self.small_counts)
        if self.small_counts.small_topics is not None:
            small["small_topics"] = {
                f"fewer than {few}": n for few, n in self.small_counts.small_topics.items()
            }
        return {
            "rounds": self.rounds,
            "bytes": self.bytes,
            "ledger": [asdict(each) | {"shape": list(each.shape)} for each in self.ledger],
            "small_counts": small,
        }


def record_session(mechanism: FitMechanism, rows: sp.csr_array, seed: int) -> Crossing:
    """Run one session on these rows, with a ledger around it."""
    ledgers: list[Recorded] = []

    def recorded(commons: Any) -> Recorded:
        ledgers.append(Recorded(commons))
        return ledgers[0]

    with threads(None):
        learner, _ = mechanism.fitted(rows, seed, recorded)
        small = small_counts(learner, rows)
    entries = ledgers[0].ledger
    return Crossing(
        max((each.round for each in entries), default=0),
        sum(each.bytes for each in entries),
        tuple(by_kind(entries)),
        small,
    )


def by_kind(entries: Sequence[Entry]) -> list[Crossed]:
    """Entries of the same step, array and shape in one line, in the order of their first."""
    found: dict[Any, Crossed] = {}
    for each in entries:
        kind = (each.statistic, each.array, tuple(each.shape), each.dtype)
        before = found.get(kind)
        found[kind] = Crossed(
            each.statistic,
            each.meaning,
            each.array,
            tuple(each.shape),
            each.dtype,
            1 if before is None else before.times + 1,
            each.bytes if before is None else before.bytes + each.bytes,
        )
    return list(found.values())


def small_counts(learner: TopicLearner, rows: sp.csr_array) -> SmallCounts:
    """What of this model, and of these documents, is few."""
    filled = sp.csr_array(rows, copy=True)
    filled.eliminate_zeros()
    having = np.diff(sp.csc_array(filled).indptr)
    lengths = np.diff(filled.indptr)
    worth = documents_worth(learner, filled[lengths > 0])
    return SmallCounts(
        int(rows.shape[0]),
        int((having > 0).sum()),
        int(((having > 0) & (having < LEAST_DOCUMENTS)).sum()),
        len(learner.components_),
        None if worth is None else {few: int((worth < few).sum()) for few in FEW},
        None if worth is None else float(worth.min()),
        int(lengths[lengths > 0].min(initial=0)),
    )


def documents_worth(learner: TopicLearner, rows: sp.csr_array) -> NDArray[np.float64] | None:
    """For each topic the sum of its weights over documents; None where weights aren't shares."""
    if not are_distributions(learner.components_) or not rows.shape[0]:
        return None
    return np.asarray(learner.transform(rows).sum(axis=0), dtype=np.float64)
