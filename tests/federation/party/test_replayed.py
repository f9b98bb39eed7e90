"""A ledger says what left, and says "replayed" where nothing did: a party starts again with, or
without, what it had."""

import shutil

import numpy as np
import pytest

from chatham.federation.party.ledger import HEAD, NAME, Ledger, read_ledger
from chatham.federation.party.verifying import verify_ledger
from tests.federation.parties import Crash, Federation, all_good, together
from tests.federation.party.test_connection import Plan
from tests.federation.party.test_party import party_of

BEFORE, AFTER = 9, 29


def count_ones(rows, memory, number):
    """A one and the number of the round."""
    return np.ones(1), np.array([number])


def add_up(federation, index, rounds):
    party = party_of(federation, index, np.ones((2, 2)))
    return [int(party.sum(count_ones, number, total=9.0)[1][0]) for number in range(rounds)]


def run(federation, rounds):
    programs = [lambda i=i: add_up(federation, i, rounds) for i in range(3)]
    assert all_good(together(*programs)) == [[3 * number for number in range(rounds)]] * 3


def rounds_of(federation, event, index=1):
    lines = read_ledger(federation.folder_of(index))
    return sorted({line["round"] for line in lines if line["event"] == event})


def lose_ledger(folder):
    for name in (NAME, HEAD):
        (folder / name).unlink()


LOST = {"its folder": shutil.rmtree, "its ledger": lose_ledger}


@pytest.mark.parametrize("lose", LOST.values(), ids=LOST.keys())
def test_what_others_know_already_is_replayed_and_doesnt_leave(tmp_path, lose):
    federation = Federation(tmp_path)
    run(federation, BEFORE)
    lose(federation.folder_of(1))
    run(federation, AFTER)
    sent = {round_ for (_, round_), _ in federation.sent(1)[BEFORE:]}
    assert rounds_of(federation, "left") == sorted(sent) == list(range(BEFORE + 1, AFTER + 1))
    assert rounds_of(federation, "replayed") == list(range(1, BEFORE + 1))
    assert rounds_of(federation, "came") == list(range(1, AFTER + 1))
    faults = verify_ledger(federation.folder_of(1), federation.session).faults
    assert len(faults) == BEFORE
    assert all("what left in it was written in a ledger that isn't here" in each for each in faults)


def test_whoever_has_its_ledger_writes_nothing_twice(tmp_path):
    federation = Federation(tmp_path)
    run(federation, BEFORE)
    run(federation, AFTER)
    for index in range(3):
        assert rounds_of(federation, "replayed", index) == []
        assert rounds_of(federation, "left", index) == list(range(1, AFTER + 1))
        lines = list(read_ledger(federation.folder_of(index)))
        assert len(lines) == 2 + 3 * AFTER, "two hellos; two arrays and a total in each round"
        assert verify_ledger(federation.folder_of(index), federation.session).is_sound


STEPS = ["ledger hello", "ledger left", "say sum", "heard sum", "heard agree", "ledger came"]


@pytest.mark.parametrize("step", STEPS)
def test_a_ledger_is_whole_wherever_its_party_is_killed(tmp_path, monkeypatch, step):
    federation = Federation(tmp_path)
    plan = Plan(monkeypatch, ("party1", step, 1 if step.endswith("hello") else 3))

    def killed():
        while True:
            try:
                return add_up(federation, 1, 4)
            except Crash:
                verdicts.append(verify_ledger(federation.folder_of(1), federation.session))

    verdicts = []
    programs = [lambda: add_up(federation, 0, 4), killed, lambda: add_up(federation, 2, 4)]
    all_good(together(*programs))
    assert set(plan.left.values()) <= {0, -1, -2, -3, -4, -5, -6}
    for index in range(3):
        verdicts.append(verify_ledger(federation.folder_of(index), federation.session))
    assert [verdict.faults for verdict in verdicts] == [()] * 4


def test_a_crash_between_a_line_and_its_hash_is_no_fault(tmp_path):
    federation = Federation(tmp_path)
    run(federation, 2)
    folder = federation.folder_of(1)
    kept = (folder / HEAD).read_bytes()
    Ledger(folder).leaving(3, count_ones, *_layout())
    (folder / HEAD).write_bytes(kept)
    assert verify_ledger(folder, federation.session).is_sound
    run(federation, 3)
    assert verify_ledger(folder, federation.session).is_sound


def _layout():
    from chatham.commons.fixed_point import pack

    parts = (np.ones(1),)
    return pack(parts, [40], 3)[0], parts


def test_two_ledgers_of_one_folder_write_one_chain(tmp_path):
    """As where two commons of one party were made one after the other."""
    federation = Federation(tmp_path)
    run(federation, 1)
    folder = federation.folder_of(1)
    one, other = Ledger(folder), Ledger(folder)
    layout, parts = _layout()
    for number, ledger in enumerate((one, other, one, one, other), 2):
        ledger.leaving(number, count_ones, layout, parts)
    assert verify_ledger(folder, federation.session).is_sound
