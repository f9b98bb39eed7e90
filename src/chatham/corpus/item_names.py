"""What items are called: a title from a table or a mapping, made unique; the id where none is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from chatham.corpus.checks import id_strings, missing
from chatham.errors import InputError
from chatham.naming import columns_listed, nearest, plural

LIKELY_TITLE_NAMES = ("title", "name")


def find_column(frame: pd.DataFrame, name: Any, parameter: str, whose: str = "the table") -> Any:
    """Find a column by name, or say which there are.

    >>> find_column(pd.DataFrame({"user": [1]}), "user", "basket").tolist()
    [1]
    """
    found = [str(column) for column in frame.columns].count(str(name))
    if found == 0:
        raise InputError(
            f"{parameter}={name!r} is no column of {whose}; its columns are "
            f"{columns_listed(frame.columns)}{nearest(str(name), frame.columns) or '.'}"
        )
    if found > 1:
        raise InputError(f"{found} columns of {whose} are called {name!r}: rename all but one.")
    return frame.rename(columns=str)[str(name)]


def titles_in(names: Any, item: str, title: str | None, notes: list[str]) -> dict[str, str]:
    """Titles by item, from a mapping, a Series, or a table with a column of items and of titles.

    >>> titles_in({7.0: "Alien", 8: None}, "film", None, [])
    {'7': 'Alien'}
    """
    if isinstance(names, pd.DataFrame):
        items = find_column(names, item, "item", "names")
        title = _title_column(names, item, notes) if title is None else title
        return _pairs(items, find_column(names, title, "title", "names"))
    if isinstance(names, pd.Series | Mapping) and title is None:
        return _pairs(names.keys(), names.values() if isinstance(names, Mapping) else names)
    raise InputError(
        "names must be a table with a column of items and a column of titles, or a mapping from "
        f"items to titles without title=, not a {type(names).__name__}."
    )


def _pairs(items: Any, titles: Any) -> dict[str, str]:
    """Of several titles of an item the first counts."""
    found: dict[str, str] = {}
    for name, value in zip(id_strings(items), titles, strict=True):
        if name and not missing(value) and str(value).strip():
            found.setdefault(name, str(value).strip())
    return found


def _title_column(names: pd.DataFrame, item: str, notes: list[str]) -> str:
    others = [str(name) for name in names.columns if str(name) != item]
    likely = [name for name in others if name.casefold() in LIKELY_TITLE_NAMES]
    if len(others) == 1:
        return others[0]
    if not likely:
        raise InputError(
            f"The columns of names are {columns_listed(names.columns)}: pass title= with the name "
            "of the one that holds titles."
        )
    chosen = min(likely, key=lambda name: LIKELY_TITLE_NAMES.index(name.casefold()))
    notes.append(f"Items go by the column {chosen!r}, a guess; pass title= to choose another.")
    return chosen


def named(items: Sequence[str], titles: Mapping[str, str], notes: list[str]) -> list[str]:
    """One name an item: its title, with the item added where titles are the same; or the item.

    >>> named(["1", "2", "3"], {"1": "Emma", "2": "Emma"}, [])
    ['Emma [1]', 'Emma [2]', '3']
    """
    untitled = sum(item not in titles for item in items)
    if titles and untitled:
        notes.append(f"{plural(untitled, 'item')} without a title, named by what the table says.")
    found = [titles.get(item, item) for item in items]
    shared = _repeated(found)
    if n_shared := sum(name in shared for name in found):
        notes.append(f"{n_shared:,} items share their title, so the item is added to it.")
    # Again, should a title be what another became.
    while shared:
        pairs = zip(found, items, strict=True)
        found = [f"{name} [{item}]" if name in shared else name for name, item in pairs]
        shared = _repeated(found)
    return found


def _repeated(names: Sequence[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}
