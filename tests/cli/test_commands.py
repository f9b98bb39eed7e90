"""What the commands print, write and refuse."""

import json

import numpy as np
import pandas as pd
import pytest

import chatham as ch
from tests.cli.conftest import PETS


def test_fit_tells_what_it_read_and_found(run, news):
    result = run("fit", news, "-k", 2)
    assert result.exit_code == 0
    assert "documents   7 (1 empty)" in result.stdout
    assert "pass --text to choose another" in result.stdout
    assert "share   words" in result.stdout
    assert "LDA: 300 iterations" in result.stdout
    assert "give -o FOLDER" in result.stdout


def test_fit_tells_how_words_were_weighted(run, news):
    result = run("fit", news, "-k", 2, "-m", "nmf", "--max-iter", 1)
    assert "NMF on words weighted by tf-idf: 1 iteration," in result.stdout


def test_fit_says_that_it_ended_before_it_converged(run, news):
    ended = run("fit", news, "-k", 2, "-m", "plsa", "--max-iter", 2)
    said = " ".join((ended.stdout + ended.stderr).split())
    assert "all its 2 iterations and hadn't converged" in said
    assert "allow more with --max-iter" in said
    converged = run("fit", news, "-k", 2, "-m", "plsa")
    assert "hadn't converged" not in converged.stdout + converged.stderr


def test_fit_quiet_prints_the_topics_alone(run, news):
    result = run("fit", news, "-k", 2, "--quiet")
    assert result.stdout.split()[:3] == ["topic", "share", "words"]
    assert result.stderr == ""


def test_fit_json_is_json_alone(run, news, tmp_path):
    result = run("fit", news, "-k", 2, "--json", "--seed", 5, "-o", tmp_path / "m", "-n", 3)
    found = json.loads(result.stdout)
    assert result.stderr == ""
    assert found["corpus"]["documents"] == 7
    assert found["corpus"]["empty"] == 1
    assert found["seed"] == 5
    assert found["saved"] == str(tmp_path / "m")
    assert [len(topic["words"]) for topic in found["topics"]] == [3, 3]
    assert sum(topic["prevalence"] for topic in found["topics"]) == pytest.approx(1)


def test_the_same_seed_saves_the_same_bytes(run, news, tmp_path):
    for name in ("a", "b"):
        run("fit", news, "-k", 2, "-q", "-o", tmp_path / name, "--jobs", 1 + (name == "b"))
    for file in ("arrays.safetensors", "model.json"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


@pytest.mark.parametrize("name", ["nmf", "lda", "plsa", "kmeans", "anchor", "svd"])
def test_every_learner_can_be_fitted_and_used(run, news, tmp_path, name):
    fitted = run("fit", news, "-k", 2, "-m", name, "--max-iter", 5, "-o", tmp_path / name)
    assert fitted.exit_code == 0, fitted.output
    result = run("transform", tmp_path / name, news, "--json")
    assert json.loads(result.stdout)["documents"] == 7


def test_settings_reach_the_learner(run, news):
    settings = ("--set", "l2_weights=0.1", "--set", "constraint=none", "--set", "missing=None")
    result = run("fit", news, "-k", 2, "-m", "nmf", *settings, "--json")
    parameters = json.loads(result.stdout)["parameters"]
    assert parameters["l2_weights"] == 0.1
    assert parameters["constraint"] == "none"
    assert parameters["missing"] is None


def test_reading_options_reach_the_reader(run, news):
    result = run(
        "fit", news, "-k", 2, "--json", "--text", "text", "--id", "id", "--stop-words", "none",
        "--min-df", "2", "--max-df", "90%", "--ngrams", "2", "--max-features", 9,
        "--max-features-by", "tfidf", "--weighting", "tfidf",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)["corpus"]
    assert found["words"] <= 9
    assert "largest by tfidf" in " ".join(found["notes"])


def test_topics_by_every_ordering(run, model):
    for by in ("prevalence", "discriminability", "uplift", "relevance"):
        result = run("topics", model, "--by", by, "-n", 2, "--json")
        found = json.loads(result.stdout)
        assert found["by"] == by
        assert [len(topic["words"]) for topic in found["topics"]] == [2, 2]
    assert "share   words" in run("topics", model).stdout


@pytest.mark.parametrize(
    ("ending", "read"),
    [
        (".csv", pd.read_csv),
        (".tsv", lambda path: pd.read_csv(path, sep="\t")),
        (".jsonl", lambda path: pd.read_json(path, lines=True)),
        (".parquet", pd.read_parquet),
    ],
)
def test_transform_writes_what_the_ending_says(run, model, news, tmp_path, ending, read):
    path = tmp_path / f"weights{ending}"
    result = run("transform", model, news, "-o", path)
    assert result.exit_code == 0, result.output
    assert result.stdout == f"7 documents (1 empty), saved in {path}.\n"
    table = read(path)
    assert list(table) == ["id", "topic_0", "topic_1"]
    assert table["id"].tolist() == [f"d{number}" for number in range(7)]
    expected = ch.load(model).transform([*PETS, ""])
    assert np.allclose(table[["topic_0", "topic_1"]], expected, atol=1e-14)


def test_transform_prints_csv_or_json(run, model, news):
    assert run("transform", model, news).stdout.startswith("id,topic_0,topic_1\nd0,")
    found = json.loads(run("transform", model, news, "--json").stdout)
    assert found["weights"][0]["id"] == "d0"
    assert found["empty"] == 1


def test_transform_of_a_single_document(run, model, tmp_path):
    (tmp_path / "one.txt").write_text("cats purr\n")
    assert run("transform", model, tmp_path / "one.txt").stdout.startswith("id,topic_0,topic_1\n0,")


def test_transform_says_when_nothing_is_known(run, model, tmp_path):
    (tmp_path / "one.txt").write_text("quantum chromodynamics\n")
    result = run("transform", model, tmp_path / "one.txt")
    assert "Note: 1 of 1 documents have no word" in result.stderr
    assert run("transform", model, tmp_path / "one.txt", "-q").stderr == ""


def test_words_cannot_speak_to_the_terminal(run, tmp_path):
    words = ["\x1b[31mred", "[bold]x[/bold]", "\u202eover", "d"]
    ch.fit("kmeans", np.eye(4), vocabulary=words, n_components=2).save(tmp_path)
    shown = run("topics", tmp_path).stdout
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert r"\x1b[31mred" in shown
    assert "[bold]x[/bold]" in shown


USED_WRONGLY = {
    "no such option": ("fit", "NEWS", "--foo"),
    "no such command": ("fti", "NEWS"),
    "no file": ("fit",),
    "k is no number": ("fit", "NEWS", "-k", "many"),
    "k is zero": ("fit", "NEWS", "-k", 0),
    "no such learner": ("fit", "NEWS", "--model", "nfm"),
    "no such parameter": ("fit", "NEWS", "--set", "l2_wieghts=1"),
    "a parameter out of range": ("fit", "NEWS", "-m", "nmf", "--set", "constraint=sphere"),
    "a setting without a value": ("fit", "NEWS", "--set", "l2_weights"),
    "no limit": ("fit", "nosuch", "--min-df", "rare"),
    "a limit below zero": ("fit", "nosuch", "--min-df", "-5"),
    "a limit that is no share": ("fit", "nosuch", "--min-df", "5.0"),
    "more than all": ("fit", "nosuch", "--max-df", "150%"),
    "a limit that is no number": ("fit", "nosuch", "--max-df", "nan"),
    "no n-grams": ("fit", "nosuch", "--ngrams", "two"),
    "n-grams too long": ("fit", "nosuch", "--ngrams", "9"),
    "n-grams backwards": ("fit", "nosuch", "--ngrams", "3-2"),
    "no such stop words": ("fit", "nosuch", "--stop-words", "klingon"),
    "no such weighting": ("fit", "nosuch", "--weighting", "bm25"),
    "no such ranking": ("fit", "nosuch", "--max-features-by", "size"),
    "a seed too large": ("fit", "nosuch", "--seed", 99999999999),
    "a seed too large for the demo": ("demo", "--seed", 99999999999),
    "no threads": ("transform", "MODEL", "NEWS", "--jobs", 0),
    "no ordering": ("topics", "MODEL", "--by", "size"),
    "lambda out of range": ("topics", "MODEL", "--by", "uplift", "--lam", 2),
    "no such ending": ("transform", "MODEL", "NEWS", "-o", "weights.xls"),
}

COULD_NOT = {
    "no such file": (("fit", "nosuch.csv"), "nosuch.csv"),
    "no such column": (("fit", "NEWS", "--text", "txet"), "--text 'txet'"),
    "more topics than words": (("fit", "NEWS", "-k", 500), "500 topics"),
    "nothing left": (("fit", "NEWS", "--min-df", "6", "--max-df", "6"), "--min-df"),
    "not a model": (("topics", "HERE"), "model.json"),
    "no such model": (("topics", "nosuch/"), "nosuch"),
    "a folder of something else": (("fit", "NEWS", "-o", "HERE"), "something other"),
    "no such folder": (("transform", "MODEL", "NEWS", "-o", "nosuch/w.csv"), "nosuch"),
}


def _placed(words, news, model):
    places = {"NEWS": news, "MODEL": model, "HERE": news.parent}
    return [places.get(word, word) for word in words]


@pytest.mark.parametrize("words", USED_WRONGLY.values(), ids=USED_WRONGLY.keys())
def test_used_wrongly_is_2(run, news, model, words):
    result = run(*_placed(words, news, model))
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Error" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(("words", "named"), COULD_NOT.values(), ids=COULD_NOT.keys())
def test_could_not_is_1_and_one_sentence(run, news, model, words, named):
    result = run(*_placed(words, news, model))
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert named in result.stderr
    assert "purr" not in result.stderr


def test_a_mistake_of_ours_shows_no_document(run, news, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("Cats purr and cats sleep on the sofa")

    monkeypatch.setattr("chatham.corpus.read_corpus", broken)
    result = run("fit", news)
    assert result.exit_code == 1
    assert "An unexpected RuntimeError" in result.stderr
    assert "purr" not in result.stderr


def test_an_interruption_is_quiet(run, news, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("chatham.corpus.read_corpus", interrupted)
    result = run("fit", news)
    assert result.exit_code == 130
    assert result.stdout == ""
    assert result.stderr == "Interrupted; nothing was saved.\n"


def test_directions_are_shown_as_such_and_have_one_order(run, news, tmp_path):
    fitted = run("fit", news, "-k", 2, "-m", "svd", "-o", tmp_path / "m", "--json")
    told = json.loads(fitted.stdout)
    assert [row["direction"] for row in told["directions"]] == [0, 1]
    assert "topics" not in told
    assert run("topics", tmp_path / "m", "-q").stdout.split()[0] == "direction"
    weights = json.loads(run("transform", tmp_path / "m", news, "--json").stdout)
    assert weights["directions"] == 2
    refused = run("topics", tmp_path / "m", "--by", "uplift")
    assert refused.exit_code == 2
    assert "have one order of words" in " ".join(refused.stderr.split())
