"""A holder's tokens, swept by parallel shards in turns: the sampler of Algorithm 4."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chatham.learners.lda.gibbs import (
    Priors,
    Tokens,
    count_topics,
    counts_from,
    draw_weights,
    merge_shards,
    priors_of,
    sweep,
    tally_documents,
    topic_totals,
)
from chatham.numerics.lanes import LANES, aligned, padded, scratch
from chatham.numerics.threads import blocks, each

Array = NDArray[np.float64]
ByWord = NDArray[np.float32]
Block = tuple[int, int]

MOST_TURNS = 4
"""The maximum number of turns in a sweep: one per shard up to this, and after each turn every shard
learns what the others changed. The more shards, the staler the counts between turns and the slower
the first sweeps converge; but each turn costs a pass over all counts."""

FIRST_DRAWS = 2
"""Draws of all tokens from given starting topics, before the one that is kept."""
BEFORE_SWEEPS = 2**40
"""Where the random numbers of these draws begin: at those of sweeps that nobody will live to see.
With those of the first sweeps, which draw again, the chain would start with what it has drawn."""

WORD_BLOCKS = 8
"""The number of blocks of words in which shards are merged."""


class Sampler:
    """A holder's tokens with their topics, and its share of the counts by word: `mine` (d × k)."""

    def __init__(
        self, tokens: Tokens, documents: Sequence[Block], d: int, k: int, shards: int
    ) -> None:
        self.tokens, self.documents = tokens, documents
        self.d, self.k, self.width = d, k, padded(k)
        # Cut by tokens, and by the data alone: the number of threads changes nothing.
        cuts = blocks(tokens.starts[tokens.indptr], shards * min(shards, MOST_TURNS))
        self.turns = [cuts[first : first + shards] for first in range(0, len(cuts), shards)]
        self.live = aligned(shards, d, self.width)
        self.words = blocks(np.arange(d + 1), WORD_BLOCKS)
        self.mine: ByWord = self._count()

    def sweep(self, total: ByWord, alpha: Array, beta: Array, number: int) -> None:
        """Resample every token, each shard against the last `total` and its own changes since."""
        priors, total = priors_of(alpha, beta, self.width), total.astype(np.float32)
        for turn in self.turns:
            self._take_turn(turn, total, priors, number)
        if len(self.tokens.weights):
            self.mine = self._count()  # sums of fractions round, so they are computed again

    def tally(self, alpha: Array) -> Array:
        """Sums over this holder's documents, added in a fixed order."""

        def tally_block(block: Block) -> Array:
            return np.asarray(tally_documents(self.tokens, *block, alpha))

        nothing = np.zeros(2 * self.k + 2)
        return np.sum([nothing, *each(tally_block, self.documents)], axis=0)

    def _take_turn(self, turn: list[Block], total: ByWord, priors: Priors, number: int) -> None:
        """Sweep one range of documents per shard in parallel; then update `mine` and `total`."""
        totals, beta_sum = topic_totals(total), priors.beta.sum(dtype=np.float64)

        def sweep_shard(shard: int) -> None:
            live = self.live[shard]
            live[:, : self.k] = total
            counts = counts_from(live, totals, beta_sum)
            room = aligned(self.width), scratch(self.width)
            sweep(self.tokens, *turn[shard], number, counts, priors, *room)

        def merge(words: Block) -> None:
            merge_shards(self.live[: len(turn)], self.mine, total, *words)

        each(sweep_shard, range(len(turn)))
        each(merge, self.words)

    def _count(self) -> ByWord:
        return np.asarray(count_topics(self.tokens, self.d, self.k), dtype=np.float32)


def redraw(tokens: Tokens, documents: Sequence[Block], topics: Array, alpha: Array) -> None:
    """Draw every token's topic several times, as if these were the topics."""
    draw_from(tokens, documents, topics, alpha, FIRST_DRAWS, 1, BEFORE_SWEEPS)


def draw_from(
    tokens: Tokens,
    documents: Sequence[Block],
    topics: Array,
    alpha: Array,
    burn_in: int,
    samples: int,
    numbered: int = 0,
) -> Array:
    """Draw every token's topic with these topics fixed; each document's mean weights (eq. 1.17)."""
    k, d = topics.shape
    width = padded(k)
    by_word = aligned(d, width)
    by_word[:, :k] = topics.T
    prior = priors_of(alpha, 0.0, width).alpha
    weights = np.zeros((len(tokens.keys), k))

    def draw(block: Block) -> None:
        room, draws = aligned(3, width + LANES), (burn_in, samples)
        draw_weights(tokens, *block, by_word.reshape(-1), prior, *draws, room, weights, numbered)

    each(draw, documents)
    return weights
