"""Are the topics to blame, or the weights? Each way's topics, with the weights of every rule."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.learners.documents import Documents
from chatham.learners.nmf.cells import AllCells
from chatham.learners.nmf.problem import on_simplex
from inference_study.records import Record, Records
from nmf_default_study.corpora import Parts
from nmf_default_study.study import against, fitted
from nmf_default_study.ways import AS_BEFORE, FREE, MAIN, SIMPLEX, SWEEPS, descend

Array = NDArray[np.float64]

RULES = {"simplex": "on the simplex", "slack": "to one at most", "nonnegative": "free"}
WAYS = {way.name: way for way in MAIN if way.name in (AS_BEFORE, FREE)}


def diagnose(parts: Parts, k: int, seed: int, kept: Records) -> list[Record]:
    """For both ways' topics and each rule for weights, where documents go."""
    records = []
    for name, way in WAYS.items():
        asked = {"diagnosis": parts.name, "k": k, "seed": seed, "topics of": name}
        if not kept.has(asked):
            model, corpus = fitted(parts.train, k, seed, way)
            topics = on_simplex(model.estimator.components_)
            kept.add(asked, crossed(corpus.counts, topics, parts.labels))
        records.append(kept.get(asked))
    return records


def crossed(rows: Any, topics: Array, labels: Any) -> dict[str, Any]:
    """How flat topics are, and what becomes of documents by each rule for their weights."""
    documents = Documents(rows, frequencies=True, relative=True)
    squares = np.sort((topics**2).sum(axis=1))
    norms = documents.squared_norms
    found: dict[str, Any] = {
        "flattest": float(squares[0]),
        "median topic": float(np.median(squares)),
        "median document": float(np.median(norms[norms > 0])),
    }
    for rule, called in RULES.items():
        found[called] = _by(rule, documents, topics, labels)
    return found


def _by(rule: str, documents: Documents, topics: Array, labels: Any) -> dict[str, float]:
    weights = np.zeros((documents.n, len(topics)))
    descend(rule, documents, weights, topics, SWEEPS)
    squares, shares = (topics**2).sum(axis=1), on_simplex(weights)
    left = _errors(documents, weights, topics)
    little = left > np.median(left)
    return {
        "explained": float(1.0 - left.mean()),
        "sum": float(np.median(weights.sum(axis=1))),
        "in the flattest": float(shares[:, squares.argmin()].mean()),
        "of the badly explained": float(shares[little, squares.argmin()].mean()),
        "of the well explained": float(shares[~little, squares.argmin()].mean()),
        **against(weights.argmax(axis=1), len(topics), labels),
    }


def _errors(documents: Documents, weights: Array, topics: Array) -> Array:
    """The share of each document's squared norm that is left."""
    errors = AllCells(documents, weights, SIMPLEX).errors(np.ascontiguousarray(topics.T))
    return np.asarray(errors / np.where(documents.empty, 1.0, documents.squared_norms))
