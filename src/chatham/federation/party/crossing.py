"""A round and its lines in the ledger: what left, or that nothing had to, and what came."""

from __future__ import annotations

from dataclasses import dataclass

from chatham.commons.fixed_point import Layout, Words
from chatham.commons.interface import Statistic, Step, meaning_of
from chatham.federation.party.connection import Connection
from chatham.federation.party.ledger import Ledger


@dataclass(frozen=True)
class Crossing:
    """My connection, and my ledger of what crosses it."""

    connection: Connection
    ledger: Ledger

    def round(
        self,
        step: Step,
        parts: tuple[Statistic, ...],
        packed: tuple[Layout, Words],
        about: bytes,
        state: bytes,
    ) -> Words:
        """The sum of all parties' arrays, as words; what leaves is in the ledger before it does."""
        number = self.connection.opened + 1
        layout, words = packed
        has_left = False
        self.connection.step = meaning_of(step)

        def leaving() -> None:
            nonlocal has_left
            has_left = True
            self.ledger.leaving(number, step, layout, parts)

        total = self.connection.round(words, about, state, leaving)
        if not has_left:
            self.ledger.replayed(number, step, layout, parts)
        self.ledger.came(number, total.nbytes, self.connection.rounds.total(number).hash)
        return total
