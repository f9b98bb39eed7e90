"""What is lost if parties publish topics once, instead of fitting together?

Each party factorises its own documents (NMF, k topics) and publishes its topics with what an error
in each of them costs; these are merged (WR-NMF, thesis, Algorithm 6) with the thesis's weights ΣW²
and with ours, G1. Of the squared norm that a model of all documents explains, how much do the
merged topics explain? And how often is the error larger than the bound of Theorem 1?
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import chatham as ch
from chatham.ensembles.bounds import LocalFit, bounds, least_error, local_fit
from chatham.ensembles.wr_nmf import Base, merge_topics
from chatham.notes import ChathamWarning
from inference_study.records import Records
from shared_options import add_places, add_seeds, at_least_one, seeds_of

Array = NDArray[np.float64]

SOURCES = {
    "20 Newsgroups": ("20newsgroups_clean.parquet", "label", "20 newsgroups"),
    "Enron": ("enron_ham.parquet", "owner", "6 mailboxes"),
    "Newsrooms": ("newsarticles.parquet", "label", "9 newsrooms"),
}
"""Each file, by which column its parties differ, and what these are."""
SAMPLE = "bundled sample"
WAYS = {"simplex": "simplex", "text": "none"}
"""Frequencies on the simplex, as in the thesis; and what `ch.fit` sets for text: tf-idf and no
constraint, every document divided by its norm."""
DEALT = (3, 9)
WEIGHTS = ("thesis", "gram")
NAMES = {"thesis": "ΣW²", "gram": "G1"}
TIME = "With --data it takes about a quarter of an hour on a core."


@dataclass(frozen=True)
class Plan:
    """How large it is."""

    topics: int
    documents: int
    words: int
    iterations: int


@dataclass(frozen=True)
class Fit:
    """A party's rows, and what its fit leaves behind."""

    rows: sp.csr_array
    left: LocalFit


@cache
def read(folder: Path | None, name: str, words: int) -> ch.Corpus:
    """All documents, in the commonest words that aren't stop words."""
    if folder is None:
        return ch.sample_corpus(max_features=words)
    file, label, _ = SOURCES[name]
    return ch.read_corpus(
        folder / file, text="text", label=label, stop_words="en", max_features=words,
        keep_texts=False,
    )  # fmt: skip


def rows_of(corpus: ch.Corpus, way: str, most: int, seed: int) -> tuple[sp.csr_array, list[Array]]:
    """Some documents as NMF takes them, and which of them are whose by nature."""
    counts = sp.csr_array(corpus.counts, dtype=np.float64)
    filled = np.flatnonzero(np.asarray(counts.sum(axis=1)).ravel() > 0)
    drawn = np.sort(np.random.default_rng(seed).permutation(filled)[:most])
    rows = sp.csr_array(counts[drawn])
    if way == "text":
        df = np.asarray((counts > 0).sum(axis=0)).ravel()
        rows = sp.csr_array(rows.multiply(np.log(counts.shape[0] / df)))
        sizes = np.sqrt(np.asarray(rows.power(2).sum(axis=1)).ravel())
    else:
        sizes = np.asarray(rows.sum(axis=1)).ravel()
    sizes[sizes == 0] = 1.0  # words that all documents have
    rows = sp.csr_array(rows.multiply(1.0 / sizes[:, None]))
    labels = np.asarray(corpus.labels)[drawn]
    return rows, [np.flatnonzero(labels == label) for label in np.unique(labels)]


def fit(rows: sp.csr_array, way: str, seed: int, plan: Plan) -> Fit:
    """NMF of these rows alone."""
    learner = ch.NMF(plan.topics, constraint=WAYS[way], max_iter=plan.iterations, random_state=seed)
    weights = quietly(learner.fit, rows).transform(rows)
    return Fit(rows, local_fit(rows, weights, learner.components_))


def quietly(call: Callable[..., Any], *arguments: Any, **more: Any) -> Any:
    """Without warnings of topics that started again, or of iterations that ran out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChathamWarning)
        return call(*arguments, **more)


def measured(parties: Sequence[Fit], way: str, pooled: float, plan: Plan) -> dict[str, Any]:
    """What merged topics explain of what the pooled ones do, and the bounds beside the truth."""
    squares = sum(float(party.rows.power(2).sum()) for party in parties)
    own = sum(party.left.error for party in parties)
    found: dict[str, Any] = {"own": (squares - 2 * own) / squares / pooled}
    seen = np.ones(parties[0].rows.shape[1], dtype=bool)
    for by in WEIGHTS:
        bases = [Base(party.left.topics, seen, party.left.costs(by)) for party in parties]
        merged = quietly(merge_topics, bases, plan.topics, constraint=WAYS[way], random_state=0)
        true = [least_error(party.rows, merged.topics, WAYS[way]) for party in parties]
        told = [
            bounds(party.left, mixtures, merged.topics)
            for party, mixtures in zip(parties, merged.weights, strict=True)
        ]
        found[by] = {
            "explained": (squares - 2 * sum(true)) / squares / pooled,
            "rise": sum(true) - own,
            "quadratic": sum(each.quadratic for each in told) - own,
            "diagonal": sum(each.diagonal for each in told) - own,
            "printed": sum(each.printed for each in told) - own,
            "broken": sum(e > each.printed for e, each in zip(true, told, strict=True)),
            "broken held": sum(each.quadratic > each.printed for each in told),
            "false": sum(
                e > each.quadratic * (1 + 1e-9) for e, each in zip(true, told, strict=True)
            ),
            "parties": len(parties),
        }
    found["neighbour"] = neighbours(parties, way)
    return found


def neighbours(parties: Sequence[Fit], way: str) -> dict[str, int]:
    """The same bounds for the topics of the next party, in place of merged ones."""
    broken = false = 0
    for party, other in zip(parties, [*parties[1:], parties[0]], strict=True):
        topics = other.left.topics
        mixtures = mixed(party.left.topics, topics, way)
        told = bounds(party.left, mixtures, topics)
        true = least_error(party.rows, topics, WAYS[way])
        broken += true > told.printed
        false += true > told.quadratic * (1 + 1e-9)
    return {"broken": int(broken), "false": int(false), "parties": len(parties)}


def mixed(own: Array, topics: Array, way: str) -> Array:
    """The mixtures of topics that are nearest to a party's own."""
    learner = ch.NMF(len(topics), constraint=WAYS[way], init=topics, max_iter=1, tol=0)
    quietly(learner.fit, own)
    learner.components_ = topics
    return learner.transform(own)


def study(plan: Plan, folder: Path | None, seeds: Sequence[int], records: Records) -> list[Any]:
    """All that is to be found, from what is kept or anew."""
    found = []
    for seed in seeds:
        for name in SOURCES if folder is not None else [SAMPLE]:
            for way in WAYS:
                asked = {"corpus": name, "way": way, "seed": seed, **vars(plan)}
                if not records.has(asked):
                    records.add(
                        asked, dict(trials(read(folder, name, plan.words), way, seed, plan))
                    )
                found.append(records.get(asked))
    return found


def trials(corpus: ch.Corpus, way: str, seed: int, plan: Plan) -> Iterator[tuple[str, Any]]:
    """Documents dealt at random to three and to nine, and as they are by nature."""
    rows, natural = rows_of(corpus, way, plan.documents, seed)
    squares = float(rows.power(2).sum())
    together = fit(rows, way, seed, plan)
    pooled = (squares - 2 * least_error(rows, together.left.topics, WAYS[way])) / squares
    yield "pooled", pooled
    dealt = np.random.default_rng(seed).permutation(rows.shape[0])
    for number in DEALT:
        parts = np.array_split(dealt, number)
        parties = [fit(sp.csr_array(rows[part]), way, seed, plan) for part in parts]
        yield str(number), measured(parties, way, pooled, plan)
    parties = [fit(sp.csr_array(rows[part]), way, seed, plan) for part in natural]
    yield "natural", measured(parties, way, pooled, plan)


def page(plan: Plan, found: Sequence[Mapping[str, Any]]) -> str:
    """Two tables: what is explained, and what bounds say."""
    seeds = sorted({row["seed"] for row in found})
    lines = [
        "# Merged topics", "", __doc__.split("\n\n", 1)[1].strip(), "",
        f"Written by `merging.py`; what we make of it is in [the README](../README.md). "
        f"k = {plan.topics}; {plan.documents:,} documents at most, drawn by each seed from their "
        f"corpus, in its {plan.words:,} commonest words; at most {plan.iterations} iterations; "
        f"seeds {', '.join(map(str, seeds))}: the mean, with the least and the most in brackets.",
        "",
        "*simplex* is NMF of frequencies on the simplex, as in the thesis; *text* of tf-idf with "
        "each document divided by its norm and no constraint but non-negativity, as `ch.fit` "
        "sets it.", "", "## What merged topics explain", "",
        "In % of what the topics of all documents together explain of the squared norm. *own* is "
        "what every party's own topics explain of its own documents.", "",
        "| corpus | way | parties | pooled explains | own | merged by ΣW² | merged by G1 |",
        "|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    cases = list(dict.fromkeys((row["corpus"], row["way"]) for row in found))
    for corpus, way in cases:
        mine = [row for row in found if (row["corpus"], row["way"]) == (corpus, way)]
        for who in (*map(str, DEALT), "natural"):
            cells = [_spread([100 * row["pooled"] for row in mine])]
            cells.append(_spread([100 * row[who]["own"] for row in mine]))
            cells += [_spread([100 * row[who][by]["explained"] for row in mine]) for by in WEIGHTS]
            lines.append(f"| {corpus} | {way} | {_called(corpus, who)} | {' | '.join(cells)} |")
    lines += [
        "", "## Bounds", "",
        "By how much the parties' errors rise from their own topics to the merged ones, and what "
        "the bounds allow, in multiples of that (means over seeds). *printed* is Theorem 1's, with "
        "ΣW²; it is *broken* where a party's error is above it: at the merged topics, with the "
        "best weights and with W held at WŴ, and at the topics of the next party. *false* is how "
        "often a party's error was above the quadratic bound, anywhere.", "",
        "| corpus | way | parties | merged by | quadratic | diagonal | printed | broken | held | "
        "next party's | false |", "|---|---|---|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for corpus, way in cases:
        mine = [row for row in found if (row["corpus"], row["way"]) == (corpus, way)]
        for who in (*map(str, DEALT), "natural"):
            for by in WEIGHTS:
                each = [row[who][by] for row in mine]
                ratios = [
                    f"{np.mean([one[name] / one['rise'] for one in each]):.2f}"
                    for name in ("quadratic", "diagonal", "printed")
                ]
                of = sum(one["parties"] for one in each)
                next_to = [row[who]["neighbour"] for row in mine]
                broken = [
                    f"{sum(one['broken'] for one in each)} of {of}",
                    f"{sum(one['broken held'] for one in each)} of {of}",
                    f"{sum(one['broken'] for one in next_to)} of {of}",
                    f"{sum(one['false'] for one in [*each, *next_to])} of {2 * of}",
                ]
                cells = " | ".join([*ratios, *broken])
                called = _called(corpus, who)
                lines.append(f"| {corpus} | {way} | {called} | {NAMES[by]} | {cells} |")
    return "\n".join(lines) + "\n"


def _called(corpus: str, who: str) -> str:
    if who != "natural":
        return f"{who}, dealt"
    return SOURCES[corpus][2] if corpus in SOURCES else "3 communities"


def _spread(values: Sequence[float]) -> str:
    mean = f"{np.mean(values):.1f}"
    if len(values) == 1:
        return mean
    return f"{mean} ({min(values):.1f} to {max(values):.1f})"


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, epilog=TIME)
    files = ", ".join(file for file, _, _ in SOURCES.values())
    add = parser.add_argument
    add("--data", type=Path, metavar="FOLDER", help=f"where {files} are; the sample if not given")
    for name, usual in (("topics", 20), ("documents", 4000), ("words", 1000), ("iterations", 100)):
        add(f"--{name}", type=at_least_one, default=usual, metavar="N", help=f"({usual})")
    add_seeds(parser)
    add_places(parser, "merging.md; printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page."""
    given = options().parse_args(arguments)
    plan = Plan(given.topics, given.documents, given.words, given.iterations)
    found = study(plan, given.data, list(seeds_of(given)), Records(given.keep))
    written = page(plan, found)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "merging.md").write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
