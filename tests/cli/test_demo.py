"""The demonstration's numbers, on a corpus small enough to check, and what it prints of them."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import chatham as ch
from chatham.cli.demo import meeting as demo_meeting
from chatham.cli.demo.meeting import as_processes, crossings
from chatham.cli.demo.study import relative_error, study
from chatham.cli.demo.view import ledger_lines, show
from chatham.federation import extra
from tests.cli.federation import texts
from tests.conftest import plant


@pytest.fixture(scope="module")
def found():
    counts, _, _ = plant(n=120, d=40, k=3)
    corpus = ch.Corpus(
        counts, [f"w{j}" for j in range(40)], labels=[f"party {i % 3}" for i in range(120)]
    )
    return study(corpus, by="label", k=3)


def test_together_equals_pooled(found):
    assert found.largest_difference < 1e-9
    scores = {score.fitted_by: score for score in found.scores}
    together, pooled = scores["together"], scores["pooled"]
    assert together.nmf_error == pytest.approx(pooled.nmf_error, abs=1e-9)
    assert together.nmf_log_likelihood == pytest.approx(pooled.nmf_log_likelihood, abs=1e-9)
    assert together.lda_log_likelihood == pytest.approx(pooled.lda_log_likelihood, rel=0.05)


def test_relative_error_by_hand():
    # Frequencies (½, ½) and topics (¾, ¼): the residue is (−¼, ¼), so √(⅛ / ½) = ½.
    model = ch.fit("nmf", [[3, 1]], vocabulary=["tea", "milk"], n_components=1, random_state=0)
    test = ch.Corpus(np.array([[2, 2], [0, 0]]), ["tea", "milk"])
    assert relative_error(model, test) == pytest.approx(0.5)


def test_everyone_is_there(found):
    names = [score.fitted_by for score in found.scores]
    assert names == ["party 0", "party 1", "party 2", "together", "pooled"]
    assert sum(found.parties.values()) + found.held_out == 120


def test_nothing_that_crossed_grows_with_the_documents(found):
    assert found.crossings
    for crossing in found.crossings:
        assert {96, 120, found.held_out, *found.parties.values()}.isdisjoint(crossing.shape)


def test_the_study_is_json(found):
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert len(plain["scores"]) == 5
    assert len(plain["topics"]["nmf"]) == 3


@pytest.mark.parametrize("width", [80, 120])
def test_it_fits_the_terminal(found, width, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(width))
    show(found)
    printed = capsys.readouterr().out
    assert max(len(line) for line in printed.split("\n")) <= width
    assert "together" in printed
    assert "What to try next" in printed


def test_parties_that_are_processes_save_one_model(tmp_path, monkeypatch, capsys):
    labels = [f"party {place % 3}" for place in range(150)]
    corpus = ch.read_corpus(texts(150), label=labels, stop_words=None, min_df=1)
    stages = []
    meet = as_processes(tmp_path / "kept")
    found = study(corpus, by="label", k=3, meet=meet, max_iter=8, stage=stages.append)
    assert found.meeting.same_bytes
    sums = {name: f"{name.upper()} {rounds} sums" for name, rounds in found.rounds.items()}
    assert f"Together: {sums['nmf']}, {sums['lda']}" in stages, "as the report counts them"
    assert found.largest_difference is None
    scores = {score.fitted_by: score for score in found.scores}
    assert scores["together"].nmf_error < scores["pooled"].nmf_error * 1.2
    names = [score.fitted_by for score in found.scores]
    assert names == ["party 0", "party 1", "party 2", "together", "pooled"]
    monkeypatch.setenv("COLUMNS", "100")
    show(found, Path("kept"))
    printed = capsys.readouterr().out
    assert "All three saved the same model, to the byte." in printed
    assert "each party adds noise to what it tells" in " ".join(printed.split())
    assert "The ledger of party 0, for LDA" in printed
    assert "kept/party-1/lda --rounds" in printed.replace("\n", "")


def test_a_party_that_fails_ends_the_demonstration(tmp_path, monkeypatch):
    monkeypatch.setattr(demo_meeting, "LEARNERS", ("lda",))
    pairs = ("tea milk", "rum sugar", "bread salt")
    words = [" ".join([pair] * n) for n in range(1, 10) for pair in pairs]
    corpus = ch.read_corpus(words, label=["x", "y", "z"] * 9, stop_words=None)
    with pytest.raises(ch.ChathamError, match=r"The party [xyz] stopped: The parties have no word"):
        study(corpus, by="label", k=2, meet=as_processes(tmp_path))


def test_without_the_extra_it_is_simulated_and_said(run, monkeypatch, tmp_path):
    monkeypatch.setattr(extra, "PACKAGES", ("no_such_package",))
    monkeypatch.setattr("chatham.corpus.sample_corpus", small)
    report = tmp_path / "seen.html"
    result = run("demo", "-k", 2, "--report", report)
    assert result.exit_code == 0, result.output
    assert "One process plays all three." in result.stdout
    assert "Note: One process plays all parties." in result.stderr
    assert "pip install 'cryptography>=42'" in result.stderr
    assert "seen.html in a browser" in " ".join(result.stdout.split())
    assert '"total":20,' in report.read_text("utf-8"), "the documents of one party of three"


def small():
    counts, _, _ = plant(n=60, d=20, k=2)
    kept = pd.DataFrame({"community": list("xyz") * 20})
    return ch.Corpus(counts, [f"w{j}" for j in range(20)], metadata=kept)


def test_the_ledger_speaks_of_both_models(found):
    lines = ledger_lines(found)
    assert lines[0].startswith("NMF: ")
    assert lines[1].startswith("LDA: ")


def test_a_document_that_crosses_is_not_hidden(found, monkeypatch):
    assert "sum over the documents of all three" in ledger_lines(found)[-1]
    monkeypatch.setattr(found.nmf.estimator, "revived_", [(3, 1)])
    assert "crossed as they are" in ledger_lines(found)[-1]


def test_crossings_count_kinds_of_arrays(found):
    commons = ch.Recorded(ch.Simulated([np.eye(4), np.eye(4)]))
    ch.fit("kmeans", commons, vocabulary=list("abcd"), n_components=2, random_state=0)
    kinds = crossings("kmeans", commons.ledger)
    assert sum(kind.times for kind in kinds) == len(commons.ledger)
    assert sum(kind.bytes for kind in kinds) == sum(entry.bytes for entry in commons.ledger)
