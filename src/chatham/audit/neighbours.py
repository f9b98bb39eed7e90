"""Neighbours: databases with a document and without it, at random (Algorithm 11; thesis, 3.2).

Whoever has a document asks whether it is in a database. So a design draws databases of which some
have it and some don't, and the mechanism is run on each. Which databases count as neighbours
decides what a result means; every design says it in words.

Both arms have the same number of documents. Algorithm 11 as printed compares X' ∪ {x} with Y of
the size of X': one arm has a row more, and a mechanism that tells no more than its number of
documents, which everybody knows, would be found guilty.

`OneByOne` is Algorithm 11's design: fits for one document at a time. `CoinFlips`, the default, asks
about many documents with the same fits: each enters each database, or not, by a coin of its own.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.naming import plural, shown
from chatham.wording import Parameter, say

Rows = NDArray[np.int64]

AT_A_TIME = 0.05
"""The largest share of a database that the documents in question may make up: more of them, and a
database would no longer be like those that a party has."""
DATABASES, AN_ARM = 400, 200
"""How many databases there are by default: for a group of documents; in an arm (thesis, 3.4)."""
SIMULATORS = {
    "fresh": (
        "One database has the document; the other is drawn anew, with as many documents, from "
        "those that remain without it."
    ),
    "replacement": (
        "One database has the document; the other has a random document in its place, and all "
        "other documents are the same."
    ),
}
"""The two simulators of section 3.2: how the database without the document comes about."""


@dataclass(frozen=True)
class Database:
    """Which documents a database has, and of which documents in question it is a sample."""

    rows: Rows
    """Its documents' positions in the corpus, in ascending order."""
    targets: Rows
    """Which of the design's targets it tells something about."""
    present: NDArray[np.bool_]
    """Which of these it has."""
    seed: int
    """The seed of the mechanism's run on it."""


class Design(Protocol):
    """Databases to run a mechanism on, each of which follows from its number and a seed alone."""

    @property
    def targets(self) -> Rows:
        """The documents in question, as positions in the corpus."""

    @property
    def neighbours(self) -> str:
        """Which databases are neighbours, in words."""

    @property
    def databases(self) -> int:
        """How many databases there are."""

    def database(self, number: int, seed: int) -> Database:
        """One of them."""

    def described(self) -> dict[str, Any]:
        """What it is, in JSON's terms."""


@dataclass(frozen=True)
class CoinFlips:
    """Every target enters each database with probability ½, whatever the others do.

    Targets are dealt into groups of at most 5 % of a database, so that a database never has more of
    them; each group has `databases` databases of its own. The rest of a database is drawn at random
    from documents that aren't in the group. An adversary thus knows neither the other targets nor
    the rest, only how documents are drawn.
    """

    corpus_size: int
    targets: Rows
    size: int
    """The number of documents in a database."""
    databases_of_group: int = DATABASES

    def __post_init__(self) -> None:
        """Refuse what can't be drawn."""
        _check_targets(self.targets, self.corpus_size)
        _check_size(self.size, self.corpus_size, max(len(group) for group in self.groups))
        _check_count("databases_of_group", self.databases_of_group)

    @property
    def groups(self) -> list[Rows]:
        """The targets by group, as positions among the targets; the groups are about equal."""
        at_most = max(int(AT_A_TIME * self.size), 1)
        return np.array_split(np.arange(len(self.targets)), -(-len(self.targets) // at_most))

    @property
    def neighbours(self) -> str:
        """Which databases are neighbours, in words."""
        return (
            "One database has the document; the other has a random document in its place. All "
            f"other documents are random: at most {max(map(len, self.groups))} of {self.size:,} "
            "by a coin each, the rest drawn from the corpus."
        )

    @property
    def databases(self) -> int:
        """How many databases there are, over all groups."""
        return self.databases_of_group * len(self.groups)

    def database(self, number: int, seed: int) -> Database:
        """One database of the group that its number belongs to."""
        group = self.groups[number // self.databases_of_group]
        draws = generator(seed, number)
        present = draws.random(len(group)) < 0.5
        chosen = self.targets[group][present]
        rest = drawn_without(draws, self.corpus_size, self.targets[group], self.size - len(chosen))
        rows = np.sort(np.concatenate([chosen, rest]))
        return Database(rows, group, present, run_seed(draws))

    def described(self) -> dict[str, Any]:
        """Its name, its numbers, and its definition of neighbours."""
        return _described(self, databases_of_group=self.databases_of_group)


@dataclass(frozen=True)
class OneByOne:
    """Algorithm 11: for each target `an_arm` databases with it and as many without.

    With "replacement" the two databases of a pair share all other documents, and the mechanism's
    seed. Each arm by itself is distributed as with "fresh"; but the arms depend on each other, so a
    test for independent samples errs on the side of finding nothing.
    """

    corpus_size: int
    targets: Rows
    size: int
    """The number of documents in a database, in either arm."""
    an_arm: int = AN_ARM
    simulator: str = "fresh"

    def __post_init__(self) -> None:
        """Refuse what can't be drawn."""
        _check_targets(self.targets, self.corpus_size)
        _check_size(self.size, self.corpus_size, 1)
        _check_count("an_arm", self.an_arm)
        if self.simulator not in SIMULATORS:
            raise InputError(
                say("{simulator} must be 'fresh' or 'replacement'; got {it!r}.", it=self.simulator)
            )

    @property
    def neighbours(self) -> str:
        """Which databases are neighbours, in words."""
        return SIMULATORS[self.simulator]

    @property
    def databases(self) -> int:
        """How many databases there are, over all targets."""
        return 2 * self.an_arm * len(self.targets)

    def database(self, number: int, seed: int) -> Database:
        """Even numbers have the document, odd ones don't."""
        target, present = number // (2 * self.an_arm), number % 2 == 0
        document = self.targets[[target]]
        paired = self.simulator == "replacement"
        draws = generator(seed, number - number % 2 if paired else number)
        others = drawn_without(draws, self.corpus_size, document, self.size)
        # The last one drawn is the one in whose place the document stands.
        rows = np.sort(np.concatenate([others[:-1], document]) if present else others)
        return Database(rows, np.array([target]), np.array([present]), run_seed(draws))

    def described(self) -> dict[str, Any]:
        """Its name, its numbers, and its definition of neighbours."""
        return _described(self, an_arm=self.an_arm, simulator=self.simulator)


def database_size(party_size: float, corpus_size: int) -> int:
    """How many documents a party of this share of the corpus has.

    >>> database_size(0.05, 16545)
    827
    """
    if not 0 < party_size <= 1:  # not so for NaN
        raise InputError(
            say(
                "{party_size} is a share of all documents, above 0 and at most 1; got {it!r}.",
                it=party_size,
            )
        )
    return max(round(party_size * corpus_size), 1)


def targets_by_id(wanted: Sequence[str], ids: Sequence[str]) -> Rows:
    """The positions of these documents in a corpus with these ids."""
    position = {str(each): row for row, each in enumerate(ids)}
    missing = [each for each in wanted if str(each) not in position]
    if missing:
        raise InputError(_not_there(str(missing[0]), len(missing) - 1, list(position)))
    return np.array([position[str(each)] for each in wanted], dtype=np.int64)


def random_targets(count: int, corpus_size: int, seed: int) -> Rows:
    """So many documents of a corpus at random: those in question if nobody names any."""
    if not 1 <= count <= corpus_size:
        raise InputError(
            f"{count} documents can't be chosen among {corpus_size:,}; choose from 1 to "
            f"{corpus_size:,}."
        )
    draws = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    return np.sort(draws.choice(corpus_size, count, replace=False)).astype(np.int64)


def generator(seed: int, number: int) -> np.random.Generator:
    """What is random about one database, whichever are drawn before it."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1, number)))


def run_seed(draws: np.random.Generator) -> int:
    """A seed for a mechanism's run."""
    return int(draws.integers(2**31))


def drawn_without(draws: np.random.Generator, corpus_size: int, without: Rows, count: int) -> Rows:
    """So many documents at random, no two the same, none of them one of those."""
    pool = np.delete(np.arange(corpus_size), without)
    return draws.choice(pool, count, replace=False)


def _described(design: Any, **more: Any) -> dict[str, Any]:
    return {
        "design": type(design).__name__,
        "neighbours": design.neighbours,
        "corpus_size": design.corpus_size,
        "size": design.size,
        "targets": design.targets.tolist(),
        **more,
    }


def _check_targets(targets: Rows, corpus_size: int) -> None:
    if len(targets) == 0:
        raise InputError("There is no document to ask about; name at least one.")
    outside = [int(row) for row in targets if not 0 <= row < corpus_size]
    if outside:
        raise InputError(
            f"The corpus has documents 0 to {corpus_size - 1:,}, and no document {outside[0]:,}; "
            "ask about those that it has."
        )
    if len(np.unique(targets)) < len(targets):
        raise InputError("A document is asked about twice; name each once.")


def _check_size(size: int, corpus_size: int, targets: int) -> None:
    if size > corpus_size - targets:
        raise InputError(
            f"A database of {plural(size, 'document')} can't be drawn from {corpus_size:,} without "
            f"{targets:,} of them; take a smaller share of the corpus, at most "
            f"{corpus_size - targets:,} documents."
        )
    if size < 1:
        raise InputError(f"A database has at least one document; got {size}.")


def _check_count(name: str, count: int) -> None:
    if count < 2:
        raise InputError(
            say(
                "{name} must be at least 2, since samples are compared; got {it!r}.",
                name=Parameter(name),
                it=count,
            )
        )


def _not_there(wanted: str, more: int, ids: list[str]) -> str:
    near = difflib.get_close_matches(wanted, ids[:50_000], 1)
    hint = f"; did you mean {shown(near[0])}?" if near else "; ids are as in the corpus."
    others = f", nor {plural(more, 'other')} that you named" if more else ""
    return f"The corpus has no document {shown(wanted)}{others}{hint}"
