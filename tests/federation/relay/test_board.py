"""The relay's work without HTTP: what it takes and what it refuses."""

import numpy as np
import pytest

from chatham.commons.secure.keys import Identity
from chatham.errors import ProtocolError
from chatham.federation.relay import board as board_module
from chatham.federation.relay.board import Board
from chatham.federation.relay.spool import Spool
from chatham.federation.wire import NO_EPOCH, SMALL
from tests.federation.parties import make_session
from tests.federation.relay.boards import (
    BODY,
    IDENTITIES,
    ONE,
    OTHER,
    SESSION,
    TWO,
    agree,
    frame_of,
    hello,
    opened,
    refused,
    send,
)


@pytest.fixture
def board(tmp_path):
    return opened(tmp_path)


def test_a_total_is_there_once_all_have_sent(board):
    frames = [send(board, party) for party in range(2)]
    assert board.answer(frames[0]) is None
    assert board.missing(frames[0]) == [2]
    frames.append(send(board, 2))
    answer = board.answer(frames[0])
    np.testing.assert_array_equal(np.frombuffer(answer.total, "<u8"), [0, 3, 6, 9])
    assert [message.frame.raw for message in answer.messages] == [frame.raw for frame in frames]


def test_the_same_words_twice_are_added_once(board):
    for party in (0, 0, 1, 1, 2, 2):
        frame = send(board, party)
    np.testing.assert_array_equal(np.frombuffer(board.answer(frame).total, "<u8"), [0, 3, 6, 9])


def test_words_wrap_around(board):
    body = np.array([2**63, 2**64 - 1], dtype="<u8").tobytes()
    for party in range(3):
        frame = send(board, party, body=body)
    total = np.frombuffer(board.answer(frame).total, "<u8")
    np.testing.assert_array_equal(total, np.array([2**63, 2**64 - 3], dtype=np.uint64))


def test_hellos_shares_and_confirms_are_shown_once_all_are_there(tmp_path):
    board = Board(SESSION, tmp_path)
    for party in range(2):
        board.take(hello(party), b"")
        assert board.answer(hello(party)) is None
        assert board.epoch is None
    assert board.missing(hello(0)) == [2]
    board.take(hello(2), b"")
    assert len(board.answer(hello(0)).messages) == 3


def test_confirms_of_parties_that_are_not_equally_far_meet(tmp_path):
    board = opened(tmp_path, records=(3, 1, 2))
    frame = frame_of(1, "confirm", epoch=board.epoch, round_=1)
    told = [message.frame.round for message in board.answer(frame).messages]
    assert told == [3, 1, 2]
    refused("stale", send, board, 1, round_=1)
    send(board, 1, round_=3)


UNSIGNED = {
    "unknown party": lambda: frame_of(7, "hello", identity=IDENTITIES[0]),
    "wrong key": lambda: frame_of(0, "hello", identity=Identity.new()),
    "another's key": lambda: frame_of(0, "hello", identity=IDENTITIES[1]),
    "wrong session": lambda: frame_of(0, "hello", session=OTHER),
}


@pytest.mark.parametrize("make", UNSIGNED.values(), ids=UNSIGNED.keys())
def test_whoever_isnt_of_the_session_isnt_heard(board, make):
    with pytest.raises(ProtocolError):
        board.read(make().raw)


def test_what_doesnt_fit_is_refused_and_the_round_goes_on(board):
    send(board, 0)
    sized = frame_of(1, "sum", epoch=board.epoch, round_=1, body=bytes(808))
    refused("size", board.check, sized)
    refused("size", send, board, 1, body=bytes(12))
    refused("size", send, board, 1, body=b"")
    refused("statistics", send, board, 1, body=bytes(40))
    refused("statistics", send, board, 1, digest=TWO)
    refused("unlike", send, board, 0, body=bytes(32))
    refused("stale", send, board, 1, round_=2)
    refused("stale", send, board, 1, round_=0)
    refused("round", send, board, 1, round_=6)
    refused("epoch", board.take, frame_of(1, "sum", round_=1, body=BODY, epoch=ONE), BODY)
    refused("size", board.check, frame_of(1, "shares", epoch=board.epoch, body=bytes(2**16 + 1)))
    refused("round", agree, board, 1, round_=7)
    refused("ask", board.check, frame_of(1, "ask", epoch=board.epoch, about="shares"))
    refused("kind", board.check, frame_of(1, "state", epoch=board.epoch, state=ONE))
    with pytest.raises(ProtocolError, match="isn't the one its header was signed for"):
        board.take(frame_of(1, "sum", epoch=board.epoch, round_=1, body=BODY), bytes(32))
    for party in (1, 2):
        frame = send(board, party)
    np.testing.assert_array_equal(np.frombuffer(board.answer(frame).total, "<u8"), [0, 3, 6, 9])


def test_nothing_is_added_before_all_have_confirmed(tmp_path):
    board = Board(SESSION, tmp_path)
    for party in range(3):
        board.take(hello(party), b"")
    refused("stale", send, board, 0)


def test_a_round_that_is_over_takes_no_more_words(board):
    old = [send(board, party) for party in range(3)]
    for party in range(3):
        agree(board, party)
    refused("stale", board.take, old[0], BODY)
    refused("again", board.answer, frame_of(0, "ask", epoch=board.epoch, round_=1, about="sum"))
    send(board, 0, round_=2)


def test_a_party_signs_one_total_of_a_round(board):
    agree(board, 0)
    agree(board, 0, epoch=NO_EPOCH)
    refused("unlike", agree, board, 0, chain=TWO)


def test_who_asks_for_the_next_hello_is_told_nothing_until_it_comes(board):
    frame = frame_of(0, "ask", epoch=board.epoch, about="hello")
    board.check(frame)
    assert board.answer(frame) is None
    board.take(hello(1, nonce=2), b"")
    refused("epoch", board.check, frame)


def test_a_new_hello_ends_the_epoch_for_all(board):
    frame, old = send(board, 0), board.epoch
    signed = agree(board, 0)
    board.take(hello(1, nonce=2), b"")
    assert board.epoch != old
    refused("epoch", board.check, frame)
    refused("epoch", board.answer, signed)
    refused("stale", send, board, 0)


def test_a_hello_of_before_cant_be_replayed(board):
    board.take(hello(1, nonce=2), b"")
    epoch = board.epoch
    refused("replay", board.take, hello(1), b"")
    assert board.epoch == epoch
    board.take(hello(1, nonce=2), b"")
    assert board.epoch == epoch


def test_signatures_under_a_round_that_is_done_anew_are_forgotten(tmp_path):
    board = opened(tmp_path)
    for party in range(3):
        send(board, party)
    agree(board, 0)
    board.take(hello(1, nonce=2), b"")
    for party in range(3):
        board.take(frame_of(party, "confirm", epoch=board.epoch, round_=1), b"")
    frame = agree(board, 0, chain=TWO)
    assert board.missing(frame) == [1, 2]


def test_a_party_that_comes_back_with_a_total_waits_only_for_those_who_will_sign(board):
    for party in range(3):
        send(board, party)
    late = agree(board, 0, epoch=NO_EPOCH)
    assert board.answer(late) is None
    agree(board, 1)
    board.take(hello(2, nonce=2), b"")
    refused("waiting", board.answer, late)
    agree(board, 2, epoch=NO_EPOCH)
    assert len(board.answer(late).messages) == 3


@pytest.mark.parametrize(("party", "round_"), [(1, 0), (1, 3), (1, 2**39), (0, 1), (2, 1), (2, 2)])
def test_totals_that_nobody_waits_for_dont_fill_the_disk(tmp_path, party, round_):
    """Party 1 has most records, 0 to 2; party 0 has only record 0."""
    board = opened(tmp_path, records=(1, 3, 3))
    frame = frame_of(party, "totals", epoch=board.epoch, round_=round_, body=BODY)
    refused("totals", board.take, frame, BODY)
    for wanted in (1, 2):
        handed = frame_of(1, "totals", epoch=board.epoch, round_=wanted, body=BODY)
        board.take(handed, BODY)
        assert board.answer(handed).messages[0].body == BODY


@pytest.mark.parametrize("kind", ["agree", "confirm"])
def test_what_has_nothing_to_carry_carries_nothing(board, kind):
    frame = frame_of(1, kind, epoch=board.epoch, round_=1, body=b"x")
    refused("size", board.take, frame, b"x")


# -- large contributions

WIDE, _ = make_session(3, rounds=5, largest_message=2**20, identities=IDENTITIES)
MANY = bytes(SMALL + 8)
SIZE = len(MANY)


def wide(folder, **more):
    """A board for large contributions, on which all have met."""
    return opened(folder, session=WIDE, **more)


def announce(board, party, size=SIZE, **more):
    more = {"epoch": board.epoch, "round_": 1, "digest": ONE, **more}
    body = size.to_bytes(8, "big")
    frame = frame_of(party, "announce", session=WIDE, body=body, **more)
    board.take(frame, body)
    return frame


def test_a_large_contribution_isnt_read_before_all_have_announced_it(tmp_path):
    board = wide(tmp_path)
    large = frame_of(0, "sum", session=WIDE, epoch=board.epoch, round_=1, body=MANY)
    refused("announce", board.check, large)
    for party in range(2):
        first = announce(board, party)
        refused("announce", board.check, large)
    assert board.answer(first) is None
    assert board.missing(first) == [2]
    announce(board, 2)
    assert len(board.answer(first).messages) == 3
    board.check(large)
    for party in range(3):
        frame = send(board, party, body=MANY, session=WIDE)
    assert bytes(board.answer(frame).total) == MANY


def test_who_has_announced_much_doesnt_send_little(tmp_path):
    board = wide(tmp_path)
    announce(board, 0)
    small = frame_of(1, "sum", session=WIDE, epoch=board.epoch, round_=1, body=BODY)
    refused("statistics", board.check, small)


def test_a_small_contribution_needs_no_announcement(tmp_path):
    board = wide(tmp_path)
    for party in range(3):
        frame = send(board, party, body=MANY[8:], session=WIDE)
    assert len(board.answer(frame).total) == SMALL


def test_what_isnt_announced_alike_is_refused_before_it_is_read(tmp_path):
    board = wide(tmp_path)
    announce(board, 0)
    announce(board, 0)
    refused("statistics", announce, board, 1, size=len(MANY) + 8)
    refused("statistics", announce, board, 1, digest=TWO)
    refused("statistics", announce, board, 0, size=2**19)
    for party in (1, 2):
        announce(board, party)
    for body, digest in ((MANY + bytes(8), ONE), (MANY, TWO)):
        other = frame_of(
            0, "sum", session=WIDE, epoch=board.epoch, round_=1, body=body, digest=digest
        )
        refused("statistics", board.check, other)


@pytest.mark.parametrize("size", [0, 4, 2**20 + 8, 2**63])
def test_no_size_is_announced_that_cant_be_one(tmp_path, size):
    refused("size", announce, wide(tmp_path), 0, size=size)


def test_no_size_is_announced_that_there_is_no_room_for(tmp_path):
    """Everybody's contribution, their sum and the total are on the disk at the same time."""
    board = wide(tmp_path, disk=5 * len(MANY))
    announce(board, 0)
    said = refused("size", announce, board, 1, size=len(MANY) + 8)
    assert str(5 * len(MANY)) in str(said)


def test_only_the_open_round_is_announced(tmp_path):
    board = wide(tmp_path)
    refused("stale", announce, board, 0, round_=2)
    refused("round", announce, board, 0, round_=6)
    refused("epoch", announce, board, 0, epoch=ONE)


def test_an_announcement_holds_for_its_round(tmp_path):
    board = wide(tmp_path)
    for party in range(3):
        announce(board, party)
    for party in range(3):
        send(board, party, body=MANY, session=WIDE)
    for party in range(3):
        agree(board, party, session=WIDE)
    large = frame_of(0, "sum", session=WIDE, epoch=board.epoch, round_=2, body=MANY)
    refused("announce", board.check, large)


def test_a_sum_that_cant_be_written_is_begun_again(tmp_path, monkeypatch):
    """Part of a contribution may be in it."""
    board = wide(tmp_path)
    for party in range(3):
        announce(board, party)
    body = np.arange(len(MANY) // 8, dtype="<u8").tobytes()
    frame = send(board, 0, body=body, session=WIDE)

    def full(self):
        yield body[:8]
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Spool, "parts", full)
        with pytest.raises(OSError, match="No space"):
            send(board, 1, body=body, session=WIDE)
    refused("again", board.answer, frame)
    for party in range(3):
        frame = send(board, party, body=body, session=WIDE)
    total = np.frombuffer(board.answer(frame).total, "<u8")
    np.testing.assert_array_equal(total, 3 * np.arange(len(MANY) // 8))


# -- records that are handed over


def hand_over(board, number, size=100):
    frame = frame_of(1, "totals", epoch=board.epoch, round_=number, body=bytes(size))
    board.take(frame, bytes(size))
    return frame


def ask_for(board, party, number):
    frame = frame_of(party, "ask", epoch=board.epoch, round_=number, about="totals")
    board.take(frame, b"")
    return board.answer(frame)


def records_of(folder):
    return sorted(path.name for path in folder.glob("record-*"))


def test_who_asks_for_a_record_waits_for_the_party_that_is_ahead(tmp_path):
    board = opened(tmp_path, records=(1, 4, 2))
    for party in (0, 2):
        assert ask_for(board, party, 2) is None
        frame = frame_of(party, "ask", epoch=board.epoch, round_=2, about="totals")
        assert board.missing(frame) == [1]


def test_a_record_is_let_go_when_all_who_lack_it_ask_for_the_next(tmp_path):
    board = opened(tmp_path, records=(1, 4, 2))
    for number in (1, 2, 3):
        hand_over(board, number)
    assert ask_for(board, 0, 1).messages[0].body == bytes(100)
    assert records_of(tmp_path) == ["record-1", "record-2", "record-3"]
    ask_for(board, 0, 2)
    assert records_of(tmp_path) == ["record-2", "record-3"]
    ask_for(board, 0, 3)
    assert records_of(tmp_path) == ["record-2", "record-3"]
    ask_for(board, 2, 3)
    assert records_of(tmp_path) == ["record-3"]


def test_records_take_only_so_much_of_the_disk(tmp_path):
    board = opened(tmp_path, records=(1, 4, 4), disk=250)
    hand_over(board, 1)
    hand_over(board, 2)
    refused("full", hand_over, board, 3)
    hand_over(board, 2)
    ask_for(board, 0, 2)
    hand_over(board, 3)
    assert records_of(tmp_path) == ["record-2", "record-3"]


def test_no_record_is_empty(tmp_path):
    refused("size", hand_over, opened(tmp_path, records=(1, 3, 3)), 1, size=0)


def test_signatures_dont_fill_the_relay(tmp_path):
    """A party's own go, those of others stay."""
    board = opened(tmp_path)
    kept = agree(board, 0, round_=1)
    for round_ in range(1, 7):
        agree(board, 1, round_=round_)
    assert board._notes.rounds("agree") == [1, 3, 4, 5, 6]
    assert board.missing(kept) == [1, 2]


def test_only_so_many_records_are_there_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(board_module, "RECORDS", 2)
    board = opened(tmp_path, records=(1, 5, 5))
    hand_over(board, 1)
    hand_over(board, 2)
    hand_over(board, 1)
    refused("full", hand_over, board, 3)
    ask_for(board, 0, 2)
    hand_over(board, 3)


def test_records_are_let_go_when_all_have_gone_on_or_begun_again(tmp_path):
    board = opened(tmp_path, records=(1, 3, 3))
    hand_over(board, 1)
    hand_over(board, 2)
    for party in range(3):
        send(board, party, round_=3)
    for party in range(3):
        agree(board, party, round_=3)
    assert records_of(tmp_path) == []
    board.take(hello(1, nonce=2), b"")
    for party, count in enumerate((1, 4, 4)):
        board.take(frame_of(party, "confirm", epoch=board.epoch, round_=count), b"")
    hand_over(board, 1)
    board.take(hello(1, nonce=3), b"")
    assert records_of(tmp_path) == []
