"""Results as a page: one table a task, with the machine and the versions that they were seen on."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib import metadata
from itertools import groupby

from chatham.bench.contest import Result
from chatham.bench.samplers import SWEEPS

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


def machine() -> str:
    """Where and with what this was measured, in a line."""
    versions = [f"{name} {metadata.version(name)}" for name in PEERS if _has(name)]
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        + ", ".join(versions)
    )


def as_markdown(results: Sequence[Result], tokens: dict[str, float], tries: int) -> str:
    """The whole page."""
    lines = [
        "# Benchmarks",
        "",
        f"Best of {tries}, contenders taking turns in one run of `chatham bench`. Times depend on "
        "the machine and on what else it does; ratios within a run are what counts.",
        "",
        f"Measured on: {machine()}.",
    ]
    for task, group in groupby(results, key=lambda result: result.task):
        lines += ["", f"## {task}", "", MEANINGS[task], "", *_table(list(group), tokens)]
    return "\n".join(lines) + "\n"


def _table(results: list[Result], tokens: dict[str, float]) -> list[str]:
    sweeps = results[0].task == "LDA"
    head = ["corpus", "topics", "threads", "contender", "seconds", "× the peer", "quality"]
    head += ["M tokens/s"] if sweeps else ["note"]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for r in results:
        ratio = "–" if r.ratio is None else f"{r.ratio:.2f}"
        cells = [r.corpus, str(r.topics), str(r.threads), r.contender, f"{r.seconds:.2f}", ratio]
        cells += [f"{r.quality:.4f}" if abs(r.quality) < 100 else f"{r.quality:.2f}"]
        cells += [f"{tokens[r.corpus] * SWEEPS / r.seconds / 1e6:.1f}"] if sweeps else [r.note]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _has(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True
