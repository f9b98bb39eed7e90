"""Silent connections don't keep parties out of the relay."""

import asyncio
import queue
import socket
import threading
from contextlib import contextmanager

import pytest

pytest.importorskip("uvicorn")
import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from chatham.federation.relay import door as relay_door
from chatham.federation.relay.door import Door

LONG = 300
"""Seconds until a test gives up that would wait for ever."""
ASK = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


class Watched(Door):
    """A door that looks when a test says so, instead of after some seconds."""

    looks = queue.SimpleQueue()

    def _check_later(self, request):
        self.looks.put((asyncio.get_running_loop(), self._check, request))

    @classmethod
    def look(cls):
        """Have it look at whoever came first."""
        loop, look, asked = cls.looks.get(timeout=LONG)
        loop.call_soon_threadsafe(look, asked)


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(relay_door, "PATIENCE", 0.1)


@pytest.fixture
def watched(monkeypatch):
    monkeypatch.setattr(Watched, "looks", queue.SimpleQueue())
    return Watched


@contextmanager
def served(http=Door, before=lambda: None):
    """The address of a server; `before` is what it does before it answers."""

    def answer(request):
        before()
        return PlainTextResponse("here")

    door = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(Starlette(routes=[Route("/", answer)]), http=http, log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([door],))
    thread.start()
    try:
        yield door.getsockname()
    finally:
        server.should_exit = True
        thread.join()


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


@pytest.mark.parametrize("said", [b"", b"P", b"POST / HTTP/1.1\r\nHost:"], ids=repr)
def test_whoever_asks_for_nothing_is_sent_away(quick, said):
    with served() as address, socket.create_connection(address) as line:
        line.sendall(said)
        assert until_closed(line) == b""


def test_whoever_asked_once_and_then_dawdles_is_sent_away(watched):
    with served(watched) as address, socket.create_connection(address) as line:
        asked(line)
        line.sendall(b"G")
        watched.look()  # there was something new since it came
        watched.look()
        assert until_closed(line) == b""


def test_whoever_waits_for_an_answer_gets_it(watched):
    at_work, until = threading.Event(), threading.Event()

    def work():
        at_work.set()
        assert until.wait(LONG)

    with served(watched, work) as address, socket.create_connection(address) as line:
        line.sendall(ASK)
        assert at_work.wait(LONG)
        watched.look()
        watched.look()  # at the very request that it saw before
        watched.looks.get(timeout=LONG)  # it has looked, and would again
        until.set()
        heard(line)


def test_beyond_what_there_is_room_for_nobody_is_taken(monkeypatch):
    monkeypatch.setattr(Door, "most", 3)
    with served() as address:
        lines = [socket.create_connection(address) for _ in range(3)]
        for line in lines:
            asked(line)  # so that all three are known to be taken
        with socket.create_connection(address) as late:
            assert until_closed(late) == b""
        for line in lines:
            asked(line)
            line.close()


def asked(line):
    """Ask, and hear the answer; the line stays open."""
    line.sendall(ASK)
    heard(line)


def heard(line):
    line.settimeout(LONG)
    said = b""
    while not said.endswith(b"here"):
        said += line.recv(2**16) or pytest.fail("the line was closed")
