"""TLS for direct links: each party shows the certificate that the session names for it.

Certificates are pinned: the one that is shown must be that very one, so neither an authority nor a
host's name is trusted, and a self-signed certificate is as good as any.
"""

from __future__ import annotations

import os
import ssl
import stat
import tempfile
from collections.abc import Sequence
from pathlib import Path

from chatham.commons.session import Member
from chatham.errors import InputError, SessionError


class Credentials:
    """My certificate, from the session, with its private key, from a file of mine."""

    def __init__(self, member: Member, key_file: Path) -> None:
        self._member, self._key_file = member, key_file
        der_of(member)
        _check_owner(key_file)
        self._context(ssl.PROTOCOL_TLS_SERVER, [member])

    def server(self, callers: Sequence[Member]) -> ssl.SSLContext:
        """For links that these parties ask for."""
        context = self._context(ssl.PROTOCOL_TLS_SERVER, callers)
        context.verify_mode = ssl.CERT_REQUIRED
        return context

    def client(self, called: Member) -> ssl.SSLContext:
        """For a link that I ask this party for."""
        return self._context(ssl.PROTOCOL_TLS_CLIENT, [called])

    def _context(self, protocol: int, others: Sequence[Member]) -> ssl.SSLContext:
        context = ssl.SSLContext(protocol)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False  # the certificate itself is compared
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        for other in others:
            _trust(context, other)
        self._show(context)
        return context

    def _show(self, context: ssl.SSLContext) -> None:
        descriptor, path = tempfile.mkstemp(suffix=".pem")
        try:
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(self._member.certificate)
            context.load_cert_chain(path, self._key_file, password=_no_password)
        except ssl.SSLError:
            raise InputError(
                f"{self._key_file} isn't the private key of the certificate that the session names "
                f"for {self._member.name}; give the key with which that certificate was made."
            ) from None
        finally:
            os.unlink(path)


def der_of(member: Member) -> bytes:
    """A party's certificate as bytes."""
    try:
        return ssl.PEM_cert_to_DER_cert(member.certificate)
    except ValueError:
        raise SessionError(
            f"The session names no certificate for {member.name}, or not one in PEM; the normed "
            "sum needs one for each party."
        ) from None


def _trust(context: ssl.SSLContext, member: Member) -> None:
    try:
        context.load_verify_locations(cadata=der_of(member))
    except ssl.SSLError:
        raise SessionError(f"The certificate of {member.name} in the session is damaged.") from None


def _check_owner(path: Path) -> None:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise InputError(f"The key {path} can't be read: {error.strerror}.") from None
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise InputError(f"{path} may be read by others; run chmod 600 on it first.")


def _no_password() -> str:
    """A key under a password would make OpenSSL ask at the terminal in the middle of a fit."""
    return ""
