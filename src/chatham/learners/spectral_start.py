"""A start from anchor words, for learners that climb from wherever they begin.

Random starts may leave two small topics in one for good; the spectral solution has no start. Here
alone a learner uses another one: as anybody would, by fitting it. So its own rules hold, between
parties too: which totals cross, what is refused, and how many measurements a fit tells.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons
from chatham.learners.anchor import AnchorWords

ANCHOR = "anchor"
"""The `init` that asks for it."""


class StartsFromAnchors:
    """What a learner with `init="anchor"` tells and checks beforehand, as `AnchorWords` does."""

    n_components: int
    init: Any

    def _check_between_parties(self, exact_totals: bool = False) -> None:
        if asks_for_anchors(self.init):
            AnchorWords(self.n_components, refine=0)._check_between_parties(exact_totals)

    def _measurements(self) -> int:
        if not asks_for_anchors(self.init):
            return 0
        return AnchorWords(self.n_components, refine=0)._measurements()

    def _check_told(self, rows: Any, before: int) -> None:
        if asks_for_anchors(self.init):
            AnchorWords(self.n_components, refine=0)._check_told(rows, before)


def asks_for_anchors(init: Any) -> bool:
    """Whether this `init` is the spectral start."""
    return isinstance(init, str) and init == ANCHOR


def anchored_topics(commons: Commons, k: int, seed: int) -> NDArray[np.float64]:
    """The topics that anchor words find, unrefined."""
    return AnchorWords(k, refine=0)._fit(commons, seed).topics
