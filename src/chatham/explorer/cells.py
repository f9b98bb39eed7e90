"""Topics over time and by group, as the page draws them: the library's own tables as rows."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from chatham.corpus import Corpus
from chatham.errors import InputError
from chatham.groups.tables import by_group, over_time

MOST_GROUPS = 60
"""More than these can't be told apart on a screen."""
DATES = ("date", "day", "month", "year", "time", "published", "created", "timestamp")


def offered_columns(corpus: Corpus) -> list[dict[str, str]]:
    """The columns by which topics can be shown, each with what it holds: dates, or groups."""
    offered = []
    for name in map(str, corpus.metadata.columns):
        if _has_dates(name, corpus.metadata[name]):
            offered.append({"column": name, "kind": "time"})
        elif _has_groups(corpus.metadata[name]):
            offered.append({"column": name, "kind": "group"})
    if corpus.labels is not None and _are_groups(map(str, corpus.labels)):
        named = {each["column"] for each in offered}
        if corpus.label_name not in named:
            offered.insert(0, {"column": corpus.label_name, "kind": "group"})
    return offered


def _has_dates(name: str, values: pd.Series) -> bool:
    if pd.api.types.is_datetime64_any_dtype(values):
        return True
    return any(part in name.casefold() for part in DATES) and _different(values) > 1


def _has_groups(values: pd.Series) -> bool:
    return _different(values) > 1 and _are_groups(values.dropna())


def _different(values: pd.Series) -> int:
    """How many values there are; 0 of lists, which can't be counted."""
    try:
        return int(values.nunique())
    except TypeError:
        return 0


def _are_groups(values: Iterable[Any]) -> bool:
    """Whether documents share values: what each has for itself, such as a title, is no group, and
    would be a part of the document where only groups are shown.

    >>> _are_groups(["a", "b", "a", "b"]), _are_groups(["A title", "Another", "One more"])
    (True, False)
    """
    counts = Counter(values)
    return len(counts) <= MOST_GROUPS and 2 * len(counts) <= max(counts.total(), 2)


def cells_of(model: Any, corpus: Corpus, column: str, kind: str) -> dict[str, Any]:
    """A table of shares: cells in their order with how many documents each has, and for each topic
    its share in each cell, the interval's ends, and the words that differ most."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind == "time":
            table, named = over_time(model, corpus, column), "span"
        elif kind == "group":
            table, named = by_group(model, corpus, column), column
        else:
            raise InputError("Topics are shown by 'time' or by 'group'.")
    return as_cells(table, named, column, kind)


def as_cells(table: pd.DataFrame, named: str, column: str, kind: str) -> dict[str, Any]:
    """Such a table by topics."""
    first = table[table["topic"] == table["topic"].iloc[0]]
    topics = [
        {
            "topic": int(str(topic)),
            "share": _plain(rows["share"]),
            "low": _plain(rows["low"]),
            "high": _plain(rows["high"]),
            "words": rows["words"].tolist(),
        }
        for topic, rows in table.groupby("topic", sort=False)
    ]
    return {
        "column": column,
        "kind": kind,
        "cells": [str(name) for name in first[named]],
        "documents": [int(n) for n in first["documents"]],
        "topics": topics,
    }


def _plain(values: Iterable[float]) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]
