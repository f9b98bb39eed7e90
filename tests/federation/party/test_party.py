"""Learners between parties, and parties whose machines differ in the last bit."""

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.commons import Simulated
from chatham.errors import ChangedError, InputError, ProtocolError, Refused
from chatham.federation.party.ledger import Ledger, read_ledger
from chatham.federation.party.party import Party
from chatham.federation.party.voice import MISTAKEN
from chatham.federation.relay.board import Adding
from tests.conftest import plant, split
from tests.federation.parties import Crash, Federation, all_good, together
from tests.federation.party.test_connection import Plan


def party_of(federation, index, rows, about=b"", **more):
    ledger = Ledger(federation.folder_of(index))
    return Party(rows, federation.connect(index, **more), ledger, about)


def secrets_of(federation):
    return [one.derive(b"rows" + federation.session.hash) for one in federation.identities]


def corpus(parties):
    counts, _, _ = plant(n=60, d=20, k=3, length=40)
    return split(sp.csr_array(counts), parties)


LEARNERS = {
    "kmeans": lambda: ch.KMeans(3, init="random", max_iter=4, random_state=0),
    "nmf": lambda: ch.NMF(3, init="random", max_iter=6, random_state=0),
    "plsa": lambda: ch.PLSA(3, max_iter=6, random_state=0),
    "lda": lambda: ch.LDA(3, max_iter=6, random_state=0),
}


def fitted(federation, index, rows, make, **more):
    return make().fit(party_of(federation, index, rows, **more)).components_


@pytest.mark.parametrize("parties", [3, 9])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_between_parties_equals_the_simulation_bit_for_bit(tmp_path, name, parties):
    federation, rows = Federation(tmp_path, parties), corpus(parties)
    programs = [lambda i=i: fitted(federation, i, rows[i], LEARNERS[name]) for i in range(parties)]
    found = all_good(together(*programs))
    simulated = Simulated(rows, secure=True, secrets=secrets_of(federation))
    expected = LEARNERS[name]().fit(simulated).components_
    for components in found:
        assert components.tobytes() == expected.tobytes()


def test_where_all_know_of_exact_totals_k_means_is_the_exact_simulation(tmp_path):
    federation, rows = Federation(tmp_path, exact_totals_know=True), corpus(3)
    programs = [lambda i=i: fitted(federation, i, rows[i], LEARNERS["kmeans"]) for i in range(3)]
    found = all_good(together(*programs))
    secrets = secrets_of(federation)
    exact = Simulated(rows, secure=True, secrets=secrets, exact_totals=True)
    expected = LEARNERS["kmeans"]().fit(exact).components_
    assert {components.tobytes() for components in found} == {expected.tobytes()}
    noised = LEARNERS["kmeans"]().fit(Simulated(rows, secure=True, secrets=secrets)).components_
    assert np.abs(noised - expected).max() > 1e-3


def test_what_leaves_a_party_is_noised_and_the_ledger_says_so(tmp_path):
    """The party's own record has what it sent, and that isn't what it computed."""
    federation, rows = Federation(tmp_path), corpus(3)

    def run(index):
        ledger = Ledger(federation.folder_of(index), plain=True)
        return LEARNERS["kmeans"]().fit(Party(rows[index], federation.connect(index), ledger))

    all_good(together(*(lambda i=i: run(i) for i in range(3))))
    lines = list(read_ledger(federation.folder_of(0)))
    (start,) = [line for line in lines if "add_random_groups" in str(line.get("statistic"))]
    assert "noise is added" in start["meaning"]
    sent = np.load(federation.folder_of(0) / "plain" / f"{start['round']:06d}-0.npy")
    assert (sent < 0).any()  # no sum of documents is
    assert start["bits"] == 7


@pytest.mark.parametrize("name", ["nmf", "lda", "kmeans"])
def test_a_party_killed_during_a_fit_finds_the_same_model(tmp_path, monkeypatch, name):
    federation, rows = Federation(tmp_path), corpus(3)
    Plan(monkeypatch, ("party1", "heard sum", 3), ("party2", "quantise", 5))

    def run(index):
        while True:
            try:
                return fitted(federation, index, rows[index], LEARNERS[name])
            except Crash:
                continue

    found = all_good(together(*(lambda i=i: run(i) for i in range(3))))
    simulated = Simulated(rows, secure=True, secrets=secrets_of(federation))
    expected = LEARNERS[name]().fit(simulated).components_
    assert {components.tobytes() for components in found} == {expected.tobytes()}


def test_the_ledger_has_what_crossed(tmp_path):
    federation, rows = Federation(tmp_path), corpus(3)
    all_good(
        together(*(lambda i=i: fitted(federation, i, rows[i], LEARNERS["plsa"]) for i in range(3)))
    )
    lines = list(read_ledger(federation.folder_of(0)))
    left = [line for line in lines if line["event"] == "left"]
    sent = federation.sent(0)
    assert sorted({line["round"] for line in left}) == [round_ for (_, round_), _ in sent]
    assert sum(line["bytes"] for line in left) == sum(len(body) - 16 for _, body in sent)
    assert all(line["meaning"] for line in left)


# -- parties that don't compute the same


def add_state(rows, memory, state, *more):
    """The state, weighted by my number of rows."""
    return state * rows.shape[0]


def add_two(rows, memory, state):
    """Two numbers."""
    return np.zeros(2)


def add_whole(rows, memory, state):
    """Two whole numbers."""
    return np.zeros(2, dtype=np.int64)


def add_three(rows, memory, state):
    """Three numbers."""
    return np.zeros(3)


@pytest.mark.parametrize("other", [add_three, add_whole, add_state])
def test_other_shapes_kinds_or_statistics_are_refused(tmp_path, other):
    assert not unlike(
        tmp_path, lambda party, i: party.sum(other if i == 1 else add_two, np.ones(2), total=9.0)
    )


def test_another_vocabulary_is_refused(tmp_path):
    assert not unlike(
        tmp_path,
        lambda party, i: party.sum(add_two, np.ones(2), total=9.0),
        lambda i: bytes([i == 1]),
    )


def test_a_relay_that_adds_up_unlike_things_doesnt_help(tmp_path, monkeypatch):
    monkeypatch.setattr(Adding, "check", lambda self, frame: None)
    errors = unlike(
        tmp_path,
        lambda party, i: party.sum(add_whole if i == 1 else add_two, np.ones(2), total=9.0),
    )
    assert any("is summing other statistics than I am" in str(error) for error in errors)


def unlike(tmp_path, program, about=lambda i: b""):
    """The errors of parties that don't do the same; no sum came of it. Whoever sees that waits."""
    federation, errors = Federation(tmp_path), []
    over = []

    def run(index):
        party = party_of(federation, index, np.ones((2, 2)), about(index))
        party.connection._voice._tell = leave
        try:
            program(party, index)
        except ProtocolError as error:
            errors.append(error)
            over.append(index)
        except Crash:
            pass
        else:
            raise AssertionError("a sum of unlike things")

    def leave(told):
        if told.kind == MISTAKEN:
            over.append(told)
        if over:
            raise Crash

    all_good(together(*(lambda i=i: run(i) for i in range(3))))
    return errors


def test_a_message_larger_than_the_session_allows_is_refused(tmp_path):
    federation = Federation(tmp_path, largest_message=24)

    def run(index):
        with pytest.raises(Refused, match="longer than 24") as caught:
            party_of(federation, index, np.ones((2, 2))).sum(add_two, np.ones(2), total=9.0)
        return caught.value.why

    assert all_good(together(*(lambda i=i: run(i) for i in range(3)))) == ["size"] * 3


def test_numbers_that_no_sum_can_hold_stay_here(tmp_path):
    federation = Federation(tmp_path)

    def run(index):
        party = party_of(federation, index, np.ones((2, 2)))
        with pytest.raises(InputError, match="NaN or infinity"):
            party.sum(add_state, np.array([1.0, np.nan]), total=9.0)

    all_good(together(*(lambda i=i: run(i) for i in range(3))))
    assert not any(federation.sent(i) for i in range(3))


# -- machines that differ in the last bit


def drift(federation, index, nudge, rounds=4, **more):
    """A program whose state comes out a little different on each machine."""
    party = party_of(federation, index, np.ones((index + 1, 2)), **more)
    state = np.array([0.1, -0.0, 1e-300])
    seen = []
    for number in range(rounds):
        total = party.sum(add_state, state, 1.5, "text", total=99.0)
        state = total / 6 + (1e-6 if nudge and index and number % 2 else 0)
        seen.append(total)
    return seen


def same_everywhere(results):
    assert len({np.array(seen).tobytes() for seen in results}) == 1
    return results[0]


def test_a_machine_that_says_it_is_alike_and_isnt_stops(tmp_path):
    """The others, who agree, wait for it."""
    federation, waiting = Federation(tmp_path), []

    def leave(told):
        if told.kind == MISTAKEN:
            waiting.append(told.waiting)
            raise Crash

    def run(index):
        with pytest.raises(Crash if index else ChangedError):
            drift(federation, index, nudge=True, tell=leave)

    all_good(together(*(lambda i=i: run(i) for i in range(3))))
    assert waiting == [["P0"], ["P0"]]


def test_machines_that_differ_go_on_from_the_first_partys_state(tmp_path):
    federation = Federation(tmp_path / "unlike")
    programs = [lambda i=i: drift(federation, i, True, numerics=bytes([i] * 32)) for i in range(3)]
    found = same_everywhere(all_good(together(*programs)))
    alike = Federation(tmp_path / "alike")
    expected = all_good(together(*(lambda i=i: drift(alike, i, False) for i in range(3))))
    np.testing.assert_array_equal(found, same_everywhere(expected))
    lines = [line for line in read_ledger(federation.folder_of(2)) if line["event"] == "left"]
    told = [line["statistic"].rsplit(".")[-1] for line in lines]
    assert told == ["hash_state", "add_state"] * 2 + ["hash_state", "first_state", "add_state"] + [
        "hash_state",
        "add_state",
    ]


@pytest.mark.parametrize("name", ["lda", "kmeans"])
def test_machines_that_differ_in_name_only_do_the_same(tmp_path, name):
    rows = corpus(3)
    federation = Federation(tmp_path)
    programs = [
        lambda i=i: fitted(federation, i, rows[i], LEARNERS[name], numerics=bytes([i] * 32))
        for i in range(3)
    ]
    simulated = Simulated(rows, secure=True, secrets=secrets_of(federation))
    expected = LEARNERS[name]().fit(simulated).components_
    for components in all_good(together(*programs)):
        assert components.tobytes() == expected.tobytes()


CAUTIOUS_STEPS = ["quantise", "say sum", "heard sum", "say agree", "heard agree", "apply"]


@pytest.mark.parametrize("step", CAUTIOUS_STEPS)
@pytest.mark.parametrize("who", range(3))
def test_a_crash_in_cautious_mode_at_any_round(tmp_path, monkeypatch, who, step):
    """In the comparing round, in the one that gives the first party's state, and in the sum."""
    found = []
    for n in range(4, 9):
        federation = Federation(tmp_path / str(n))
        plan = Plan(monkeypatch, (f"party{who}", step, n))

        def run(index, federation=federation):
            while True:
                try:
                    return drift(federation, index, True, numerics=bytes([index] * 32))
                except Crash:
                    continue

        found.append(same_everywhere(all_good(together(*(lambda i=i: run(i) for i in range(3))))))
        assert plan.left[f"party{who}", step] <= 0
        assert max(federation.redone(i) for i in range(3)) <= 1
        np.testing.assert_array_equal(found[-1], found[0])


def test_a_party_that_moves_to_another_machine_goes_on(tmp_path, monkeypatch):
    """The roll says how the session is done, not who is there today."""
    federation = Federation(tmp_path)
    Plan(monkeypatch, ("party1", "heard sum", 2))

    def moved():
        try:
            return drift(federation, 1, False)
        except Crash:
            return drift(federation, 1, False, numerics=bytes([9] * 32))

    others = [lambda i=i: drift(federation, i, False) for i in (0, 2)]
    same_everywhere(all_good(together(others[0], moved, others[1])))
