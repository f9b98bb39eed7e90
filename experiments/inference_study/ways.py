"""The ways to documents' weights under fixed topics, each told only what it may know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.learners.anchor.correlations import dirichlet_prior, normalised
from chatham.learners.anchor.refine import posterior_weights
from chatham.learners.documents import Documents
from chatham.learners.lda.gibbs import draw_weights, priors_of, tokens_of
from chatham.model.infer import infer
from chatham.numerics.lanes import LANES, aligned, padded
from chatham.numerics.threads import each

Array = NDArray[np.float64]

SPECTRAL = ("tli", "spi", "least-squares", "padd")
WAYS = ("random", *SPECTRAL, "posterior", "gibbs")
SHOWN = {
    "random": "random", "tli": "TLI", "spi": "SPI", "least-squares": "least squares",
    "padd": "PADD", "posterior": "posterior", "gibbs": "Gibbs",
}  # fmt: skip

STEPS = 30
"""Of the posterior mean, as in `AnchorWords.transform`."""


@dataclass(frozen=True, eq=False)
class Known:
    """What an inference is told: topics B, correlations A, α; PADD's dual if it was learned."""

    topics: Array
    correlations: Array
    alpha: Array
    dual: Array | None = None

    @property
    def shares(self) -> Array:
        """p(z), the rows of A: for SPI's p(z|x)."""
        return np.asarray(normalised(self.correlations).sum(axis=1))

    @classmethod
    def of(cls, topics: Array, correlations: Array, alpha: Array | None = None) -> Known:
        """Where no α is given, it is the one whose moments are nearest A (Lee, Algorithm 4)."""
        return cls(topics, correlations, dirichlet_prior(correlations) if alpha is None else alpha)


@dataclass(frozen=True)
class Chain:
    """How long Gibbs runs: sweeps that aren't kept, and that are."""

    burn_in: int
    samples: int


def weights_by(
    way: str, counts: Any, known: Known, *, chain: Chain, seed: int, n_jobs: int | None = None
) -> Array:
    """The documents' weights (n×k). Without a dual PADD learns one on these very documents."""
    if way == "random":
        k = len(known.topics)
        return np.random.default_rng([seed, k]).dirichlet(np.ones(k), counts.shape[0])
    if way == "posterior":
        weights = posterior_weights(Documents(counts), known.topics, known.alpha, STEPS)
        weights[~weights.any(axis=1)] = known.shares
        return weights
    if way == "gibbs":
        return gibbs_weights(counts, known.topics, known.alpha, chain, seed)
    return infer(
        known.topics, counts, way, prevalence=known.shares, correlations=known.correlations,
        dual=known.dual, n_jobs=n_jobs,
    )  # fmt: skip


def gibbs_weights(counts: Any, topics: Array, alpha: Array, chain: Chain, seed: int) -> Array:
    """The mean weights of so many samples with topics and α fixed: the sampler of `LDA.transform`.

    Words that no topic utters are left out; a document without others has the weights of α.
    """
    documents, k = Documents(uttered(counts, topics)), len(topics)
    tokens, width = tokens_of(documents, documents.keys(seed)), padded(k)
    by_word = aligned(documents.d, width)
    by_word[:, :k] = topics.T
    prior, weights = priors_of(alpha, 0.0, width).alpha, np.zeros((documents.n, k))

    def draw(block: tuple[int, int]) -> None:
        room = aligned(3, width + LANES)
        draw_weights(
            tokens, *block, by_word.reshape(-1), prior, chain.burn_in, chain.samples, room, weights,
            0,
        )  # fmt: skip

    each(draw, documents.blocks)
    return weights


def uttered(counts: Any, topics: Array) -> sp.csr_array:
    """The counts, zero for words that no topic utters."""
    kept = sp.csr_array(sp.csr_array(counts) @ sp.diags_array((topics.max(axis=0) > 0) * 1.0))
    kept.eliminate_zeros()
    return kept
