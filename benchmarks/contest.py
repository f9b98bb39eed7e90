"""Contenders take turns at the same task; the best try of each is kept, and all make a page."""

from __future__ import annotations

import gc
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from itertools import groupby
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
    "matched topics, lower is better.",
    "Document inference": "The weights of 10,000 documents of 100 tokens drawn from a model's own "
    "topics, sparse (α = 0.05). PADD learns its dual within the time. Quality: mean ℓ1 distance of "
    "weights, lower is better.",
}

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


def as_markdown(results: Sequence[Result], tries: int) -> str:
    """The whole page."""
    lines = [
        "# Benchmarks",
        "",
        f"Best of {tries}, contenders taking turns in one run of `make bench`. Times depend on "
        "the machine and on what else it does; ratios within a run are what counts.",
        "",
        f"Measured on: {machine()}.",
    ]
    for task, group in groupby(results, key=lambda result: result.task):
        lines += ["", f"## {task}", "", MEANINGS[task], "", *_table(list(group))]
    return "\n".join(lines) + "\n"


def _table(results: list[Result]) -> list[str]:
    head = ["corpus", "topics", "threads", "contender", "seconds", "× the peer", "quality", "note"]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for r in results:
        ratio = "–" if r.ratio is None else f"{r.ratio:.2f}"
        quality = f"{r.quality:.4f}" if abs(r.quality) < 100 else f"{r.quality:.2f}"
        cells = [r.corpus, str(r.topics), str(r.threads), r.contender, f"{r.seconds:.2f}", ratio]
        lines.append(f"| {' | '.join([*cells, quality, r.note])} |")
    return lines


def _has(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True
