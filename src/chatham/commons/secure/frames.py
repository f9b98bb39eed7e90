"""What travels between a party and the relay: a signed header, and bytes that it vouches for.

    8 bytes    CHATHAM and the version of the format
    4 bytes    the header's length
    header     JSON: session, epoch, round, party, kind, the body's length and hash, and more
    64 bytes   Ed25519 signature of the header by the party it names
    body       the rest

Another format is recognised by the first eight bytes; a hello states its party's version. Every
byte is considered hostile until it is checked: lengths before anything is read, then the form of
each field, then the signature, then the hash. Nothing in it can run as code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from chatham.commons.secure.keys import Identity, is_signed
from chatham.errors import ProtocolError, Refused
from chatham.version import version

FORMAT = 3
"""1 had no version in a hello; 2 had the machine's hash there, for the relay to guess, and no
announcements."""
NAME = b"CHATHAM"
MAGIC = NAME + bytes([FORMAT])
LONGEST_HEADER = 4096
SIGNATURE = 64
START = len(MAGIC) + 4

_HASH = re.compile(r"[0-9a-f]{64}")
_VERSION = re.compile(r"[0-9A-Za-z.!+_-]{1,40}")
_NUMBER = 2**40
"""Rounds and lengths lie below this."""
KINDS: dict[str, tuple[str, ...]] = {
    "hello": ("key", "nonce", "corpus", "version"),
    "shares": (),
    "confirm": ("proof", "chain", "machine"),
    "state": ("state",),
    "sum": ("digest", "state"),
    "agree": ("chain",),
    "totals": (),
    "ask": ("about",),
    "announce": ("digest",),
    "refuse": ("chain", "code"),
    "greeting": ("agents", "words", "version"),
    "call": (),
    "busy": (),
    "keys": (),
    "give": (),
    "average": (),
    "never": (),
    "received": (),
    "unsure": (),
    "progress": (),
    "goodbye": (),
    "farewell": (),
}
"""The kinds of message, and the fields that each has beyond the usual ones: hashes and keys, except
`about`, `code` and `version`. Those from `greeting` on are between agents that gossip, where
`epoch` is the exchange."""
CODES = ("sparse", "roster", "refused")
"""All that a party may say of why it refuses: what is summed would say too much about its
documents; some of them took part elsewhere in the meantime; or only that it refuses."""
_TEXTS = {"about", "code", "version"}
_USUAL = {"session", "epoch", "round", "party", "kind", "size", "sha256"}
_SIGNED = b"chatham frame %d\x00" % FORMAT


@dataclass(frozen=True)
class Frame:
    """A checked header, the signature, and the bytes it was made of."""

    header: Mapping[str, Any]
    raw: bytes
    """Header and signature as they travelled."""

    @property
    def kind(self) -> str:
        """Its kind, one of `KINDS`."""
        return str(self.header["kind"])

    @property
    def party(self) -> int:
        """The sender's index in the roster."""
        return int(self.header["party"])

    @property
    def round(self) -> int:
        """The round that it is about."""
        return int(self.header["round"])

    @property
    def size(self) -> int:
        """The length of its body."""
        return int(self.header["size"])

    def hash_of(self, name: str) -> bytes:
        """A field of 64 hexadecimal digits, as bytes."""
        return bytes.fromhex(self.header[name])

    def check_body(self, body: bytes | memoryview) -> None:
        """Check that the body is the one that was signed for."""
        self.check_hash(len(body), sha256(body).hexdigest())

    def check_hash(self, size: int, digest: str) -> None:
        """The same for a body of this length and SHA-256."""
        if (size, digest) != (self.size, self.header["sha256"]):
            raise ProtocolError("A message's body isn't the one its header was signed for.")


def make_frame(
    identity: Identity,
    kind: str,
    *,
    session: bytes,
    party: int,
    epoch: bytes = bytes(32),
    round_: int = 0,
    body: bytes | memoryview = b"",
    **more: bytes | str,
) -> Frame:
    """A header, signed; the body travels behind it."""
    header: dict[str, Any] = {
        "session": session.hex(),
        "epoch": epoch.hex(),
        "round": round_,
        "party": party,
        "kind": kind,
        "size": len(body),
        "sha256": sha256(body).hexdigest(),
    }
    header |= {name: v.hex() if isinstance(v, bytes) else v for name, v in more.items()}
    text = _written(_checked(header))
    signature = identity.sign(_SIGNED + text)
    return Frame(header, MAGIC + len(text).to_bytes(4, "big") + text + signature)


def header_length(start: bytes) -> int:
    """The length of header and signature, from a frame's first 12 bytes."""
    if len(start) < START or start[: len(NAME)] != NAME:
        raise ProtocolError("A message doesn't begin like a Chatham message.")
    if (format_number := start[len(NAME)]) != FORMAT:
        raise Refused(
            "format",
            f"Chatham {version()} reads messages of format {FORMAT}, and this one has "
            f"{format_number}; install the same version everywhere.",
        )
    length = int.from_bytes(start[len(MAGIC) : START], "big")
    if not 2 <= length <= LONGEST_HEADER:
        raise ProtocolError(f"A message's header of {length} bytes is too long or too short.")
    return length + SIGNATURE


def read_frame(raw: bytes, session: bytes, roster: Sequence[bytes]) -> Frame:
    """Header and signature (no body), checked against the session and its roster of public keys."""
    frame = parse_frame(raw, session, len(roster))
    if not is_signed(roster[frame.party], raw[-SIGNATURE:], _SIGNED + raw[START:-SIGNATURE]):
        raise ProtocolError("A message isn't signed by the party that it names.")
    return frame


def parse_frame(raw: bytes, session: bytes, parties: int) -> Frame:
    """Header and signature, checked in all but the signature: anybody may have made it."""
    length = header_length(raw)
    if len(raw) != START + length:
        raise ProtocolError("A message's header isn't as long as it says.")
    header = _checked(_parsed(raw[START:-SIGNATURE]))
    if header["session"] != session.hex():
        raise ProtocolError("A message belongs to another session.")
    if header["party"] >= parties:
        raise ProtocolError("A message comes from a party that isn't in the roster.")
    return Frame(header, raw)


def _parsed(text: bytes) -> Any:
    try:
        header = json.loads(text.decode("ascii"))
        written = _written(header)
    except (ValueError, RecursionError):
        raise ProtocolError("A message's header isn't JSON.") from None
    if written != text:
        raise ProtocolError("A message's header isn't in canonical form.")
    return header


def _written(header: Any) -> bytes:
    """The canonical form of a header: the only one that is accepted."""
    return json.dumps(header, sort_keys=True, separators=(",", ":")).encode()


def _checked(header: Any) -> dict[str, Any]:
    kind = header.get("kind") if isinstance(header, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise ProtocolError("A message is of an unknown kind.")
    if set(header) != _USUAL | set(KINDS[kind]):
        raise ProtocolError(f"A message of kind {kind} doesn't have the fields of its kind.")
    for name in ("round", "party", "size"):
        number = header[name]
        if type(number) is not int or not 0 <= number < _NUMBER:
            raise ProtocolError(f"A message's field {name} isn't a valid number.")
    hashes = {"session", "epoch", "sha256", *KINDS[kind]} - _TEXTS
    for name in hashes:
        if not (isinstance(header[name], str) and _HASH.fullmatch(header[name])):
            raise ProtocolError(f"A message's field {name} isn't a hash.")
    if "about" in header and header["about"] not in list(KINDS):  # it may not even be a text
        raise ProtocolError("A message asks for something that doesn't exist.")
    if "code" in header and header["code"] not in CODES:
        raise ProtocolError("A party refuses with a word that isn't on the list.")
    stated_version = header.get("version", "0")
    if not (isinstance(stated_version, str) and _VERSION.fullmatch(stated_version)):
        raise ProtocolError("A message's field version isn't a version.")
    return dict(header)
