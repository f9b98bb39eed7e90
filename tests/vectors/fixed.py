"""Parties whose every secret is known: for vectors, and for nothing else."""

from __future__ import annotations

from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from unittest.mock import patch

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from chatham.commons.secure import agreement
from chatham.commons.secure.agreement import Handshake, Message
from chatham.commons.secure.keys import Ephemeral, Identity

SESSION = sha256(b"a session").digest()
VERSION = "1.2.3"


def secret(name: str) -> bytes:
    """32 bytes that everybody knows."""
    return sha256(b"vector " + name.encode()).digest()


def identity(party: int) -> Identity:
    """A known identity."""
    return Identity(Ed25519PrivateKey.from_private_bytes(secret(f"identity {party}")))


ROSTER = [identity(party).public for party in range(3)]


def ephemeral_of(private: bytes) -> Ephemeral:
    """A key pair whose private half is given."""
    made = Ephemeral()
    made._private = X25519PrivateKey.from_private_bytes(private)
    made.public = made._private.public_key().public_bytes_raw()
    return made


@contextmanager
def known_randomness(name: str):
    """Within it, the operating system's randomness in a handshake is a known sequence."""
    number = count()
    known = (secret(f"{name} {next(number)}") for _ in count())
    with (
        patch.object(agreement, "Ephemeral", lambda: ephemeral_of(next(known))),
        patch.object(agreement.os, "urandom", lambda size: next(known)[:size]),
    ):
        yield


def hands(parties: int = 3, name: str = "hands") -> list[Handshake]:
    """Everybody's handshake, with known keys."""
    with known_randomness(name):
        return [
            Handshake(identity(i), SESSION, i, parties, version=VERSION) for i in range(parties)
        ]


def agreed(everybody: list[Handshake], name: str = "shares"):
    """What an honest relay shows to everybody, and everybody's masks."""
    hellos = [hand.hello for hand in everybody]
    epoch = everybody[0].epoch_of(hellos)
    with known_randomness(name):
        shares = [hand.shares(epoch, hellos) for hand in everybody]
    masks = [hand.masks(epoch, hellos, shares) for hand in everybody]
    return epoch, hellos, shares, masks


def told(message: Message) -> dict[str, str]:
    """A message as vectors hold it."""
    return {"raw": message.frame.raw.hex(), "body": message.body.hex()}
