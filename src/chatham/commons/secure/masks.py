"""Masks that cancel in the sum, and a stream over the sum that the relay can't remove.

Of every two parties one adds a stream of random words and the other subtracts it; the roster's
first party also adds the group's stream, which every party subtracts from the total. So each
message, and the total on the relay, looks like random words to anyone without the keys; and a
coalition learns the sum over the others, nothing else.

A stream's key is derived for one round of one epoch: it is bound to the session, the roster and all
ephemeral keys through the epoch, to the round, and to the round's digest (what is summed, shapes,
the totals so far, the state that all start from). It masks one contribution, and no other is ever
masked with it: see `Masks`.
Nor is a second set of masks ever made of the same epoch: see `agreement`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NamedTuple

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20

from chatham.commons.fixed_point import Words, as_whole, signed
from chatham.commons.secure.keys import derive
from chatham.commons.secure.tags import is_tagged, tag_words
from chatham.errors import ProtocolError, TotalError

CHUNK = 2**15
"""Words of a stream made at once: they fit the cache, and memory stays that of the message."""
TAG = 2
"""The number of words that a message has beyond its arrays'."""


class _Masked(NamedTuple):
    """What was masked last: its round, the round's digest, its length, and its hash."""

    round: int
    digest: bytes
    length: int
    hash: bytes


@dataclass
class Masks:
    """One party's keys of one epoch. They make each round's masks once, round after round."""

    index: int
    epoch: bytes
    pairs: Mapping[int, bytes] = field(repr=False)
    """The secret with each other party."""
    group: bytes = field(repr=False)
    """The secret of all."""
    _last_masked: _Masked | None = field(default=None, init=False, repr=False)

    @property
    def parties(self) -> int:
        """The number of parties."""
        return len(self.pairs) + 1

    def cover(self, words: Words, round_: int, digest: bytes) -> Words:
        """My words with their tag, masked."""
        whole = as_whole(words, self.parties)
        self._refuse_reuse(words, round_, digest)
        message = np.concatenate([words, tag_words(whole, self._tag_key(round_, digest))])
        for other, secret in sorted(self.pairs.items()):
            key = derive(secret, self.epoch, _purpose(b"mask", round_, digest))
            add_stream(message, key, subtract=other < self.index)
        if self.index == 0:
            add_stream(message, self._group_key(round_, digest))
        return message

    def uncover(self, message: Words, round_: int, digest: bytes) -> Words:
        """The total's words, from the sum of all messages; refused if anybody altered it."""
        last = self._last_masked
        if last is None or (round_, digest, len(message)) != (*last[:2], last.length + TAG):
            raise TotalError("A total belongs to another round than my last contribution.")
        message = message.copy()
        add_stream(message, self._group_key(round_, digest), subtract=True)
        words, tag = message[:-TAG], message[-TAG:]
        if not is_tagged(signed(words), self._tag_key(round_, digest), tag, self.parties):
            raise TotalError("The total's tag is wrong: it was altered on the way.")
        return words

    def key_for(self, purpose: bytes) -> bytes:
        """A key that all parties share in this epoch, for one purpose."""
        return derive(self.group, self.epoch, b"chatham key " + purpose)

    def _group_key(self, round_: int, digest: bytes) -> bytes:
        return derive(self.group, self.epoch, _purpose(b"group", round_, digest))

    def _tag_key(self, round_: int, digest: bytes) -> int:
        key = derive(self.group, self.epoch, _purpose(b"tag", round_, digest))
        return int.from_bytes(key, "big")  # far longer than the prime: no residue is likelier

    def _refuse_reuse(self, words: Words, round_: int, digest: bytes) -> None:
        """Two different contributions under one mask would reveal their difference."""
        masked = _Masked(round_, digest, len(words), sha256(words.data).digest())
        if (
            self._last_masked is not None
            and round_ <= self._last_masked.round
            and masked != self._last_masked
        ):
            raise ProtocolError(
                f"Round {round_} was masked in this epoch for another contribution; nothing is "
                "sent. Start again: a new epoch has new masks."
            )
        self._last_masked = masked


def add_stream(words: Words, key: bytes, *, subtract: bool = False) -> None:
    """Add a key's stream to words, in place, or subtract it."""
    stream = Cipher(ChaCha20(key, bytes(16)), mode=None).encryptor()
    buffer = np.empty(min(CHUNK, len(words)), "<u8")  # the same words on every kind of machine
    zeros, filled = bytes(buffer.nbytes), buffer.view(np.uint8).data
    for first in range(0, len(words), CHUNK):
        part = words[first : first + CHUNK]
        stream.update_into(zeros[: part.nbytes], filled[: part.nbytes])
        combine = np.subtract if subtract else np.add
        combine(part, buffer[: len(part)], out=part)


def _purpose(kind: bytes, round_: int, digest: bytes) -> bytes:
    return b"chatham " + kind + round_.to_bytes(8, "big") + digest
