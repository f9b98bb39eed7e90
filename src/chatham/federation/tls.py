"""TLS for direct links: each party presents the certificate that the session names for it.

Certificates are pinned: the one presented must be exactly that one, so neither an authority nor a
host name is trusted, and a self-signed certificate is as good as any.
"""

from __future__ import annotations

import hmac
import os
import ssl
import stat
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from chatham.errors import InputError, SessionError
from chatham.federation.addresses import address_of
from chatham.federation.session import Member

USUAL_DAYS = 365
"""How long a certificate is valid."""


class Credentials:
    """My certificate, from the session, and its private key, from my file."""

    def __init__(self, member: Member, key_file: Path) -> None:
        self._member, self._key_file = member, key_file
        der_of(member)
        _check_owner(key_file)
        self._context(ssl.PROTOCOL_TLS_SERVER, [member])

    def server(self, callers: Sequence[Member]) -> ssl.SSLContext:
        """For links that these parties open."""
        context = self._context(ssl.PROTOCOL_TLS_SERVER, callers)
        context.verify_mode = ssl.CERT_REQUIRED
        return context

    def client(self, peer: Member) -> ssl.SSLContext:
        """For a link that I open to this party."""
        return self._context(ssl.PROTOCOL_TLS_CLIENT, [peer])

    def _context(self, protocol: int, peers: Sequence[Member]) -> ssl.SSLContext:
        context = ssl.SSLContext(protocol)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False  # the certificate itself is compared
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        for peer in peers:
            _trust(context, peer)
        self._present(context)
        return context

    def _present(self, context: ssl.SSLContext) -> None:
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
            f"The session names no certificate for {member.name}, or one that isn't in PEM format; "
            "direct links need one for each party."
        ) from None


def owner_of(certificate: bytes, members: Sequence[Member]) -> Member | None:
    """Whose certificate this is."""
    shown = (member for member in members if hmac.compare_digest(der_of(member), certificate))
    return next(shown, None)


def check_certificate(member: Member) -> None:
    """Refuse a certificate that no link could be opened with: damaged or out of date."""
    der = der_of(member)
    try:
        certificate = x509.load_der_x509_certificate(der)
        begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    except ValueError:
        raise SessionError(f"The certificate of {member.name} in the session is damaged.") from None
    if not begin <= datetime.now(UTC) <= end:
        raise SessionError(
            f"The certificate of {member.name} is valid from {begin:%Y-%m-%d} to {end:%Y-%m-%d}, "
            "which isn't now; make another with 'chatham keygen', and a new session with it."
        )


def check_direct(members: Sequence[Member]) -> None:
    """Refuse parties of which one can't be reached, or two would be taken for one."""
    addresses = {address_of(member) for member in members}
    for member in members:
        check_certificate(member)
    if len({der_of(member) for member in members}) < len(members):
        raise SessionError("Two parties have the same certificate; each needs its own.")
    if len(addresses) < len(members):
        raise SessionError("Two parties have the same address; each needs its own.")


def new_certificate(name: str, days: int = USUAL_DAYS) -> tuple[str, Ed25519PrivateKey]:
    """A self-signed certificate for direct links (PEM), and its private key."""
    private = Ed25519PrivateKey.generate()
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now, day = datetime.now(UTC), timedelta(days=1)  # clocks differ, so valid since yesterday
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(subject)
    builder = builder.public_key(private.public_key()).serial_number(x509.random_serial_number())
    signed = builder.not_valid_before(now - day).not_valid_after(now + days * day)
    return signed.sign(private, None).public_bytes(Encoding.PEM).decode("ascii"), private


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
        raise InputError(f"{path} can be read by others; run chmod 600 on it first.")


def _no_password() -> str:
    """Else OpenSSL would ask for a key's password at the terminal in the middle of a fit."""
    return ""
