"""Who takes part in a session: names, public keys, and where direct links reach them."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chatham.commons.toml import is_text, toml_pairs
from chatham.errors import SessionError

MOST_PARTIES = 200
_KEY = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[\w .,&'’-]{1,60}")
_LONGEST_FILE = 2**20


@dataclass(frozen=True)
class Member:
    """One line of the roster."""

    name: str
    key: str
    """The public key of its identity, 64 hexadecimal digits."""
    address: str = ""
    """Host and port for direct links, which only the normed sum needs."""
    certificate: str = ""
    """PEM of the certificate that direct links with it show."""

    def as_plain(self) -> dict[str, str]:
        """As a file holds it."""
        return {name: value for name, value in vars(self).items() if value}

    def to_toml(self) -> str:
        """The text of a party's own public file, from which a session takes it over."""
        about = f"# Who {self.name} is, for whoever makes the session. Nothing in it is secret."
        return "\n".join([about, *toml_pairs(self.as_plain())]) + "\n"


def read_member(path: Path) -> Member:
    """Read and check a party's public file."""
    try:
        with open(path, "rb") as file:
            plain = tomllib.loads(file.read(_LONGEST_FILE).decode("utf-8"))
        member = Member(**plain)
    except OSError as error:
        raise SessionError(f"'{path}' can't be read: {error.strerror}.") from None
    except (ValueError, TypeError, RecursionError):
        raise SessionError(
            f"'{path}' isn't a party's public file; 'chatham keygen NAME --address HOST:PORT' "
            "makes one."
        ) from None
    check_member(member)
    return member


def is_name(text: str) -> bool:
    """Whether a party can be called this."""
    return _NAME.fullmatch(text) is not None and text.strip() == text


def check_roster(members: Sequence[Member], two_parties_know: bool) -> None:
    """Refuse a roster in which somebody couldn't be told from others, or would be all alone."""
    if len(members) > MOST_PARTIES:
        raise SessionError(f"At most {MOST_PARTIES} parties can take part.")
    for member in members:
        check_member(member)
    names, keys = {_folded(m.name) for m in members}, {m.key for m in members}
    if min(len(names), len(keys)) < len(members):
        raise SessionError("Two parties have the same name or the same key.")
    if len(members) < 2:
        raise SessionError("A session needs at least two parties; alone, use chatham fit.")
    if len(members) == 2 and not two_parties_know:
        raise SessionError(
            "Of two parties each can subtract its own part from the total and see the other's; "
            "if both know that, make the session with --two-parties-know."
        )


def check_member(member: Member) -> None:
    """Refuse what can't be a party."""
    texts = (member.name, member.key, member.address, member.certificate)
    if not all(isinstance(text, str) and is_text(text) for text in texts):
        raise SessionError("A party's name, key, address and certificate must be texts.")
    if not _NAME.fullmatch(member.name) or not _KEY.fullmatch(member.key):
        raise SessionError("A party needs a name and a public key of 64 hexadecimal digits.")
    check_pem(member.certificate)


def check_pem(certificate: str) -> None:
    """Refuse what isn't a certificate at first sight, and secrets above all."""
    if "PRIVATE KEY" in certificate:
        raise SessionError("A session is for all to read; take the private key out of it.")
    if certificate and "-----BEGIN CERTIFICATE-----" not in certificate:
        raise SessionError("A certificate must be given as PEM: BEGIN CERTIFICATE and so on.")


def _folded(name: str) -> str:
    """Names that a person would read as the same are the same."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
