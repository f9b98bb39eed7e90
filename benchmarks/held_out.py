"""Held-out probability, left to right: ours and a plain numpy version of the same estimator."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.contest import Contender, Result, contest, stopwatch
from chatham.commons import Alone
from chatham.learners.lda import LDA
from chatham.measures.held_out.left_to_right import USUAL_ALPHA, LeftToRight
from chatham.measures.subject import Subject, smoothed
from chatham.numerics.threads import threads as using_threads

Array = NDArray[np.float64]

DOCUMENTS, TOKENS, PARTICLES, SMOOTHING = 5000, 100, 10, 0.01

FEWER = 100
"""How many of the documents numpy reads; it would be at it for minutes."""

ELSEWHERE = "MALLET's evaluator: 2.9 s, a figure from elsewhere"


def left_to_right_results(name: str, counts: Any, k: int, threads: int, tries: int) -> list[Result]:
    """5,000 documents of 100 tokens, 10 particles; quality is log-probability per token."""
    topics = LDA(k, max_iter=20, n_jobs=threads, random_state=0).fit(counts).components_
    documents = drawn_documents(counts, DOCUMENTS, TOKENS)
    contenders = [
        Contender(
            "numpy",
            partial(_numpy, documents[:FEWER], topics),
            is_peer=True,
            note=f"timed on {FEWER} documents, × {DOCUMENTS // FEWER}",
        ),
        Contender("chatham", partial(_ours, documents, topics, threads), note=ELSEWHERE),
        Contender(
            "chatham, resample=False",
            partial(_ours, documents, topics, threads, resample=False),
            note="one pass: quicker, and too low",
        ),
    ]
    _ours(documents[:2], topics, threads)  # compile
    return contest("Left to right", name, k, threads, contenders, tries)


def drawn_documents(counts: Any, n: int, tokens: int) -> NDArray[np.int64]:
    """So many documents of so many words each (n × tokens), drawn from the corpus's in turn."""
    counts, rng = sp.csr_array(counts), np.random.default_rng(0)
    rows = []
    for row in range(n):
        cells = slice(*counts.indptr[row % counts.shape[0] :][:2])
        shares = counts.data[cells] / counts.data[cells].sum()
        rows.append(rng.choice(counts.indices[cells], tokens, p=shares))
    return np.array(rows, dtype=np.int64)


def _ours(
    documents: NDArray[np.int64], topics: Array, threads: int, resample: bool = True
) -> tuple[float, float]:
    n, tokens = documents.shape
    cells = (np.ones(documents.size), (np.repeat(np.arange(n), tokens), documents.reshape(-1)))
    counts = sp.csr_array(cells, shape=(n, topics.shape[1]))
    subject = Subject(np.arange(topics.shape[1]).astype(str).astype(object), topics)
    measure = LeftToRight(PARTICLES, resample, SMOOTHING)
    with stopwatch() as seconds, using_threads(threads):
        score = measure.measure(subject, Alone(counts))
    return seconds[0], score.value


def _numpy(documents: NDArray[np.int64], topics: Array) -> tuple[float, float]:
    alpha = np.full(len(topics), USUAL_ALPHA)
    with stopwatch() as seconds:
        logs = read_with_numpy(documents, smoothed(topics, SMOOTHING), alpha, PARTICLES)
    return seconds[0] * DOCUMENTS / len(documents), float(logs.sum() / documents.size)


def read_with_numpy(
    documents: NDArray[np.int64], topics: Array, alpha: Array, particles: int, seed: int = 0
) -> Array:
    """Each document's log-probability, all documents and particles moving side by side."""
    rng, by_word = np.random.default_rng(seed), topics.T
    (n, tokens), k = documents.shape, len(alpha)
    ones = np.eye(k + 1, k, dtype=np.float64)  # the last row is no topic at all
    drawn = np.full((tokens, n, particles), k)
    counts, logs = np.zeros((n, particles, k)), np.zeros(n)

    def draw(place: int) -> None:
        nonlocal counts
        counts -= ones[drawn[place]]
        sums = np.cumsum((counts + alpha) * by_word[documents[:, place]][:, None], axis=2)
        sought = rng.random((n, particles)) * sums[:, :, -1]
        drawn[place] = (sums <= sought[:, :, None]).sum(axis=2)
        counts += ones[drawn[place]]

    for token in range(tokens):
        for place in range(token):
            draw(place)
        products = (counts + alpha) * by_word[documents[:, token]][:, None]
        logs += np.log(products.sum(axis=2).mean(axis=1) / (token + alpha.sum()))
        draw(token)
    return logs
