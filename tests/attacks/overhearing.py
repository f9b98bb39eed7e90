"""What curious parties hear: every total of a fit, less their own parts, to the last bit.

They follow the protocol and keep all that they see. They know their own rows, so they know their
own parts of every sum, noise included, and what remains is the sum over the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

import chatham as ch
from chatham.commons.fixed_point import Layout, unpack
from chatham.commons.interface import name_of


@dataclass(frozen=True)
class Heard:
    """One round: the step's name, the sum over the others, and the noise in it."""

    step: str
    others: tuple[Any, ...]
    noise: tuple[float, ...]
    """The standard deviation of what the others added to a cell of each array."""
    shared: tuple[Any, ...]
    """What all start the round from, such as the topics."""
    units: tuple[float, ...]
    """The steps to which each holder rounds its part of each array."""


class Overheard(ch.Simulated):
    """`Simulated(secure=True)` with curious holders: `heard` has all that they hear together."""

    def __init__(self, parts: Any, coalition: Sequence[int] = (0,), **more: Any) -> None:
        super().__init__(parts, secure=True, **more)
        self.coalition = coalition
        self.heard: list[Heard] = []
        self._sums = Kept(self._sums, coalition)

    def _masked(self, step: Any, shared: Any, precision: Any) -> Any:
        totals, is_tuple = super()._masked(step, shared, precision)
        documents = None if self.counted is None else self.counted.documents
        bits = precision.bits(totals, documents, self.holders, self.fraction_bits)
        kinds = tuple("f" if total.dtype.kind == "f" else "i" for total in totals)
        layout = Layout(tuple(total.shape for total in totals), kinds, bits)
        own = [unpack(layout, part) for part in self._sums.own]
        others = tuple(total - sum(mine) for total, *mine in zip(totals, *own, strict=True))
        deviations = np.array(precision.deviations(len(totals)))
        noise = np.sqrt(self.holders - len(self.coalition)) * deviations
        step_name = name_of(step).rsplit(".", 1)[1]
        units = tuple(2.0**-each for each in bits)
        self.heard.append(Heard(step_name, others, tuple(noise.tolist()), shared, units))
        return totals, is_tuple


@dataclass
class Kept:
    """Masked sums; the curious parties' contributions to the last one are kept."""

    sums: Any
    coalition: Sequence[int]
    own: list[Any] = field(default_factory=list, init=False)

    def total(self, contributions: Any, digest: bytes) -> Any:
        """The sum, as it is between real parties."""
        self.own = [contributions[party].copy() for party in self.coalition]
        return self.sums.total(contributions, digest)


@dataclass
class Sample:
    """The bundled sample, weighted as `ch.fit` does, and three parties: one for each community."""

    counts: sp.csr_array
    """The others' documents: the truth, which an attack is compared with."""
    idf: Any
    """Everybody knows it: it follows from sums."""
    parts: list[sp.csr_array]
    """Everybody's rows; the curious party's first."""


def sample(curious: str = "resources") -> Sample:
    """The bundled sample as three parties' rows."""
    from chatham.corpus.text.weighting import own_idf

    corpus = ch.sample_corpus()
    by_party = corpus.parties(by="community")
    names = [curious, *sorted(set(by_party) - {curious})]
    counts = [sp.csr_array(by_party[name].counts, dtype=np.float64) for name in names]
    idf = own_idf(sp.vstack(counts, format="csr"))
    parts = [sp.csr_array(each @ sp.diags_array(idf)) for each in counts]
    return Sample(sp.csr_array(sp.vstack(counts[1:], format="csr")), idf, parts)


def overheard(parts: Any, learner: Any, **more: Any) -> tuple[list[Heard], Any]:
    """What the first party hears of a fit, and the model."""
    secrets = [b"secret %d" % party for party in range(len(parts))]
    commons = Overheard(parts, secrets=secrets, **more)
    return commons.heard, learner.fit(commons)
