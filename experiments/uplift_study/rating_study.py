"""Ratings: the penalty of each size is chosen on ratings that are neither learned nor held out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import chatham as ch
from chatham.numerics.threads import threads
from inference_study.records import Record, Records
from uplift_study.documents import read_ratings
from uplift_study.parties import Member, of_sizes
from uplift_study.plan import RATED, Plan
from uplift_study.recommender import (
    Held,
    fit_together,
    hold_out,
    known_films,
    learner,
    score,
    sizes_of,
)

OUT, TUNED = 0, 1
"""Seeds of the ratings held out, the same for all parties' splits, and of those to choose by."""
MEET = partial(ch.Simulated, secure=False)
TOGETHER = 1.0
"""The share of all parties."""


@dataclass(frozen=True)
class Rated:
    """What came of ratings: how penalties were chosen, and the comparisons with those chosen."""

    tuning: Sequence[Record]
    records: Sequence[Record]


def study_ratings(plan: Plan, folder: Path, records: Records) -> Rated:
    """Everything about ratings in a folder."""
    with threads(plan.n_jobs):
        return rated(plan, read_ratings(folder), records)


def rated(plan: Plan, ratings: sp.csr_array, records: Records) -> Rated:
    """First the penalties, by parties of the first seed; then all seeds with these."""
    held = hold_out(ratings, OUT)
    aside = hold_out(held.train, TUNED)
    tuning = [
        _kept(records, "tuning", plan, aside, k, 0, [penalty] * (len(plan.mix) + 1))
        for k in plan.rating_topics
        for penalty in plan.penalties
    ]
    found = [
        _kept(records, "rating", plan, held, k, seed, penalties(tuning, k, plan))
        for k in plan.rating_topics
        for seed in range(plan.rating_seeds)
    ]
    return Rated(tuning, found)


def penalties(tuning: Sequence[Record], k: int, plan: Plan) -> list[float]:
    """The best for parties of each size by themselves, and for all together."""
    tried = [record for record in tuning if record["k"] == k]
    return [
        min(tried, key=lambda record: tuned(record, share))["penalties"][0]
        for share in [*(share for share, _ in plan.mix), TOGETHER]
    ]


def tuned(record: Record, share: float) -> float:
    """The mean error of parties of that share alone; of all parties together, by their ratings."""
    parties = record["parties"]
    if share == TOGETHER:
        sizes = [party["test"] for party in parties]
        squares = [party["together"] ** 2 for party in parties]
        return float(np.sqrt(np.average(squares, weights=sizes)))
    return float(np.mean([party["alone"] for party in parties if party["share"] == share]))


def _kept(
    records: Records, what: str, plan: Plan, held: Held, k: int, seed: int, chosen: list[float]
) -> Record:
    """One comparison with these penalties, unless it is known already."""
    users, films = held.train.shape
    asked = {
        "corpus": "MovieLens-1M", "split": what, "k": k, "seed": seed, "penalties": chosen,
        "settings": [*RATED, users, films, held.train.nnz, plan.mix],
    }  # fmt: skip
    if not records.has(asked):
        shares = [*(share for share, _ in plan.mix), TOGETHER]
        of_share = dict(zip(shares, chosen, strict=True))
        records.add(asked, compare(of_sizes(users, plan.mix, seed), held, k, of_share, seed))
    return records.get(asked)


def compare(
    members: Sequence[Member], held: Held, k: int, chosen: dict[float, float], seed: int
) -> Record:
    """Every party's error with factors of its own and with the common ones."""
    began = time.perf_counter()
    hands = [held.of(member.rows) for member in members]
    together = fit_together(k, chosen[TOGETHER], seed, [mine.train for mine in hands], MEET)
    films = known_films(held.train)
    parties = []
    for member, mine in zip(members, hands, strict=True):
        alone = learner(k, chosen[member.share], seed).fit(mine.train)
        parties.append({**sizes_of(member, mine), **score(alone, together, mine, films)})
    return {"parties": parties, "seconds": round(time.perf_counter() - began, 1)}
