"""How long an audit takes, on a small scale: every row is there, and what can't be read is said."""

import pandas as pd
import pytest

import chatham as ch
from benchmarks import audit


@pytest.mark.filterwarnings("ignore")
def test_fits_and_designs_are_timed(tmp_path, monkeypatch, capsys):
    texts = ch.sample_corpus().texts[::10]
    table = pd.DataFrame({"id": range(len(texts)), "text": list(texts)})
    table.to_parquet(tmp_path / audit.FILE)
    for name, value in {"SIZE": 60, "TOPICS": 2, "DATABASES": 64}.items():
        monkeypatch.setattr(audit, name, value)
    monkeypatch.setattr(audit, "LEARNERS", ("nmf", "plsa"))
    page = tmp_path / "audit.md"
    words = ["--data", tmp_path, "--documents", 2, "--an-arm", 3, "--batch", 2, "-o", page]
    assert audit.main([str(word) for word in words]) == 0
    written = page.read_text("utf-8")
    assert written == capsys.readouterr().out
    assert "| nmf |" in written
    assert "| plsa |" in written
    assert "| Algorithm 11 | 12 |" in written
    assert "| default, with the verdict | 64 |" in written


def test_a_folder_without_the_corpus_is_refused_in_a_sentence(tmp_path, capsys):
    assert audit.main(["--data", str(tmp_path)]) == 1
    assert "Error:" in capsys.readouterr().err
