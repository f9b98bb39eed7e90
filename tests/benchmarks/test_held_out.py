"""The contest of held-out probability runs, its contenders agree, and no figure passes for ours."""

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.contest import as_markdown
from benchmarks.held_out import FEWER, drawn_documents, read_with_numpy
from benchmarks.run import run
from tests.conftest import plant


def test_the_contest_on_a_planted_corpus():
    counts = sp.csr_array(plant(n=FEWER, d=50, k=3)[0], dtype=float)
    results = run({"planted": counts}, ["left-to-right"], tries=1, topics=[3])
    found = {(r.threads, r.contender): r for r in results}
    assert {threads for threads, _ in found} == {1, 2}
    one, two = found[1, "chatham"], found[2, "chatham"]
    assert one.quality == pytest.approx(found[1, "numpy"].quality, abs=0.02)
    assert two.quality == pytest.approx(one.quality, abs=0.02)
    assert found[1, "chatham, resample=False"].quality < one.quality
    assert not any("MALLET" in r.contender for r in results)
    page = as_markdown(results, 1)
    assert "a figure from elsewhere" in page


def test_documents_are_drawn_from_the_corpus():
    counts = np.array([[2, 0, 0], [0, 1, 1]])
    drawn = drawn_documents(counts, 5, 7)
    assert drawn.shape == (5, 7)
    assert (drawn[::2] == 0).all()
    assert (drawn[1::2] > 0).all()


def test_the_plain_reading_of_one_topic_is_exact():
    topics = np.array([[0.5, 0.25, 0.25]])
    logs = read_with_numpy(np.array([[0, 1], [0, 0]]), topics, np.ones(1), 3)
    assert np.exp(logs).tolist() == pytest.approx([1 / 8, 1 / 4])
