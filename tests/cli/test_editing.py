"""`chatham name` and `chatham edit`: names and edits of a saved model."""

import json

import pandas as pd
import pytest

import chatham as ch
from tests.command import chatham


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [
        f"{text[:200]} {index % 3}" for index, text in enumerate(ch.sample_corpus().texts[:150])
    ]


@pytest.fixture
def model(texts: list[str], tmp_path):
    pd.DataFrame({"text": texts}).to_csv(tmp_path / "news.csv", index=False)
    fitted = ch.fit("lda", texts, n_components=5, random_state=0, max_iter=10)
    fitted.save(tmp_path / "m")
    return tmp_path / "m"


def test_names_are_given_printed_and_taken_back(model) -> None:
    told = chatham("name", model, "3=child custody", "1= courts ")
    assert told.code == 0
    assert "child custody" in told.out
    assert ch.load(model).names.given == {1: "courts", 3: "child custody"}
    assert "child custody" in chatham("topics", model).out
    listed = json.loads(chatham("name", model, "--json").out)["topics"]
    assert [row["topic"] for row in listed if row["given"]] == [1, 3]
    chatham("name", model, "3=courts", "1=child custody")  # they change theirs
    assert ch.load(model).names.given == {1: "child custody", 3: "courts"}
    chatham("name", model, "1=", "3=")
    assert ch.load(model).names.given == {}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["x"], 2, "NUMBER=NAME"),
        (["x=y"], 2, "NUMBER=NAME"),
        (["9=y"], 1, "no topic 9"),
        (["1=a", "2=a"], 1, "Topic 1 is called 'a' already"),
        ([f"1={'a' * 61}"], 1, "61 characters"),
    ],
)
def test_wrong_names_change_nothing(model, words, code, said) -> None:
    before = {path.name: path.read_bytes() for path in model.iterdir()}
    told = chatham("name", model, *words)
    assert (told.code, said in told.errors) == (code, True)
    assert {path.name: path.read_bytes() for path in model.iterdir()} == before


def test_edits_are_made_told_and_undone(model, tmp_path) -> None:
    before = {path.name: path.read_bytes() for path in model.iterdir()}
    told = chatham("edit", model, "--merge", "1,3", "--drop", "4")
    assert "Edited: 1 and 3 merged into 1, 4 dropped; weights are scaled" in told.out
    assert ch.load(model).numbers.tolist() == [0, 1, 2]
    assert "1 and 3 merged" in chatham("topics", model).out
    split = chatham("edit", model, "--split", "0", "--documents", tmp_path / "news.csv", "--json")
    assert [topic["topic"] for topic in json.loads(split.out)["topics"]] == [1, 2, 5, 6]
    assert json.loads(split.out)["edits"][-1] == {"edit": "split", "topics": [0], "into": [5, 6]}
    rows = chatham("transform", model, tmp_path / "news.csv", "-o", tmp_path / "w.csv")
    assert rows.code == 0
    assert list(pd.read_csv(tmp_path / "w.csv"))[1:] == ["topic_1", "topic_2", "topic_5", "topic_6"]
    chatham("edit", model, "--undo")
    assert ch.load(model).numbers.tolist() == [0, 1, 2]
    chatham("edit", model, "--original")
    assert {path.name: path.read_bytes() for path in model.iterdir()} == before


def test_an_edited_model_can_stand_elsewhere(model, tmp_path) -> None:
    chatham("edit", model, "--drop", "0", "-o", tmp_path / "less")
    assert ch.load(model).n_topics == 5
    assert ch.load(tmp_path / "less").numbers.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--merge", "1"], 1, "two topics or more"),
        (["--merge", "1;2"], 2, "commas between them"),
        (["--merge", "1,9"], 1, "no topic 9"),
        (["--drop", "0,1,2,3,4"], 1, "one must be left"),
        (["--split", "1"], 2, "--documents"),
        (["--documents", "news.csv"], 2, "--split alone"),
        (["--undo"], 1, "nothing to undo"),
        (["--undo", "--drop", "1"], 2, "taken back or made"),
        (["--undo", "--original"], 2, "leave one"),
    ],
)
def test_wrong_edits_change_nothing(model, words, code, said) -> None:
    before = {path.name: path.read_bytes() for path in model.iterdir()}
    told = chatham("edit", model, *words)
    assert told.code == code
    assert said in " ".join(told.errors.split())
    assert {path.name: path.read_bytes() for path in model.iterdir()} == before
