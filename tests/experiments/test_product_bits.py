"""Anchors by products: with all bits nearly those of the full matrix, with few bits not."""

from pathlib import Path

import product_bits

ROOT = Path(__file__).parents[2]


def rows_of(text):
    return [line for line in text.splitlines() if line.startswith("|")]


def test_the_documentation_has_the_record():
    record = (ROOT / "experiments" / "results" / "product_bits.md").read_text("utf-8")
    docs = (ROOT / "docs" / "anchors.md").read_text("utf-8")
    assert all(row in docs for row in rows_of(record))


def test_a_small_run(tmp_path):
    assert product_bits.main(["--topics", "5", "--output", str(tmp_path)]) == 0
    head, _, row = rows_of((tmp_path / "product_bits.md").read_text("utf-8"))
    assert head == "| bits | 40 | 28 | 26 | 24 | 22 | 20 |"
    name, all_bits, *_ = row.strip("| ").split(" | ")
    assert (name, all_bits) == ("bundled sample", "5")
