"""Every trial: a corpus, a number of topics, a seed and a setting; fitted, then scored alike."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import chatham as ch
from chatham.corpus.tfidf import weighted
from chatham.learners.documents import Documents
from chatham.model.fit import fit_learner, learner_for_text
from chatham.model.intake import as_matrix
from inference_study.records import Record, Records
from nmf_default_study.corpora import Parts, parts_of
from nmf_default_study.ways import MOST, TOL, Way

MEASURES = ["npmi", "topic_diversity"]
SHOWN = 6
"""Words of each topic that are kept for people to look at."""


def run(
    name: str,
    corpus: ch.Corpus,
    k: int,
    seeds: Iterable[int],
    ways: Iterable[Way],
    kept: Records,
) -> list[Record]:
    """What was found with all of these settings, those that were kept included."""
    records, ways = [], list(ways)
    for seed in seeds:
        parts = parts_of(name, corpus, seed)
        for way in ways:
            asked = {"corpus": name, "k": k, "seed": seed, "way": way.name}
            if not kept.has(asked):
                kept.add(asked, trial(parts, k, seed, way))
            records.append(kept.get(asked))
    return records


def trial(parts: Parts, k: int, seed: int, way: Way) -> Record:
    """Fit one model, and score it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, corpus = fitted(parts.train, k, seed, way)
    return {
        "documents": len(parts.train),
        "words": parts.train.n_words,
        "iterations": int(model.estimator.n_iter_),
        **_scores(model, parts),
        **_main_topics(model, corpus, parts.labels),
        "topics": [" ".join(words) for words in model.top_word_lists(SHOWN)],
    }


def fitted(train: ch.Corpus, k: int, seed: int, way: Way) -> tuple[ch.TopicModel, ch.Corpus]:
    """The model, and the documents as it saw them."""
    corpus = damped(train) if way.damped else train
    if way.weighting == "tfidf":
        corpus = weighted(corpus)
    how = {"n_components": k, "random_state": seed, "tol": TOL, "max_iter": MOST, **way.parameters}
    if way.topic_penalty:
        how["l2_topics"] = way.topic_penalty * _size_of_a_topic(corpus.counts, k)
    if way.parties:
        return _together(corpus, how, way.parties, seed), corpus
    return ch.fit(way.learner, corpus, weighting=_as_it_is(way), **how), corpus


def _as_it_is(way: Way) -> str:
    return "counts" if way.weighting == "counts" else "auto"


def _together(corpus: ch.Corpus, how: dict[str, Any], parties: int, seed: int) -> ch.TopicModel:
    """Between parties whose totals are noised, each with documents drawn at random."""
    rows = as_matrix(corpus.counts)
    party = np.random.default_rng(seed).integers(0, parties, rows.shape[0])
    secrets = [bytes([seed, number]) for number in range(parties)]
    commons = ch.Simulated(
        [rows[party == number] for number in range(parties)], secure=True, secrets=secrets
    )
    words = {"vocabulary": corpus.vocabulary, "vectorizer": corpus.vectorizer}
    return fit_learner(learner_for_text("nmf", how), commons, **words)


def damped(corpus: ch.Corpus) -> ch.Corpus:
    """The same documents with 1 + log of their counts."""
    rows = sp.csr_array(corpus.counts, dtype=np.float64, copy=True)
    rows.data = 1.0 + np.log(rows.data)
    return ch.Corpus(rows, corpus.vocabulary, corpus.ids, corpus.labels)


def _size_of_a_topic(rows: Any, k: int) -> float:
    """Σ w²/‖x‖² of a topic, if every document had one topic alone and all were alike."""
    return float(Documents(rows, frequencies=True, relative=True).importance.sum()) / k


def _scores(model: ch.TopicModel, parts: Parts) -> dict[str, float]:
    """NPMI in the training documents and in unseen ones, diversity, completion."""
    seen = ch.evaluate(model, parts.train, MEASURES)["value"]
    unseen = ch.evaluate(model, parts.unseen, ["npmi"])["value"]
    completion = ch.evaluate(model, held_out=parts.unseen, measures=["completion"])["value"]
    names = ("npmi", "diversity", "npmi_unseen", "completion")
    values = (*seen, *unseen, *completion)
    return {name: float(value) for name, value in zip(names, values, strict=True)}


def _main_topics(model: ch.TopicModel, corpus: ch.Corpus, labels: Any) -> dict[str, float]:
    """By shares of words, which is what people see, and by the learner's own weights."""
    coordinates = model.estimator.transform(corpus.counts)
    by_words = model.in_words(coordinates, corpus.counts)
    found = against(by_words.argmax(axis=1), model.n_topics, labels)
    own = against(coordinates.argmax(axis=1), model.n_topics, labels)
    return {**found, **{f"own_{name}": value for name, value in own.items()}}


def against(main: NDArray[np.int64], k: int, labels: Any) -> dict[str, float]:
    """The share of the largest topic; with labels, NMI and the adjusted Rand index."""
    largest = {"largest": float(np.bincount(main, minlength=k).max() / len(main))}
    if labels is None:
        return largest
    return {
        **largest,
        "nmi": float(normalized_mutual_info_score(labels, main)),
        "ari": float(adjusted_rand_score(labels, main)),
    }
