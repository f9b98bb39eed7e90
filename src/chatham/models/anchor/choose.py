"""Step 2 of the algorithm: anchors, in whatever way they were asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.models.anchor.conditional import Conditional, Group
from chatham.models.anchor.cooccurrence import Cooccurrence
from chatham.models.anchor.hull import hull_anchors
from chatham.models.anchor.projected import fast_anchors
from chatham.models.anchor.select import candidate_words, pivoted_qr, usual_least
from chatham.models.anchor.settings import check_candidates


def candidates_among(counted: Cooccurrence, least: Any, k: int, wanted: int) -> NDArray[np.bool_]:
    """Which words may be anchors; an error where fewer are frequent enough than are wanted."""
    frequencies = counted.document_frequencies
    if isinstance(least, str):
        least = usual_least(frequencies, counted.kept, k)
    candidates = candidate_words(frequencies, counted.kept, least)
    check_candidates(int(candidates.sum()), wanted, counted.kept, least)
    return candidates


def choose_anchors(
    words: Conditional,
    k: int,
    candidates: NDArray[np.bool_],
    *,
    way: Any,
    given: list[Group],
    dimensions: int,
    seed: int,
) -> list[Group]:
    """k anchors: those given and what the pivoted QR adds to them, or found as `way` says."""
    if given or way == "qr":
        return pivoted_qr(words, k, candidates, given)[0]
    if way == "fast":
        return fast_anchors(words, k, candidates, seed=seed)[0]
    return hull_anchors(words, k, candidates, method=way, dimensions=dimensions, seed=seed)[0]
