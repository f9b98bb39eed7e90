"""Merged topics: a small run of the experiment on the bundled sample, and its page."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

import merging as experiment
from chatham.ensembles.bounds import least_error
from tests.conftest import plant, split


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("merging")
    sizes = ["--topics", "5", "--words", "300", "--documents", "400", "--iterations", "40"]
    places = ["--keep", str(folder / "kept"), "--output", str(folder)]
    assert experiment.main([*sizes, "--seeds", "1", *places]) == 0
    lines = [json.loads(line)["found"] for line in (folder / "kept").read_text().splitlines()]
    return lines, (folder / "merging.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("way", experiment.WAYS)
def test_documents_dealt_at_random_lose_little_by_merging(way):
    """At least 95 % with three parties, 90 % with nine, of what the pooled model explains."""
    counts = plant(n=1800, d=80, k=5, length=120)[0]
    counts = counts[np.asarray(counts.sum(axis=1)).ravel() > 0]
    sizes = np.asarray(counts.sum(axis=1)).ravel()
    if way == "text":
        sizes = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
    rows = sp.csr_array(counts.multiply(1.0 / sizes[:, None]))
    plan = experiment.Plan(topics=5, documents=1800, words=80, iterations=200)
    together = experiment.fit(rows, way, 0, plan)
    squares = float(rows.power(2).sum())
    error = least_error(rows, together.left.topics, experiment.WAYS[way])
    for holders, least in ((3, 0.95), (9, 0.90)):
        parties = [experiment.fit(part, way, 0, plan) for part in split(rows, holders)]
        told = experiment.measured(parties, way, (squares - 2 * error) / squares, plan)
        assert min(told[by]["explained"] for by in experiment.WEIGHTS) >= least


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
