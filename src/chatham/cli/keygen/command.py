"""`chatham keygen`: the key that identifies a party."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Annotated

import typer

from chatham.cli.options import Json, Quiet, output_option


def keygen(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="What others call this party, such as 'North'.", show_default=False
        ),
    ],
    output: Annotated[
        Path | None, output_option("The private key's file; by default the name with .key.")
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(
            "--address",
            metavar="HOST:PORT",
            help="Where other parties reach this one directly, for a session with normed sums; "
            "makes a certificate too.",
        ),
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Make a key pair that identifies you to the other parties.

    The private key is in a file that only you can read, and never leaves this machine; an existing
    file is never overwritten. Give the line that is printed to the person who makes the session, in
    a way that nobody can tamper with: it is how the other parties will recognise you. They are
    shown its fingerprint when they join; tell it to them by telephone.

    Next to the key is its book (.joined), still empty: sessions are entered in it with hashes of
    your documents, so that you don't take part with the same documents among other parties by
    mistake. Keep the two together; a key without its book counts as one that did.

    With --address there is also a certificate for direct links, which is valid for a year; its
    private key is in a second file next to the first (.direct.key). Then the person who makes the
    session gets a file (.party) instead of the line. An existing key is kept and gets a
    certificate.

    \b
    Examples:
      chatham keygen North
      chatham keygen "St Mary's Hospital" -o mary.key
      chatham keygen North --address chatham.north.example:7000
    """
    from chatham.federation.extra import need_federation

    need_federation()
    from chatham.commons.secure.keys import Identity
    from chatham.federation.book import save_identity
    from chatham.federation.session import is_name

    if not is_name(name):
        raise typer.BadParameter(
            "A party's name has 1 to 60 letters, digits, blanks or characters such as . , & ' -, "
            "and doesn't begin or end with a blank.",
            param_hint="NAME",
        )
    path = output or Path(f"{_plain(name)}.key")
    if address is None:
        identity = Identity.new()
        save_identity(identity, path)
        _show(name, path, identity.public.hex(), quiet, as_json)
    else:
        from chatham.cli.keygen.direct import make_direct

        make_direct(name, path, address, quiet, as_json)


def _plain(name: str) -> str:
    """A name as part of a file name: st-mary-s-hospital for St Mary's Hospital."""
    return re.sub(r"[^\w]+", "-", name).strip("-").lower() or "party"


def _show(name: str, path: Path, public: str, quiet: bool, as_json: bool) -> None:
    from chatham.cli.output import print_json
    from chatham.federation.book import book_of
    from chatham.federation.session import Member

    line, fingerprint = f"{name}={public}", Member(name, public).fingerprint
    if as_json:
        files = {"private_key": str(path), "book": str(book_of(path))}
        public_ = {"public_key": public, "fingerprint": fingerprint}
        print_json({"name": name, **public_, **files, "party": line})
    elif quiet:
        print(line)
    else:
        print(f"The private key is in {path}; only you can read it. Never send it to anybody.")
        print(f"Keep {book_of(path)} with it, the book of the sessions that you join.")
        print("Give this line to the person who makes the session, who adds it as it is:\n")
        print(f"  --party {shlex.quote(line)}")
        print(f"\nIts fingerprint, for the other parties to compare: {fingerprint}")
