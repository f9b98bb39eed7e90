"""Frames of every kind, and what looks like one but must be refused."""

from __future__ import annotations

import json
from typing import Any

from chatham.commons.secure.frames import _SIGNED, MAGIC, Frame, make_frame
from tests.vectors.fixed import SESSION, VERSION, identity, secret

DIGEST = secret("digest")
WORDS: tuple[Any, ...] = ("", "Sparse", "17 documents", "sparse\n", None, 1, ["sparse"], {})
"""What nobody may give as a reason to refuse."""


def between_agents(body: bytes) -> dict[str, bytes]:
    """The kinds of messages about exchanges, each with a body if it has one."""
    empty = ("call", "busy", "never", "received", "unsure", "goodbye", "farewell")
    order = [
        "call", "busy", "keys", "give", "average", "never", "received", "unsure", "progress",
        "goodbye", "farewell",
    ]  # fmt: skip
    return {kind: b"" if kind in empty else body for kind in order}


def sample_frames() -> list[tuple[Frame, bytes]]:
    """A frame of each kind, with its body."""
    usual = {"session": SESSION, "party": 1}
    body = bytes(range(24))
    filled = {
        name: secret(name)
        for name in ("key", "nonce", "corpus", "proof", "chain", "machine", "state")
    }

    def of(*names: str) -> dict[str, bytes]:
        return {name: filled[name] for name in names}

    me, epoch = identity(1), secret("epoch")
    return [
        (
            make_frame(me, "hello", **usual, version=VERSION, **of("key", "nonce", "corpus")),
            b"",
        ),
        (make_frame(me, "shares", **usual, epoch=epoch, body=body), body),
        (
            make_frame(
                me, "confirm", **usual, epoch=epoch, round_=7, **of("proof", "chain", "machine")
            ),
            b"",
        ),
        (make_frame(me, "state", **usual, epoch=epoch, round_=8, **of("state")), b""),
        (
            make_frame(
                me, "sum", **usual, epoch=epoch, round_=8, body=body, digest=DIGEST, **of("state")
            ),
            body,
        ),
        (make_frame(me, "agree", **usual, epoch=epoch, round_=8, **of("chain")), b""),
        (make_frame(me, "totals", **usual, epoch=epoch, round_=8, body=body), body),
        (make_frame(me, "ask", **usual, epoch=epoch, round_=8, about="sum"), b""),
        (
            make_frame(
                me, "announce", **usual, epoch=epoch, round_=8, body=body[:8], digest=DIGEST
            ),
            body[:8],
        ),
        (
            make_frame(me, "refuse", **usual, epoch=epoch, round_=8, code="sparse", **of("chain")),
            b"",
        ),
        (
            make_frame(
                me,
                "greeting",
                **usual,
                version=VERSION,
                agents=secret("agents"),
                words=secret("words"),
            ),
            b"",
        ),
        *(
            (make_frame(me, kind, **usual, epoch=epoch, body=part), part)
            for kind, part in between_agents(body).items()
        ),
    ]


def signed_raw(text: bytes, party: int = 1) -> bytes:
    """A frame around any header at all, signed all the same."""
    signature = identity(party).sign(_SIGNED + text)
    return MAGIC + len(text).to_bytes(4, "big") + text + signature


def written(header: Any) -> bytes:
    return json.dumps(header, sort_keys=True, separators=(",", ":")).encode()


def bad_frames() -> list[tuple[str, bytes]]:
    """What must be refused, properly signed wherever that is possible."""
    frame = sample_frames()[4][0]
    raw, header, ask = frame.raw, dict(frame.header), dict(sample_frames()[7][0].header)
    hello, refuse = dict(sample_frames()[0][0].header), dict(sample_frames()[9][0].header)
    text = written(header)
    fields: list[tuple[str, dict[str, Any]]] = [
        (f"{name} is {value!r}", header | {name: value})
        for name, values in {
            "round": [-1, 2**40, 1.0, True, None, "1", [1]],
            "party": [-1, 3, 2**40 - 1, 1.0, True, "1"],
            "size": [-1, 2**40, 24.0, None],
            "kind": ["", "SUM", "nothing", None, 1, ["sum"], {"sum": 1}],
            "session": ["", "00" * 32, SESSION.hex().upper(), None, 0],
            "epoch": ["", "0" * 63, "0" * 65, "g" * 64, "0" * 63 + "\n", None, [0]],
            "sha256": ["", "x" * 64, 1],
            "digest": ["", None, {}],
            "state": ["0" * 62, True],
        }.items()
        for value in values
    ]
    fields += [
        (f"asks about {about!r}", ask | {"about": about}) for about in ("", "all", None, [], {}, 1)
    ]
    fields += [
        (f"a hello of version {told!r}", hello | {"version": told})
        for told in ("", "1 2", "1.2\n", "ä", "9" * 41, None, 1, ["1"])
    ]
    fields += [(f"lacks {name}", {k: v for k, v in header.items() if k != name}) for name in header]
    fields.append(("has one field more", header | {"more": 1}))
    bad = [(why, signed_raw(written(fields_))) for why, fields_ in fields]
    return [
        *bad,
        ("empty", b""),
        ("only the beginning", raw[:11]),
        ("another format", b"CHATHAM\x02" + raw[8:]),
        ("a format to come", b"CHATHAM\x04" + raw[8:]),
        ("a header of no length", MAGIC + bytes(4) + raw[-64:]),
        ("a header that is too long", MAGIC + (4097).to_bytes(4, "big") + bytes(4097 + 64)),
        ("a length of 4 GiB", MAGIC + b"\xff" * 4 + raw[12:]),
        ("cut short", raw[:-1]),
        ("one byte too many", raw + b"\x00"),
        ("a signature altered", raw[:-1] + bytes([raw[-1] ^ 1])),
        ("a signature of nothing", raw[:-64] + bytes(64)),
        ("signed by another party", signed_raw(text, 0)),
        (
            "signed for another use",
            MAGIC + len(text).to_bytes(4, "big") + text + identity(1).sign(text),
        ),
        ("a header altered", raw.replace(b'"round":8', b'"round":9')),
        ("no object", signed_raw(b"[]")),
        ("a text", signed_raw(b'"sum"')),
        ("no JSON", signed_raw(b"{]")),
        ("not ASCII", signed_raw(b'{"\xc3\xa4":1}')),
        ("NaN", signed_raw(text.replace(b'"round":8', b'"round":NaN'))),
        ("nested deeply", signed_raw(b"[" * 2000 + b"]" * 2000)),
        ("a very long number", signed_raw(text.replace(b'"round":8', b'"round":' + b"9" * 3000))),
        ("spaces", signed_raw(text.replace(b":8", b": 8"))),
        ("a field twice", signed_raw(text.replace(b'"round":8', b'"round":7,"round":8'))),
        ("fields in another order", signed_raw(json.dumps(header, separators=(",", ":")).encode())),
        ("an escape where none is needed", signed_raw(text.replace(b'"sum"', b'"\\u0073um"'))),
        *(
            (f"refuses with {code!r}", signed_raw(written(refuse | {"code": code})))
            for code in WORDS
        ),
    ]
