"""Small mechanisms whose leaks are known, to audit the audit with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from chatham.audit.mechanisms import Observables, seen_totals
from chatham.audit.observing import Round


def bags(n=60, d=30, seed=0, length=25):
    """Random documents, no two alike."""
    draws = np.random.default_rng(seed)
    own = draws.dirichlet(np.full(d, 0.15), n)
    return sp.csr_array(draws.multinomial(length, own).astype(np.float64))


@dataclass(frozen=True)
class Released:
    """What a toy tells: one array a round, made from the database's unit rows."""

    deviation: float = 0.0

    def described(self):
        return {"toy": type(self).__name__, "deviation": self.deviation}

    def __call__(self, database, seed):
        draws = np.random.default_rng(seed)
        rounds = [
            Round("release", (np.asarray(cells),), (self.deviation,), (), (2.0**-20,))
            for cells in self.rounds(units(database), draws)
        ]
        d = database.shape[1]
        return Observables(d, totals=tuple(seen_totals(rounds, d)))

    def noise(self, draws, shape):
        return self.deviation * draws.standard_normal(shape)


def units(rows):
    return rows.toarray() / np.linalg.norm(rows.toarray(), axis=1, keepdims=True)


class Constant(Released):
    """Tells the same whatever the database."""

    def rounds(self, rows, draws):
        return [np.ones(rows.shape[1])] * 2


class Database(Released):
    """Releases the database."""

    def rounds(self, rows, draws):
        return [rows]


class NoisySums(Released):
    """Sums with Gaussian noise, twice: as private as the noise is large."""

    def rounds(self, rows, draws):
        total = rows.sum(axis=0)
        return [total + self.noise(draws, total.shape) for _ in range(2)]


class NoiseVaries(Released):
    """Pure noise, and more of it if the document is there: no mean differs."""

    def rounds(self, rows, draws):
        size = 1.2 if has_planted(rows) else 1.0
        return [size * draws.standard_normal(rows.shape[1]) for _ in range(5)]


class LowBit(Released):
    """Noise, whose lowest bit is odd twice as often if the document is there."""

    def rounds(self, rows, draws):
        even = 2 * np.rint(draws.standard_normal((5, rows.shape[1])) * 2**19)
        odd = draws.random(even.shape) < (0.6 if has_planted(rows) else 0.3)
        return [(even + odd) * 2.0**-20]


PLANTED = 3
"""The row of `bags()` that leaks are planted for."""


def has_planted(rows):
    return bool(np.isclose(rows, units(bags())[PLANTED]).all(axis=1).any())


class SeedTwice(Released):
    """Two rounds, of nothing and of everything, hidden by the same noise."""

    def rounds(self, rows, draws):
        total = rows.sum(axis=0)
        noise = self.noise(draws, total.shape)
        return [noise, total + noise]


class RoundWithout(Released):
    """Noisy sums, but noise is left out in one of the rounds."""

    def rounds(self, rows, draws):
        total = rows.sum(axis=0)
        return [total + self.noise(draws, total.shape), total]
