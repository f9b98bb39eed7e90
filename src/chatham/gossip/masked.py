"""A masked sum over a neighbourhood: an agent and all its neighbours, at least three in all.

The neighbours of an agent need not be each other's, so it stands between them as a relay stands
between the parties of a session, and what they agree on keys by, mask and add up is the same:
hellos, shares, confirmations (`commons.secure.agreement`), then everybody's words under masks that
cancel in the sum. Only that here whoever stands between is one of them: it sees the total, as all
others do in the end, and nobody's part of it.

Each exchange has keys of its own, which live in memory and are never used for another.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from chatham.commons.fixed_point import Words, decode, encode
from chatham.commons.secure.agreement import SEALED, Handshake, Message
from chatham.commons.secure.frames import LONGEST_HEADER, SIGNATURE, START, Frame, read_frame
from chatham.commons.secure.keys import Identity
from chatham.commons.secure.masks import TAG, Masks
from chatham.errors import ProtocolError
from chatham.federation.wire import Answer, read_answer, write_answer

Array = NDArray[np.float64]

LEAST = 3
"""Of two, each could subtract its own part from the total."""
ROUND = 1


class UnderMasks:
    """One agent's part in the masked sum of one exchange; `gossip.exchange.Sum` says how it goes.

    `group` are the numbers of all who take part, in order, and `keys` their public keys.
    """

    def __init__(
        self,
        identity: Identity,
        me: int,
        group: Sequence[int],
        keys: Sequence[bytes],
        about: bytes,
        shape: tuple[int, ...],
        bits: int,
    ) -> None:
        if len(group) < LEAST:
            raise ProtocolError(f"A masked sum of {len(group)} agents would hide nothing.")
        self._group, self._keys, self._shape, self._bits = list(group), list(keys), shape, bits
        self._session = sha256(b"chatham neighbourhood" + about).digest()
        index = self._group.index(me)
        self._hand = Handshake(identity, self._session, index, len(group))
        self._mine = self._hand.hello
        self._everybodys: list[Sequence[Message]] = []
        """Hellos, then shares, then confirmations."""
        self._masks: Masks | None = None
        self._collected: dict[int, Message] = {}
        self._taken: dict[int, Words] = {}

    def opening(self) -> bytes | None:
        """My hello."""
        return _written([self._mine])

    def answer(self, body: bytes) -> bytes | None:
        """My shares after all hellos, my confirmation after all shares, and then all is there."""
        self._everybodys.append(self._read(body, len(self._group)))
        hellos, *later = self._everybodys
        epoch = self._hand.epoch_of(hellos)
        if not later:
            self._mine = self._hand.shares(epoch, hellos)
        elif len(later) == 1:
            self._masks = self._hand.masks(epoch, hellos, later[0])
            self._mine = self._hand.confirm(self._masks, later[0], 0, bytes(32))
        else:
            assert self._masks is not None
            self._hand.check_confirmed(self._masks, *later)
            return None
        return _written([self._mine])

    def collect(self, member: int, body: bytes) -> bytes | None:
        """A member's hello, shares or confirmation; everybody's, with mine, when all are here."""
        (message,) = self._read(body, 1)
        if message.frame.party != self._group.index(member):
            raise ProtocolError("A message about keys is another agent's.")
        if member in self._collected:
            raise ProtocolError("A message about keys came twice.")
        self._collected[member] = message
        if len(self._collected) < len(self._group) - 1:
            return None
        everybodys = [self._collected.get(each, self._mine) for each in self._group]
        self._collected = {}
        return _written(everybodys)

    def given(self, statistics: Array) -> bytes:
        """My statistics in fixed point, masked."""
        if self._masks is None or len(self._everybodys) < 3:
            raise ProtocolError("Statistics were to be masked before all keys were confirmed.")
        words = encode(statistics, self._bits, len(self._group)).ravel()
        return self._masks.cover(words, ROUND, self._digest).astype("<u8", copy=False).tobytes()

    def take(self, member: int, body: bytes) -> bool:
        """Keep what a member gave; nobody can see what it is."""
        if member in self._taken:
            raise ProtocolError("Masked statistics came twice for one exchange.")
        if len(body) != 8 * (int(np.prod(self._shape)) + TAG):
            raise ProtocolError("Masked statistics aren't as long as mine.")
        self._taken[member] = np.frombuffer(body, "<u8").astype(np.uint64, copy=False)
        return len(self._taken) == len(self._group) - 1

    def has(self, member: int) -> bool:
        """Whether it has given."""
        return member in self._taken

    def average(self, own: Array) -> Array:
        """The total, from which the masks are gone, divided by how many gave."""
        total = np.frombuffer(self.given(own), "<u8").astype(np.uint64)
        for words in self._taken.values():
            total += words
        assert self._masks is not None
        summed = decode(self._masks.uncover(total, ROUND, self._digest), self._bits)
        average = (summed / len(self._group)).reshape(self._shape)
        if (average < 0).any():
            raise ProtocolError("A masked sum is negative: somebody's statistics were none.")
        return average

    @property
    def _digest(self) -> bytes:
        return sha256(b"chatham gossip" + repr((self._shape, self._bits)).encode()).digest()

    def _read(self, body: bytes, count: int) -> Sequence[Message]:
        def read(raw: bytes) -> Frame:
            return read_frame(raw, self._session, self._keys)

        answer = read_answer(body, read, count)
        if len(answer.messages) != count or len(answer.total):
            raise ProtocolError(f"Not {count} messages about keys came, but other things.")
        for message in answer.messages:
            message.frame.check_body(message.body)
        return answer.messages


def longest_keys(members: int) -> int:
    """The most bytes of everybody's messages about keys."""
    return 4 + members * (12 + START + LONGEST_HEADER + SIGNATURE + SEALED * members)


def _written(messages: Sequence[Message]) -> bytes:
    return b"".join(bytes(part) for part in write_answer(Answer(messages)))
