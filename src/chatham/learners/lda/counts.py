"""What LDA does where the rows are: draw topics, and count them. The topics never leave."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.commons.fixed_point import bits_for
from chatham.errors import InputError
from chatham.learners.documents import Documents, counts_of, own_seed
from chatham.learners.lda.gibbs import (
    Priors,
    Tokens,
    count_topics,
    counts_from,
    draw_start,
    draw_weights,
    merge_shards,
    priors_of,
    sweep,
    tally_documents,
    tokens_of,
    topic_totals,
)
from chatham.numerics.keyed import GOLDEN
from chatham.numerics.lanes import LANES, aligned, padded, scratch
from chatham.numerics.products import sums_by
from chatham.numerics.threads import blocks, each

Array = NDArray[np.float64]
ByWord = NDArray[np.float32]

MOST_TURNS = 4
"""In how many turns, at most, a sweep is taken: as many as there are shards, and after each turn
every shard learns what the others changed. The more shards, the staler the counts between turns
and the more slowly the first sweeps climb; but each turn costs a pass over all counts."""

FIRST_DRAWS = 2
"""Draws of all tokens from topics to begin from, before the one that is kept."""

WORD_BLOCKS = 8
"""Into how many blocks the words are cut when shards are merged."""

EXACT = 2**24
"""Up to here every whole number is a float32."""

WORD_BITS = 12
"""Fraction bits of the words' counts: few, for a count that is too large has its own refusal."""

_ODD = np.uint64(0xD1B54A32D192ED03)
"""Not the step from sweep to sweep, or a twin would repeat its brother's last sweep."""


def count_words(rows: Any, memory: Memory) -> Array:
    """How often each word occurs."""
    documents = counts_of(rows, memory)
    return sums_by(documents.indices, documents.data, documents.d)


def checked_size(by_word: Array) -> float:
    """How many tokens there are; none of the words so often that single precision miscounts it."""
    if by_word.max() >= EXACT:
        raise InputError(
            f"Word {int(by_word.argmax())} occurs {by_word.max():.0f} times; LDA counts up to "
            f"{EXACT:,}. Leave so frequent a word out, or scale the counts down."
        )
    return float(by_word.sum())


def count_bits(holders: int) -> int:
    """Fraction bits of how often words have topics: none of it reaches `EXACT`."""
    return bits_for(EXACT, holders)


def tally_bits(holders: int, n_documents: int, n_tokens: float, alpha: Array) -> int:
    """Fraction bits of sums over documents: log Γ(n) is below 64 n, and ψ(α) not far below −1/α."""
    whole = 64 * (n_tokens + len(alpha) * n_documents)
    return bits_for(whole + n_documents / float(alpha.min()), holders)


def count_start(
    rows: Any, memory: Memory, k: int, shards: int, seed: int, topics: Array, alpha: Array
) -> ByWord:
    """How often each word (row) was given each topic (column), at random or by the given topics."""
    mine, own = counts_of(rows, memory), own_seed(seed, memory)
    memory["sampler"] = sampler = Sampler(mine, k, shards, own, memory.index)
    if len(topics):
        sampler.begin_from(topics, alpha)
    return sampler.mine.copy()


def sweep_documents(
    rows: Any, memory: Memory, total: ByWord, alpha: Array, beta: Array, number: int, tally: bool
) -> tuple[ByWord, Array]:
    """How often each word has each topic after a sweep; sums over documents for α, log p, weights.

    The second array is that of `gibbs.tally_documents`, or zeros where no tally is asked for.
    """
    sampler: Sampler = memory["sampler"]
    sampler.sweep(total, alpha, beta, number)
    sums = sampler.tally(alpha) if tally else np.zeros(2 * len(alpha) + 2)
    return sampler.mine.copy(), sums


class Sampler:
    """A holder's tokens with their topics, and its share of the counts by word: `mine` (d × k)."""

    def __init__(self, documents: Documents, k: int, shards: int, seed: int, holder: int) -> None:
        self.d, self.k, self.width = documents.d, k, padded(k)
        self.tokens: Tokens = tokens_of(documents, document_keys(documents, seed, holder))
        # Cut by tokens, and by the data alone: the number of threads changes nothing.
        cuts = blocks(self.tokens.starts[self.tokens.indptr], shards * min(shards, MOST_TURNS))
        self.turns = [cuts[first : first + shards] for first in range(0, len(cuts), shards)]
        self.live = aligned(shards, self.d, self.width)
        self.documents, self.words = documents.blocks, blocks(np.arange(self.d + 1), WORD_BLOCKS)
        draw_start(self.tokens, k)
        self.mine: ByWord = self._count()

    def begin_from(self, topics: Array, alpha: Array) -> None:
        """Draw every token anew, some times over, as if these were the topics."""
        by_word = aligned(self.d, self.width)
        by_word[:, : self.k] = topics.T
        prior = priors_of(alpha, 0.0, self.width).alpha
        unread = np.zeros((len(self.tokens.keys), self.k))

        def draw(block: tuple[int, int]) -> None:
            room = aligned(3, self.width + LANES)
            draw_weights(
                self.tokens, *block, by_word.reshape(-1), prior, FIRST_DRAWS, 1, room, unread
            )

        each(draw, self.documents)
        self.mine = self._count()

    def sweep(self, total: ByWord, alpha: Array, beta: Array, number: int) -> None:
        """Draw every token anew, each shard against the last `total` and its own changes since."""
        priors, total = priors_of(alpha, beta, self.width), total.astype(np.float32)
        for turn in self.turns:
            self._take_turn(turn, total, priors, number)
        if len(self.tokens.weights):
            self.mine = self._count()  # sums of fractions round, so they are taken afresh

    def tally(self, alpha: Array) -> Array:
        """Sums over this holder's documents, added in a fixed order."""

        def tally_block(block: tuple[int, int]) -> Array:
            return np.asarray(tally_documents(self.tokens, *block, alpha))

        nothing = np.zeros(2 * self.k + 2)
        return np.sum([nothing, *each(tally_block, self.documents)], axis=0)

    def _take_turn(
        self, turn: list[tuple[int, int]], total: ByWord, priors: Priors, number: int
    ) -> None:
        """Sweep one range of documents a shard side by side; then tell `mine` and `total`."""
        totals, beta_sum = topic_totals(total), priors.beta.sum(dtype=np.float64)

        def sweep_shard(shard: int) -> None:
            live = self.live[shard]
            live[:, : self.k] = total
            counts = counts_from(live, totals, beta_sum)
            room = aligned(self.width), scratch(self.width)
            sweep(self.tokens, *turn[shard], number, counts, priors, *room)

        def merge(words: tuple[int, int]) -> None:
            merge_shards(self.live[: len(turn)], self.mine, total, *words)

        each(sweep_shard, range(len(turn)))
        each(merge, self.words)

    def _count(self) -> ByWord:
        return np.asarray(count_topics(self.tokens, self.d, self.k), dtype=np.float32)


def document_keys(documents: Documents, seed: int, holder: int) -> NDArray[np.uint64]:
    """Each document's key: seed, holder, content, and which of several equal documents it is.

    Documents that shared a key would share their draws, and no longer be independent.
    """
    keys = documents.keys(seed + holder * int(GOLDEN))
    order = np.argsort(keys, kind="stable")
    places = np.arange(len(keys), dtype=np.uint64)
    is_first = np.concatenate([[True], np.diff(keys[order]) != 0])[: len(keys)]
    occurrences = np.empty(len(keys), dtype=np.uint64)
    occurrences[order] = places - np.maximum.accumulate(np.where(is_first, places, 0))
    return keys + occurrences * _ODD
