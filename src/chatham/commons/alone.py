"""All rows in this process: the sum over one holder is what the holder computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chatham.commons.interface import Commons, Statistic, Step, as_rows, check_step, run_at
from chatham.commons.memory import Memory
from chatham.commons.precision import Precision


class Alone(Commons):
    """One holder, this process.

    >>> import numpy as np
    >>> from chatham.commons import Alone
    >>> Alone(np.ones((3, 2))).n_features
    2
    """

    holders = 1
    index = 0

    def __init__(self, rows: Any) -> None:
        self.rows = as_rows(rows)
        self.n_features = int(self.rows.shape[1])
        self._memory = Memory()

    @property
    def here(self) -> Sequence[Any]:
        """My rows."""
        return [self.rows]

    def _total(
        self, step: Step, shared: tuple[Any, ...], precision: Precision
    ) -> Statistic | tuple[Statistic, ...]:
        check_step(step)
        return run_at("The only holder", step, self.rows, self._memory, shared)

    def _forget(self) -> None:
        self._memory = Memory()
