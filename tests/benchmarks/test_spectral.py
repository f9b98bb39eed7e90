"""The contests of anchor words run on small corpora, and their qualities are what they say."""

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import spectral
from benchmarks.contest import Result, as_markdown, spread
from benchmarks.run import run
from tests.conftest import plant


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(spectral, "PLANTED_WORDS", 60)
    monkeypatch.setattr(spectral, "PLANTED_DOCUMENTS", 200)
    monkeypatch.setattr(spectral, "INFERRED", 100)
    monkeypatch.setattr(spectral, "SWEEPS", 20)
    monkeypatch.setattr(spectral, "CORPORA", 3)


@pytest.mark.filterwarnings("ignore")
def test_contests_on_planted_corpora():
    counts = sp.csr_array(plant(n=250, d=50, k=4)[0], dtype=float)
    found = {"one": counts, "two": counts}
    results = run(found, ["anchors", "inference", "planted"], tries=1, topics=[4])
    assert {r.corpus for r in results if r.task == "Planted topics"} == {"planted"}
    ours = [r for r in results if r.task == "Anchor words" and r.contender == "chatham"]
    assert [r.note for r in ours] == ["4 of 4 anchors are those of an exact eigensolver"] * 2
    inferred = {r.contender: r.quality for r in results if r.task == "Document inference"}
    assert inferred["posterior"] < min(inferred[way] for way in ("padd", "spi", "tli"))
    page = as_markdown(results, 1)
    assert page.count("\n## ") == 3


@pytest.mark.filterwarnings("ignore")
def test_planted_topics_are_recovered_from_several_corpora(monkeypatch):
    drawn = []
    planted = spectral.planted_corpus
    monkeypatch.setattr(
        spectral, "planted_corpus", lambda k, seed: drawn.append(seed) or planted(k, seed)
    )
    results = run({"one": np.eye(3), "two": np.eye(3)}, ["recovery"], tries=2, topics=[4])
    assert drawn == [0, 2, 4]  # once, whatever the corpora and tries
    for result in results:
        assert len(set(result.qualities)) == 3
        assert result.quality == pytest.approx(np.mean(result.qualities))
        assert result.ratio is None
    page = as_markdown(results, 2)
    ours = next(line for line in page.splitlines() if "| chatham, refined |" in line)
    shown = [f"{value:.4f}" for value in results[-1].qualities]
    assert ", ".join(shown) in page
    assert ours.startswith("| 3 planted | 4 | 1 |")


def test_a_page_of_spreads_has_the_least_and_the_most():
    runs = [
        [Result("Planted topics, several corpora", "planted", 4, 1, "ours", 1.0, quality)]
        for quality in (0.2, 0.5, 0.1)
    ]
    (found,) = spread(runs)
    assert found.quality == pytest.approx(0.8 / 3)
    assert found.qualities == (0.2, 0.5, 0.1)
    row = "| 3 planted | 4 | 1 | ours | 0.2667 | 0.1000 | 0.5000 | 0.2000, 0.5000, 0.1000 |"
    assert row in as_markdown([found], 3)


def test_the_error_of_topics_is_that_of_the_best_match():
    truth = np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    assert spectral.topic_error(truth, truth[::-1]) == 0.0
    # Topic 0 is off by 0.2 + 0.2, topic 1 by nothing.
    found = np.array([[0.0, 0.0, 1.0], [0.7, 0.3, 0.0]])
    assert spectral.topic_error(truth, found) == pytest.approx(0.2)


def test_npmi_of_words_that_always_and_never_meet():
    present = sp.csc_array(np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]], dtype=float))
    always = spectral.npmi(present, np.array([[0.6, 0.4, 0.0]]), n=2)
    never = spectral.npmi(present, np.array([[0.6, 0.0, 0.4]]), n=2)
    assert always == pytest.approx(1.0)  # log(0.5 / 0.25) / −log 0.5
    assert never == -1.0
