"""What each holder does for a vocabulary; what it returns is added up, and only sums are seen.

A holder keeps in its memory which of its words are open (neither agreed on nor out) and, for the
current pass, their buckets and fingerprints, and which word it offers in each bucket.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np

from chatham.commons import Memory
from chatham.corpus.word_codes import LETTERS, Numbers, flags_at, hashes_of, letters_of
from chatham.corpus.word_table import WordTable
from chatham.errors import InputError


def begin(table: WordTable, memory: Memory, rules: Mapping[str, Any]) -> tuple[Numbers, Numbers]:
    """My eight numbers of the group's secret, and how many words I offer."""
    # The rules take no part here, but parties that don't have the same find out by their hash.
    if not isinstance(table, WordTable):
        raise InputError("A vocabulary is agreed on over offered words; make them: offered_words.")
    memory["open"] = np.arange(len(table.words))
    # The same in each run of a session, so that rounds can be replayed; nobody else knows it.
    key = memory.secret or sha256(b"chatham holder %d" % memory.index).digest()
    secret = hmac.digest(key, b"chatham vocabulary secret", "sha256")
    return np.frombuffer(secret, ">u4").astype(np.int64), np.array([len(table.words)])


def count_offers(table: WordTable, memory: Memory, key: bytes, buckets: int) -> Numbers:
    """For each bucket of the words' keyed hashes, whether I offer a word in it."""
    open_ = memory["open"]
    found, memory["fingerprints"] = hashes_of((table.words[i] for i in open_), key, buckets)
    # Of several words in a bucket the most frequent is offered; the others wait for another pass.
    order = np.lexsort((open_, -table.frequencies[open_]))
    memory["offered"], first = np.unique(found[order], return_index=True)
    memory["buckets"], memory["chosen"] = found, order[first]
    return flags_at(memory["offered"], buckets, memory.holders)


def compare(table: WordTable, memory: Memory, full: Numbers) -> tuple[Numbers, Numbers]:
    """For each bucket in which enough parties offer a word: its fingerprint, and its documents."""
    places, chosen = _mine(memory, full)
    fingerprints, documents = np.zeros((2, len(full)), dtype=np.int64)
    fingerprints[places] = memory["fingerprints"][chosen]
    documents[places] = table.frequencies[memory["open"][chosen]]
    return fingerprints, documents


def send_words(
    table: WordTable, memory: Memory, full: Numbers, expected: Numbers
) -> tuple[Numbers, Numbers]:
    """The letters of words that all who offer one in a bucket have; how many of mine are open."""
    places, chosen = _mine(memory, full)
    open_ = memory["open"]
    agreed = memory["fingerprints"][chosen] == expected[places]
    letters = np.zeros((len(full), LETTERS), dtype=np.int64)
    for place, word in zip(places[agreed], open_[chosen[agreed]], strict=True):
        letters[place] = letters_of(table.words[word])
    still = np.isin(memory["buckets"], full)
    still[chosen[agreed]] = False
    memory["open"] = open_[still]
    return letters[expected >= 0], np.array([still.sum()])


def count_listed(table: WordTable, memory: Memory, words: tuple[str, ...]) -> Numbers:
    """In how many of my documents each word of a public list is."""
    mine = dict(zip(table.words, table.frequencies.tolist(), strict=True))
    return np.array([mine.get(word, 0) for word in words], dtype=np.int64)


def _mine(memory: Memory, full: Numbers) -> tuple[Numbers, Numbers]:
    """At which of these buckets I offer a word, and which of my open words that is."""
    _, places, which = np.intersect1d(full, memory["offered"], True, return_indices=True)
    return places, memory["chosen"][which]
