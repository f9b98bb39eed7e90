"""Which rows go where: train and test, or one part for each party. Only row numbers in here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chatham.corpus.checks import missing, whole
from chatham.errors import InputError
from chatham.naming import plural
from chatham.wording import say

Rows = NDArray[np.int64]

NO_VALUE = "(none)"
"""The party of rows without a value in the column that parties are made by."""


def split_rows(
    n_rows: int, test: float, random_state: int, strata: Sequence[object] | None = None
) -> tuple[Rows, Rows]:
    """Choose test rows at random, within each stratum if there are any; rows keep their order.

    >>> train, test = split_rows(5, 0.4, random_state=0)
    >>> len(train), len(test), sorted([*train.tolist(), *test.tolist()])
    (3, 2, [0, 1, 2, 3, 4])
    """
    n_test = _test_size(n_rows, test)
    order = np.random.default_rng(random_state).permutation(n_rows)
    if strata is not None:
        order = order[_spread(order, strata)]
    is_test = np.zeros(n_rows, dtype=bool)
    # After spreading, any evenly spaced choice takes the same share of every stratum.
    is_test[order[(np.arange(n_test) * n_rows) // n_test]] = True
    return np.flatnonzero(~is_test), np.flatnonzero(is_test)


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


def _spread(order: Rows, strata: Sequence[object]) -> Rows:
    """Sort a random order by stratum, so that rows of one stratum lie side by side."""
    numbers: dict[str, int] = {}
    stratum = [numbers.setdefault(_name(strata[row]), len(numbers)) for row in order]
    return np.argsort(stratum, kind="stable")


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
    order = np.random.default_rng(random_state).permutation(n_rows)
    parts = np.array_split(order, n_parties)
    return {f"party {number}": np.sort(part) for number, part in enumerate(parts, start=1)}
