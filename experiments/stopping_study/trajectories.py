"""One long fit: its objective in every iteration, and how good its topics were on the way."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import chatham as ch
from chatham.model.fit import corpus_for, fit_learner, learner_for_text
from inference_study.records import Record
from refinement_study.documents import Parts
from stopping_study.watching import Watching

Array = NDArray[np.float64]

SCORED = (10, 20, 50, 100, 200, 300, 400)
"""After so many iterations topics are also scored; and at the end."""


def watch(parts: Parts, learner: str, k: int, most: int, seed: int) -> Record:
    """A fit as `ch.fit` sets it up, but without a tolerance, as far as `most` iterations."""
    model, commons = watched(parts, learner, k, most, seed)
    scored = [*(at for at in SCORED if at in commons.topics and at < commons.iteration)]
    return {
        "size": parts.size, "objective": model.estimator.objective_.tolist(),
        "seconds": [round(each, 3) for each in commons.seconds],
        "nothing": nothing(commons.rows, learner), "one_topic": one_topic(commons.rows, learner),
        "distance": {
            at: distance(topics, commons.last) for at, topics in commons.topics.items()
        },
        "scores": {
            **{at: scores(model, commons.topics[at], parts) for at in scored},
            commons.iteration: scores(model, commons.last, parts),
        },
    }  # fmt: skip


def watched(
    parts: Parts, learner: str, k: int, most: int, seed: int
) -> tuple[ch.TopicModel, Watching]:
    """The model of such a fit, and the commons that watched it."""
    estimator = learner_for_text(
        learner,
        {"n_components": k, "max_iter": most, "tol": 0.0, "random_state": seed, "n_jobs": 1},
    )
    load_kernels(learner)
    corpus = corpus_for(estimator, parts.train)
    assert corpus is not None
    commons = Watching(corpus.counts)
    model = fit_learner(
        estimator, commons, vocabulary=corpus.vocabulary, vectorizer=corpus.vectorizer
    )
    return model, commons


@cache
def load_kernels(learner: str) -> None:
    """Compile them, or load what was compiled: once, so that no fit's time has it."""
    counts = np.random.default_rng(0).poisson(1.0, (20, 10)).astype(float)
    estimator = learner_for_text(
        learner, {"n_components": 2, "max_iter": 2, "tol": 0.0, "random_state": 0, "n_jobs": 1}
    )
    estimator.fit(sp.csr_array(counts))


def distance(topics: Any, last: Array) -> float:
    """The mean ℓ1 distance of topics to the last ones, each a distribution."""
    return float(np.abs(_shares(topics) - _shares(last)).sum(axis=1).mean())


def _shares(topics: Any) -> Array:
    topics = np.asarray(topics, dtype=np.float64)
    return topics / np.maximum(topics.sum(axis=1, keepdims=True), 1e-300)


def scores(model: ch.TopicModel, topics: Any, parts: Parts) -> dict[str, float]:
    """Coherence of the ten words shown, and completion of documents that nobody has seen."""
    estimator = copy.copy(model.estimator)
    estimator.components_ = np.ascontiguousarray(topics, dtype=np.float64)
    then = ch.TopicModel(estimator, model.vocabulary, vectorizer=model.vectorizer)
    table = ch.evaluate(
        then, parts.train, measures=["npmi", "completion"], held_out=parts.unseen
    ).set_index("measure")["value"]
    return {name: float(table[name]) for name in ("npmi", "completion")}


def nothing(counts: Any, learner: str) -> float:
    """The objective of no topic at all, where there is one."""
    rows, importance = _rows(counts)
    error = float(importance @ np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return {"nmf": 0.5 * error, "kmeans": error}.get(learner, float("nan"))


def one_topic(counts: Any, learner: str) -> float:
    """The objective of a single topic for all documents."""
    rows, importance = _rows(counts)
    if learner == "plsa":
        shares = np.asarray(rows.sum(axis=0)).ravel()
        shares = shares[shares > 0]
        return float(shares @ np.log(shares / shares.sum()))
    error = float(importance @ np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    total = rows.T @ importance
    error -= float(total @ total) / float(importance.sum())
    return 0.5 * error if learner == "nmf" else error


def _rows(counts: Any) -> tuple[sp.csr_array, Array]:
    """Documents as frequencies, and one over each one's squared norm."""
    rows = sp.csr_array(counts, dtype=np.float64)
    sums = np.asarray(rows.sum(axis=1)).ravel()
    rows = sp.csr_array(sp.diags_array(1.0 / np.where(sums > 0, sums, 1.0)) @ rows)
    squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    return rows, np.where(squares > 0, 1.0 / np.where(squares > 0, squares, 1.0), 0.0)
