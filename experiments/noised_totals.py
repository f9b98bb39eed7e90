"""What does noise in the totals of k-means cost, and what would other ways to tell less?

Exact totals give documents away (`tests/attacks/kmeans_totals.py`). Compared are topics from exact
totals, from noised ones of several strengths, and from documents that are told once: each is in one
of ten batches, and a round adds up a batch. Newsrooms and the bundled sample's communities fit
together as in a session: 1 − cosine of documents and their topic, completion of held-out documents,
NPMI. Planted clusters have a known answer: ℓ1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

import chatham as ch
from chatham.commons import Memory, Simulated
from chatham.corpus.synthetic.corpora import synthetic_corpus
from chatham.corpus.synthetic.planting import planted_topics
from chatham.federation.program import counted_as, fit_between, program_of
from chatham.federation.session import Member, Session
from chatham.learners.documents import frequencies_of
from chatham.learners.fitted import Fitted
from chatham.learners.nearest import nearest
from chatham.learners.noised_means import NoisedMeans, cosine_distance
from chatham.learners.noised_totals import (
    ROUNDS,
    estimated_topics,
    group_at_random,
    unit_totals,
    usual_words,
)
from chatham.measures.truth.topics import match_topics
from uplift_study.documents import NEWSROOMS, POLICY, SAMPLE, read

TIME = "With --data it takes about ten minutes on a core."
HELD_OUT = 0.2
PLANTED = "planted clusters"
PLANTED_WORDS, PLANTED_DOCUMENTS, PLANTED_TOPICS = 800, 3000, 10


def add_batch(rows: Any, memory: Memory, topics: Any, batch: int, seed: int) -> Any:
    """Each topic's documents of one batch of ten, of unit length, added up."""
    documents = frequencies_of(rows, memory)
    mine = group_at_random(documents, memory, ROUNDS, seed) == batch
    return unit_totals(documents, np.where(mine, nearest(documents, topics)[0], -1), len(topics))


def begin_from_batch(rows: Any, memory: Memory, groups: int, seed: int) -> Any:
    """Random groups of the first batch's documents, of unit length, added up."""
    documents = frequencies_of(rows, memory)
    mine = group_at_random(documents, memory, ROUNDS, seed) == 0
    at_random = group_at_random(documents, memory, groups, seed + 1)
    return unit_totals(documents, np.where(mine, at_random, -1), groups)


class InBatches(ch.KMeans):
    """Each document is told once: in one of ten batches, whose totals add up."""

    def _fit(self, commons: Any, seed: int) -> Fitted:
        k, noise = self.n_components, self._noise
        totals = commons.sum(begin_from_batch, k, seed, noise=noise)
        for batch in range(1, ROUNDS):
            topics = self._topics(commons, totals, batch)
            totals = totals + commons.sum(add_batch, topics, batch, seed, noise=noise)
        topics, told = self._topics(commons, totals, ROUNDS), NoisedMeans(commons, noise)
        distance = cosine_distance((totals**2).sum(axis=1), told.documents)
        return Fitted(topics, told.sizes(topics), [distance], ROUNDS, revived=[])

    def _topics(self, commons: Any, totals: Any, batches: int) -> Any:
        noise = 0.0 if commons.exact_totals else self._noise
        deviation = noise * np.sqrt(commons.holders * batches)
        usual = usual_words(totals.sum(axis=0))
        return estimated_topics(totals, totals.sum(axis=1), usual, deviation)


def noised(base: type[ch.KMeans], noise: float) -> type[ch.KMeans]:
    """The same learner with noise of this standard deviation."""
    called = f"{base.__name__.lower()}-{noise * 100:.0f}"
    return type(base.__name__, (base,), {"_noise": noise, "algorithm": called})


@dataclass(frozen=True)
class Way:
    """A way to tell totals: its name, its learner, and whether totals are exact."""

    name: str
    learner: type[ch.KMeans]
    exact: bool = False
    topics: int | None = None


WAYS = (
    Way("one topic", ch.KMeans, exact=True, topics=1),
    Way("exact totals", ch.KMeans, exact=True),
    *(Way(f"noise of {noise}", noised(ch.KMeans, noise)) for noise in (0.05, 0.1, 0.2, 0.4)),
    Way("told once, exact", InBatches, exact=True),
    *(Way(f"told once, noise of {noise}", noised(InBatches, noise)) for noise in (0.1, 0.2)),
)


@dataclass(frozen=True)
class Plan:
    """How much is computed."""

    topics: int = 20
    seeds: int = 3


def members(corpus: ch.Corpus) -> list[ch.Corpus]:
    """A corpus for each owner."""
    owners = np.array([str(label) for label in corpus.labels])
    return [corpus.rows(np.flatnonzero(owners == owner)) for owner in sorted(set(owners))]


def session_of(parties: int, plan: Plan, seed: int) -> Session:
    """A session of so many parties, as it would be agreed on."""
    return Session(
        id="ab" * 16,
        relay="http://127.0.0.1:1",
        parties=tuple(Member(f"Party {i}", f"{i:02x}" * 32) for i in range(1, parties + 1)),
        algorithm="kmeans",
        parameters={"n_components": plan.topics},
        vocabulary=POLICY,
        seed=seed,
    )


def fit_of(way: Way, parts: Sequence[ch.Corpus], plan: Plan, seed: int) -> ch.TopicModel:
    """The model of these parties' documents, by the program that parties run."""
    settings = {"loss": "relative", "init": "random", "random_state": seed}
    learner = way.learner(way.topics or plan.topics, **settings)
    program = replace(program_of(session_of(len(parts), plan, seed)), learner=learner)
    return fit_between(meeting(way, seed), program, parts)


def meeting(way: Way, seed: int) -> Callable[..., Simulated]:
    """Parties in this process, with keys of their own."""

    def meet(rows: list[Any], about: bytes = b"") -> Simulated:
        secrets = [b"party %d, %d" % (party, seed) for party in range(len(rows))]
        return Simulated(rows, secure=True, secrets=secrets, exact_totals=way.exact)

    return meet


def distance_of(model: ch.TopicModel, parts: Sequence[ch.Corpus], session: Session) -> float:
    """1 − the mean cosine of the parties' documents and their topic."""
    counts = sp.vstack(counted_as(session, parts, model.vocabulary), format="csr")
    assert model.vectorizer is not None
    rows = sp.csr_array(model.vectorizer.weigh(sp.csr_array(counts)))
    norms = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    topics = model.estimator.components_  # in the space of the weighted rows
    topics = topics / np.linalg.norm(topics, axis=1, keepdims=True)
    labels = model.estimator.transform(rows).argmax(axis=1)
    products = np.asarray(rows @ topics.T)[np.arange(len(labels)), labels]
    return float(1 - (products[norms > 0] / norms[norms > 0]).mean())


def scores_together(corpus: ch.Corpus, plan: Plan, ways: Sequence[Way]) -> list[dict[str, Any]]:
    """Each way's scores on real documents."""
    found = []
    for seed in range(plan.seeds):
        halves = [part.split(HELD_OUT, random_state=seed) for part in members(corpus)]
        train, test = [half[0] for half in halves], [half[1] for half in halves]
        session = session_of(len(train), plan, seed)
        for way in ways:
            model = fit_of(way, train, plan, seed)
            held_out, fitted = pooled(session, test, model), pooled(session, train, model)
            table = ch.evaluate(
                model, fitted, held_out=held_out, measures=["npmi", "completion"]
            ).set_index("measure")["value"]
            found.append({
                "way": way.name, "seed": seed, "parties": len(train),
                "1 − cosine": distance_of(model, train, session), **table.to_dict(),
            })  # fmt: skip
            print(found[-1], file=sys.stderr)
    return found


def pooled(session: Session, parts: Sequence[ch.Corpus], model: ch.TopicModel) -> ch.Corpus:
    """All parties' documents as plain counts of the model's words."""
    counts = sp.vstack(counted_as(session, parts, model.vocabulary), format="csr")
    return ch.Corpus(sp.csr_array(counts), model.vocabulary)


def scores_planted(plan: Plan, ways: Sequence[Way]) -> list[dict[str, Any]]:
    """ℓ1 to the true topics: documents of one topic each, dealt to three parties."""
    found = []
    for seed in range(plan.seeds):
        topics, _ = planted_topics(
            PLANTED_TOPICS, PLANTED_WORDS, concentration=0.1, random_state=seed
        )
        drawn = synthetic_corpus(
            topics, PLANTED_DOCUMENTS, lengths=100, prior=0.01, random_state=seed
        )
        rows = sp.csr_array(drawn.corpus.counts)
        parts = [rows[party::3] for party in range(3)]
        for way in ways:
            settings = {"loss": "relative", "init": "random", "random_state": seed}
            learner = way.learner(way.topics or PLANTED_TOPICS, **settings)
            learner.fit(meeting(way, seed)(parts))
            partners = match_topics(learner.components_, topics)
            off = [
                np.abs(learner.components_[topic] - topics[partner]).sum()
                for topic, partner in enumerate(partners) if partner >= 0
            ]  # fmt: skip
            found.append({"way": way.name, "seed": seed, "parties": 3, "ℓ1": float(np.mean(off))})
            print(found[-1], file=sys.stderr)
    return found


def page(plan: Plan, found: dict[str, list[dict[str, Any]]]) -> str:
    """The tables."""
    lines = ["# Noised totals of k-means", "", __doc__.split("\n\n", 1)[1].strip(), ""]
    for name, rows in found.items():
        table = pd.DataFrame(rows)
        columns = [c for c in table.columns if c not in ("way", "seed", "parties")]
        topics = PLANTED_TOPICS if name == PLANTED else plan.topics
        lines += [f"## {name}: {table['parties'].iloc[0]} parties, {topics} topics", ""]
        lines += ["| | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
        for way, own in table.groupby("way", sort=False):
            cells = [f"{own[c].min():.3f} to {own[c].max():.3f}" for c in columns]
            lines.append(f"| {way} | " + " | ".join(cells) + " |")
        lines.append("")
    lines.append(
        f"Least and most of {plan.seeds} seeds. Noise is the standard deviation of what each party "
        "adds to a cell, beside documents of length one; a total has that of all parties."
    )
    return "\n".join(lines) + "\n"


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TIME, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    usual = Plan()
    add = parser.add_argument
    add("--data", type=Path, metavar="FOLDER",
        help="where newsarticles.parquet is; the bundled sample alone if not given")  # fmt: skip
    add("--topics", type=int, default=usual.topics, help=f"({usual.topics})")
    add("--seeds", type=int, default=usual.seeds, help=f"({usual.seeds})")
    add("--output", type=Path, metavar="FOLDER", help="for noised_totals.md; printed if not given")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page."""
    parser = options()
    given = parser.parse_args(arguments)
    if given.topics < 1 or given.seeds < 1:
        parser.error("numbers of topics and of seeds must be at least 1")
    plan = Plan(given.topics, given.seeds)
    try:
        sources = {} if given.data is None else {NEWSROOMS: read(given.data, NEWSROOMS)}
        sources[SAMPLE] = read(None, SAMPLE)
        found = {name: scores_together(each, plan, WAYS) for name, each in sources.items()}
        found[PLANTED] = scores_planted(plan, WAYS)
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    written = page(plan, found)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "noised_totals.md").write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
