"""Parties with certificates and direct links, for tests: each a process of its own."""

from __future__ import annotations

import datetime
import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from chatham.commons.secure.keys import Identity
from chatham.federation.session import Member, Session

ROOT = Path(__file__).parents[3]


def certificate(name: str, folder: Path) -> tuple[str, Path]:
    """A self-signed certificate, and the file of its private key."""
    private = Ed25519PrivateKey.generate()
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
    builder = x509.CertificateBuilder().subject_name(who).issuer_name(who)
    builder = builder.public_key(private.public_key()).serial_number(x509.random_serial_number())
    signed = builder.not_valid_before(now - day).not_valid_after(now + day).sign(private, None)
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.key"
    path.touch(0o600)
    path.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return signed.public_bytes(Encoding.PEM).decode(), path


HELD: list[socket.socket] = []
"""What keeps ports free until this process ends."""


def free_ports(number: int) -> list[int]:
    """Ports at which somebody can listen, now and later.

    A port that was merely free a moment ago may be anybody's by the time it is used, if only as
    the near end of a connection. One that is bound, but not listened at, Linux gives to nobody
    else, unless they ask for it by its number and for SO_REUSEADDR, as servers do.
    """
    held = [socket.socket() for _ in range(number)]
    for each in held:
        each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in held]
    if sys.platform == "linux":
        HELD.extend(held)
    else:
        for each in held:
            each.close()
    return ports


@dataclass
class Roster:
    """A session of parties with direct links, and what each of them has of its own."""

    session: Session
    identities: list[Identity]
    keys: list[Path]
    folder: Path

    def start(
        self,
        index: int,
        *options: str,
        program: str = "tests.federation.normed.normed_party",
        **parts: np.ndarray,
    ) -> subprocess.Popen[str]:
        """One party's process, which adds up these parts one after the other."""
        np.savez(self.folder / f"in-{index}.npz", **parts)
        (self.folder / "session.toml").write_text(self.session.to_toml(), "utf-8")
        command = [sys.executable, "-m", program, str(self.folder)]
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
        return subprocess.Popen(
            [*command, str(index), str(self.keys[index]), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
        )

    def results(self, index: int) -> dict[str, np.ndarray]:
        """What a party found."""
        with np.load(self.folder / f"out-{index}.npz", allow_pickle=False) as found:
            return dict(found)


def roster(parties: int, folder: Path, relay: str = "http://127.0.0.1:1", **more: object) -> Roster:
    made = [certificate(f"P{index}", folder) for index in range(parties)]
    identities = [Identity.new() for _ in range(parties)]
    members = tuple(
        Member(f"P{index}", identity.public.hex(), f"127.0.0.1:{port}", pem)
        for index, (identity, port, (pem, _)) in enumerate(
            zip(identities, free_ports(parties), made, strict=True)
        )
    )
    session = Session(id="ab" * 16, relay=relay, parties=members, algorithm="none", **more)  # type: ignore[arg-type]
    return Roster(session, identities, [key for _, key in made], folder)


def outputs(processes: list[subprocess.Popen[str]]) -> list[str]:
    """What each process said, when all have ended."""
    return [process.communicate(timeout=300)[0] for process in processes]
