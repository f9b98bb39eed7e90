"""Fit and score all models; what is kept already isn't repeated."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import chatham as ch
from chatham.numerics.threads import threads
from rectification_study.factors import Counted, factors_of
from rectification_study.plan import SHOWN, Job, Plan, jobs
from rectification_study.scores import scores_of, top_words

Record = dict[str, Any]

RESULTS = ("scores", "tops", "anchors", "seconds")
"""What a record has beyond what it was asked for."""


def study(plan: Plan, corpora: Mapping[str, ch.Corpus], keep: Path | None) -> list[Record]:
    """A record for each model, in the order of the plan."""
    kept = {_key(record): record for record in read_records(keep)}
    records: dict[str, Record] = {}
    with threads(plan.n_jobs):
        for number, (name, corpus) in enumerate(corpora.items()):
            wanted = list(jobs(plan, name, int(corpus.n_tokens), first=number == 0))
            for record in _fitted(name, corpus, wanted, kept, keep):
                records[_key(record)] = record
    return list(records.values())


def _fitted(
    name: str, corpus: ch.Corpus, wanted: list[Job], kept: dict[str, Record], keep: Path | None
) -> Iterator[Record]:
    """Counting is put off until a model needs it: an interrupted run goes on at once."""
    counted: Counted | None = None
    for number, job in enumerate(wanted, start=1):
        asked = announced(name, corpus, job)
        if _key(asked) not in kept:
            counted = counted or Counted(corpus)
            kept[_key(asked)] = {**asked, **_results(counted, job)}
            _append(keep, kept[_key(asked)])
            _say(number, len(wanted), kept[_key(asked)])
        yield kept[_key(asked)]


def announced(name: str, corpus: ch.Corpus, job: Job) -> Record:
    """A model before it is fitted."""
    sizes = [len(corpus), corpus.n_words, int(corpus.n_tokens)]
    return {
        "corpus": name, "sizes": sizes, "method": job.method, "k": job.k, "settings": job.settings,
    }  # fmt: skip


def _results(counted: Counted, job: Job) -> Record:
    began = time.process_time()
    found = factors_of(counted, job.k, job.settings)
    seconds = round(time.process_time() - began, 2)
    tops = top_words(counted, found)
    words = counted.corpus.vocabulary
    return {
        "scores": scores_of(counted, found, tops),
        "tops": tops,
        "anchors": None
        if found.anchors is None
        else [str(words[place]) for place in found.anchors],
        "seconds": seconds,
    }


def read_records(keep: Path | None) -> list[Record]:
    """What an earlier run kept."""
    if keep is None or not keep.exists():
        return []
    records = []
    for line in keep.read_text(encoding="utf-8").splitlines():
        # A line that is cut off was being written when the run was interrupted.
        with contextlib.suppress(json.JSONDecodeError):
            records.append(json.loads(line))
    return records


def _key(record: Record) -> str:
    known = {name: record[name] for name in record if name not in RESULTS}
    return json.dumps(known, sort_keys=True)


def _append(keep: Path | None, record: Record) -> None:
    if keep is None:
        return
    text = keep.read_text(encoding="utf-8") if keep.exists() else ""
    broken = "\n" if text and not text.endswith("\n") else ""
    with keep.open("a", encoding="utf-8") as file:
        file.write(broken + json.dumps(record, ensure_ascii=False) + "\n")


def _say(number: int, total: int, record: Record) -> None:
    print(
        f"{number}/{total} {record['corpus']}: {SHOWN[record['method']]}, "
        f"{record['k']} topics, {record['seconds']:.1f} s",
        file=sys.stderr, flush=True,
    )  # fmt: skip
