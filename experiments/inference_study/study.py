"""The runs: each setting, corpus, K and way once, unless it is kept already."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import chatham as ch
from chatham.numerics.threads import threads
from inference_study.cases import FEWER_ROUNDS, SETTINGS, Case, Plan
from inference_study.records import Record, Records
from inference_study.scores import scores_of
from inference_study.ways import WAYS, Array, weights_by

TRUE_A = ", true A"
TRUTH = "truth"
TOLD = ("spi", "padd")
"""The ways that are told A."""
REAL = (*WAYS[:-1], TRUTH)
WHERE = {
    "SS": {"SS": WAYS, "SS" + TRUE_A: TOLD},
    "SR": {"SR": WAYS},
    "FR": {
        "FR, seen": REAL,
        "FR, unseen": REAL,
        **{f"FR, unseen, rounds: {rounds}": ("padd",) for rounds in FEWER_ROUNDS},
    },
}
"""Which ways run on which cases of a setting; on real documents Gibbs is the
truth, which has a prior distance too."""


def contestants(case: str) -> tuple[str, ...]:
    """The ways that run on a case; the truth is none."""
    ways = next(cases[case] for cases in WHERE.values() if case in cases)
    return tuple(way for way in ways if way != TRUTH)


def run(
    corpora: Mapping[str, ch.Corpus], sizes: Iterable[int], plan: Plan, records: Records
) -> list[Record]:
    """All cells, in order."""
    asked = []
    for k in sizes:
        for name, corpus in corpora.items():
            for setting in SETTINGS:
                cells = _cells(setting, name, corpus, k, plan)
                _fill(setting, corpus, k, plan, records, cells)
                asked.extend(cells)
    return [records.get(each) for each in asked]


def _cells(setting: str, name: str, corpus: ch.Corpus, k: int, plan: Plan) -> list[dict[str, Any]]:
    common = {
        "corpus": name,
        "k": k,
        "plan": {**asdict(plan), "n_jobs": None},
        "size": [len(corpus), corpus.n_words, int(corpus.n_tokens)],
    }
    return [
        {"case": case, "way": way, **common}
        for case, ways in WHERE[setting].items()
        for way in ways
    ]


def _fill(
    setting: str,
    corpus: ch.Corpus,
    k: int,
    plan: Plan,
    records: Records,
    cells: list[dict[str, Any]],
) -> None:
    missing = [cell for cell in cells if not records.has(cell)]
    if not missing:
        return
    with threads(plan.n_jobs):
        for case in SETTINGS[setting](corpus, k, plan):
            for cell in missing:
                if cell["case"] == case.setting:
                    records.add(cell, _found(case, cell["way"], plan))


def _found(case: Case, way: str, plan: Plan) -> Record:
    began = time.perf_counter()
    try:
        weights = _weights(case, way, plan)
    except ch.InputError as error:  # topics without a left inverse
        return {"scores": None, "why": str(error)}
    seconds = time.perf_counter() - began
    return {"scores": scores_of(case, weights, plan.n_jobs), "seconds": round(seconds, 2)}


def _weights(case: Case, way: str, plan: Plan) -> Array:
    if way == TRUTH:
        return case.truth
    return weights_by(
        way, case.corpus.counts, case.known, chain=plan.chain, seed=plan.seed, n_jobs=plan.n_jobs
    )
