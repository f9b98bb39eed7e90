"""Spectral starts: what AnchorWords(refine=0) finds, for several limits after one rectification."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from chatham.learners.anchor.anchor_words import WIDE
from chatham.learners.anchor.conditional import Conditional
from chatham.learners.anchor.correlations import anchor_correlations, dirichlet_prior
from chatham.learners.anchor.recover import recover
from chatham.learners.anchor.rectify import alternate
from chatham.learners.anchor.refine import FIRST_SUM
from chatham.learners.anchor.select import candidate_words, pivoted_qr, usual_least
from chatham.learners.cooccurrence import Cooccurrence, cooccurrence

Array = NDArray[np.float64]

PROJECTIONS, TOLERANCE = 15, 1e-4
"""AnchorWords' own when this was run, which ended by ‖C‖ and counted documents alike."""
AUTO = "auto"
"""AnchorWords' own limit for anchors."""


@dataclass
class Clock:
    """Seconds by the wall and of all threads' work."""

    wall: float = 0.0
    cpu: float = 0.0

    def __add__(self, other: Clock) -> Clock:
        return Clock(self.wall + other.wall, self.cpu + other.cpu)


@contextmanager
def clocked() -> Iterator[Clock]:
    """Fill in what the block took."""
    clock, wall, cpu = Clock(), time.perf_counter(), time.process_time()
    yield clock
    clock.wall, clock.cpu = time.perf_counter() - wall, time.process_time() - cpu


@dataclass(frozen=True, eq=False)
class Start:
    """Topics with their shares of all words, the prior that fits, and the words' own shares."""

    topics: Array
    shares: Array
    alpha: Array
    unigram: Array
    took: Clock


@dataclass(frozen=True, eq=False)
class Spectral:
    """A corpus's co-occurrence, rectified for k topics; starts follow from it."""

    counted: Cooccurrence
    words: Conditional
    k: int
    took: Clock
    made: dict[int, Start] = field(default_factory=dict)

    def start(self, fewest: int) -> Start:
        """The start whose anchors are in so many documents at least; made once."""
        if fewest not in self.made:
            self.made[fewest] = self._start(fewest)
        return self.made[fewest]

    def _start(self, fewest: int) -> Start:
        with clocked() as clock:
            frequencies = self.counted.document_frequencies
            candidates = candidate_words(frequencies, self.counted.kept, fewest)
            anchors = pivoted_qr(self.words, self.k, candidates)[0]
            topics = recover(self.words, anchors, "admm").topics
            correlations = anchor_correlations(self.words.joint, topics, anchors)
            alpha, sizes = dirichlet_prior(correlations), correlations.sum(axis=1)
        shares = sizes / sizes.sum()
        return Start(topics, shares, alpha, self.words.totals, self.took + clock)


def spectral(train: ch.Corpus, k: int) -> Spectral:
    """Count and rectify."""
    with clocked() as clock:
        counted = cooccurrence(ch.Alone(train), single=train.n_words >= WIDE)
        joint = alternate(counted.matrix, k, max_iter=PROJECTIONS, tol=TOLERANCE).matrix
    return Spectral(counted, Conditional(joint), k, clock)


def random_start(train: ch.Corpus, k: int, seed: int) -> Start:
    """Topics that are the words' own shares, each times a number from an exponential."""
    counts = np.asarray(train.counts.sum(axis=0), dtype=np.float64).ravel()
    unigram = counts / counts.sum()
    topics = unigram * np.random.default_rng(seed).exponential(size=(k, len(unigram)))
    shares = np.full(k, 1.0 / k)
    topics /= topics.sum(axis=1, keepdims=True)
    return Start(topics, shares, FIRST_SUM * shares, unigram, Clock())


def fewest_documents(train: ch.Corpus, k: int, least: float | str) -> int:
    """In how many documents an anchor must be, by a share of them or by AnchorWords' own rule."""
    kept = train.counts[np.asarray(train.counts.sum(axis=1)).ravel() > 1]
    if isinstance(least, str):
        frequencies = np.bincount(kept.indices, minlength=train.n_words).astype(np.float64)
        return usual_least(frequencies, kept.shape[0], k)
    return max(math.ceil(round(least * kept.shape[0], 6)), 1)
