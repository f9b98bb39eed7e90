"""Whenever a relay is interrupted, it ends quietly, with the exit code that is written down.

Before it serves, nothing is at stake: Ctrl-C ends it as it ends any command (130), SIGTERM as it
ends any process. From then on to be stopped is its way to end (0).
"""

import os
import signal
import socket
import subprocess
import sys

import pytest

from chatham.federation.session import read_session
from tests.cli.federation import Federation, chatham

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are another matter there")

STARTING = [
    "import:typer",
    "import:chatham.cli.relay.command",
    "import:numpy",
    "import:uvicorn",
    "import:chatham.cli.relay.server",
    "audit:socket.bind",
    "after:chatham.cli.relay.server/_listening",
]
SERVING = [
    "before:uvicorn/Server.run",
    "before:asyncio/Runner.run",
    "before:uvicorn/Server._serve",
    "before:uvicorn.lifespan.on/LifespanOn.startup",
    "before:chatham.cli.relay.server/_announce",
    "after:chatham.cli.relay.server/_announce",
    "before:uvicorn/Server.main_loop",
]
ENDING = [
    "before:uvicorn/Server.shutdown",
    "after:uvicorn/Server.shutdown",
    "after:uvicorn/Server._serve",
    "after:asyncio/Runner.run",
    "after:uvicorn/Server.run",
    "after:chatham.cli.relay.server/serve",
    "atexit",
]
"""Moments that come because the relay has been asked to stop already."""
STOPPED = "Stopped. Start it again with the same folder, and the sessions continue.\n"
INTERRUPTED = "Interrupted; nothing was saved.\n"
TWICE = "SIGINT,SIGINT"


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    return Federation(tmp_path_factory.mktemp("session"), documents=2).session()


@pytest.fixture
def words(session, tmp_path):
    return ["relay", session, "--folder", tmp_path / "relay", "--port", 0]


def interrupted(signals, moment, words):
    """A relay that interrupts itself at that moment."""
    command = [sys.executable, "-m", "tests.cli.interrupting", signals, moment, *map(str, words)]
    return subprocess.Popen(
        command,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def ended(process):
    """Its last words, and its exit code; that it ends at all is part of the matter."""
    try:
        out, errors = process.communicate(timeout=300)
    finally:
        process.kill()
    return out, errors, process.returncode


@pytest.mark.parametrize("moment", STARTING)
def test_before_it_serves(words, moment):
    out, errors, code = ended(interrupted(TWICE, moment, words))
    assert (out, errors, code) == ("interrupted\n", INTERRUPTED, 130)


def test_before_it_serves_sigterm_does_what_it_does_anywhere(words):
    out, errors, code = ended(interrupted("SIGTERM", "audit:socket.bind", words))
    assert (out, errors, code) == ("interrupted\n", "", -signal.SIGTERM)


@pytest.mark.parametrize("moment", SERVING)
def test_from_when_it_serves(words, moment):
    out, errors, code = ended(interrupted("SIGTERM,SIGINT", moment, words))
    assert out.endswith(STOPPED)
    assert out.count("interrupted\n") == 1
    assert (errors, code) == ("", 0)


@pytest.mark.parametrize("moment", ENDING)
def test_while_it_ends(words, moment):
    process = interrupted("SIGINT,SIGTERM,SIGINT", moment, words)
    while (line := process.stdout.readline()) != "Ctrl-C stops it.\n":
        assert line, ended(process)
    process.send_signal(signal.SIGINT)
    out, errors, code = ended(process)
    assert sorted(out.splitlines(keepends=True)) == sorted([STOPPED, "interrupted\n"])
    assert (errors, code) == ("", 0)


@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGTERM])
def test_who_reads_that_it_listens_is_answered_and_may_stop_it_while_asking(words, first):
    process = chatham(*words, stdout=subprocess.PIPE)
    address = process.stdout.readline().split()[4]
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\nPOST /")
        line.settimeout(300)
        assert line.recv(2**16).startswith(b"HTTP/1.1 200")
        for each in (first, signal.SIGINT, signal.SIGTERM):
            process.send_signal(each)
        out, errors, code = ended(process)
    assert out.endswith(STOPPED)
    assert (errors, code) == ("", 0)


def test_a_message_on_its_way_is_cut_off_without_a_word(words, session):
    process = chatham(*words, stdout=subprocess.PIPE)
    host, port = process.stdout.readline().split()[4].removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as line:
        line.settimeout(300)
        head = f"POST /{read_session(session).id} HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n"
        line.sendall(head.encode() + b"Expect: 100-continue\r\n\r\n")
        assert line.recv(2**16).startswith(b"HTTP/1.1 100"), "it waits for the body now"
        process.send_signal(signal.SIGTERM)
        out, errors, code = ended(process)
    assert out.endswith(STOPPED)
    assert (errors, code) == ("", 0)
