"""Merged topics: a small run of the experiment on the bundled sample, and its page."""

import json

import pytest

import merging as experiment


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("merging")
    sizes = ["--topics", "5", "--words", "300", "--documents", "400", "--iterations", "40"]
    places = ["--keep", str(folder / "kept"), "--output", str(folder)]
    assert experiment.main([*sizes, "--seeds", "1", *places]) == 0
    lines = [json.loads(line)["found"] for line in (folder / "kept").read_text().splitlines()]
    return lines, (folder / "merging.md").read_text(encoding="utf-8")


def test_documents_dealt_at_random_lose_little_by_merging(kept):
    """At least 95 % with three parties, 90 % with nine, of what the pooled model explains."""
    for found in kept[0]:
        for by in experiment.WEIGHTS:
            assert found["3"][by]["explained"] >= 0.95
            assert found["9"][by]["explained"] >= 0.90


def test_bounds_that_hold_were_never_broken(kept):
    for found in kept[0]:
        for who in ("3", "9", "natural"):
            assert found[who]["neighbour"]["false"] == 0
            for by in experiment.WEIGHTS:
                told = found[who][by]
                assert told["false"] == 0
                assert told["rise"] <= told["quadratic"] <= told["diagonal"]


def test_its_page_has_a_row_for_each_case(kept):
    page = kept[1]
    assert "| bundled sample | simplex | 3, dealt |" in page
    assert "| bundled sample | text | 3 communities |" in page
    assert page.count("| G1 |") == 6
