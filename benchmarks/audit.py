"""How long an audit takes: a fit of each learner, and whole designs, on Enron's mail.

    python benchmarks/audit.py --data FOLDER                      all of it: some ten minutes
    python benchmarks/audit.py --data FOLDER --only fits          a fit of each learner alone
    python benchmarks/audit.py --data FOLDER -o benchmarks/audit.md

The folder has `enron_ham.parquet`. A fit is what the audit runs hundreds of times: 800 documents
drawn from the corpus, 7 topics, two parties with the noise of a session, from rows to the numbers
that statistics need. Its time is that of the processor, on one core, over a batch after one that
isn't counted. A design's time is the clock's, with one process for each core: Algorithm 11's own
(200 databases with each of 50 documents and 200 without: 20,000 fits), and the default one with its
verdict (50 documents by coins, 400 databases for a group).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Any, NamedTuple

import scipy.sparse as sp

from benchmarks.contest import machine
from chatham.audit.auditing import prepare
from chatham.audit.mechanisms import FitMechanism
from chatham.audit.neighbours import OneByOne, random_targets
from chatham.audit.samples import Plan
from chatham.audit.sampling import run_batch, sample
from chatham.cli.paths import check_file
from chatham.corpus import Corpus, read_corpus
from chatham.errors import ChathamError
from chatham.model.fit import corpus_for, learner_for_text

FILE = "enron_ham.parquet"
LEARNERS = ("nmf", "kmeans", "svd", "plsa", "lda", "anchor")
TOPICS, SIZE, DOCUMENTS, AN_ARM, DATABASES = 7, 800, 50, 200, 400
EXACT = ("anchor",)
"""Learners that refuse 800 documents unless all parties know of exact totals."""


class Timed(NamedTuple):
    """A design that was run."""

    what: str
    fits: int
    seconds: float
    processor: float


def main(words: Sequence[str] | None = None) -> int:
    """Read the command line, measure, print the page; 1 where that can't be done."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", required=True)
    parser.add_argument("--only", choices=("fits", "designs"))
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--an-arm", type=int, default=AN_ARM)
    parser.add_argument("--batch", type=int, default=10, help="fits of each learner that are timed")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE")
    asked = parser.parse_args(words)
    try:
        check_file(asked.output)
        corpus = read_corpus(asked.data / FILE, text="text", id="id", keep_texts=False)
        page = _page(corpus, asked)
    except ChathamError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    if asked.output is not None:
        asked.output.write_text(page, encoding="utf-8")
    print(page, end="")
    return 0


def _page(corpus: Corpus, asked: argparse.Namespace) -> str:
    lines = [
        "# The audit",
        "",
        f"Output of `audit.py`: {corpus.counts.shape[0]:,} mails, {corpus.n_words:,} words; "
        f"databases of {SIZE} documents, {TOPICS} topics, two parties with the totals of a "
        "session. Measured on: " + machine() + f". Load before it: {os.getloadavg()[0]:.1f}.",
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if asked.only != "designs":
            lines += ["", "## A fit", "", "| learner | processor seconds | |", "|---|---|---|"]
            for name in LEARNERS:
                seconds = seconds_of_fit(corpus, name, asked.batch)
                note = "exact totals" if name in EXACT else ""
                lines.append(f"| {name} | {seconds:.3f} | {note} |")
        if asked.only != "fits":
            lines += [
                "", "## Whole designs", "",
                f"{asked.documents} documents, {os.cpu_count()} processes.", "",
                "| design | fits | minutes by the clock | processor seconds a fit |",
                "|---|---|---|---|",
            ]  # fmt: skip
            designs = (default_design(corpus, asked.documents),
                       one_by_one(corpus, asked.documents, asked.an_arm))  # fmt: skip
            for each in designs:
                lines.append(
                    f"| {each.what} | {each.fits:,} | {each.seconds / 60:.1f} | "
                    f"{each.processor / each.fits:.3f} |"
                )
    return "\n".join(lines) + "\n"


def rows_for(corpus: Corpus, name: str) -> tuple[Any, sp.csr_array]:
    """A learner, and the documents as it takes them from a session."""
    parameters = {"n_components": TOPICS, "random_state": 0}
    learner = learner_for_text(name, parameters, between_parties=True)
    read = corpus_for(learner, corpus, "auto")
    assert read is not None
    learner._index_words(read.vocabulary)
    return learner, sp.csr_array(read.counts)


def plan_for(corpus: Corpus, name: str, documents: int, an_arm: int, batch: int) -> Plan:
    """Algorithm 11's design for so many documents."""
    learner, counts = rows_for(corpus, name)
    design = OneByOne(
        counts.shape[0], random_targets(documents, counts.shape[0], 0), SIZE, an_arm=an_arm
    )
    mechanism = FitMechanism(learner, others=2, exact_totals=name in EXACT)
    return Plan(mechanism, counts, design, batch=batch)


def seconds_of_fit(corpus: Corpus, name: str, batch: int) -> float:
    """The processor's seconds for one fit."""
    plan = plan_for(corpus, name, 1, batch, batch)
    run_batch(plan, 0)  # compiles what isn't compiled yet
    began = time.process_time()
    run_batch(plan, 1)
    return (time.process_time() - began) / batch


def one_by_one(corpus: Corpus, documents: int, an_arm: int) -> Timed:
    """All fits of Algorithm 11."""
    plan = plan_for(corpus, "nmf", documents, an_arm, 20)
    began, used = time.perf_counter(), _processor()
    sample(plan, n_jobs=-1)
    return Timed("Algorithm 11", plan.design.databases, time.perf_counter() - began,
                 _processor() - used)  # fmt: skip


def default_design(corpus: Corpus, documents: int) -> Timed:
    """The default audit, from documents to the verdict."""
    began, used = time.perf_counter(), _processor()
    audit = prepare(
        corpus, "nmf", n_components=TOPICS, party_size=SIZE / corpus.counts.shape[0],
        documents=documents, databases=DATABASES,
    )  # fmt: skip
    audit.run(n_jobs=-1)
    return Timed("default, with the verdict", audit.plan.design.databases,
                 time.perf_counter() - began, _processor() - used)  # fmt: skip


def _processor() -> float:
    """User and system seconds of this process and of those that it waited for."""
    used = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


if __name__ == "__main__":
    sys.exit(main())
