"""The server behind `chatham relay`: the socket, TLS, what it prints, and how it ends."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import socket
import ssl
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn

from chatham.cli.app import DEBUG
from chatham.cli.output import print_json
from chatham.cli.paths import check_folder
from chatham.cli.relay.place import Place
from chatham.errors import InputError, SessionError
from chatham.federation.locking import FolderLock
from chatham.federation.relay.door import RECOGNISE, Door, Http, Visitor, make_room
from chatham.federation.relay.service import relay_app
from chatham.federation.session import Session, read_session
from chatham.interrupts import asking
from chatham.naming import plural

WAIT = 5.0
"""Seconds until a waiting party is told for whom it waits: sooner than a person gives up."""
WAITING = 4096
"""Connections that may wait to be accepted; where there are more, even the first packet is lost,
and sent again only after a second."""
KEPT = 60
"""Seconds that a party's connection may rest between two messages; strangers have less."""
PARTING = 1
"""Seconds that waiting requests get when the relay is stopped; parties ask again later."""
IN_USE = "Another relay runs in '{folder}'; stop it first, or give this one another folder."


@dataclass(frozen=True)
class Limits:
    """What the relay grants."""

    disk: int
    """Bytes that a session may take on the disk."""
    by_address: bool
    """Whether connections from one address are limited too; a proxy has one for all."""


def serve(
    sessions: Sequence[Session],
    folder: Path,
    place: Place,
    certificate: Path | None,
    key: Path | None,
    limits: Limits,
    quiet: bool,
    as_json: bool,
) -> None:
    """Listen until somebody stops it."""
    check_folder(folder)
    _check_certificate(certificate, key)
    listening = _listening(place.host, place.port)
    address = _address(listening, place.secure)
    found = replace(place, port=listening.getsockname()[1])
    config = uvicorn.Config(
        relay_app(sessions, folder, wait=WAIT, disk=limits.disk),
        ssl_certfile=certificate,
        ssl_keyfile=key,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEPT,
        timeout_graceful_shutdown=PARTING,
    )
    _quieten()
    elsewhere = [session for session in sessions if not found.is_named_by(session)]
    announce = partial(_announce, address, sessions, elsewhere, folder, quiet, as_json)
    strangers = make_room(sum(len(session.parties) for session in sessions))
    server = _Server(config, announce, strangers, limits.by_address)
    gc.freeze()  # what is loaded stays: looking for garbage then takes next to no time
    with FolderLock(folder, refusal=IN_USE), asking(server.stop):
        server.run(sockets=[listening])
    if server.announcing_error:
        raise server.announcing_error
    if not quiet and not as_json:
        print("Stopped. Start it again with the same folder, and the sessions continue.")


class _Server(uvicorn.Server):
    """Lets visitors in by its own door, announces that it listens once it does, and leaves signals
    to us.

    uvicorn handles them only while its loop runs and stops before its shutdown is done, so that one
    which came just before or after would be raised in the middle of asyncio's own work.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        announce: Callable[[], None],
        strangers: int,
        by_address: bool,
    ) -> None:
        super().__init__(config)
        self._announce, self._limits = announce, (strangers, by_address)
        self.announcing_error: OSError | None = None

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield

    def stop(self) -> None:
        """End soon; calling it again changes nothing."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections; from here on, every request is answered."""
        await super().startup([])
        if self.should_exit:
            return
        self.servers = [self._opened(listening) for listening in sockets or []]
        try:
            self._announce()
        except OSError as error:  # nobody learns its address, so it ends in the usual way
            self.announcing_error = error
            self.stop()

    def _opened(self, listening: socket.socket) -> Any:
        """The door at a socket; requests can tell it whose they are."""

        def new_http(visitor: Visitor) -> Http:
            recognise = partial(door.recognise, visitor)
            return Http(
                partial(door.gone, visitor),
                config=self.config,
                server_state=self.server_state,
                app_state={**self.lifespan.state, RECOGNISE: recognise},
            )

        door = Door(listening, new_http, self.config.ssl, *self._limits)
        door.open()
        return door


def read_sessions(files: Sequence[Path]) -> list[Session]:
    """Each session once."""
    sessions = [read_session(file) for file in files]
    if len({session.id for session in sessions}) < len(sessions):
        raise SessionError("Two of the files are the same session; give each session once.")
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
    """Bound before anything is printed, so that a port in use is an error like any other."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP
        )[0]
        # The protocol is named: only then does asyncio send small packets at once (TCP_NODELAY).
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(WAITING)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise InputError(f"The relay can't listen on {host}, port {port}: {why}.") from None
    listening.set_inheritable(True)
    return listening


def _address(listening: socket.socket, secure: bool) -> str:
    host, port = listening.getsockname()[:2]
    return f"{'https' if secure else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"


def _announce(
    address: str,
    sessions: Sequence[Session],
    elsewhere: Sequence[Session],
    folder: Path,
    quiet: bool,
    as_json: bool,
) -> None:
    if as_json:
        listed = [
            {"id": session.id, "hash": session.hash.hex(), "relay": session.relay}
            for session in sessions
        ]
        print_json({"address": address, "folder": str(folder), "sessions": listed})
    elif not quiet:
        print(f"The relay listens at {address} for {plural(len(sessions), 'session')}:")
        for session in sessions:
            names = ", ".join(member.name for member in session.parties)
            print(f"  {session.id}  {names} (hash {session.hash.hex()[:16]}…)")
        for named in dict.fromkeys(session.relay for session in elsewhere):
            print(f"Their parties look for it at {named}; see to it that this leads here.")
        print("Ctrl-C stops it.")
    sys.stdout.flush()


def _quieten() -> None:
    """Log errors in one line, without what was sent, and nothing else."""
    handler = logging.StreamHandler()
    handler.setFormatter(_OneLine())
    for name in ("uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.ERROR)
        logger.addFilter(_is_logged)


def _is_logged(record: logging.LogRecord) -> bool:
    """Not what is no error: stopping cuts off waiting requests, and nothing else cancels one."""
    error_type = record.exc_info[0] if record.exc_info else None
    is_cut_off = error_type is not None and issubclass(error_type, asyncio.CancelledError)
    return not is_cut_off and (record.name, record.funcName) != ("uvicorn.error", "shutdown")


class _OneLine(logging.Formatter):
    """When, and what kind of error it was; all of it when debugging."""

    def format(self, record: logging.LogRecord) -> str:
        """A line of the log."""
        if os.environ.get(DEBUG):
            return super().format(record)
        error_type: Any = record.exc_info[0] if record.exc_info else None
        kind = f" ({error_type.__name__})" if error_type else ""
        first = record.getMessage().splitlines()[:1] or [""]
        return f"{self.formatTime(record)} relay: {first[0]}{kind}"
