"""Which cell each document is in: its group, its span of time, or none of them.

A `Cells` is what all holders know beforehand: a column and the names of its cells. Documents
without a value are in the cell `NO_VALUE`, and those whose value isn't among the names in the last,
`OTHER`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from chatham.corpus import Corpus
from chatham.errors import InputError
from chatham.groups.dates import all_spans, named, read_dates, sensible, span_starts
from chatham.measures.evidence import names_in
from chatham.naming import shown
from chatham.wording import say

NO_VALUE, OTHER = "no value", "other"
MOST_GROUPS = 500
"""A column with more values is no column of groups: of ids, most likely, or of dates."""


@dataclass(frozen=True)
class Cells:
    """The cells of a column: groups by name, or spans of time by their first days."""

    column: str
    names: tuple[str, ...]
    """Values of groups, or first days as 2017-02-01."""
    every: str | None = None
    """How long a span of time is; None for groups."""

    def __len__(self) -> int:
        """Count the cells, with those of documents without a value, and with another."""
        return len(self.names) + 2

    @property
    def titles(self) -> list[str]:
        """What people call the cells."""
        if self.every is None:
            return [*self.names, NO_VALUE, OTHER]
        starts = np.array(self.names, dtype="datetime64[D]")
        return [*named(starts, self.every), NO_VALUE, OTHER]

    def membership(self, values: Sequence[Any]) -> sp.csr_array:
        """Which documents (rows) are in which cells; one with several labels is in several."""
        number = {name: cell for cell, name in enumerate((*self.names, NO_VALUE, OTHER))}
        nowhere, elsewhere = len(self.names), len(self.names) + 1
        listed = [
            sorted({number.get(name, elsewhere) for name in names}) or [nowhere]
            for names in cell_names(values, self.every)
        ]
        counts = [len(cells) for cells in listed]
        indptr = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        indices = np.array([cell for cells in listed for cell in cells], dtype=np.int64)
        return sp.csr_array((np.ones(len(indices)), indices, indptr), (len(listed), len(self)))


def cell_names(values: Sequence[Any], every: str | None) -> list[list[str]]:
    """The names of the cells that each value names: none, one, or, of groups, several.

    >>> cell_names(["2017-02-07", "soon"], "year"), cell_names([["a", "b"], None], None)
    ([['2017-01-01'], []], [['a', 'b'], []])
    """
    if every is None:
        return [group_names(value) for value in values]
    days = span_starts(read_dates(values).days, every)
    return [[] if start == "NaT" else [start] for start in days.astype(str).tolist()]


def group_names(value: Any) -> list[str]:
    """The groups that a value names: none where it is missing or blank, several in a list.

    >>> group_names(" sport "), group_names(2017.0), group_names(float("nan")), group_names("")
    (['sport'], ['2017'], [], [])
    """
    if isinstance(value, float) and value == int(value) if _is_finite(value) else False:
        value = int(value)  # a column of whole numbers in which some are missing
    if not isinstance(value, list | tuple | set | frozenset | np.ndarray) and pd.isna(value):
        return []
    return [name.strip() for name in names_in(value) if name.strip()]


def _is_finite(value: Any) -> bool:
    return isinstance(value, float) and bool(np.isfinite(value))


def groups_of(corpora: Iterable[Corpus], column: str) -> Cells:
    """All values of a column, those of numbers in their order."""
    found = {
        name for corpus in corpora for value in corpus.column(column) for name in group_names(value)
    }
    if len(found) > MOST_GROUPS:
        raise InputError(
            f"The column {shown(column)} has {len(found):,} values, more than the {MOST_GROUPS} "
            "groups that a table can show; name a column with fewer, or one of dates as dates."
        )
    if not found:
        raise InputError(f"The column {shown(column)} has no value in any document.")
    return Cells(column, in_order(found - {NO_VALUE, OTHER}))


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Names sorted as people expect: those of numbers by their size, before all others."""
    return tuple(sorted(names, key=_in_order))


def spans_of(corpora: Sequence[Corpus], column: str, every: str | None) -> tuple[Cells, bool]:
    """The spans of time from the first date to the last; and whether days and months were guessed.

    `every` is how long they are; where it isn't given, so long that a figure can show all.
    """
    dates = read_dates(value for corpus in corpora for value in corpus.column(column))
    if np.isnat(dates.days).all():
        raise InputError(
            f"The column {shown(column)} has no dates that can be read; a date has its year with "
            "four digits, as in 2017, 2017-02, 2017-02-07, 7 Feb 2017 or 02/07/2017."
        )
    length = sensible(dates.days, dates.finest) if every is None else every
    spans = all_spans(dates.days, length)
    if len(spans) > MOST_GROUPS:
        raise InputError(
            say(
                "There are {n:,} spans of a {every} from the first date to the last, more than the "
                "{most} that a table can show; give a longer one as {wanted}.",
                n=len(spans), every=length, most=MOST_GROUPS, wanted=_every(),
            )
        )  # fmt: skip
    return Cells(column, tuple(spans.astype(str).tolist()), length), dates.guessed


def _every() -> Any:
    from chatham.wording import Parameter

    return Parameter("every")


def _in_order(name: str) -> tuple[bool, float, str]:
    try:
        number = float(name)
    except ValueError:
        return True, 0.0, name
    return (False, number, name) if np.isfinite(number) else (True, 0.0, name)
