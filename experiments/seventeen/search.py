"""Random search, standing in for Hyperband: settings drawn, models fitted, scores kept."""

from __future__ import annotations

import contextlib
import json
import math
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from seventeen.documents import Parts
from seventeen.thesis import ALGORITHMS, KMEANS, LDA, NMF, ROWS, SHOWN

Record = dict[str, Any]

SPREAD_OF_PRIORS = 0.5
"""The standard deviation of log α and log β; the thesis gives their median only."""

SPREAD_OF_TOPICS = 0.5
SPREAD_OF_WEIGHTS = 0.02
"""Of NMF's ℓ2 penalties. The thesis draws both with 0.5, but ends with ℓ2 of weights near 0.02: a
document's squared norm is below 0.1, so a penalty of 0.5 makes all weights alike."""


@dataclass(frozen=True)
class Plan:
    """How much is tried."""

    trials: int = 9
    most_topics: int = 200
    iterations: int = 81
    loss: str = "absolute"
    seed: int = 0
    n_jobs: int = 1


CONSTRAINTS = {NMF: {"constraint": "simplex"}}
"""The thesis's, where `ch.fit` sets another."""


def settings_of(plan: Plan, algorithm: str, trial: int) -> dict[str, Any]:
    """The settings of one trial; its number of topics is the same for all algorithms."""
    shared = np.random.default_rng([plan.seed])
    own = np.random.default_rng([plan.seed, 1 + ALGORITHMS.index(algorithm)])
    k = 5 + 5 * int(spread(shared, plan.trials)[trial] * (plan.most_topics // 5))
    common = {"n_components": k, "max_iter": plan.iterations, "random_state": plan.seed}
    first, second, third = (float(spread(own, plan.trials)[trial]) for _ in range(3))
    normal = NormalDist().inv_cdf
    if algorithm == LDA:
        alpha, beta = (math.exp(SPREAD_OF_PRIORS * normal(u)) / k for u in (first, second))
        return {**common, "alpha": alpha, "beta": beta, "learn_priors": False}
    weighting = "counts" if third < 0.5 else "tfidf"
    plain = {**common, "weighting": weighting, "loss": plan.loss}
    if algorithm == KMEANS:
        return {**plain, "init": "k-means++" if plan.loss == "absolute" else "random"}
    assert algorithm == NMF
    topics, weights = SPREAD_OF_TOPICS * normal(first), SPREAD_OF_WEIGHTS * normal(second)
    return {**plain, "l2_topics": topics, "l2_weights": weights}


def spread(rng: np.random.Generator, trials: int) -> NDArray[np.float64]:
    """A number between 0 and 1 for each trial, one from each equal part, in random order.

    Each is uniform, and a handful of trials can't all fall on one side.
    """
    return (rng.permutation(trials) + rng.uniform(1e-9, 1, trials)) / trials


def measures_of(corpus: ch.Corpus) -> list[str]:
    """The measures that can be taken: without labels there is neither ARI nor VI."""
    return [row.measure for row in ROWS if not row.labels or corpus.labels is not None]


def scores_of(algorithm: str, settings: Mapping[str, Any], parts: Parts, n_jobs: int) -> Record:
    """Fit one model and score it."""
    train, held_out = parts
    model = ch.fit(algorithm, train, n_jobs=n_jobs, **CONSTRAINTS.get(algorithm, {}), **settings)
    table = ch.evaluate(model, train, held_out=held_out, measures=measures_of(train), n_jobs=n_jobs)
    return dict(zip(table["measure"], map(float, table["value"]), strict=True))


def search(plan: Plan, corpora: Mapping[str, Parts], keep: Path | None) -> list[Record]:
    """All trials of all algorithms on all corpora; those that are kept already aren't repeated."""
    kept = {_key(record): record for record in _read(keep)}
    jobs = [
        (name, algorithm, trial)
        for name in corpora
        for trial in range(plan.trials)
        for algorithm in ALGORITHMS
    ]
    records = []
    for number, (name, algorithm, trial) in enumerate(jobs, start=1):
        record = _announced(plan, name, algorithm, trial, corpora[name])
        if _key(record) not in kept:
            began = time.process_time()
            record["scores"] = scores_of(algorithm, record["settings"], corpora[name], plan.n_jobs)
            record["seconds"] = round(time.process_time() - began, 1)
            kept[_key(record)] = record
            _append(keep, record)
            _say(number, len(jobs), record)
        records.append(kept[_key(record)])
    return records


def _announced(plan: Plan, name: str, algorithm: str, trial: int, parts: Parts) -> Record:
    """A trial before it is run."""
    train, held_out = parts
    return {
        "corpus": name,
        "algorithm": algorithm,
        "trial": trial,
        "documents": [len(train), len(held_out), train.n_words, int(train.n_tokens)],
        "measures": measures_of(train),
        "settings": settings_of(plan, algorithm, trial),
    }


def _key(record: Record) -> str:
    known = {name: record[name] for name in record if name not in ("scores", "seconds")}
    return json.dumps(known, sort_keys=True)


def _read(keep: Path | None) -> list[Record]:
    if keep is None or not keep.exists():
        return []
    records = []
    for line in keep.read_text(encoding="utf-8").splitlines():
        # A line that is cut off was being written when the run was interrupted.
        with contextlib.suppress(json.JSONDecodeError):
            records.append(json.loads(line))
    return records


def _append(keep: Path | None, record: Record) -> None:
    if keep is None:
        return
    text = keep.read_text(encoding="utf-8") if keep.exists() else ""
    broken = "\n" if text and not text.endswith("\n") else ""
    with keep.open("a", encoding="utf-8") as file:
        file.write(broken + json.dumps(record) + "\n")


def _say(number: int, total: int, record: Record) -> None:
    print(
        f"{number}/{total} {record['corpus']}: {SHOWN[record['algorithm']]}, "
        f"{record['settings']['n_components']} topics, {record['seconds']:.0f} s",
        file=sys.stderr, flush=True,
    )  # fmt: skip
