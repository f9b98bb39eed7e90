"""Every cell: a corpus, a fold and a number of topics; models of all documents, and ensembles."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

import chatham as ch
from chatham.ensembles.lda import pseudo_documents
from chatham.learners.held_out import at_cells, score_of_words, shares
from chatham.measures.labels.logistic import Moments, moments, pairs_of
from ensembles_study.corpora import SAMPLE, Fold, Labelled, folds, read
from ensembles_study.ways import (
    ALPHA_SUM,
    LEARNERS,
    Timed,
    as_in_the_source,
    base,
    merged,
    published,
    timed,
)
from inference_study.records import Record, Records

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

MERGES: dict[str, dict[str, dict[str, Any]]] = {
    "plsa": {"PLSA-E": {}},
    "lda": {"LDA-E": {}, "LDA-E, rescaled": {"rescale": True}},
}
POOLED = {"plsa": "PLSA", "lda": "LDA"}
WORDS = "bag of words"
SIZED = "20 Newsgroups"
"""The corpus of which other numbers of documents are tried."""
MOST_ROUNDS = 1000


@dataclass(frozen=True)
class Plan:
    """How large it is.

    With `at` topics there are also `more` numbers of parties, classes, and of one corpus other
    numbers of documents; and in the first fold, what would be published.
    """

    words: int
    documents: int
    topics: tuple[int, ...]
    parties: int
    more: tuple[int, ...]
    at: int
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """Which corpus, how many of its documents at most, and with how many topics and parties."""

    corpus: str
    documents: int
    k: int
    parties: tuple[int, ...]
    whole: bool
    """With classes, and in the first fold with what would be published."""


def cases(names: Sequence[str], plan: Plan) -> Iterator[Case]:
    """All cases, those of one size first."""
    for name in names:
        for k in plan.topics:
            more = plan.more if k == plan.at else ()
            parties = (plan.parties, *more)
            yield Case(name, plan.documents, k, parties, k == plan.at)
    for size in plan.sizes:
        name = SIZED if SIZED in names else names[0]
        yield Case(name, size, plan.at, (plan.parties,), False)


def run(
    folder: Path | None,
    names: Sequence[str],
    plan: Plan,
    number: int,
    kept: Records,
    *,
    as_is: bool = False,
) -> list[Record]:
    """All cases in each of so many folds, from what is kept or anew; or only what is kept."""
    found = []
    for fold in range(number):
        for case in cases(names if folder is not None else [SAMPLE], plan):
            asked = {"fold": fold, "words": plan.words, **asdict(case)}
            asked["parties"] = list(case.parties)
            if as_is and not kept.has(asked):
                continue
            if not kept.has(asked):
                corpus = _corpus(folder, case.corpus, plan.words, case.documents)
                kept.add(asked, cell(corpus, fold, case))
            found.append(kept.get(asked))
    return found


@cache
def _corpus(folder: Path | None, name: str, words: int, documents: int) -> Labelled:
    return read(folder, name, words, documents)


@cache
def load_kernels() -> None:
    """Compile them, or load what was compiled: once, so that no phase's time has it."""
    rows = sp.csr_array(np.random.default_rng(0).poisson(1.0, (40, 12)).astype(np.float64))
    for kind, ways in MERGES.items():
        LEARNERS[kind](2, 0).fit(rows)
        bases = [base(kind, sp.csr_array(rows[part::2]), 2, 0, "AB"[part]) for part in range(2)]
        for settings in ways.values():
            found = merged([each.summary for each in bases], 2, 0, **settings)
            _scores(found.estimator, rows)


def cell(corpus: Labelled, fold: int, case: Case) -> Record:
    """Perplexities and seconds of every way; the fold is the seed, too."""
    parts = list(folds(corpus))[fold]
    with as_in_the_source():
        load_kernels()
        return _cell(parts, corpus.compared, fold, case)


def _cell(parts: Fold, compared: int, seed: int, case: Case) -> Record:
    k, test = case.k, parts.test
    found: Record = {
        "trained": parts.train.shape[0], "tokens": float(parts.train.sum()),
        "pooled": {}, "ensembles": {}, "published": {},
    }  # fmt: skip
    features: dict[str, Any] = {}
    for kind, name in POOLED.items():
        fit = timed(LEARNERS[kind](k, seed).fit, parts.train)
        iterations = int(fit.value.n_iter_)
        scores = _scores(fit.value, test)
        found["pooled"][name] = {"seconds": fit.seconds, "iterations": iterations, **scores}
        if case.whole:
            features[name] = _features(fit.value, parts)
    for number in case.parties:
        rows, of_number = parts.parties(number), found["ensembles"].setdefault(str(number), {})
        for kind, ways in MERGES.items():
            bases = [
                timed(base, kind, mine, k, seed, f"Party {party}")
                for party, mine in enumerate(rows)
            ]
            told = [each.value.summary for each in bases]
            for name, settings in ways.items():
                merge = timed(merged, told, k, seed, **settings)
                of_number[name] = _ensemble(bases, merge, test)
                if kind == "lda":
                    taken = pseudo_documents(merge.value.parts, **settings).sum()
                    of_number[name]["tokens"] = float(taken)
                if case.whole and number in case.parties[:2]:
                    features[f"{name}, C = {number}"] = _features(merge.value.estimator, parts)
            if case.whole and number == case.parties[0] and seed == 0:
                found["published"][POOLED[kind]] = _as_published(bases, rows, k, seed, test)
    if case.whole:
        found["accuracy"] = accuracies(features, parts, compared)
    return found


def _ensemble(bases: Sequence[Timed], merge: Timed, test: sp.csr_array) -> Record:
    """The scores, and how long the slowest party, all parties and the merge took."""
    estimator = merge.value.estimator
    found = {
        "slowest": max(each.seconds for each in bases), "bases": sum(e.seconds for e in bases),
        "merge": merge.seconds, "iterations": int(estimator.n_iter_),
    }  # fmt: skip
    if merge.value.algorithm == "lda":
        found["perplexity, own prior"] = math.exp(-score_of_words(estimator, test))
        estimator.alpha_ = np.full(len(estimator.components_), ALPHA_SUM / len(estimator.alpha_))
    return {**found, **_scores(estimator, test)}


def _as_published(
    bases: Sequence[Timed], rows: Sequence[sp.csr_array], k: int, seed: int, test: sp.csr_array
) -> Record:
    """The same parties' models, merged from what Chatham lets them publish, if it is enough."""
    try:
        summaries = [
            timed(published, each.value, mine) for each, mine in zip(bases, rows, strict=True)
        ]
    except ch.InputError as error:
        return {"refused": str(error)}
    told, exact = [each.value for each in summaries], [each.value.summary for each in bases]
    found: Record = {
        "publishing": sum(each.seconds for each in summaries),
        "topics": sum(each.n_topics for each in told),
        "of topics": sum(each.n_topics for each in exact),
        "words": float(np.mean([len(each.vocabulary) for each in told])),
    }
    if found["topics"] < k:
        return found
    merge = timed(merged, told, k, seed)
    columns = [int(word[1:]) for word in merge.value.vocabulary]
    known = sp.csr_array(test[:, columns])
    return {
        **found, **_ensemble(bases, merge, known), "of words": len(columns),
        "exact": _scores(_of_words(merged(exact, k, seed).estimator, columns), known),
    }  # fmt: skip


def _of_words(learner: Any, columns: Sequence[int]) -> Any:
    """The same model of these words alone."""
    restricted = copy.copy(learner)
    topics = learner.components_[:, columns]
    restricted.components_ = np.ascontiguousarray(topics / topics.sum(axis=1, keepdims=True))
    restricted.n_features_in_ = len(columns)
    return restricted


def _scores(learner: Any, test: sp.csr_array) -> dict[str, float]:
    """Perplexity (eq. 16) of hidden halves given the others, and of documents given themselves."""
    weights, topics = shares(learner, test)
    topics = 0.99 * topics + 0.01 / topics.shape[1]
    logs = np.log(at_cells(weights, topics, test))
    return {
        "perplexity": math.exp(-score_of_words(learner, test)),
        "folded in": math.exp(-float(test.data @ logs) / float(test.data.sum())),
    }


# Classes


def _features(learner: Any, parts: Fold) -> tuple[Array, Array]:
    """p(t|d) of documents to learn from, and to be tested on."""
    return learner.transform(parts.train), learner.transform(parts.test)


def accuracies(features: Mapping[str, Any], parts: Fold, compared: int) -> dict[str, list[float]]:
    """The accuracy in each pair of the largest classes, by words and by each model's weights."""
    both = [sp.csr_array(_frequencies(rows)) for rows in (parts.train, parts.test)]
    spaces = {WORDS: tuple(both), **features}
    return {name: pairwise(*space, parts, compared) for name, space in spaces.items()}


def _frequencies(rows: sp.csr_array) -> sp.csr_array:
    sums = np.asarray(rows.sum(axis=1)).ravel()
    return sp.csr_array(sp.diags_array(1.0 / np.where(sums > 0, sums, 1.0)) @ rows)


def pairwise(train: Any, test: Any, parts: Fold, compared: int) -> list[float]:
    """Logistic regression for each pair of classes; the share of test documents it gets right."""
    sums, totals = moments(sp.csr_array(train))
    scale = Moments(float(totals[0]), sums, float(totals[1])).scale
    found = []
    for pair in pairs_of(np.arange(compared)):
        learned, tried = (np.isin(each, pair) for each in (parts.classes, parts.test_classes))
        model = LogisticRegression(C=1.0, max_iter=MOST_ROUNDS)
        model.fit(scale * train[learned], parts.classes[learned])
        found.append(float(model.score(scale * test[tried], parts.test_classes[tried])))
    return found
