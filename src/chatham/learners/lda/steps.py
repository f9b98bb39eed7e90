"""What LDA does where the rows are: draw the topics of tokens, and count them.

Each token's topic stays where its document is. What crosses is how often words have topics, and
sums over documents from which the priors are learned.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Memory, keeps
from chatham.errors import InputError
from chatham.learners.documents import Documents, counts_of, own_seed
from chatham.learners.lda.gibbs import draw_start, tokens_of
from chatham.learners.lda.sampler import ByWord, Sampler, redraw
from chatham.numerics.keyed import GOLDEN
from chatham.numerics.products import sums_by

Array = NDArray[np.float64]

EXACT = 2**24
"""Up to here every whole number is a float32."""

_ODD = np.uint64(0xD1B54A32D192ED03)
"""Not the step from sweep to sweep, or a duplicate would repeat the original's last sweep."""


class Tally(NamedTuple):
    """Sums over documents after a sweep; n is the number of a document's tokens with each topic."""

    prior_terms: Array
    """Σ ψ(n_t + α_t) − ψ(α_t) for each topic."""
    prior_term: Array
    """Σ ψ(Σn + Σα) − ψ(Σα)."""
    log_likelihood: Array
    """log p(z | α)."""
    weights: Array
    """The sum of the mean weights (n_t + α_t) / (Σn + Σα) of eq. 1.17, for each topic."""


def count_words(rows: Any, memory: Memory) -> Array:
    """How often each word occurs."""
    documents = counts_of(rows, memory)
    return sums_by(documents.indices, documents.data, documents.d)


def checked_size(by_word: Array) -> float:
    """The number of tokens; refuse a word too frequent for single precision to count exactly."""
    if by_word.max() >= EXACT:
        raise InputError(
            f"Word {int(by_word.argmax())} occurs {by_word.max():.0f} times; LDA counts up to "
            f"{EXACT:,}. Leave such a frequent word out, or scale the counts down."
        )
    return float(by_word.sum())


@keeps(
    keys="each document's key for its own randomness",
    assignments="the topic of each token",
)
def count_start(
    rows: Any, memory: Memory, k: int, shards: int, seed: int, topics: Array, alpha: Array
) -> ByWord:
    """How often each word (row) was given each topic (column), at random or by the given topics."""
    documents = counts_of(rows, memory)
    memory["keys"] = document_keys(documents, own_seed(seed, memory), memory.index)
    tokens = tokens_of(documents, memory["keys"])
    memory["assignments"] = tokens.topics
    draw_start(tokens, k)
    if len(topics):
        redraw(tokens, documents.blocks, topics, alpha)
    return _sampler(rows, memory, k, shards).mine.copy()


@keeps(assignments="the topic of each token, drawn again in place")
def sweep_documents(
    rows: Any,
    memory: Memory,
    total: ByWord,
    alpha: Array,
    beta: Array,
    shards: int,
    number: int,
    tally: bool,
) -> tuple[ByWord, Array, Array, Array, Array]:
    """How often each word has each topic after a sweep; sums over documents for α, log p, weights.

    The sums are those of a `Tally`, or zeros where none is needed.
    """
    k = len(alpha)
    sampler = _sampler(rows, memory, k, shards)
    sampler.sweep(total, alpha, beta, number)
    sums = sampler.tally(alpha) if tally else np.zeros(2 * k + 2)
    return sampler.mine.copy(), *tally_of(sums, k)


def tally_of(sums: Array, k: int) -> Tally:
    """The sums that the kernel returns end to end."""
    terms, term, chance, weights = np.split(sums, [k, k + 1, k + 2])
    return Tally(terms, term.reshape(()), chance.reshape(()), weights)


def document_keys(documents: Documents, seed: int, holder: int) -> NDArray[np.uint64]:
    """Each document's key: seed, holder, content, and which of several equal documents it is.

    Documents that shared a key would share their draws, and no longer be independent.
    """
    keys = documents.keys(seed + holder * int(GOLDEN))
    order = np.argsort(keys, kind="stable")
    positions = np.arange(len(keys), dtype=np.uint64)
    is_first = np.concatenate([[True], np.diff(keys[order]) != 0])[: len(keys)]
    occurrences = np.empty(len(keys), dtype=np.uint64)
    occurrences[order] = positions - np.maximum.accumulate(np.where(is_first, positions, 0))
    return keys + occurrences * _ODD


def _sampler(rows: Any, memory: Memory, k: int, shards: int) -> Sampler:
    """My tokens with their topics, in the form that sweeps read; rebuilt from what is kept."""
    kept = memory["keys"], memory["assignments"]
    return memory.derived("sampler", _made_sampler, counts_of(rows, memory), *kept, k, shards)


def _made_sampler(
    documents: Documents,
    keys: NDArray[np.uint64],
    assignments: NDArray[np.int32],
    k: int,
    shards: int,
) -> Sampler:
    tokens = tokens_of(documents, keys, assignments)
    return Sampler(tokens, documents.blocks, documents.d, k, shards)
