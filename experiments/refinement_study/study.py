"""Fit and score every model of the study, unless it was kept from an earlier run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from chatham.learners.anchor.refine import FIRST_SUM
from chatham.numerics.threads import threads
from inference_study.records import Record, Records
from refinement_study.documents import Parts
from refinement_study.peers import tomotopy_topics
from refinement_study.scores import scores_of
from refinement_study.starts import (
    Clock,
    Spectral,
    Start,
    clocked,
    fewest_documents,
    random_start,
    spectral,
)
from refinement_study.updates import sweeps_by
from refinement_study.ways import PARTS, Usual, Way, several_samples

Array = NDArray[np.float64]

GIBBS_BURN_IN = 10
"""Before priors are learned, where the start is good already."""


@dataclass(frozen=True, eq=False)
class Found:
    """Topics, their prior, and how long they took."""

    topics: Array
    alpha: Array
    took: Clock


@dataclass(eq=False)
class Running:
    """Sweeps that were begun and may go on."""

    key: Way
    swept: Iterator[tuple[Array, Array]]
    took: Clock
    done: int = 0
    latest: tuple[Array, Array] | None = None

    def after(self, sweeps: int) -> Found:
        """What there is after so many in all."""
        with clocked() as clock:
            while self.done < sweeps:
                self.latest, self.done = next(self.swept), self.done + 1
        self.took += clock
        assert self.latest is not None
        return Found(*self.latest, self.took)


@dataclass(eq=False)
class Case:
    """A corpus and a number of topics; the spectral start is made when first asked for."""

    parts: Parts
    k: int
    seed: int
    n_jobs: int
    running: Running | None = None
    """The last sweeps: 40 of them go on where 20 ended."""

    @cached_property
    def spectral(self) -> Spectral:
        """The co-occurrence, rectified."""
        return spectral(self.parts.train, self.k)

    def asked(self, way: Way) -> dict[str, Any]:
        """What a result depends on; a limit in documents is what a share or a rule comes to."""
        settings = way.settings()
        if way.least is not None:
            settings["least"] = fewest_documents(self.parts.train, self.k, way.least)
        cell = {"corpus": self.parts.name, "k": self.k}
        return {**cell, **settings, "size": self.parts.size, "seed": self.seed}

    def find(self, way: Way) -> Found:
        """The topics."""
        return FITS[way.model](self, replace(way, least=self.asked(way)["least"]))


def run(parts: Parts, k: int, wanted: Iterable[str], usual: Usual, records: Records, **how: Any,
        ) -> list[Record]:  # fmt: skip
    """All models of the wanted parts that can be made, part by part; `how` is seed and n_jobs."""
    case, found = Case(parts, k, **how), []
    for part in wanted:
        for way in PARTS[part](usual):
            asked = case.asked(way)
            if not records.has(asked):
                records.add(asked, _result(case, way))
            found.append({**records.get(asked), "part": part, "share": way.least})
    return [record for record in found if "why" not in record]


def warm_up(n_jobs: int) -> None:
    """Compile everything, so that no model's seconds have that in them."""
    counts = np.random.default_rng(0).poisson(0.5, (40, 30))
    start = ch.AnchorWords(2, refine=2, n_jobs=n_jobs).fit(counts)
    ch.LDA(2, init=start, max_iter=10, shards=n_jobs, n_jobs=n_jobs).fit(counts)


def _result(case: Case, way: Way) -> Record:
    try:
        with threads(case.n_jobs):
            found = case.find(way)
    except ch.InputError as error:  # too few words are in so many documents
        return {"why": str(error)}
    scores = scores_of(found.topics, found.alpha, case.parts, case.n_jobs)
    took = {"seconds": round(found.took.wall, 2), "cpu": round(found.took.cpu, 2)}
    return {**{name: round(value, 5) for name, value in scores.items()}, **took}


def _anchors(case: Case, way: Way) -> Found:
    start = case.spectral.start(way.least)
    return _swept(case, way, start) if way.sweeps else Found(start.topics, start.alpha, start.took)


def _random(case: Case, way: Way) -> Found:
    return _swept(case, way, random_start(case.parts.train, case.k, case.seed))


def _swept(case: Case, way: Way, start: Start) -> Found:
    key = replace(way, sweeps=0)
    if case.running is None or case.running.key != key or case.running.done > way.sweeps:
        counts = case.parts.train.counts
        swept = sweeps_by(way.update, way.learning, counts, start, way.beta)
        case.running = Running(key, swept, start.took)
    return case.running.after(way.sweeps)


def _gibbs(case: Case, way: Way) -> Found:
    options: dict[str, Any] = {"shards": case.n_jobs, "n_jobs": case.n_jobs}
    before = Clock()
    if way.model == "averaged":
        options |= several_samples(way.sweeps)
    if way.least is not None:
        start = case.spectral.start(way.least)
        first = _anchors(case, Way("anchors", way.refined, way.least, way.beta))
        before, alpha = first.took, first.alpha if way.refined else FIRST_SUM * start.shares
        options |= {
            "init": first.topics, "alpha": alpha, "beta": way.beta, "burn_in": GIBBS_BURN_IN,
        }  # fmt: skip
    learner = ch.LDA(case.k, max_iter=way.sweeps, random_state=case.seed + way.chain, **options)
    with clocked() as clock:
        learner.fit(case.parts.train.counts)
    return Found(learner.components_, learner.alpha_, before + clock)


def _tomotopy(case: Case, way: Way) -> Found:
    with clocked() as clock:
        topics, alpha = tomotopy_topics(
            case.parts.train.counts, case.k, way.sweeps, workers=case.n_jobs, seed=case.seed
        )
    return Found(topics, alpha, clock)


FITS = {
    "anchors": _anchors,
    "random": _random,
    "gibbs": _gibbs,
    "averaged": _gibbs,
    "tomotopy": _tomotopy,
}
