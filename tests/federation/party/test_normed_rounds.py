"""Normed sums of real parties: direct links for the sum, the relay to make sure of it."""

import json
import threading
import time

import numpy as np
import pytest

pytest.importorskip("mpyc")
pytest.importorskip("uvicorn")

import uvicorn

from chatham.errors import CheckpointError, InputError
from chatham.federation.party.ledger import read_ledger
from chatham.federation.party.normed_rounds import TRIED, Tries, checked
from chatham.federation.party.verifying import verify_ledger
from chatham.federation.relay.service import relay_app
from tests.federation.normed.direct import free_ports, outputs, roster
from tests.federation.normed.normed_fit import rows_of


@pytest.fixture
def made(tmp_path):
    """A roster with a relay that runs."""
    (port,) = free_ports(1)
    found = roster(3, tmp_path, relay=f"http://127.0.0.1:{port}")
    for index, identity in enumerate(found.identities):
        identity.save(tmp_path / f"identity-{index}")
    app = relay_app([found.session], tmp_path / "relay")
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield found
    server.should_exit = True
    thread.join()


def start(made, index, *options):
    return made.start(index, *options, program="tests.federation.normed.normed_fit")


def check(made, sums):
    pooled = np.vstack([rows_of(index) for index in range(3)])
    vector = np.ones(pooled.shape[1])
    found = [made.results(index)["vectors"] for index in range(3)]
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])
    assert len(found[0]) == sums
    for step in found[0]:
        vector = pooled.T @ (pooled @ vector)
        vector /= np.linalg.norm(vector)
        assert np.abs(step - vector).max() < 1e-8
    for index in range(3):
        assert verify_ledger(made.folder / f"party-{index}", made.session).faults == ()


def test_power_iterations_of_three_parties_equal_pooled_ones(made):
    assert outputs([start(made, index) for index in range(3)]) == [""] * 3
    check(made, sums=3)
    assert outputs([start(made, 2, "links")]) == [""], "what was found is on disk"
    check(made, sums=3)
    lines = list(read_ledger(made.folder / "party-0"))
    assert lines.pop(0)["event"] == "hello"
    assert [(line["event"], line["round"]) for line in lines] == [
        (event, 2 * number + round_)
        for number in range(3)
        for round_, event in ((1, "left"), (1, "came"), (2, "left"), (2, "left"), (2, "came"))
    ]
    steps = [line["statistic"].rpartition(".")[2] for line in lines if line["event"] == "left"]
    assert steps == ["be_here", "power_step", "found_direction"] * 3
    left = [line for line in lines if line.get("attempt") == 1]
    assert len(left) == 3
    assert all("singular" in line["meaning"] for line in left)
    shares = ": as secret shares over direct links; then the direction, masked."
    assert all(line["meaning"].endswith(shares) for line in left)


@pytest.mark.parametrize("moment", ["within", "after"])
def test_a_party_that_dies_comes_back_and_all_find_the_same(made, moment):
    """It dies in the middle of its second sum, or when all others have found it."""
    running = [start(made, index) for index in (0, 1)]
    dying = start(made, 2, moment)
    assert outputs([dying]) == ["dying\n"]
    assert outputs([*running, start(made, 2)]) == [""] * 3
    check(made, sums=3)


def test_how_often_a_sum_was_tried_is_read_again(tmp_path):
    assert [Tries(tmp_path, 5).begin() for _ in range(3)] == [1, 2, 3]
    assert Tries(tmp_path, 5).number == 3
    assert Tries(tmp_path, 7).number == 0, "another sum"
    assert Tries(tmp_path, 7).begin() == 1
    assert json.loads((tmp_path / TRIED).read_text()) == {"round": 7, "tries": 1}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"round": 5}', '{"round": 5, "tries": "1"}', "[" * 5000, "null"]
)
def test_a_count_that_is_damaged_is_no_count(tmp_path, text):
    (tmp_path / TRIED).write_text(text)
    with pytest.raises(CheckpointError, match="damaged"):
        Tries(tmp_path, 5)


def test_links_and_one_array_are_needed():
    with pytest.raises(InputError, match="this party has none"):
        checked((np.ones(3),), None)
    with pytest.raises(InputError, match="the step returned 2"):
        checked((np.ones(3), np.ones(3)), object())
