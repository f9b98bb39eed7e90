"""A board on which three parties meet, and their messages."""

import numpy as np
import pytest

from chatham.commons.secure.frames import make_frame
from chatham.errors import Refused
from chatham.federation.relay.board import Board
from tests.federation.parties import make_session

SESSION, IDENTITIES = make_session(3, rounds=5, largest_message=800)
OTHER, _ = make_session(3, rounds=6)
BODY = np.arange(4, dtype="<u8").tobytes()
ONE, TWO = bytes([1] * 32), bytes([2] * 32)


def frame_of(party, kind, identity=None, session=SESSION, **more):
    fields = {"hello": ("key", "nonce", "corpus"), "confirm": ("proof", "chain", "machine")}
    hashes = {name: bytes([party + 1] * 32) for name in fields.get(kind, ())}
    if kind == "hello":
        hashes["version"] = "1"
    if kind == "sum":
        hashes = {"digest": ONE, "state": ONE}
    if kind == "agree":
        hashes = {"chain": ONE}
    who = identity or IDENTITIES[party]
    return make_frame(who, kind, session=session.hash, party=party, **(hashes | more))


def hello(party, nonce=1):
    return frame_of(party, "hello", nonce=bytes([nonce] * 32))


def opened(folder, records=(1, 1, 1), session=SESSION, **more):
    """A board on which all have met."""
    board = Board(session, folder, **more)

    def say(party, kind, body=b"", **given):
        board.take(frame_of(party, kind, session=session, body=body, **given), body)

    for party in range(3):
        say(party, "hello", nonce=bytes([1] * 32))
    for party in range(3):
        say(party, "shares", b"abc", epoch=board.epoch)
    for party, count in enumerate(records):
        say(party, "confirm", epoch=board.epoch, round_=count)
    return board


def send(board, party, round_=1, body=BODY, **more):
    frame = frame_of(party, "sum", epoch=board.epoch, round_=round_, body=body, **more)
    board.take(frame, body)
    return frame


def agree(board, party, round_=1, **more):
    frame = frame_of(party, "agree", round_=round_, **({"epoch": board.epoch} | more))
    board.take(frame, b"")
    return frame


def refused(why, call, *given, **more):
    with pytest.raises(Refused) as caught:
        call(*given, **more)
    assert caught.value.why == why
    return caught.value


@pytest.fixture
def board(tmp_path):
    return opened(tmp_path)
