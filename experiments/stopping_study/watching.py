"""A commons that remembers topics that crossed, and when: one long fit shows all shorter ones."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Alone

STEPS = ("topic_statistics", "expectations", "assign_documents")
"""The step of each learner that begins an iteration; its first argument is the topics."""

DENSE = (*range(5, 200, 5), *range(200, 2001, 25))
"""After how many iterations topics are remembered."""


class Watching(Alone):
    """All rows here, and the topics after some of the iterations."""

    def __init__(self, rows: Any) -> None:
        super().__init__(rows)
        self.iteration = -1
        self.topics: dict[int, NDArray[np.float32]] = {}
        self.last = np.empty((0, 0))
        self.seconds: list[float] = []
        """Of the processor, from the beginning to the end of each iteration."""
        self._began = time.process_time()

    def _total(self, step: Any, shared: tuple[Any, ...], precision: Any) -> Any:
        if step.__name__ in STEPS:
            self.iteration += 1  # so many have gone before
            if self.iteration:
                self.seconds.append(time.process_time() - self._began)
            self.last = shared[0]
            if self.iteration in DENSE:
                self.topics[self.iteration] = shared[0].astype(np.float32)
        return super()._total(step, shared, precision)
