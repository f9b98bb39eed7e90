"""Silent connections don't keep parties out of the relay."""

import socket
import threading
import time
from contextlib import contextmanager

import pytest

pytest.importorskip("uvicorn")
import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from chatham.federation.relay import door as relay_door
from chatham.federation.relay.door import Door

ASK = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(relay_door, "PATIENCE", 0.1)


@contextmanager
def served(wait=0.0):
    """The address of a server that answers after so many seconds."""

    def answer(request):
        time.sleep(wait)
        return PlainTextResponse("here")

    door = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(Starlette(routes=[Route("/", answer)]), http=Door, log_level="error")
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
    line.settimeout(20)
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


def test_whoever_asked_once_and_then_dawdles_is_sent_away(quick):
    with served() as address, socket.create_connection(address) as line:
        line.sendall(ASK + b"G")
        assert until_closed(line).endswith(b"here")


def test_whoever_waits_for_an_answer_gets_it(quick):
    with served(wait=1.0) as address, socket.create_connection(address) as line:
        line.sendall(ASK)
        assert until_closed(line).endswith(b"here")


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
    line.settimeout(20)
    line.sendall(ASK)
    heard = b""
    while not heard.endswith(b"here"):
        heard += line.recv(2**16) or pytest.fail("the line was closed")
