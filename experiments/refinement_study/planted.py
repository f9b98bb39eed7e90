"""Documents drawn from known topics: how far are the topics that are found from those?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from chatham.corpus.synthetic.planting import planted_topics
from chatham.measures.truth.topics import l1_distances, match_topics
from inference_study.records import Record, Records
from refinement_study.starts import clocked
from refinement_study.ways import Usual, several_samples

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Planting:
    """The corpus that is drawn."""

    k: int = 20
    d: int = 2000
    documents: int = 5000
    length: int = 100
    prior: float = 0.1


def run_planted(
    planting: Planting, seeds: Sequence[int], usual: Usual, records: Records, n_jobs: int
) -> list[Record]:
    """The distance from the truth of all models, on a corpus for each seed."""
    found = []
    for seed in seeds:
        drawn = None
        for name, sweeps in contestants(usual):
            asked = {"planted": name, "sweeps": sweeps, "seed": seed, **asdict(planting),
                     "beta": usual.beta, "least": usual.least}  # fmt: skip
            if not records.has(asked):
                drawn = _drawn(planting, seed) if drawn is None else drawn
                records.add(asked, _result(drawn, name, sweeps, usual, seed, n_jobs))
            found.append(records.get(asked))
    return found


def contestants(usual: Usual) -> list[tuple[str, int]]:
    """Models by name, with their sweeps."""
    refined = [("anchors", sweeps) for sweeps in (0, *usual.sweeps)]
    gibbs = [(name, usual.usual_gibbs) for name in ("gibbs", "gibbs, averaged")]
    return [*refined, *gibbs, ("gibbs from start", usual.from_start[-1])]


def l1_error(found: Array, truth: Array) -> float:
    """The mean ℓ1 distance of topics after the best matching."""
    places = match_topics(found, truth)
    return float(l1_distances(found, truth)[np.arange(len(found)), places].mean())


def _drawn(planting: Planting, seed: int) -> Any:
    topics = planted_topics(planting.k, planting.d, random_state=seed)
    return ch.synthetic_corpus(
        topics, planting.documents, lengths=planting.length, poisson=True, prior=planting.prior,
        random_state=seed,
    )  # fmt: skip


def _result(
    drawn: Any, name: str, sweeps: int, usual: Usual, seed: int, n_jobs: int
) -> dict[str, float]:
    with clocked() as clock:
        model = _fitted(drawn, name, sweeps, usual, seed, n_jobs)
    error = l1_error(model.components_, drawn.topics)
    return {"l1": round(error, 5), "seconds": round(clock.wall, 2), "cpu": round(clock.cpu, 2)}


def _fitted(drawn: Any, name: str, sweeps: int, usual: Usual, seed: int, n_jobs: int) -> Any:
    corpus, k = drawn.corpus, len(drawn.topics)
    gibbs: dict[str, Any] = {"random_state": seed, "shards": n_jobs, "n_jobs": n_jobs}
    if name in ("gibbs", "gibbs, averaged"):
        more = several_samples(sweeps) if name != "gibbs" else {}
        return ch.LDA(k, max_iter=sweeps, **gibbs, **more).fit(corpus.counts)
    how: dict[str, Any] = {"min_anchor_df": usual.least, "beta": usual.beta, "n_jobs": n_jobs}
    if name == "anchors":
        return ch.AnchorWords(k, refine=sweeps, **how).fit(corpus.counts)
    start = ch.AnchorWords(k, refine=0, **how).fit(corpus.counts)
    return ch.LDA(k, init=start, max_iter=sweeps, burn_in=10, **gibbs).fit(corpus.counts)
