"""The experiments on stopping and on starts, on a small scale."""

import json

import numpy as np

import chatham as ch
import starts
import stopping
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


def test_the_page_on_starts(tmp_path):
    kept, output = tmp_path / "kept.jsonl", tmp_path / "starts.md"
    starts.main(["--topics", "4", "--planted", "1", "--seeds", "1", "--sweeps", "10",
                 "--keep", str(kept), "--output", str(output)])  # fmt: skip
    records = [json.loads(line) for line in kept.read_text().splitlines()]
    assert len(records) == 16
    assert output.read_text().count("| lda |") == 3
