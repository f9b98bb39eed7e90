"""NMF against scikit-learn's coordinate descent, and PLSA against its KL divergence."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import decomposition
from sklearn.decomposition._nmf import _initialize_nmf
from sklearn.utils import check_random_state

from benchmarks.contest import Contender, Result, contest, stopwatch
from chatham.commons import Alone
from chatham.learners.documents import Documents
from chatham.learners.nmf import NMF
from chatham.learners.nmf.problem import Problem
from chatham.learners.nmf.start import nndsvd_start
from chatham.learners.plsa import PLSA, reweigh
from chatham.numerics.threads import threads as our_threads

Array = NDArray[np.float64]

ITERATIONS = 50


def nmf_results(name: str, counts: Any, k: int, threads: int, tries: int) -> list[Result]:
    """Fifty iterations from the same nndsvd start; quality is ‖X − WT‖.

    The start's own time is measured apart for both, and taken off ours, which fits in one go.
    """
    seed = int(check_random_state(0).randint(2**31 - 1))  # what NMF(random_state=0) begins from
    problem = Problem("nonnegative", 0.0, 0.0, unobserved=False, relative=False)

    def begin() -> tuple[float, Array, Array]:
        commons = Alone(counts)
        with our_threads(threads), stopwatch() as seconds:
            start = nndsvd_start(commons, k, seed, problem)
        return seconds[0], np.maximum(commons._memory["start"] * start.scale, 0.0), start.topics

    def theirs() -> tuple[float, float]:
        model = decomposition.NMF(k, init="custom", solver="cd", max_iter=ITERATIONS, tol=0)
        with stopwatch() as seconds, _quiet():
            model.fit_transform(counts, W=weights.copy(), H=topics.copy())
        return seconds[0], float(model.reconstruction_err_)

    def ours() -> tuple[float, float]:
        model = NMF(
            k, constraint="none", max_iter=ITERATIONS, tol=0, n_jobs=threads, random_state=0
        )
        with stopwatch() as seconds:
            model.fit(counts)
        return seconds[0] - start_seconds, float(np.sqrt(2 * model.objective_[-1]))

    begin()  # compile
    begun = [begin() for _ in range(tries)]
    start_seconds, (_, weights, topics) = min(seconds for seconds, _, _ in begun), begun[0]
    with stopwatch() as their_start, _quiet():
        _initialize_nmf(counts, k, init="nndsvd", random_state=0)
    ours()  # compile
    return contest(
        "NMF", name, k, threads,
        [
            Contender("scikit-learn cd", theirs, True, f"its nndsvd start: {their_start[0]:.2f} s"),
            Contender("chatham", ours, note=f"its nndsvd start: {start_seconds:.2f} s"),
        ],
        tries,
    )  # fmt: skip


def plsa_results(name: str, counts: Any, k: int, threads: int, tries: int) -> list[Result]:
    """Scikit-learn's multiplicative KL-NMF for 50 iterations; PLSA as long, and to its likelihood.

    Quality is the log-likelihood per document of the frequencies, which both maximise.
    """
    documents = Documents(counts, frequencies=True)
    start = np.random.default_rng(0).random((k, documents.d))
    start /= start.sum(axis=1, keepdims=True)
    flat = np.full((documents.n, k), 1.0 / k)
    frequencies = counts / counts.sum(axis=1)[:, None]
    target = [-np.inf]

    def theirs() -> tuple[float, float]:
        model = decomposition.NMF(
            k, init="custom", solver="mu", beta_loss="kullback-leibler", max_iter=ITERATIONS, tol=0
        )
        with stopwatch() as seconds, _quiet():
            weights = model.fit_transform(frequencies.tocsr(), W=flat.copy(), H=start.copy())
        target[0] = _likelihood(documents, weights, model.components_)
        return seconds[0], target[0]

    def as_long() -> tuple[float, float]:
        model = PLSA(k, init=start, max_iter=ITERATIONS, tol=0, n_jobs=threads)
        with stopwatch() as seconds:
            model.fit(counts)
        return seconds[0], float(model.objective_[-1]) / documents.n

    def as_good() -> tuple[float, float]:
        model = PLSA(k, init=start, max_iter=3 * ITERATIONS, tol=0, n_jobs=threads)
        with stopwatch() as seconds:
            model.fit(counts)
        reached = model.objective_ / documents.n >= target[0]
        needed = int(np.argmax(reached)) + 1 if reached.any() else len(reached)
        return seconds[0] * needed / len(reached), float(model.objective_[needed - 1]) / documents.n

    as_long()  # compile
    return contest(
        "PLSA", name, k, threads,
        [
            Contender("scikit-learn KL-NMF mu", theirs, is_peer=True),
            Contender("chatham, as many iterations", as_long),
            Contender("chatham, to the same likelihood", as_good),
        ],
        tries,
    )  # fmt: skip


def _likelihood(documents: Documents, weights: Array, topics: Array) -> float:
    """The log-likelihood per document of factors made distributions."""
    scale = topics.sum(axis=1)
    shares = weights * scale
    shares /= shares.sum(axis=1, keepdims=True)
    by_word = np.ascontiguousarray((topics / scale[:, None]).T)
    ratios = np.empty(len(documents.data))
    return reweigh(documents, by_word, shares, ratios, move=False) / documents.n


def _quiet() -> Any:
    """Without scikit-learn's warning that a fixed number of iterations may not converge."""
    return warnings.catch_warnings(action="ignore")
