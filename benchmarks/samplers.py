"""LDA against tomotopy, sweep for sweep, and against variational learners, fit for fit."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import gammaln
from sklearn.decomposition import LatentDirichletAllocation

from benchmarks.contest import Contender, Result, contest, installed, stopwatch
from chatham.commons import Alone
from chatham.learners.lda import LDA
from chatham.measures.held_out.completion import Completion
from chatham.measures.subject import Subject, folding

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

SWEEPS = 100
ALPHA_SUM, BETA = 5.0, 0.01


def lda_results(name: str, counts: Any, k: int, threads: int, tries: int) -> list[Result]:
    """A hundred sweeps with the same fixed priors; quality is log p(words, topics) per token."""
    contenders = []
    if installed("tomotopy"):
        contenders.append(
            Contender("tomotopy", lambda: _tomotopy_sweeps(counts, k, threads), is_peer=True)
        )
    for shards in sorted({1, 2, threads}):
        label = "chatham, exact" if shards == 1 else f"chatham, shards={shards}"
        contenders.append(Contender(label, partial(_our_sweeps, counts, k, threads, shards)))
    LDA(k, max_iter=1).fit(counts[:50])  # compile
    sampled = counts.sum() * SWEEPS / 1e6
    return [
        replace(result, note=f"{sampled / result.seconds:.1f} M tokens/s")
        for result in contest("LDA", name, k, threads, contenders, tries)
    ]


def fit_results(name: str, counts: Any, k: int, threads: int, tries: int) -> list[Result]:
    """Whole fits with each one's own defaults; quality is document completion per held-out word.

    A tenth of the documents is held out. Weights of all contenders' topics are found in one way,
    by EM, so that only the topics are compared. Whole fits are long, so each is tried once.
    """
    train, test = counts[np.arange(counts.shape[0]) % 10 != 0], counts[::10]
    fits = {
        "scikit-learn, variational": lambda: _sklearn_topics(train, k, threads),
        "chatham": lambda: _our_topics(train, k, threads),
    }
    if installed("tomotopy"):
        fits["tomotopy"] = lambda: _tomotopy_topics(train, k, threads)
    if installed("gensim"):
        fits["gensim, online variational"] = lambda: _gensim_topics(train, k)

    def run(fit: Any) -> tuple[float, float]:
        with stopwatch() as seconds, warnings.catch_warnings(action="ignore"):
            topics = fit()
        return seconds[0], _completion(topics, test)

    LDA(k, max_iter=1).fit(counts[:50])  # compile
    contenders = [
        Contender(label, partial(run, fit), is_peer=label.startswith("scikit"))
        for label, fit in fits.items()
    ]
    return contest("LDA, whole fits", name, k, threads, contenders, min(tries, 1))


def _our_sweeps(counts: Any, k: int, threads: int, shards: int) -> tuple[float, float]:
    model = LDA(
        k, alpha=ALPHA_SUM / k, beta=BETA, learn_priors=False, max_iter=SWEEPS, shards=shards,
        n_jobs=threads, random_state=0,
    )  # fmt: skip
    with stopwatch() as seconds:
        model.fit(counts)
    return seconds[0], float(model.objective_[-1])


def _tomotopy_sweeps(counts: Any, k: int, threads: int) -> tuple[float, float]:
    model = _tomotopy_model(counts, k, ALPHA_SUM / k, BETA)
    model.optim_interval = 0
    model.train(0, workers=threads)
    with stopwatch() as seconds, warnings.catch_warnings(action="ignore"):
        model.train(SWEEPS, workers=threads)
    return seconds[0], _tomotopy_likelihood(model, counts.shape[1], k)


def _tomotopy_model(counts: Any, k: int, alpha: float, eta: float) -> Any:
    model = installed("tomotopy").LDAModel(k=k, alpha=alpha, eta=eta, seed=1)
    for row in range(counts.shape[0]):
        cells = slice(counts.indptr[row], counts.indptr[row + 1])
        words = np.repeat(counts.indices[cells], counts.data[cells].astype(int))
        model.add_doc([str(word) for word in words])
    return model


def _tomotopy_likelihood(model: Any, d: int, k: int) -> float:
    """The same quantity as LDA's objective, from tomotopy's assignments."""
    names = np.array([int(word) for word in model.used_vocabs])
    topics = [np.asarray(document.topics, dtype=np.int64) for document in model.docs]
    words = [names[np.asarray(document.words)] for document in model.docs]
    documents = np.repeat(np.arange(len(topics)), [len(tokens) for tokens in topics])
    topic, word = np.concatenate(topics), np.concatenate(words)
    by_document = _table(documents, topic, len(topics), k)
    by_topic = _table(topic, word, k, d)
    whole = _log_dirichlet(by_document, ALPHA_SUM / k) + _log_dirichlet(by_topic, BETA)
    return whole / len(topic)


def _table(rows: Indices, columns: Indices, n_rows: int, n_columns: int) -> Indices:
    return np.bincount(rows * n_columns + columns, minlength=n_rows * n_columns).reshape(
        n_rows, n_columns
    )


def _log_dirichlet(table: Indices, prior: float) -> float:
    """log p of the rows, each drawn through a symmetric Dirichlet."""
    width = table.shape[1]
    cells = gammaln(table + prior).sum() - table.size * gammaln(prior)
    sums = gammaln(table.sum(axis=1) + width * prior).sum()
    return float(cells + len(table) * gammaln(width * prior) - sums)


def _completion(topics: Array, test: Any) -> float:
    words = np.arange(topics.shape[1]).astype(str).astype(object)
    subject = Subject(words, topics, estimator=folding("plsa", topics))
    return Completion().measure(subject, Alone(test)).value


def _our_topics(counts: Any, k: int, threads: int) -> Array:
    return LDA(k, shards=threads, n_jobs=threads, random_state=0).fit(counts).components_


def _sklearn_topics(counts: Any, k: int, threads: int) -> Array:
    model = LatentDirichletAllocation(k, random_state=0, n_jobs=threads).fit(counts)
    return _smoothed(model.components_)


def _tomotopy_topics(counts: Any, k: int, threads: int) -> Array:
    model = _tomotopy_model(counts, k, 0.1, 0.01)
    model.train(1000, workers=threads)
    names = np.array([int(word) for word in model.used_vocabs])
    topics = np.zeros((k, counts.shape[1]))
    topics[:, names] = [model.get_topic_word_dist(topic) for topic in range(k)]
    return _smoothed(topics)


def _gensim_topics(counts: Any, k: int) -> Array:
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LdaModel

    names = {word: str(word) for word in range(counts.shape[1])}
    documents = Sparse2Corpus(sp.csc_matrix(counts.T), documents_columns=True)
    model = LdaModel(documents, num_topics=k, id2word=names, passes=5, random_state=0)
    return _smoothed(model.get_topics())


def _smoothed(topics: Array) -> Array:
    """Distributions over words, none of them zero."""
    shares = np.asarray(topics, dtype=np.float64) + 1e-12
    return shares / shares.sum(axis=1, keepdims=True)
