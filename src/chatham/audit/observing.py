"""What curious parties see of a fit: every total, less their own parts, to the last bit.

They follow the protocol and keep all that they see. They know their own rows, so they know their
own parts of every sum, noise included, and what remains is the sum over the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Simulated
from chatham.commons.fixed_point import Layout, unpack
from chatham.commons.interface import Step, name_of
from chatham.commons.precision import Precision

Parts = tuple[NDArray[Any], ...]


@dataclass(frozen=True)
class Round:
    """What a coalition sees of one round."""

    step: str
    """The step's name, without its module."""
    others: Parts
    """The sum over the others of each array."""
    noise: tuple[float, ...]
    """The standard deviation of what the others together added to a cell of each array."""
    shared: tuple[Any, ...]
    """What all start the round from, such as the topics."""
    units: tuple[float, ...]
    """The steps to which each holder rounds its part of each array."""


class Observed(Simulated):
    """Parties in this process, as between real ones, some of them curious: `rounds` has what those
    of the `coalition` see together."""

    def __init__(self, parts: Sequence[Any], coalition: Sequence[int] = (0,), **more: Any) -> None:
        self.coalition = tuple(coalition)
        super().__init__(parts, secure=True, **more)
        self.rounds: list[Round] = []
        self._sums = _Kept(self._sums, self.coalition)

    @property
    def _honest_at_most(self) -> int:
        return self.holders - len(self.coalition)

    def _masked(
        self, step: Step, shared: tuple[Any, ...], precision: Precision
    ) -> tuple[Parts, bool]:
        totals, is_tuple = super()._masked(step, shared, precision)
        documents = None if self.counted is None else self.counted.documents
        bits = precision.bits(totals, documents, self.holders, self.fraction_bits)
        kinds = tuple("f" if total.dtype.kind == "f" else "i" for total in totals)
        layout = Layout(tuple(total.shape for total in totals), kinds, bits)
        own = [unpack(layout, part) for part in self._sums.own]
        others = tuple(
            np.asarray(total - sum(mine)) for total, *mine in zip(totals, *own, strict=True)
        )
        self._saw(step, others, precision, bits, shared)
        return totals, is_tuple

    def _saw(
        self,
        step: Step,
        others: Parts,
        precision: Precision,
        bits: Sequence[int],
        shared: tuple[Any, ...],
    ) -> None:
        """Keep what the coalition saw of a round."""
        deviations = np.array(precision.deviations(len(others)))
        noise = np.sqrt(self.holders - len(self.coalition)) * deviations
        name = name_of(step).rsplit(".", 1)[1]
        units = tuple(2.0**-each for each in bits)
        self.rounds.append(Round(name, others, tuple(noise.tolist()), shared, units))


@dataclass
class _Kept:
    """Masked sums; the coalition's contributions to the last one are kept."""

    sums: Any
    coalition: tuple[int, ...]
    own: list[Any] = field(default_factory=list, init=False)

    def total(self, contributions: Any, digest: bytes) -> Any:
        """The sum, as it is between real parties."""
        self.own = [contributions[party].copy() for party in self.coalition]
        return self.sums.total(contributions, digest)
