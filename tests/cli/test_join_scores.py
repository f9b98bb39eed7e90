"""Scores of a model that parties fitted together, for people and in a file."""

import json

import pytest

import chatham as ch
from chatham.cli.join.view import not_computed, save_scores, score_table
from chatham.cli.output import console
from chatham.errors import InputError
from tests.federation.test_program_scores import met, scored


@pytest.fixture(scope="module")
def found():
    agreed = scored("plsa", "npmi", "perplexity", "overlap", max_iter=2)
    return agreed, met(agreed, secure=True)[0]


def test_the_table_says_on_which_documents(found, capsys):
    _, model = found
    console().print(score_table(model.scores))
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[2:]]
    assert [line[0] for line in lines] == ["npmi", "perplexity", "overlap"]
    assert [line[2] for line in lines] == ["higher", "lower", "lower"]
    assert [" ".join(line[3:]) for line in lines] == [
        "76 fitted documents", "19 held-out documents", "topics",
    ]  # fmt: skip


def test_what_could_not_be_computed_is_said():
    agreed = scored("plsa", "perplexity", held_out=0.01, max_iter=2)
    (sentence,) = not_computed(met(agreed)[0].scores)
    assert sentence.startswith("The measure perplexity could not be computed: ")


def test_scores_are_saved_beside_the_model(found, tmp_path):
    agreed, model = found
    model.save(tmp_path / "model")
    save_scores(model, agreed, tmp_path / "model")
    told = json.loads((tmp_path / "model" / "scores.json").read_text())
    assert (told["session"], told["held_out"]) == (agreed.hash.hex(), 0.2)
    assert [score["value"] for score in told["scores"]] == model.scores["value"].tolist()
    loaded = ch.load(tmp_path / "model")
    assert loaded.scores is None


def test_an_older_models_scores_do_not_stay(found, tmp_path):
    agreed, model = found
    (tmp_path / "scores.json").write_text("old")
    model.save(tmp_path / "new")
    save_scores(ch.load(tmp_path / "new"), agreed, tmp_path)
    assert not (tmp_path / "scores.json").exists()
    with pytest.raises(InputError, match=r"scores.json"):
        save_scores(model, agreed, tmp_path / "none")
