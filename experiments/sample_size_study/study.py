"""All cases, sizes and ways: each topic's ℓ1 distance from the true one it is matched with."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.measures.truth.topics import l1_distances, match_topics
from chatham.numerics.threads import threads
from inference_study.records import Record, Records
from sample_size_study.cases import CASES, Case
from sample_size_study.truth import Truth, anchored
from sample_size_study.ways import (
    GIBBS,
    KL,
    NEED_DOCUMENTS,
    SETTINGS,
    WAYS,
    counted_in,
    from_documents,
    without_noise,
)

Array = NDArray[np.float64]

INFINITE = 0
"""The size that stands for the exact co-occurrence."""


@dataclass(frozen=True)
class Plan:
    """How much is done."""

    words: int = 2000
    topics: int = 50
    sizes: tuple[int, ...] = (1000, 5000, 10_000, 50_000)
    kl_sizes: tuple[int, ...] = (1000, 10_000)
    """RecoverKL takes far longer than all others but Gibbs sampling."""
    gibbs_tokens: int = 3_500_000
    """Corpora of more tokens aren't sampled."""
    seed: int = 0
    n_jobs: int = 1

    def ways(self, case: Case, size: int) -> list[str]:
        """What is tried with so many documents."""
        if size == INFINITE:
            return [way for way in WAYS if way not in NEED_DOCUMENTS]
        left_out = {KL} if size not in self.kl_sizes else set()
        if size * case.length > self.gibbs_tokens:
            left_out.add(GIBBS)
        return [way for way in WAYS if way not in left_out]


@dataclass(frozen=True)
class Found:
    """Errors by case, size and way; and of each kind's true topics the error of uniform ones."""

    about: dict[str, Any]
    records: Sequence[Record]
    uniform: dict[str, float]
    anchored: float

    def error(self, case: Case, size: int, way: str) -> Record | None:
        """The record of one of them, if it was tried."""
        asked = asked_of(case, size, way)
        fit = (r for r in self.records if all(r[name] == asked[name] for name in asked))
        return next(fit, None)


def asked_of(case: Case, size: int, way: str) -> dict[str, Any]:
    """What a record is found by; where documents are infinitely many, their length is nothing."""
    length = 0 if size == INFINITE else case.length
    return {"way": way, "case": case.kind, "size": size, "length": length}


def study(plan: Plan, folder: Path | None, keep: Path | None) -> Found:
    """Everything; what is kept already isn't done again."""
    records = Records(keep)
    truth = Truth(folder, plan.words, plan.topics, plan.seed, plan.n_jobs)
    with threads(plan.n_jobs):
        found = [
            record
            for case in CASES
            for size in (*plan.sizes, INFINITE)
            for record in _at(plan, case, size, truth, records)
        ]
        asked = {"truth": "anchored, uniform", **truth.about}
        if not records.has(asked):
            lines = {case.kind: uniform_error(case.topics(truth.topics)) for case in CASES}
            records.add(asked, {"anchored": anchored(truth.topics), "uniform": lines})
    about = records.get(asked)
    return Found(truth.about, found, about["uniform"], about["anchored"])


def _at(plan: Plan, case: Case, size: int, truth: Truth, records: Records) -> Iterator[Record]:
    """All ways with one corpus, which is drawn if any of them is missing."""
    about = {**truth.about, "seed": plan.seed}
    asked = [
        {**asked_of(case, size, way), "settings": SETTINGS[way], **about}
        for way in plan.ways(case, size)
    ]
    if not all(map(records.has, asked)):
        made = _Made(plan, case, size, truth)
        for each in asked:
            if not records.has(each):
                records.add(each, made.errors(each["way"]))
    yield from map(records.get, asked)


class _Made:
    """A corpus, or its exact co-occurrence, with the truth behind it."""

    def __init__(self, plan: Plan, case: Case, size: int, truth: Truth) -> None:
        self.k, self.plan = len(truth.topics), plan
        self.topics = case.topics(truth.topics)
        if size == INFINITE:
            self.counted = without_noise(case.exact(truth.topics), self.k, plan.seed)
        else:
            drawn = case.draw(truth.topics, size, plan.seed + 1, plan.n_jobs)
            self.counts = drawn.corpus.counts
            self.counted = counted_in(self.counts, self.k, plan.seed)

    def errors(self, way: str) -> Record:
        began = time.perf_counter()
        if way in NEED_DOCUMENTS:
            found = from_documents(way, self.counts, self.k, self.plan.seed, self.plan.n_jobs)
        else:
            found = self.counted.topics(way)
        seconds = time.perf_counter() - began
        return {**spread(matched_errors(found, self.topics)), "seconds": round(seconds, 1)}


def matched_errors(found: Array, truth: Array) -> Array:
    """Each found topic's ℓ1 distance from the true topic that bipartite matching gives it."""
    places = match_topics(found, truth)
    return np.asarray(l1_distances(found, truth)[np.arange(len(places)), places])


def spread(errors: Array) -> dict[str, float]:
    """Mean, standard deviation and median over topics."""
    return {
        "mean": float(errors.mean()),
        "deviation": float(errors.std()),
        "median": float(np.median(errors)),
    }


def uniform_error(truth: Array) -> float:
    """The mean ℓ1 distance of uniform distributions from the true topics.

    >>> uniform_error(np.array([[1.0, 0.0], [0.5, 0.5]]))
    0.5
    """
    uniform = np.full((1, truth.shape[1]), 1.0 / truth.shape[1])
    return float(l1_distances(uniform, truth).mean())
