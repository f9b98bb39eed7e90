"""Seconds of one normed sum between processes on this machine, beside the thesis's Table 2.2.

    python benchmarks/normed_sum.py                        # d = 100, 1,000, 10,000; M = 3, 5
    python benchmarks/normed_sum.py --parties 3 --numbers 100 1000 --sums 5

Each party is a process; links are TLS on loopback. A time is the median over the sums after the
first, which also makes the links; the slowest party counts. It isn't like for like: the thesis
measured the online phase of SPDZ, on other machines, and SPDZ withstands all parties but one, where
this withstands fewer than half.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

THESIS = {
    3: {100: 2.1, 1000: 17.4, 10000: 168.1},
    4: {100: 3.5, 1000: 29.3, 10000: 293.0},
    5: {100: 4.6, 1000: 40.3, 10000: 403.9},
}
GOAL = 15


def main() -> None:
    """Measure and print the table; as one of its own children, be a party."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parties", type=int, nargs="+", default=[3, 5])
    parser.add_argument("--numbers", type=int, nargs="+", default=[100, 1000, 10000])
    parser.add_argument("--sums", type=int, default=10)
    parser.add_argument("--party", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.party:
        _be_party(*options.party)
        return
    print(f"| M | d | links, first sum | a sum | thesis | times faster (goal {GOAL}) |")
    print("|---|---|---|---|---|---|")
    for parties in options.parties:
        for numbers in options.numbers:
            first, usual = _measure(parties, numbers, options.sums)
            told = THESIS.get(parties, {}).get(numbers)
            beside = f"{told} s | {told / usual:.0f}" if told else "– | –"
            print(f"| {parties} | {numbers:,} | {first:.2f} s | {usual:.3f} s | {beside} |")


def _measure(parties: int, numbers: int, sums: int) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        keys = _make_session(parties, folder)
        command = [sys.executable, __file__, "--party", str(folder)]
        running = [
            subprocess.Popen(
                [*command, str(index), str(key), json.dumps([numbers, sums])],
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )
            for index, key in enumerate(keys)
        ]
        times = [json.loads(process.communicate()[0]) for process in running]
    slowest = [max(each) for each in zip(*times, strict=True)]
    return slowest[0], statistics.median(slowest[1:])


def _be_party(folder: str, index: str, key: str, what: str) -> None:
    from chatham.federation.normed.sum import NormedLinks
    from chatham.federation.session import read_session

    numbers, sums = json.loads(what)
    part = np.random.default_rng(int(index)).normal(size=numbers)
    session, times = read_session(Path(folder) / "session.toml"), []
    with NormedLinks(session, int(index), key, limit=600) as links:
        for _ in range(1 + sums):
            start = time.perf_counter()
            links.normed_sum(part)
            times.append(time.perf_counter() - start)
    print(json.dumps(times))


def _make_session(parties: int, folder: Path) -> list[Path]:
    from chatham.commons.secure.keys import Identity
    from chatham.federation.session import Member, Session

    taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(parties)]
    ports = [sock.getsockname()[1] for sock in taken]
    for sock in taken:
        sock.close()
    made = [_certificate(f"P{index}", folder) for index in range(parties)]
    members = tuple(
        Member(f"P{index}", Identity.new().public.hex(), f"127.0.0.1:{port}", pem)
        for index, (port, (pem, _)) in enumerate(zip(ports, made, strict=True))
    )
    session = Session(id="0" * 32, relay="http://localhost", parties=members, algorithm="none")
    (folder / "session.toml").write_text(session.to_toml(), "utf-8")
    return [key for _, key in made]


def _certificate(name: str, folder: Path) -> tuple[str, Path]:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
    from cryptography.x509.oid import NameOID

    private = Ed25519PrivateKey.generate()
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
    builder = x509.CertificateBuilder().subject_name(who).issuer_name(who)
    builder = builder.public_key(private.public_key()).serial_number(x509.random_serial_number())
    signed = builder.not_valid_before(now - day).not_valid_after(now + day).sign(private, None)
    path = folder / f"{name}.key"
    path.touch(0o600)
    path.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return signed.public_bytes(Encoding.PEM).decode(), path


if __name__ == "__main__":
    main()
