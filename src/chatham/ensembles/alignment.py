"""Summaries over one vocabulary: the words of all parties, in alphabetical order.

A word that a party doesn't publish is unknown there, which is not the same as a word that never
occurs: the party may not have counted it, or too few of its documents may have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chatham.ensembles.summary import Summary
from chatham.errors import InputError

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Aligned:
    """Summaries of one kind, with names, and where their words are among all words."""

    summaries: Sequence[Summary]
    names: Sequence[str]
    vocabulary: NDArray[np.object_]
    columns: Sequence[NDArray[np.int64]]

    @cached_property
    def observed(self) -> NDArray[np.bool_]:
        """Which words each party publishes (parties × words)."""
        known = np.zeros((len(self.summaries), len(self.vocabulary)), dtype=bool)
        for party, columns in enumerate(self.columns):
            known[party, columns] = True
        return known

    @property
    def complete(self) -> bool:
        """Whether every party publishes every word."""
        return bool(self.observed.all())

    @property
    def kind(self) -> str:
        """What all are summaries of."""
        return self.summaries[0].kind

    def spread(self, party: int, array: Array) -> Array:
        """A party's array over its words as one over all words, with zeros elsewhere."""
        wide = np.zeros((*array.shape[:-1], len(self.vocabulary)))
        wide[..., self.columns[party]] = array
        return wide


def aligned(summaries: Sequence[Summary], names: Sequence[str] = ()) -> Aligned:
    """Find the words of all, and refuse summaries that can't be compared."""
    check_kinds(summaries)
    names = list(names) or [each.name for each in summaries]
    words = sorted({word for each in summaries for word in each.vocabulary})
    place = {word: column for column, word in enumerate(words)}
    vocabulary = np.empty(len(words), dtype=object)
    vocabulary[:] = words
    columns = [
        np.array([place[word] for word in each.vocabulary], dtype=np.int64) for each in summaries
    ]
    together = Aligned(list(summaries), names, vocabulary, columns)
    _check_common(together)
    return together


def check_kinds(summaries: Sequence[Summary]) -> None:
    """Refuse to merge nothing, or models of different kinds."""
    if not summaries:
        raise InputError("There is nothing to merge; give at least one summary.")
    kinds = sorted({each.kind for each in summaries})
    if len(kinds) > 1:
        raise InputError(
            f"These summaries are of {' and '.join(kinds)}, and models of different kinds can't be "
            f"merged; have all parties publish one kind, such as {kinds[0]}."
        )


def _check_common(together: Aligned) -> None:
    """Refuse parties that no words connect: their topics can't be compared."""
    known = together.observed
    reached, grown = known[0], True
    while grown:
        joined = (known & reached).any(axis=1)
        wider = known[joined].any(axis=0)
        grown, reached = bool((wider != reached).any()), wider
    joined = (known & reached).any(axis=1)
    apart = [name for name, has in zip(together.names, joined, strict=True) if not has]
    if apart:
        raise InputError(
            f"{', '.join(apart)} and {together.names[0]} have no word in common, not even by way "
            "of the other summaries, so their topics can't be compared; publish models over words "
            "that all may use."
        )
