"""Frames: read back as they were written, and refused with a typed error whatever else comes."""

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chatham.commons.secure.frames import (
    KINDS,
    LONGEST_HEADER,
    MAGIC,
    SIGNATURE,
    START,
    header_length,
    make_frame,
    read_frame,
)
from chatham.errors import ProtocolError
from tests.vectors import load
from tests.vectors.bad_frames import sample_frames, signed_raw, written
from tests.vectors.fixed import ROSTER, SESSION, identity, secret

FROZEN = load("frames")
GOOD = sample_frames()


def read(raw):
    return read_frame(raw, SESSION, ROSTER)


@pytest.mark.parametrize("case", FROZEN["good"], ids=lambda case: case["header"]["kind"])
def test_frozen_frames_are_read(case):
    frame = read(bytes.fromhex(case["raw"]))
    assert dict(frame.header) == case["header"]
    frame.check_body(bytes.fromhex(case["body"]))


@pytest.mark.parametrize("case", FROZEN["bad"], ids=lambda case: case["why"])
def test_frozen_bad_frames_are_refused(case):
    with pytest.raises(ProtocolError):
        read(bytes.fromhex(case["raw"]))


def test_there_is_a_good_frame_of_each_kind():
    assert [case["header"]["kind"] for case in FROZEN["good"]] == list(KINDS)


@pytest.mark.parametrize(("frame", "body"), GOOD, ids=list(KINDS))
def test_a_frame_is_read_as_it_was_written(frame, body):
    again = read(frame.raw)
    assert again == frame
    assert (again.kind, again.party, again.size) == (frame.header["kind"], 1, len(body))
    assert again.round == frame.header["round"]
    assert again.hash_of("session") == SESSION


@pytest.mark.parametrize("frame", [frame for frame, _ in GOOD], ids=list(KINDS))
def test_any_altered_byte_is_refused(frame):
    for place in range(len(frame.raw)):
        altered = bytearray(frame.raw)
        altered[place] ^= 1
        with pytest.raises(ProtocolError):
            read(bytes(altered))


@pytest.mark.parametrize("length", range(0, len(GOOD[0][0].raw), 7))
def test_a_frame_that_is_cut_short_is_refused(length):
    with pytest.raises(ProtocolError):
        read(GOOD[0][0].raw[:length])


def test_a_frame_of_another_session_or_roster_is_refused():
    raw = GOOD[0][0].raw
    with pytest.raises(ProtocolError, match="another session"):
        read_frame(raw, secret("another"), ROSTER)
    with pytest.raises(ProtocolError, match="isn't in the roster"):
        read_frame(raw, SESSION, ROSTER[:1])
    with pytest.raises(ProtocolError, match="isn't signed by"):
        read_frame(raw, SESSION, ROSTER[::-1][1:] + ROSTER[:1])
    with pytest.raises(ProtocolError, match="isn't signed by"):
        read_frame(raw, SESSION, [b"", b"", b""])


def test_a_party_cant_speak_for_another():
    frame = make_frame(identity(2), "agree", session=SESSION, party=1, chain=bytes(32))
    with pytest.raises(ProtocolError, match="isn't signed by"):
        read(frame.raw)


@pytest.mark.parametrize(("frame", "body"), GOOD, ids=list(KINDS))
def test_another_body_is_refused(frame, body):
    frame.check_body(memoryview(body))
    for other in (body + b"\0", body[:-1] if body else b"x", bytes(len(body) or 1)):
        with pytest.raises(ProtocolError, match="body isn't the one"):
            frame.check_body(other)


def test_a_body_of_the_same_length_is_refused_too():
    frame, body = GOOD[1]
    for place in range(len(body)):
        altered = bytearray(body)
        altered[place] ^= 0x80
        with pytest.raises(ProtocolError):
            frame.check_body(bytes(altered))


@pytest.mark.parametrize("size", [0, 23, 25])
def test_a_length_that_isnt_the_bodys_is_refused_though_it_is_signed(size):
    frame, body = GOOD[1]
    lying = read(signed_raw(written(dict(frame.header) | {"size": size})))
    with pytest.raises(ProtocolError, match="body isn't the one"):
        lying.check_body(body)


@pytest.mark.parametrize("length", [0, 1, LONGEST_HEADER + 1, 2**31, 2**32 - 1])
def test_lengths_are_refused_before_anything_is_read(length):
    with pytest.raises(ProtocolError, match=f"header of {length} bytes"):
        header_length(MAGIC + length.to_bytes(4, "big"))


def test_a_headers_length_is_told_by_its_first_bytes():
    for frame, _ in GOOD:
        assert START + header_length(frame.raw[:START]) == len(frame.raw)
    assert header_length(MAGIC + LONGEST_HEADER.to_bytes(4, "big")) == LONGEST_HEADER + SIGNATURE


@pytest.mark.parametrize("kind", ["nothing", "sum"])
def test_what_others_would_refuse_isnt_even_made(kind):
    with pytest.raises(ProtocolError):
        make_frame(identity(0), kind, session=SESSION, party=0)
    with pytest.raises(ProtocolError):
        make_frame(identity(0), "agree", session=SESSION, party=0, chain=b"short")
    with pytest.raises(ProtocolError):
        make_frame(identity(0), "shares", session=SESSION, party=-1)


def test_the_longest_header_there_can_be_fits():
    frame = make_frame(
        identity(1),
        "hello",
        session=SESSION,
        party=199,
        round_=2**40 - 1,
        epoch=bytes(32),
        key=bytes(32),
        nonce=bytes(32),
        corpus=bytes(32),
        version="9" * 40,
    )
    assert len(frame.raw) < START + LONGEST_HEADER // 2


# -- fuzz: nothing but a frame or a ProtocolError comes out


def tries(raw):
    """True if it was a frame; anything but a ProtocolError is let through and fails the test."""
    try:
        read(raw)
    except ProtocolError:
        return False
    return True


@given(st.binary(max_size=300))
@example(MAGIC)
@example(MAGIC + bytes(4) + bytes(SIGNATURE))
def test_any_bytes_at_all_are_refused(raw):
    assert not tries(raw)


@given(st.binary(min_size=2, max_size=600))
def test_any_signed_bytes_are_refused(text):
    assert not tries(signed_raw(text))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.sampled_from(GOOD), st.data())
def test_any_value_in_any_field_is_refused_or_of_the_right_form(case, data):
    header = dict(case[0].header)
    name = data.draw(st.sampled_from(sorted(header)))
    header[name] = data.draw(JSON | st.sampled_from(["0" * 64, "F" * 64, 0, 2, 2**40 - 1, *KINDS]))
    raw = signed_raw(written(header))
    if len(raw) <= START + LONGEST_HEADER + SIGNATURE and tries(raw):
        frame = read(raw)
        value = frame.header[name]
        assert json.dumps(value) == json.dumps(header[name])
        if name in ("round", "party", "size"):
            assert type(value) is int
            assert 0 <= value < 2**40
        elif name in ("kind", "about"):
            assert value in KINDS
        elif name == "version":
            assert re.fullmatch(r"[0-9A-Za-z.!+_-]{1,40}", value)
        else:
            assert bytes.fromhex(value).hex() == value
            assert len(value) == 64


@given(
    st.sampled_from(GOOD),
    st.lists(st.tuples(st.integers(0, 999), st.integers(0, 255)), min_size=1, max_size=5),
)
def test_frames_with_some_bytes_altered_are_refused(case, changes):
    altered = bytearray(case[0].raw)
    for place, byte in changes:
        altered[place % len(altered)] = byte
    assert tries(bytes(altered)) == (bytes(altered) == case[0].raw)


@pytest.mark.parametrize(
    "text", [b"[" * 4090, b'{"a":' * 800, b"[" * 900 + b"]" * 900, b"9" * 4096]
)
def test_what_is_nested_or_long_is_refused(text):
    assert not tries(signed_raw(text))
