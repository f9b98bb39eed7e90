"""Attack: thousands of connections that say nothing, renewed as soon as they are lost.

Six hundred of them shut a relay with TLS for longer than a minute, when it counted connections only
after the handshake. Now the parties' rounds go on; how long they take is printed, not asserted.
"""

import ssl
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")

from chatham.federation.party.connection import Connection
from chatham.federation.party.http_link import HttpLink
from chatham.federation.session import read_session
from tests.cli.federation import Federation, certificate, stopped
from tests.federation.parties import all_good, play, together

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is read in /proc")

HALF_A_HELLO = b"\x16\x03\x01\x02\x00\x01\x00"
"""How TLS begins."""


def whole_hello():
    """All that a client says before the relay has answered."""
    said = ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), said, server_hostname="relay")
    with suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return said.read()


HALF_A_REQUEST = b"POST /x HTTP/1.1\r\nHost:"
ROUNDS = 3
FILES = 1024
"""How many files a process may usually have open, its connections included."""
GROWN = 200_000_000
"""Bytes of memory that a crowd may take: half a megabyte for each of those who are half inside, of
whom there are at most 256, and as much again."""
ATTACKS = {
    "silent, TLS": (2000, b"", True, ()),
    "in mid-handshake, TLS": (2000, HALF_A_HELLO, True, ()),
    "after a whole hello, TLS": (2000, whole_hello(), True, ()),
    "silent, TLS, as behind a proxy": (3000, b"", True, ("--behind-proxy",)),
    "silent, plain": (2000, b"", False, ()),
    "in mid-request, plain": (2000, HALF_A_REQUEST, False, ()),
}


def memory_of(process):
    """Bytes of resident memory, those of files on the disk not counted."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))


@contextmanager
def crowded(port, number, said):
    """While such a crowd is at the door."""
    command = [sys.executable, "-m", "tests.attacks.crowd", str(port), str(number), said.hex()]
    crowd = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert crowd.stdout.readline() == "here\n"
        yield
    finally:
        crowd.kill()
        crowd.communicate()


@contextmanager
def relayed(folder, tls, more):
    """A session, and a relay for it as people run it, on a system that grants it few files."""
    federation = Federation(folder, documents=2)
    pem, key = certificate(folder)
    path = federation.session(**({"certificate": pem.read_text()} if tls else {}))
    more = (*more, "--certificate", pem, "--key", key) if tls else more
    words = ["relay", path, "--folder", folder / "relay", "--port", federation.port, *more]
    command = [sys.executable, "-m", "chatham", *map(str, words)]
    few = ["sh", "-c", f'ulimit -n {FILES} && exec "$@"', "sh", *command]
    relay = subprocess.Popen(few, stdout=subprocess.PIPE, text=True)
    try:
        assert relay.stdout.readline().startswith("The relay listens at")
        yield federation, read_session(path), relay
    finally:
        stopped(relay)


def rounds(session, identities, folder):
    """Seconds that all parties' rounds take, new connections included."""

    def run(index):
        link = HttpLink(session)
        totals = play(Connection(session, identities[index], link, folder / str(index)), ROUNDS)
        link.close()
        return totals

    begun = time.perf_counter()
    all_good(together(*(lambda i=i: run(i) for i in range(len(identities)))))
    return time.perf_counter() - begun


@pytest.mark.parametrize("attack", ATTACKS)
def test_rounds_go_on_whoever_stands_silently_at_the_door(tmp_path, attack):
    number, said, tls, more = ATTACKS[attack]
    with relayed(tmp_path, tls, more) as (federation, session, relay):
        before = memory_of(relay)
        with crowded(federation.port, number, said):
            seconds = rounds(session, federation.identities, tmp_path)
            grown = memory_of(relay) - before
    print(
        f"{number} connections, {attack}: keys and {ROUNDS} rounds took {seconds:.2f} s, and "
        f"{grown / 1e6:.0f} MB of the relay's memory"
    )
    assert grown < GROWN
