"""New documents: read as the model's own were, once, and nothing about it is kept quiet."""

import json

import numpy as np
import pytest

import chatham as ch
from chatham.corpus.text import counting
from tests.cli.conftest import PETS


@pytest.fixture
def strange(tmp_path):
    (tmp_path / "s.csv").write_text("body,n\nquantum chromodynamics,1\n12 7,2\n,3\n")
    return tmp_path / "s.csv"


def test_the_guessed_column_is_said(run, model, strange):
    said = "The text is the column 'body', a guess; pass --text to choose another."
    result = run("transform", model, strange)
    assert f"Note: {said}\n" in result.stderr
    assert run("transform", model, strange, "--quiet").stderr == ""
    assert json.loads(run("transform", model, strange, "--json").stdout)["notes"] == [said]


def test_strangers_get_the_average_and_a_warning(run, model, strange):
    result = run("transform", model, strange, "--json")
    found = json.loads(result.stdout)
    average = ch.load(model).prevalence
    assert result.exit_code == 0
    assert found["empty"] == 3
    for row in found["weights"]:
        assert [row["topic_0"], row["topic_1"]] == pytest.approx(average.tolist())
    assert found["warnings"] == [
        "3 of 3 documents have no word of the model's vocabulary; they get the weights of an "
        "empty document."
    ]


SETTINGS = [
    {},
    {"ngrams": (1, 2), "stop_words": "en"},
    {"ngrams": (2, 2), "stop_words": None},
    {"lowercase": False, "min_length": 1, "numbers": True, "hyphens": True},
    {"weighting": "tfidf"},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_texts_are_read_as_in_training(run, tmp_path, settings):
    texts = [*PETS, "A well-fed Cat of 12 years didn't purr", "the the 3"]
    fitted = ch.fit("plsa", ch.read_corpus(texts, **settings), n_components=2, random_state=0)
    fitted.save(tmp_path / "m")
    new = ["Cats purr on the sofa", "well-fed Cat 12 didn't", "dogs bark at the postman", "x 3"]
    (tmp_path / "new.txt").write_text("\n".join(new) + "\n")
    found = json.loads(run("transform", tmp_path / "m", tmp_path / "new.txt", "--json").stdout)
    weights = [[row["topic_0"], row["topic_1"]] for row in found["weights"]]
    assert np.allclose(weights, fitted.transform(new), atol=1e-12)


def test_texts_are_taken_apart_once(run, model, news, monkeypatch):
    seen = []
    whole = counting._count_block
    monkeypatch.setattr(
        counting, "_count_block", lambda texts, *rest: seen.extend(texts) or whole(texts, *rest)
    )
    assert run("transform", model, news).exit_code == 0
    assert len(seen) == len(PETS) + 1


def test_counts_keep_their_own_words(run, tmp_path):
    model = ch.fit("plsa", np.eye(3), vocabulary=["cat", "dog", "cow"], n_components=2)
    model.save(tmp_path / "m")
    (tmp_path / "docword.new.txt").write_text("2\n2\n2\n1 1 4\n2 2 5\n")
    (tmp_path / "vocab.new.txt").write_text("cow\nyak\n")
    result = run("transform", tmp_path / "m", tmp_path / "docword.new.txt", "--json")
    found = json.loads(result.stdout)
    assert found["empty"] == 1
    assert any("are not in the model's vocabulary" in said for said in found["warnings"])
    row = found["weights"][0]
    assert [row["topic_0"], row["topic_1"]] == pytest.approx(model.transform([[0, 0, 4]])[0])


def test_a_model_of_counts_takes_texts_by_their_words(run, tmp_path):
    model = ch.fit("plsa", np.eye(3), vocabulary=["cat", "dog", "cow"], n_components=2)
    model.save(tmp_path / "m")
    (tmp_path / "new.txt").write_text("Dog and dog\n")
    row = json.loads(run("transform", tmp_path / "m", tmp_path / "new.txt", "--json").stdout)
    assert row["weights"][0]["topic_0"] == pytest.approx(model.transform([[0, 2, 0]])[0, 0])


def test_a_tokenizer_that_is_not_saved_is_missed(run, news, tmp_path):
    corpus = ch.read_corpus(PETS, tokenizer=str.split)
    ch.fit("plsa", corpus, n_components=2, max_iter=2).save(tmp_path / "m")
    result = run("transform", tmp_path / "m", news)
    assert result.exit_code == 1
    assert "tokenizer function, which isn't saved" in result.stderr


def test_topics_quiet_is_the_table_alone(run, model):
    result = run("topics", model, "--quiet")
    assert result.stdout.split()[:3] == ["topic", "share", "words"]
    assert result.stderr == ""
