"""Identities and secrets: who a party is, and what two parties or all of them share.

Everything here is from the `cryptography` package: Ed25519 for identities, X25519 for secrets
between two, HKDF-SHA256 to derive keys, ChaCha20 as a stream, ChaCha20-Poly1305 for short secrets.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from cryptography.exceptions import InvalidSignature, InvalidTag, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from chatham.errors import InputError, ProtocolError
from chatham.naming import path_shown

_NONCE = bytes(12)
"""Every key is used for one message, so its nonce may always be the same."""
_LONGEST_FILE = 2**14
_FIELD = 2**255 - 19
_ROOT = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_WEAK = {0, 1, _FIELD - 1, _FIELD, _FIELD + 1, _ROOT, _FIELD - _ROOT}
"""y-coordinates of the curve's points of order 1, 2, 4 and 8, also as written beyond the field."""


class Identity:
    """A party's long-term key pair. Its public half is listed in the session's roster."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes_raw()

    @classmethod
    def new(cls) -> Identity:
        """A fresh one, from the operating system's randomness."""
        return cls(Ed25519PrivateKey.generate())

    def sign(self, message: bytes) -> bytes:
        """64 bytes that only this identity can make for this message."""
        return self._private.sign(message)

    def derive(self, purpose: bytes) -> bytes:
        """32 bytes for one purpose, the same each time, which nobody else can know."""
        return derive(self._private.private_bytes_raw(), b"chatham identity", purpose)

    def save(self, path: Path) -> None:
        """Write the private key, readable by its owner only; an existing file is never touched."""
        save_private(self._private, path)

    @classmethod
    def load(cls, path: Path) -> Identity:
        """Read a private key; refused if others than its owner may read it."""
        pem, is_private = _read(path)
        try:
            private = load_pem_private_key(pem, password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            raise InputError(f"{path} isn't a private key made by chatham keygen.") from None
        if not isinstance(private, Ed25519PrivateKey):
            raise InputError(f"{path} isn't the kind of key that chatham keygen makes.")
        if not is_private:  # said of keys alone: any other file was named by mistake
            raise InputError(f"{path} may be read by others; run chmod 600 on it first.")
        return cls(private)


def save_private(private: Ed25519PrivateKey, path: Path) -> None:
    """Write a private key, readable by its owner only; an existing file is never touched."""
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise InputError(
            f"{path} exists, and a key is never overwritten; choose another name."
        ) from None
    except OSError as error:
        raise InputError(f"{path} can't be written: {error.strerror}.") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(pem)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise InputError(f"{path} can't be written: {error.strerror}.") from None


def _read(path: Path) -> tuple[bytes, bool]:
    """A file's bytes, and whether its owner alone may read it: the very file that was read."""
    if not os.path.exists(path):
        raise InputError(f"The key {path_shown(path)} can't be read: there is no such file.")
    try:
        with open(path, "rb") as file:
            mode, pem = os.fstat(file.fileno()).st_mode, file.read(_LONGEST_FILE)
    except OSError as error:
        raise InputError(f"The key {path} can't be read: {error.strerror}.") from None
    return pem, os.name != "posix" or not mode & (stat.S_IRWXG | stat.S_IRWXO)


def is_weak(public: bytes) -> bool:
    """Whether anybody could sign for this public key, since its point has a tiny order."""
    return int.from_bytes(public, "little") % 2**255 in _WEAK


def is_signed(public: bytes, signature: bytes, message: bytes) -> bool:
    """Whether the owner of this public key signed this message."""
    if is_weak(public):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


class Ephemeral:
    """A key pair for one run of a party: in memory only, gone when the process ends."""

    def __init__(self) -> None:
        self._private = X25519PrivateKey.generate()
        self.public = self._private.public_key().public_bytes_raw()

    def shared_with(self, other: bytes) -> bytes:
        """The secret that only the two of us know; a key that makes it zero is refused."""
        try:
            return self._private.exchange(X25519PublicKey.from_public_bytes(other))
        except ValueError:
            raise ProtocolError("A party's key gives an all-zero secret; it is refused.") from None


def derive(secret: bytes, salt: bytes, purpose: bytes) -> bytes:
    """A key of 32 bytes for one purpose (HKDF-SHA256)."""
    return HKDF(SHA256(), 32, salt=salt, info=purpose).derive(secret)


def seal(key: bytes, message: bytes, about: bytes) -> bytes:
    """Encrypt one message under a key that encrypts no other; `about` is bound to it."""
    return ChaCha20Poly1305(key).encrypt(_NONCE, message, about)


def unseal(key: bytes, sealed: bytes | memoryview, about: bytes) -> bytes:
    """The message, if it was sealed under this key about this."""
    try:
        return ChaCha20Poly1305(key).decrypt(_NONCE, sealed, about)
    except InvalidTag:
        raise ProtocolError("A sealed message doesn't open: it was altered on the way.") from None
