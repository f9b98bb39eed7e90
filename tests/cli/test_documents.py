"""`chatham documents`: what people, machines and files get."""

import json

import numpy as np
import pandas as pd
import pytest

import chatham as ch


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A file of documents about tea and about buses, with other columns, and a model of it."""
    folder = tmp_path_factory.mktemp("documents")
    texts = ["Tea with milk, green tea and black tea.", "The bus is late, the night bus too.",
             "Black tea, milk and sugar.", "A late bus at night on the road.",
             "Green tea or sugar?", "The road at night.", ""]  # fmt: skip
    frame = pd.DataFrame(
        {"key": [f"d{row}" for row in range(7)], "body": texts, "desk": list("abababa"),
         "topic": range(7)}
    )  # fmt: skip
    frame.to_csv(folder / "news.csv", index=False)
    corpus = ch.read_corpus(frame, text="body", min_df=1)
    ch.fit("nmf", corpus, n_components=2, random_state=0).save(folder / "model")
    return folder


def asked(table, *words):
    return ("documents", table / "model", table / "news.csv", "--text", "body", *words)


def test_people_see_each_topic_with_documents_and_passages(run, table):
    result = run(*asked(table, "--id", "key", "--column", "desk", "-n", 2))
    assert result.exit_code == 0, result.stderr
    heads = [line for line in result.stdout.splitlines() if line.startswith("Topic ")]
    assert len(heads) == 2
    assert "of all" in heads[0]
    assert "desk: a" in result.stdout
    assert "Tea with milk, green tea and black tea." in result.stdout
    assert "at least" in result.stdout
    assert "\x1b" not in result.stdout


def test_one_topic_for_machines(run, table):
    model = ch.load(table / "model")
    result = run(*asked(table, "--id", "key", "--label", "desk", "--topic", 1, "--json"))
    found = json.loads(result.stdout)
    assert found["documents"] == 7
    (topic,) = found["topics"]
    assert topic["topic"] == 1
    expected = model.representative(
        pd.read_csv(table / "news.csv"), 1, text="body", id="key", label="desk"
    )
    assert [each["id"] for each in topic["documents"]] == expected["id"].tolist()
    for each, row in zip(topic["documents"], expected.itertuples(), strict=True):
        assert each["passage"] == row.passage
        assert each["label"] == row.label
        assert each["weight"] == pytest.approx(row.weight)


def test_a_table_has_the_other_columns(run, table, tmp_path):
    path = tmp_path / "shown.csv"
    result = run(*asked(table, "-n", 1, "--column", "topic", "--column", "desk", "-o", path))
    assert result.stdout == f"2 rows, saved in {path}.\n"
    read = pd.read_csv(path)
    assert read.columns.tolist()[-3:] == ["passage", "corpus_topic", "desk"]
    assert read["topic"].tolist() == [0, 1]


def test_counts_have_words_and_standard_input_works(run, table, tmp_path):
    (tmp_path / "docword.new.txt").write_text("2\n3\n3\n1 1 3\n1 2 1\n2 3 2\n")
    (tmp_path / "vocab.new.txt").write_text("tea\nmilk\nbus\n")
    found = json.loads(
        run("documents", table / "model", tmp_path / "docword.new.txt", "--json").stdout
    )
    assert {each["words"] for t in found["topics"] for each in t["documents"]} == {
        "tea milk",
        "bus",
    }
    piped = run("documents", table / "model", "-", "--format", "txt", input="Tea!\nA bus\n")
    assert piped.exit_code == 0, piped.stderr
    assert "Tea!" in piped.stdout


def test_what_cannot_be_shown_is_said(run, table, tmp_path):
    wrong = run(*asked(table, "--topic", 7))
    assert wrong.exit_code == 2
    assert "--topic: There is no topic 7; the model has the topics 0 to 1." in wrong.stderr
    column = run(*asked(table, "--column", "desc"))
    assert column.exit_code == 1
    assert "did you mean 'desk'?" in column.stderr
    nothing = run("documents", table / "model", "-", "--format", "txt", input="unheard of\n")
    assert "No document has any word of the model's vocabulary." in nothing.stdout
    ch.fit("svd", np.eye(3), vocabulary=["a", "b", "c"], n_components=2).save(tmp_path / "svd")
    refused = run("documents", tmp_path / "svd", table / "news.csv")
    assert refused.exit_code == 1
    assert "directions of svd" in refused.stderr or "direction of svd" in refused.stderr
