"""A normed sum in a session: computed over direct links, then confirmed by a round at the relay.

First a round in which all say that they are here; then the links; then a round to which each party
contributes its result, or nothing if its links broke. So a direction is on every party's disk, with
all signatures, before anyone acts on it; a party that was stopped gets it from the others; and it
is computed again only if nobody has it. That reveals it a second time under another blur, so it is
tried only a few times, and how often shares left is on disk before they do: starting a party again
doesn't give it more tries.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chatham.commons.fixed_point import Layout, Words, pack, signed
from chatham.commons.interface import Statistic, Step
from chatham.errors import CheckpointError, InputError, LinkError, ProtocolError
from chatham.federation.files import write_whole
from chatham.federation.normed.protocol import OUTPUT
from chatham.federation.normed.sum import NormedLinks
from chatham.federation.party.crossing import Crossing

TRIES = 5
TRIED = "normed.json"
"""Where a party keeps how often it has tried its last normed sum."""


def be_here() -> NDArray[np.int64]:
    """A one, from each party that is here for a sum over direct links."""
    return np.ones(1, np.int64)


def found_direction(direction: NDArray[np.float64] | None, size: int) -> NDArray[np.int64]:
    """A one and the direction found over direct links, or zeros from a party whose links broke."""
    numbers = np.zeros(1 + size, np.int64)
    if direction is not None:
        numbers[0] = 1
        numbers[1:] = np.rint(direction.ravel() * 2.0**OUTPUT)
    return numbers


@dataclass(frozen=True)
class NormedSum:
    """One normed sum: what is added up, and hashes of what it is about and of the shared state."""

    step: Step
    part: Statistic
    layout: Layout
    about: bytes
    state: bytes

    def about_round(self, which: bytes) -> bytes:
        """A hash of what one of its two rounds is about."""
        return sha256(b"chatham normed " + which + self.about).digest()


def agreed_direction(
    crossing: Crossing, links: NormedLinks, asked: NormedSum
) -> NDArray[np.float64]:
    """s/‖s‖ for the sum s of all parties' contributions; all have signed it."""
    connection = crossing.connection
    tries, attempts = Tries(connection.folder, connection.opened + 1), 0
    while True:
        _add(crossing, be_here, be_here(), b"here", asked)
        mine = error = None
        if connection.rounds.completed == connection.opened:  # nobody has computed it yet
            mine, error, attempts = *_tried(crossing, links, asked, tries), attempts + 1
        result = found_direction(mine, asked.part.size)
        total = _add(crossing, found_direction, result, b"found", asked)
        finders, *units = (int(number) for number in signed(total))
        if finders:
            return _direction(finders, units, mine).reshape(asked.part.shape)
        is_last = connection.rounds.completed == connection.opened  # of those on any disk
        if is_last and max(attempts, tries.number) >= TRIES:
            raise error or _too_many()


class Tries:
    """How often shares of a normed sum left, whichever process of this party sent them; `first` is
    the number of the sum's first round."""

    def __init__(self, folder: Path, first: int) -> None:
        self._path, self._first = folder / TRIED, first
        self.number = self._read()

    def begin(self) -> int:
        """Count one more before anything of it leaves; its number."""
        kept = json.dumps({"round": self._first, "tries": self.number + 1}).encode()
        try:
            write_whole(self._path, kept)
        except OSError as error:
            raise CheckpointError(
                f"{TRIED} can't be written ({error.strerror}), so nothing leaves; make room and "
                "join again: the session resumes where it stopped."
            ) from None
        self.number += 1
        return self.number

    def _read(self) -> int:
        if not self._path.exists():
            return 0
        try:
            kept = json.loads(self._path.read_bytes())
            first, tries = kept["round"], kept["tries"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            first = tries = None
        if type(first) is not int or type(tries) is not int:
            raise CheckpointError(
                f"{self._path.name} is damaged: it doesn't say how often the last normed sum was "
                "tried, and one that is tried too often says more than its direction. Start a new "
                "session."
            )
        return tries if first == self._first else 0


def _add(
    crossing: Crossing, step: Step, numbers: NDArray[np.int64], which: bytes, asked: NormedSum
) -> Words:
    packed = pack((numbers,), [0], crossing.connection.parties)
    return crossing.round(step, (numbers,), packed, asked.about_round(which), asked.state)


def checked(
    parts: tuple[Statistic, ...], links: NormedLinks | None
) -> tuple[Statistic, NormedLinks]:
    """The one array that a step returned, and the links for it; refused if either is missing."""
    if links is None:
        raise InputError(
            "A normed sum goes over direct links, not the relay, but this party has none; join "
            "with the private key of the certificate that the session names for it."
        )
    if len(parts) != 1:
        raise InputError(f"A normed sum is of one array; the step returned {len(parts)}.")
    return parts[0], links


def _tried(
    crossing: Crossing, links: NormedLinks, asked: NormedSum, tries: Tries
) -> tuple[NDArray[np.float64] | None, LinkError | ProtocolError | None]:
    """My result and what prevented it, if anything did; nothing leaves if that was too often."""
    if tries.number >= TRIES:
        return None, _too_many()
    round_ = crossing.connection.opened + 1

    def leaving() -> None:
        attempt = tries.begin()
        crossing.ledger.leaving(round_, asked.step, asked.layout, (asked.part,), attempt=attempt)

    try:
        return links.normed_sum(asked.part, asked.layout.bits[0], asked.about, leaving), None
    except (LinkError, ProtocolError) as error:
        return None, error


def _too_many() -> LinkError:
    return LinkError(
        f"This normed sum was tried {TRIES} times, and each try shows its direction under another "
        "blur, so it isn't tried again; see that the links hold, and start a new session."
    )


def _direction(
    finders: int, units: list[int], mine: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    wholes = [unit // finders for unit in units]
    direction = np.array(wholes, dtype=np.float64) / 2.0**OUTPUT
    same = [whole * finders for whole in wholes] == units
    if not same or (mine is not None and not np.array_equal(mine.ravel(), direction)):
        raise ProtocolError(
            "Parties computed different directions in one normed sum: somebody didn't follow the "
            "rules. Nothing was done with it; compare the totals in your ledgers."
        )
    return direction
