"""`chatham evaluate` compares several models."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

import chatham as ch
from chatham.cli.evaluate.input import _lines
from chatham.measures.subject import Subject
from tests.cli.conftest import PETS
from tests.cli.evaluated import found, values

LABELS = ["cat", "cat", "cat", "dog", "dog", "dog"]


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    path = tmp_path_factory.mktemp("labelled") / "pets.csv"
    pd.DataFrame({"kind": LABELS * 3, "body": PETS * 3}).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def other(run, news, tmp_path_factory):
    folder = tmp_path_factory.mktemp("others") / "nmf"
    assert run("fit", news, "-k", 2, "-m", "nmf", "-o", folder, "-q").exit_code == 0
    return folder


@pytest.fixture(scope="module")
def larger(run, news, tmp_path_factory):
    folder = tmp_path_factory.mktemp("others") / "nmf-3"
    assert run("fit", news, "-k", 3, "-m", "nmf", "-o", folder, "-q").exit_code == 0
    return folder


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("cats purr\ndogs bark\n")
    return path


def test_a_model_may_be_called_like_a_column(run, model, other, news, tmp_path, monkeypatch):
    for name in ("settings", "best"):
        shutil.copytree(model if name == "best" else other, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    told = found(run("evaluate", "settings", "best", news, "--json"))
    assert [row["model"] for row in told["models"]] == ["./settings", "./best"]
    assert told["comparison"][0]["settings"]["n_words"] == 10


def lines_of(sizes, tmp_path, learners):
    """Which curve each model is on, by names of folders (or files) and numbers of topics."""
    named = {}
    for name in sizes:
        path = tmp_path / name
        if "." not in name:
            path.mkdir()
        named[name] = path
    subjects = {
        name: Subject(np.array(["a"], object), lists=[["a"]] * k, estimator=learners.get(name))
        for name, k in sizes.items()
    }
    return _lines(named, subjects)


def test_a_curve_is_a_learner_whatever_its_folders_are_called(tmp_path):
    sizes = {"nmf": 10, "nmf5": 5, "other": 20, "lda5": 5, "nmf7.txt": 7, "mallet9.keys": 9}
    learners = {name: ch.NMF() for name in ("nmf", "nmf5", "other")} | {"lda5": ch.LDA()}
    assert lines_of(sizes, tmp_path, learners) == {
        "nmf": "NMF", "nmf5": "NMF", "other": "NMF", "lda5": "LDA",
        "nmf7.txt": "nmf (by name)", "mallet9.keys": "mallet",
    }  # fmt: skip


def test_two_of_a_learner_and_a_size_go_by_their_names(tmp_path):
    sizes = {"tf-5": 5, "tf-9": 9, "idf-5": 5, "idf-9": 9, "lda": 5}
    learners = {name: ch.NMF() for name in sizes} | {"lda": ch.LDA()}
    assert lines_of(sizes, tmp_path, learners) == {
        "tf-5": "tf", "tf-9": "tf", "idf-5": "idf", "idf-9": "idf", "lda": "LDA",
    }  # fmt: skip


def test_several_are_compared(run, model, other, news, tmp_path):
    result = run("evaluate", model, other, news, "-o", tmp_path / "t.csv")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0].split()[:4] == ["measure", "better", "pets", "nmf"]
    assert "mean ∆ when best" in result.stdout
    assert "Stability: " in result.stdout
    table = pd.read_csv(tmp_path / "t.csv")
    assert list(table)[:4] == ["measure", "higher_is_better", "pets", "nmf"]
    assert json.loads(table["settings"][0]) | {"n_words": 10, "window": "document"} == json.loads(
        table["settings"][0]
    )
    told = found(run("evaluate", model, other, news, "--json"))
    assert 0 <= told["stability"] <= 1
    assert [row["model"] for row in told["models"]] == ["pets", "nmf"]
    assert {row["model"] for row in told["ranking"]} == {"pets", "nmf"}
    assert told["comparison"][0]["settings"]["n_words"] == 10
    assert (
        "Settings: top words 10 (unique_words 20, topic_diversity 25); window document (c_v "
        in " ".join(result.stdout.split())
    )


def test_models_alone_need_no_documents(run, model, larger):
    told = found(run("evaluate", model, larger, "--json"))
    assert [row["topics"] for row in told["models"]] == [2, 3]
    assert told["stability"] is None


def test_lists_of_words_are_compared_with_models_on_all_documents(run, model, words, labelled):
    """A document without any of the listed words is still one of those that P(i) is a share of."""
    strange = labelled.with_name("strange.csv")
    pd.DataFrame({"body": [*PETS, "zebras graze"]}).to_csv(strange, index=False)
    told = found(run("evaluate", words, strange, "--measure", "npmi", "--json"))
    (row,) = told["models"][0]["measures"]
    assert row["settings"]["windows"] == 7
    # cats: 3 of 7 documents, purr: 2, both: 2; dogs: 2, bark: 2, both: 2.
    cats = np.log((2 / 7) / (3 / 7 * 2 / 7)) / -np.log(2 / 7)
    assert row["per_topic"] == pytest.approx([cats, 1.0], abs=1e-9)
    both = found(run("evaluate", words, model, strange, "--measure", "npmi", "--json"))
    assert values(both["models"][0])["npmi"] == pytest.approx(row["value"])
    assert both["models"][1]["model"] == "pets"


@pytest.mark.parametrize("several", [False, True])
def test_a_picture_is_drawn(run, model, other, larger, news, tmp_path, several):
    pytest.importorskip("matplotlib")
    models = (model, other, larger) if several else (model,)
    path = tmp_path / "p.svg"
    result = run("evaluate", *models, news, "--measure", "npmi", "--plot", path)
    assert result.exit_code == 0, result.output
    assert f"Figure saved in {path}." in result.stdout
    assert path.read_text().count("higher is better") == 1
