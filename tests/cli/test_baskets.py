"""Items in baskets on the command line."""

import json

import numpy as np
import pandas as pd
import pytest

import chatham as ch
from chatham.measures.ratings import RMSE

COLUMNS = ("--basket", "user", "--item", "film", "--rating", "stars")
KINDS = [["Alien", "The Thing", "Heat"], ["Emma", "Sense, Sensibility", "Clueless"]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Ratings of forty users who like one kind of film each, and the films' titles."""
    here = tmp_path_factory.mktemp("films")
    rng = np.random.default_rng(0)
    titles = [*KINDS[0], *KINDS[1]]
    rows = [
        (f"u{user}", film, int(rng.integers(4, 6)))
        for user in range(40) for film in rng.permutation(3)[:2] + 3 * (user % 2)
    ]  # fmt: skip
    pd.DataFrame(rows, columns=["user", "film", "stars"]).to_csv(here / "stars.csv", index=False)
    named = pd.DataFrame({"film": range(6), "title": titles, "year": 1995})
    named.to_parquet(here / "films.parquet")
    return here


@pytest.fixture(scope="module")
def named(folder):
    return (*COLUMNS, "--names", folder / "films.parquet", "--title", "title")


@pytest.fixture(scope="module")
def saved(run, folder, named):
    result = run("fit", folder / "stars.csv", *named, "-k", 2, "-m", "plsa", "-o", folder / "m")
    assert result.exit_code == 0, result.output
    return folder / "m"


def test_baskets_are_what_the_library_reads(run, folder, named):
    found = json.loads(run("fit", folder / "stars.csv", *named, "-k", 2, "--json").stdout)
    table = pd.read_csv(folder / "stars.csv")
    assert found["corpus"]["documents"] == 40
    assert found["corpus"]["tokens"] == 2 * table["stars"].sum()
    words = {word for topic in found["topics"] for word in topic["words"]}
    assert words == {*KINDS[0], *KINDS[1]}


def test_titles_are_told_apart(run, folder, named):
    shown = run("fit", folder / "stars.csv", *named, "-k", 2, "-m", "anchor", "-q").stdout
    assert "; " in shown


def test_anchors_are_titles(run, folder, named):
    anchors = ("-m", "anchor", "--anchors", "Sense, Sensibility", "--anchors", "The Thing")
    result = run("fit", folder / "stars.csv", *named, "-k", 2, *anchors, "--json")
    topics = json.loads(result.stdout)["topics"]
    assert sorted(topic["anchor"] for topic in topics) == [["Sense, Sensibility"], ["The Thing"]]


def test_scale_and_least(run, folder, named):
    once = ("--scale", 1, "--least", 10)
    found = json.loads(run("fit", folder / "stars.csv", *named, "-k", 2, *once, "--json").stdout)
    totals = pd.read_csv(folder / "stars.csv").groupby("user")["stars"].sum()
    assert found["corpus"]["documents"] == int((totals >= 10).sum())
    assert found["corpus"]["tokens"] == int(totals[totals >= 10].sum())


def test_new_baskets_have_weights(run, folder, named, saved):
    result = run("transform", saved, folder / "stars.csv", *named, "--json")
    found = json.loads(result.stdout)
    corpus = ch.read_baskets(
        folder / "stars.csv", basket="user", item="film", rating="stars",
        names=folder / "films.parquet", title="title",
    )  # fmt: skip
    expected = ch.load(saved).transform(corpus)
    weights = [[row["topic_0"], row["topic_1"]] for row in found["weights"]]
    assert np.allclose(weights, expected, atol=1e-12)
    assert [row["id"] for row in found["weights"]] == corpus.ids.tolist()


def test_rows_that_are_left_out_are_told(run, folder, named, saved, tmp_path):
    table = pd.read_csv(folder / "stars.csv")
    table.loc[0, "user"] = None
    table.to_csv(tmp_path / "stars.csv", index=False)
    found = json.loads(run("transform", saved, tmp_path / "stars.csv", *named, "--json").stdout)
    assert found["notes"][0] == "Left out 1 row without basket or item or rating."


def test_items_called_otherwise_are_missed(run, folder, saved):
    result = run("transform", saved, folder / "stars.csv", *COLUMNS)
    assert result.exit_code == 1
    assert "pass --names and --title" in result.stderr


def test_models_of_baskets_are_measured_on_baskets(run, folder, named, saved):
    measure = ("--measure", "npmi,log_likelihood", "--words", 3, "--json")
    result = run("evaluate", saved, folder / "stars.csv", *named, *measure)
    found = json.loads(result.stdout)
    assert found["documents"]["corpus"] == 40
    (model,) = found["models"]
    assert [row["measure"] for row in model["measures"]] == ["npmi", "log_likelihood"]


WRONG = {
    "no item": (("--basket", "user"), "give it along with --basket"),
    "no basket": (("--item", "film"), "give it along with --item"),
    "a rating alone": (("--rating", "stars"), "give it along with --rating"),
    "a scale alone": (("--scale", 3), "give it along with --scale"),
    "texts too": ((*COLUMNS, "--text", "film"), "--text is for documents"),
    "labels too": ((*COLUMNS, "--label", "film"), "--label is for documents"),
    "phrases too": ((*COLUMNS, "--ngrams", 2), "--ngrams is for documents"),
    "stop words too": ((*COLUMNS, "--stop-words", "en"), "--stop-words is for documents"),
}


@pytest.mark.parametrize(("words", "said"), WRONG.values(), ids=WRONG.keys())
def test_used_wrongly_is_2(run, folder, words, said):
    result = run("fit", folder / "stars.csv", *words)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


@pytest.mark.parametrize("command", ["transform", "evaluate"])
def test_other_commands_refuse_texts_too(run, folder, saved, command):
    result = run(command, saved, folder / "stars.csv", *COLUMNS, "--text", "film")
    assert result.exit_code == 2
    assert "--text is for documents" in " ".join(result.stderr.split())


COULD_NOT = {
    "no such column": (("--basket", "usr", "--item", "film"), "--basket 'usr' is not a column"),
    "one column": (("--basket", "user", "--item", "user"), "--basket and --item are both"),
    "no scale": ((*COLUMNS, "--scale", 0), "--scale must be a finite number"),
    "too large": ((*COLUMNS, "--least", 1000), "lower --least"),
    "no names": ((*COLUMNS, "--names", "nosuch.csv"), "nosuch.csv"),
}


@pytest.mark.parametrize(("words", "said"), COULD_NOT.values(), ids=COULD_NOT.keys())
def test_could_not_is_1(run, folder, words, said):
    result = run("fit", folder / "stars.csv", *words)
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert said in result.stderr


def test_items_are_recommended_by_a_model_of_ratings(run, folder, named, saved, tmp_path):
    settings = ("-k", 2, "-m", "nmf", "--set", "missing=unobserved", "-o", tmp_path / "films")
    assert run("fit", folder / "stars.csv", *named, *settings).exit_code == 0
    words = ("transform", tmp_path / "films", folder / "stars.csv", *named, "--recommend", 2)
    found = json.loads(run(*words, "--json").stdout)
    corpus = ch.read_baskets(
        folder / "stars.csv", basket="user", item="film", rating="stars",
        names=folder / "films.parquet", title="title",
    )  # fmt: skip
    expected = ch.load(tmp_path / "films").recommend(corpus, 2)
    assert found["recommendations"] == len(expected) > 0
    expected["predicted"] /= 2  # in stars, which are counted twice
    assert found["recommended"] == expected.to_dict(orient="records")
    scores = run("evaluate", tmp_path / "films", folder / "stars.csv", *named,
                 "--measure", "rmse", "--json")  # fmt: skip
    told = ch.evaluate(ch.load(tmp_path / "films"), corpus, measures=[RMSE(scale=2.0)])
    scored = json.loads(scores.stdout)["models"][0]["measures"][0]
    assert scored["value"] == pytest.approx(told["value"][0])
    refused = run("transform", saved, folder / "stars.csv", *named, "--recommend", 2)
    assert refused.exit_code == 1
    assert "takes cells that aren't stored as zeros" in " ".join(refused.stderr.split())
    assert run(*words, "--inference", "spi").exit_code == 2
