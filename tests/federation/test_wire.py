"""Answers of the relay as bytes, from a relay that may send anything."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatham.commons.secure.agreement import Message
from chatham.commons.secure.frames import make_frame, read_frame
from chatham.errors import ProtocolError
from chatham.federation.wire import Answer, length_of, longest_answer, read_answer, write_answer
from tests.federation.parties import make_session

SESSION, IDENTITIES = make_session(3)


def frame_of(party, body=b"", kind="shares"):
    return make_frame(IDENTITIES[party], kind, session=SESSION.hash, party=party, body=body)


def read(data, parties=3):
    return read_answer(data, lambda raw: read_frame(raw, SESSION.hash, SESSION.keys), parties)


def written(answer):
    return b"".join(write_answer(answer))


WHOLE = Answer([Message(frame_of(i, b"x" * i), b"x" * i) for i in range(3)], bytes(range(80)))
BYTES = written(WHOLE)


def test_an_answer_is_read_as_it_was_written():
    found = read(BYTES)
    assert [(m.frame.raw, m.body) for m in found.messages] == [
        (m.frame.raw, m.body) for m in WHOLE.messages
    ]
    assert bytes(found.total) == WHOLE.total
    assert len(BYTES) == length_of(WHOLE) < longest_answer(SESSION)
    assert written(Answer([])) == bytes(4)


@pytest.mark.parametrize("length", [0, 1, 3, 5, 100, len(BYTES) - 81])
def test_an_answer_that_is_cut_is_refused(length):
    with pytest.raises(ProtocolError, match="ends too early"):
        read(BYTES[:length])


def test_more_messages_than_parties_are_refused():
    with pytest.raises(ProtocolError, match="more messages than there are parties"):
        read(BYTES, parties=2)


def test_lengths_that_nothing_could_hold_are_refused_before_anything_is_made():
    for data in (b"\xff" * 4, b"\0\0\0\1" + b"\xff" * 4, BYTES[:4] + b"\0\0\xff\xff" + bytes(99)):
        with pytest.raises(ProtocolError):
            read(data)
    place = 8 + len(WHOLE.messages[0].frame.raw)
    with pytest.raises(ProtocolError, match="ends too early"):
        read(BYTES[:place] + b"\x7f" + bytes(7) + BYTES[place + 8 :])


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_an_answer_or_a_typed_error(data):
    try:
        found = read(data)
    except ProtocolError:
        return
    assert found.messages == []
    assert data[:4] == bytes(4)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(BYTES) - 1), st.integers(1, 255), st.integers(0, 40))
def test_a_changed_answer_never_shows_what_nobody_signed(place, change, cut):
    data = bytearray(BYTES)
    data[place] ^= change
    data = data[: len(data) - cut]
    try:
        found = read(bytes(data))
    except ProtocolError:
        return
    signed = {message.frame.raw for message in WHOLE.messages}
    assert all(message.frame.raw in signed for message in found.messages)
