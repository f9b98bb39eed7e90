"""The history of a model that grows by slices: what became of each topic in each of them.

A slice is a part of a corpus that came at one time, such as a month. Each update of a model adds
one row to its history, and never changes an earlier one: the share that each topic had of the
slice, and whether the slice has the topic at all. A number is given once. All events follow from
this:

- *born*: the first slice with a topic that got a new number; if it split off from another topic,
  that one *split*;
- *died*: the slice before had the topic, and this one hasn't; or it *merged* into another. In later
  slices it is *gone*, until one has it again: it is *back*;
- *grew*, *shrank*: the slice and the one before have it, and its share is at least `GREW` times as
  large or as small, and differs by at least `CHANGED`.

A history that is read from a file may be anybody's: one that no updates give is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.naming import is_name

if TYPE_CHECKING:
    import pandas as pd

GREW = 1.5
"""A topic grew, or shrank, if its share is at least so many times as large, or as small,"""
CHANGED = 0.01
"""and differs by at least this, of all words of the slice."""

MOST_SLICES = 1_000
MOST_NUMBER = 1 << 50
HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Slice:
    """One part of the corpus: its name, its size, and hashes of its documents and its summary."""

    name: str
    documents: int
    tokens: float
    digest: str
    """SHA-256 of the documents, by which the same ones are recognised; none follows from it."""
    summary: str
    """SHA-256 of the summary that the model keeps of it."""
    goes: tuple[int, ...]
    """The number with which each topic of that summary goes on."""
    has: tuple[int, ...]
    """The topics that it has, in order."""
    shares: tuple[float, ...]
    """The share of each topic that has a number by then; they sum to one."""
    split: tuple[tuple[int, int], ...] = ()
    """Pairs of a topic that is new here and the topic that it split off from."""
    merged: tuple[tuple[int, int], ...] = ()
    """Pairs of a topic that ends here and the topic that it merged into."""


@dataclass(frozen=True, eq=False)
class History:
    """The slices of a model in the order in which they came."""

    slices: tuple[Slice, ...]

    def __post_init__(self) -> None:
        """Refuse what no updates give."""
        _check(self.slices)

    @property
    def n_topics(self) -> int:
        """How many topics have a number."""
        return len(self.slices[-1].shares)

    @property
    def names(self) -> list[str]:
        """What the slices are called."""
        return [each.name for each in self.slices]

    @cached_property
    def born(self) -> NDArray[np.int64]:
        """In which slice each topic got its number."""
        sizes = [0, *(len(each.shares) for each in self.slices)]
        return np.repeat(np.arange(len(self.slices)), np.diff(sizes))

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Each topic's share of each slice (slices × topics); zero before it was born."""
        shares = np.zeros((len(self.slices), self.n_topics))
        for row, each in zip(shares, self.slices, strict=True):
            row[: len(each.shares)] = each.shares
        return shares

    @cached_property
    def has(self) -> NDArray[np.bool_]:
        """Which slice has which topic (slices × topics)."""
        has = np.zeros((len(self.slices), self.n_topics), dtype=bool)
        for row, each in zip(has, self.slices, strict=True):
            row[list(each.has)] = True
        return has

    def since(self, topic: int) -> int:
        """The slice from which on a topic is what it is: the last in which another split off."""
        split = [
            number
            for number, each in enumerate(self.slices)
            if any(parent == topic for _, parent in each.split)
        ]
        return max(split, default=0)

    @property
    def living(self) -> list[int]:
        """The topics that the newest slice has."""
        return list(self.slices[-1].has)

    def event(self, number: int, topic: int) -> tuple[str, tuple[int, ...]]:
        """What happened to a topic in a slice, and which other topics had to do with it."""
        here = self.slices[number]
        children = tuple(child for child, parent in here.split if parent == topic)
        if number == 0:
            return "", ()
        if self.born[topic] == number:
            return "born", tuple(parent for child, parent in here.split if child == topic)
        if not self.has[number, topic]:
            into = tuple(other for ended, other in here.merged if ended == topic)
            if self.has[number - 1, topic]:
                return ("merged", into) if into else ("died", ())
            return "gone", ()
        if children:
            return "split", children
        if not self.has[number - 1, topic]:
            return "back", ()
        return _changed(*self.shares[[number - 1, number], topic].tolist()), ()

    def table(self) -> pd.DataFrame:
        """A row for each slice and each topic that has a number by then: slice, topic, share,
        event, others."""
        import pandas as pd

        rows = [
            (each.name, topic, share, *self.event(number, topic))
            for number, each in enumerate(self.slices)
            for topic, share in enumerate(each.shares)
        ]
        return pd.DataFrame(rows, columns=["slice", "topic", "share", "event", "others"])

    def slice_table(self) -> pd.DataFrame:
        """A row for each slice: slice, documents, tokens, topics (how many it has)."""
        import pandas as pd

        rows = [(each.name, each.documents, each.tokens, len(each.has)) for each in self.slices]
        return pd.DataFrame(rows, columns=["slice", "documents", "tokens", "topics"])

    def sentences(self, number: int = -1) -> list[str]:
        """What happened in a slice, by default the newest, in sentences."""
        number %= len(self.slices)
        told: dict[str, list[str]] = {}
        for topic in range(len(self.slices[number].shares)):
            event, others = self.event(number, topic)
            if event == "born":
                told.setdefault("born" if not others else f"split off from {others[0]}", []).append(
                    str(topic)
                )
            elif event == "merged":
                told.setdefault(f"merged into {others[0]}", []).append(str(topic))
            elif event in ("died", "back", "grew", "shrank"):
                told.setdefault(event, []).append(str(topic))
        name = self.slices[number].name
        return [
            f"{name}: {'topic' if len(topics) == 1 else 'topics'} {', '.join(topics)} {event}."
            for event, topics in told.items()
        ]

    def to_list(self) -> list[dict[str, Any]]:
        """As a model's description holds it."""
        return [
            {
                "name": each.name,
                "documents": each.documents,
                "tokens": each.tokens,
                "digest": each.digest,
                "summary": each.summary,
                "goes": list(each.goes),
                "has": list(each.has),
                "shares": list(each.shares),
                "split": [list(pair) for pair in each.split],
                "merged": [list(pair) for pair in each.merged],
            }
            for each in self.slices
        ]

    @classmethod
    def from_list(cls, described: Any) -> History:
        """Read what `to_list` wrote, or anything else that a file may hold."""
        if not isinstance(described, list) or not all(isinstance(s, dict) for s in described):
            raise InputError("its history is not a list of slices.")
        return cls(tuple(map(_slice, described)))


def _changed(before: float, now: float) -> str:
    """Rounded, so that the last bit decides nothing."""
    if round(abs(now - before), 9) < CHANGED:
        return ""
    return (
        "grew"
        if round(now, 9) >= round(GREW * before, 9)
        else "shrank"
        if round(before, 9) >= round(GREW * now, 9)
        else ""
    )


# A history from a file


FIELDS = frozenset(Slice.__dataclass_fields__)


def _slice(described: Mapping[str, Any]) -> Slice:
    if set(described) != FIELDS:
        wrong = sorted(map(str, FIELDS ^ set(described)))[0]
        raise InputError(f"a slice of its history lacks {wrong[:40]!r}, or must not have it.")
    goes, numbers, shares = (described[name] for name in ("goes", "has", "shares"))
    pairs = {name: described[name] for name in ("split", "merged")}
    if not _are(goes, int) or not _are(numbers, int) or not _are(shares, float):
        raise InputError("a slice of its history has other things than topics and their shares.")
    if not all(map(_are_pairs, pairs.values())):
        raise InputError("what split and merged in its history isn't told in pairs of topics.")
    whole: dict[str, Any] = {name: tuple(map(tuple, value)) for name, value in pairs.items()}
    rest = {name: described[name] for name in ("name", "documents", "tokens", "digest", "summary")}
    return Slice(**rest, goes=tuple(goes), has=tuple(numbers), shares=tuple(shares), **whole)


def _are_pairs(values: Any) -> bool:
    return isinstance(values, list) and all(_are(pair, int) and len(pair) == 2 for pair in values)


def _are(values: Any, kind: type) -> bool:
    return isinstance(values, list) and all(type(value) is kind for value in values)


def _check(slices: Sequence[Slice]) -> None:
    if not 0 < len(slices) <= MOST_SLICES:
        raise InputError(
            f"A history has from 1 to {MOST_SLICES:,} slices; this one has {len(slices):,}."
        )
    names = [each.name for each in slices]
    if not all(map(is_name, names)) or len(set(names)) < len(names):
        raise InputError(
            "Each slice of a history has a name of its own, of 1 to 60 letters, digits, blanks or "
            "characters such as . , & ' -, without a blank at its beginning or end."
        )
    before: Slice | None = None
    for each in slices:
        _check_size(each)
        _check_topics(each, before)
        _check_pairs(each, before)
        before = each


def _check_size(each: Slice) -> None:
    counted = type(each.documents) is int and 1 <= each.documents < MOST_NUMBER
    if not counted or type(each.tokens) is not float or not 0 < each.tokens < MOST_NUMBER:
        raise InputError("A slice of a history has at least one document, and one word.")
    for value in (each.digest, each.summary):
        if not isinstance(value, str) or HASH.fullmatch(value) is None:
            raise InputError("A slice of a history must have the hashes of what it was made from.")


def _check_topics(each: Slice, before: Slice | None) -> None:
    k, old = len(each.shares), 0 if before is None else len(before.shares)
    if not old <= k or not k:
        raise InputError("A history loses topics: a number is given once, and stays.")
    if not all(0.0 <= share <= 1.0 for share in each.shares) or (
        abs(sum(each.shares) - 1.0) > 1e-6
    ):
        raise InputError("The shares of a slice in a history don't sum to one.")
    has = list(each.has)
    if not has or has != sorted(set(has)) or not 0 <= has[0] <= has[-1] < k:
        raise InputError("A slice of a history must name the topics that it has, each once.")
    if not set(has) <= set(each.goes) <= set(range(k)):
        raise InputError("A slice of a history must say which topic goes on as each that it has.")
    if before is not None and not set(range(old, k)) <= set(has):
        raise InputError("A slice of a history gives a number to a topic that it doesn't have.")
    if any(each.shares[topic] <= 0 for topic in has):
        raise InputError("A slice of a history has a topic without a share of it.")


def _check_pairs(each: Slice, before: Slice | None) -> None:
    if before is None:
        if each.split or each.merged:
            raise InputError("Nothing can split or merge in the first slice of a history.")
        return
    k, old = len(each.shares), len(before.shares)
    for pairs in (each.split, each.merged):
        firsts = [first for first, _ in pairs]
        if firsts != sorted(set(firsts)):
            raise InputError("A topic splits off, or merges, only once in a slice of a history.")
    if not all(old <= child < k and 0 <= parent < old for child, parent in each.split) or not {
        parent for _, parent in each.split
    } <= set(each.has):
        raise InputError("In a history a new topic splits off from one that is there already.")
    ended = {topic for topic, _ in each.merged}
    if not ended <= set(before.has) - set(each.has) or not {into for _, into in each.merged} <= set(
        each.has
    ):
        raise InputError("In a history a topic that ends merges into one that the same slice has.")
