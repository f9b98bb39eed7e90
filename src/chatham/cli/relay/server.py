"""The server behind `chatham relay`: the socket, TLS, its few words, and how it ends."""

from __future__ import annotations

import errno
import logging
import os
import socket
import ssl
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from chatham.cli.app import DEBUG
from chatham.cli.output import print_json
from chatham.cli.places import check_folder
from chatham.errors import InputError, SessionError
from chatham.federation.relay.door import Door, make_room
from chatham.federation.relay.service import relay_app
from chatham.federation.session import Session, read_session
from chatham.interrupts import asking
from chatham.naming import plural

WAIT = 5.0
"""Seconds until a party that waits is told for whom: sooner than a person gives up."""
WAITING = 1024
"""Connections that may wait to be taken."""
PARTING = 1
"""Seconds that those who wait get when the relay is stopped; they ask again later."""
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
"""Why no more connections can be taken just now."""


def serve(
    files: Sequence[Path],
    folder: Path,
    host: str,
    port: int,
    certificate: Path | None,
    key: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Listen until somebody stops it."""
    sessions = _sessions(files)
    check_folder(folder)
    _check_certificate(certificate, key)
    listening = _listening(host, port)
    address = _address(listening, certificate is not None)
    make_room()
    config = uvicorn.Config(
        relay_app(sessions, folder, wait=WAIT),
        http=Door,
        ssl_certfile=certificate,
        ssl_keyfile=key,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=PARTING,
    )
    _quieten()
    server = _Server(config, lambda: _announce(address, sessions, folder, quiet, as_json))
    with asking(server.stop):
        server.run(sockets=[listening])
    if server.unsaid:
        raise server.unsaid
    if not quiet and not as_json:
        print("Stopped. Start it again with the same folder, and the sessions go on.")


class _Server(uvicorn.Server):
    """Says that it listens when it does, and leaves signals to us.

    uvicorn takes them only once its loop runs and gives them back before its farewell is done, so
    that one which came just before or after would be raised amid asyncio's own work.
    """

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._say_so = announce
        self.unsaid: OSError | None = None

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take none."""
        yield

    def stop(self) -> None:
        """End soon; to be asked twice changes nothing."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to take connections; from here on, whoever comes is answered."""
        await super().startup(sockets)
        if self.should_exit:
            return
        try:
            self._say_so()
        except OSError as error:  # nobody learns where it is: it ends, as it does otherwise
            self.unsaid = error
            self.stop()


def _sessions(files: Sequence[Path]) -> list[Session]:
    sessions = [read_session(file) for file in files]
    if len({session.id for session in sessions}) < len(sessions):
        raise SessionError("Two of the files are of one session; give each session once.")
    return sessions


def _check_certificate(certificate: Path | None, key: Path | None) -> None:
    if certificate is None:
        return
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key)
    except ssl.SSLError:
        raise InputError(
            f"'{certificate}' and '{key}' aren't a certificate and its private key in PEM."
        ) from None
    except OSError as error:
        raise InputError(
            f"'{certificate}' or '{key}' can't be read: {error.strerror or 'it isn’t PEM'}."
        ) from None


def _listening(host: str, port: int) -> socket.socket:
    """Bound before anything is said, so that a port in use is an error like any other."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(found[0], found[1])
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(found[4])
        listening.listen(WAITING)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise InputError(f"The relay can't listen at {host}, port {port}: {why}.") from None
    listening.set_inheritable(True)
    return listening


def _address(listening: socket.socket, secure: bool) -> str:
    host, port = listening.getsockname()[:2]
    return f"{'https' if secure else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"


def _announce(
    address: str, sessions: Sequence[Session], folder: Path, quiet: bool, as_json: bool
) -> None:
    if as_json:
        known = [{"id": session.id, "hash": session.hash.hex()} for session in sessions]
        print_json({"address": address, "folder": str(folder), "sessions": known})
    elif not quiet:
        print(f"The relay listens at {address} for {plural(len(sessions), 'session')}:")
        for session in sessions:
            names = ", ".join(member.name for member in session.parties)
            print(f"  {session.id}  {names} (hash {session.hash.hex()[:16]}…)")
        print("Ctrl-C stops it.")
    sys.stdout.flush()


def _quieten() -> None:
    """Mistakes in a line, without what was sent; everything else goes unsaid."""
    handler = logging.StreamHandler()
    handler.setFormatter(_OneLine())
    for name in ("uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.ERROR)
        logger.addFilter(_is_said)


def _is_said(record: logging.LogRecord) -> bool:
    """Not what is no mistake: a stop cuts those short who wait. And what strangers at the door can
    bring about a thousand times a second would fill the disk."""
    if record.name == "uvicorn.error":
        return record.funcName != "shutdown"
    error = record.exc_info[1] if record.exc_info else None
    return not (isinstance(error, OSError) and error.errno in EXHAUSTED)


class _OneLine(logging.Formatter):
    """When, and what kind of mistake it was; the whole of it where mistakes are looked for."""

    def format(self, record: logging.LogRecord) -> str:
        """A line of the log."""
        if os.environ.get(DEBUG):
            return super().format(record)
        what: Any = record.exc_info[0] if record.exc_info else None
        kind = f" ({what.__name__})" if what else ""
        first = record.getMessage().splitlines()[:1] or [""]
        return f"{self.formatTime(record)} relay: {first[0]}{kind}"
