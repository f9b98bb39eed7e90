"""A normed sum in a session: computed over direct links, then confirmed by a round at the relay.

First a round in which all say that they are here; then the links; then a round to which each party
contributes its result, or nothing if its links broke. So a direction is on every party's disk, with
all signatures, before anyone acts on it; a party that was stopped gets it from the others; and it
is computed again only if nobody has it. That reveals it a second time under another blur, so it is
tried only a few times.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons.fixed_point import Words, signed
from chatham.commons.interface import Statistic
from chatham.errors import InputError, LinkError, ProtocolError
from chatham.federation.normed.protocol import OUTPUT
from chatham.federation.normed.sum import NormedLinks
from chatham.federation.party.connection import Connection

TRIES = 5


def agreed_direction(
    connection: Connection,
    links: NormedLinks,
    part: Statistic,
    bits: int,
    about: bytes,
    state: bytes,
) -> NDArray[np.float64]:
    """s/‖s‖ for the sum s of all parties' contributions; all have signed it."""
    about_presence = sha256(b"chatham normed here" + about).digest()
    about_result = sha256(b"chatham normed found" + about).digest()
    tries = 0
    while True:
        connection.round(np.ones(1, np.uint64), about_presence, state)
        mine = error = None
        if connection.rounds.completed == connection.opened:  # nobody has computed it yet
            mine, error, tries = *_tried(links, part, bits, about), tries + 1
        total = connection.round(_as_words(mine, part.size), about_result, state)
        finders, *units = (int(number) for number in signed(total))
        if finders:
            return _direction(finders, units, mine).reshape(part.shape)
        if tries >= TRIES:
            assert error is not None
            raise error


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
    links: NormedLinks, part: NDArray[Any], bits: int, about: bytes
) -> tuple[NDArray[np.float64] | None, LinkError | ProtocolError | None]:
    try:
        return links.normed_sum(part, bits, about), None
    except (LinkError, ProtocolError) as error:
        return None, error


def _as_words(direction: NDArray[np.float64] | None, size: int) -> Words:
    words = np.zeros(1 + size, np.int64)
    if direction is not None:
        words[0] = 1
        words[1:] = np.rint(direction.ravel() * 2.0**OUTPUT)
    return words.view(np.uint64)


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
