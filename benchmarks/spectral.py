"""Anchor words against other implementations, on real and on planted topics; document inference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse.linalg import eigsh

from benchmarks.contest import Contender, Result, contest, installed, spread, stopwatch
from chatham.commons import Alone
from chatham.corpus import Synthetic, planted_topics, synthetic_corpus
from chatham.learners.anchor import AnchorWords
from chatham.learners.anchor.conditional import Conditional
from chatham.learners.anchor.select import candidate_words, pivoted_qr
from chatham.learners.cooccurrence import cooccurrence
from chatham.learners.lda import LDA
from chatham.model.infer import infer

Array = NDArray[np.float64]
Topics = Callable[[], Array]

LEAST_SHARE = 0.02
"""The share of documents that an anchor must be in, for all contenders that have such a limit."""
PROJECTIONS = 15
PLANTED_WORDS, PLANTED_DOCUMENTS, PLANTED_LENGTH = 2000, 5000, 100
SWEEPS = 300
CORPORA = 5
"""How many planted corpora topics are recovered from."""
INFERRED = 10_000


def anchor_results(name: str, counts: Any, k: int, threads: int, tries: int) -> list[Result]:
    """Co-occurrence, 15 projections, anchors and topics; quality is the mean NPMI of top words."""
    counts = sp.csr_array(counts)
    present = sp.csc_array(counts > 0, dtype=np.float64)
    ours = partial(_fitted, counts, k, threads, max_iter=PROJECTIONS, tol=0)
    same = len(_exact_anchors(counts, k) & set(ours(refine=0).anchors_.tolist()))
    named: list[tuple[str, Topics, str]] = [
        ("chatham", lambda: ours(refine=0).components_,
         f"{same} of {k} anchors are those of an exact eigensolver"),
        ("chatham, double precision", lambda: ours(refine=0, precision="double").components_, ""),
        ("chatham, refined", lambda: ours().components_, ""),
    ]  # fmt: skip
    return _contest("Anchor words", name, k, threads, tries, counts, named, partial(npmi, present))


def planted_results(
    name: str,
    counts: Any,
    k: int,
    threads: int,
    tries: int,
    seed: int = 0,
    task: str = "Planted topics",
) -> list[Result]:
    """One anchor a topic at p = 0.005, α = 0.1; quality is the mean ℓ1 error of topics."""
    drawn = planted_corpus(k, 2 * seed)  # which takes two seeds
    found = sp.csr_array(drawn.corpus.counts, dtype=np.float64)
    ours = partial(_fitted, found, k, threads, random_state=seed)
    named: list[tuple[str, Topics, str]] = [
        ("chatham", lambda: ours(refine=0).components_, ""),
        ("chatham, refined", lambda: ours().components_, ""),
        (f"chatham LDA, {SWEEPS} sweeps", lambda: _gibbs(found, k, threads, seed), ""),
    ]
    if installed("tomotopy"):
        named.append(
            (f"tomotopy LDA, {SWEEPS} sweeps", lambda: _tomotopy(found, k, threads, seed), "")
        )
    score = partial(topic_error, drawn.topics)
    return _contest(task, "planted", k, threads, tries, found, named, score)


def recovery_results(name: str, counts: Any, k: int, threads: int, tries: int) -> list[Result]:
    """The same on several corpora, each with a seed of its own for the learners, once each.

    A single corpus says little about samplers: a random start may merge two topics for good.
    """
    return spread(
        [
            planted_results(name, counts, k, threads, 1, seed, "Planted topics, several corpora")
            for seed in range(CORPORA)
        ]
    )


def inference_results(name: str, counts: Any, k: int, threads: int, tries: int) -> list[Result]:
    """The weights of 10,000 documents under fixed topics; quality is their ℓ1 error."""
    model = AnchorWords(k, n_jobs=threads).fit(counts)
    drawn = synthetic_corpus(
        model.components_, INFERRED, lengths=100, prior=0.05, random_state=0, n_jobs=threads
    )
    model.alpha_ = np.full(k, 0.05)  # what they are drawn by, as the sampler is told
    sampler = LDA(k, n_jobs=threads)
    sampler.components_, sampler.alpha_ = model.components_, np.full(k, 0.05)
    sampler.prevalence_, sampler.n_features_in_ = model.prevalence_, model.components_.shape[1]
    documents = sp.csr_array(drawn.corpus.counts, dtype=np.float64)

    def ours(method: str) -> Array:
        known = {"correlations": drawn.correlations, "prevalence": drawn.weights.mean(axis=0)}
        return infer(model.components_, documents, method, n_jobs=threads, **known)

    def run(weights: Topics) -> tuple[float, float]:
        with stopwatch() as seconds:
            found = weights()
        return seconds[0], float(np.abs(found - drawn.weights).sum(axis=1).mean())

    contenders = [
        Contender("Gibbs, 50 sweeps", partial(run, lambda: sampler.transform(documents))),
        Contender("posterior", partial(run, lambda: model.transform(documents))),
    ]
    contenders += [
        Contender(method, partial(run, partial(ours, method)))
        for method in ("padd", "least-squares", "spi", "tli")
    ]
    return contest("Document inference", name, k, threads, contenders, tries)


def planted_corpus(k: int, seed: int = 0) -> Synthetic:
    """The corpus that planted topics are looked for in."""
    return synthetic_corpus(
        planted_topics(k, PLANTED_WORDS, random_state=seed), PLANTED_DOCUMENTS,
        lengths=PLANTED_LENGTH, poisson=True, prior=0.1, random_state=seed + 1,
    )  # fmt: skip


def topic_error(truth: Array, topics: Array) -> float:
    """The mean ℓ1 distance of matched topics."""
    distances = np.abs(truth[:, None] - topics[None]).sum(axis=2)
    return float(distances[linear_sum_assignment(distances)].mean())


def npmi(present: sp.csc_array, topics: Array, n: int = 10) -> float:
    """Mean NPMI of each topic's top words over whole documents; a pair that never meets counts −1.

    The measure of that name knows vocabularies and holders; contenders here have columns alone.
    """
    documents, values = present.shape[0], []
    for topic in topics:
        best = present[:, np.argsort(-topic, kind="stable")[:n]]
        together = (best.T @ best).toarray() / documents
        for i, j in zip(*np.triu_indices(n, 1), strict=True):
            both, apart = together[i, j], together[i, i] * together[j, j]
            values.append(np.log(both / apart) / -np.log(both) if 0 < both < 1 else both * 2 - 1)
    return float(np.mean(values))


def _contest(
    task: str,
    name: str,
    k: int,
    threads: int,
    tries: int,
    counts: sp.csr_array,
    named: list[tuple[str, Topics, str]],
    score: Callable[[Array], float],
) -> list[Result]:
    def run(topics: Topics) -> tuple[float, float]:
        with stopwatch() as seconds:
            found = topics()
        return seconds[0], score(found)

    peers: list[tuple[str, Topics, str]] = []
    if installed("anchor_topic"):
        peers = [("anchor-topic", partial(_anchor_topic, counts, k), "doesn't rectify")]
    contenders = [
        Contender(label, partial(run, topics), is_peer=label == "anchor-topic", note=note)
        for label, topics, note in [*peers, *named]
    ]
    return contest(task, name, k, threads, contenders, tries)


def _fitted(counts: sp.csr_array, k: int, threads: int, **options: Any) -> AnchorWords:
    return AnchorWords(k, min_anchor_df=LEAST_SHARE, n_jobs=threads, **options).fit(counts)


def _exact_anchors(counts: sp.csr_array, k: int) -> set[int]:
    """Algorithm 1 as it is written, each eigendecomposition anew and in double precision."""
    counted = cooccurrence(Alone(counts))
    joint = counted.matrix
    for _ in range(PROJECTIONS):
        values, vectors = eigsh(joint, k, which="LA", v0=np.ones(len(joint)))
        joint = (vectors * np.maximum(values, 0.0)) @ vectors.T
        joint += (1.0 - joint.sum()) / joint.size
        np.maximum(joint, 0.0, out=joint)
    candidates = candidate_words(counted.document_frequencies, counted.kept, LEAST_SHARE)
    anchors, _ = pivoted_qr(Conditional(joint), k, candidates)
    return {int(group[0]) for group in anchors}


def _anchor_topic(counts: sp.csr_array, k: int) -> Array:
    module = import_module("anchor_topic.topics")
    with _older_numpy():
        return np.asarray(module.model_topics(sp.csc_matrix(counts.T), k, LEAST_SHARE)[0]).T


@contextmanager
def _older_numpy() -> Iterator[None]:
    """The name that anchor-topic 0.1.2 calls whole numbers by, for as long as it runs."""
    vars(np)["int"] = int
    try:
        yield
    finally:
        del vars(np)["int"]


def _gibbs(counts: sp.csr_array, k: int, threads: int, seed: int) -> Array:
    learner = LDA(k, max_iter=SWEEPS, shards=threads, n_jobs=threads, random_state=seed)
    return learner.fit(counts).components_


def _tomotopy(counts: sp.csr_array, k: int, threads: int, seed: int) -> Array:
    model = installed("tomotopy").LDAModel(k=k, seed=seed)
    for row in range(counts.shape[0]):
        cells = slice(counts.indptr[row], counts.indptr[row + 1])
        words = np.repeat(counts.indices[cells], counts.data[cells].astype(int))
        model.add_doc([str(word) for word in words])
    model.train(SWEEPS, workers=threads)
    topics = np.zeros((k, counts.shape[1]))
    places = [int(word) for word in model.used_vocabs]
    for topic in range(k):
        topics[topic, places] = model.get_topic_word_dist(topic)
    return topics
