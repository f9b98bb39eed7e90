"""A ledger around any commons: one entry per array that crossed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from chatham.commons.counting import Counted, count_documents
from chatham.commons.interface import (
    Commons,
    Statistic,
    Step,
    as_statistics,
    meaning_of,
    name_of,
)
from chatham.commons.precision import Precision


@dataclass(frozen=True)
class Entry:
    """One array that crossed in one round."""

    round: int
    statistic: str
    meaning: str
    array: int
    shape: tuple[int, ...]
    dtype: str
    bytes: int


class Recorded(Commons):
    """The same sums as the commons inside, and `ledger`: a list of all that crossed.

    >>> import numpy as np
    >>> from chatham.commons import Alone, Recorded
    >>> commons = Recorded(Alone(np.ones((3, 2))))
    >>> commons.count().documents
    3
    >>> commons.ledger[0].shape, commons.ledger[0].bytes
    ((2,), 16)
    """

    def __init__(self, commons: Commons) -> None:
        self.commons = commons
        self.holders, self.index = commons.holders, commons.index
        self.n_features, self.private = commons.n_features, commons.private
        self.exact_totals, self.privacy = commons.exact_totals, commons.privacy
        self.ledger: list[Entry] = []
        self._rounds = 0

    @property
    def here(self) -> Sequence[Any]:
        """The rows of the commons inside."""
        return self.commons.here

    def _total(
        self, step: Step, shared: tuple[Any, ...], precision: Precision
    ) -> Statistic | tuple[Statistic, ...]:
        most, bound, noise = precision.most, precision.total, precision.noise
        total = self.commons.sum(step, *shared, most=most, total=bound, noise=noise)
        self._rounds += 1
        for number, array in enumerate(as_statistics(total)[0]):
            self.ledger.append(_entry(self._rounds, step, number, array))
        return total

    def count(self) -> Counted:
        """The commons' own count, which is what bounds its sums."""
        self.counted = self.commons.count()
        self._rounds += 1
        self.ledger.append(_entry(self._rounds, count_documents, 0, np.array(self.counted)))
        return self.counted

    def telling(self, measurements: int) -> None:
        """As the commons inside keeps count."""
        self.commons.telling(measurements)

    def normed_sum(self, step: Step, *shared: Any, noise: float = 0.0) -> Statistic:
        """The commons' own: one that hides a sum's norm hides it here too."""
        direction = self.commons.normed_sum(step, *shared, noise=noise)
        self._rounds += 1
        self.ledger.append(_entry(self._rounds, step, 0, direction))
        return direction

    def agreed(self, *shared: Any) -> tuple[Any, ...]:
        """As the commons inside agrees."""
        return self.commons.agreed(*shared)

    def _forget(self) -> None:
        self.commons.counted = None
        self.commons._forget()

    def write(self, path: str | PathLike[str]) -> None:
        """Write the ledger as JSON lines, one entry per line."""
        lines = (json.dumps(asdict(entry)) + "\n" for entry in self.ledger)
        Path(path).write_text("".join(lines), encoding="utf-8")


def _entry(round_: int, step: Step, number: int, array: Statistic) -> Entry:
    return Entry(
        round=round_,
        statistic=name_of(step),
        meaning=meaning_of(step),
        array=number,
        shape=array.shape,
        dtype=str(array.dtype),
        bytes=array.nbytes,
    )
