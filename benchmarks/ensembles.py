"""Models merged from what nine parties published, beside one pooled fit and beside two peers.

    python -m benchmarks.ensembles                          on the bundled sample
    python -m benchmarks.ensembles --data FOLDER -o benchmarks/ensembles.md

Documents are dealt at random to nine parties, in a new way for each seed. Each party fits a model
of its own; then everything is put together, by `ch.publish` and `ch.merge`, by gensim's EnsembleLda
or by enstop's clustering. enstop isn't in the extra 'bench', as it brings umap-learn, hdbscan and
dask; where it is installed, it takes part. Seconds are the processor's, on one thread.
"""

from __future__ import annotations

import sys
import time
import warnings
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import chatham as ch
from benchmarks.contest import installed, machine, revision
from chatham.cli.paths import check_file, unwritable
from chatham.corpus import Corpus, read_corpus, sample_corpus
from chatham.ensembles.agreement import LOST
from chatham.errors import ChathamError, InputError

Array = NDArray[np.float64]

PARTIES, SEEDS = 9, 3
KINDS = ("nmf", "plsa", "lda")
LEAST = 1e-12
"""Added to a topic's words: single precision may round to zero."""

FILES = {
    "20 Newsgroups": ("20newsgroups_clean.parquet", 8000),
    "ACL abstracts": ("acl_abstracts.npz", 8000),
}
"""A file, and how many of its words are kept."""

MEANING = (
    f"Documents are dealt at random to {PARTIES} parties, and each fits as many topics as the "
    f"heading says. *Fits* are the seconds of all {PARTIES} fits together; *merging* those of "
    f"publishing {PARTIES} summaries and merging them into as many topics, or of the peer's own "
    f"way from {PARTIES} models to one. "
    "*Pooled* is one fit of the same learner to all documents; with ours *× pooled* is merging "
    "divided by it: what a further merge costs beside fitting anew. *Kept* is how many topics come "
    "out. *Found again* is the share of the parties' own topics that "
    f"are like one that was kept (Bhattacharyya's coefficient, {LOST:g} or more). NPMI is that of "
    "the ten likeliest words of the topics that were kept, over all documents, and *pooled NPMI* "
    "that of the pooled fit."
)
SETTINGS = (
    "Everybody has the defaults of their library. gensim and enstop cluster topics, and keep those "
    "that come up in several models: *of the parties* is with the same parties as ours, which is "
    f"more than either was made for; *of all documents* is with {PARTIES} models of all documents, "
    "as each does it by itself, and has nothing that is pooled beside it. (enstop's class PLSA "
    "uses np.float, which numpy no longer has; its ensembles run, and their PLSA stands in for it.)"
)


@dataclass(frozen=True)
class Ensemble:
    """What one way to combine models took, and what came of it."""

    fits: float
    merging: float
    kept: int
    found: float
    npmi: float
    pooled: float | None = None
    pooled_npmi: float | None = None


Ensembles = dict[str, list[Ensemble]]
"""By contender, one for each seed."""


@contextmanager
def processor() -> Iterator[list[float]]:
    """The processor's seconds that the block took, in a list of one when it is over."""
    seconds: list[float] = []
    began = time.process_time()
    yield seconds
    seconds.append(time.process_time() - began)


class Case:
    """A corpus, dealt to parties."""

    def __init__(self, corpus: Corpus, k: int, seed: int) -> None:
        self.corpus, self.k, self.seed = corpus, k, seed
        dealt = np.random.default_rng(seed).permutation(len(corpus)) % PARTIES
        self.parts = [corpus.rows(np.flatnonzero(dealt == party)) for party in range(PARTIES)]

    def npmi(self, topics: Array) -> float:
        """The mean over topics; NaN without any."""
        if not len(topics):
            return float("nan")
        rows = _distributions(topics + LEAST)
        words = self.corpus.vocabulary
        table = ch.evaluate(rows, self.corpus, measures=["npmi"], vocabulary=words)
        return float(table["value"].iloc[0])

    def ensemble(
        self, seconds: tuple[float, float], base: Array, topics: Array, pooled: Any = None
    ) -> Ensemble:
        """What came of these base topics."""
        return Ensemble(
            *seconds, len(topics), found_again(base, topics), self.npmi(topics),
            *((None, None) if pooled is None else (pooled[0], self.npmi(pooled[1]))),
        )  # fmt: skip


def found_again(base: Array, topics: Array) -> float:
    """The share of base topics that are like one of these.

    >>> found_again(np.eye(3), np.array([[0.9, 0.1, 0.0], [0.0, 0.1, 0.9]]))
    0.6666666666666666
    """
    if not len(topics):
        return 0.0
    alike = np.sqrt(_distributions(base)) @ np.sqrt(_distributions(topics)).T
    return float((alike.max(axis=1) >= LOST).mean())


def _distributions(rows: Array) -> Array:
    return np.asarray(rows / rows.sum(axis=1, keepdims=True), dtype=np.float64)


def ours(kind: str, case: Case) -> Ensemble:
    """Nine fits, nine summaries, one merge; and a pooled fit."""
    with processor() as pooling:
        pooled = ch.fit(kind, case.corpus, n_components=case.k, random_state=case.seed, n_jobs=1)
    with processor() as fitting:
        models = [
            ch.fit(kind, part, n_components=case.k, random_state=case.seed, n_jobs=1)
            for part in case.parts
        ]
    with processor() as merging:
        published = [
            ch.publish(model, part, name=f"party {number}", n_jobs=1)
            for number, (model, part) in enumerate(zip(models, case.parts, strict=True))
        ]
        merged = ch.merge(published, case.k, random_state=case.seed, n_jobs=1)
    column = {word: number for number, word in enumerate(case.corpus.vocabulary)}
    topics = np.zeros((merged.n_topics, len(column)))
    topics[:, [column[word] for word in merged.vocabulary]] = merged.topics
    base = np.vstack([model.topics for model in models])
    return case.ensemble((fitting[0], merging[0]), base, topics, (pooling[0], pooled.topics))


def gensim_of_parties(case: Case) -> Ensemble:
    """gensim's models of the parties' documents, added to an ensemble."""
    from gensim.models import EnsembleLda, LdaModel

    words = dict(enumerate(case.corpus.vocabulary))
    everything, *bags = (bags_of(part.counts) for part in (case.corpus, *case.parts))
    common = {"id2word": words, "num_topics": case.k, "random_state": case.seed}
    with processor() as pooling:
        pooled = LdaModel(everything, **common)
    with processor() as fitting:
        models = [LdaModel(bag, **common) for bag in bags]
    with processor() as merging:
        ensemble = EnsembleLda(
            topic_model_class="lda", num_models=0, distance_workers=1, id2word=words,
            random_state=case.seed,
        )  # fmt: skip
        ensemble.add_model(models)
        ensemble.recluster()
    base = np.vstack([model.get_topics() for model in models])
    seconds = fitting[0], merging[0]
    return case.ensemble(seconds, base, ensemble.get_topics(), (pooling[0], pooled.get_topics()))


def gensim_of_all(case: Case) -> Ensemble:
    """EnsembleLda by itself: so many models of all documents."""
    from gensim.models import EnsembleLda

    bags = bags_of(case.corpus.counts)
    with processor() as fitting:
        ensemble = EnsembleLda(
            topic_model_class="lda", num_models=PARTIES, distance_workers=1, corpus=bags,
            id2word=dict(enumerate(case.corpus.vocabulary)), num_topics=case.k,
            random_state=case.seed,
        )  # fmt: skip
    with processor() as merging:
        ensemble.asymmetric_distance_matrix_outdated = True
        ensemble.recluster()
    seconds = fitting[0] - merging[0], merging[0]
    return case.ensemble(seconds, ensemble.ttda, ensemble.get_topics())


def enstop_of_parties(case: Case) -> Ensemble:
    """enstop's PLSA of the parties' documents, their topics clustered as it clusters its own."""
    with processor() as pooling:
        pooled = enstop_topics(case, case.corpus, 1, bootstrap=False)
    with processor() as fitting:
        each = [enstop_topics(case, part, 1, bootstrap=False) for part in case.parts]
    base = np.vstack(each)
    with processor() as merging:
        topics = enstop_combined(base)
    return case.ensemble((fitting[0], merging[0]), base, topics, (pooling[0], pooled))


def enstop_of_all(case: Case) -> Ensemble:
    """enstop by itself: so many models of documents drawn from all."""
    with processor() as fitting:
        base = enstop_topics(case, case.corpus, PARTIES, bootstrap=True)
    with processor() as merging:
        topics = enstop_combined(base)
    return case.ensemble((fitting[0], merging[0]), base, topics)


def enstop_topics(case: Case, corpus: Corpus, runs: int, *, bootstrap: bool) -> Array:
    """The topics of so many of its PLSA models.

    Its class PLSA uses np.float, which numpy no longer has, but its ensembles don't. With a number
    as the seed they would draw the same documents for every model.
    """
    from enstop.enstop_ import ensemble_of_topics

    topics = ensemble_of_topics(
        sp.coo_matrix(corpus.counts.astype(np.float32)), case.k, n_runs=runs, parallelism="none",
        n_iter=80, bootstrap=bootstrap, random_state=np.random.RandomState(case.seed),
    )  # fmt: skip
    return np.asarray(topics, dtype=np.float64)


def enstop_combined(base: Array) -> Array:
    """Its clusters of topics, with the defaults of its class EnsembleTopics."""
    from enstop.enstop_ import generate_combined_topics_hellinger_umap as combined

    return np.asarray(combined(base, min_samples=3, min_cluster_size=5), dtype=np.float64)


def bags_of(counts: Any) -> list[list[tuple[int, float]]]:
    """Documents in gensim's form."""
    counts = sp.csr_array(counts)
    return [
        list(zip(row.indices.tolist(), row.data.tolist(), strict=True))
        for row in (counts[[i]] for i in range(counts.shape[0]))
    ]


Contender = Callable[[Case], Ensemble]


def contenders() -> dict[str, Contender]:
    """By name; the peers where they are installed."""
    found: dict[str, Contender] = {f"chatham, {kind}": partial(ours, kind) for kind in KINDS}
    if installed("gensim") is not None:
        found["gensim, of the parties"] = gensim_of_parties
        found["gensim, of all documents"] = gensim_of_all
    if installed("enstop") is not None:
        found["enstop, of the parties"] = enstop_of_parties
        found["enstop, of all documents"] = enstop_of_all
    return found


def compare(
    corpus: Corpus, k: int, seeds: int, tries: int, stage: Callable[[str], None] = lambda _: None
) -> Iterator[Ensembles]:
    """All contenders in turn, for each seed, and all of it again; what is known after each round.

    Of several tries the least seconds count: the first one compiles.
    """
    cases = [Case(corpus, k, seed) for seed in range(seeds)]
    tried: dict[str, list[list[Ensemble]]] = {name: [[] for _ in cases] for name in contenders()}
    for number in range(tries):
        for seed, case in enumerate(cases):
            for name, run in contenders().items():
                stage(f"{name}, seed {seed}, try {number + 1}")
                tried[name][seed].append(run(case))
        yield {name: [quickest(each) for each in of_seeds] for name, of_seeds in tried.items()}


def quickest(tries: Sequence[Ensemble]) -> Ensemble:
    """The least of each kind of seconds; all else is the same in every try of a seed."""
    last = tries[-1]
    pooled = [each.pooled for each in tries if each.pooled is not None]
    return Ensemble(
        min(each.fits for each in tries),
        min(each.merging for each in tries),
        last.kept,
        last.found,
        last.npmi,
        min(pooled, default=None),
        last.pooled_npmi,
    )


HEAD = ("", "pooled (s)", "fits (s)", "merging (s)", "× pooled", "kept", "found again", "NPMI",
        "pooled NPMI")  # fmt: skip


def row_of(name: str, seeds: Sequence[Ensemble]) -> list[str]:
    """A contender's means over seeds, and what was kept from the least to the most."""
    ratios = [each.merging / each.pooled for each in seeds if each.pooled]
    coherent = [each.npmi for each in seeds if not np.isnan(each.npmi)]
    return [
        name,
        _mean((each.pooled for each in seeds), 2),
        _mean((each.fits for each in seeds), 2),
        _mean((each.merging for each in seeds), 2),
        _mean(ratios, 2),
        _span([each.kept for each in seeds]),
        f"{mean(each.found for each in seeds):.0%}",
        _mean(coherent, 3),
        _mean((each.pooled_npmi for each in seeds), 3),
    ]


def _mean(values: Any, digits: int) -> str:
    known = [value for value in values if value is not None]
    return f"{mean(known):.{digits}f}" if known else "–"


def _span(values: Sequence[int]) -> str:
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low} to {high}"


def page_of(found: Mapping[str, Ensembles], tries: int, note: str = "") -> str:
    """The whole page."""
    where = f"At revision {revision()}. Measured on: {machine()}{_enstop()}.{note and ' ' + note}"
    lines = ["# Ensembles", "", MEANING, "", SETTINGS, ""]
    seeds = max(len(each) for one in found.values() for each in one.values())
    lines += [
        f"Means over seeds, of which there are {seeds}; the best of "
        f"{'one try' if tries == 1 else f'{tries} tries'}. {where}"
    ]
    for corpus, ensembles in found.items():
        lines += ["", f"## {corpus}", ""]
        rows = [row_of(name, each) for name, each in ensembles.items()]
        lines += [f"| {' | '.join(cells)} |" for cells in (HEAD, ["---"] * len(HEAD), *rows)]
    return "\n".join(lines) + "\n"


def _enstop() -> str:
    try:
        return f", enstop {metadata.version('enstop')}"
    except metadata.PackageNotFoundError:
        return "; without enstop"


def corpora(folder: Path | None, most: int) -> dict[str, Corpus]:
    """By name; documents without words are left out, since some peers can't take them."""
    if folder is None:
        return {"bundled sample": _some(sample_corpus(min_df=2), most)}
    found = {
        name: _some(read_corpus(folder / file, max_features=words), most)
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


def _some(corpus: Corpus, most: int) -> Corpus:
    order = np.random.default_rng(0).permutation(np.flatnonzero(~corpus.empty))
    return corpus.rows(np.sort(order[:most]))


def main(words: Sequence[str] | None = None) -> int:
    """Read the command line, compare, print the page; 1 where that can't be done."""
    parser = ArgumentParser(
        "python -m benchmarks.ensembles",
        description=__doc__,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="the folder of real corpora")
    parser.add_argument("-k", "--topics", type=int, default=20, help="how many topics")
    parser.add_argument(
        "--documents", type=int, default=6_000, help="at most so many documents of a corpus"
    )
    parser.add_argument("--seeds", type=int, default=SEEDS, help="how many seeds")
    parser.add_argument("--tries", type=int, default=2, help="the best of this many counts")
    parser.add_argument("--note", default="", help="a sentence about the run, for the page")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the page here too")
    options = parser.parse_args(words)
    try:
        check_file(options.output)
        found: dict[str, Ensembles] = {}
        with warnings.catch_warnings(action="ignore"), threadpool_limits(1):
            for name, corpus in corpora(options.data, options.documents).items():
                stage = partial(_say, name)
                for tried, known in enumerate(
                    compare(corpus, options.topics, options.seeds, options.tries, stage), start=1
                ):
                    size = f"{len(corpus):,} documents, {options.topics} topics"
                    found[f"{name}, {size}"] = known
                    page = page_of(found, tried, options.note)
                    if options.output is not None:
                        _write(options.output, page)
    except ChathamError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    print(page, end="")
    return 0


def _say(corpus: str, stage: str) -> None:
    print(f"{corpus}: {stage}", file=sys.stderr)


def _write(path: Path, page: str) -> None:
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise unwritable(path, error) from None


if __name__ == "__main__":
    sys.exit(main())
