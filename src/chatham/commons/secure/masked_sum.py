"""Several holders in one process whose sums are masked, as they are between real parties."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from chatham.commons.fixed_point import Words
from chatham.commons.secure.agreement import Handshake
from chatham.commons.secure.keys import Identity
from chatham.commons.secure.masks import Masks


class SecureSums:
    """Everybody's keys, agreed on within this process, and masked sums under them."""

    def __init__(self, holders: int) -> None:
        session = os.urandom(32)
        hands = [Handshake(Identity.new(), session, i, holders) for i in range(holders)]
        hellos = [hand.hello for hand in hands]
        epoch = hands[0].epoch_of(hellos)
        shares = [hand.shares(epoch, hellos) for hand in hands]
        self._masks: list[Masks] = [hand.masks(epoch, hellos, shares) for hand in hands]
        self._rounds = 0

    def total(self, contributions: Sequence[Words], digest: bytes) -> Words:
        """The sum of all contributions, each masked, taken from the sum of the masked ones."""
        self._rounds += 1
        added: Words | None = None
        for masks, words in zip(self._masks, contributions, strict=True):
            covered = masks.cover(words, self._rounds, digest)
            added = covered if added is None else np.add(added, covered, out=added)
        assert added is not None
        return self._masks[-1].uncover(added, self._rounds, digest)
