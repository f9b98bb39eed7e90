"""My rows, and others' elsewhere: sums that go through a relay, masked.

If all machines compute the same to the last bit, a sum is a round. If they may not, each sum is
preceded by a small round that shows whether all parties start from the same state and, if they
don't, by one that gives them the first party's. Both are rounds like others, recorded and replayed,
so a party that comes back makes the same choices as those that stayed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons.fixed_point import Layout, Words, pack, unpack
from chatham.commons.interface import (
    Commons,
    Statistic,
    Step,
    as_rows,
    as_statistics,
    check_step,
    name_of,
    run_at,
)
from chatham.commons.memory import Memory
from chatham.commons.precision import DIRECTION, Precision
from chatham.commons.secure.noise import with_noise
from chatham.commons.state import floats_of, state_hash, with_floats
from chatham.errors import ChathamError, HolderError, InputError
from chatham.federation.party.connection import Connection
from chatham.federation.party.crossing import Crossing
from chatham.federation.party.ledger import Ledger
from chatham.federation.party.refusals import code_of
from chatham.wording import say

if TYPE_CHECKING:
    from chatham.federation.book import Page
    from chatham.federation.locking import FolderLock
    from chatham.federation.normed.sum import NormedLinks

NO_STATE = bytes(32)


def hash_state(rows: Any, memory: Memory, shared: tuple[Any, ...]) -> NDArray[np.int64]:
    """A hash of the shared state, to see whether all parties have the same to the last bit."""
    return np.frombuffer(state_hash(shared), ">u4").astype(np.int64)


def first_state(rows: Any, memory: Memory, shared: tuple[Any, ...]) -> NDArray[np.int64]:
    """The shared state to the last bit, from the roster's first party; nothing from the others."""
    halves = floats_of(shared).astype("<f8", copy=False).view("<u4").astype(np.int64)
    return halves if memory.index == 0 else np.zeros_like(halves)


class Party(Commons):
    """One real party's rows; every sum is over all parties of the session.

    `about` is a hash of whatever else must be the same everywhere, such as the vocabulary.
    """

    private = True
    told: int = 0
    """How many linear measurements of these rows were told before."""
    page: Page | None = None
    """The session's page in the book, which keeps count of them."""
    links: NormedLinks | None = None
    """Direct links with the other parties, which only normed sums need."""
    lock: FolderLock | None = None
    """What keeps others out of this party's folder."""
    opening: Callable[[], None] | None = None
    """What comes before the first sum: the question to all whether there may be any."""
    refusal: ChathamError | None = None
    """Why there may be none, once that is known."""

    def __init__(
        self, rows: Any, connection: Connection, ledger: Ledger, about: bytes = b""
    ) -> None:
        self.rows = as_rows(rows)
        self.n_features = int(self.rows.shape[1])
        self.connection, self.ledger = connection, ledger
        connection.hello_leaves = ledger.hello
        self.holders, self.index = connection.parties, connection.index
        self.exact_totals = connection.session.exact_totals_know
        self.privacy = connection.session.promised
        self._about = about
        self._untold = 0
        self._forget()

    @property
    def here(self) -> Sequence[Any]:
        """My own rows."""
        return [self.rows]

    def _total(
        self, step: Step, shared: tuple[Any, ...], precision: Precision
    ) -> Statistic | tuple[Statistic, ...]:
        check_step(step)
        shared = self.agreed(*shared)
        state = state_hash(shared)
        parts, is_tuple = self._part(step, shared, precision, state)
        if self.page is not None and self._untold and any(p.dtype.kind == "f" for p in parts):
            self.page.enter_measurements(self._untold)
            self._untold = 0
        totals = self._add(step, parts, precision, state)
        return totals if is_tuple else totals[0]

    def normed_sum(self, step: Step, *shared: Any, noise: float = 0.0) -> Statistic:
        """s/‖s‖₂ for the one array that the step returns, and nothing else; 0 for s = 0.

        It goes over `links`, not the relay, and protects against fewer than half the parties.
        """
        from chatham.federation.party.normed_rounds import NormedSum, agreed_direction, checked

        check_step(step)
        shared = self.agreed(*shared)
        precision = self._precision(DIRECTION, None, noise)
        state = state_hash(shared)
        parts, _ = self._part(step, shared, precision, state)
        part, links = checked(parts, self.links)
        layout, _ = self._packed(parts, precision)
        subject = b"normed" + name_of(step).encode() + layout.digest + self._about
        about = sha256(b"chatham about" + subject).digest()
        asked = NormedSum(step, part, layout, about, state)
        return agreed_direction(Crossing(self.connection, self.ledger), links, asked)

    def telling(self, measurements: int) -> None:
        """A fit will tell so many measurements, besides those that were told before.

        They are counted when the first of them leaves; whole numbers are tallies, and none.
        """
        self._open()
        if self.page is not None:
            self.told, self._untold = self.page.next_fit(), measurements

    def refuse(self, error: HolderError | InputError) -> None:
        """Tell the others that I take no part in the next round, if that is what an error means: so
        that they stop too, and don't wait for me. The error then says that they know."""
        code = code_of(error)
        if code is not None and self.connection.refuse(code, self.ledger.refusing):
            told = (
                "The other parties are told that this one refuses, but no figures; they stop too."
            )
            error.args = (say("{error} {told}", error=error, told=told),)

    def close(self) -> None:
        """Leave the folder, and close direct links, if any; the relay needs no goodbye."""
        if self.links is not None:
            self.links.close()
        if self.lock is not None:
            self.lock.close()

    def agreed(self, *shared: Any) -> tuple[Any, ...]:
        """The shared state, or the first party's if any party's differs from it."""
        self._open()
        if not self.connection.machines_differ:
            return shared
        mine = hash_state(self.rows, self._memory, shared)
        (total,) = self._add(hash_state, (mine,), Precision(), NO_STATE)
        if np.array_equal(total, self.holders * mine):
            return shared
        state = first_state(self.rows, self._memory, shared)
        (halves,) = self._add(first_state, (state,), Precision(), NO_STATE)
        return with_floats(shared, halves.astype("<u4").view("<f8").astype(np.float64))

    def _open(self) -> None:
        if self.lock is not None:
            self.lock.check()
        if self.refusal is not None:
            raise self.refusal
        if self.opening is not None:
            try:
                self.opening()
            except ChathamError as refusal:
                self.refusal = refusal
                raise
            self.opening = None

    def _part(
        self, step: Step, shared: tuple[Any, ...], precision: Precision, state: bytes
    ) -> tuple[tuple[Statistic, ...], bool]:
        """My part of a sum, with its noise, and whether the step returned a tuple."""
        parts, is_tuple = as_statistics(self._run(step, shared))
        if precision.noised:
            bits = self._bits(parts, precision)
            parts = with_noise(parts, precision, bits, self._memory, name_of(step), state)
        return parts, is_tuple

    def _run(self, step: Step, shared: tuple[Any, ...]) -> Statistic | tuple[Statistic, ...]:
        try:
            return run_at("This party", step, self.rows, self._memory, shared)
        except HolderError as error:
            self.refuse(error)
            raise

    def _packed(self, parts: tuple[Statistic, ...], precision: Precision) -> tuple[Layout, Words]:
        try:
            return pack(parts, self._bits(parts, precision), self.holders)
        except InputError as error:
            self.refuse(error)
            raise

    def _bits(self, parts: tuple[Statistic, ...], precision: Precision) -> tuple[int, ...]:
        documents = None if self.counted is None else self.counted.documents
        usual = self.connection.session.fraction_bits
        return precision.bits(parts, documents, self.holders, usual)

    def _add(
        self,
        step: Step,
        parts: tuple[Statistic, ...],
        precision: Precision,
        state: bytes,
    ) -> tuple[Statistic, ...]:
        """One round: the sum of all parties' arrays."""
        layout, _ = packed = self._packed(parts, precision)
        subject = name_of(step).encode() + layout.digest + self._about
        about = sha256(b"chatham about" + subject).digest()
        crossing = Crossing(self.connection, self.ledger)
        return unpack(layout, crossing.round(step, parts, packed, about, state))

    def _forget(self) -> None:
        secret = self.connection.identity.derive(b"rows" + self.connection.session.hash)
        self._memory = Memory(self.index or 0, self.holders, secret, self.told)
