"""How parties come to share secrets that the relay doesn't know: an epoch.

1. *hello*: each party's ephemeral key and version, signed by its identity, and how many records it
   had when it said so. The epoch is the hash of the session and of all hellos, so a party that
   restarts begins a new epoch for all.
2. *shares*: from its ephemeral key and each other's, a secret between the two; under it travels a
   random share to every other party. The group's secret is the hash of all shares.
3. *confirm*: a proof that I have the group's secret and saw the same messages, my progress, and
   a hash of my kind of machine, which only the group can read. Only when all parties' proofs agree
   is anything masked.

A relay that swaps a key, or shows different parties different messages, makes proofs differ. One
that replays earlier hellos or shares is refused: an epoch has one set of shares and masks, made
once, and one confirm of each party, so none of its keys is ever used for two messages, and nobody
can be shown two answers to how far a party is. What only the party that signed it can have got
wrong is its mistake (`MistakenError`); anything else may be the relay's doing.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from chatham.commons.secure.frames import Frame, make_frame
from chatham.commons.secure.keys import Ephemeral, Identity, derive, seal, unseal
from chatham.commons.secure.masks import Masks
from chatham.errors import MistakenError, ProtocolError
from chatham.version import version as own_version

SHARE, SEALED = 32, 48


@dataclass(frozen=True)
class Message:
    """A frame and its body."""

    frame: Frame
    body: bytes | memoryview = b""


@dataclass
class _Open:
    """The open epoch: my share in it, and the masks derived from everybody's."""

    epoch: bytes
    share: bytes
    sent: Message
    transcript: bytes = b""
    masks: Masks | None = None
    is_confirmed: bool = False


class Handshake:
    """My side of epochs, from this process's ephemeral key on."""

    def __init__(
        self,
        identity: Identity,
        session: bytes,
        index: int,
        parties: int,
        corpus: bytes = bytes(32),
        numerics: bytes = bytes(32),
        version: str | None = None,
        records: int = 0,
    ) -> None:
        self._identity, self._session = identity, session
        self.index, self.parties = index, parties
        self._numerics = numerics
        self._ephemeral = Ephemeral()
        self.hello = Message(
            self._frame(
                "hello",
                round_=records,
                key=self._ephemeral.public,
                nonce=os.urandom(32),
                corpus=corpus,
                version=own_version() if version is None else version,
            )
        )
        self._open: _Open | None = None
        self._secrets: dict[bytes, bytes] = {}
        """What I share with the holder of each key."""
        self._over: set[bytes] = set()
        """Epochs before the open one, which are never opened again."""

    def epoch_of(self, hellos: Sequence[Message]) -> bytes:
        """The epoch of these hellos, one from each party in the roster's order."""
        self._check(hellos, "hello")
        if hellos[self.index].frame.raw != self.hello.frame.raw:
            raise ProtocolError("The relay shows another hello for me than the one I sent.")
        keys = [message.frame.header["key"] for message in hellos]
        if same := [party for party, key in enumerate(keys) if keys.count(key) > 1]:
            raise MistakenError(same, "Two parties show the same key, whose masks would cancel.")
        return epoch_of(self._session, [message.frame for message in hellos])

    def shares(self, epoch: bytes, hellos: Sequence[Message]) -> Message:
        """A random share for everyone, each sealed for its party; the same if asked again."""
        if epoch in self._over:
            raise ProtocolError("The relay goes back to an epoch that is over; nothing was sent.")
        if self._open is None or self._open.epoch != epoch:
            self._secrets.clear()
            opened = self._opened(epoch, hellos)
            if self._open is not None:
                self._over.add(self._open.epoch)
            self._open = opened
        return self._open.sent

    def _opened(self, epoch: bytes, hellos: Sequence[Message]) -> _Open:
        share = os.urandom(SHARE)
        sealed = [
            bytes(SEALED)
            if other == self.index
            else seal(self._key(hellos, epoch, self.index, other), share, epoch)
            for other in range(self.parties)
        ]
        body = b"".join(sealed)
        return _Open(epoch, share, Message(self._frame("shares", epoch=epoch, body=body), body))

    def masks(self, epoch: bytes, hellos: Sequence[Message], shares: Sequence[Message]) -> Masks:
        """The secrets of an epoch, from everybody's shares; the same object if asked again."""
        self._check(shares, "shares", epoch)
        opened, transcript = self._open, _transcript(shares)
        if opened is None or opened.epoch != epoch:
            raise ProtocolError("There are no shares of mine in this epoch.")
        if opened.masks is None:
            opened.masks = self._new_masks(opened, hellos, shares)
            opened.transcript = transcript
        if opened.transcript != transcript:
            raise ProtocolError("The relay shows other shares than before in the same epoch.")
        return opened.masks

    def _new_masks(
        self, opened: _Open, hellos: Sequence[Message], shares: Sequence[Message]
    ) -> Masks:
        """Both kinds of secret depend on the whole transcript, and on whom they are between."""
        transcript = _transcript(shares)
        opened_shares = [self._share(opened, hellos, message) for message in shares]
        group = derive(b"".join(opened_shares), opened.epoch, b"chatham group" + transcript)
        pairs = {
            other: derive(
                self._secret(hellos, other),
                opened.epoch,
                b"chatham pair" + _encoded_indices(*sorted((self.index, other))) + transcript,
            )
            for other in range(self.parties)
            if other != self.index
        }
        return Masks(self.index, opened.epoch, pairs, group)

    def confirm(
        self, masks: Masks, shares: Sequence[Message], completed: int, chain: bytes
    ) -> Message:
        """Proof of the group's secret, how many rounds I have completed, and their totals' hash.

        It is signed once in an epoch: with two, a relay could show each party the one it likes.
        """
        opened = self._open
        if opened is None or opened.masks is not masks or opened.is_confirmed:
            raise ProtocolError("This epoch was confirmed before; only a new hello leads on.")
        opened.is_confirmed = True
        frame = self._frame(
            "confirm",
            epoch=masks.epoch,
            round_=completed,
            proof=proof_of(masks, shares, self.index),
            chain=chain,
            machine=_covered_machine(masks, self.index, self._numerics),
        )
        return Message(frame)

    def has_confirmed(self, epoch: bytes) -> bool:
        """Whether I have confirmed this epoch: then whoever begins it again needs a new hello."""
        return self._open is not None and self._open.epoch == epoch and self._open.is_confirmed

    def check_confirmed(
        self, masks: Masks, shares: Sequence[Message], confirms: Sequence[Message]
    ) -> None:
        """Check that all have the same secret, from the same messages.

        A relay alone can't make proofs differ: no party signs two messages of shares in an epoch.
        """
        self._check(confirms, "confirm", masks.epoch)
        differ = [
            message.frame.party
            for message in confirms
            if not hmac.compare_digest(
                message.frame.hash_of("proof"), proof_of(masks, shares, message.frame.party)
            )
        ]
        if differ:
            raise MistakenError(
                differ, "Not all parties have derived the same keys; nothing was masked."
            )

    def _share(self, opened: _Open, hellos: Sequence[Message], message: Message) -> bytes:
        if message.frame.party == self.index:
            if message.frame.raw != opened.sent.frame.raw:
                raise ProtocolError("The relay shows other shares of mine than those I sent.")
            return opened.share
        message.frame.check_body(message.body)
        if len(message.body) != SEALED * self.parties:
            raise MistakenError(
                [message.frame.party], "A message of shares doesn't have one for each party."
            )
        sealed = message.body[SEALED * self.index : SEALED * (self.index + 1)]
        key = self._key(hellos, opened.epoch, message.frame.party, self.index)
        try:
            return unseal(key, sealed, opened.epoch)  # as long as a share: its length was checked
        except ProtocolError:
            raise MistakenError(
                [message.frame.party], "A share of the group's secret doesn't open."
            ) from None

    def _key(self, hellos: Sequence[Message], epoch: bytes, sender: int, receiver: int) -> bytes:
        secret = self._secret(hellos, sender if receiver == self.index else receiver)
        return derive(secret, epoch, b"chatham share" + _encoded_indices(sender, receiver))

    def _secret(self, hellos: Sequence[Message], other: int) -> bytes:
        key = hellos[other].frame.hash_of("key")
        if key not in self._secrets:
            try:
                self._secrets[key] = self._ephemeral.shared_with(key)
            except ProtocolError as error:
                raise MistakenError([other], *error.args) from None
        return self._secrets[key]

    def _check(self, messages: Sequence[Message], kind: str, epoch: bytes = bytes(32)) -> None:
        """Check for one message from each party, in the roster's order, of this kind and epoch."""
        senders = [(message.frame.kind, message.frame.party) for message in messages]
        if senders != [(kind, party) for party in range(self.parties)]:
            raise ProtocolError(f"The relay doesn't show one {kind} from each party.")
        others = [m.frame.party for m in messages if m.frame.hash_of("epoch") != epoch]
        if others and kind == "hello":  # which belongs to none, as its party knows
            raise MistakenError(others, "A hello names an epoch.")
        if others:
            raise ProtocolError(f"The relay shows a {kind} of another epoch.")

    def _frame(self, kind: str, **more: Any) -> Frame:
        return make_frame(self._identity, kind, session=self._session, party=self.index, **more)


def epoch_of(session: bytes, hellos: Sequence[Frame]) -> bytes:
    """The hash of a session and of its parties' hellos."""
    whole = b"".join(frame.raw for frame in hellos)
    return sha256(b"chatham epoch" + session + whole).digest()


def proof_of(masks: Masks, shares: Sequence[Message], party: int) -> bytes:
    """A proof that only a party with the group's secret that saw these messages can make."""
    purpose = b"confirm" + _encoded_indices(party) + _transcript(shares)
    return masks.key_for(purpose)


def machines_of(masks: Masks, confirms: Sequence[Message]) -> list[bytes]:
    """The hash of each party's kind of machine, from what they confirmed."""
    frames = [message.frame for message in confirms]
    return [_covered_machine(masks, frame.party, frame.hash_of("machine")) for frame in frames]


def _covered_machine(masks: Masks, party: int, machine: bytes) -> bytes:
    """A machine's hash under a pad of the group, or without it: there are few kinds of machines,
    and whoever sees the hash, or even which two are equal, can try them all. A pad serves once,
    since an epoch is confirmed once."""
    pad = masks.key_for(b"machine" + _encoded_indices(party))
    return bytes(one ^ other for one, other in zip(machine, pad, strict=True))


def _encoded_indices(*parties: int) -> bytes:
    return b"".join(party.to_bytes(4, "big") for party in parties)


def _transcript(messages: Sequence[Message]) -> bytes:
    return sha256(b"".join(message.frame.raw for message in messages)).digest()
