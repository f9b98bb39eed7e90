"""One fit: from which start, between how many parties, and what it left unexplained when."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

import chatham as ch
from chatham.commons.interface import name_of
from chatham.commons.recorded import Entry
from chatham.learners.nmf.schedules import topic_statistics
from inference_study.records import Record
from initialisations_study.documents import Source

RANDOM, TWICE, SINGULAR, LOCAL = "random", "random_2x", "nndsvd", "local"


class Apart(ch.Simulated):
    """Holders that mustn't see each other's rows, though their sums are plain ones.

    A topic that no document uses begins anew as it does between real parties, while masks, which
    change nothing but the last digits, cost no time.
    """

    def __init__(self, parts: Sequence[Any]) -> None:
        super().__init__(parts)
        self.private = True


def run_trial(
    source: Source, k: int, init: str, parts: Sequence[Any], iterations: int, seed: int
) -> Record:
    """What was left after each iteration, and what had crossed by then."""
    commons = ch.Recorded(Apart(parts))
    nmf = ch.NMF(
        k, init=init, max_iter=iterations, tol=0, random_state=seed, n_jobs=1, **source.settings
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* topics were left without documents")
        nmf.fit(commons)
    left = (nmf.objective_ / source.half_norm).tolist()
    return {"left": left, **crossed(commons.ledger), "revived": len(nmf.revived_)}


def crossed(ledger: Sequence[Entry]) -> dict[str, Any]:
    """Rounds, and bytes from each party, before the first iteration and by the end of each."""
    sizes = np.bincount([e.round for e in ledger], weights=[e.bytes for e in ledger])
    sums = np.cumsum(sizes).astype(int).tolist()
    own = name_of(topic_statistics)
    rounds = sorted({entry.round for entry in ledger if entry.statistic == own})
    before = rounds[0] - 1
    return {
        "before": [before, sums[before]],
        "rounds": rounds,
        "bytes": [sums[each] for each in rounds],
    }
