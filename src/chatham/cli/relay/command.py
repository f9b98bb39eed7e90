"""`chatham relay`: adds up what it can't read, for the parties of one or more sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chatham.cli.options import Json, Quiet


def relay(
    sessions: Annotated[
        list[Path],
        typer.Argument(
            metavar="SESSION...",
            help="The files that 'chatham session' wrote, one or more.",
            show_default=False,
        ),
    ],
    folder: Annotated[
        Path,
        typer.Option(
            "--folder",
            metavar="FOLDER",
            help="Where the relay keeps its state, so that it can be stopped and started again.",
        ),
    ] = Path("relay"),
    host: Annotated[
        str | None,
        typer.Option(
            "--host",
            metavar="ADDRESS",
            help="The address to listen on; by default this machine alone if the session's relay "
            "is on it, else all addresses.",
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            min=0,
            max=65535,
            metavar="N",
            help="The port to listen on, by default the session's (behind a proxy 8750); 0 picks a "
            "free one.",
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate",
            metavar="FILE",
            help="The certificate (PEM); needed if the session's relay is at https://.",
        ),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option("--key", metavar="FILE", help="The certificate's private key (PEM)."),
    ] = None,
    behind_proxy: Annotated[
        bool,
        typer.Option(
            "--behind-proxy",
            help="All come through a proxy on this machine, which speaks TLS and limits "
            "connections from one address itself.",
        ),
    ] = False,
    disk: Annotated[
        int,
        typer.Option(
            "--disk",
            min=1,
            metavar="MB",
            help="The most megabytes of the disk that a session may take while it runs.",
        ),
    ] = 10_000,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Run a relay, which adds up what it can't read.

    Parties send it masked numbers; it adds them up and returns the total, still masked. It knows no
    secret and sees neither what a party sends nor the total; at worst it can stop the work. It
    needs only the sessions' files, and a machine that all parties can reach. It listens where the
    session says that it does: on that port, and under TLS if the address is an https:// one. It may
    be stopped at any moment and started again with the same folder: parties wait. Connections of
    strangers are limited in number and time, all together and from one address; a session is
    limited in how much of the disk it takes.

    \b
    Examples:
      chatham relay session.toml
      chatham relay session.toml --certificate relay.pem --key relay-key.pem
      chatham relay spring.toml autumn.toml --folder /var/lib/chatham
      chatham relay session.toml --behind-proxy
    """
    from chatham.federation.extra import need_federation

    need_federation()
    if (certificate is None) != (key is None):
        raise typer.BadParameter(
            "Give a certificate and its key together, or neither.",
            param_hint="--certificate" if certificate is None else "--key",
        )
    from chatham.cli.relay.place import place_of
    from chatham.cli.relay.server import Limits, read_sessions, serve

    agreed = read_sessions(sessions)
    place = place_of(
        agreed, host, port, certified=certificate is not None, behind_proxy=behind_proxy
    )
    limits = Limits(disk=disk * 10**6, by_address=not behind_proxy)
    serve(agreed, folder, place, certificate, key, limits, quiet, as_json)
