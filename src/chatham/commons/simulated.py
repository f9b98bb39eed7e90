"""Several holders in one process: for tests, demonstrations and audits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chatham.commons.interface import (
    Commons,
    Memory,
    Statistic,
    Step,
    as_rows,
    as_statistics,
    check_step,
    name_of,
    run_at,
)
from chatham.errors import HolderError, InputError


class Simulated(Commons):
    """M holders, each with its own rows and private memory; the total is their sum.

    >>> import numpy as np
    >>> from chatham.commons import Simulated
    >>> Simulated([np.ones((3, 2)), np.ones((1, 2))]).holders
    2
    """

    index = None

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts = [as_rows(rows) for rows in parts]
        self.holders = len(self.parts)
        if not self.parts:
            raise InputError("Simulated got no rows; give it at least one holder's matrix.")
        widths = [int(rows.shape[1]) for rows in self.parts]
        if len(set(widths)) > 1:
            raise InputError(
                f"Simulated got matrices with {widths} columns; every holder must count the same "
                "words, so build all matrices with one vocabulary."
            )
        self.n_features = widths[0]
        self._forget()

    def _total(
        self, step: Step, shared: tuple[Any, ...], bits: int | Sequence[int] | None
    ) -> Statistic | tuple[Statistic, ...]:
        check_step(step)
        totals: tuple[Statistic, ...] | None = None
        for memory, rows in zip(self._memories, self.parts, strict=True):
            holder = f"Holder {memory.index + 1} of {self.holders}"
            parts, is_tuple = as_statistics(run_at(holder, step, rows, memory, shared))
            totals = parts if totals is None else _add(totals, parts, holder, step)
        assert totals is not None
        return totals if is_tuple else totals[0]

    def _forget(self) -> None:
        self._memories = [Memory(holder, self.holders) for holder in range(self.holders)]


def _add(
    totals: tuple[Statistic, ...], parts: tuple[Statistic, ...], holder: str, step: Step
) -> tuple[Statistic, ...]:
    if [t.shape for t in totals] != [p.shape for p in parts]:
        raise HolderError(
            f"{holder} returned shapes {[p.shape for p in parts]} from {name_of(step)} where "
            f"others returned {[t.shape for t in totals]}; a statistic's shape may not depend on "
            "the rows."
        )
    return tuple(np.add(total, part) for total, part in zip(totals, parts, strict=True))
