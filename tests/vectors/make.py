"""Make the vectors anew: `python -m tests.vectors.make`. A change in them changes the format.

Parties of different versions can't work together then, so the versions in `frames.MAGIC` and in
what is hashed must change with it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from chatham.commons.fixed_point import LARGEST, encode, pack
from chatham.commons.secure.masks import add_stream
from chatham.commons.secure.sealing import seal_total
from chatham.commons.secure.tags import PRIME, tag_words
from chatham.commons.state import state_hash
from chatham.federation.session import Member, Session
from tests.vectors import FOLDER
from tests.vectors.bad_frames import DIGEST, bad_frames, sample_frames
from tests.vectors.fixed import ROSTER, SESSION, agreed, hands, secret, told

Vectors = dict[str, Any]


def words_of(words: Any) -> list[str]:
    return [f"{int(word):016x}" for word in words]


def fixed_point() -> Vectors:
    good = [
        {"values": [0.0, 1.0, -1.0, 0.5, -0.25], "dtype": "float64", "bits": 10, "holders": 3},
        {
            "values": [1 / 3, -2 / 3, 1e-13, -12345.678],
            "dtype": "float64",
            "bits": 40,
            "holders": 9,
        },
        {"values": [0.5, 1.5, 2.5, -0.5], "dtype": "float32", "bits": 0, "holders": 2},
        {
            "values": [0, 1, -1, LARGEST // 3, -(LARGEST // 3)],
            "dtype": "int64",
            "bits": 0,
            "holders": 3,
        },
        {"values": [3, -3], "dtype": "int8", "bits": 20, "holders": 5},
        {"values": [True, False], "dtype": "bool", "bits": 0, "holders": 200},
    ]
    for case in good:
        array = np.array(case["values"], case["dtype"])
        case["words"] = words_of(encode(array, case["bits"], case["holders"]))
    bad = [
        {"why": "NaN", "values": ["nan"], "dtype": "float64", "bits": 40, "holders": 3},
        {"why": "infinity", "values": ["-inf"], "dtype": "float64", "bits": 40, "holders": 3},
        {
            "why": "one too many",
            "values": [LARGEST // 3 + 1],
            "dtype": "int64",
            "bits": 0,
            "holders": 3,
        },
        {"why": "2⁶⁰ alone", "values": [2**60], "dtype": "int64", "bits": 0, "holders": 1},
        {"why": "2⁶⁰ as a float", "values": [2.0**60], "dtype": "float64", "bits": 0, "holders": 1},
        {"why": "unsigned", "values": [2**64 - 1], "dtype": "uint64", "bits": 0, "holders": 3},
        {"why": "too fine", "values": [1.0], "dtype": "float64", "bits": 60, "holders": 3},
        {"why": "complex", "values": [1.0], "dtype": "complex128", "bits": 40, "holders": 3},
        {"why": "object", "values": [1], "dtype": "object", "bits": 40, "holders": 3},
    ]
    return {"good": good, "bad": bad, "layout": _layout()}


def _layout() -> Vectors:
    layout, words = pack([np.ones((2, 2)), np.array([7])], (40, 0), 3)
    return {"digest": layout.digest.hex(), "words": words_of(words)}


def tags() -> Vectors:
    good = [
        {"words": [1], "key": 5},
        {"words": [0, 0, 1], "key": PRIME - 1},
        {"words": [LARGEST, -LARGEST, 12345], "key": 2**60 + 7},
        {"words": [-1, PRIME // 2, 2**59], "key": 2**256 - 1},
    ]
    for case in good:
        case["tag"] = words_of(tag_words(np.array(case["words"], np.int64), case["key"]))
        case["key"] = hex(case["key"])
    return {"good": good}


def masked() -> Vectors:
    _, _, _, masks = agreed(hands())
    parts = [
        np.array(part, np.int64).view(np.uint64) for part in ([1, -2, 3], [10, 20, -30], [0, 0, 5])
    ]
    covered = [each.cover(part, 1, DIGEST) for each, part in zip(masks, parts, strict=True)]
    added = sum(covered[1:], covered[0])
    stream = np.zeros(12, np.uint64)
    add_stream(stream, secret("stream"))
    return {
        "keys": [
            {"group": each.group.hex(), "pairs": {i: s.hex() for i, s in each.pairs.items()}}
            for each in masks
        ],
        "stream": {"key": secret("stream").hex(), "words": words_of(stream)},
        "round": 1,
        "digest": DIGEST.hex(),
        "parts": [words_of(part) for part in parts],
        "covered": [words_of(each) for each in covered],
        "added": words_of(added),
        "total": words_of(masks[0].uncover(added, 1, DIGEST)),
        "bad": [{"why": why, "added": words_of(altered)} for why, altered in _altered(added)],
    }


def _altered(added: Any) -> list[tuple[str, Any]]:
    """What a relay might hand out instead of the sum."""
    changes = {
        "one more in the first word": (0, 1),
        "2⁶³ more in the first word": (0, 2**63),
        "the prime more in the second word": (1, PRIME),
        "twice the prime less in the second word": (1, 2**64 - 2 * PRIME),
        "one more in the last word": (2, 1),
        "one more in the tag": (3, 1),
        "2⁶³ more in the tag": (3, 2**63),
        "the prime more in the tag": (3, PRIME),
        "one more in the tag's upper half": (4, 1),
    }
    altered = []
    for why, (place, more) in changes.items():
        other = added.copy()
        other[place : place + 1] += np.uint64(more)
        altered.append((why, other))
    altered.append(("two words swapped", added[[1, 0, 2, 3, 4]]))
    altered.append(("one word short", added[:-1]))
    altered.append(("nothing", added[:0]))
    altered.append(("one word too many", np.append(added, np.uint64(0))))
    return altered


def frames() -> Vectors:
    good = [
        {"header": dict(frame.header), "raw": frame.raw.hex(), "body": body.hex()}
        for frame, body in sample_frames()
    ]
    bad = [{"why": why, "raw": raw.hex()} for why, raw in bad_frames()]
    return {
        "session": SESSION.hex(),
        "roster": [key.hex() for key in ROSTER],
        "good": good,
        "bad": bad,
    }


def agreement() -> Vectors:
    everybody = hands()
    epoch, hellos, shares, masks = agreed(everybody)
    confirms = [
        hand.confirm(each, shares, 4, secret("chain"))
        for hand, each in zip(everybody, masks, strict=True)
    ]
    return {
        "session": SESSION.hex(),
        "epoch": epoch.hex(),
        "hellos": [told(message) for message in hellos],
        "shares": [told(message) for message in shares],
        "confirms": [told(message) for message in confirms],
        "group": masks[0].group.hex(),
    }


def sample_totals() -> list[tuple[int, int, bytes]]:
    """Who hands over which record with what content."""
    long = bytes(range(200))
    return [(0, 0, b""), (0, 1, b"a total"), (1, 1, b"a total"), (0, 2, b"a total"), (2, 1, long)]


def sealed() -> Vectors:
    masks = agreed(hands())[3]
    good = [
        {
            "sender": sender,
            "number": number,
            "content": content.hex(),
            "sealed": seal_total(masks[sender], number, content).hex(),
        }
        for sender, number, content in sample_totals()
    ]
    return {"good": good, "bad": _missealed(bytes.fromhex(good[1]["sealed"]))}


def _missealed(sealed: bytes) -> list[Vectors]:
    """What a relay might hand out instead of record 1 from party 0."""
    altered = {
        "a salt altered": bytes([sealed[0] ^ 1]) + sealed[1:],
        "a content altered": sealed[:32] + bytes([sealed[32] ^ 1]) + sealed[33:],
        "a tag altered": sealed[:-1] + bytes([sealed[-1] ^ 1]),
        "a byte too few": sealed[:-1],
        "only a salt": sealed[:32],
        "nothing": b"",
    }
    bad = [
        {"why": why, "sender": 0, "number": 1, "sealed": each.hex()}
        for why, each in altered.items()
    ]
    bad.append({"why": "another sender", "sender": 1, "number": 1, "sealed": sealed.hex()})
    bad.append({"why": "another number", "sender": 0, "number": 2, "sealed": sealed.hex()})
    return bad


def sample_session(**changes: Any) -> Session:
    """A session with something in every field."""
    members = tuple(
        Member(f"Archive {party}", key.hex(), f"a{party}.example:1", "")
        for party, key in enumerate(ROSTER)
    )
    fields: dict[str, Any] = {
        "id": "0123456789abcdef" * 2,
        "relay": "https://relay.example:8443",
        "parties": members,
        "algorithm": "nmf",
        "parameters": {"n_components": 20, "tol": 1e-05, "init": "nndsvd", "schedule": "block"},
        "vocabulary": {"min_parties": 2, "min_df": 10},
        "seed": 7,
        "fraction_bits": 31,
        "rounds": 500,
        "largest_message": 2**20,
        "certificate": "-----BEGIN CERTIFICATE-----\nMAo=\n-----END CERTIFICATE-----\n",
    }
    return Session(**fields | changes)


def session() -> Vectors:
    made = sample_session()
    return {"toml": made.to_toml(), "hash": made.hash.hex()}


def sample_states() -> dict[str, Any]:
    """Things that parties share, all different."""
    return {
        "nothing": None,
        "zero": 0,
        "zero as a float": 0.0,
        "false": False,
        "a text": "0",
        "bytes": b"0",
        "no things": (),
        "a list of none": [],
        "zeros": np.zeros(2),
        "minus zeros": -np.zeros(2),
        "zeros in another shape": np.zeros((2, 1)),
        "whole zeros": np.zeros(2, np.int64),
        "a single number": np.array(1.0),
        "a list of a single number": np.array([1.0]),
        "several": (np.arange(3), 1, "a"),
        "the same, nested": (np.arange(3), (1, "a")),
        "a dict": {"a": 1, "b": 2.5},
    }


def state() -> Vectors:
    return {name: state_hash(value).hex() for name, value in sample_states().items()}


MADE: dict[str, Callable[[], Vectors]] = {
    made.__name__: made
    for made in (fixed_point, tags, masked, frames, agreement, sealed, session, state)
}


def text_of(name: str) -> str:
    """What a file of vectors should hold."""
    return json.dumps(MADE[name](), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    for name in MADE:
        (FOLDER / f"{name}.json").write_text(text_of(name), "utf-8")
