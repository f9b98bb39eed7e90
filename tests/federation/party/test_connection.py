import threading

import numpy as np
import pytest

from tests.federation.moments import watch
from tests.federation.parties import Crash, Federation, all_good, play, sum_of, together

ROUNDS = 4
PARTY_STEPS = [
    "say hello",
    "heard hello",
    "say shares",
    "heard shares",
    "say confirm",
    "heard confirm",
    "say sum",
    "heard sum",
    "write .total",
    "rename .total",
    "say agree",
    "heard agree",
    "write .agreed",
    "rename .agreed",
    "apply",
]
RELAY_STEPS = [
    "relay hello",
    "relay shares",
    "relay confirm",
    "relay sum",
    "relay written",
    "relay renamed",
    "relay kept",
    "relay agree",
]


class Plan:
    """Crash a thread, once, when it reaches a step for the n-th time."""

    def __init__(self, monkeypatch, *crashes):
        self.left = {(who, step): n for who, step, n in crashes}
        self.lock = threading.Lock()
        watch(self, monkeypatch.setattr)

    def __call__(self, step):
        who = "relay" if step.startswith("relay") else threading.current_thread().name
        with self.lock:
            if (who, step) not in self.left:
                return
            self.left[who, step] -= 1
            crashes = self.left[who, step] == 0
        if crashes:
            raise Crash


def restarted(federation, index, rounds=ROUNDS, finish=False, **more):
    """A party's program, started again whenever it is killed."""

    def run():
        while True:
            try:
                return play(federation.connect(index, **more), rounds, finish=finish)
            except Crash:
                continue

    return run


def run_all(federation, rounds=ROUNDS):
    programs = [restarted(federation, i, rounds) for i in range(federation.parties)]
    return all_good(together(*programs))


def check(federation, totals, redone=1, rounds=ROUNDS):
    """Every party has every sum, one round is done again at most, and no mask is used twice."""
    expected = [sum_of(federation.parties, r) for r in range(1, rounds + 1)]
    for index in range(federation.parties):
        np.testing.assert_array_equal(totals[index], expected)
        assert federation.redone(index) <= redone
        said = {}
        for key, body in federation.sent(index):
            assert said.setdefault(key, body) == body


@pytest.mark.parametrize("parties", [2, 3, 9])
def test_sums_are_exact_at_every_party(tmp_path, parties):
    federation = Federation(tmp_path, parties)
    check(federation, run_all(federation), redone=0)


@pytest.mark.parametrize("who", range(3))
@pytest.mark.parametrize("step", PARTY_STEPS)
def test_a_party_killed_at_any_step_comes_back(tmp_path, monkeypatch, step, who):
    once = step.endswith(("hello", "shares", "confirm"))
    for n in [1] if once else [2, ROUNDS, ROUNDS + 1]:
        folder = tmp_path / str(n)
        plan = Plan(monkeypatch, (f"party{who}", step, n))
        federation = Federation(folder)
        check(federation, run_all(federation))
        assert plan.left[f"party{who}", step] <= 0 or (step, n) in NEVER


NEVER = {("say sum", ROUNDS + 1), ("heard sum", ROUNDS + 1), ("apply", ROUNDS + 1)}
"""Without a crash there are as many sums as rounds; totals and agreements have the roll besides."""


@pytest.mark.parametrize("step", RELAY_STEPS)
def test_a_relay_killed_at_any_step_comes_back(tmp_path, monkeypatch, step):
    for n in (1, 2, 3, 5, 6):
        plan = Plan(monkeypatch, ("relay", step, n))
        federation = Federation(tmp_path / str(n))
        check(federation, run_all(federation), redone=0)
        assert federation.relay.starts == 2 or plan.left["relay", step] > 0
        assert n > 3 or federation.relay.starts == 2


PAIRS = [
    (["party1", "say agree", ROUNDS + 1], ["party2", "say hello", 2]),
    (["party0", "say sum", 2], ["party1", "say sum", 2]),
    (["party0", "say agree", 3], ["party1", "heard sum", 2]),
    (["party0", "say agree", 3], ["party1", "heard agree", 3]),
    (["party1", "rename .agreed", 3], ["party2", "say hello", 1]),
    (["party1", "heard sum", 2], ["party1", "say confirm", 2]),
    (["party1", "heard sum", 2], ["party2", "heard hello", 2]),
    (["party1", "heard sum", 2], ["party2", "say shares", 2]),
    (["party0", "heard shares", 1], ["party1", "heard confirm", 1]),
    (["relay", "relay kept", 2], ["party0", "heard sum", 2]),
    (["relay", "relay agree", 5], ["party2", "say agree", 3]),
    (["relay", "relay hello", 4], ["party1", "write .total", 3]),
    (["relay", "relay renamed", 1], ["party1", "heard agree", ROUNDS + 1]),
]


@pytest.mark.parametrize(
    "crashes", PAIRS, ids=lambda pair: "+".join(f"{w} {s}" for w, s, _ in pair)
)
def test_two_crashes_at_once(tmp_path, monkeypatch, crashes):
    Plan(monkeypatch, *crashes)
    federation = Federation(tmp_path)
    check(federation, run_all(federation), redone=2)


@pytest.mark.parametrize("step", [s for s in PARTY_STEPS if s != "apply"])
def test_all_parties_killed_at_the_same_step(tmp_path, monkeypatch, step):
    n = 1 if step.endswith(("hello", "shares", "confirm")) else 3
    plan = Plan(monkeypatch, *((f"party{i}", step, n) for i in range(3)))
    federation = Federation(tmp_path)
    check(federation, run_all(federation), redone=3)
    assert any(left <= 0 for left in plan.left.values())


@pytest.mark.parametrize("seed", range(12))
def test_crashes_anywhere_at_any_time(tmp_path, monkeypatch, seed):
    rng = np.random.default_rng(seed)
    crashes = [
        (f"party{rng.integers(3)}", rng.choice(PARTY_STEPS), rng.integers(1, 7)) for _ in range(6)
    ]
    crashes += [("relay", rng.choice(RELAY_STEPS), rng.integers(1, 9)) for _ in range(3)]
    Plan(monkeypatch, *crashes)
    federation = Federation(tmp_path)
    check(federation, run_all(federation), redone=6)
