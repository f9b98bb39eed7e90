"""Who has which documents: parties of given sizes, or those that there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chatham.corpus.splitting import rows_by_value, split_rows

Rows = NDArray[np.int64]
Mix = tuple[tuple[float, int], ...]

MIX: Mix = ((0.005, 8), (0.01, 6), (0.02, 5), (0.05, 4), (0.1, 3), (0.3, 1))
"""Shares of all documents, and how many parties have that share: 27 parties that have all."""
HELD_OUT = 0.2
"""Of a party's documents; of its users' ratings."""


@dataclass(frozen=True, eq=False)
class Member:
    """A party: the documents that it learns from, and those that it holds out."""

    name: str
    share: float
    """Of all documents."""
    train: Rows
    test: Rows

    @property
    def rows(self) -> Rows:
        """All its documents."""
        return np.concatenate([self.train, self.test])


def of_sizes(n: int, mix: Mix, seed: int) -> list[Member]:
    """Documents dealt at random to parties of these shares.

    >>> [len(member.rows) for member in of_sizes(100, ((0.1, 2), (0.8, 1)), 0)]
    [10, 10, 80]
    """
    shares = [share for share, times in mix for _ in range(times)]
    ends = np.round(np.cumsum(shares) * n).astype(int)
    parts = np.split(_shuffled(n, seed), ends)[: len(shares)]
    return [
        _member(f"party {number}", share, part, seed)
        for number, (share, part) in enumerate(zip(shares, parts, strict=True), start=1)
    ]


def natural(owners: Sequence[object], seed: int) -> list[Member]:
    """Everybody with their own documents, those with most first."""
    groups = sorted(rows_by_value(owners).items(), key=lambda group: -len(group[1]))
    return [_member(name, len(rows) / len(owners), rows, seed) for name, rows in groups]


def shuffled(members: Sequence[Member], seed: int) -> list[Member]:
    """Parties of the same names and sizes, whose documents are dealt at random."""
    every = np.sort(np.concatenate([member.rows for member in members]))
    order = every[_shuffled(len(every), seed)]
    parts = np.split(order, np.cumsum([len(member.rows) for member in members])[:-1])
    return [
        _member(member.name, member.share, part, seed)
        for member, part in zip(members, parts, strict=True)
    ]


def _member(name: str, share: float, rows: Rows, seed: int) -> Member:
    train, test = split_rows(len(rows), HELD_OUT, seed)
    return Member(name, share, np.sort(rows[train]), np.sort(rows[test]))


def _shuffled(n: int, seed: int) -> Rows:
    return np.random.default_rng([seed, n]).permutation(n)
