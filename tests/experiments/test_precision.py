"""The table of docs/communication.md is that of the record, and a tiny run makes one like it."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np

import precision

ROOT = Path(__file__).parents[2]


def rows_of(path):
    text = path.read_text("utf-8")
    table = text[text.index("| fraction bits |") :].split("\n\n")[0]
    return [line for line in table.strip().split("\n") if line.startswith("|")]


def test_the_documentation_has_the_record():
    record = ROOT / "experiments" / "results" / "precision.md"
    assert rows_of(ROOT / "docs" / "communication.md") == rows_of(record)


def test_a_difference_in_one_digit():
    plain = SimpleNamespace(components_=np.array([[0.5, 0.25]]))
    assert precision.shown(plain, SimpleNamespace(components_=np.array([[0.5, 0.265]]))) == "3e-2"
    here, there = (SimpleNamespace(components_=plain.components_, anchors_=[n]) for n in (1, 2))
    assert precision.shown(here, there) == "different anchors"


def test_a_tiny_run(tmp_path):
    run = ["--topics", "3", "--iterations", "2", "--words", "60", "--output", str(tmp_path)]
    assert precision.main(run) == 0
    head, _, *rows = rows_of(tmp_path / "precision.md")
    assert head == "| fraction bits | 10 | 20 | 31 | 40 |"
    assert [row.split(" | ")[0] for row in rows] == [f"| {name}" for name in precision.LEARNERS]
    for row in rows[:2]:
        coarse, *_, fine = (float(cell) for cell in row.strip(" |").split(" | ")[1:])
        assert fine < 1e-8 < coarse
