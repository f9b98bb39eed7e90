"""Where a relay listens: as the sessions say that it does, so that their parties find it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import typer

from chatham.federation.session import LOOPBACK, Session, parts_of

BEHIND_A_PROXY = 8750
"""The port on this machine to which the proxies of docs/together.md pass everything on."""
USUAL_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Place:
    """An address to listen on, and whether connections to it are under TLS."""

    host: str
    port: int
    secure: bool

    def is_named_by(self, session: Session) -> bool:
        """Whether a party that goes where the session says comes to this port, in this way."""
        scheme, _, port = named_by(session)
        return (scheme == "https", port) == (self.secure, self.port)


def named_by(session: Session) -> tuple[str, str, int]:
    """The scheme, the host and the port at which a session's parties look for the relay."""
    scheme, host, port = parts_of(session.relay)
    return scheme, host, USUAL_PORTS[scheme] if port is None else port


def place_of(
    sessions: Sequence[Session],
    host: str | None,
    port: int | None,
    *,
    certified: bool,
    behind_proxy: bool,
) -> Place:
    """The place for these sessions, of which `host` and `port` are what somebody chose.

    Refused if parties would speak another way than the relay does, in any of the sessions.
    """
    for session in sessions:
        _check_scheme(session, certified, behind_proxy)
    host = _host(sessions, behind_proxy) if host is None else host
    if host not in LOOPBACK and not certified:
        raise typer.BadParameter(
            f"At {host} other machines can reach the relay, which requires TLS: give --certificate "
            "and --key, or listen on 127.0.0.1.",
            param_hint="--host",
        )
    return Place(host, _port(sessions, behind_proxy) if port is None else port, certified)


def _check_scheme(session: Session, certified: bool, behind_proxy: bool) -> None:
    scheme, _, _ = named_by(session)
    if scheme == "https" and not (certified or behind_proxy):
        raise typer.BadParameter(
            f"The parties of session {session.id[:8]}… speak https, to {session.relay}: give "
            "--certificate and --key, or --behind-proxy if a proxy speaks it for the relay.",
            param_hint="--certificate",
        )
    if scheme == "http" and certified:
        raise typer.BadParameter(
            f"The parties of session {session.id[:8]}… speak http, to {session.relay}, and a relay "
            "with a certificate answers https alone: leave it out, or make the session with an "
            "https:// address.",
            param_hint="--certificate",
        )


def _host(sessions: Sequence[Session], behind_proxy: bool) -> str:
    """This machine alone where parties are on it, or a proxy is; else all its addresses."""
    hosts = {named_by(session)[1] for session in sessions} - set(LOOPBACK)
    if behind_proxy or not hosts:
        six = all(named_by(session)[1] == "::1" for session in sessions)
        return "::1" if six and not behind_proxy else "127.0.0.1"
    return "::" if any(":" in each for each in hosts) else "0.0.0.0"


def _port(sessions: Sequence[Session], behind_proxy: bool) -> int:
    if behind_proxy:
        return BEHIND_A_PROXY
    ports = sorted({named_by(session)[2] for session in sessions})
    if len(ports) > 1:
        listed = " and ".join(map(str, ports))
        raise typer.BadParameter(
            f"The sessions' parties look for the relay at ports {listed}, and it listens on one: "
            "say which, and forward the others to it; or run a relay for each, with a folder of "
            "its own.",
            param_hint="--port",
        )
    return ports[0]
