"""The two phases of an ensemble with the processor's time for each, and the models beside them.

Summaries are exact here, as the source has them: all topics over all words, with how often each
word was drawn, or is expected, from each topic. What `ch.publish` leaves out and rounds is a way of
its own.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import chatham as ch
from chatham.ensembles.coarse import whole_tokens
from chatham.ensembles.summary import Summary
from chatham.learners.documents import Documents
from chatham.learners.plsa import reweigh
from chatham.numerics.products import gather_by_word

Array = NDArray[np.float64]

ALPHA_SUM, BETA, SWEEPS = 50.0, 0.01, 100
TOL, MOST = 1e-4, 500
"""When EM ends: where an iteration changed the log-likelihood by less than this share of it."""


@dataclass(frozen=True, eq=False)
class Timed:
    """What a phase returned, and the processor's seconds that it took."""

    value: Any
    seconds: float


def timed(call: Callable[..., Any], *arguments: Any, **more: Any) -> Timed:
    """Call it, with an eye on the processor's clock."""
    began = time.process_time()
    value = call(*arguments, **more)
    return Timed(value, time.process_time() - began)


@contextmanager
def as_in_the_source() -> Iterator[None]:
    """EM ends by the source's rule instead of Chatham's, and nobody is told how it ended."""
    with (
        patch("chatham.learners.plsa.has_converged", relative_change),
        patch("chatham.ensembles.plsa.has_converged", relative_change),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


def relative_change(objective: Sequence[float], tol: float, nothing: float | None = None) -> bool:
    """Whether the last iteration changed the log-likelihood by less than `tol` of it."""
    if len(objective) < 2:
        return False
    return abs(objective[-1] - objective[-2]) < tol * abs(objective[-2])


class Watched(ch.Alone):
    """All rows here; after a fit, the last total and the documents' last weights are still known.

    They are what the source's summaries are made of, and a fitted learner doesn't keep them.
    """

    last: Any = None
    weights: Array | None = None

    def _total(self, step: Any, shared: tuple[Any, ...], precision: Any) -> Any:
        self.last = super()._total(step, shared, precision)
        self.weights = self._memory.get("weights")
        return self.last


def lda(k: int, seed: int) -> ch.LDA:
    """LDA with the source's priors and sweeps."""
    return ch.LDA(
        k, alpha=ALPHA_SUM / k, beta=BETA, learn_priors=False, max_iter=SWEEPS, random_state=seed,
        n_jobs=1,
    )  # fmt: skip


def plsa(k: int, seed: int) -> ch.PLSA:
    """PLSA with the source's tolerance."""
    return ch.PLSA(k, tol=TOL, max_iter=MOST, random_state=seed, n_jobs=1)


LEARNERS: dict[str, Callable[[int, int], Any]] = {"plsa": plsa, "lda": lda}


@dataclass(frozen=True, eq=False)
class Base:
    """A party's model and its exact summary."""

    learner: Any
    summary: Summary


def base(kind: str, rows: sp.csr_array, k: int, seed: int, name: str) -> Base:
    """Phase 1 at one party: fit its documents, and say what the source's second phase takes.

    A topic that no token has is left out.
    """
    commons = Watched(rows)
    learner = LEARNERS[kind](k, seed).fit(commons)
    counts, likelihood = _SUMS[kind](commons, learner)
    used = np.flatnonzero(counts.sum(axis=1) > 0)
    counts, tokens = counts[used], counts[used].sum(axis=1)
    if kind == "plsa":
        topics = counts / tokens[:, None]
        own = {"expected": counts, "log_likelihood": np.array(likelihood)}
    else:
        topics = np.ascontiguousarray(learner.components_[used])
        own = {"counts": counts, "alpha": np.full(len(used), ALPHA_SUM / k)}
    summary = Summary(
        kind=kind,
        vocabulary=np.array(words_of(rows.shape[1]), dtype=object),
        topics=topics,
        sizes=rows.shape[0] * tokens / tokens.sum(),
        documents=rows.shape[0],
        tokens=float(counts.sum()),
        statistics=own,
        numbers=tuple(used.tolist()),
        name=name,
    )
    return Base(learner, summary)


def published(of: Base, rows: sp.csr_array) -> Summary:
    """What Chatham itself would publish of a party's model, which is less.

    No word that fewer than five documents have, nor a topic that fewer than five carry.
    """
    model = ch.TopicModel(of.learner, words_of(rows.shape[1]))
    return ch.publish(model, rows, name=of.summary.name, n_jobs=1)


def words_of(d: int) -> list[str]:
    """Names in the order of columns; what the words are doesn't matter here."""
    return [f"w{column:06d}" for column in range(d)]


def _drawn(commons: Watched, learner: ch.LDA) -> tuple[Array, float]:
    """How often each word has each topic after the last sweep."""
    by_word = commons.last[0].astype(np.float64)
    return np.ascontiguousarray(by_word.T[learner._order]), 0.0


def _expected(commons: Watched, learner: ch.PLSA) -> tuple[Array, float]:
    """How often each word is expected to come from each topic; the log-likelihood."""
    assert commons.weights is not None
    documents = Documents(commons.rows)
    weights = np.ascontiguousarray(commons.weights[:, learner._order])
    by_word = np.ascontiguousarray(learner.components_.T)
    ratios = np.empty(len(documents.data))
    likelihood = reweigh(documents, by_word, weights, ratios, move=False)
    expected = by_word * gather_by_word(documents.by_word, ratios, weights)
    return whole_tokens(expected.T), likelihood


_SUMS: dict[str, Callable[[Any, Any], tuple[Array, float]]] = {"plsa": _expected, "lda": _drawn}


def merged(summaries: Sequence[Summary], k: int, seed: int, **settings: Any) -> ch.MergedModel:
    """Phase 2."""
    if summaries[0].kind == "lda":
        own = {"alpha": ALPHA_SUM / k, "beta": BETA, "learn_priors": False, "max_iter": SWEEPS}
    else:
        own = {"n_init": 1, "tol": TOL, "max_iter": MOST}
    return ch.merge(summaries, k, random_state=seed, n_jobs=1, **{**own, **settings})
