"""Epochs, the roll, and catching up: parties whose folders are lost, old, or another's."""

import shutil
import time

import numpy as np
import pytest

from chatham.errors import CheckpointError, ProtocolError
from tests.federation.parties import (
    Crash,
    Federation,
    InsideLink,
    all_good,
    play,
    sum_of,
    together,
)
from tests.federation.party.test_connection import ROUNDS, Plan, check, restarted


def run(federation, rounds, **more):
    programs = [restarted(federation, i, rounds, **more) for i in range(federation.parties)]
    return all_good(together(*programs))


def copy_of(federation, index):
    kept = federation.folder / f"copy{index}"
    shutil.copytree(federation.folder_of(index), kept)
    return kept


def restore(federation, index, kept=None):
    shutil.rmtree(federation.folder_of(index))
    if kept is not None:
        shutil.copytree(kept, federation.folder_of(index))


@pytest.mark.parametrize("lost", [(0,), (1,), (0, 2), (1, 2)])
def test_folders_that_are_lost_are_filled_by_the_others(tmp_path, lost):
    federation = Federation(tmp_path)
    run(federation, 3)
    for index in lost:
        restore(federation, index)
    check(federation, run(federation, ROUNDS), redone=0)


def test_old_folders_never_lead_to_two_plaintexts_under_one_mask(tmp_path):
    federation = Federation(tmp_path)
    run(federation, 1)
    kept = [copy_of(federation, i) for i in range(3)]
    run(federation, 3)
    restore(federation, 0, kept[0])
    restore(federation, 2)
    check(federation, run(federation, ROUNDS), redone=0)


@pytest.mark.parametrize("step", ["say sum", "heard sum", "say agree", "heard agree", "apply"])
@pytest.mark.parametrize("empty", [False, True])
def test_a_snapshot_restored_in_the_middle_of_a_round(tmp_path, monkeypatch, step, empty):
    federation = Federation(tmp_path)
    run(federation, 1)
    kept = None if empty else copy_of(federation, 1)
    Plan(monkeypatch, ("party1", step, 3))

    def snapshot_restored():
        try:
            return play(federation.connect(1), ROUNDS)
        except Crash:
            restore(federation, 1, kept)
            return play(federation.connect(1), ROUNDS, finish=True)

    programs = [lambda i=i: play(federation.connect(i), ROUNDS, finish=True) for i in (0, 2)]
    check(federation, all_good(together(programs[0], snapshot_restored, programs[1])))


def test_everything_is_done_anew_if_all_folders_are_lost_and_under_other_masks(tmp_path):
    federation = Federation(tmp_path)
    run(federation, 2)
    for index in range(3):
        restore(federation, index)
    check(federation, run(federation, ROUNDS), redone=2)


def test_a_relay_that_lost_its_folder_costs_the_open_round(tmp_path, monkeypatch):
    """The same hellos would make the epoch that all have confirmed: somebody says a new one."""
    federation = Federation(tmp_path)
    seen = []

    class Lose(Plan):
        def __call__(self, step):
            if step == "relay kept" and not seen:
                seen.append(step)
                federation.relay.board.close()
                shutil.rmtree(federation.relay.folder)
                raise Crash

    Lose(monkeypatch)
    check(federation, run(federation, ROUNDS), redone=1)
    assert federation.relay.starts == 2


@pytest.mark.parametrize("who", range(3))
@pytest.mark.parametrize("step", ["say agree", "heard agree", "rename .total", "rename .agreed"])
def test_a_party_killed_while_all_take_leave(tmp_path, monkeypatch, step, who):
    federation = Federation(tmp_path)
    Plan(monkeypatch, (f"party{who}", step, ROUNDS + 2))
    programs = [restarted(federation, i, ROUNDS, True) for i in range(3)]
    check(federation, all_good(together(*programs)), redone=0)


@pytest.mark.parametrize("behind", ["pending", "completed"])
def test_a_relay_and_a_folder_lost_together(tmp_path, behind):
    federation = Federation(tmp_path)
    run(federation, 3)
    federation.relay.board.close()
    shutil.rmtree(federation.relay.folder)
    with federation.relay.changed:
        federation.relay.start()
    last = federation.folder_of(1) / "rounds" / "000003.agreed"
    if behind == "pending":
        last.unlink()
    else:
        restore(federation, 1)
    check(federation, run(federation, ROUNDS), redone=0)


def test_documents_may_change_as_long_as_nobody_signed_for_them(tmp_path, monkeypatch):
    """A roll that some have and not all have signed is replaced by the next."""
    federation = Federation(tmp_path)
    Plan(monkeypatch, ("party1", "write .total", 1))
    theirs = [federation.folder_of(i) / "rounds" / "000000.total" for i in (0, 2)]

    def corrected():
        try:
            return play(federation.connect(1), ROUNDS)
        except Crash:
            while not all(path.exists() for path in theirs):
                time.sleep(0.001)
            return play(federation.connect(1, corpus=bytes([1] * 32)), ROUNDS)

    programs = [restarted(federation, i) for i in range(3)]
    check(federation, all_good(together(programs[0], corrected, programs[2])), redone=0)


def test_a_last_signature_is_found_though_everybody_else_has_left(tmp_path):
    federation = Federation(tmp_path)
    run(federation, ROUNDS)
    (federation.folder_of(1) / "rounds" / f"{ROUNDS:06d}.agreed").unlink()
    (totals,) = all_good(together(lambda: play(federation.connect(1), ROUNDS)))
    np.testing.assert_array_equal(totals, [sum_of(3, r) for r in range(1, ROUNDS + 1)])
    assert [frame.kind for frame, _ in federation.links[1][-1].heard] == ["agree"]


def test_a_corpus_shows_nothing_but_whether_it_is_the_same(tmp_path):
    """Two parties with the same documents say different things, so nobody can try guesses."""
    federation = Federation(tmp_path)
    run(federation, 1)
    said = [link[0].heard[0][0].header["corpus"] for link in federation.links]
    assert len(set(said)) == 3


def test_another_program_is_refused_in_a_round_that_is_over(tmp_path):
    federation = Federation(tmp_path)
    run(federation, 2)
    with pytest.raises(ProtocolError, match="Round 1 was about other statistics"):
        federation.connect(0).round(np.zeros(5, np.uint64), bytes([1] * 32), bytes(32))


def test_another_partys_folder_is_refused(tmp_path):
    federation, other = Federation(tmp_path / "one"), Federation(tmp_path / "two")
    run(federation, 1)
    run(other, 1)
    restore(federation, 0, other.folder_of(0))
    with pytest.raises(CheckpointError, match="damaged"):
        federation.connect(0)


class LateLink(InsideLink):
    """A line on which a signature of the epoch before arrives after the next one has begun."""

    late = None

    def say(self, frame, body):
        if frame.kind == "agree" and frame.round == 2:
            LateLink.late = LateLink.late or frame
        elif frame.kind == "sum" and frame.round == 2 and LateLink.late:
            self._arrive(frame, bytes(body))
        return super().say(frame, body)

    def _arrive(self, frame, body):
        late, LateLink.late = LateLink.late, None
        board = self._relay.board
        with self._relay.changed:
            board.take(frame, body)
            board.take(board.read(late.raw), b"")
            self._relay.changed.notify_all()
            self._relay.changed.wait_for(lambda: board._completed() == 2)


def test_a_party_that_others_went_on_without_begins_as_if_restarted(tmp_path, monkeypatch):
    """The late signature counts, so the round is over for the others before it has the total."""
    federation = Federation(tmp_path)
    Plan(monkeypatch, ("party0", "heard sum", 2))
    connection = federation.connect(1)
    connection._voice._link = LateLink(federation.relay)
    federation.links[1].append(connection._voice._link)

    def killed():
        """It ends the epoch only when the other has signed in it."""
        try:
            return play(federation.connect(0), ROUNDS)
        except Crash:
            while LateLink.late is None:
                time.sleep(0.001)
            return restarted(federation, 0)()

    programs = [killed, lambda: play(connection, ROUNDS), restarted(federation, 2)]
    check(federation, all_good(together(*programs)), redone=2)
    assert len({f.raw for f, _ in connection._voice._link.heard if f.kind == "hello"}) == 2
