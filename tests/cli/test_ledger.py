"""`chatham ledger`: what left a party, as whoever answers for its documents reads it."""

import json

import numpy as np
import pytest

from chatham.cli.ledger.view import crossed
from chatham.commons.counting import count_documents
from chatham.commons.fixed_point import pack
from chatham.federation.party.ledger import Ledger
from chatham.learners.nmf.schedules import topic_statistics


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
    assert "4, each one sum over all parties; the total of 1 didn't come" in result.stdout
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
    assert "0, each one sum" in result.stdout


def test_a_folder_without_a_ledger_is_refused(run, tmp_path):
    result = run("ledger", tmp_path)
    assert result.exit_code == 1
    assert "There is no ledger in" in result.stderr
