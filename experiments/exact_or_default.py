"""What do learners lose between parties by telling less than exact totals?

By default NMF, SVD and k-means add noise to their totals; k-means, NMF, PLSA and LDA leave out of a
party's part the words that fewer than five of its documents have; and anchor words add up products
instead of co-occurrences, without the words that fewer than ten have. Where all parties know of
exact totals, they do none of this. Newsrooms and the bundled sample's communities fit together as
in a session, both ways.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

import chatham as ch
from chatham.commons import Simulated
from chatham.errors import HolderError
from chatham.federation.program import counted_as, fit_between, program_of
from chatham.federation.session import Member, Session
from uplift_study.documents import NEWSROOMS, POLICY, SAMPLE, read

TIME = "With --data it takes about ten minutes on a core."
HELD_OUT = 0.2
LEARNERS = ("kmeans", "nmf", "plsa", "lda", "anchor", "svd")
MEASURES = ("npmi", "completion", "explained")


def session_of(learner: str, parties: int, topics: int, seed: int) -> Session:
    """A session of so many parties, as it would be agreed on."""
    return Session(
        id="ab" * 16,
        relay="http://127.0.0.1:1",
        parties=tuple(Member(f"Party {i}", f"{i:02x}" * 32) for i in range(1, parties + 1)),
        algorithm=learner,
        parameters={"n_components": topics},
        vocabulary=POLICY,
        seed=seed,
    )


def fitted(session: Session, parts: Sequence[ch.Corpus], *, exact: bool) -> ch.TopicModel:
    """The model of these parties' documents, by the program that parties run."""

    def meet(rows: list[Any], about: bytes = b"") -> Simulated:
        secrets = [b"party %d, %d" % (party, session.seed) for party in range(len(rows))]
        return Simulated(rows, secure=True, secrets=secrets, exact_totals=exact)

    agreed = replace(session, exact_totals_know=exact)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit_between(meet, program_of(agreed), parts)


def measured(
    model: ch.TopicModel, session: Session, train: Sequence[ch.Corpus], test: Sequence[ch.Corpus]
) -> dict[str, float]:
    """The measures that suit the model."""
    pooled = [
        ch.Corpus(
            sp.csr_array(sp.vstack(counted_as(session, parts, model.vocabulary), format="csr")),
            model.vocabulary,
        )
        for parts in (train, test)
    ]
    if model.algorithm == "svd":
        rows = sp.csr_array(pooled[0].counts, dtype=np.float64)
        largest = np.linalg.svd(rows.toarray(), compute_uv=False)[: len(model.topics)]
        return {"explained": float(((rows @ model.topics.T) ** 2).sum() / (largest**2).sum())}
    table = ch.evaluate(model, pooled[0], held_out=pooled[1], measures=["npmi", "completion"])
    return {str(k): float(v) for k, v in zip(table["measure"], table["value"], strict=True)}


def results(corpus: ch.Corpus, topics: int, seeds: int) -> list[dict[str, Any]]:
    """A row for each learner, way and seed."""
    owners = np.array([str(label) for label in corpus.labels])
    parties = [corpus.rows(np.flatnonzero(owners == owner)) for owner in sorted(set(owners))]
    found = []
    for seed in range(seeds):
        halves = [party.split(HELD_OUT, random_state=seed) for party in parties]
        train, test = [half[0] for half in halves], [half[1] for half in halves]
        for learner in LEARNERS:
            session = session_of(learner, len(parties), topics, seed)
            for way, exact in (("exact", True), ("default", False)):
                row = {"learner": learner, "way": way, "seed": seed, "parties": len(parties)}
                try:
                    row |= measured(fitted(session, train, exact=exact), session, train, test)
                except (ch.InputError, HolderError) as refusal:
                    row |= {"refused": str(refusal)}
                found.append(row)
                print(row, file=sys.stderr)
    return found


def page(found: dict[str, list[dict[str, Any]]], topics: int, seeds: int) -> str:
    """The tables."""
    lines = ["# Exact totals, or the default between parties", ""]
    lines += [__doc__.split("\n\n", 1)[1].strip(), ""]
    for name, rows in found.items():
        table = pd.DataFrame(rows)
        lines += [f"## {name}: {table['parties'].iloc[0]} parties, {topics} topics", ""]
        lines += ["| learner | measure | exact | default |", "|---|---|---|---|"]
        for learner in LEARNERS:
            own = table[table["learner"] == learner]
            for measure in (m for m in MEASURES if m in own and own[m].notna().any()):
                cells = [
                    spread(own.loc[own["way"] == way, measure]) for way in ("exact", "default")
                ]
                lines.append(f"| {learner} | {measure} | {cells[0]} | {cells[1]} |")
        lines.append("")
    lines.append(
        f"Least and most of {seeds} seeds; larger is better. *Explained* is the share of the best "
        f"{topics} directions' squared singular values that the found ones have. *Refused* is a "
        "fit that a party takes no part in, since its rows would be too sparse."
    )
    return "\n".join(lines) + "\n"


def spread(values: pd.Series[float]) -> str:
    """From the least to the most, or that there is none."""
    known = values.dropna()
    if known.empty:
        return "refused"
    refused = "" if len(known) == len(values) else f" ({len(values) - len(known)} refused)"
    return f"{known.min():.3f} to {known.max():.3f}{refused}"


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TIME, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--data", type=Path, metavar="FOLDER",
        help="where newsarticles.parquet is; the bundled sample alone if not given")  # fmt: skip
    add("--topics", type=int, default=20, help="(20)")
    add("--seeds", type=int, default=3, help="(3)")
    add("--output", type=Path, metavar="FOLDER",
        help="for exact_or_default.md; printed if not given")  # fmt: skip
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page."""
    parser = options()
    given = parser.parse_args(arguments)
    if given.topics < 1 or given.seeds < 1:
        parser.error("numbers of topics and of seeds must be at least 1")
    try:
        sources = {} if given.data is None else {NEWSROOMS: read(given.data, NEWSROOMS)}
        sources[SAMPLE] = read(None, SAMPLE)
        found = {name: results(each, given.topics, given.seeds) for name, each in sources.items()}
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    written = page(found, given.topics, given.seeds)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "exact_or_default.md").write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
