"""Do several starts, or a spectral one, find what a random start misses?

Planted corpora whose topics differ much in size, where a small topic can be lost, and a real one.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from inference_study.records import Record, Records
from refinement_study.documents import SAMPLE, read

SHARES = (0.4, 0.25, 0.12, 0.08, 0.06, 0.04, 0.03, 0.02)
"""Of the planted topics."""
LOST = 0.7
"""A planted topic whose nearest topic is farther in ℓ1 is lost."""
WORDS, DOCUMENTS, LENGTH, SPARSITY = 400, 1500, 60, 0.05
WAYS: dict[str, dict[str, Any]] = {
    "random": {}, "n_init=5": {"n_init": 5}, "anchor": {"init": "anchor"},
}  # fmt: skip
LEARNERS = {"plsa": tuple(WAYS), "lda": tuple(WAYS), "kmeans": ("random", "n_init=5")}
FORMS = {"objective": "{:.6g}", "npmi": "{:.3f}", "completion": "{:.3f}"}
HEAD = """# Starts and restarts

One page of output from `experiments/starts.py`. *Planted*: {corpora} corpora of {documents:,}
documents of {length} words, with {k} topics over {words} words whose shares go from {most:.0%} to
{least:.0%}. A topic is lost if none of the learner's is nearer than {lost} in ℓ1. *{real}*:
{topics} topics, {seeds} seeds; NPMI of the ten words shown, completion of the held-out fifth.
Ranges are over corpora or seeds.
"""


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="the sample if not given")
    parser.add_argument("--corpus", default="AP")
    parser.add_argument("--topics", type=int, default=20, metavar="K")
    parser.add_argument("--planted", type=int, default=6, metavar="CORPORA")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sweeps", type=int, default=300, help="of LDA")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="a line of JSON for each fit")
    parser.add_argument(
        "--as-is", action="store_true", help="only write the page of what is kept so far"
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="where the page goes")
    return parser


def settings_of(learner: str, way: str, k: int, seed: int, sweeps: int) -> dict[str, Any]:
    """The parameters of one fit."""
    settings = {"n_components": k, "random_state": seed, **WAYS[way]}
    return settings | ({"max_iter": sweeps} if learner == "lda" else {})


def planted(seed: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Counts and the topics that they were drawn from."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(WORDS, SPARSITY), len(SHARES))
    weights = rng.dirichlet(0.8 * np.array(SHARES) * len(SHARES), DOCUMENTS)
    return np.array([rng.multinomial(LENGTH, row @ topics) for row in weights]), topics


def recovered(learner: str, way: str, seed: int, sweeps: int) -> Record:
    """How many planted topics a fit lost, and its last objective."""
    counts, topics = planted(seed)
    words = [f"w{word}" for word in range(WORDS)]
    settings = settings_of(learner, way, len(SHARES), seed, sweeps)
    model = ch.fit(learner, counts, vocabulary=words, **settings)
    far = np.abs(topics[:, None] - model.topics[None]).sum(axis=-1).min(axis=1)
    return {"lost": int((far > LOST).sum()), "objective": float(model.estimator.objective_[-1])}


def scored(parts: Any, learner: str, way: str, k: int, seed: int, sweeps: int) -> Record:
    """How good a fit to a real corpus is."""
    model = ch.fit(learner, parts.train, **settings_of(learner, way, k, seed, sweeps))
    table = ch.evaluate(
        model, parts.train, measures=["npmi", "completion"], held_out=parts.unseen
    ).set_index("measure")["value"]
    values = {name: float(table[name]) for name in ("npmi", "completion")}
    return values | {"objective": float(model.estimator.objective_[-1])}


def page(found: list[Record], chosen: argparse.Namespace, real: str) -> str:
    """The tables."""
    lines = [HEAD.format(
        corpora=len({r["seed"] for r in found if "lost" in r}), documents=DOCUMENTS,
        length=LENGTH, k=len(SHARES), words=WORDS,
        most=max(SHARES), least=min(SHARES), lost=LOST, real=real, topics=chosen.topics,
        seeds=len({r["seed"] for r in found if "lost" not in r}),
    )]  # fmt: skip
    lines += [
        "| learner | start | planted corpora with a lost topic | topics lost | "
        f"{real}: objective | NPMI | completion |",
        "|---|---|---|---|---|---|---|",
    ]
    for learner, ways in LEARNERS.items():
        for way in ways:
            cells = [r for r in found if (r["learner"], r["way"]) == (learner, way)]
            lost = [r["lost"] for r in cells if "lost" in r]
            row = [f"{sum(n > 0 for n in lost)} of {len(lost)}", str(sum(lost))]
            for name, form in (
                ("objective", "{:.6g}"),
                ("npmi", "{:.3f}"),
                ("completion", "{:.3f}"),
            ):
                values = [r[name] for r in cells if "lost" not in r]
                ends = f"{form.format(min(values))} to {form.format(max(values))}" if values else ""
                row.append(ends or "–")
            lines.append(f"| {learner} | {way} | {' | '.join(row)} |")
    return "\n".join([*lines, ""])


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit what isn't kept yet, and write the page."""
    chosen = options().parse_args(arguments)
    warnings.simplefilter("ignore")
    records, asked = Records(chosen.keep), []
    every = [(learner, way) for learner, ways in LEARNERS.items() for way in ways]
    for seed in range(chosen.planted):
        for learner, way in every:
            cell = {"corpus": "planted", "learner": learner, "way": way, "seed": seed}
            asked.append(cell)
            if not records.has(cell) and not chosen.as_is:
                records.add(cell, recovered(learner, way, seed, chosen.sweeps))
    real = chosen.corpus if chosen.data else SAMPLE
    for seed in range(chosen.seeds):
        cells = [{"corpus": real, "learner": each, "way": way, "seed": seed} for each, way in every]
        asked += cells
        if chosen.as_is or all(map(records.has, cells)):
            continue
        for parts in read(chosen.data, [real], seed):
            for cell in cells:
                if not records.has(cell):
                    found = scored(
                        parts, cell["learner"], cell["way"], chosen.topics, seed, chosen.sweeps
                    )
                    records.add(cell, found)
    text = page([records.get(cell) for cell in asked if records.has(cell)], chosen, real)
    if chosen.output is None:
        sys.stdout.write(text)
    else:
        chosen.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
