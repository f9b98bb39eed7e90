"""A natural party that is small: one of them learns from a few documents, the others from all."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

import chatham as ch
from inference_study.markdown import listed, markdown
from inference_study.records import Record, Records
from uplift_study.parties import Member
from uplift_study.plan import NATURAL, Plan
from uplift_study.report import gain
from uplift_study.study import Dealt, Source, asked_of, meet_for
from uplift_study.tables import having, uplift, values
from uplift_study.ways import SVD, TOPICS, Score, error, fitted
from uplift_study.words import Meet

SMALL = "small"
TITLES = {TOPICS: "NMF topics", SVD: "low rank by SVD"}


def study_small(plan: Plan, source: Source, records: Records) -> list[Record]:
    """Each party in turn is cut to so many documents; sums are plain here, to save time."""
    return [
        record for seed in range(plan.seeds) for record in _by_seed(plan, source, records, seed)
    ]


def _by_seed(plan: Plan, source: Source, records: Records, seed: int) -> list[Record]:
    asked = [
        {**asked_of(plan, source.name, SMALL, way, plan.small_topics, seed), "documents": n}
        for way in (TOPICS, SVD)
        for n in plan.small
    ]
    if not all(map(records.has, asked)):
        dealt = Dealt(source.corpus, source.members(plan, NATURAL, seed), meet_for(NATURAL))
        for each in asked:
            if not records.has(each):
                records.add(each, _found(dealt, each["way"], each["k"], each["documents"], seed))
    return list(map(records.get, asked))


def _found(dealt: Dealt, way: str, k: int, n: int, seed: int) -> Record:
    began = time.perf_counter()
    rows = dealt.weighed if way == SVD else dealt.counts
    parties = [
        compare_one(way, k, rows, cut(dealt.members, place, n, seed), place, ch.Simulated, seed)
        for place in range(len(dealt.members))
    ]
    seconds = round(time.perf_counter() - began, 1)
    return {"words": rows.shape[1], "parties": parties, "seconds": seconds}


def cut(members: Sequence[Member], place: int, n: int, seed: int = 0) -> list[Member]:
    """The same parties, one of them with n documents to learn from, chosen at random."""
    found, chosen = list(members), members[place]
    drawn = np.random.default_rng([n, place, seed]).permutation(chosen.train)[:n]
    found[place] = replace(chosen, train=np.sort(drawn))
    return found


def compare_one(
    way: str,
    k: int,
    rows: sp.csr_array,
    members: Sequence[Member],
    place: int,
    meet: Meet,
    seed: int = 0,
) -> Score:
    """One party's error alone and together, on all that it holds out."""
    mine = members[place]
    together = fitted(way, k, seed, meet([rows[member.train] for member in members]))
    alone, held_out = fitted(way, k, seed, rows[mine.train]), rows[mine.test]
    return {
        "party": mine.name, "train": len(mine.train),
        "alone": error(way, alone, held_out), "together": error(way, together, held_out),
    }  # fmt: skip


def small_parts(found: Sequence[Record]) -> list[str]:
    """What the page about natural parties says about small ones."""
    corpus, k, seeds = found[0]["corpus"], found[0]["k"], len(values(found, "seed"))
    rows = [
        [n, *(_cell(having(found, documents=n, way=way)) for way in TITLES)]
        for n in values(found, "documents")
    ]
    said = [
        f"Each of the parties of {corpus} in turn learns from so many documents only, drawn at "
        f"random, while the others have all theirs; k = {k}, {seeds} seeds. Words are those that "
        "the whole parties agreed on. [Figure](uplift_small.png). The table has the mean uplift in "
        "percent over parties and seeds ± standard deviation, and how many of them gain.",
    ]
    return [
        "## Natural parties that are small",
        listed(said),
        markdown(["learns from", *TITLES.values()], rows),
    ]


def _cell(found: Sequence[Record]) -> str:
    return gain(uplift([party for record in found for party in record["parties"]]))
