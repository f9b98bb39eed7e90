"""Where a party is reached directly, and whether its own port is free."""

from __future__ import annotations

import os
import socket

from chatham.errors import LinkError, SessionError
from chatham.federation.session import LOOPBACK, Member, parts_of


def address_of(member: Member) -> tuple[str, int]:
    """Where a party listens: host and port."""
    _, host, port = parts_of(f"tls://{member.address}")
    if not host or not port:
        raise SessionError(
            f"The session names no address for {member.name} such as host.example:7000; direct "
            "links need one for each party: 'chatham keygen NAME --address HOST:PORT' makes the "
            "entry."
        )
    return host, port


def check_port(member: Member, listen: str | None = None) -> None:
    """Check that the port can be listened on, before anybody waits for it."""
    host, port = address_of(member)
    interface = interface_of(host, listen)
    family = socket.AF_INET6 if interface is not None and ":" in interface else socket.AF_INET
    try:
        with socket.create_server((interface or "", port), family=family):
            return
    except OSError as error:
        raise port_error(port, error) from None


def interface_of(host: str, listen: str | None) -> str | None:
    """What to listen on: this machine alone if others are told to call there, else everything."""
    return listen if listen is not None else (host if host in LOOPBACK else None)


def port_error(port: int, error: OSError) -> LinkError:
    """The sentence for a port that can't be listened on."""
    why = os.strerror(error.errno) if error.errno else error.strerror
    return LinkError(f"Direct links need port {port}, which can't be listened on: {why}.")
