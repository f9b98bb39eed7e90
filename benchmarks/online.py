"""Online LDA beside scikit-learn's and gensim's: likelihood by documents seen and by seconds.

    python -m benchmarks.online                          on the bundled sample
    python -m benchmarks.online --data FOLDER -o benchmarks/online.md

Every learner gets the same documents in the same order, a new order for each seed, and sees each
once. At some numbers of documents its topics and prior are taken and held-out documents are read
from left to right under them. Seconds are the processor's, of learning alone, on one thread:
contenders take turns, and what else the machine does hardly matters to them.
"""

from __future__ import annotations

import sys
import time
import warnings
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.decomposition import LatentDirichletAllocation
from threadpoolctl import threadpool_limits

from benchmarks.contest import installed, machine, revision
from chatham.cli.paths import check_file, unwritable
from chatham.commons import Alone
from chatham.corpus import read_corpus, sample_corpus
from chatham.errors import ChathamError, InputError
from chatham.learners.online_lda import OnlineLDA
from chatham.measures.held_out.left_to_right import LeftToRight
from chatham.measures.subject import Subject

Array = NDArray[np.float64]
Learned = tuple[Array, Array]
"""Topics and the prior of documents' weights."""

K, SEEDS = 20, (0, 1, 2)
HELD_OUT, LONGEST, PARTICLES = 500, 300, 5
FIRST_MARK, BETWEEN = 512, 4
"""Measured after 512 documents, four times as many, and so on, and after all."""

OURS = "chatham"
LEAST = 1e-30
"""No topic's word is less probable: single precision may round to zero."""

FILES = {
    "20 Newsgroups": ("20newsgroups_clean.parquet", 8000),
    "ACL abstracts": ("acl_abstracts.npz", 8000),
}
"""A file, and how many of its words are kept. No setting was chosen on these."""
MOST_DOCUMENTS = 20_000

MEANING = (
    "Held-out likelihood while LDA is learned from a stream: each document is seen once, in the "
    "same order by all. Figures are log-probabilities per token of 500 held-out documents, of "
    "which up to 300 tokens are read from left to right with 5 particles, under each learner's "
    "own topics and prior; higher is better. 20 topics; means over three seeds, which also order "
    "the documents, and from the least to the most. Seconds are the processor's, on one thread, "
    "of learning alone (without compiling and without scoring), and means too."
)
SETTINGS = (
    "Ours has its defaults, which were chosen on AP, KOS and Reuters, never on the corpora here. "
    "The peers have their defaults, and besides the settings with the best mean after all "
    "documents of the same three corpora (one seed) of those tried: scikit-learn mini-batches of "
    "64 to 256, priors of 0.1 for topics and 0.01 or 0.05 for words, offsets of 1 and 10; gensim "
    "chunks of 64 to 1,024, learned priors, decays of 0.5 to 0.9, offsets of 1 and 10. That is "
    "batches of 64 and priors of 0.1 and 0.05 for scikit-learn; chunks of 64, learned priors, a "
    "decay of 0.7 and an offset of 10 for gensim."
)


@dataclass(frozen=True)
class Point:
    """What one contender had reached after so many documents."""

    documents: int
    seconds: float
    quality: float


Curve = list[Point]
Curves = dict[str, list[Curve]]
"""Each contender's curves, one for each seed."""


class Ours:
    """`OnlineLDA` as it is."""

    def __init__(self, n: int, d: int, seed: int) -> None:
        self.learner = OnlineLDA(K, random_state=seed)

    def learn(self, counts: Any) -> None:
        """Learn further documents."""
        self.learner.partial_fit(counts)

    @property
    def learned(self) -> Learned:
        """Topics and prior."""
        return self.learner.components_, self.learner.alpha_


class ScikitLearn:
    """scikit-learn's online variational Bayes, `partial_fit` by its own `batch_size`."""

    def __init__(self, n: int, d: int, seed: int, **settings: Any) -> None:
        self.learner = LatentDirichletAllocation(
            K, learning_method="online", total_samples=n, random_state=seed, **settings
        )

    def learn(self, counts: Any) -> None:
        """Learn further documents."""
        self.learner.partial_fit(sp.csr_matrix(counts))

    @property
    def learned(self) -> Learned:
        """Topics and prior."""
        return self.learner.components_, np.full(K, self.learner.doc_topic_prior_)


class Gensim:
    """gensim's online variational Bayes."""

    def __init__(self, n: int, d: int, seed: int, **settings: Any) -> None:
        from gensim.models import LdaModel

        words = {word: str(word) for word in range(d)}
        self.learner = LdaModel(num_topics=K, id2word=words, random_state=seed, **settings)

    def learn(self, bags: Any) -> None:
        """Learn further documents, which are lists of words and counts."""
        self.learner.update(bags)

    @property
    def learned(self) -> Learned:
        """Topics and prior."""
        return self.learner.get_topics().astype(float), self.learner.alpha.astype(float)


Make = Callable[[int, int, int], Any]


def contenders() -> dict[str, Make]:
    """By name; gensim where it is installed."""
    found: dict[str, Make] = {
        OURS: Ours,
        "scikit-learn": ScikitLearn,
        "scikit-learn, tuned": partial(ScikitLearn, **SKLEARN_TUNED),
    }
    if installed("gensim") is not None:
        found |= {"gensim": Gensim, "gensim, tuned": partial(Gensim, **GENSIM_TUNED)}
    return found


SKLEARN_TUNED: dict[str, Any] = {
    "batch_size": 64, "doc_topic_prior": 0.1, "topic_word_prior": 0.05,
}  # fmt: skip
GENSIM_TUNED: dict[str, Any] = {
    "chunksize": 64, "alpha": "auto", "eta": "auto", "decay": 0.7, "offset": 10.0,
}  # fmt: skip


def bags_of(counts: Any) -> list[list[tuple[int, float]]]:
    """Documents in gensim's form."""
    return [
        list(zip(row.indices.tolist(), row.data.tolist(), strict=True))
        for row in (counts[[i]] for i in range(counts.shape[0]))
    ]


def marks_of(n: int) -> list[int]:
    """After how many documents to measure.

    >>> marks_of(5000), marks_of(300)
    ([512, 2048, 5000], [300])
    """
    marks, mark = [], FIRST_MARK
    while mark < n:
        marks.append(mark)
        mark *= BETWEEN
    return [*marks, n]


def curve(make: Make, counts: Any, held_out: Any, seed: int) -> Curve:
    """One contender sees all documents once."""
    n, d = counts.shape
    learner, points, seconds = make(n, d, seed), [], 0.0
    marks = marks_of(n)
    for first, last in zip([0, *marks], marks, strict=False):
        documents = counts[first:last]
        if isinstance(learner, Gensim):
            documents = bags_of(documents)
        began = time.process_time()
        learner.learn(documents)
        seconds += time.process_time() - began
        topics, alpha = learner.learned
        points.append(Point(last, seconds, likelihood(topics, alpha, held_out)))
    return points


def likelihood(topics: Array, alpha: Array, held_out: Any) -> float:
    """The log-probability per token of held-out documents, left to right."""
    topics = np.maximum(topics, LEAST)
    topics = topics / topics.sum(axis=1, keepdims=True)
    names = np.arange(topics.shape[1]).astype(str).astype(object)
    measure = LeftToRight(
        PARTICLES, resample=False, smoothing=0.0, alpha=tuple(alpha.tolist()), longest=LONGEST
    )
    return measure.measure(Subject(names, topics), Alone(held_out)).value


def split(counts: Any, seed: int = 0) -> tuple[Any, Any]:
    """Documents to learn and documents held out, over the words that the former have."""
    counts = sp.csr_array(counts, dtype=np.float64)
    counts = counts[np.asarray(counts.sum(axis=1)).ravel() > 1]
    order = np.random.default_rng(seed).permutation(counts.shape[0])
    held = min(HELD_OUT, len(order) // 5)
    learned = counts[order[held:][:MOST_DOCUMENTS]]
    used = np.asarray((learned > 0).sum(axis=0)).ravel() > 0
    return learned[:, used], counts[order[:held]][:, used]


def race(counts: Any, seeds: Sequence[int], stage: Callable[[str], None]) -> Curves:
    """All contenders in turn, for each seed."""
    learned, held_out = split(counts)
    found: Curves = {}
    _compile(learned[:50])
    for seed in seeds:
        order = np.random.default_rng(seed).permutation(learned.shape[0])
        for name, make in contenders().items():
            stage(f"{name}, seed {seed}")
            found.setdefault(name, []).append(curve(make, learned[order], held_out, seed))
    return found


def _compile(counts: Any) -> None:
    learner = OnlineLDA(K, batch_size=25, random_state=0).partial_fit(counts)
    likelihood(learner.components_, learner.alpha_, counts)


def averaged(curves: Sequence[Curve]) -> Curve:
    """The mean curve over seeds."""
    return [
        replace(
            points[0],
            seconds=mean(point.seconds for point in points),
            quality=mean(point.quality for point in points),
        )
        for points in zip(*curves, strict=True)
    ]


def behind_by_documents(ours: Curve, theirs: Curve) -> list[int]:
    """After which numbers of documents ours isn't ahead.

    >>> behind_by_documents([Point(5, 1, -8), Point(9, 2, -7)], [Point(5, 9, -9), Point(9, 9, -6)])
    [9]
    """
    return [
        mine.documents
        for mine, other in zip(ours, theirs, strict=True)
        if mine.quality <= other.quality
    ]


def behind_by_seconds(ours: Curve, theirs: Curve) -> list[int]:
    """At which of the peer's points ours had reached no more by the same time.

    >>> behind_by_seconds([Point(5, 1, -8), Point(9, 2, -7)], [Point(5, 1.5, -9), Point(9, 3, -6)])
    [9]
    """
    return [
        other.documents
        for other in theirs
        if max((mine.quality for mine in ours if mine.seconds <= other.seconds), default=-np.inf)
        <= other.quality
    ]


def sections(races: Mapping[str, Curves]) -> Iterator[str]:
    """The page's lines: two tables and what they say for each corpus."""
    for corpus, curves in races.items():
        means = {name: averaged(each) for name, each in curves.items()}
        documents = [f"{point.documents:,}" for point in means[OURS]]
        yield from ["", f"## {corpus}", ""]
        yield from _table(["log p per token", *documents], (
            [name, *(
                f"{point.quality:.4f} ({min(qualities):.3f} to {max(qualities):.3f})"
                for point, qualities in zip(means[name], _qualities(each), strict=True)
            )] for name, each in curves.items()
        ))  # fmt: skip
        yield ""
        yield from _table(["seconds", *documents], (
            [name, *(f"{point.seconds:.2f}" for point in points)]
            for name, points in means.items()
        ))  # fmt: skip
        yield ""
        yield from _table(["ahead of", "by documents seen", "by seconds"], (
            [
                name,
                _verdict(behind_by_documents(means[OURS], points), len(points)),
                _verdict(behind_by_seconds(means[OURS], points), len(points)),
            ] for name, points in means.items() if name != OURS
        ))  # fmt: skip


def _qualities(curves: Sequence[Curve]) -> list[list[float]]:
    return [[point.quality for point in points] for points in zip(*curves, strict=True)]


def _verdict(behind: Sequence[int], points: int) -> str:
    if not behind:
        return f"at all {points} points"
    where = ", ".join(f"{documents:,}" for documents in behind)
    return f"at {points - len(behind)} of {points} points; **missed at {where}**"


def _table(head: Sequence[str], rows: Any) -> Iterator[str]:
    for cells in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(cells)} |"


def page_of(races: Mapping[str, Curves], note: str = "") -> str:
    """The whole page."""
    where = f"At revision {revision()}. Measured on: {machine()}.{f' {note}' if note else ''}"
    lines = ["# Online LDA", "", MEANING, "", SETTINGS, "", where, *sections(races)]
    return "\n".join(lines) + "\n"


def corpora(folder: Path | None) -> dict[str, Any]:
    """Counts by name."""
    if folder is None:
        return {"bundled sample": sample_corpus(min_df=2).counts}
    found = {
        name: read_corpus(folder / file, max_features=words).counts
        for name, (file, words) in FILES.items()
        if (folder / file).exists()
    }
    if not found:
        listed = " nor ".join(file for file, _ in FILES.values())
        raise InputError(
            f"The folder '{folder}' has neither {listed}; name another with --data, or leave it "
            "out to measure on the bundled sample."
        )
    return found


def main(words: Sequence[str] | None = None) -> int:
    """Read the command line, hold the races, print the page; 1 where that can't be done."""
    parser = ArgumentParser(
        "python -m benchmarks.online",
        description=__doc__,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="the folder of real corpora")
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="how many seeds")
    parser.add_argument("--note", default="", help="a sentence about the run, for the page")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the page here too")
    options = parser.parse_args(words)
    try:
        check_file(options.output)
        with warnings.catch_warnings(action="ignore"), threadpool_limits(1):
            races = {
                name: race(counts, range(options.seeds), partial(_say, name))
                for name, counts in corpora(options.data).items()
            }
        page = page_of(races, options.note)
        if options.output is not None:
            _write(options.output, page)
    except ChathamError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    print(page, end="")
    return 0


def _write(path: Path, page: str) -> None:
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise unwritable(path, error) from None


def _say(corpus: str, stage: str) -> None:
    print(f"{corpus}: {stage}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
