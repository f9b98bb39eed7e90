"""`chatham keygen --address`: a certificate for direct links, and a party's public file."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

import typer

from chatham.cli.paths import unwritable
from chatham.commons.secure.keys import Identity, save_private
from chatham.errors import InputError
from chatham.federation.book import save_identity
from chatham.federation.normed.linking import direct_key_of
from chatham.federation.session import Member, parts_of
from chatham.federation.tls import new_certificate
from chatham.naming import value_shown


@dataclass(frozen=True)
class Files:
    """What a party with direct links has: two private keys, and a file for all to read."""

    key: Path
    direct_key: Path
    public: Path

    @classmethod
    def beside(cls, key: Path) -> Files:
        """The names of all three, derived from the first."""
        return cls(key, direct_key_of(key), key.with_name(f"{key.name.removesuffix('.key')}.party"))


def make_direct(name: str, path: Path, address: str, quiet: bool, as_json: bool) -> None:
    """Make the key unless it exists, and the other files, and say what goes where."""
    _check_address(address)
    files, key_exists = Files.beside(path), path.exists()
    for file in (files.direct_key, files.public):
        if file.exists():
            raise InputError(
                f"{file} exists and is never overwritten; move it away, or choose another name."
            )
    identity = Identity.load(path) if key_exists else Identity.new()
    if not key_exists:
        save_identity(identity, path)
    certificate, private = new_certificate(name)
    save_private(private, files.direct_key)
    member = Member(name, identity.public.hex(), address, certificate)
    try:
        with open(files.public, "x", encoding="utf-8") as public:
            public.write(member.to_toml())
    except OSError as error:
        raise unwritable(files.public, error) from None
    _show(member, files, key_exists, quiet, as_json)


def _check_address(address: str) -> None:
    _, host, port = parts_of(f"tls://{address}")
    if not host or not port or address.endswith("/"):
        raise typer.BadParameter(
            f"{value_shown(address)} must be HOST:PORT, where others reach this machine, such as "
            "chatham.north.example:7000.",
            param_hint="--address",
        )


def _show(member: Member, files: Files, key_existed: bool, quiet: bool, as_json: bool) -> None:
    from chatham.cli.output import print_json

    if as_json:
        identity = {"name": member.name, "public_key": member.key, "private_key": str(files.key)}
        direct = {"direct_key": str(files.direct_key), "address": member.address}
        fingerprint = {"fingerprint": member.fingerprint}
        print_json({**identity, **fingerprint, **direct, "party": str(files.public)})
    elif quiet:
        print(files.public)
    else:
        key = f"{files.key}, which was there already," if key_existed else str(files.key)
        print(f"The private keys are in {key} and in {files.direct_key}; only you can read them.")
        print("Never send them to anybody. Keep both in one folder.")
        print(f"Give {files.public} to the person who makes the session, who adds it as it is:\n")
        print(f"  --party {shlex.quote(str(files.public))}")
        print(f"\nIts fingerprint, for the other parties to compare: {member.fingerprint}")
        port = member.address.rpartition(":")[2]
        print(f"\nOthers will reach you at {member.address}: port {port} must be open to them.")
