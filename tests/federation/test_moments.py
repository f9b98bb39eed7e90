"""The seam by which tests watch a session: every moment comes, in the protocol's order."""

import threading

import numpy as np

from chatham.federation.party.ledger import Ledger
from chatham.federation.party.party import Party
from tests.federation.moments import ORIGINALS, watch
from tests.federation.parties import Federation, all_good, together

KEYS = ["ledger hello"]
KEYS += [f"{told} {kind}" for kind in ("hello", "shares", "confirm") for told in ("say", "heard")]
AGREED = ["write .total", "rename .total", "say agree", "heard agree"]
AGREED += ["write .agreed", "rename .agreed"]
SUM = ["quantise", "ledger left", "say sum", "heard sum", *AGREED, "apply", "ledger came"]
BEGUN = [f"relay {kind}" for kind in ("hello", "shares", "confirm", "agree")]
ADDED = ["relay sum"] * 3 + ["relay written", "relay renamed", "relay kept"] + ["relay agree"] * 3


def ones(rows, memory):
    """A one."""
    return np.array([1])


def test_an_undisturbed_session_passes_every_moment_in_order(tmp_path, monkeypatch):
    federation, came = Federation(tmp_path), {}

    def note(moment):
        name = threading.current_thread().name
        came.setdefault("relay" if moment.startswith("relay") else name, []).append(moment)

    def program(index):
        ledger = Ledger(federation.folder_of(index))
        party = Party(np.ones((2, 2)), federation.connect(index), ledger)
        return [int(party.sum(ones)[0]) for _ in range(2)]

    watch(note, monkeypatch.setattr)
    assert all_good(together(*(lambda i=i: program(i) for i in range(3)))) == [[3, 3]] * 3
    for index in range(3):
        assert came[f"party{index}"] == [*KEYS, *AGREED, *SUM, *SUM]
    assert came["relay"] == [kind for kind in BEGUN for _ in range(3)] + ADDED + ADDED


def test_whoever_watches_is_told_alone_and_for_one_test(tmp_path, monkeypatch):
    first, second = [], []
    watch(first.append, monkeypatch.setattr)
    watch(second.append, monkeypatch.setattr)
    Ledger(tmp_path).came(1, 8, bytes(32))
    assert (first, second) == ([], ["ledger came"])
    monkeypatch.undo()
    assert all(getattr(owner, name) is function for (owner, name), function in ORIGINALS.items())
