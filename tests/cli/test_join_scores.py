"""Scores of a model that parties fitted together, for people and in a file."""

import json
import shutil

import pytest

import chatham as ch
from chatham.cli.join.view import not_computed, score_table
from chatham.cli.output import console
from chatham.errors import ModelFileError
from chatham.model.plain import finite
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


def test_scores_are_saved_beside_the_model_and_loaded_with_it(found, tmp_path):
    agreed, model = found
    model.save(tmp_path / "model")
    told = json.loads((tmp_path / "model" / "scores.json").read_text())
    assert (told["session"], told["held_out"]) == (agreed.hash.hex(), 0.2)
    assert [score["value"] for score in told["scores"]] == model.scores["value"].tolist()
    loaded = ch.load(tmp_path / "model")
    assert finite(loaded.scores.to_dict("records")) == finite(model.scores.to_dict("records"))
    assert finite(loaded.scores.attrs)["skipped"] == {}
    loaded.save(tmp_path / "again")
    again = (tmp_path / "again" / "scores.json").read_bytes()
    written = json.loads(again)
    assert written.pop("arrays_sha256") == told.pop("arrays_sha256")
    assert written == told


def test_an_older_models_scores_do_not_stay(found, tmp_path):
    _, model = found
    model.save(tmp_path)
    model.save(tmp_path)  # its own are written anew
    assert (tmp_path / "scores.json").exists()
    ch.fit("plsa", ["cats purr", "dogs bark"], n_components=2).save(tmp_path)
    assert not (tmp_path / "scores.json").exists()
    assert ch.load(tmp_path).scores is None


def test_scores_of_another_model_are_refused(found, tmp_path):
    _, model = found
    model.save(tmp_path / "scored")
    ch.fit("plsa", ["cats purr", "dogs bark"], n_components=2).save(tmp_path / "other")
    shutil.copy(tmp_path / "scored" / "scores.json", tmp_path / "other")
    with pytest.raises(ModelFileError, match="another model"):
        ch.load(tmp_path / "other")


def test_scores_from_before_they_named_their_model_are_read(found, tmp_path):
    _, model = found
    model.save(tmp_path)
    told = json.loads((tmp_path / "scores.json").read_text())
    del told["arrays_sha256"]
    (tmp_path / "scores.json").write_text(json.dumps(told))
    assert ch.load(tmp_path).scores["value"].tolist() == model.scores["value"].tolist()


HOSTILE = {
    "no json": "{",
    "a list": "[]",
    "nothing": "{}",
    "NaN": '{"scores": [], "skipped": {"npmi": NaN}}',
    "nested": "[" * 100_000,
    "no scores": '{"scores": {}, "skipped": {}}',
    "a reason that is none": '{"scores": [], "skipped": {"npmi": 1}}',
    "other fields": '{"scores": [{"measure": "npmi"}], "skipped": {}}',
    "a text as value": '{"scores": [{"measure": "npmi", "value": "0.1", "higher_is_better": true,'
    ' "per_topic": null, "settings": {}, "source": ""}], "skipped": {}}',
    "truth as value": '{"scores": [{"measure": "npmi", "value": true, "higher_is_better": true,'
    ' "per_topic": null, "settings": {}, "source": ""}], "skipped": {}}',
    "a number too large": '{"scores": [{"measure": "npmi", "value": 1' + "0" * 400 + ","
    ' "higher_is_better": true, "per_topic": null, "settings": {}, "source": ""}], "skipped": {}}',
    "lists by topic": '{"scores": [{"measure": "npmi", "value": 1, "higher_is_better": true,'
    ' "per_topic": [[1]], "settings": {}, "source": ""}], "skipped": {}}',
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_hostile_scores_are_refused(saved, content):
    (saved / "scores.json").write_text(content)
    with pytest.raises(ModelFileError, match=r"scores\.json"):
        ch.load(saved)


@pytest.fixture
def saved(tmp_path):
    ch.fit("plsa", ["cats purr", "dogs bark"], n_components=2, max_iter=2).save(tmp_path)
    return tmp_path
