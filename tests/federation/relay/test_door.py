"""Strangers' connections don't keep parties out of the relay: who is let in, and who has to go."""

import asyncio
import socket
import ssl
import sys
import threading
from contextlib import contextmanager
from functools import partial

import pytest

pytest.importorskip("uvicorn")
import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from chatham.federation.relay import door as relay_door
from chatham.federation.relay.door import RECOGNISE, Door, Http, origin_of
from tests.cli.federation import certificate

LONG = 300
"""Seconds until a test gives up that would wait for ever."""
ASK = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


def signed_by(party):
    """A request that stands for a party's signed message."""
    return b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n" % party


class Host(uvicorn.Server):
    """A server behind a door; `/n` is a message of party n."""

    def __init__(self, listening, **limits):
        routes = [Route("/", answer), Route("/{party:int}", known)]
        app = Starlette(routes=routes)
        super().__init__(uvicorn.Config(app, log_level="error", timeout_keep_alive=LONG))
        self._door = Door(listening, self._new_http, **limits)
        self.address = listening.getsockname()

    def _new_http(self, visitor):
        recognise = {RECOGNISE: partial(self._door.recognise, visitor)}
        given = {"config": self.config, "server_state": self.server_state}
        return Http(partial(self._door.gone, visitor), app_state=recognise, **given)

    async def startup(self, sockets=None):
        await super().startup([])
        self._door.open()
        self.servers, self._loop = [self._door], asyncio.get_running_loop()

    def let_time_pass(self):
        """As much as any stranger has who was let in before."""
        done = threading.Event()

        def check():
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(relay_door, "PATIENCE", 0.0)
                self._door._check()
            done.set()

        with socket.create_connection(self.address) as last:
            asked(last)  # they are let in one after the other
            self._loop.call_soon_threadsafe(check)
            assert done.wait(LONG)


async def answer(request):
    return PlainTextResponse("here")


async def known(request):
    getattr(request.state, RECOGNISE)(request.path_params["party"])
    return PlainTextResponse("here")


@contextmanager
def served(**limits):
    """A server that listens."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = Host(listening, **limits)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Time passes when a test says so."""
    monkeypatch.setattr(relay_door, "PATIENCE", LONG)


def connected(server, **more):
    return socket.create_connection(server.address, **more)


def until_closed(line):
    """What came until the other end hung up; a test that waits for ever fails by its time-out."""
    line.settimeout(LONG)
    parts = []
    try:
        while part := line.recv(2**16):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def heard(line):
    """The answer to a request; the line stays open."""
    line.settimeout(LONG)
    said = b""
    while not said.endswith(b"here"):
        said += line.recv(2**16) or pytest.fail("the line was closed")


def asked(line, request=ASK):
    line.sendall(request)
    heard(line)


@pytest.mark.parametrize("said", [b"", b"P", b"POST / HTTP/1.1\r\nHost:"], ids=repr)
def test_whoever_asks_for_nothing_is_sent_away(said):
    with served() as server, connected(server) as line:
        line.sendall(said)
        server.let_time_pass()
        assert until_closed(line) == b""


def test_whoever_isnt_known_is_sent_away_though_it_was_answered():
    with served() as server, connected(server) as line:
        asked(line)
        server.let_time_pass()
        assert until_closed(line) == b""


def test_whoever_is_known_stays():
    with served() as server, connected(server) as line:
        asked(line, signed_by(1))
        server.let_time_pass()
        asked(line)
        asked(line, signed_by(2))


def test_time_passes_by_itself_too(monkeypatch):
    monkeypatch.setattr(relay_door, "PATIENCE", 0.01)
    with served() as server:
        for _ in range(2):
            with connected(server) as line:
                assert until_closed(line) == b""


def test_where_there_are_too_many_the_oldest_stranger_goes():
    with served(most=3, by_address=False) as server:
        party = connected(server)
        asked(party, signed_by(1))
        lines = [connected(server) for _ in range(4)]
        assert until_closed(lines[0]) == b""
        for line in lines[1:]:
            asked(line)
        asked(party)
        for line in [party, *lines]:
            line.close()


@pytest.mark.skipif(sys.platform != "linux", reason="another address isn't this machine's there")
def test_an_address_has_no_more_than_its_share():
    with served(most=4) as server:
        other = connected(server, source_address=("127.0.0.2", 0))
        lines = [connected(server) for _ in range(5)]
        for line in lines[:3]:
            assert until_closed(line) == b""
        for line in [other, *lines[3:]]:
            asked(line)
        for line in [other, *lines]:
            line.close()


def test_behind_a_proxy_all_may_come_from_one_address():
    with served(most=10, by_address=False) as server:
        lines = [connected(server) for _ in range(10)]
        for line in lines:
            asked(line)
            line.close()


def test_a_party_has_one_connection_and_an_earlier_one_is_a_strangers():
    with served() as server:
        first, second = connected(server), connected(server)
        asked(first, signed_by(1))
        asked(second, signed_by(1))
        server.let_time_pass()
        assert until_closed(first) == b""
        asked(second)
        second.close()


def test_a_connection_that_several_parties_use_stays_until_all_have_left():
    """As a proxy's does."""
    with served() as server:
        shared, own = connected(server), connected(server)
        asked(shared, signed_by(1))
        asked(shared, signed_by(2))
        asked(own, signed_by(1))
        server.let_time_pass()
        asked(shared)
        asked(own, signed_by(2))
        server.let_time_pass()
        assert until_closed(shared) == b""
        own.close()


def test_a_server_that_is_stopped_lets_nobody_wait():
    with served() as server:
        silent = connected(server)
        with connected(server) as line:
            asked(line)  # so the silent one has been let in
    assert until_closed(silent) == b""
    silent.close()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("10.0.0.1", "10.0.0.1", True),
        ("10.0.0.1", "10.0.0.2", False),
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:10.0.0.1", "10.0.0.1", True),
        ("::ffff:10.0.0.1", "::ffff:10.0.0.2", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
    ],
)
def test_what_counts_as_one_address(one, other, same):
    assert (origin_of((one, 1)) == origin_of((other, 2))) is same


def test_a_loop_that_cant_tell_of_a_first_byte_lets_in_all_the_same(monkeypatch):
    """As on Windows."""

    def unable(self, *given):
        raise NotImplementedError

    with monkeypatch.context() as patched:
        loop = asyncio.SelectorEventLoop
        patched.setattr(loop, "add_reader", unable)
        patched.setattr(loop, "remove_reader", unable)
        with served() as server, connected(server) as line:
            asked(line)


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_tls_may_come_byte_by_byte(tmp_path, size):
    """It begins when its first record is whole."""
    pem, key = certificate(tmp_path)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(pem, key)
    with served(tls=context) as server, connected(server) as line:
        line.settimeout(LONG)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        came, said = ssl.MemoryBIO(), ssl.MemoryBIO()
        trust = ssl.create_default_context(cadata=pem.read_text())
        client = trust.wrap_bio(came, said, server_hostname="127.0.0.1")
        exchanged(line, came, said, client.do_handshake, size)
        client.write(ASK)
        assert b"200 OK" in exchanged(line, came, said, lambda: client.read(2**16), size)


def exchanged(line, came, said, step, size):
    """What a step of TLS brings, said in parts of this size."""
    while True:
        try:
            result = step() or b""  # a handshake brings nothing
        except ssl.SSLWantReadError:
            result = None
        words = said.read()
        for place in range(0, len(words), size):
            line.sendall(words[place : place + size])
        if result is not None:
            return result
        came.write(line.recv(2**16) or pytest.fail("the line was closed"))


def test_whoever_begins_tls_as_nobody_does_is_sent_away(tmp_path):
    pem, key = certificate(tmp_path)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(pem, key)
    with served(tls=context) as server:
        for said in (ASK, bytes(5), b"\x16\x03\x01\xff\xff", b"\x16\x03\x01\x00\x05abcde"):
            with connected(server) as line:
                line.sendall(said)
                line.shutdown(socket.SHUT_WR)
                assert b"here" not in until_closed(line)


def test_fewer_may_have_begun_than_may_wait(monkeypatch):
    monkeypatch.setattr(relay_door, "MOST_ENTERED", 2)
    with served(most=10, by_address=False) as server:
        silent = connected(server)
        lines = [connected(server) for _ in range(3)]
        for line in lines:
            asked(line)
        assert until_closed(lines[0]) == b""
        asked(silent)
        assert until_closed(lines[1]) == b""
        for line in [silent, *lines]:
            line.close()
