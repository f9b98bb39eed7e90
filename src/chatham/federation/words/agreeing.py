"""Agree on a vocabulary: the words that several parties have, and none that only one has.

Parties can't fit a model before their columns mean the same words. So they add up, over buckets of
a keyed hash, how many of them offer a word (`count_offers`); where enough do, fingerprints show
whether it is the same word (`compare`); and only then it is spelt out (`send_words`). These three
rounds are a pass. Different words that fall into the same bucket wait for the next pass, with other
buckets, until no word is open. Then the result is what the plain rule gives: words that at least
`min_parties` parties offer, with at least `min_df` documents between them.

Each round is a step that a holder runs on its own words, and only sums are seen. The holder keeps
in its memory which of its words are open (neither agreed on nor out) and, for the current pass,
their buckets and fingerprints, and which word it offers in each bucket. `docs/vocabulary.md` says
what the protocol reveals to whom.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons, Memory, as_commons, keeps
from chatham.commons.interface import Step
from chatham.corpus.checks import string_array
from chatham.errors import InputError, TotalError
from chatham.federation.session import MOST_PARTIES
from chatham.federation.words.codes import (
    LETTERS,
    Numbers,
    flags_at,
    flags_counted,
    hashes_of,
    letters_of,
    word_of,
)
from chatham.federation.words.rules import Limit, VocabularyRules
from chatham.federation.words.table import WordTable
from chatham.naming import plural
from chatham.wording import say

PASSES = 8
"""Each leaves at most a few hundredths of the open words open, so this many are hardly needed."""
ROOM = 32
"""Buckets per offered word, so that few words collide."""
FEWEST_BUCKETS, MOST_BUCKETS = 2**10, 2**22

Agreed = dict[str, tuple[int, int]]
"""Words, each with how many parties offer it and in how many of their documents it occurs."""


@dataclass(frozen=True, eq=False, repr=False)
class AgreedVocabulary:
    """Words in sorted order, the same at every party."""

    words: NDArray[np.str_]
    document_frequencies: Numbers | None = None
    """Documents that contain the word, at the parties that offer it; None if nobody counted."""
    parties: Numbers | None = None
    """How many parties offer the word; None for a public list."""
    unresolved: int = 0
    """Offers that collided with others in every pass and were given up; usually none."""

    @property
    def hash(self) -> bytes:
        """A hash of these words, in this order: `Party(..., about=vocabulary.hash)`."""
        parts = (word.encode() for word in self.words.tolist())
        framed = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
        return sha256(b"chatham vocabulary" + framed).digest()

    def __len__(self) -> int:
        """Count the words."""
        return len(self.words)

    def __repr__(self) -> str:
        """The number of words, in one line."""
        return f"AgreedVocabulary({plural(len(self), 'word')})"


def agree_vocabulary(
    commons: Commons | Any,
    *,
    min_parties: int = 2,
    min_df: Limit = 5,
    max_df: Limit | None = None,
    max_features: int | None = None,
    words: Sequence[str] | None = None,
    policy: Mapping[str, Any] | None = None,
) -> AgreedVocabulary:
    """The words of a commons whose rows are offered words (see `offered_words`).

    `min_df` and `max_df` are numbers of documents, or shares of all documents of all parties
    (0.5), which are then counted in a round of their own; a word's documents are those of the
    parties that offer it. `max_features` keeps the words with the highest document frequency. With
    `words`, a public list, no word crosses: those that occur in `min_df` documents are the
    vocabulary, since a word that hardly anyone has would expose a party that has it in every later
    sum. `policy` is the same as a table, as in a session's file, and takes precedence over the
    other arguments. A single holder agrees with itself, whatever `min_parties` says. The vocabulary
    may be empty.

    >>> from chatham.commons import Simulated
    >>> from chatham.federation.words.table import WordTable
    >>> mine = WordTable(["milk", "rum", "tea"], np.array([5, 9, 8]))
    >>> yours = WordTable(["milk", "tea"], np.array([6, 7]))
    >>> agreed = agree_vocabulary(Simulated([mine, yours]))
    >>> agreed.words.tolist(), agreed.document_frequencies.tolist()
    (['milk', 'tea'], [11, 15])
    """
    arguments = {
        "min_parties": min_parties, "min_df": min_df, "max_df": max_df,
        "max_features": max_features,
    }  # fmt: skip
    rules = VocabularyRules.of({**arguments, "words": words, **(policy or {})})
    commons = as_commons(commons)
    if rules.words is not None:
        return _of_public_list(commons, rules, rules.words)
    _check_holders(commons.holders, rules)
    with commons.fitting():
        fewest, most = _limits(commons, rules)
        agreed, unresolved = all_passes(commons, rules, fewest, WORDS)
    common = {word: told for word, told in agreed.items() if told[1] <= most}
    return _vocabulary(common, unresolved, rules)


def _limits(commons: Commons, rules: VocabularyRules) -> tuple[float, float]:
    """In how many documents a word must be, and may be; counted only where shares ask for it."""
    documents = int(commons.sum(count_all)[0]) if rules.has_shares else 0
    return rules.limits(documents)


def _of_public_list(
    commons: Commons, rules: VocabularyRules, words: tuple[str, ...]
) -> AgreedVocabulary:
    if not rules.limits_documents:
        return AgreedVocabulary(string_array(list(words), "word"))
    with commons.fitting():
        fewest, most = _limits(commons, rules)
        documents = commons.sum(count_listed, words)
    counted = zip(words, documents.tolist(), strict=True)
    within = [(word, number) for word, number in counted if fewest <= number <= most]
    ranked = sorted(within, key=lambda pair: (-pair[1], pair[0]))
    agreed = dict(sorted(ranked[: rules.max_features]))
    frequencies = np.array(list(agreed.values()), int)
    return AgreedVocabulary(string_array(list(agreed), "word"), frequencies)


def _check_holders(holders: int, rules: VocabularyRules) -> None:
    if holders > MOST_PARTIES:
        raise InputError(f"At most {MOST_PARTIES} parties can agree on a vocabulary: {holders}.")
    if 1 < holders < rules.min_parties:
        raise InputError(
            say(
                "{min_parties} is {value} and only {holders} parties take part: no word can enter, "
                "so lower it.",
                value=rules.min_parties,
                holders=holders,
            )
        )


class Steps(NamedTuple):
    """What a holder computes in a pass; the first lines of their docstrings say what crosses."""

    begin: Step
    count_offers: Step
    compare: Step
    send_words: Step


def all_passes(
    commons: Commons, rules: VocabularyRules, fewest: float, steps: Steps
) -> tuple[Agreed, int]:
    """The words that enough holders offer and enough documents have; how many offers stay open."""
    plain = {name: value for name, value in asdict(rules).items() if name != "max_df" or value}
    numbers, offered = commons.sum(
        steps.begin, plain
    )  # without max_df the same as before there was any
    secret = sha256(b"chatham vocabulary key" + numbers.astype(">i8").tobytes()).digest()
    agreed: Agreed = {}
    unresolved = int(offered[0])
    for pass_ in range(PASSES):
        if unresolved > 0:
            key = hmac.digest(secret, b"pass %d" % pass_, "sha256")
            words, unresolved = _one_pass(
                commons, key, buckets_for(unresolved), rules, fewest, steps
            )
            agreed.update(words)
    return agreed, unresolved


def buckets_for(words: int) -> int:
    """The number of buckets for this many offers: a power of two.

    >>> buckets_for(3), buckets_for(30_000)
    (1024, 1048576)
    """
    enough = 1 << (ROOM * words - 1).bit_length()
    return min(max(enough, FEWEST_BUCKETS), MOST_BUCKETS)


def _one_pass(
    commons: Commons,
    key: bytes,
    buckets: int,
    rules: VocabularyRules,
    fewest: float,
    steps: Steps,
) -> tuple[Agreed, int]:
    """The words agreed on in this pass, and how many offers are open after it.

    A bucket in too few documents is out: each of its words is in no more. One in too many isn't,
    since several words may share it; so common words leave once all is agreed.
    """
    packed = commons.sum(steps.count_offers, key, buckets)
    counts = flags_counted(packed, buckets, commons.holders)
    if counts.max() > commons.holders:
        raise TotalError("More parties offer a word than there are: somebody summed wrongly.")
    full = np.flatnonzero(counts >= min(rules.min_parties, commons.holders))
    if not len(full):
        return {}, 0
    sums, documents = commons.sum(steps.compare, full)
    enough = documents >= fewest
    full, sums, documents = full[enough], sums[enough], documents[enough]
    parties = counts[full]
    # If all offer the same word, the sum is its fingerprint times their number.
    expected = np.where(sums % parties == 0, sums // parties, -1)
    letters, open_ = commons.sum(steps.send_words, full, expected)
    same_word = expected >= 0
    spelt = [_spelt(total, n) for total, n in zip(letters, parties[same_word], strict=True)]
    # Whatever was spelt, it must be the word whose fingerprint was promised.
    right = hashes_of(spelt, key, buckets)[1] == expected[same_word]
    rows = zip(
        spelt, right, parties[same_word].tolist(), documents[same_word].tolist(), strict=True
    )
    return {word: (n, df) for word, is_right, n, df in rows if word and is_right}, int(open_[0])


def _spelt(total: Numbers, parties: int) -> str:
    """The word that all these parties spelt; empty if they didn't spell the same one."""
    return "" if (total % parties).any() else word_of(total // parties)


def _vocabulary(agreed: Agreed, unresolved: int, rules: VocabularyRules) -> AgreedVocabulary:
    ranked = sorted(agreed, key=lambda word: (-agreed[word][1], word))
    words = sorted(ranked[: rules.max_features])
    parties, documents = np.array([agreed[w] for w in words], np.int64).reshape(-1, 2).T
    return AgreedVocabulary(string_array(words, "word"), documents, parties, unresolved)


@keeps(open="which of my words are still to be agreed on")
def begin(table: WordTable, memory: Memory, rules: Mapping[str, Any]) -> tuple[Numbers, Numbers]:
    """My eight numbers towards the group's secret, and how many words I offer."""
    # The rules aren't used here, but if parties' rules differ, the hash of the state shows it.
    if not isinstance(table, WordTable):
        raise InputError("A vocabulary is agreed on over offered words; make them: offered_words.")
    memory["open"] = np.arange(len(table.words))
    # The same in every run of a session, so that rounds can be replayed; nobody else knows it.
    secret = hmac.digest(memory.key, b"chatham vocabulary secret", "sha256")
    return np.frombuffer(secret, ">u4").astype(np.int64), np.array([len(table.words)])


@keeps(
    fingerprints="of my open words, under this pass's key",
    buckets="of my open words",
    offered="the buckets in which I offer a word",
    chosen="which of my open words that is",
)
def count_offers(table: WordTable, memory: Memory, key: bytes, buckets: int) -> Numbers:
    """For each bucket of the words' keyed hashes, whether I offer a word in it."""
    open_ = memory["open"]
    bucket_of, memory["fingerprints"] = hashes_of((table.words[i] for i in open_), key, buckets)
    # Of several words in a bucket the most frequent is offered; the others wait for another pass.
    order = np.lexsort((open_, -table.frequencies[open_]))
    memory["offered"], first = np.unique(bucket_of[order], return_index=True)
    memory["buckets"], memory["chosen"] = bucket_of, order[first]
    return flags_at(memory["offered"], buckets, memory.holders)


def compare(table: WordTable, memory: Memory, full: Numbers) -> tuple[Numbers, Numbers]:
    """Per bucket with enough offers: the fingerprint of my word, and its document frequency."""
    rows, chosen = _mine(memory, full)
    fingerprints, documents = np.zeros((2, len(full)), dtype=np.int64)
    fingerprints[rows] = memory["fingerprints"][chosen]
    documents[rows] = table.frequencies[memory["open"][chosen]]
    return fingerprints, documents


@keeps(open="which of my words are still to be agreed on")
def send_words(
    table: WordTable, memory: Memory, full: Numbers, expected: Numbers
) -> tuple[Numbers, Numbers]:
    """The letters of my words in buckets where all offer the same; how many of mine are open."""
    rows, chosen = _mine(memory, full)
    open_ = memory["open"]
    agreed = memory["fingerprints"][chosen] == expected[rows]
    letters = np.zeros((len(full), LETTERS), dtype=np.int64)
    for row, word in zip(rows[agreed], open_[chosen[agreed]], strict=True):
        letters[row] = letters_of(table.words[word])
    still = np.isin(memory["buckets"], full)
    still[chosen[agreed]] = False
    memory["open"] = open_[still]
    return letters[expected >= 0], np.array([still.sum()])


WORDS = Steps(begin, count_offers, compare, send_words)


def count_all(table: WordTable, memory: Memory) -> Numbers:
    """How many documents I have: limits on words are shares of all parties' documents."""
    if table.documents < table.frequencies.max(initial=0):
        raise InputError("Shares of documents need their number; make the words by offered_words.")
    return np.array([table.documents], dtype=np.int64)


def count_listed(table: WordTable, memory: Memory, words: tuple[str, ...]) -> Numbers:
    """In how many of my documents each word of a public list occurs."""
    mine = dict(zip(table.words, table.frequencies.tolist(), strict=True))
    return np.array([mine.get(word, 0) for word in words], dtype=np.int64)


def _mine(memory: Memory, full: Numbers) -> tuple[Numbers, Numbers]:
    """The rows of those buckets in which I offer a word, and which of my open words that is."""
    _, rows, offers = np.intersect1d(full, memory["offered"], True, return_indices=True)
    return rows, memory["chosen"][offers]
