"""Real documents: which inference completes them best, and whose main topics agree with labels?

Topics are learned on 80 % of each corpus, as published (refine=0) and refined. Half of the tokens
of each other document foretell the rest; labels are compared with each document's main topic, over
all documents. Here α is the model's own: fitted to A if not refined, learned if refined.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import chatham as ch
from chatham.measures.subject import Subject
from chatham.numerics.threads import threads
from inference_study.cases import Plan, anchor_words
from inference_study.records import Record, Records
from inference_study.ways import SPECTRAL, Known, weights_by

Array = NDArray[np.float64]

HELD_OUT = 0.2
REFINE = (0, 20)
REAL_WAYS = (*SPECTRAL, "posterior", "gibbs")


@dataclass(frozen=True, eq=False)
class Inferring:
    """A way with what it is told, in the place of an estimator."""

    way: str
    known: Known
    plan: Plan

    def transform(self, counts: Any) -> Array:
        """The documents' weights."""
        return weights_by(
            self.way, counts, self.known, chain=self.plan.chain, seed=self.plan.seed,
            n_jobs=self.plan.n_jobs,
        )  # fmt: skip


def run_real(
    corpora: Mapping[str, ch.Corpus], sizes: Iterable[int], plan: Plan, records: Records
) -> list[Record]:
    """All cells, in order."""
    asked = []
    for name, corpus in corpora.items():
        for k in sizes:
            for refine in REFINE:
                cells = _cells(name, corpus, k, refine, plan)
                _fill(corpus, k, refine, plan, records, cells)
                asked.extend(cells)
    return [records.get(each) for each in asked]


def _cells(name: str, corpus: ch.Corpus, k: int, refine: int, plan: Plan) -> list[dict[str, Any]]:
    settings = {"least": plan.min_anchor_df, "beta": plan.beta, "seed": plan.seed}
    size = [len(corpus), corpus.n_words, int(corpus.n_tokens)]
    return [
        {"corpus": name, "k": k, "refine": refine, "way": way, "size": size, **settings}
        for way in REAL_WAYS
    ]


def _fill(
    corpus: ch.Corpus, k: int, refine: int, plan: Plan, records: Records, cells: list[Any]
) -> None:
    missing = [cell for cell in cells if not records.has(cell)]
    if not missing:
        return
    train, unseen = corpus.split(HELD_OUT, random_state=plan.seed)
    model = anchor_words(train, k, plan, refine=refine, inference="padd")
    known = Known(model.components_, model.correlations_, model.alpha_, model.dual_)
    for cell in missing:
        records.add(cell, _found(corpus, unseen, Inferring(cell["way"], known, plan)))


def _found(corpus: ch.Corpus, unseen: ch.Corpus, inferring: Inferring) -> Record:
    plan, began = inferring.plan, time.perf_counter()
    subject = Subject(corpus.vocabulary, inferring.known.topics, estimator=inferring)
    try:
        with threads(plan.n_jobs):
            table = ch.evaluate(
                subject, held_out=unseen, measures=["completion"], n_jobs=plan.n_jobs
            )
            labelled = corpus.labels is not None
            agreement = agreement_of(corpus, inferring) if labelled else {}
    except ch.InputError as error:  # topics without a left inverse
        return {"scores": None, "why": str(error)}
    scores = {"completion": float(table["value"].iloc[0]), **agreement}
    return {"scores": scores, "seconds": round(time.perf_counter() - began, 2)}


def agreement_of(corpus: ch.Corpus, inferring: Inferring) -> dict[str, float]:
    """How well the documents' main topics agree with their labels."""
    labels = [str(label) for label in corpus.labels]
    main = inferring.transform(corpus.counts).argmax(axis=1)
    return {
        "nmi": float(normalized_mutual_info_score(labels, main)),
        "ari": float(adjusted_rand_score(labels, main)),
    }
