"""A party's way to the relay: whatever answers there, or doesn't."""

import socket
import threading
from contextlib import suppress
from dataclasses import replace
from http.client import HTTPResponse

import pytest

pytest.importorskip("uvicorn")

from chatham.errors import LinkError, ProtocolError, Refused, SessionError
from chatham.federation.party.http_link import HttpLink
from chatham.federation.relay.service import relay_app
from tests.federation.parties import http_relay
from tests.federation.relay.test_service import hello_of

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


class Shown:
    """Somebody at the relay's address who answers every request with the same bytes."""

    def __init__(self, answer):
        self._answer = answer
        self._door = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                line, _ = self._door.accept()
            except OSError:
                return
            with line, line.makefile("rb") as asked, suppress(OSError):
                length = 0
                while (header := asked.readline().lower()) != b"\r\n":
                    if header.startswith(b"content-length:"):
                        length = int(header.split(b":")[1])
                asked.read(length)  # what is left unread would reset the connection
                line.sendall(self._answer)

    def close(self):
        self._door.close()


def http_answer(status, body, length=None):
    length = len(body) if length is None else length
    return f"HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n\r\n".encode() + body


CHUNKED = b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n"
ANSWERS = {
    "not HTTP": (b"SSH-2.0-x\r\n", LinkError),
    "nothing": (b"", LinkError),
    "a web page": (http_answer(200, b"<html>" * 20), ProtocolError),
    "another page": (http_answer(404, b"<html>"), ProtocolError),
    "a redirection": (http_answer(301, b""), ProtocolError),
    "trouble": (http_answer(503, b"busy"), LinkError),
    "slow": (http_answer(408, b""), LinkError),
    "a cut answer": (http_answer(200, b"\0\0", 500), LinkError),
    "an endless answer": (http_answer(200, b"", 2**60), ProtocolError),
    "an answer in chunks": (CHUNKED + b"200000\r\n" + bytes(2**21), ProtocolError),
    "a chunk without end": (CHUNKED + b"-1\r\n" + bytes(2**21), ProtocolError),
    "a chunk of less than nothing": (CHUNKED + b"-5\r\n" + bytes(2**21), ProtocolError),
    "no length at all": (b"HTTP/1.1 200 X\r\n\r\n" + bytes(2**21), ProtocolError),
    "trouble in chunks": (CHUNKED.replace(b"200", b"502") + b"-1\r\n" + bytes(9), LinkError),
    "a deep answer": (http_answer(409, b"[" * 50_000), ProtocolError),
    "an odd refusal": (http_answer(409, b'{"why": 3, "say": {"x": 1}}'), Refused),
    "control characters": (http_answer(409, b'{"why": "x", "say": "a\\u001b[31mb"}'), Refused),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_whatever_answers_at_the_relays_address_is_a_typed_error(serving, name):
    session, identities = serving
    answer, error = ANSWERS[name]
    stranger = Shown(answer)
    link = HttpLink(replace(session, relay=stranger.address))
    with pytest.raises(error) as caught:
        link.say(hello_of(session, identities[0]), b"")
    assert "\x1b" not in str(caught.value)
    assert ("longer than" in str(caught.value)) == ("endless answer" in name)
    assert type(caught.value) is error
    link.close()
    stranger.close()


@pytest.mark.parametrize("host", ["a..b", "a" * 64, ".a", "a b"])
def test_an_address_that_is_no_hosts_is_a_session_error(serving, host):
    with pytest.raises(SessionError):
        HttpLink(replace(serving[0], relay=f"https://{host}:1"))


@pytest.mark.parametrize("more", ["", "x", "\nAAAA\n-----END CERTIFICATE-----", "\u00e9"])
def test_a_certificate_that_is_none_is_a_session_error(serving, more):
    certificate = "-----BEGIN CERTIFICATE-----" + more
    with pytest.raises(SessionError, match="certificate"):
        HttpLink(replace(serving[0], relay="https://relay.example", certificate=certificate))


def test_odd_lists_of_whom_one_waits_for_are_cleaned(serving):
    session, identities = serving
    stranger = Shown(http_answer(202, b'{"waiting": [0, -1, 7, "x", true, 2.0, 2]}'))
    link = HttpLink(replace(session, relay=stranger.address))
    assert link.say(hello_of(session, identities[0]), b"") is None
    assert link.waiting_for() == [0, 2]
    stranger.close()


def test_no_answer_is_left_to_a_destructor(serving):
    """Ctrl-C that comes while one closes an answer is lost, and the party would wait on."""
    session, identities = serving
    stranger, answers = Shown(http_answer(202, b'{"waiting": [1]}')), []

    class Noted(HTTPResponse):
        def __init__(self, *given, **more):
            super().__init__(*given, **more)
            answers.append(self)

    link = HttpLink(replace(session, relay=stranger.address))
    link._connection.response_class = Noted
    assert link.say(hello_of(session, identities[0]), b"") is None
    assert [answer.closed for answer in answers] == [True]
    stranger.close()


def test_nobody_there_is_a_link_error(serving):
    session, identities = serving
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
    link = HttpLink(replace(session, relay=f"http://127.0.0.1:{port}"))
    with pytest.raises(LinkError):
        link.say(hello_of(session, identities[0]), b"")


def test_a_connection_that_was_closed_meanwhile_is_opened_again_at_once(serving):
    session, identities = serving
    link = HttpLink(session)
    frame = hello_of(session, identities[0])
    assert link.say(frame, b"") is None
    before = link._connection.sock
    before.shutdown(socket.SHUT_RDWR)
    assert link.say(frame, b"") is None
    assert link._connection.sock is not before
    assert link.waiting_for() == [1, 2]  # heard twice, and there once
    link.close()
