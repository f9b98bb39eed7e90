"""`chatham ledger`: what left a party, as whoever answers for its documents reads it."""

import json
import shutil

import numpy as np
import pytest

from chatham.cli.ledger.view import crossed
from chatham.commons.counting import count_documents
from chatham.commons.fixed_point import pack
from chatham.commons.secure.frames import make_frame
from chatham.federation.party.ledger import HEAD, NAME, Ledger
from chatham.federation.party.party import Party
from chatham.learners.nmf.schedules import topic_statistics
from tests.federation.parties import Federation, all_good, together


@pytest.fixture
def folder(tmp_path):
    """Two kinds of sums in four rounds, the last of which has no total."""
    ledger = Ledger(tmp_path)
    counted = (np.array([5, 5]),)
    topics = tuple(np.ones(shape) for shape in ((7, 3), (3, 3)))
    for round_, step, arrays in (
        (1, count_documents, counted),
        (2, topic_statistics, topics),
        (3, topic_statistics, topics),
        (4, topic_statistics, topics),
    ):
        layout, words = pack(arrays, [0 if array.dtype.kind == "i" else 40 for array in arrays], 3)
        ledger.leaving(round_, step, layout, arrays)
        if round_ < 4:
            ledger.came(round_, words.nbytes, bytes(32))
    return tmp_path


def count_ones(rows, memory, number):
    """A one and the number of the round."""
    return np.ones(1), np.array([number])


def add_up_together(federation, rounds):
    def add_up(index):
        ledger = Ledger(federation.folder_of(index))
        party = Party(np.ones((2, 2)), federation.connect(index), ledger)
        return [party.sum(count_ones, number, total=9.0) for number in range(rounds)]

    all_good(together(*(lambda i=i: add_up(i) for i in range(3))))


def test_sums_are_counted_by_kind(folder):
    found = crossed(folder)
    assert (found.rounds, found.completed, found.bytes) == (4, 3, 16 + 3 * 8 * 30)
    assert [kind.rounds for kind in found.kinds] == [[1], [2, 3, 4]]
    assert [kind.shapes for kind in found.kinds] == [["2"], ["7 × 3", "3 × 3"]]
    assert [kind.bytes for kind in found.kinds] == [16, 720]
    assert [kind.bits for kind in found.kinds] == [[0], [40]]


def test_people_read_what_it_means(run, folder):
    result = run("ledger", folder)
    assert result.exit_code == 0
    shown = " ".join(result.stdout.split())
    assert "4, each one sum over all parties; the last one isn't completed: its total" in shown
    assert "736 B sent; 496 B of totals came back" in shown
    assert "2–4      Sums over documents of weight × word" in result.stdout
    assert "7 × 3 + 3 × 3" in result.stdout
    assert "join with --plain" in result.stdout


def test_every_round_is_shown_if_asked(run, folder):
    shown = run("ledger", folder, "--rounds", "-q").stdout
    assert shown.count("chatham.learners.nmf.schedules.topic_statistics") == 6
    assert "chatham.learners.nmf.schedules" not in run("ledger", folder, "-q").stdout


def test_machines_get_every_line(run, folder):
    found = json.loads(run("ledger", folder, "--json").stdout)
    assert found["rounds"] == 4
    assert len(found["kinds"]) == 2
    assert len(found["lines"]) == 1 + 6 + 3


@pytest.mark.parametrize("width", [80, 120])
def test_it_fits_the_terminal(run, folder, width):
    shown = run("ledger", folder, env={"COLUMNS": str(width)}).stdout
    assert max(len(line) for line in shown.split("\n")) <= width


def test_lines_that_somebody_damaged_break_nothing(run, folder):
    with open(folder / "ledger.jsonl", "a", encoding="utf-8") as file:
        file.write('{"event": "left", "round": 5}\n{"event": "left", "rou\n[]\nnull\n')
        file.write('{"event": "left", "round": "x", "time": 1, "bytes": {}}\n')
        file.write(json.dumps(
            {"event": "left", "round": 6, "time": "t", "bytes": 8, "statistic": "\x1b[31m",
             "meaning": "\x1b]0;x\x07", "shape": ["a"], "bits": 0, "array": 0}
        ) + "\n")  # fmt: skip
    result = run("ledger", folder)
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert crossed(folder).rounds == 4


def test_what_a_terminal_would_obey_is_only_shown(run, folder):
    line = {
        "event": "left", "round": 6, "time": "2030-01-01T00:00:00", "bytes": 8, "shape": [1],
        "statistic": "x.\x1b[31my", "meaning": "\x1b]0;owned\x07", "bits": 0, "array": 0,
    }  # fmt: skip
    with open(folder / "ledger.jsonl", "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    shown = run("ledger", folder, "--rounds").stdout
    assert crossed(folder).rounds == 5
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_an_empty_ledger_is_shown_empty(run, tmp_path):
    (tmp_path / "ledger.jsonl").write_text("")
    result = run("ledger", tmp_path)
    assert result.exit_code == 0
    assert "none: no sum has left" in result.stdout
    assert "came back" not in result.stdout


# -- checked against itself and against the records


@pytest.fixture(scope="module")
def parties(tmp_path_factory):
    """Three parties with whole records; the second one has lost the ledger of two rounds."""
    federation = Federation(tmp_path_factory.mktemp("met"))
    add_up_together(federation, 2)
    for name in (NAME, HEAD):
        (federation.folder_of(1) / name).unlink()
    add_up_together(federation, 5)
    for index in range(3):
        (federation.folder_of(index) / "session.toml").write_text(federation.session.to_toml())
    return federation


@pytest.fixture
def whole(parties, tmp_path):
    return shutil.copytree(parties.folder_of(0), tmp_path / "party")


def test_a_ledger_that_is_whole_is_vouched_for(run, whole):
    result = run("ledger", whole, "--verify")
    assert result.exit_code == 0
    said = "its 17 lines are chained, and they say what the records of 5 rounds say"
    assert said in " ".join(result.stdout.split())
    told = json.loads(run("ledger", whole, "--verify", "--json").stdout)
    assert told == {"verified": True, "lines": 17, "rounds": 5, "is_chained": True, "faults": []}


def test_a_ledger_that_was_altered_isnt(run, whole):
    lines = (whole / NAME).read_bytes().splitlines(keepends=True)
    (whole / NAME).write_bytes(b"".join(lines[:5] + lines[6:]))
    result = run("ledger", whole, "--verify")
    assert result.exit_code == 1
    assert result.stdout.startswith("Line 6 wasn't written after line 5 as it is")
    result = run("ledger", whole, "--verify", "--json")
    assert result.exit_code == 1
    assert not json.loads(result.stdout)["verified"]


def test_many_faults_are_counted(run, whole):
    (whole / NAME).write_bytes(b'{"event": "came", "round": 9}\n' * 50)
    result = run("ledger", whole, "--verify")
    assert result.exit_code == 1
    assert result.stdout.count("has no hash of the line before") == 20
    assert "more; --json prints all." in result.stdout


def test_without_the_session_nothing_is_vouched_for(run, whole):
    (whole / "session.toml").unlink()
    result = run("ledger", whole, "--verify")
    assert result.exit_code == 1
    assert "no session.toml" in result.stderr


def test_hellos_and_what_was_replayed_are_shown(run, parties):
    folder = parties.folder_of(1)
    shown = run("ledger", folder, "--rounds").stdout
    assert "Replayed   1–2: from the records, and nothing left" in shown
    assert "Rounds     3, each one sum over all parties" in shown
    assert "Hellos     1, one each time" in shown
    assert shown.count("[replayed] ") == 4
    assert shown.count("   hello   ") == 1
    told = json.loads(run("ledger", folder, "--json").stdout)
    assert (told["hellos"], told["replayed"], told["rounds"]) == (1, [1, 2], 3)
    result = run("ledger", folder, "--verify")
    assert result.exit_code == 1
    assert "Record 1: the ledger says that the round was replayed" in result.stdout


def test_a_refusal_is_shown(run, parties):
    folder, identity = parties.folder_of(1), parties.identities[1]
    about = {"session": parties.session.hash, "chain": bytes(32), "code": "sparse"}
    frame = make_frame(identity, "refuse", party=1, round_=4, **about)
    Ledger(folder).refusing(frame)
    shown = run("ledger", folder, "--rounds").stdout
    assert "Refused    4: this party took no part, and told the others so" in shown
    assert shown.count("   refused   ") == 1
    assert json.loads(run("ledger", folder, "--json").stdout)["refused"] == [4]


def test_a_folder_without_a_ledger_is_refused(run, tmp_path):
    result = run("ledger", tmp_path)
    assert result.exit_code == 1
    assert "There is no ledger in" in result.stderr
