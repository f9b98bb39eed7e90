"""The probability of held-out documents under topics, by reading them from left to right.

The estimator of Wallach, Murray, Salakhutdinov and Mimno (2009), "Evaluation methods for topic
models", as Lee (section 1.4.2) and Colin and Dupuy use it. The loops are in `particles`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.commons.precision import Budgets
from chatham.errors import InputError
from chatham.learners.documents import Documents, token_starts
from chatham.measures.evidence import documents_at
from chatham.measures.held_out.particles import (
    IMPOSSIBLE,
    LOG,
    SHORTENED,
    SIZE,
    VARIANCE,
    Bags,
    estimate,
    room_for,
    urns_of,
)
from chatham.measures.held_out.sums import BUDGETS, score_of, sums_over
from chatham.measures.measure import Measure, Score, UndefinedError
from chatham.measures.settings import check_share, check_whole
from chatham.measures.subject import Subject
from chatham.numerics.lanes import LANES
from chatham.numerics.threads import MOST_BLOCKS, blocks, each
from chatham.wording import say

Array = NDArray[np.float64]

USUAL_ALPHA = 0.1
"""Each topic's alpha where the model has none of its own, as in section 1.4.2 of Lee."""

SMALLEST_ALPHA = 1e-10
FIRST_WORDS = 1024
"""Topics usually differ in their first words; keys of all words would be a copy."""

BLOCK = 2**21
"""How many products of draws make a block worth a thread: some milliseconds."""


@dataclass(frozen=True)
class LeftToRight(Measure):
    """The log-probability of a token of unseen documents, Σ_d log p(w_d | T, α) / Σ_d N_d.

    A document's probability sums over all topics that its tokens could have. It is estimated by
    reading the tokens one after the other with R `particles`, each a topic z for every token so
    far: log p(w) ≈ Σ_n log (1/R) Σ_r p_n^r, with

        p_n^r = Σ_t T_{t,w_n} (N_t^r + α_t) / (n − 1 + Σα),

    N_t^r being how many of the particle's n − 1 tokens have topic t. Before each p_n every earlier
    token's topic is resampled given all the others, which takes time quadratic in the length;
    with `resample=False` a token keeps its first topic, which is quicker and less exact.

    With one particle the estimate of p(w), though not of its logarithm, is unbiased. With several
    it is far less scattered but not quite unbiased, however many they are, since they are averaged
    at every token and not at the end. The tests work it out for four tokens and two topics: p(w) is
    off by 1% in the median over topics and priors at random, by 28% at worst, and without
    resampling by 7% and 120%. The logarithm makes estimates too low on average, less so with more
    particles. Sixteen particles take as long as ten.

    A bag of words has no order: one is drawn by a key from the document's content, so that it is
    the same wherever the document is. A cell of 2.7 is two tokens and one of weight 0.7, whose
    log-probability and whose contribution to N_t count 0.7. **Of a document of more than `longest`
    tokens only the first `longest` in that order are read** (None: all of them are), and the notes
    say how many were shortened; since a token is easier to predict the more of its document is
    known, a longer part has a slightly higher value, so compare models at the same `longest`.

    `alpha` is one number, or one for each topic; by default the model's own, and 0.1 for models
    without. Topics are mixed with a share `smoothing` of the uniform distribution; with 0 it
    is as defined, and a word in no topic makes it undefined. A topic without words is left out.
    The order of topics changes nothing. The notes have the standard error over documents, the
    average of log p over documents, and `sampling_error`, how much the particles scatter (None for
    one particle). Another `seed` changes that, the order in which tokens are read, and so which
    ones are in a document that was shortened: that last part, which `sampling_error` doesn't
    include, may be the largest.
    """

    particles: int = 10
    resample: bool = True
    smoothing: float = 0.01
    alpha: float | Sequence[float] | None = None
    longest: int | None = 1000
    seed: int = 0
    name: ClassVar[str] = "left_to_right"
    higher_is_better: ClassVar[bool] = True
    counts_absence: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"topics", "held_out"})
    source: ClassVar[str] = "Wallach et al. (2009); Lee, section 1.4.2"
    budget: ClassVar[Budgets] = BUDGETS

    def __post_init__(self) -> None:
        check_whole("particles", self.particles, 1)
        check_share("smoothing", self.smoothing)
        if self.longest is not None:
            check_whole("longest", self.longest, 1)
        check_whole("seed", self.seed, 0)

    def shared(self, subject: Subject) -> tuple[Any, ...]:
        """The settings, with alpha for each topic."""
        alpha = _alpha(self.alpha, subject)
        return (
            self.particles, bool(self.resample), self.smoothing, alpha, self.longest, self.seed
        )  # fmt: skip

    @staticmethod
    def local_statistics(
        rows: Any, memory: Memory, subject: Subject, particles: int, resample: bool,
        smoothing: float, alpha: Array, longest: int | None, seed: int,
    ) -> tuple[Array, Array, Array]:  # fmt: skip
        """Sums of log-probability, tokens, squares, product, variance; documents, cut, impossible.

        Over my documents: log p, N, (log p)², N² and N·log p, and the estimates' variance; how many
        they are, how many were cut short, and how many have a word of probability zero.
        """
        settings = (particles, resample, smoothing, longest, seed)

        def read() -> tuple[Array, Array, Array]:
            counts = Documents(documents_at(rows, memory, subject).counts)
            estimates = read_documents(
                counts, subject.distributions, alpha, particles, resample, longest, seed, smoothing
            )
            impossible = estimates[:, IMPOSSIBLE].sum()
            sums = sums_over(estimates[:, LOG], estimates[:, SIZE], impossible)
            return *sums, estimates[:, [VARIANCE, SHORTENED]].sum(axis=0)

        # Perplexity needs the same sums.
        return memory.derived(("left to right", settings, alpha.tobytes()), read)

    def value(self, totals: Any, subject: Subject) -> Score:
        """The mean over tokens, with its errors."""
        plain, squares, (variance, shortened) = totals
        score = score_of(plain, squares, "No document has any word of the model's vocabulary.")
        sampling = math.sqrt(variance) / float(plain[1]) if self.particles > 1 else None
        score.notes.update(sampling_error=sampling, shortened=int(shortened))
        return score


def read_documents(
    documents: Documents, topics: Array, alpha: Array, particles: int = 10, resample: bool = True,
    longest: int | None = None, seed: int = 0, smoothing: float = 0.0,
) -> Array:  # fmt: skip
    """What the particles find for each document (n×5; columns as named in `particles`).

    A topic without words is left out.

    >>> two = Documents(np.array([[1, 1], [0, 2]]))
    >>> estimates = read_documents(two, np.array([[0.5, 0.5]]), np.ones(1))
    >>> np.exp(estimates[:, LOG]).round(12).tolist()  # one topic: ½ · ½, whatever the order
    [0.25, 0.25]
    """
    order = _order(topics, alpha, smoothing)
    if not order:
        raise UndefinedError("No topic has any words.")
    tokens = np.diff(token_starts(documents)[documents.indptr])
    most = np.iinfo(np.int64).max if longest is None else longest
    urns = urns_of(topics, alpha, order, smoothing)
    bags = Bags(
        documents.indptr.astype(np.int64), documents.indices.astype(np.int32), documents.data,
        documents.keys(seed),
    )  # fmt: skip
    estimates = np.zeros((documents.n, 5))

    def read_block(block: tuple[int, int]) -> None:
        longest_here = int(tokens[slice(*block)].max(initial=0))
        room = room_for(longest_here, min(longest_here, most), len(order), particles)
        estimate(bags, *block, urns, resample, most, room, estimates)

    each(read_block, _blocks(np.minimum(tokens, most), len(order), particles, resample))
    return estimates


def _order(topics: Array, alpha: Array, smoothing: float) -> list[int]:
    """The topics with words, in an order that depends only on their content."""

    def content(t: int) -> tuple[float, bytes, bytes]:
        first = (1 - smoothing) * topics[t, :FIRST_WORDS] + smoothing / topics.shape[1]
        return float(alpha[t]), first.tobytes(), blake2b(topics[t].tobytes()).digest()

    return sorted((t for t in range(len(topics)) if topics[t].any()), key=content)


def _blocks(
    n_read: NDArray[np.int64], k: int, particles: int, resample: bool
) -> list[tuple[int, int]]:
    """Ranges of documents that take about equally long, cut by the data alone."""
    draws = n_read.astype(np.float64) * (n_read / 2 + 1 if resample else 1.0)
    work = np.concatenate([[0.0], np.cumsum(draws * k * math.ceil(particles / LANES))])
    count = min(max(int(work[-1] // BLOCK), 1), MOST_BLOCKS)
    return blocks(work.astype(np.int64), count) if len(n_read) else []


def _alpha(setting: Any, subject: Subject) -> Array:
    """Alpha for each topic: the setting, else the model's own, else the usual one."""
    default = USUAL_ALPHA if subject.alpha is None else subject.alpha
    alpha = np.asarray(default if setting is None else setting, dtype=np.float64)
    if alpha.ndim == 0:
        alpha = np.full(subject.n_topics, float(alpha))
    if alpha.shape != (subject.n_topics,):
        raise InputError(
            say(
                "{alpha} must be one number, or one for each of the {n_topics} topics. Got "
                "an array of shape {shape} instead.",
                n_topics=subject.n_topics,
                shape=alpha.shape,
            )
        )
    if not (np.isfinite(alpha).all() and alpha.min(initial=1.0) >= SMALLEST_ALPHA):
        raise InputError(
            say(
                "{alpha} must be finite and at least {least:g} for every topic.",
                least=SMALLEST_ALPHA,
            )
        )
    return alpha
