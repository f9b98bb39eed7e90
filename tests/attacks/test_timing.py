"""The relay ranks parties by how long they take: the leak that a pace closes.

A relay sees when all have a total, and when each party's next contribution comes. The more
documents a party has, the longer it computes. The attack guesses the order of the parties by size
from the order in which contributions come, in each round; guessing blindly, one in six rounds of
three parties is right.

On a clock that the test holds this is exact, and part of `make test`. Between real processes the
clock is the machine's, so `make torture` measures it, and no time is asserted.
"""

import os
import time
from functools import partial
from multiprocessing import get_context

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.federation.book import save_identity
from chatham.federation.relay import service
from chatham.federation.relay.board import Board
from tests.conftest import plant
from tests.federation.parties import InsideLink, http_relay
from tests.federation.party.test_pace import Paced, met

DOCUMENTS = (12_000, 3_000, 800)
"""How many each party has; the roster isn't sorted by them."""
ORDER = (1, 2, 0)
"""The party with the most documents, the second, the third."""


def ranked(times):
    """The share of rounds in which contributions come in the order of the parties' documents:
    `times[round][party]` is when one came after the total before."""
    right = [tuple(np.argsort(round_, kind="stable")[::-1]) == ORDER for round_ in times]
    return sum(right) / len(right)


# -- on a clock that the test holds


def test_a_pace_makes_all_contributions_leave_at_the_same_time(tmp_path):
    """50 µs a document, and a machine that is now and then busy with something else."""
    noise, sizes = np.random.default_rng(0).exponential(0.1, (3, 100)), by_party(DOCUMENTS)

    def computing(party, round_):
        return 50e-6 * sizes[party] + noise[party, round_]

    assert ranked(seen(tmp_path / "plain", computing, pace=0)) == 1.0
    times = seen(tmp_path / "paced", computing, pace=1500)
    assert (times == 1.5).all(), "the relay sees nothing but the pace"


def seen(folder, computing, pace):
    """When contributions come, in each round and from each party, after the total before."""
    came = {}

    class Watched(InsideLink):
        def say(self, frame, body):
            if frame.kind == "sum":
                came.setdefault((frame.party, frame.round), federation.clocks[frame.party].now)
            return super().say(frame, body)

    federation = Paced(folder, computing, link=Watched, pace=pace)
    met(federation)
    rounds = sorted({number for _, number in came})
    clocks = [[1000.0, *(came[party, number] for number in rounds)] for party in range(3)]
    return np.round(np.diff(clocks, axis=1).T, 9)


def by_party(documents):
    return [documents[ORDER.index(party)] for party in range(3)]


# -- between real processes

ROUNDS = 60


class Timed(Board):
    """A board that remembers when contributions came, and when all had signed the total before."""

    def __init__(self, *args):
        super().__init__(*args)
        self.signed, self.came = {}, {}

    def check(self, frame):
        super().check(frame)
        if frame.kind == "sum":
            self.came.setdefault((frame.round, frame.party), time.monotonic())

    def answer(self, frame):
        answer = super().answer(frame)
        if frame.kind == "agree" and answer is not None:
            self.signed.setdefault(frame.round, time.monotonic())
        return answer

    def times(self):
        """For each round, how long each party took, in seconds."""
        rounds = sorted({number for number, _ in self.came} & {n + 1 for n in self.signed})
        return [
            [self.came[number, party] - self.signed[number - 1] for party in range(3)]
            for number in rounds
        ]


def taking_part(session, documents, key, folder):
    """A party's process: sweeps of LDA over so many documents."""
    counts, _, _ = plant(n=documents, d=1000, k=10, length=60, seed=documents)
    party = ch.join(session, sp.csr_array(counts), key=key, folder=folder)
    ch.LDA(10, max_iter=ROUNDS, random_state=0, n_jobs=1).fit(party)
    party.connection.finish()


def timed(folder, monkeypatch, pace):
    """What the relay sees of one fit."""
    boards = []
    monkeypatch.setattr(service, "Board", lambda *args: boards.append(Timed(*args)) or boards[-1])
    processes = get_context("spawn")
    with http_relay(partial(app_of, folder), pace=pace) as (session, identities):
        children = []
        for party, documents in enumerate(by_party(DOCUMENTS)):
            save_identity(identities[party], folder / f"{party}.key")
            place = folder / str(party)
            given = (session, documents, folder / f"{party}.key", place)
            children.append(processes.Process(target=taking_part, args=given))
            children[-1].start()
        for child in children:
            child.join()
            assert child.exitcode == 0
    return boards[0].times()


def app_of(folder, session):
    return service.relay_app([session], folder / "relay")


@pytest.mark.skipif(
    not os.environ.get("CHATHAM_TORTURE"), reason="minutes on a machine of one's own: make torture"
)
@pytest.mark.parametrize("pace", [0, 250, 1000])
def test_what_the_relay_ranks_between_real_processes(tmp_path, monkeypatch, pace, capsys):
    times = timed(tmp_path, monkeypatch, pace)
    half = times[len(times) // 2 :]  # with a pace: after the last doubling
    with capsys.disabled():
        medians = (1000 * np.median(half, axis=0)[list(ORDER)]).round().astype(int).tolist()
        print(
            f"\npace {pace} ms: {ranked(times):.0%} of {len(times)} rounds ranked rightly, "
            f"{ranked(half):.0%} of the last {len(half)}; medians of {medians} ms for parties of "
            f"{DOCUMENTS} documents"
        )
    assert len(times) >= ROUNDS
