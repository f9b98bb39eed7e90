"""Masked holders that look at every sum: is it within the fixed-point bound, can it be shared?"""

import numpy as np

import chatham as ch
from chatham.commons.fixed_point import LARGEST
from chatham.commons.state import state_hash


class Watched(ch.Simulated):
    """`Simulated(secure=True)` that checks each total against the parts and hashes what is shared.

    Totals are exact, even those that give documents away: noise would be all that there is to see.

    `states` has the hashes, and `room` how large the parts were beside the largest possible.
    """

    def __init__(self, parts, **more):
        self.states, self.room, self._parts = [], 0.0, []
        super().__init__(parts, secure=True, **{"exact_totals": True, **more})

    def _run(self, step, rows, memory, shared):
        found, is_tuple = super()._run(step, rows, memory, shared)
        self._parts.append([np.array(part) for part in found])
        return found, is_tuple

    def _total(self, step, shared, precision):
        self._parts = []
        self.states.append(state_hash(shared))
        total = super()._total(step, shared, precision)
        totals = total if isinstance(total, tuple) else (total,)
        documents = self.counted and self.counted.documents
        bits = precision.bits(self._parts[0], documents, self.holders, self.fraction_bits)
        for found, parts, f in zip(totals, zip(*self._parts, strict=True), bits, strict=True):
            self._check(found, np.array(parts), f)
        return total

    def _check(self, found, parts, f):
        exact = np.sum(parts.astype(np.longdouble), axis=0)
        bound = self.holders * 2.0 ** -(f + 1) + 2.0**-52 * np.abs(exact)
        assert (np.abs(found - exact) <= bound).all()
        largest = float(np.abs(parts).max(initial=0.0)) * 2.0**f
        self.room = max(self.room, largest / (LARGEST // self.holders))
