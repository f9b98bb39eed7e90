"""The order of words: a tiny run, and its page."""

import chatham as ch
import word_order
from word_order import page, scores


def test_a_tiny_run_says_what_changes(capsys, monkeypatch, tmp_path):
    corpus = ch.sample_corpus(max_features=600).rows(range(0, 2887, 6))
    found = scores(corpus, "k-means", 4, 0)
    assert -1 <= found["npmi, plain"] <= 1
    assert 0 <= found["other words of ten"] <= 10
    assert found["log-likelihood, divided out"] > found["log-likelihood, idf left in"]
    monkeypatch.setattr(word_order, "read", lambda _: {"some": corpus})
    monkeypatch.setattr(word_order, "LEARNERS", {"k-means": ("kmeans", {})})
    assert word_order.main(["--topics", "3", "--seeds", "2", "--keep", str(tmp_path / "k")]) == 0
    first = capsys.readouterr().out
    assert "| some, k-means | 3 |" in first
    assert "of 2 fits" in first
    assert word_order.main(["--topics", "3", "--seeds", "2", "--keep", str(tmp_path / "k")]) == 0
    assert capsys.readouterr().out == first
    rows = [{"corpus": "some", "learner": "k-means", "k": 4, "seed": 0, **found}]
    assert "Least and most of 1 seeds" in page(rows)
