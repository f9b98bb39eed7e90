"""Contributions leave a fixed pace after the total before: by a clock that the test holds."""

import threading

import numpy as np
import pytest

from chatham.commons import Simulated
from chatham.errors import CheckpointError
from chatham.federation.party.pace import NAME, Pace
from chatham.federation.session import LONGEST_PACE
from tests.federation.parties import ABOUT, STATE, Federation, InsideLink, all_good, play, together
from tests.federation.party.test_connection import ROUNDS, Plan, check, restarted
from tests.federation.party.test_party import LEARNERS, corpus, fitted, secrets_of

WORDS = np.arange(3, dtype=np.uint64)


class Clock:
    """Time passes when somebody works or sleeps, and never by itself."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now

    def work(self, seconds):
        self.now += seconds


@pytest.fixture
def clock():
    return Clock()


def pace_of(tmp_path, clock, milliseconds=250):
    return Pace(milliseconds, tmp_path, clock, clock.work)


def left_after(pace, clock, seconds, masking=0.0):
    """When a contribution leaves that takes so long, and whether it says that it is late."""
    begun = clock.now
    pace.begin()
    clock.work(seconds)
    marked = pace.marked(WORDS)
    clock.work(masking)
    pace.wait()
    np.testing.assert_array_equal(marked[:-1], WORDS)
    return round(clock.now - begun, 9), int(marked[-1])


def test_whoever_is_ready_in_time_leaves_on_time(tmp_path, clock):
    pace = pace_of(tmp_path, clock)
    assert {left_after(pace, clock, seconds) for seconds in (0.001, 0.1, 0.2, 0.25)} == {(0.25, 0)}


@pytest.mark.parametrize(
    ("seconds", "leaves"), [(0.26, 0.5), (0.5, 0.5), (0.51, 1.0), (0.9, 1.0), (7.0, 8.0)]
)
def test_whoever_isnt_says_so_and_leaves_at_a_time_that_says_little(
    tmp_path, clock, seconds, leaves
):
    assert left_after(pace_of(tmp_path, clock), clock, seconds) == (leaves, 1)


def test_masking_that_takes_too_long_is_said_in_the_next_round(tmp_path, clock):
    pace = pace_of(tmp_path, clock)
    assert left_after(pace, clock, 0.2, masking=0.1) == (0.5, 0)
    assert left_after(pace, clock, 0.1) == (0.25, 1)
    assert left_after(pace, clock, 0.1) == (0.25, 0)
    assert left_after(pace, clock, 0.3, masking=0.1) == (0.5, 1)
    assert left_after(pace, clock, 0.1) == (0.25, 0)


def test_all_double_it_once_for_a_round_in_which_any_was_late(tmp_path, clock):
    pace = pace_of(tmp_path, clock)
    for total, round_, seconds in (
        (0, 1, 0.25),
        (1, 2, 0.5),
        (3, 2, 0.5),
        (2, 3, 1.0),
        (0, 4, 1.0),
    ):
        words = np.append(WORDS, np.uint64(total))
        np.testing.assert_array_equal(pace.unmarked(words, round_), WORDS)
        assert pace.seconds == seconds
    assert pace_of(tmp_path, clock).seconds == 1.0  # after a restart too


def test_there_is_a_longest(tmp_path, clock):
    pace = pace_of(tmp_path, clock, 1)
    for round_ in range(1, 40):
        pace.unmarked(np.append(WORDS, np.uint64(1)), round_)
    assert pace.seconds == LONGEST_PACE / 1000


@pytest.mark.parametrize("content", [b"", b"x y", b"1", b"-3 -4", b"9" * 5000, b"99 7", b"\xff"])
def test_a_damaged_file_only_costs_a_few_doublings(tmp_path, clock, content):
    (tmp_path / NAME).write_bytes(content)
    assert 0.25 <= pace_of(tmp_path, clock).seconds <= LONGEST_PACE / 1000


def test_a_pace_that_cant_be_noted_is_told(tmp_path, clock):
    pace = pace_of(tmp_path / "nowhere", clock)
    with pytest.raises(CheckpointError, match="pace can't be written"):
        pace.unmarked(np.append(WORDS, np.uint64(1)), 1)


def test_without_a_pace_nothing_waits_and_nothing_is_added(tmp_path, clock):
    pace = pace_of(tmp_path, clock, 0)
    pace.begin()
    clock.work(5)
    assert pace.marked(WORDS) is WORDS
    pace.wait()
    assert pace.unmarked(WORDS, 1) is WORDS
    assert clock.now == 1005
    assert not list(tmp_path.iterdir())


# -- between parties


class Paced(Federation):
    """Parties that compute in no time, unless `slow(party, round)` says how long it takes."""

    def __init__(self, folder, slow=lambda party, round_: 0.0, **more):
        self.slow, self.clocks = slow, {}
        super().__init__(folder, **{"pace": 250, **more})

    def connect(self, index, **more):
        connection = super().connect(index, **more)
        clock = self.clocks[index] = Clock()
        connection._pace.clock, connection._pace.sleep = clock, clock.work
        real = connection.round

        def round_(*arguments):
            clock.work(self.slow(index, connection.opened + 1))
            return real(*arguments)

        connection.round = round_
        return connection


def met(federation):
    """The program of each party, whose first step is computed after they have met."""

    def program(index):
        connection = federation.connect(index)
        assert not connection.machines_differ
        return play(connection, ROUNDS), connection._pace.seconds

    return all_good(together(*(lambda i=i: program(i) for i in range(federation.parties))))


def test_one_who_is_late_doubles_everybodys_pace_and_changes_no_total(tmp_path):
    federation = Paced(tmp_path, lambda party, round_: 0.3 * (party == 1 and round_ == 2))
    results = met(federation)
    check(federation, [totals for totals, _ in results], redone=0)
    assert [seconds for _, seconds in results] == [0.5] * 3


def test_records_are_those_without_a_pace(tmp_path):
    """A round that is repeated may find other clocks: its total must be the same."""
    slow, kept = lambda party, round_: 0.3 * (party == 0), []
    for pace in (0, 250):
        federation = Paced(tmp_path / str(pace), slow, pace=pace)
        check(federation, [totals for totals, _ in met(federation)], redone=0)
        folder = federation.folder_of(2) / "rounds"
        files = sorted(folder.glob("*.total"))[1:]  # the roll has a fresh secret
        kept.append([file.read_bytes().split(b"\n", 1)[1] for file in files])
    assert kept[0] == kept[1]


@pytest.mark.parametrize(
    "step", ["say sum", "heard sum", "write .total", "say agree", "heard agree"]
)
@pytest.mark.parametrize("late", [0, 1])
def test_a_party_killed_in_a_round_in_which_somebody_is_late(tmp_path, monkeypatch, step, late):
    """When it comes back its clock says something else; nobody minds."""
    Plan(monkeypatch, ("party1", step, 3))
    federation = Paced(tmp_path, lambda party, round_: 0.3 * (party == late and round_ == 2))
    programs = [restarted(federation, i) for i in range(3)]
    check(federation, all_good(together(*programs)))


def test_a_learner_finds_the_bits_of_the_simulation(tmp_path):
    rows = corpus(3)
    federation = Paced(tmp_path, lambda party, round_: 0.2 * party)
    programs = [lambda i=i: fitted(federation, i, rows[i], LEARNERS["nmf"]) for i in range(3)]
    simulated = Simulated(rows, secure=True, secrets=secrets_of(federation))
    expected = LEARNERS["nmf"]().fit(simulated).components_
    for components in all_good(together(*programs)):
        assert components.tobytes() == expected.tobytes()


def test_the_number_is_masked_like_the_others(tmp_path):
    """One word more in every contribution, and what the relay sees of it isn't 0 or 1."""
    plain, paced = Paced(tmp_path / "plain", pace=0), Paced(tmp_path / "paced")
    for federation in (plain, paced):
        met(federation)
    lengths = [{len(body) for i in range(3) for _, body in f.sent(i)} for f in (plain, paced)]
    ((plain_length,), (paced_length,)) = lengths
    assert paced_length == plain_length + 8
    marks = [np.frombuffer(body, "<u8")[-3] for i in range(3) for _, body in paced.sent(i)]
    assert min(marks) > 2**20
    assert len(set(marks)) == len(marks)


def test_a_contribution_leaves_only_after_the_pace(tmp_path):
    """Seen from the link, on each party's own clock, for the first round as for all others."""
    left, lock = {}, threading.Lock()

    class Watched(InsideLink):
        def say(self, frame, body):
            if frame.kind == "sum":
                with lock:
                    left.setdefault((frame.party, frame.round), federation.clocks[frame.party].now)
            return super().say(frame, body)

    federation = Paced(tmp_path, lambda party, round_: 0.01 + 0.1 * party, link=Watched)
    met(federation)
    for party in range(3):
        times = [left[party, round_] for round_ in range(1, ROUNDS + 1)]
        np.testing.assert_allclose(np.diff([1000.0, *times]), 0.25)


def test_about_and_state_are_as_they_were(tmp_path):
    federation = Paced(tmp_path, parties=2)
    connections = [federation.connect(i) for i in range(2)]
    totals = all_good(together(*(lambda c=c: c.round(WORDS, ABOUT, STATE) for c in connections)))
    np.testing.assert_array_equal(totals[0], 2 * WORDS)
