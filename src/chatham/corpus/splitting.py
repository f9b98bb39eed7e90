"""Which rows go where: train and test, or one part for each party. Row numbers alone come out."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chatham.corpus.checks import generator, missing, whole
from chatham.errors import InputError
from chatham.naming import plural
from chatham.wording import say

if TYPE_CHECKING:
    import scipy.sparse as sp

Rows = NDArray[np.int64]

NO_VALUE = "(none)"
"""The party of rows without a value in the column that parties are made by."""


def split_rows(
    n_rows: int,
    test: float,
    random_state: int,
    strata: Sequence[object] | None = None,
    alike: Sequence[int] | Rows | None = None,
) -> tuple[Rows, Rows]:
    """Choose test rows at random, within each stratum if there are any; rows keep their order.

    Rows with the same number in `alike` go to the same part. The test part then differs from
    what was asked for by at most half as many rows as are alike.

    >>> train, test = split_rows(5, 0.4, random_state=0)
    >>> len(train), len(test), sorted([*train.tolist(), *test.tolist()])
    (3, 2, [0, 1, 2, 3, 4])
    >>> sorted(part.tolist() for part in split_rows(4, 0.5, 0, alike=[0, 1, 0, 1]))
    [[0, 2], [1, 3]]
    """
    n_test = _test_size(n_rows, test)
    order = generator(random_state).permutation(n_rows)
    groups = _groups(order, np.arange(n_rows) if alike is None else np.asarray(alike))
    if len(groups) == 1:
        raise InputError(
            say(
                "All {documents} have the same words equally often, and copies stay together: "
                "there is nothing to split.",
                documents=plural(n_rows, "document"),
            )
        )
    sizes = np.array([len(group) for group in groups])
    if strata is None:
        dealt = np.argsort(-sizes, kind="stable")
    else:
        dealt = np.lexsort((-sizes, _numbered([_name(strata[group[0]]) for group in groups])))
    is_test = np.zeros(n_rows, dtype=bool)
    for place in dealt[_dealt_to_test(sizes[dealt], n_test, n_rows)]:
        is_test[groups[place]] = True
    return np.flatnonzero(~is_test), np.flatnonzero(is_test)


def copies(counts: sp.csr_array) -> Rows:
    """Number the rows so that those with the same words equally often have the same number.

    A row without words is a copy of no other: there is nothing in it that could be seen twice.

    >>> import scipy.sparse as sp
    >>> copies(sp.csr_array([[2, 0], [1, 1], [2, 0], [0, 0], [0, 0]])).tolist()
    [0, 1, 0, 2, 3]
    """
    if not counts.has_sorted_indices:
        counts = counts.sorted_indices()
    numbers: dict[object, int] = {}
    found = np.empty(counts.shape[0], dtype=np.int64)
    for row, (begin, end) in enumerate(pairwise(counts.indptr.tolist())):
        cells = counts.indices[begin:end].tobytes(), counts.data[begin:end].tobytes()
        found[row] = numbers.setdefault(cells if end > begin else row, len(numbers))
    return found


def _test_size(n_rows: int, test: float) -> int:
    n_test = int(test) if whole(test) else round(float(test) * n_rows) if 0 < test < 1 else 0
    if not 0 < n_test < n_rows:
        raise InputError(
            say(
                "{test=!r} of {documents} leaves the train or the test part empty: give a share "
                "between 0 and 1 or a smaller number of documents.",
                test=test,
                documents=plural(n_rows, "document"),
            )
        )
    return n_test


def _groups(order: Rows, alike: Rows) -> list[Rows]:
    """The rows that are alike, group by group, in the order of each group's first row."""
    number = _numbered(alike[order].tolist())
    together = order[np.argsort(number, kind="stable")]
    return np.split(together, np.cumsum(np.bincount(number))[:-1])


def _numbered(values: Sequence[Hashable]) -> Rows:
    """Equal values have the same number; numbers are given in the order of first appearance."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64)


def _dealt_to_test(sizes: Rows, n_test: int, n_rows: int) -> NDArray[np.bool_]:
    """Which groups go to the test part: evenly over their order, so that its share is right.

    What a group leaves owing to the test part, or has given it too much, the next ones make up,
    but no more than a group of their own size can: a text with very many copies stays where most
    rows are, and the others are dealt as if it weren't there. Groups of one are dealt exactly.
    """
    ends = np.cumsum(sizes)
    due = np.diff(-(-ends * n_test // n_rows), prepend=0)  # each sum rounded up
    chosen, owing = np.zeros(len(sizes), dtype=bool), 0
    for place, (size, more) in enumerate(zip(sizes.tolist(), due.tolist(), strict=True)):
        owing = min(max(owing, -size), size) + more
        if 2 * owing > size:
            chosen[place] = True
            owing -= size
    if chosen.all() or not chosen.any():
        smallest = len(sizes) - 1 - int(np.argmin(sizes[::-1]))
        chosen[smallest] = not chosen[smallest]
    return chosen


def rows_by_value(values: Sequence[object]) -> dict[str, Rows]:
    """Group rows by value, in the order of the values' names.

    >>> {name: rows.tolist() for name, rows in rows_by_value(["b", "a", "b", None]).items()}
    {'(none)': [3], 'a': [1], 'b': [0, 2]}
    """
    groups: dict[str, list[int]] = {}
    for row, value in enumerate(values):
        groups.setdefault(_name(value), []).append(row)
    return {name: np.array(groups[name], dtype=np.int64) for name in sorted(groups)}


def _name(value: object) -> str:
    return NO_VALUE if missing(value) else str(value)


def rows_at_random(n_rows: int, n_parties: int, random_state: int) -> dict[str, Rows]:
    """Deal rows out at random to parties of the same size, give or take one.

    >>> {name: len(rows) for name, rows in rows_at_random(7, 3, 0).items()}
    {'party 1': 3, 'party 2': 2, 'party 3': 2}
    """
    if not isinstance(n_parties, int | np.integer) or not 1 <= n_parties <= n_rows:
        raise InputError(
            say(
                "{n=!r} parties can't be made of {documents}: give a whole number between 1 and "
                "the number of documents.",
                n=n_parties,
                documents=plural(n_rows, "document"),
            )
        )
    order = generator(random_state).permutation(n_rows)
    parts = np.array_split(order, n_parties)
    return {f"party {number}": np.sort(part) for number, part in enumerate(parts, start=1)}
