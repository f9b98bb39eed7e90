"""Attack: a party announces half a gigabyte on each of fourteen connections, and sends a lot.

The relay held all of it: 14 times 150 MB took 2.1 GB of memory. Now it reads no large contribution
before all parties have announced the same size, one at a time from each party, and to the disk.
What was sent and what it took is printed; `make torture` sends as much as then.
"""

import os
import socket
import stat
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("uvicorn")

from chatham.commons.secure.agreement import epoch_of
from chatham.commons.secure.frames import KINDS, START, Frame, make_frame
from chatham.federation.party.http_link import HttpLink
from chatham.federation.session import read_session
from tests.attacks.test_silence import memory_of, rounds
from tests.cli.federation import Federation, stopped
from tests.federation.parties import all_good, together

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is read in /proc")

CONNECTIONS, ANNOUNCED = 14, 2**29
SENT = 150_000_000 if os.environ.get("CHATHAM_TORTURE") else 16_000_000
"""Bytes on each connection."""
GROWN = 64_000_000
"""Bytes of memory that all of it together may take: a part of a body for each party, and what the
relay's first large message takes once and for all."""
LONG = 300
ONE = bytes([1] * 32)


class Meeting:
    """Three parties that have agreed on keys, as far as the relay can tell."""

    def __init__(self, session, identities):
        self.session, self.identities, self.epoch = session, identities, bytes(32)
        hellos = [self.frame(party, "hello") for party in range(3)]
        self._all_say(hellos)
        self.epoch = epoch_of(session.hash, hellos)
        self._all_say([self.frame(party, "shares", body=b"abc") for party in range(3)], b"abc")
        self._all_say([self.frame(party, "confirm", round_=1) for party in range(3)])

    def frame(self, party, kind, body=b"", **more):
        hashes = {name: bytes([party + 1] * 32) for name in KINDS[kind]}
        hashes |= {"version": "1"} if kind == "hello" else {}
        hashes |= {"digest": ONE} if kind in ("announce", "sum") else {}
        given = {"session": self.session.hash, "party": party, "epoch": self.epoch, "body": body}
        return make_frame(self.identities[party], kind, **given, **hashes, **more)

    def announce(self, size):
        """All parties announce a contribution of so many bytes."""
        body = size.to_bytes(8, "big")
        self._all_say([self.frame(p, "announce", body, round_=1) for p in range(3)], body)

    def contribution(self, party, size):
        """A signed header that promises so many bytes, which there are none of."""
        return promised(self.identities[party], self.frame(party, "sum", round_=1), size)

    def _all_say(self, frames, body=b""):
        def say(frame):
            link = HttpLink(self.session)
            while link.say(frame, body) is None:
                pass
            link.close()

        all_good(together(*(lambda f=f: say(f) for f in frames)))


def promised(identity, frame, size):
    """The same header with another size, signed."""
    from chatham.commons.secure.frames import _SIGNED, MAGIC, _written

    text = _written({**frame.header, "size": size})
    signature = identity.sign(_SIGNED + text)
    return Frame(frame.header, MAGIC + len(text).to_bytes(4, "big") + text + signature)


@contextmanager
def attacked(session, frame):
    """While a party has so many connections, over each of which it has announced and sent that
    much; how many bytes left."""
    sent, arrived, over = [], threading.Semaphore(0), threading.Event()
    address = urlsplit(session.relay)
    head = f"POST /{session.id} HTTP/1.1\r\nHost: x\r\nContent-Length: "
    head += f"{len(frame.raw) + ANNOUNCED}\r\n\r\n"

    def send():
        part = bytes(2**16)
        with socket.create_connection((address.hostname, address.port), timeout=LONG) as line:
            with suppress(OSError):  # it may be cut off at any time
                line.sendall(head.encode() + frame.raw)
                for _ in range(SENT // len(part)):
                    line.sendall(part)
                    sent.append(len(part))
            arrived.release()
            assert over.wait(LONG)

    threads = [threading.Thread(target=send) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    try:
        for _ in threads:
            assert arrived.acquire(timeout=LONG)
        yield sum(sent)
    finally:
        over.set()
        for thread in threads:
            thread.join()


def bodies_of(process):
    """How many files without a name a process has: bodies on their way."""
    found = []
    for path in Path(f"/proc/{process.pid}/fd").iterdir():
        with suppress(OSError):
            seen = path.stat()
            found += [seen.st_size] if stat.S_ISREG(seen.st_mode) and not seen.st_nlink else []
    return found


def until(holds):
    """Wait until something holds."""
    given_up = time.monotonic() + LONG
    while not holds():
        assert time.monotonic() < given_up
        time.sleep(0.01)


@pytest.mark.parametrize("agreed", [False, True], ids=["alone", "as all announced"])
def test_what_a_party_sends_takes_no_memory(tmp_path, agreed):
    federation = Federation(tmp_path, documents=2)
    paths = [federation.session(), federation.session("nmf")]
    relay, _ = federation.relaying(*paths)
    session, other = map(read_session, paths)
    try:
        meeting = Meeting(session, federation.identities)
        rounds(other, federation.identities, tmp_path / "before")
        if agreed:
            meeting.announce(ANNOUNCED)
        before = memory_of(relay)
        with attacked(session, meeting.contribution(0, ANNOUNCED)) as sent:
            grown = memory_of(relay) - before
            until(lambda: len(bodies_of(relay)) <= agreed)
            on_disk = sum(bodies_of(relay))
            print(f"{sent / 1e6:.0f} MB sent, {grown / 1e6:.1f} MB of memory, {on_disk / 1e6:.0f} "
                  "MB on the disk")  # fmt: skip
            assert grown < GROWN
            rounds(other, federation.identities, tmp_path / "during")
        until(lambda: not bodies_of(relay))
    finally:
        stopped(relay)


def test_headers_are_read_as_they_are(tmp_path):
    """What is promised here is a header like any other."""
    federation = Federation(tmp_path, documents=2)
    session = read_session(federation.session())
    identity = federation.identities[0]
    frame = make_frame(identity, "agree", session=session.hash, party=0, chain=ONE, body=b"abc")
    assert promised(identity, frame, 3).raw == frame.raw
    assert len(frame.raw) > START
