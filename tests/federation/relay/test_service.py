"""The relay over HTTP: honest rounds, and everybody else."""

import http.client
import json
import socket
from contextlib import suppress
from urllib.parse import urlsplit

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("uvicorn")

from chatham.commons.secure.frames import MAGIC, make_frame
from chatham.commons.secure.keys import Identity
from chatham.errors import Refused
from chatham.federation.party.connection import Connection
from chatham.federation.party.http_link import HttpLink
from chatham.federation.relay import service as relay_module
from chatham.federation.relay.service import relay_app
from tests.federation.parties import all_good, http_relay, play, sum_of, together

ROUNDS = 3
LARGEST = 400_000


@pytest.fixture(scope="module")
def serving(tmp_path_factory):
    """One relay for tests that leave nothing on it."""
    folder = tmp_path_factory.mktemp("relay")
    with http_relay(lambda s: relay_app([s], folder, wait=0.2), largest_message=LARGEST) as (
        session,
        identities,
    ):
        yield session, identities


def address(session):
    parts = urlsplit(session.relay)
    return parts.hostname, parts.port


def post(session, data, path=None):
    connection = http.client.HTTPConnection(*address(session), timeout=300)
    connection.request("POST", path or f"/{session.id}", body=data)
    reply = connection.getresponse()
    told = reply.read()
    connection.close()
    return reply.status, told


def rounds_of(session, identities, folder, length=5, rounds=ROUNDS):
    def run(index):
        link = HttpLink(session)
        connection = Connection(session, identities[index], link, folder / f"party{index}")
        found = play(connection, rounds, length)
        link.close()
        return found

    parties = range(len(identities))
    totals = all_good(together(*(lambda i=i: run(i) for i in parties)))
    for found in totals:
        for round_, total in enumerate(found, 1):
            np.testing.assert_array_equal(total, sum_of(len(identities), round_, length))


def hello_of(session, identity, party=0, kind="hello", **more):
    hashes = {name: bytes(32) for name in ("key", "nonce", "corpus")}
    more = hashes | {"version": "1"} | more if kind == "hello" else more
    return make_frame(identity, kind, session=session.hash, party=party, **more)


@pytest.mark.parametrize(("parties", "length"), [(3, 5), (3, 40_000), (9, 5)])
def test_rounds_between_parties(tmp_path, parties, length):
    """Small messages, messages in parts, and more parties."""
    with http_relay(lambda s: relay_app([s], tmp_path / "relay"), parties) as (session, identities):
        rounds_of(session, identities, tmp_path, length)


def test_a_party_is_told_for_whom_it_waits(serving):
    session, identities = serving
    link = HttpLink(session)
    assert link.say(hello_of(session, identities[0]), b"") is None
    assert link.waiting_for() == [1, 2]
    link.close()


def test_one_relay_serves_several_sessions(tmp_path):
    from chatham.federation.session import Session

    def app_of(session):
        plain = {name: getattr(session, name) for name in ("relay", "parties", "algorithm")}
        others.append(Session(id="cd" * 16, **plain))
        return relay_app([session, *others], tmp_path / "relay")

    others = []
    with http_relay(app_of) as (session, identities):
        rounds_of(session, identities, tmp_path / "a")
        rounds_of(others[0], identities, tmp_path / "b")
        status, _ = post(session, b"x", "/" + "ef" * 16)
        assert status == 404


STRANGERS = {
    "nothing": lambda s, who: b"",
    "noise": lambda s, who: b"\x00" * 500,
    "a header of 4 GB": lambda s, who: MAGIC + b"\xff\xff\xff\xff",
    "an unknown party": lambda s, who: hello_of(s, who[0], party=9).raw,
    "a wrong key": lambda s, who: hello_of(s, Identity.new()).raw,
    "another's name": lambda s, who: hello_of(s, who[1], party=0).raw,
    "half a header": lambda s, who: hello_of(s, who[0]).raw[:100],
    "a body too many": lambda s, who: hello_of(s, who[0]).raw + b"x",
    "a body too few": lambda s, who: hello_of(s, who[0], body=b"abc").raw + b"ab",
    "another body": lambda s, who: hello_of(s, who[0], body=b"abc").raw + b"abd",
}


@pytest.mark.parametrize("make", STRANGERS.values(), ids=STRANGERS.keys())
def test_what_isnt_a_message_is_refused_in_a_sentence(serving, make):
    session, identities = serving
    status, told = post(session, make(session, identities))
    assert status == 400
    told = json.loads(told)
    assert told["why"] == "malformed"
    assert told["say"].endswith(".")


@pytest.mark.parametrize("extra", [b"x", b"x" * 2**17])
def test_a_message_in_chunks_that_is_longer_than_it_says_is_refused(serving, extra):
    session, identities = serving
    status, told = post(session, iter([hello_of(session, identities[0]).raw, extra]))
    assert (status, json.loads(told)["why"]) == (400, "malformed")


def test_a_message_that_is_too_large_is_refused_before_it_is_sent(serving):
    """The relay answers to the signed header alone: not a byte of the body has left."""
    session, identities = serving
    frame = hello_of(session, identities[0], body=bytes(2**17))
    with socket.create_connection(address(session), timeout=300) as line:
        head = f"POST /{session.id} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(frame.raw) + 2**17}"
        line.sendall(head.encode() + b"\r\n\r\n" + frame.raw)
        assert line.recv(1000).startswith(b"HTTP/1.1 413")


def test_a_party_gets_refusals_as_typed_errors(serving):
    session, identities = serving
    link = HttpLink(session)
    stale = hello_of(session, identities[0], kind="shares", body=b"abc", epoch=bytes([7] * 32))
    with pytest.raises(Refused) as caught:
        link.say(stale, b"abc")
    assert caught.value.why == "epoch"
    with pytest.raises(Refused, match=r"The relay refuses: .*"):
        link.say(hello_of(session, Identity.new()), b"")
    link.close()


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_any_bytes_are_refused_and_never_an_error_of_the_relay(serving, data):
    session, identities = serving
    raw = hello_of(session, identities[0]).raw
    kind = data.draw(st.sampled_from(["noise", "changed", "cut"]))
    if kind == "noise":
        sent = data.draw(st.binary(max_size=400))
    elif kind == "changed":
        place, change = data.draw(st.integers(0, len(raw) - 1)), data.draw(st.integers(1, 255))
        sent = bytes(b ^ change if i == place else b for i, b in enumerate(raw))
    else:
        sent = raw[: data.draw(st.integers(0, len(raw) - 1))]
    status, told = post(session, sent)
    assert status == 400
    another = sent[:7] == raw[:7] and sent[7:8] != raw[7:8] and len(sent) >= 12
    assert json.loads(told)["why"] == ("format" if another else "malformed")


def test_500_slow_connections_dont_harm_honest_rounds(tmp_path):
    """Some stop in HTTP's header, some in ours, some (a party's) in the body."""
    with http_relay(lambda s: relay_app([s], tmp_path / "relay")) as (session, identities):
        frame = hello_of(session, identities[0], body=bytes(1000))
        head = f"POST /{session.id} HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n".encode()
        starts = [b"POST", head, head + MAGIC, head + frame.raw[:50], b""]
        lines = []
        try:
            for number in range(500):
                line = socket.create_connection(address(session), timeout=300)
                line.sendall(starts[number % len(starts)])
                lines.append(line)
            rounds_of(session, identities, tmp_path)
        finally:
            for line in lines:
                line.close()


def test_whoever_is_too_slow_is_told_so(tmp_path, monkeypatch):
    monkeypatch.setattr(relay_module, "HEAD_PATIENCE", 0.05)
    with (
        http_relay(lambda s: relay_app([s], tmp_path / "relay")) as (session, _),
        socket.create_connection(address(session), timeout=300) as line,
    ):
        head = f"POST /{session.id} HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n"
        line.sendall(head.encode() + b"CHA")
        assert line.recv(1000).startswith(b"HTTP/1.1 408")


def test_a_relay_whose_disk_is_full_is_waited_for(tmp_path, monkeypatch):
    from chatham.federation.relay.board import Adding

    write, full = Adding.write, [3]

    def failing(self, path):
        if full[0]:
            full[0] -= 1
            raise OSError(28, "No space left on device")
        write(self, path)

    monkeypatch.setattr(Adding, "write", failing)
    with http_relay(lambda s: relay_app([s], tmp_path / "relay")) as (session, identities):
        rounds_of(session, identities, tmp_path)
    assert full == [0]


def begun(session, frame, size):
    """A connection over which so many bytes of a message's body have left."""
    line = socket.create_connection(address(session), timeout=300)
    length = len(frame.raw) + frame.size
    head = f"POST /{session.id} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n"
    line.sendall(head.encode() + frame.raw + bytes(size))
    later = http.client.HTTPConnection(*address(session), timeout=300)
    later.request("GET", "/")  # what came before this has been seen when it is answered
    assert later.getresponse().read()
    later.close()
    return line


def test_a_party_has_one_message_on_its_way(tmp_path):
    """The latest; an earlier one was lost, or is too many. Others' go on."""
    with http_relay(lambda s: relay_app([s], tmp_path / "relay", wait=300)) as (session, who):
        mine = hello_of(session, who[0], body=bytes(1000))
        other = begun(session, hello_of(session, who[1], party=1), 0)
        lines = [begun(session, mine, 10)]
        for size in (10, 1000, 1000):  # the second is read in part, the others wait for an answer
            lines.append(begun(session, mine, size))
            assert lines[-2].recv(1000).startswith(b"HTTP/1.1 408")
        last = begun(session, hello_of(session, who[2], party=2), 0)
        for line in (lines[-1], other, last):
            assert line.recv(1000).startswith(b"HTTP/1.1 200")
        for line in (*lines, other, last):
            line.close()


def test_a_body_that_comes_drop_by_drop_isnt_waited_for(tmp_path, monkeypatch):
    """Each drop comes in time, but there would be no end to them."""
    monkeypatch.setattr(relay_module, "SLOWEST", 2**30)
    with http_relay(lambda s: relay_app([s], tmp_path / "relay")) as (session, who):
        monkeypatch.setattr(relay_module, "BODY_PATIENCE", 0.5)
        line = begun(session, hello_of(session, who[0], body=bytes(1000)), 1)
        line.settimeout(0.02)
        told = b""
        while not told:
            line.sendall(b"x")
            with suppress(TimeoutError):
                told = line.recv(1000)
        assert told.startswith(b"HTTP/1.1 408")
        line.close()


def test_a_relay_without_room_for_records_is_waited_for(tmp_path):
    """A party that lost its folder gets all records, though only one at a time fits."""
    length = 40_000
    with http_relay(lambda s: relay_app([s], tmp_path / "r", wait=0.5, disk=1_700_000)) as (
        session,
        identities,
    ):
        rounds_of(session, identities, tmp_path, length, rounds=7)
        for file in (tmp_path / "party1" / "rounds").iterdir():
            file.unlink()
        rounds_of(session, identities, tmp_path, length, rounds=8)
