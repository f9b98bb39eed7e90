"""The model that documents are drawn from: topics fitted to real documents by Gibbs sampling."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch

Array = NDArray[np.float64]

FILE = "nips12_bow.npz"
SWEEPS, BURN_IN, SAMPLES = 200, 100, 5
"""Of the fit; topics are the mean of the samples."""
NEARLY_ALL = 0.99
"""A word with so much of its probability in one topic is nearly an anchor."""


class Truth:
    """Topics of a real corpus, fitted when they are first asked for."""

    def __init__(self, folder: Path | None, words: int, k: int, seed: int, n_jobs: int) -> None:
        self.corpus, self.source = read_real(folder, words)
        self.k, self.seed, self.n_jobs = k, seed, n_jobs

    @property
    def about(self) -> dict[str, Any]:
        """What tells one truth from another."""
        corpus = self.corpus
        sizes = [len(corpus), corpus.n_words, int(corpus.n_tokens)]
        fit = [SWEEPS, BURN_IN, SAMPLES, self.seed]
        return {"source": self.source, "sizes": sizes, "topics": self.k, "fit": fit}

    @cached_property
    def topics(self) -> Array:
        """By LDA, k×d."""
        learner = ch.LDA(
            self.k, max_iter=SWEEPS, burn_in=BURN_IN, n_samples=SAMPLES,
            random_state=self.seed, n_jobs=self.n_jobs,
        )  # fmt: skip
        return np.asarray(learner.fit(self.corpus.counts).components_)


def anchored(topics: Array) -> float:
    """The share of topics that have a word of nearly their own, if all are as prevalent.

    >>> anchored(np.array([[0.5, 0.5], [0.0, 1.0]]))
    0.5
    """
    given_word = topics / topics.sum(axis=0)
    return float((given_word.max(axis=1) >= NEARLY_ALL).mean())


def read_real(folder: Path | None, words: int) -> tuple[ch.Corpus, str]:
    """NIPS over its most frequent words; the bundled sample where no folder is given."""
    if folder is None:
        return ch.sample_corpus(max_features=words), "bundled sample"
    if not (folder / FILE).exists():
        raise ch.InputError(f"The folder {folder} lacks {FILE}.")
    corpus = ch.read_corpus(folder / FILE, stop_words="en", max_df=0.5, max_features=words)
    return corpus, "NIPS"
