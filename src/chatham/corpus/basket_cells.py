"""What an item counts in a basket: how often it is there, or what its rating says."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chatham.corpus.checks import id_strings
from chatham.errors import InputError
from chatham.naming import plural

LARGEST_COUNT = 2**31 - 1


def coded(column: pd.Series, use: str) -> tuple[list[str], NDArray[np.int64]]:
    """The different values as strings, in the order they come in, and which one each row has."""
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
            f"scale × rating must stay below {LARGEST_COUNT:,}: lower scale={scale!r}."
        )
    if again := int((cells.times > 1).sum()):
        notes.append(f"{plural(again, 'item')} rated again in the same basket: the mean counts.")
    if nothing := int((sizes == 0).sum()):
        notes.append(f"{plural(nothing, 'rating')} below half a count at scale={scale:g}: count 0.")
    return sizes.astype(np.int64)
