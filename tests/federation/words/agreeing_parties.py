"""Parties with planted words, and ways to look at what they hand over."""

import numpy as np

from chatham.commons import Recorded, Simulated
from chatham.federation.words import agreeing
from chatham.federation.words.codes import word_of
from chatham.federation.words.table import WordTable

KINDS = {
    "simulated": Simulated,
    "secure": lambda parts: Simulated(parts, secure=True),
    "recorded": lambda parts: Recorded(Simulated(parts)),
}
PLANTED = [
    {"tea": 9, "milk": 5, "čaj": 6, "rum": 40, "ours": 7},
    {"tea": 8, "milk": 6, "yours": 30},
    {"tea": 5, "čaj": 12, "rum": 5, "theirs": 5},
]


def table(frequencies, documents=0):
    counted = np.array(list(frequencies.values()), dtype=np.int64)
    return WordTable(list(frequencies), counted, documents)


def tables(parts, documents=0):
    return [table(part, documents) for part in parts]


def by_the_plain_rule(parts, min_parties=2, min_df=5, max_df=float("inf")):
    """Each word that enters, with its parties and documents, computed in the open."""
    words = {word for part in parts for word in part}
    offers = {word: [part[word] for part in parts if word in part] for word in words}
    return {
        word: (len(found), sum(found))
        for word, found in offers.items()
        if len(found) >= min_parties and min_df <= sum(found) <= max_df
    }


def as_dict(agreed):
    told = zip(agreed.parties.tolist(), agreed.document_frequencies.tolist(), strict=True)
    return dict(zip(agreed.words.tolist(), told, strict=True))


class Spied(Simulated):
    """Keeps all that each holder hands over, before it is added to others'."""

    def __init__(self, parts, **more):
        super().__init__(parts, **more)
        self.seen = []

    def _run(self, step, rows, memory, shared):
        parts, is_tuple = super()._run(step, rows, memory, shared)
        self.seen += [(step.__name__, memory.index, number, p) for number, p in enumerate(parts)]
        return parts, is_tuple

    def of(self, step, number=0):
        """A step's arrays, in the order in which they were handed over."""
        return [part for name, _, n, part in self.seen if (name, n) == (step, number)]

    def spelt(self):
        """All words that ever left a holder."""
        return {word_of(row) for part in self.of("send_words") for row in part} - {""}


def with_buckets(monkeypatch, buckets):
    monkeypatch.setattr(agreeing, "FEWEST_BUCKETS", buckets)
    monkeypatch.setattr(agreeing, "MOST_BUCKETS", buckets)


class Altered(Simulated):
    """Adds something to one array of one step's total."""

    def __init__(self, parts, step, number, change):
        super().__init__(parts)
        self.step, self.number, self.change = step, number, change

    def _total(self, step, shared, precision):
        total = super()._total(step, shared, precision)
        if step.__name__ == self.step:
            arrays = total if isinstance(total, tuple) else (total,)
            arrays[self.number].flat[0] += self.change
        return total
