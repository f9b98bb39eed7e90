"""The experiments on stopping and on starts, on a small scale."""

import doctest
import json

import numpy as np
import pytest

import chatham as ch
import starts
import stopping
from refinement_study.documents import SAMPLE
from stopping_study import pace
from stopping_study.watching import Watching
from tests.conftest import plant


def test_a_shorter_fit_is_what_a_watched_one_was_then():

    counts = plant(n=120, d=30, k=4)[0]
    watched = Watching(counts)
    ch.PLSA(4, tol=0, max_iter=30, random_state=0).fit(watched)
    short = ch.PLSA(4, tol=0, max_iter=10, random_state=0).fit(counts)
    then = watched.topics[10]
    np.testing.assert_allclose(np.sort(then, axis=0), np.sort(short.components_, axis=0), atol=1e-6)


def test_the_page_on_stopping(tmp_path):
    kept, output = tmp_path / "kept.jsonl", tmp_path / "stopping.md"
    arguments = ["--topics", "4", "--most", "40", "--seeds", "0", "--keep", str(kept),
                 "--output", str(output)]  # fmt: skip
    stopping.main(arguments)
    page = output.read_text()
    assert page.count("| the end |") == 3
    assert len(kept.read_text().splitlines()) == 3
    stopping.main(arguments)  # all is there
    assert output.read_text() == page


def test_seconds_are_added_to_a_page_without(tmp_path):
    page, output = tmp_path / "page.md", tmp_path / "timed.md"
    rows = ["iterations | what", "3 | a", "4 to 20 | b", "7 (1 –) | c", "– | d"]
    lines = [
        f"| {cell} |" for cell in ["corpus | " + rows[0], *(f"{SAMPLE} | {r}" for r in rows[1:])]
    ]
    lines.insert(1, "|---|---|---|")
    page.write_text("\n".join(["# Page", "", "Said.", "", "## plsa", "", *lines, ""]))
    stopping.main(["--topics", "3", "--most", "5", "--seeds", "0", "--learners", "plsa",
                   "--time", str(page), "--output", str(output)])  # fmt: skip
    timed = output.read_text()
    assert timed.startswith("# Page\n\nSaid.\n\nSeconds are the processor's")
    assert "first 5 iterations by\nseed 0" in timed
    table = [line.split(" | ") for line in timed.splitlines() if line.startswith("| ")]
    assert table[0] == ["| corpus", "iterations", "seconds", "what |"]
    assert table[4][2] == "–"
    few, many = table[1][2], table[2][2].split(" to ")[-1]
    assert 0 <= float(few) <= float(many)
    with pytest.raises(ch.InputError, match="seconds already"):
        stopping.main(["--learners", "plsa", "--topics", "3", "--most", "5", "--time", str(output)])


def test_examples():
    assert doctest.testmod(pace).failed == 0


def test_seconds_beyond_the_clock_go_on_at_its_last_pace():
    clock = [10.0, *np.arange(11.0, 20.0), *np.arange(19.5, 24.5, 0.5)]  # one a second, then two
    assert pace.seconds_at(clock, 1) == 10.0
    assert pace.seconds_at(clock, 20) == 24.0
    assert pace.seconds_at(clock, 30) == 24.0 + 5.0


def test_the_page_on_starts(tmp_path):
    kept, output = tmp_path / "kept.jsonl", tmp_path / "starts.md"
    starts.main(["--topics", "4", "--planted", "1", "--seeds", "1", "--sweeps", "10",
                 "--keep", str(kept), "--output", str(output)])  # fmt: skip
    records = [json.loads(line) for line in kept.read_text().splitlines()]
    assert len(records) == 16
    assert output.read_text().count("| lda |") == 3
