"""What a session says about tables over time and by group, and what a party has to bring for them.

Each is about one column of the documents: a date, with how long a span is, or groups. Which spans
and groups there are stands in the session (`first` and `last`; `groups`), or the parties agree on
it as they do on words: a party offers those of which it has enough documents to tell, and those
that two offer become cells. So a single early document, or the only party that has old ones, moves
no end of the time that a table covers: what lies outside is told as "other", with all that is rare.

A column has one table: a month less its weeks could be a few documents.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from chatham.corpus import Corpus
from chatham.corpus.corpus import derived
from chatham.corpus.splitting import copies
from chatham.errors import InputError, SessionError
from chatham.federation.words.names import offered_names
from chatham.federation.words.table import WordTable
from chatham.groups.cells import MOST_GROUPS, NO_VALUE, OTHER, Cells, cell_names, group_names
from chatham.groups.dates import EVERY, all_spans, read_dates
from chatham.groups.sums import FEWEST
from chatham.naming import columns_listed, listed, nearest, plural, shown

FIELDS = ("column", "every", "first", "last", "groups")
LONGEST_COLUMN = 100


@dataclass(frozen=True)
class TableRule:
    """One table of a session, checked."""

    column: str
    every: str | None = None
    """How long a span of time is; None for groups."""
    first: str | None = None
    """A date in the first span that is told, and in the last; None where they are agreed."""
    last: str | None = None
    groups: tuple[str, ...] | None = None
    """The groups that are told; None where they are agreed."""

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> TableRule:
        """Read and check what a session's file has under `[[table]]`."""
        column = plain.get("column")
        if set(plain) - set(FIELDS) or not isinstance(column, str) or not column.strip():
            raise SessionError(
                "A table of the session must have a column, and may have every, first and last, or "
                "groups; nothing else."
            )
        if len(column) > LONGEST_COLUMN or not column.isprintable():
            raise SessionError(
                f"A table of the session names a column by {len(column):,} characters or by some "
                f"that can't be printed; give the name of a column, of at most {LONGEST_COLUMN}."
            )
        every, groups = plain.get("every"), plain.get("groups")
        if groups is not None:
            groups = _checked_groups(column, groups, every)
        rule = cls(column, every, plain.get("first"), plain.get("last"), groups)
        rule._check_spans()
        return rule

    def _check_spans(self) -> None:
        if self.every is None:
            if self.first is not None or self.last is not None:
                raise SessionError(
                    f"The session's table of {shown(self.column)} has a first or last date, but "
                    "not how long a span of time is; say it as every."
                )
            return
        if self.every not in EVERY:
            meant = nearest(str(self.every), EVERY) or "."
            raise SessionError(
                f"The session's table of {shown(self.column)} has spans of {shown(self.every)}, "
                f"and they must be one of {', '.join(EVERY)}{meant}"
            )
        if (self.first is None) != (self.last is None):
            raise SessionError(
                f"The session's table of {shown(self.column)} has one end of the time that it "
                "covers; give first and last, or neither, and the parties agree."
            )
        if self.first is not None:
            self._check_ends()

    def _check_ends(self) -> None:
        ends = read_dates([self.first, self.last]).days
        if np.isnat(ends).any() or ends[0] > ends[1]:
            raise SessionError(
                f"The session's table of {shown(self.column)} must go from a date to a later one, "
                f"such as 2016-01 to 2020-12; got {shown(self.first)} and {shown(self.last)}."
            )
        number = len(all_spans(ends, str(self.every)))
        if number > MOST_GROUPS:
            raise SessionError(
                f"The session's table of {shown(self.column)} would have {number:,} spans of a "
                f"{self.every}, more than the {MOST_GROUPS} that a table can show; choose longer "
                "ones, or a shorter time."
            )

    @property
    def cells(self) -> Cells | None:
        """The cells that stand in the session; None where the parties agree on them."""
        if self.groups is not None:
            return Cells(self.column, self.groups)
        if self.first is None:
            return None
        ends = read_dates([self.first, self.last]).days
        starts = all_spans(ends, str(self.every))
        return Cells(self.column, tuple(starts.astype(str).tolist()), self.every)

    @property
    def noun(self) -> str:
        """What its cells are."""
        return "group" if self.every is None else self.every

    def as_plain(self) -> dict[str, Any]:
        """As a session holds it."""
        plain = {name: getattr(self, name) for name in FIELDS}
        return {name: value for name, value in plain.items() if value is not None}

    def values(self, corpus: Corpus) -> list[Any]:
        """What a column says of each document: a day or nothing, or a list of groups."""
        try:
            found = corpus.column(self.column)
        except InputError:
            raise self._lacking(corpus) from None
        if self.every is None:
            return [group_names(value) for value in found]
        days = read_dates(found).days.astype(str).tolist()
        return [None if day == "NaT" else day for day in days]

    def _lacking(self, corpus: Corpus) -> InputError:
        names = corpus.column_names
        have = f"they have {columns_listed(names)}" if names else "they have none but their words"
        meant = (nearest(self.column, names) or "").removesuffix("?")
        return InputError(
            f"The session makes a table by the column {shown(self.column)}, which your documents "
            f"don't have; {have}{meant}; call it so, and join again, for nothing has been sent."
        )

    def check(self, corpus: Corpus) -> None:
        """Refuse documents without the column, or without any date that can be read in it."""
        values = self.values(corpus)
        if self.every is None or any(values):
            return
        given = sum(bool(group_names(value)) for value in corpus.column(self.column))
        if given:
            raise InputError(
                f"None of the {plural(given, 'value')} in the column {shown(self.column)} is a "
                f"date that can be read, and the session makes a table of it by {self.every}; "
                "write them with the year in four digits, as in 2017-02-07 or 7 Feb 2017, and join "
                "again, for nothing has been sent."
            )

    def concerns(self, corpus: Corpus) -> list[str]:
        """What a party should know of its dates before it joins."""
        if self.every is None:
            return []
        found = corpus.column(self.column)
        dates, warned = read_dates(found), []
        lost = sum(
            bool(group_names(value)) and bool(np.isnat(day))
            for value, day in zip(found, dates.days, strict=True)
        )
        if lost:
            warned.append(
                f"{plural(lost, 'value')} in the column {shown(self.column)} can't be read as "
                f'dates; in the table these documents are in "{NO_VALUE}".'
            )
        if dates.guessed:
            warned.append(
                f"Dates in the column {shown(self.column)} could be read with the day or with the "
                "month first; the month is taken to be first. Write them as 2017-02-07 if it isn't."
            )
        return warned

    def brought(self, corpus: Corpus) -> str:
        """How a party's documents fall into cells, for itself alone."""
        named = cell_names(self.values(corpus), self.every)
        sizes = pd.Series(
            [each[0] for each in named if len(each) == 1], dtype=object
        ).value_counts()
        without = sum(not each for each in named)
        several = sum(len(each) > 1 for each in named)
        more = f", {several:,} in several" if several else ""
        enough = int((sizes >= FEWEST).sum())
        return (
            f"By {shown(self.column)}: {plural(len(sizes), self.noun)}, {enough:,} with {FEWEST} "
            f"documents or more; {plural(without, 'document')} without any{more}."
        )

    def offered(self, corpus: Corpus) -> WordTable:
        """The spans or groups of which a party has enough different documents."""
        rows = np.flatnonzero(np.diff(corpus.counts.indptr) > 0)
        named = cell_names(self.values(corpus), self.every)
        alike = copies(corpus.counts)
        pairs = {(named[row][0], int(alike[row])) for row in rows if len(named[row]) == 1}
        sizes = pd.Series([name for name, _ in pairs], dtype=object).value_counts()
        names = [str(name) for name, size in sizes.items() if size >= FEWEST]
        return offered_names([name for name in names if name not in (NO_VALUE, OTHER)], FEWEST)


def _checked_groups(column: str, groups: Any, every: Any) -> tuple[str, ...]:
    texts = isinstance(groups, list | tuple) and all(
        isinstance(name, str) and name.strip() == name and name for name in groups
    )
    if every is not None or not texts or not 0 < len(groups) <= MOST_GROUPS:
        raise SessionError(
            f"The session's table of {shown(column)} may have groups, a list of up to "
            f"{MOST_GROUPS} names without blanks at their ends, or every, how long spans of time "
            "are."
        )
    if len(set(groups)) < len(groups) or {NO_VALUE, OTHER} & set(groups):
        raise SessionError(
            f"The session's table of {shown(column)} has a group twice, or one that is called "
            f'"{NO_VALUE}" or "{OTHER}", which every table has; name each of the others once.'
        )
    return tuple(groups)


@dataclass(frozen=True)
class TableRules:
    """All tables of a session.

    >>> TableRules.of([{"column": "date", "every": "month"}, {"column": "section"}]).columns
    ('date', 'section')
    """

    rules: tuple[TableRule, ...] = ()

    @classmethod
    def of(cls, tables: Iterable[Mapping[str, Any]]) -> TableRules:
        """Read and check what a session's file has under `[[table]]`."""
        rules = tuple(TableRule.of(table) for table in tables)
        columns = [rule.column for rule in rules]
        twice = sorted({column for column in columns if columns.count(column) > 1})
        if twice:
            raise SessionError(
                f"The session's tables name {listed(twice)} twice, and a column has one table, "
                "since two of different spans could be subtracted; leave one out."
            )
        return cls(rules)

    @property
    def columns(self) -> tuple[str, ...]:
        """Their columns, in their order."""
        return tuple(rule.column for rule in self.rules)

    def check(self, corpus: Corpus) -> None:
        """Refuse documents of which these tables couldn't be made, before anything leaves."""
        for rule in self.rules:
            rule.check(corpus)

    def concerns(self, rows: Any) -> list[str]:
        """What a party should know of its columns before it joins."""
        if not isinstance(rows, Corpus):
            return []
        return [concern for rule in self.rules for concern in rule.concerns(rows)]

    def pinned(self, rows: Any) -> list[tuple[str, list[str]]]:
        """The columns with a text for each document, for the hash of a party's documents."""
        if not isinstance(rows, Corpus):
            return []
        return [
            (rule.column, [json.dumps(value) for value in rule.values(rows)]) for rule in self.rules
        ]

    def with_columns_alone(self, corpus: Corpus) -> Corpus:
        """The corpus with these columns, read as a whole: a part of it is then read alike."""
        if not self.rules:
            return corpus
        columns = {rule.column: pd.Series(rule.values(corpus), dtype=object) for rule in self.rules}
        return derived(corpus, metadata=pd.DataFrame(columns, index=range(len(corpus))))


def in_words(tables: Sequence[Mapping[str, Any]]) -> str:
    """What a party confirms about tables."""
    rules = TableRules.of(tables).rules
    agreed = [rule for rule in rules if rule.cells is None]
    parts = [f"At the end, {_listed_in_words([_described(rule) for rule in rules])}."]
    if agreed:
        which = _listed_in_words([shown(rule.column) for rule in agreed])
        parts.append(
            f"Those of {which} are agreed on as words are: two parties must have {FEWEST} "
            "documents of one; of one that somebody guesses, it is seen how many parties have as "
            "many."
        )
    parts.append(
        "Of each cell all learn how many of the fitted documents and how many words it has, the "
        "sums of its documents' topic weights and of the squares of these, and how often it has "
        f"each word that {FEWEST} of a party's documents there have, with how many parties tell of "
        f"it. Before anything leaves, your cells of fewer than {FEWEST} "
        f'documents become "{OTHER}", with the next smallest if these are fewer together; so does, '
        "for all, a cell that one party alone fills. Of one that two fill each has the other's "
        "sums."
    )
    return " ".join(parts)


def _described(rule: TableRule) -> str:
    cells = rule.cells
    if rule.every is None:
        named = "" if cells is None else f" ({listed(cells.names)})"
        return f"a table by the groups in the column {shown(rule.column)}{named}"
    span = "" if cells is None else f" from {cells.titles[0]} to {cells.titles[len(cells) - 3]}"
    return f"a table over time by the {rule.every} in the column {shown(rule.column)}{span}"


def _listed_in_words(parts: list[str]) -> str:
    """Parts with commas, and before the last one 'and'.

    >>> _listed_in_words(["a"]), _listed_in_words(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *before, last = parts
    return f"{', '.join(before)} and {last}" if before else last
