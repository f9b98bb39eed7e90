"""Documents: every way, number of topics and seed, for parties of given sizes and natural ones."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import scipy.sparse as sp

import chatham as ch
from chatham.numerics.threads import threads
from inference_study.records import Record, Records
from uplift_study.documents import COLUMNS, check, read
from uplift_study.parties import Member, natural, of_sizes, shuffled
from uplift_study.plan import NATURAL, OF_SIZES, SETTINGS, SHUFFLED, WORDS, Plan
from uplift_study.ways import SVD, compare
from uplift_study.words import Meet, agreed_counts, long_enough, weighed


def study(plan: Plan, folder: Path | None, records: Records) -> list[Record]:
    """A record for each comparison, in the order of the plan; what is kept isn't done again."""
    corpora = plan.corpora(folder is not None)
    if folder is not None:
        check(folder, list(corpora), ratings=True)
    with threads(plan.n_jobs):
        return [
            record
            for name, splits in corpora.items()
            for record in _of_corpus(plan, Source(folder, name), splits, records)
        ]


class Source:
    """A corpus that is read when it is first needed."""

    def __init__(self, folder: Path | None, name: str) -> None:
        self.folder, self.name = folder, name

    @cached_property
    def corpus(self) -> ch.Corpus:
        """Documents with all their words."""
        return read(self.folder, self.name)

    def members(self, plan: Plan, split: str, seed: int) -> list[Member]:
        """Who has what."""
        if split == OF_SIZES:
            return of_sizes(len(self.corpus), plan.mix, seed)
        owners = natural(self.corpus.column(COLUMNS[self.name]), seed)
        return owners if split == NATURAL else shuffled(owners, seed)


def _of_corpus(
    plan: Plan, source: Source, splits: Sequence[str], records: Records
) -> Iterator[Record]:
    for split in splits:
        for seed in range(plan.seeds):
            wanted = [
                asked_of(plan, source.name, split, way, k, seed)
                for way, k in plan.comparisons(split)
            ]
            if not all(map(records.has, wanted)):
                dealt = Dealt(source.corpus, source.members(plan, split, seed), meet_for(split))
                for asked in wanted:
                    if not records.has(asked):
                        records.add(asked, dealt.found(asked["way"], asked["k"], seed))
            yield from map(records.get, wanted)


def asked_of(plan: Plan, corpus: str, split: str, way: str, k: int, seed: int) -> dict[str, Any]:
    """All that a result depends on."""
    asked = {"corpus": corpus, "split": split, "way": way, "k": k, "seed": seed}
    settings = [*SETTINGS[way], *WORDS, *([plan.mix] if split == OF_SIZES else [])]
    return {**asked, "settings": settings}


def meet_for(split: str) -> Meet:
    """A sum between natural parties goes the way that it goes between real ones."""
    return partial(ch.Simulated, secure=split in (NATURAL, SHUFFLED))


class Dealt:
    """Documents in parties' hands: the words that they agreed on, counted and weighed."""

    def __init__(self, corpus: ch.Corpus, members: Sequence[Member], meet: Meet) -> None:
        self.meet = meet
        self.counts = agreed_counts(corpus, members, meet)
        self.members = long_enough(self.counts, members)

    @cached_property
    def weighed(self) -> sp.csr_array:
        """Rows for the SVD."""
        return weighed(self.counts, self.members, self.meet)

    def found(self, way: str, k: int, seed: int) -> Record:
        """What one comparison found."""
        began = time.perf_counter()
        rows = self.weighed if way == SVD else self.counts
        parties = compare(way, k, seed, rows, self.members, self.meet)
        seconds = round(time.perf_counter() - began, 1)
        return {"words": self.counts.shape[1], "parties": parties, "seconds": seconds}
