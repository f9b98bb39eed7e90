"""Agree on names of groups, or on spans of time: those that several parties have documents of.

They are agreed as words are, so that a name which one party alone offers is never spelt out; in
the ledger these sums say that they are about names. How many documents a party has of each doesn't
cross: every offer says as many as a party needs to make one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from chatham.commons import Commons, Memory, keeps
from chatham.federation.words.agreeing import (
    Steps,
    all_passes,
    begin,
    compare,
    count_offers,
    send_words,
)
from chatham.federation.words.codes import Numbers, can_travel
from chatham.federation.words.rules import VocabularyRules
from chatham.federation.words.table import WordTable

TWO = VocabularyRules(min_parties=2, min_df=1)


def offered_names(names: Sequence[str], documents: int) -> WordTable:
    """The offer of a party that has so many documents of each of these names, or more."""
    offered = sorted(filter(can_travel, names))
    return WordTable(offered, np.full(len(offered), documents, dtype=np.int64))


def agree_names(commons: Commons, most: int) -> list[str]:
    """The names that two holders offer, at most so many: those of most holders.

    >>> from chatham.commons import Simulated
    >>> offers = [["sport", "north"], ["sport", "south"], ["sport", "south"]]
    >>> agree_names(Simulated([offered_names(each, 30) for each in offers]), 10)
    ['south', 'sport']
    """
    with commons.fitting():
        agreed, _ = all_passes(commons, TWO, 1.0, NAMES)
    ranked = sorted(agreed, key=lambda name: (-agreed[name][0], name))
    return sorted(ranked[:most])


@keeps(**begin.keeps)  # type: ignore[attr-defined]
def begin_names(
    table: WordTable, memory: Memory, rules: Mapping[str, Any]
) -> tuple[Numbers, Numbers]:
    """My eight numbers towards a secret to agree on spans or groups; how many of them I offer."""
    return begin(table, memory, rules)


@keeps(**count_offers.keeps)  # type: ignore[attr-defined]
def count_offers_of_names(table: WordTable, memory: Memory, key: bytes, buckets: int) -> Numbers:
    """For each bucket of keyed hashes, whether I have 30 documents of a span or group in it."""
    return count_offers(table, memory, key, buckets)


def compare_names(table: WordTable, memory: Memory, full: Numbers) -> tuple[Numbers, Numbers]:
    """Per bucket with two parties' spans or groups: the fingerprint of mine; 30, for documents."""
    return compare(table, memory, full)


@keeps(**send_words.keeps)  # type: ignore[attr-defined]
def send_names(
    table: WordTable, memory: Memory, full: Numbers, expected: Numbers
) -> tuple[Numbers, Numbers]:
    """The letters of my spans or groups where all in a bucket offer the same; how many are open."""
    return send_words(table, memory, full, expected)


NAMES = Steps(begin_names, count_offers_of_names, compare_names, send_names)
