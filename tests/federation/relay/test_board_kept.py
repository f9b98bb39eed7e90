"""What a relay has on disk: what it remembers, what it never opens, what it lets go."""

import sqlite3
from contextlib import closing

import pytest

from chatham.errors import CheckpointError
from chatham.federation.relay import notes
from chatham.federation.relay.board import Board
from tests.federation.relay.boards import (
    ONE,
    OTHER,
    SESSION,
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


def killed(board, folder):
    board.close()
    return Board(SESSION, folder)


def test_a_board_that_is_killed_remembers(tmp_path):
    board = opened(tmp_path)
    frame, *_ = [send(board, party) for party in range(3)]
    total, epoch = bytes(board.answer(frame).total), board.epoch
    again = killed(board, tmp_path)
    assert again.epoch == epoch
    assert bytes(again.answer(frame).total) == total
    send(again, 0)
    for party in range(3):
        agree(again, party)
    third = killed(again, tmp_path)
    refused("stale", send, third, 0)
    send(third, 0, round_=2)
    ask = frame_of(1, "ask", epoch=third.epoch, round_=2, about="sum")
    refused("again", third.answer, ask)


def test_hellos_of_before_stay_known_after_a_restart(tmp_path):
    board = opened(tmp_path)
    board.take(hello(1, nonce=2), b"")
    refused("replay", killed(board, tmp_path).take, hello(1), b"")


def test_a_total_that_was_cut_on_disk_is_asked_for_again(tmp_path):
    board = opened(tmp_path)
    frame, *_ = [send(board, party) for party in range(3)]
    path = tmp_path / "total"
    path.write_bytes(path.read_bytes()[:-1])
    again = killed(board, tmp_path)
    refused("again", again.answer, frame)
    for party in range(3):
        send(again, party)
    assert again.answer(frame) is not None


def test_a_total_of_another_epoch_is_never_shown(tmp_path):
    """As if the board had been killed between the new hello and the old total's removal."""
    board = opened(tmp_path)
    for party in range(3):
        send(board, party)
    path = tmp_path / "total"
    kept = path.read_bytes()
    board.take(hello(1, nonce=2), b"")
    path.write_bytes(kept)
    again = killed(board, tmp_path)
    for party in range(3):
        again.take(frame_of(party, "confirm", epoch=again.epoch, round_=1), b"")
    frame = send(again, 0)
    assert again.answer(frame) is None


def test_a_damaged_board_is_never_opened(tmp_path):
    opened(tmp_path).close()
    path = tmp_path / "board.sqlite"
    path.write_bytes(b"x" * 5000)
    with pytest.raises(CheckpointError, match="Move it away and start again"):
        Board(SESSION, tmp_path)


def test_another_sessions_board_is_never_opened(tmp_path):
    opened(tmp_path).close()
    with pytest.raises(CheckpointError):
        Board(OTHER, tmp_path)


def test_a_board_keeps_no_more_than_it_needs(tmp_path):
    board = opened(tmp_path)
    for round_ in range(1, 6):
        for party in range(3):
            send(board, party, round_)
        for party in range(3):
            agree(board, party, round_)
    assert list(tmp_path.glob("total*")) == []
    assert board._notes.rounds("agree") == [5]
    assert board._notes.rounds("sum") == []


def test_a_signature_that_comes_twice_leaves_the_next_total_alone(tmp_path):
    board = opened(tmp_path)
    for party in range(3):
        send(board, party)
    for party in range(3):
        agree(board, party)
    frame, *_ = [send(board, party, round_=2) for party in range(3)]
    agree(board, 1, round_=1)
    assert killed(board, tmp_path).answer(frame) is not None


def test_records_that_were_handed_over_are_there_after_a_restart(tmp_path):
    board = opened(tmp_path, records=(1, 3, 3))
    for number in (1, 2):
        frame = frame_of(1, "totals", epoch=board.epoch, round_=number, body=bytes([number] * 9))
        board.take(frame, bytes([number] * 9))
    (tmp_path / "record-2").write_bytes(b"cut")
    again = killed(board, tmp_path)
    asks = [frame_of(0, "ask", epoch=again.epoch, round_=n, about="totals") for n in (1, 2)]
    assert bytes(again.answer(asks[0]).messages[0].body) == bytes([1] * 9)
    assert again.answer(asks[1]) is None
    again.take(frame, bytes([2] * 9))
    assert bytes(again.answer(asks[1]).messages[0].body) == bytes([2] * 9)


def test_announcements_are_there_after_a_restart(tmp_path):
    board = opened(tmp_path)
    body = (8).to_bytes(8, "big")
    for party in range(3):
        frame = frame_of(
            party, "announce", epoch=board.epoch, round_=1, body=body, digest=bytes(32)
        )
        board.take(frame, body)
    assert len(killed(board, tmp_path).answer(frame).messages) == 3


def test_hellos_leave_next_to_nothing(tmp_path):
    """Four hundred used to leave 4.6 MB; what is remembered of them doesn't grow without end."""
    board = opened(tmp_path)
    for number in range(400):
        board.take(frame_of(1, "hello", nonce=number.to_bytes(32, "big")), b"")
    left = sum(path.stat().st_size for path in tmp_path.iterdir())
    print(f"400 hellos leave {left / 1e6:.2f} MB")
    assert left < 2**17


def test_only_so_many_hellos_are_remembered_for_each_party(tmp_path, monkeypatch):
    monkeypatch.setattr(notes, "HELLOS", 3)
    board = opened(tmp_path)
    mine = [hello(1, nonce) for nonce in range(2, 8)]
    for frame in mine:
        board.take(frame, b"")
    again = killed(board, tmp_path)
    for frame in mine[-3:-1]:
        refused("replay", again.take, frame, b"")
    again.take(hello(0, nonce=2), b"")
    refused("replay", again.take, hello(0), b"")
    assert remembered(tmp_path) == {0: 2, 1: 3, 2: 1}


def remembered(folder):
    with closing(sqlite3.connect(folder / "board.sqlite")) as base:
        return dict(base.execute("SELECT party, COUNT(*) FROM greeted GROUP BY party"))


def refuse(board, party, round_=2, code="sparse", **more):
    frame = frame_of(party, "refuse", round_=round_, code=code, **({"chain": ONE} | more))
    board.take(frame, b"")
    return frame


def shown(board, frame):
    answer = board.answer(frame)
    return [] if answer is None else [m.frame.raw for m in answer.messages]


def test_a_refusal_is_shown_to_all_who_wait_and_outlasts_an_epoch_and_the_relay(tmp_path):
    board = opened(tmp_path)
    waiting = send(board, 0)
    assert board.answer(waiting) is None
    refusal = refuse(board, 1, round_=1)
    assert shown(board, refusal) == shown(board, waiting) == [refusal.raw]
    assert shown(board, agree(board, 2)) == [refusal.raw]
    asked = frame_of(2, "ask", epoch=board.epoch, about="hello")
    board.take(asked, b"")
    assert shown(board, asked) == [refusal.raw]
    again = hello(0, nonce=2)
    board.take(again, b"")
    assert len(shown(board, again)) == 3, "what is there is answered first"
    board = killed(board, tmp_path)
    shares = frame_of(0, "shares", epoch=board.epoch)
    board.take(shares, b"")
    assert shown(board, shares) == [refusal.raw]


def test_a_party_has_one_refusal_and_it_is_gone_when_its_round_is_over(tmp_path):
    board = opened(tmp_path)
    first = refuse(board, 1, round_=1)
    assert shown(board, refuse(board, 1, code="refused")) == [first.raw]
    for party in range(3):
        agree(board, party)
    assert board.answer(send(board, 0, round_=2)) is None
    second = refuse(board, 1, round_=2)
    assert shown(board, second) == [second.raw]


def test_a_refusal_of_a_round_that_cant_be_or_with_a_body_isnt_taken(board):
    refused("round", refuse, board, 1, round_=SESSION.rounds + 1)
    worded = frame_of(1, "refuse", round_=1, code="sparse", chain=ONE, body=b"17 documents")
    refused("size", board.check, worded)
