"""What is drawn and tabulated: a line for each way to begin, with all its trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from inference_study.records import Record
from initialisations_study.documents import Source
from initialisations_study.trials import LOCAL, RANDOM, SINGULAR, TWICE

Array = NDArray[np.float64]

MAIN = (RANDOM, TWICE, SINGULAR, LOCAL)
NATURAL = "local, natural"


def deviation(values: Array) -> Array:
    """The standard deviation over trials; of a single trial, nothing.

    >>> float(deviation(np.array([1.0, 3.0])).round(3)), float(deviation(np.array([1.0])))
    (1.414, 0.0)
    """
    return np.std(values, axis=0, ddof=1) if len(values) > 1 else np.zeros_like(values[0])


@dataclass(frozen=True)
class Line:
    """One way to begin: a row for each trial, a column for each iteration."""

    left: Array
    """What was left unexplained, as a share of ‖X‖²."""
    rounds: NDArray[np.int64]
    """How many there had been."""
    bytes: NDArray[np.int64]
    """What each party had sent."""
    before: NDArray[np.int64]
    """Rounds and bytes before the first iteration, of each trial."""

    @property
    def end(self) -> Array:
        """What was left at the end of each trial."""
        return np.asarray(self.left[:, -1])

    def every(self, columns: slice) -> Line:
        """The same line, seen at some iterations only."""
        return Line(
            self.left[:, columns], self.rounds[:, columns], self.bytes[:, columns], self.before
        )

    def at_round(self, number: int) -> Array | None:
        """What each trial has left after so many rounds; None where one hasn't even begun."""
        done = (self.rounds <= number).sum(axis=1)
        if not done.all():
            return None
        return np.asarray(self.left[np.arange(len(done)), done - 1])

    def reaches(self, target: float) -> dict[str, float]:
        """How many trials reach a value; in the median of these, when and with how many bytes."""
        there = self.left <= target
        rows = np.flatnonzero(there.any(axis=1))
        first = there[rows].argmax(axis=1)
        if not len(rows):
            return {"trials": 0}
        return {
            "trials": len(rows),
            "iteration": float(np.median(first + 1)),
            "rounds": float(np.median(self.rounds[rows, first])),
            "bytes": float(np.median(self.bytes[rows, first])),
        }


@dataclass(frozen=True)
class Case:
    """One source and number of topics, with everything that was found."""

    source: Source
    k: int
    iterations: int
    parties: int
    records: Sequence[Record]

    @cached_property
    def lines(self) -> dict[str, Line]:
        """The ways of the thesis's figures, between so many parties or the natural ones.

        `random_2x` has two iterations for one of the others'.
        """
        once = slice(None, self.iterations)
        lines = {
            RANDOM: self._from(TWICE).every(once),
            TWICE: self._from(TWICE).every(slice(1, None, 2)),
            SINGULAR: self._from(SINGULAR).every(once),
            LOCAL: self.local(self.parties),
        }
        if self.source.natural is not None:
            lines[NATURAL] = self.local(self.source.natural)
        return lines

    @cached_property
    def costs(self) -> dict[str, Line]:
        """The same for what they cost: `random` and `nndsvd` to their very ends."""
        long = {RANDOM: self._from(TWICE), SINGULAR: self._from(SINGULAR)}
        return {**long, **{n: line for n, line in self.lines.items() if n in (LOCAL, NATURAL)}}

    def local(self, parties: int | str) -> Line:
        """From everybody's own topics, between these parties."""
        return self._from(LOCAL, parties)

    @property
    def holders(self) -> list[int | str]:
        """Between which parties own topics were tried."""
        return list(dict.fromkeys(r["parties"] for r in self.records if r["init"] == LOCAL))

    @property
    def best(self) -> float:
        """The least that was left by any trial."""
        return float(min(min(record["left"]) for record in self.records))

    @property
    def revived(self) -> dict[str, int]:
        """How many topics began anew, by start, in all trials."""
        return {
            init: sum(r["revived"] for r in self.records if r["init"] == init)
            for init in (TWICE, SINGULAR, LOCAL)
        }

    @property
    def unlike_pooled(self) -> float:
        """How far, at most, nine parties' nndsvd is from that of one pool, as a share."""
        pooled = self._from(SINGULAR, 1).left[0]
        split = self._from(SINGULAR).left[0, : len(pooled)]
        return float(np.abs(split / pooled - 1.0).max())

    def _from(self, init: str, parties: int | str | None = None) -> Line:
        parties = self.parties if parties is None else parties
        chosen = [r for r in self.records if r["init"] == init and r["parties"] == parties]
        left, rounds, sent, before = (
            np.array([record[name] for record in chosen])
            for name in ("left", "rounds", "bytes", "before")
        )
        return Line(left, rounds, sent, before)
