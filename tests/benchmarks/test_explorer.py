"""The explorer's benchmark runs in a browser, has every row, and calls a miss a miss."""

import pytest

from benchmarks import explorer
from benchmarks.contest import installed
from benchmarks.explorer import ANSWER, PEER, Answers, Written, main, page_of, reports
from chatham.corpus import sample_corpus
from tests.explorer.conftest import browser

__all__ = ["browser"]
KINDS = [
    "first picture, the server's first visit", "first picture, later visits",
    "a bubble: its words", "a bubble: its documents", "a word: where else it lives",
    "a word: its documents", explorer.FIRSTS, explorer.LAST,
]  # fmt: skip


@pytest.fixture(autouse=True)
def _few_topics(monkeypatch):
    for name, value in {"PICTURED": 3, "CLICKED": 4, "ROUNDS": 5}.items():
        monkeypatch.setattr(explorer, name, value)


@pytest.mark.filterwarnings("ignore")
def test_pictures_and_clicks_are_timed_in_a_browser(browser):
    corpus = sample_corpus()
    model = explorer.fitted(corpus, 4)
    seen = [
        *explorer.pictures(browser, model, corpus, 1),
        *explorer.clicks(browser, model, corpus, 2),
    ]
    assert [each.what for each in seen] == KINDS
    assert [len(each.taken) for each in seen] == [1, 1, 2, 2, 2, 2, 2, 2]
    assert all(taken > 0 for each in seen for taken in each.taken)


@pytest.mark.filterwarnings("ignore")
def test_reports_are_timed_beside_the_peer():
    corpus = sample_corpus()
    rows = {each.what: each for each in reports(explorer.fitted(corpus, 3), corpus, 2)}
    assert (PEER in rows) == (installed("pyLDAvis") is not None)
    assert all(len(each.taken) == 2 for each in rows.values())
    whole, without = rows["chatham report"].size, rows["chatham report --no-documents"].size
    assert 0 < without < whole <= 8_000_000
    assert rows["the documents' weights alone"].size is None


def test_a_miss_is_called_one_and_a_missing_peer_too():
    good, bad = Answers("quick", ANSWER, [20.0, 30.0]), Answers("slow", ANSWER, [90.0, 100.0])
    page = page_of({"A click": [good, bad]}, {"A report": [Written("ours", [2.0, 1.0], 1_500_000)]})
    assert "| quick | 20 | 25 | 30 | 2 of 2 |" in page
    assert "| slow | 90 | 95 | 100 | **1 of 2** |" in page
    assert "| ours | 1.00 | 2.00, 1.00 | 1.50 |" in page
    assert explorer.WITHOUT_PEER in page


def test_a_folder_without_the_corpus_is_an_error(tmp_path, capsys):
    assert main(["--data", str(tmp_path)]) == 1
    assert "has no 20newsgroups_clean.parquet" in capsys.readouterr().err


def test_no_browser_is_an_error(monkeypatch, capsys):
    monkeypatch.delenv("CHATHAM_CHROMIUM", raising=False)
    monkeypatch.setattr(explorer.shutil, "which", lambda name: None)
    assert main([]) == 1
    assert "There is no browser to measure in" in capsys.readouterr().err
