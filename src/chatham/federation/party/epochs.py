"""A party's epochs: keys with the others, the roll, and whatever was missed in the meantime.

1. A total that came before I was stopped, and that all have signed since, is mine at once.
2. Hello (all have the same version, or stop here), shares, confirm (see `agreement`): new keys; and
   every party says how many records it has.
3. The party with the most records sends those that others lack, sealed, with all signatures.
4. The *roll* is record 0: a hash for each party's documents, from the first epoch's hellos, and one
   for its kind of machine, from the confirms, signed by all. It exposes a party that returns with
   other documents. At its end is a secret of the group, for the chain of records (see `records`).

A new hello from any party ends the epoch, wherever the others are: the relay says so to every party
that waits for something, all begin here again, and nobody waits for what nobody will send. If the
epoch is the same again, the relay has forgotten it or lies; it isn't confirmed twice, but ended by
a new hello.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256

import numpy as np

from chatham.commons.fixed_point import Words
from chatham.commons.secure.agreement import Handshake, Message, machines_of
from chatham.commons.secure.frames import Frame
from chatham.commons.secure.masks import Masks
from chatham.commons.secure.sealing import seal_total, unseal_total
from chatham.errors import ProtocolError, Refused
from chatham.federation.party.records import Rounds
from chatham.federation.party.voice import Voice
from chatham.federation.wire import NO_EPOCH

ROLL = sha256(b"chatham roll").digest()
"""What record 0 is about."""
END = sha256(b"chatham end").digest()
"""What the last record is about, which is empty: all have what came before it."""
HASH, COUNT = 32, 8


class _Finished(Exception):  # noqa: N818  it is good news
    """The total that was pending is signed by all."""


class Epochs:
    """Begins epochs, and agrees on totals in them."""

    def __init__(
        self,
        voice: Voice,
        rounds: Rounds,
        greet: Callable[[], Handshake],
        leaving: Callable[[Frame], None],
    ) -> None:
        self._voice, self._rounds, self._greet = voice, rounds, greet
        self._leaving = leaving
        """Called with each hello before it leaves."""
        self._handshake = greet()

    @property
    def machines_differ(self) -> bool:
        """Whether the roll has machines that may differ in the last bit."""
        return len(set(_machines(self._rounds.total(0).words, self._voice.parties))) > 1

    def begin(self) -> Masks | None:
        """The masks of a new epoch; None if only a signature was missing and is there now."""
        try:
            self._finish_pending()
            return self._begin()
        except _Finished:
            return None

    def _begin(self) -> Masks:
        hand, epoch, hellos = self._meet()
        self._check_versions(hellos, hand.hello.frame.header["version"])
        shares = self._exchange(hand.shares(epoch, hellos), "exchanging keys")
        masks = hand.masks(epoch, hellos, shares)
        records, chain = self._rounds.completed + 1, self._rounds.chain
        confirms = self._exchange(hand.confirm(masks, shares, records, chain), "confirming keys")
        hand.check_confirmed(masks, shares, confirms)
        self._catch_up(masks, confirms)
        self._call_roll(masks, hellos, machines_of(masks, confirms))
        return masks

    def _meet(self) -> tuple[Handshake, bytes, Sequence[Message]]:
        """Everybody's hellos, of an epoch that I haven't confirmed yet, and my side of it."""
        while True:
            hand = self._handshake
            self._leaving(hand.hello.frame)
            hellos = self._exchange(hand.hello, "waiting for all to join")
            epoch = hand.epoch_of(hellos)
            if not hand.has_confirmed(epoch):
                return hand, epoch, hellos
            self.restart()

    def _check_versions(self, hellos: Sequence[Message], mine: str) -> None:
        """Another version may compute something else: it learns only which version I have."""
        members = zip(self._voice.session.parties, hellos, strict=True)
        versions = [(member.name, hello.frame.header["version"]) for member, hello in members]
        others = [f"{name} has Chatham {theirs}" for name, theirs in versions if theirs != mine]
        if others:
            raise ProtocolError(
                f"{', '.join(others)}, and I have {mine}; nothing was sent. Install the same "
                "version everywhere, and join again, first the party that has changed it."
            )

    def _exchange(self, message: Message, step: str) -> Sequence[Message]:
        """Everybody's message of a kind. A party that waits here for one that has finished and left
        needs no epoch: that one signed before it left."""
        answer = self._voice.ask(message.frame, message.body, step, self._finish_pending)
        return answer.messages

    def restart(self) -> None:
        """As if this process had just started: new keys, a new epoch for all."""
        self._handshake = self._greet()

    def agree(self, epoch: bytes, about: bytes, total: Words) -> None:
        """Write a total, sign it, and wait until all have."""
        record = self._rounds.keep(about, total)
        frame = self._voice.frame("agree", epoch, self._rounds.completed + 1, chain=record.chain)
        answer = self._voice.ask(frame, b"", "comparing totals")
        self._rounds.agree(record, [message.frame for message in answer.messages])

    def _finish_pending(self) -> None:
        """A total that came before I was stopped may lack only my signature. (The roll is called
        again, or comes from a party that has it: none has finished before the first round.)"""
        record = self._rounds.pending()
        if record is None or self._rounds.completed < 0:
            return
        try:
            self.agree(NO_EPOCH, record.digest, record.words)
        except Refused as refusal:
            if refusal.why != "waiting":
                raise
        else:
            raise _Finished

    def _call_roll(
        self, masks: Masks, hellos: Sequence[Message], machines: Sequence[bytes]
    ) -> None:
        present = _roll(hellos, machines, masks.key_for(b"chain"))
        if self._rounds.completed < 0:
            self._rounds.forget_pending()
            self.agree(masks.epoch, ROLL, present)
        pinned, parties = self._rounds.total(0).words, self._voice.parties
        for index, member in enumerate(self._voice.session.parties):
            if _corpora(present, parties)[index] != _corpora(pinned, parties)[index]:
                raise ProtocolError(
                    f"{member.name} has other documents than when it joined; two totals that "
                    "differ by them could be subtracted. Start a new session."
                )

    def _catch_up(self, masks: Masks, confirms: Sequence[Message]) -> None:
        """The party that is ahead sends the totals that others lack, sealed for the group."""
        records = [message.frame.round for message in confirms]
        ahead = records.index(max(records))
        ends = {m.frame.header["chain"] for m in confirms if m.frame.round == max(records)}
        for number in range(min(records), max(records)):
            if self._voice.index == ahead:
                self._hand_over(masks, number)
            elif self._rounds.completed < number:
                self._receive(masks, number, ahead)
        if ends != {self._rounds.chain.hex()}:
            raise ProtocolError(
                "The parties don't have the same totals so far; compare the totals in your ledgers."
            )

    def _hand_over(self, masks: Masks, number: int) -> None:
        record = self._rounds.total(number)
        words = record.words.astype("<u8", copy=False).tobytes()
        plain = record.digest + len(words).to_bytes(COUNT, "big") + words
        body = seal_total(masks, number, plain + self._rounds.signatures(number))
        frame = self._voice.frame("totals", masks.epoch, number, body=body)
        self._voice.ask(frame, body, "helping others to catch up")

    def _receive(self, masks: Masks, number: int, sender: int) -> None:
        frame = self._voice.frame("ask", masks.epoch, number, about="totals")
        messages = self._voice.ask(frame, b"", "catching up").messages
        headers = [(m.frame.kind, m.frame.round, m.frame.party) for m in messages]
        if headers != [("totals", number, sender)]:
            raise ProtocolError("The relay doesn't return the total that was asked for.")
        plain = unseal_total(masks, sender, number, messages[0].body)
        start = HASH + COUNT
        length = int.from_bytes(plain[HASH:start], "big")
        if length % 8 or start + length > len(plain):
            raise ProtocolError("A total that was handed over isn't as long as it says.")
        words = np.frombuffer(plain[start : start + length], "<u8").astype(np.uint64, copy=False)
        if self._rounds.completed < 0:
            self._rounds.forget_pending()  # a roll that was called again without me
        self._rounds.adopt(plain[:HASH], words, plain[start + length :])


def _roll(hellos: Sequence[Message], machines: Sequence[bytes], secret: bytes) -> Words:
    """Everybody's documents, then everybody's machine, as hashes; and the group's secret."""
    corpora = [message.frame.hash_of("corpus") for message in hellos]
    return np.frombuffer(b"".join([*corpora, *machines, secret]), "<u8").astype(np.uint64)


def _corpora(roll: Words, parties: int) -> list[bytes]:
    return [row.tobytes() for row in roll.reshape(2 * parties + 1, -1)[:parties]]


def _machines(roll: Words, parties: int) -> list[bytes]:
    return [row.tobytes() for row in roll.reshape(2 * parties + 1, -1)[parties:-1]]
