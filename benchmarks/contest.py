"""Contenders take turns at the same task; the best try of each is kept, and all make a page."""

from __future__ import annotations

import gc
import os
import platform
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import metadata
from itertools import groupby
from pathlib import Path
from statistics import mean
from typing import Any

from threadpoolctl import threadpool_limits

PEERS = ("scikit-learn", "tomotopy", "gensim", "anchor-topic", "numpy", "scipy", "numba")

MEANINGS = {
    "NMF": "50 iterations of general NMF from the same nndsvd start, which is timed apart. "
    "Quality: ‖X − WT‖, lower is better.",
    "PLSA": "50 iterations of scikit-learn's multiplicative KL-NMF; ours for as many iterations, "
    "and until the same likelihood is reached. Quality: log-likelihood per document, higher is "
    "better.",
    "LDA": "100 sweeps with the same fixed priors. Quality: log p(words, topics) per token, higher "
    "is better.",
    "LDA, whole fits": "One try each, with its own defaults (gensim: 5 passes; tomotopy: 1,000 "
    "sweeps). Quality: log-likelihood per held-out word by document completion, higher is better.",
    "Coherence": "From the same token lists and topics, if a corpus has texts. Our "
    "time includes numbering the words, gensim's leaves its dictionary out. Quality: the mean "
    "coherence (gensim's sliding counts forget words that repeat within a window).",
    "Left to right": "The probability of 5,000 documents of 100 tokens, drawn from the corpus's "
    "own, by 10 particles with resampling, under topics of a short LDA. Quality: log-probability "
    "per token, higher is better. The figure for MALLET was not measured here: it is from "
    "elsewhere, for a task of this size on comparable hardware.",
    "Anchor words": "Co-occurrence, 15 projections, anchors and topics, from counts; candidates "
    "are words in 2 % of the documents. Quality: mean NPMI of the ten top words, higher is better.",
    "Planted topics": "5,000 documents of about 100 tokens over 2,000 words, α = 0.1, one anchor a "
    "topic at p = 0.005, which must be in 2 % of the documents. Quality: mean ℓ1 distance of "
    "matched topics, lower is better. This one is about times: what a single corpus says of "
    "quality depends on its seed, so look for that in the next table.",
    "Planted topics, several corpora": "The same, once on each of several corpora, whose seeds "
    "the learners have too. Mean ℓ1 distance of matched topics, lower is better: the mean over "
    "corpora, the least and the most, and each.",
    "Document inference": "The weights of 10,000 documents of 100 tokens drawn from a model's own "
    "topics, sparse (α = 0.05). PADD learns its dual within the time. Quality: mean ℓ1 distance of "
    "weights, lower is better.",
}

ONCE = ("LDA, whole fits", "Planted topics, several corpora")
"""Tasks of which every contender has one try, whatever was asked for."""

INTRODUCTION = (
    "Contenders take turns in a run. Times depend on the machine and on what else it does; ratios "
    "within a run are what counts. Sections may be of several runs, at different revisions: each "
    "says of which."
)

Run = Callable[[], tuple[float, float]]
"""One try: the seconds it took and the quality it reached."""


@dataclass(frozen=True)
class Result:
    """What one contender reached: its speed against the first peer, and the quality beside it."""

    task: str
    corpus: str
    topics: int
    threads: int
    contender: str
    seconds: float
    quality: float
    ratio: float | None = None
    """How many times as fast as the peer; 1 for the peer itself, None where there is no peer."""
    note: str = ""
    qualities: tuple[float, ...] = ()
    """Where there were several corpora, the quality on each; `quality` is their mean."""


@dataclass(frozen=True)
class Contender:
    """One way to do the task; ratios are against the one marked as the peer."""

    name: str
    run: Run
    is_peer: bool = False
    note: str = ""


def contest(
    task: str, corpus: str, topics: int, threads: int, contenders: list[Contender], tries: int
) -> list[Result]:
    """Every contender in turn, `tries` times over; the quickest try of each, against the peer's."""
    best: dict[str, tuple[float, float]] = {}
    with threadpool_limits(threads):
        for _ in range(tries):
            for contender in contenders:
                gc.collect()
                tried = contender.run()
                best[contender.name] = min(tried, best.get(contender.name, tried))
    peer = next((best[c.name][0] for c in contenders if c.is_peer), None)
    return [
        Result(
            task, corpus, topics, threads, c.name, *best[c.name],
            ratio=None if peer is None else peer / best[c.name][0], note=c.note,
        )
        for c in contenders
    ]  # fmt: skip


def spread(runs: Sequence[Sequence[Result]]) -> list[Result]:
    """Runs of the same contenders on several corpora as one: means, and the quality of each."""
    return [
        replace(
            of_one[0], ratio=None, note="",
            seconds=mean(result.seconds for result in of_one),
            quality=mean(result.quality for result in of_one),
            qualities=tuple(result.quality for result in of_one),
        )
        for of_one in zip(*runs, strict=True)
    ]  # fmt: skip


@contextmanager
def stopwatch() -> Iterator[list[float]]:
    """The seconds that the block took, in a list of one when it is over."""
    seconds: list[float] = []
    began = time.perf_counter()
    yield seconds
    seconds.append(time.perf_counter() - began)


def installed(module: str) -> Any:
    """A peer, or None where it isn't installed."""
    try:
        return __import__(module)
    except ImportError:
        return None


def machine() -> str:
    """Where and with what this was measured, in a line."""
    versions = [f"{name} {metadata.version(name)}" for name in PEERS if _has(name)]
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        + ", ".join(versions)
    )


def as_markdown(results: Sequence[Result], tries: int, earlier: str = "") -> str:
    """The whole page; of an earlier one it keeps the sections of tasks that weren't run."""
    where = f"at revision {revision()}. Measured on: {machine()}."
    told = {
        task: [
            f"{'One try' if task in ONCE else f'Best of {tries}'}, {where}",
            "",
            *_table([*group]),
        ]
        for task, group in groupby(results, key=lambda result: result.task)
    }
    sections = _sections(earlier) | told
    lines = ["# Benchmarks", "", INTRODUCTION]
    for task in [task for task in MEANINGS if task in sections]:
        lines += ["", f"## {task}", "", MEANINGS[task], "", *sections[task]]
    return "\n".join(lines) + "\n"


def _sections(page: str) -> dict[str, list[str]]:
    """What each section of a page has below its meaning: how it was run, and the table."""
    found = {}
    for section in page.split("\n## ")[1:]:
        task, *lines = section.rstrip("\n").split("\n")
        how = next(n for n, line in enumerate(lines) if ", at revision " in line)
        found[task] = lines[how:]
    return found


def revision() -> str:
    """The commit that the source tree is at, with a plus sign if it was changed since."""
    try:
        return _git("rev-parse", "--short=7", "HEAD") + "+" * bool(
            _git("status", "--porcelain", "-uno")
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*words: str) -> str:
    here = Path(__file__).parent
    return subprocess.run(
        ["git", *words], cwd=here, check=True, capture_output=True, text=True
    ).stdout.strip()


def _table(results: list[Result]) -> list[str]:
    if results[0].qualities:
        return _spread_table(results)
    head = ["corpus", "topics", "threads", "contender", "seconds", "× the peer", "quality", "note"]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for r in results:
        ratio = "–" if r.ratio is None else f"{r.ratio:.2f}"
        quality = f"{r.quality:.4f}" if abs(r.quality) < 100 else f"{r.quality:.2f}"
        cells = [r.corpus, str(r.topics), str(r.threads), r.contender, f"{r.seconds:.2f}", ratio]
        lines.append(f"| {' | '.join([*cells, quality, r.note])} |")
    return lines


def _spread_table(results: list[Result]) -> list[str]:
    head = ["corpora", "topics", "threads", "contender", "mean", "least", "most", "each"]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for r in results:
        shown = [f"{value:.4f}" for value in (r.quality, min(r.qualities), max(r.qualities))]
        each = ", ".join(f"{value:.4f}" for value in r.qualities)
        cells = [f"{len(r.qualities)} {r.corpus}", str(r.topics), str(r.threads), r.contender]
        lines.append(f"| {' | '.join([*cells, *shown, each])} |")
    return lines


def _has(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True
