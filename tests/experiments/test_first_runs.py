"""First runs: a tiny one, of files made here."""

import pandas as pd

import chatham as ch
import first_runs
from first_runs import compared, page


def test_a_tiny_run_reads_both_ways_and_says_so(capsys, monkeypatch, tmp_path):
    corpus = ch.sample_corpus()
    frame = pd.DataFrame({"title": corpus.metadata["title"], "text": corpus.texts})[:300]
    frame.to_parquet(tmp_path / "some.parquet")
    right = {"text": ["title", "text"]}
    same = compared(tmp_path / "some.parquet", right, 4, 5, 0)
    assert same["of these read alike"] == 1
    assert same["npmi, no options"] == same["npmi, right options"]
    other = compared(tmp_path / "some.parquet", {"text": "title"}, 4, 5, 0)
    assert other["of these read alike"] == 0
    assert other["npmi, no options"] != other["npmi, right options"]
    rows = [{"file": "some.parquet", "k": 4, "sweeps": 5, "seed": 0, **same}]
    assert "In 1 of 1 files the run without options is within 5% of the other" in page(rows)
    monkeypatch.setattr(first_runs, "files", lambda *_: [(tmp_path / "some.parquet", right)])
    assert first_runs.main(["--data", str(tmp_path), "--topics", "3", "--sweeps", "2"]) == 0
    assert "| `some.parquet` | 300 |" in capsys.readouterr().out
