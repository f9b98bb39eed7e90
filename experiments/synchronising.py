"""Can parties that work by themselves, and merge their topics now and then, save rounds?

The thesis (section 2.1) proposes WR-NMF inside the distributed NMF, as a start and as a
synchronisation every τ iterations. Here every party makes τ iterations on its own documents, from
the topics that all have; publishes its topics and their weights; and all merge them, beginning from
their averages. Beside it PD-NMF, with a sum in every iteration, from random topics and from a
merge of the parties' own models.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import chatham as ch
from chatham.ensembles.bounds import least_error, local_fit
from chatham.ensembles.wr_nmf import Base, merge_topics
from inference_study.records import Records
from merging import SAMPLE, SOURCES, WAYS, Plan, fit, quietly, read, rows_of
from shared_options import add_places, add_seeds, at_least_one, seeds_of

Array = NDArray[np.float64]

SOURCE = "Newsrooms"
PERIODS = (1, 5, 20)
PARTIES = 9
SHOWN = (1, 2, 5, 10)
OWN = 100
"""The most iterations of a party's own fit, before a merge to start from."""
TIME = "With --data it takes about ten minutes on a core."


def iterated(rows: Any, topics: Array, way: str, number: int) -> ch.NMF:
    """So many iterations on these rows from these topics; the topics keep their numbers."""
    learner = ch.NMF(len(topics), constraint=WAYS[way], init=topics, max_iter=number, tol=0)
    quietly(learner.fit, rows)
    learner.components_ = learner.components_[np.argsort(learner._order)]
    return learner


def distributed(parts: Sequence[Any], topics: Array, way: str, after: int) -> Array:
    """PD-NMF: the topics after so many rounds, each of which is a sum over all documents."""
    return iterated(ch.Simulated(parts), topics, way, after).components_ if after else topics


def synchronised(
    parts: Sequence[Any], topics: Array, way: str, rounds: int, period: int
) -> Iterator[Array]:
    """The topics after each merge; between two merges each party works by itself."""
    weights: list[Array | None] = [None] * len(parts)
    for _ in range(rounds):
        bases = []
        for place, rows in enumerate(parts):
            own = iterated(ch.Weighted(rows, start=weights[place]), topics, way, period)
            weights[place] = own.transform(rows)
            bases.append(base_of(rows, weights[place], own.components_))
        mean = averaged(bases, topics)
        merged = quietly(merge_topics, bases, len(topics), constraint=WAYS[way], init=mean)
        topics = merged.topics
        yield topics


def averaged(bases: Sequence[Base], before: Array) -> Array:
    """Each topic's average over the parties, by their weights: where a merge begins, since all went
    out from the same topics. One that nobody uses stays as it was."""
    sizes = np.sum([base.weights for base in bases], axis=0)[:, None]
    total = np.sum([base.weights[:, None] * base.topics for base in bases], axis=0)
    return np.where(sizes > 0, total / np.where(sizes > 0, sizes, 1.0), before)


def base_of(rows: Any, weights: Array, topics: Array) -> Base:
    """What a party publishes: its topics, and ΣW²."""
    seen = np.ones(topics.shape[1], dtype=bool)
    return Base(topics, seen, local_fit(rows, weights, topics).costs("thesis"))


def merged_start(parts: Sequence[Any], way: str, seed: int, plan: Plan) -> Array:
    """The parties' own models, merged once."""
    fits = [fit(rows, way, seed, replace(plan, iterations=OWN)).left for rows in parts]
    seen = np.ones(parts[0].shape[1], dtype=bool)
    bases = [Base(left.topics, seen, left.costs("thesis")) for left in fits]
    return quietly(merge_topics, bases, plan.topics, constraint=WAYS[way], random_state=seed).topics


def trial(corpus: ch.Corpus, way: str, who: str, seed: int, plan: Plan) -> dict[str, list[float]]:
    """The share of ‖X‖² that is left after each round, by the way to get there."""
    rows, natural = rows_of(corpus, way, plan.documents, seed)
    dealt = np.array_split(np.random.default_rng(seed).permutation(rows.shape[0]), PARTIES)
    parts = [sp.csr_array(rows[mine]) for mine in (natural if who == "natural" else dealt)]
    random = np.random.default_rng(seed).random((plan.topics, rows.shape[1]))
    random /= random.sum(axis=1, keepdims=True)
    merged = merged_start(parts, way, seed, plan)
    squares = float(rows.power(2).sum())

    def left(topics: Array) -> float:
        return 2 * least_error(rows, topics, WAYS[way]) / squares

    shown = shown_of(plan)
    shares = {
        "PD-NMF from random topics": [left(distributed(parts, random, way, n)) for n in shown],
        "PD-NMF from a merge": [left(distributed(parts, merged, way, n - 1)) for n in shown],
    }
    for period in PERIODS:
        rounds = enumerate(synchronised(parts, random, way, plan.iterations, period), 1)
        every = f"merged every {'iteration' if period == 1 else f'{period} iterations'}"
        shares[every] = [left(topics) for number, topics in rounds if number in shown]
    return shares


def shown_of(plan: Plan) -> list[int]:
    """After which rounds it is looked at."""
    return [number for number in SHOWN if number <= plan.iterations]


def page(plan: Plan, name: str, found: Sequence[Mapping[str, Any]]) -> str:
    """What is left after so many rounds."""
    seeds = sorted({row["seed"] for row in found})
    d, k = plan.words, plan.topics
    lines = [
        "# Merging every few iterations", "", __doc__.split("\n\n", 1)[1].strip(), "",
        f"Written by `synchronising.py`; what we make of it is in [the README](../README.md). "
        f"{name}, {plan.documents:,} documents at most, {d:,} words, k = {k}, seeds "
        f"{', '.join(map(str, seeds))}: the mean, with the least and the most in brackets. A round "
        f"of PD-NMF takes {(d * k + k * k + 3 * k) * 8 / 1000:,.0f} kB of each party (WᵀX, WᵀW and "
        f"three sums of weights), a merge {(d * k + k) * 8 / 1000:,.0f} kB (topics and ΣW²), which "
        "all see one by one, where sums can be masked. A start from a merge has one round for "
        f"that; its parties' own fits take up to {OWN} iterations.", "",
        "Squared error left, in % of ‖X‖², with the best weights.",
    ]  # fmt: skip
    shown = shown_of(plan)
    for way in WAYS:
        for who in ("dealt", "natural"):
            mine = [row for row in found if (row["way"], row["who"]) == (way, who)]
            called = f"{PARTIES} parties, dealt at random" if who == "dealt" else "natural parties"
            rounds = " | ".join(f"after {number}" for number in shown)
            lines += [
                "",
                f"## {way}, {called}",
                "",
                f"| rounds | {rounds} |",
                "|---" * (1 + len(shown)) + "|",
            ]
            for label in mine[0]["left"]:
                cells = []
                for place in range(len(shown)):
                    values = [100 * row["left"][label][place] for row in mine]
                    spread = f" ({min(values):.2f} to {max(values):.2f})" if len(values) > 1 else ""
                    cells.append(f"{np.mean(values):.2f}{spread}")
                lines.append(f"| {label} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, epilog=TIME)
    add = parser.add_argument
    add("--data", type=Path, metavar="FOLDER",
        help=f"where {SOURCES[SOURCE][0]} is; the bundled sample if not given")  # fmt: skip
    for name, usual in (("topics", 20), ("documents", 2000), ("words", 800), ("rounds", 10)):
        add(f"--{name}", type=at_least_one, default=usual, metavar="N", help=f"({usual})")
    add_seeds(parser)
    add_places(parser, "synchronising.md; printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page."""
    given = options().parse_args(arguments)
    plan = Plan(given.topics, given.documents, given.words, given.rounds)
    records, found = Records(given.keep), []
    name = SOURCE if given.data is not None else SAMPLE
    for seed in seeds_of(given):
        for way in WAYS:
            for who in ("dealt", "natural"):
                asked = {"way": way, "who": who, "seed": seed, "corpus": name, **vars(plan)}
                if not records.has(asked):
                    corpus = read(given.data, SOURCE, plan.words)
                    records.add(asked, {"left": trial(corpus, way, who, seed, plan)})
                found.append(records.get(asked))
    written = page(plan, name, found)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "synchronising.md").write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
