"""Items in baskets as a corpus: films somebody rated, songs of a playlist, things bought together.

A basket is a document and an item is a word. A song counts as often as the playlist has it; a film
is rated once, so it counts round(2 × stars) times (Lee 2018, section 2.4), a half rounded up. Rare
items are left out as rare words are; common ones stay, as items have no stop words. An item
goes by its title, made unique, or by its id where it has none.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.corpus.build import onto_vocabulary
from chatham.corpus.checks import id_strings, missing, whole
from chatham.corpus.corpus import Corpus, of_words
from chatham.corpus.readers.opening import holds_paths, opened
from chatham.corpus.readers.sources import Reading, Table
from chatham.corpus.scale import SCALE
from chatham.corpus.text.pruning import Pruning
from chatham.errors import InputError
from chatham.naming import columns_listed, nearest, plural, value_shown
from chatham.wording import Parameter, say

LARGEST_COUNT = 2**31 - 1
LIKELY_TITLE_NAMES = ("title", "name")


def read_baskets(
    source: str | os.PathLike[str] | Sequence[Path] | pd.DataFrame,
    *,
    basket: str,
    item: str,
    rating: str | None = None,
    names: str | os.PathLike[str] | pd.DataFrame | pd.Series | Mapping[Any, Any] | None = None,
    title: str | None = None,
    scale: float = SCALE,
    least: int = 0,
    vocabulary: Sequence[str] | NDArray[Any] | None = None,
    min_df: float | None = None,
    max_df: float | None = None,
    max_features: int | None = None,
    max_features_by: str = "count",
    encoding: str | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    header: bool = True,
    skip_bad_rows: bool = False,
) -> Corpus:
    """Read which items are in which baskets from a table with one row per occurrence.

    Parameters
    ----------
    source : a DataFrame, or files of tables in any form that `read_corpus` reads
    basket, item, rating : column names
        Without ratings, each row of an item counts once. With them it counts round(scale × rating)
        times per basket, where several ratings of it are averaged. Rows without a basket, an item
        or a rating are left out, and the notes say how many.
    names : titles of the items, if they don't go by what is in the table
        A mapping from item to title, or a file or DataFrame with a column of the same name as
        `item` and one of titles. Items that share a title get the item in brackets:
        ``Emma [17]``.
    title : the column of titles, in `names` or, without it, in the table itself
    scale : the count for a rating of 1
    least : leave out baskets with a smaller total count, once rare items are gone (Lee: 5)
        By default all stay, the empty ones too.
    vocabulary : count these items only, in this order, however rare: those of a model, say
    min_df, max_df, max_features, max_features_by : as in `read_corpus`
        By default an item must be in at least 1, 2 or 5 baskets (if there are fewer than 50, fewer
        than 1,000, or more), and may be in all.
    encoding, format, delimiter, header, skip_bad_rows : as in `read_corpus`

    >>> seen = pd.DataFrame({"who": ["ann", "bob", "ann"], "film": [7, 7, 9], "stars": [3, 0.5, 5]})
    >>> films = {7: "Alien", 9: "Emma"}
    >>> corpus = read_baskets(seen, basket="who", item="film", rating="stars", names=films)
    >>> corpus.ids.tolist(), corpus.vocabulary.tolist()
    (['ann', 'bob'], ['Alien', 'Emma'])
    >>> corpus.counts.toarray()
    array([[ 6, 10],
           [ 1,  0]])
    """
    limits = Pruning(min_df, 1.0 if max_df is None else max_df, max_features, max_features_by)
    _check_numbers(scale, least)
    reading = Reading(format, encoding, delimiter, header, skip_bad_rows)
    table = _open(source, reading)
    notes = list(table.notes)
    columns = _columns(table.frame, basket, item, rating, None if names is not None else title)
    rows = _complete_rows(columns, notes)
    baskets, in_basket = coded(rows["basket"], "basket")
    items, of_item = coded(rows["item"], "item")
    words = named(items, _titles(names, item, title, rows, encoding, notes), notes)
    cells = Cells(in_basket, of_item, len(items))
    counts = rated(cells, rows["rating"], scale, notes) if rating else cells.times
    matrix = sp.csr_array((counts, (cells.basket, cells.item)), (len(baskets), len(items)))
    matrix.eliminate_zeros()
    order = sorted(range(len(words)), key=words.__getitem__)
    item_names = np.array([words[i] for i in order], dtype=np.str_)
    corpus = Corpus(matrix[:, order], item_names, np.array(baskets, dtype=np.str_), notes=notes)
    pruned = _pruned(corpus, limits) if vocabulary is None else _matched(corpus, vocabulary)
    return _large_enough(pruned, least)


def _check_numbers(scale: Any, least: Any) -> None:
    number = isinstance(scale, int | float | np.number) and not isinstance(scale, bool)
    if not (number and np.isfinite(scale) and scale > 0):
        raise InputError(
            say("{scale} must be a finite number larger than 0, not {it!r}.", it=scale)
        )
    if not whole(least) or least < 0:
        raise InputError(say("{least} must be a whole number of at least 0, not {it!r}.", it=least))


def _open(source: Any, reading: Reading) -> Table:
    if not isinstance(source, pd.DataFrame) and not holds_paths(source):
        raise InputError(
            f"Baskets can't be read from a {type(source).__name__}: give a file or a DataFrame."
        )
    table = opened(source, reading)
    if not isinstance(table, Table) or table.text is not None:
        raise InputError(
            "Baskets are read from a table with columns, and this has none: give .csv, .tsv, "
            ".jsonl, .json, .parquet or .xlsx."
        )
    return table


def _columns(frame: pd.DataFrame, basket: Any, item: Any, rating: Any, title: Any) -> pd.DataFrame:
    """The columns that matter, named by their use."""
    names = {"basket": basket, "item": item, "rating": rating, "title": title}
    columns = {
        use: find_column(frame, name, use).reset_index(drop=True)
        for use, name in names.items()
        if name is not None or use in ("basket", "item")
    }
    if str(basket) == str(item):
        raise InputError(
            say("{basket} and {item} are both {it!r}: they must be different columns.", it=item)
        )
    return pd.DataFrame(columns)


def _complete_rows(columns: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """The rows with a basket, an item and, if there are ratings, a rating that is a number."""
    needed = [use for use in ("basket", "item", "rating") if use in columns]
    complete = np.ones(len(columns), dtype=bool)
    for use in needed:
        complete &= (columns[use].notna() & (columns[use] != "")).to_numpy(dtype=bool)
    if not complete.any():
        raise InputError(
            f"No row of the table has {' and '.join(needed)}: give at least one that does."
        )
    if n_missing := int((~complete).sum()):
        notes.append(f"Left out {plural(n_missing, 'row')} without {' or '.join(needed)}.")
    rows = columns[complete]
    if "rating" in needed:
        rows = rows.assign(rating=_as_ratings(rows["rating"]))
    return rows


def _as_ratings(column: pd.Series) -> pd.Series:
    ratings = pd.to_numeric(column, errors="coerce").astype(np.float64)
    wrong = np.flatnonzero(~(np.isfinite(ratings) & (ratings >= 0)))
    if len(wrong):
        raise InputError(
            f"The rating in row {ratings.index[wrong[0]]} (counted from 0) isn't a finite number "
            "of at least 0: correct it, or shift the scale of the ratings."
        )
    return ratings


def _titles(
    names: Any, item: str, title: str | None, rows: pd.DataFrame, encoding: Any, notes: list[str]
) -> dict[str, str]:
    if names is None:
        own = rows[["item", "title"]].drop_duplicates() if "title" in rows else None
        return {} if own is None else titles_in(own, "item", "title", notes)
    if isinstance(names, str | os.PathLike):
        names = _open(names, Reading(encoding=encoding)).frame
    return titles_in(names, item, title, notes)


def _pruned(corpus: Corpus, pruning: Pruning) -> Corpus:
    limits = pruning.for_texts(len(corpus))
    items = len(corpus.vocabulary)
    try:
        columns = limits.keep(corpus.counts)
    except InputError:
        raise InputError(
            say(
                "No item is left of {items} in {baskets} with {limits}: lower {min_df} or raise "
                "{max_df}.",
                items=plural(items, "item"),
                baskets=plural(len(corpus), "basket"),
                limits=limits.limits,
            )
        ) from None
    notes = [*corpus.notes, limits.note(items, len(columns), "item")]
    return of_words(corpus, columns, notes=notes)


def _matched(corpus: Corpus, vocabulary: Sequence[str] | NDArray[Any]) -> Corpus:
    items = [str(item) for item in vocabulary]
    if not set(items) & {str(item) for item in corpus.vocabulary}:
        raise InputError(
            say(
                "None of the {items} of the vocabulary is in a basket: items must have the same "
                "names; pass {names=} and {title=} as you did the first time.",
                items=plural(len(items), "item"),
            )
        )
    return onto_vocabulary(corpus, items)


def _large_enough(corpus: Corpus, least: int) -> Corpus:
    sizes = np.asarray(corpus.counts.sum(axis=1))
    small = sizes < least
    if small.all():
        raise InputError(
            say(
                "No basket has a total count of {bound:,}, the largest {most:,}: lower {least}.",
                bound=least,
                most=int(sizes.max()),
            )
        )
    if n_small := int(small.sum()):
        corpus.notes.append(
            f"Left out {plural(n_small, 'basket')} with a total count below {least:,}."
        )
    if n_empty := int((sizes[~small] == 0).sum()):
        corpus.notes.append(f"{plural(n_empty, 'basket')} left without items, but kept.")
    return corpus.rows(~small)


def coded(column: pd.Series, use: str) -> tuple[list[str], NDArray[np.int64]]:
    """The distinct values as strings, in order of first occurrence, and which one each row has."""
    try:
        codes, values = pd.factorize(column)
    except TypeError:
        raise InputError(
            f"The column of the {use} holds lists or objects: it must hold names or numbers."
        ) from None
    # Again, as the number 7 and the string '7' are one item.
    of_value, names = pd.factorize(np.array(id_strings(values), dtype=object))
    return list(names), of_value[codes].astype(np.int64)


class Cells:
    """Each pair of a basket and an item that occurs, how many times, and which one each row is."""

    def __init__(self, in_basket: NDArray[np.int64], of_item: NDArray[np.int64], n: int) -> None:
        pairs, self.of_row, times = np.unique(
            in_basket * n + of_item, return_inverse=True, return_counts=True
        )
        self.basket, self.item = pairs // n, pairs % n
        self.times = times.astype(np.int64)


def rated(cells: Cells, ratings: pd.Series, scale: float, notes: list[str]) -> NDArray[np.int64]:
    """round(scale × rating) for each pair; a half is rounded up, as people do."""
    totals = np.bincount(cells.of_row, weights=ratings, minlength=len(cells.times))
    sizes = np.floor(scale * totals / cells.times + 0.5)
    if not (sizes <= LARGEST_COUNT).all():
        raise InputError(
            say(
                "scale × rating must stay below {most:,}: lower {scale=!r}.",
                most=LARGEST_COUNT,
                scale=scale,
            )
        )
    if n_repeated := int((cells.times > 1).sum()):
        notes.append(
            f"{plural(n_repeated, 'item')} rated more than once in a basket: the mean counts."
        )
    if n_zero := int((sizes == 0).sum()):
        notes.append(
            say(
                "{ratings} below half a count at {scale=:g}: count 0.",
                ratings=plural(n_zero, "rating"),
                scale=scale,
            )
        )
    return sizes.astype(np.int64)


def find_column(
    frame: pd.DataFrame, name: Any, parameter: str, table_name: str = "the table"
) -> Any:
    """Find a column by name; the error lists those there are.

    >>> find_column(pd.DataFrame({"user": [1]}), "user", "basket").tolist()
    [1]
    """
    occurrences = [str(column) for column in frame.columns].count(str(name))
    if occurrences == 0:
        raise InputError(
            say(
                "{setting} is not a column of {table_name}; its columns are {columns}{nearest}",
                setting=Parameter(parameter, value_shown(name)),
                table_name=table_name,
                columns=columns_listed(frame.columns),
                nearest=nearest(str(name), frame.columns) or ".",
            )
        )
    if occurrences > 1:
        raise InputError(
            f"{occurrences} columns of {table_name} are called {name!r}: rename all but one."
        )
    return frame.rename(columns=str)[str(name)]


def titles_in(names: Any, item: str, title: str | None, notes: list[str]) -> dict[str, str]:
    """Titles by item, from a mapping, a Series, or a table with a column of items and of titles.

    >>> titles_in({7.0: "Alien", 8: None}, "film", None, [])
    {'7': 'Alien'}
    """
    if isinstance(names, pd.DataFrame):
        items = find_column(names, item, "item", "names")
        title = _title_column(names, item, notes) if title is None else title
        return _titles_by_item(items, find_column(names, title, "title", "names"))
    if isinstance(names, pd.Series | Mapping) and title is None:
        return _titles_by_item(
            names.keys(), names.values() if isinstance(names, Mapping) else names
        )
    raise InputError(
        say(
            "{names} must be a table with a column of items and a column of titles, or a mapping "
            "from items to titles without {title=}, not a {kind}.",
            kind=type(names).__name__,
        )
    )


def _titles_by_item(items: Any, titles: Any) -> dict[str, str]:
    """Titles by item; of several titles of an item the first counts."""
    by_item: dict[str, str] = {}
    for name, value in zip(id_strings(items), titles, strict=True):
        if name and not missing(value) and str(value).strip():
            by_item.setdefault(name, str(value).strip())
    return by_item


def _title_column(names: pd.DataFrame, item: str, notes: list[str]) -> str:
    others = [str(name) for name in names.columns if str(name) != item]
    likely = [name for name in others if name.casefold() in LIKELY_TITLE_NAMES]
    if len(others) == 1:
        return others[0]
    if not likely:
        raise InputError(
            say(
                "The columns of names are {columns}: pass {title=} with the name of the one that "
                "holds titles.",
                columns=columns_listed(names.columns),
            )
        )
    chosen = min(likely, key=lambda name: LIKELY_TITLE_NAMES.index(name.casefold()))
    notes.append(
        say("Items go by the column {it!r}, a guess; pass {title=} to choose another.", it=chosen)
    )
    return chosen


def named(items: Sequence[str], titles: Mapping[str, str], notes: list[str]) -> list[str]:
    """One name per item: its title, with the item added where titles are the same; or the item.

    >>> named(["1", "2", "3"], {"1": "Emma", "2": "Emma"}, [])
    ['Emma [1]', 'Emma [2]', '3']
    """
    untitled = sum(item not in titles for item in items)
    if titles and untitled:
        notes.append(f"{plural(untitled, 'item')} without a title, named by the id in the table.")
    names = [titles.get(item, item) for item in items]
    shared = _repeated(names)
    if n_shared := sum(name in shared for name in names):
        notes.append(f"{n_shared:,} items share their title, so the item is added to it.")
    # Again, in case a title equals what another has become.
    while shared:
        pairs = zip(names, items, strict=True)
        names = [f"{name} [{item}]" if name in shared else name for name, item in pairs]
        shared = _repeated(names)
    return names


def _repeated(names: Sequence[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}
