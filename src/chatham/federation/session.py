"""A session: who takes part, what will be computed, and how; the same file at every party.

The file is TOML, with a table for each party of the roster: its name, its public key, and where
direct links reach it; and one for each column by which topics are told. (Python only reads TOML;
what little of it is written is written here.) The session's hash enters every mask and every
signature, so parties whose files differ in anything that matters can't even begin. A value that a
file couldn't hold and return unchanged is refused, and so is anything ambiguous: an address that
reads two ways, two names that look the same.
"""

from __future__ import annotations

import json
import math
import os
import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from chatham.commons.fixed_point import MOST_BITS, USUAL_BITS
from chatham.commons.privacy import Privacy, check_privacy
from chatham.errors import InputError, SessionError
from chatham.naming import listed, path_shown
from chatham.wording import say

USUAL_ROUNDS, MOST_ROUNDS = 10_000, 10**6
USUAL_MESSAGE, LARGEST_MESSAGE = 2**29, 2**34
"""Bytes of one contribution."""
MOST_PARTIES = 200
FINGERPRINT = 32
"""Digits of a key's fingerprint: 128 bits, so that nobody finds another key with the same."""
LONGEST_PACE = 3_600_000
"""Milliseconds."""
KNOWN = ("two_parties_know", "exact_totals_know", "roster_changed_know")
"""What a session can't do unless its parties know of it."""
LATER = ("exact_totals_know", "roster_changed_know", "pace")
"""Fields that files of 0.3.0 lack: written only if set, so that such a session keeps its hash."""
TABLES = ("parameters", "vocabulary", "score", "privacy")
LOOPBACK = ("localhost", "127.0.0.1", "::1")
_ID = re.compile(r"[0-9a-f]{32}")
_KEY = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[\w .,&'’-]{1,60}")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WHOLE = 2**63
_LONGEST_FILE = 2**20


@dataclass(frozen=True)
class Session:
    """What all parties have agreed to compute."""

    id: str
    relay: str
    parties: tuple[Member, ...]
    algorithm: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    vocabulary: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    fraction_bits: int = USUAL_BITS
    rounds: int = USUAL_ROUNDS
    largest_message: int = USUAL_MESSAGE
    two_parties_know: bool = False
    """With two parties, each learns the other's contribution from the total; both know that."""
    certificate: str = ""
    """PEM of the certificate that the relay presents, or of the one that signed it."""
    exact_totals_know: bool = False
    """Totals of k-means and co-occurrences are exact, and give documents away; all know that."""
    roster_changed_know: bool = False
    """Some of the documents were in a session of other parties, whose totals differ from these by
    the parties that came or left; all know that."""
    pace: int = 0
    """Milliseconds after a total at which every contribution to the next leaves; 0: at once."""
    score: Mapping[str, Any] = field(default_factory=dict)
    """Measures by which all score the model, and the share of documents held out for them."""
    privacy: Mapping[str, Any] = field(default_factory=dict)
    """ε, δ and the number of honest parties, where the fit is differentially private."""
    tables: Sequence[Mapping[str, Any]] = ()
    """Columns by which all make tables, over time or by group: what the file has as `[[table]]`."""

    def __post_init__(self) -> None:
        _check(self)

    @cached_property
    def hash(self) -> bytes:
        """A hash of everything in it."""
        return sha256(b"chatham session 1" + canonical(self.as_plain())).digest()

    @cached_property
    def promised(self) -> Privacy | None:
        """The differential privacy that the fit must have, if any."""
        return Privacy(**self.privacy) if self.privacy else None

    @cached_property
    def keys(self) -> list[bytes]:
        """The roster's public keys."""
        return [bytes.fromhex(member.key) for member in self.parties]

    def index_of(self, public: bytes) -> int:
        """The index in the roster of the party with this public key."""
        if public not in self.keys:
            raise SessionError(
                "Your key isn't in this session's roster; give the public key, which chatham "
                "keygen printed, to the person who makes the session."
            )
        return self.keys.index(public)

    def as_plain(self) -> dict[str, Any]:
        """As a session file holds it."""
        plain = {
            name: getattr(self, name)
            for name in (
                "id", "relay", "algorithm", "seed", "fraction_bits", "rounds", "largest_message",
                "two_parties_know", "certificate",
            )
        }  # fmt: skip
        plain |= {name: getattr(self, name) for name in LATER if getattr(self, name)}
        plain["parameters"], plain["vocabulary"] = dict(self.parameters), dict(self.vocabulary)
        for name in ("score", "privacy"):
            if getattr(self, name):
                plain[name] = dict(getattr(self, name))
        if self.tables:
            plain["table"] = [dict(table) for table in self.tables]
        plain["party"] = [member.as_plain() for member in self.parties]
        return plain

    def to_toml(self) -> str:
        """The text of a session file."""
        plain = self.as_plain()
        listed_ones = [("table", each) for each in plain.pop("table", [])]
        listed_ones += [("party", each) for each in plain.pop("party")]
        tables = {name: plain.pop(name) for name in TABLES if name in plain}
        lines = [f"{name} = {toml_of(value)}" for name, value in plain.items()]
        for name, table in tables.items():
            lines += ["", f"[{name}]", *toml_pairs(table)]
        for name, each in listed_ones:
            lines += ["", f"[[{name}]]", *toml_pairs(each)]
        return "\n".join(lines) + "\n"


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

    @property
    def fingerprint(self) -> str:
        """A hash of the key to compare by telephone, in groups of four digits."""
        digits = sha256(b"chatham key" + bytes.fromhex(self.key)).hexdigest()[:FINGERPRINT]
        return " ".join(digits[i : i + 4] for i in range(0, FINGERPRINT, 4))

    def as_plain(self) -> dict[str, str]:
        """As a file holds it."""
        return {name: value for name, value in vars(self).items() if value}

    def to_toml(self) -> str:
        """The text of a party's public file, from which a session copies it."""
        about = f"# Who {self.name} is, for the session's author. Nothing in it is secret."
        return "\n".join([about, *toml_pairs(self.as_plain())]) + "\n"


def read_session(path: str | Path) -> Session:
    """Read and check a session file."""
    return session_of(read_toml(path, "session"), str(path))


def read_toml(path: str | Path, what: str) -> dict[str, Any]:
    """What is in a file of this kind, unchecked."""
    kind = f"{'an' if what[0] in 'aeiou' else 'a'} {what} file"
    if not os.path.exists(Path(path)):
        raise SessionError(
            f"The {what} file {path_shown(path)} can't be read: there is no such file."
        )
    try:
        return tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise SessionError(f"The {what} file {path} can't be read: {error.strerror}.") from None
    except ValueError as error:
        raise SessionError(f"{path} isn't {kind}: {error}.") from None
    except RecursionError:
        raise SessionError(f"{path} isn't {kind}: it is nested too deeply.") from None


def session_of(plain: Mapping[str, Any], name: str = "The session") -> Session:
    """A session from what a file holds."""
    fields = dict(plain)
    members = fields.pop("party", None)
    tables = fields.pop("table", [])
    field_names = set(Session.__dataclass_fields__) - {"parties", "tables"}
    unknown, missing = set(fields) - field_names, {"id", "relay", "algorithm"} - set(fields)
    if unknown:
        raise SessionError(f"{name} has unknown fields: {listed(sorted(unknown))}.")
    if missing or not isinstance(members, list):
        raise SessionError(f"{name} lacks {', '.join(sorted(missing)) or 'party'}.")
    if not isinstance(tables, list):
        raise SessionError(f"{name} has a table that isn't written as [[table]], one for a column.")
    try:
        members = tuple(Member(**member) for member in members)
        return Session(parties=members, tables=tuple(tables), **fields)
    except TypeError:
        raise SessionError(
            f"{name} has a party with other fields than name, key, address and certificate."
        ) from None


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


def _check(session: Session) -> None:
    _check_texts(session)
    for name, least, most in (
        ("seed", 0, 2**32 - 1),
        ("fraction_bits", 0, MOST_BITS),
        ("rounds", 1, MOST_ROUNDS),
        ("largest_message", 8, LARGEST_MESSAGE),
        ("pace", 0, LONGEST_PACE),
    ):
        number = getattr(session, name)
        if type(number) is not int or not least <= number <= most:
            raise SessionError(f"{name} must be a whole number from {least} to {most}.")
    for name in KNOWN:
        if type(getattr(session, name)) is not bool:
            raise SessionError(f"{name} must be true or false.")
    if not all(isinstance(getattr(session, name), dict) for name in TABLES):
        raise SessionError("parameters, vocabulary, score and privacy must be tables.")
    for name in TABLES:
        check_value(name, getattr(session, name))
    if not all(isinstance(table, dict) for table in session.tables):
        raise SessionError("Each table of a session must have a column, and perhaps more.")
    check_value("table", list(session.tables))
    check_roster(session.parties, session.two_parties_know)
    _check_privacy(session)


def _check_privacy(session: Session) -> None:
    unknown = set(session.privacy) - {"epsilon", "delta", "honest"}
    if unknown or (session.privacy and not {"epsilon", "delta"} <= set(session.privacy)):
        raise SessionError("privacy has epsilon, delta and perhaps honest, and nothing else.")
    try:
        check_privacy(session.promised, len(session.parties) - 1, session.exact_totals_know)
    except InputError as error:
        raise SessionError(
            say("The session's privacy can't be kept: {error}", error=error)
        ) from None
    if session.privacy and session.score:
        raise SessionError(
            "Scores are sums over documents without noise, which differential privacy doesn't "
            "allow; leave out one of score and privacy."
        )
    if session.privacy and session.tables:
        raise SessionError(
            "Tables over time and by group are sums over documents without noise, which "
            "differential privacy doesn't allow; leave out one of tables and privacy."
        )


def _check_texts(session: Session) -> None:
    texts = (session.id, session.relay, session.algorithm, session.certificate)
    plain = all(isinstance(text, str) and is_text(text) for text in texts)
    if not plain or not _ID.fullmatch(session.id):
        raise SessionError("id must be 32 hexadecimal digits, and relay and algorithm texts.")
    check_pem(session.certificate)
    scheme, host, _ = parts_of(session.relay)
    if scheme not in ("http", "https") or not host:
        raise SessionError(
            "relay must be an address such as https://relay.example:8443: a scheme (https, or "
            "http on this machine), a host, perhaps a port, and nothing else."
        )
    if scheme == "http" and host not in LOOPBACK:
        raise SessionError("A relay on another machine needs https://; make it a certificate.")


def parts_of(address: str) -> tuple[str, str, int | None]:
    """Scheme, host and port, or nothing if anything in it could be read in two ways."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "", "", None
    netloc = f"[{host}]" if ":" in host else host
    netloc += f":{port}" if port is not None else ""
    plain = address.lower().rstrip("/") == f"{parts.scheme}://{netloc}"
    sound = plain and address.isascii() and address.isprintable() and " " not in address
    return (parts.scheme, host, port) if sound else ("", "", None)


def check_members(members: Sequence[Member]) -> None:
    """Refuse parties of which one can't be one, or two can't be told apart."""
    if len(members) > MOST_PARTIES:
        raise SessionError(f"At most {MOST_PARTIES} parties can take part.")
    for member in members:
        check_member(member)
    names, keys = {_folded(m.name) for m in members}, {m.key for m in members}
    if min(len(names), len(keys)) < len(members):
        raise SessionError("Two parties have the same name or the same key.")


def check_roster(members: Sequence[Member], two_parties_know: bool) -> None:
    """Refuse a roster in which two parties can't be told apart, or there is only one."""
    check_members(members)
    if len(members) < 2:
        raise SessionError("A session needs at least two parties; alone, use chatham fit.")
    if len(members) == 2 and not two_parties_know:
        raise SessionError(
            "With two parties, each can subtract its own contribution from the total and see the "
            "other's; if both know that, make the session with --two-parties-know."
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
    """Refuse what clearly isn't a certificate, and secrets above all."""
    if "PRIVATE KEY" in certificate:
        raise SessionError("A session is for all to read; remove the private key from it.")
    if certificate and "-----BEGIN CERTIFICATE-----" not in certificate:
        raise SessionError("A certificate must be given as PEM: BEGIN CERTIFICATE and so on.")


def is_name(text: str) -> bool:
    """Whether a party can be called this."""
    return _NAME.fullmatch(text) is not None and text.strip() == text


def _folded(name: str) -> str:
    """Equal for names that a person would read as the same."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def check_value(name: str, value: Any, depth: int = 0) -> None:
    """Refuse what a party's file couldn't hold and return unchanged."""
    if isinstance(value, dict | list | tuple) and depth < 8:
        keys, parts = (value, value.values()) if isinstance(value, dict) else ((), value)
        for part in (*keys, *parts):
            check_value(name, part, depth + 1)
        if all(isinstance(key, str) for key in keys):
            return
    if isinstance(value, str) and is_text(value):
        return
    if type(value) is bool or (type(value) is float and math.isfinite(value)):
        return
    if type(value) is int and -_WHOLE <= value < _WHOLE:
        return
    raise SessionError(
        f"{name} may hold texts, finite 64-bit numbers, true or false, and lists and tables of "
        f"these; got a {type(value).__name__}."
    )


def is_text(value: str) -> bool:
    """Whether it can be encoded: half of a surrogate pair can't."""
    return not any("\ud800" <= character <= "\udfff" for character in value)


def canonical(plain: Any) -> bytes:
    """The same bytes for the same content, however a file spells it."""
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def toml_of(value: Any) -> str:
    """A value in TOML; texts and numbers are written as in JSON, except for the character DEL."""
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_of(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(toml_pairs(value)) + "}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_pairs(table: Mapping[str, Any]) -> list[str]:
    """Names and values; a name that isn't a plain word is quoted."""
    return [
        f"{name if _BARE.fullmatch(name) else toml_of(name)} = {toml_of(value)}"
        for name, value in table.items()
    ]
