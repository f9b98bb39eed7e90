"""A party's link to the relay over HTTP.

The standard library's client, with one persistent connection: a round of small messages takes about
as long as its HTTP does, and nothing more is needed here.
"""

from __future__ import annotations

import json
import ssl
from contextlib import closing
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from socket import socket
from typing import Any, cast
from urllib.parse import urlsplit

from chatham.commons.secure.frames import Frame, parse_frame, read_frame
from chatham.errors import LinkError, ProtocolError, Refused, SessionError
from chatham.federation.session import Session
from chatham.federation.wire import Answer, longest_answer, read_answer
from chatham.version import version

CONNECTING, PATIENCE = 5.0, 60.0
"""Seconds to connect, and to wait for a byte from the relay, which answers sooner than that."""
LONGEST_REFUSAL = 2**16
TOGETHER = 2**14
"""Bytes of a body up to which it is sent together with its header."""


class HttpLink:
    """One connection to the session's relay, reopened whenever it is lost."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._waiting: list[int] = []
        address = urlsplit(session.relay)
        self._path = f"{address.path.rstrip('/')}/{session.id}"
        self._connection = _connection(session, str(address.hostname), address.port)

    def say(self, frame: Frame, body: bytes | memoryview) -> Answer | None:
        """See `Link`."""
        status, data = self._exchange(frame.raw, body)
        if status == 200:
            return read_answer(data, partial(self._read, frame), len(self._session.parties))
        if status >= 500 or status == 408:
            raise LinkError("The relay is in trouble.")
        reply = _json(status, data)
        if status == 202:
            self._waiting = _parties(reply, len(self._session.parties))
            return None
        why = reply.get("why")
        mine = f" (I have Chatham {version()}.)" if why == "format" else ""
        sentence = f"The relay refuses: {_sentence(reply)}{mine}"
        raise Refused(why if isinstance(why, str) else "", sentence)

    def waiting_for(self) -> list[int]:
        """See `Link`."""
        return self._waiting

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _exchange(self, raw: bytes, body: bytes | memoryview) -> tuple[int, bytes]:
        """A connection that was left open may have been closed since: then try again at once."""
        for _ in range(2):
            is_new = self._connection.sock is None
            try:
                return self._post(raw, body)
            except ssl.SSLCertVerificationError as error:
                self.close()
                raise ProtocolError(
                    f"The relay doesn't present the certificate of this session "
                    f"({error.verify_message}); nothing was sent."
                ) from None
            except (OSError, HTTPException) as error:
                self.close()
                if is_new or isinstance(error, TimeoutError):
                    break
            except BaseException:
                self.close()  # the rest of an answer would be taken for the next one
                raise
        raise LinkError("The relay can't be reached.")

    def _post(self, raw: bytes, body: bytes | memoryview) -> tuple[int, bytes]:
        connection = self._connection
        if connection.sock is None:
            connection.connect()
            cast(socket, connection.sock).settimeout(PATIENCE)
        connection.putrequest("POST", self._path, skip_accept_encoding=True)
        connection.putheader("Content-Length", str(len(raw) + len(body)))
        connection.endheaders()
        self._send(raw, body)
        # Closed here: Ctrl-C during a destructor would be lost.
        with closing(connection.getresponse()) as reply:
            return self._received(reply)

    def _send(self, raw: bytes, body: bytes | memoryview) -> None:
        if len(body) <= TOGETHER:
            self._connection.send(raw + body)
        else:
            self._connection.send(raw)
            self._connection.send(body)

    def _received(self, reply: HTTPResponse) -> tuple[int, bytes]:
        """The answer's bytes, refused if there are more than an answer can have."""
        limit = longest_answer(self._session) if reply.status == 200 else LONGEST_REFUSAL
        if reply.length is None:  # in chunks, and a length of -1 would be read for ever
            self.close()
            if reply.status >= 500:
                return reply.status, b""
            raise ProtocolError("The relay's answer doesn't state its length.")
        if reply.length > limit:
            raise ProtocolError(f"The relay's answer is longer than {limit} bytes.")
        return reply.status, reply.read()

    def _read(self, mine: Frame, raw: bytes) -> Frame:
        """A frame of the answer; my own needs no check if it is the one I sent."""
        if raw == mine.raw:
            return mine
        frame = parse_frame(raw, self._session.hash, len(self._session.parties))
        if "sum" in (mine.kind, mine.header.get("about")) or frame.kind == "refuse":
            return frame
        return read_frame(raw, self._session.hash, self._session.keys)


def _connection(session: Session, host: str, port: int | None) -> HTTPConnection:
    """To the session's relay, not yet open; refused if the session's address can't be one."""
    try:
        host.encode("idna")
        if urlsplit(session.relay).scheme != "https":
            return HTTPConnection(host, port, timeout=CONNECTING)
        trust = ssl.create_default_context(cadata=session.certificate or None)
        return HTTPSConnection(host, port, timeout=CONNECTING, context=trust)
    except (ssl.SSLError, TypeError):
        raise SessionError(
            "The relay's certificate in the session is damaged; make a session with the right one."
        ) from None
    except (UnicodeError, HTTPException):
        raise SessionError(
            f"The session's relay is at {host[:80]}, which can't be the name of a machine; make a "
            "session with the right address."
        ) from None


def _json(status: int, data: bytes) -> dict[str, Any]:
    try:
        reply = json.loads(data)
    except (ValueError, RecursionError):
        reply = None
    if not isinstance(reply, dict):
        raise ProtocolError(f"What answers at the relay's address isn't a relay ({status}).")
    return reply


def _parties(reply: dict[str, Any], parties: int) -> list[int]:
    waiting = reply.get("waiting")
    waiting = waiting if isinstance(waiting, list) else []
    return [party for party in waiting if type(party) is int and 0 <= party < parties]


def _sentence(reply: dict[str, Any]) -> str:
    """The relay's sentence as one line of plain text, since the relay isn't trusted."""
    text = reply.get("say")
    text = text if isinstance(text, str) else "no reason is given."
    return "".join(c for c in text[:200] if c.isprintable())
