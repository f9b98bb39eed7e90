"""Anchor models on the command line: named anchors, correlations, supertopics, pictures."""

import json

import numpy as np
import pytest

import chatham as ch
from chatham.cli.parse import as_anchors
from tests.conftest import plant

WORDS = [f"{first}{second}" for first in "abcdefgh" for second in "uvwxy"]


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """A planted corpus of four topics as texts."""
    counts = plant(n=200, d=40, k=4, seed=3)[0].toarray()
    path = tmp_path_factory.mktemp("planted") / "planted.txt"
    lines = [" ".join(np.repeat(WORDS, row)) for row in counts]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


READ = ("--stop-words", "none", "--min-df", 1, "--max-df", "100%")
FIT = ("-k", 4, "-m", "anchor", *READ, "--set", "refine=2", "--set", "min_anchor_df=1")


@pytest.fixture(scope="module")
def anchored(run, counted, tmp_path_factory):
    """A saved anchor model."""
    folder = tmp_path_factory.mktemp("models") / "anchored"
    result = run("fit", counted, *FIT, "-o", folder, "--quiet")
    assert result.exit_code == 0, result.output
    return folder


def test_fit_shows_the_anchor_and_what_was_done(run, counted):
    result = run("fit", counted, *FIT, "--anchors", "av bw, cx", "--anchors", "dy")
    assert result.exit_code == 0, result.output
    assert "topic   share   anchor   words" in result.stdout
    assert "   av bw    " in result.stdout
    assert " projections, 2 sweeps, " in result.stdout
    unrectified = run("fit", counted, *FIT, "--set", "rectify=none", "--set", "refine=0")
    said = unrectified.stdout.rpartition("AnchorWords: ")[2]
    assert said.partition(" s in all.")[0].replace(".", "").isdecimal()


def test_fit_json_has_the_anchors(run, counted):
    found = json.loads(run("fit", counted, *FIT, "--anchors", "av bw, cx", "--json").stdout)
    anchors = [topic["anchor"] for topic in found["topics"]]
    assert ["av", "bw"] in anchors
    assert ["cx"] in anchors
    places = [sorted(WORDS).index(word) for word in ("av", "bw", "cx")]
    assert found["parameters"]["anchors"] == [places[:2], places[2:]]


def test_anchors_as_a_setting(run, counted):
    result = run("fit", counted, *FIT, "--set", 'anchors=[["av","bw"],"cx"]', "--json")
    anchors = [topic["anchor"] for topic in json.loads(result.stdout)["topics"]]
    assert ["av", "bw"] in anchors


def test_titles_with_blanks_and_commas():
    titles = ["Emma", "Shining, The", "Toy Story"]
    assert as_anchors(["Shining, The", " Toy Story , Emma"], titles) == [
        ["Shining, The"], ["Toy Story"], ["Emma"],
    ]  # fmt: skip
    assert as_anchors(["Toy Stroy"], titles) == [["Toy Stroy"]]
    assert as_anchors(["tea milk"], ["milk", "tea"]) == [["tea", "milk"]]


WRONG = {
    "of another learner": (("-m", "lda", "--anchors", "av"), "for --model anchor"),
    "twice": (("-m", "anchor", "--anchors", "av", "--set", "anchors=fast"), "leave one of them"),
    "nothing between commas": (("-m", "anchor", "--anchors", "av,,bw"), "without a word"),
    "nothing at all": (("-m", "anchor", "--anchors", ""), "without a word"),
}


@pytest.mark.parametrize(("words", "said"), WRONG.values(), ids=WRONG.keys())
def test_anchors_used_wrongly_are_2(run, counted, words, said):
    result = run("fit", counted, *words)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_an_unknown_anchor_is_1_and_the_near_ones_are_named(run, counted):
    result = run("fit", counted, *FIT, "--anchors", "AV, bw")
    assert result.exit_code == 1
    assert "The anchor 'AV' is not among the 40 words" in result.stderr
    assert "'av'" in result.stderr


def test_topics_show_anchors(run, anchored):
    model = ch.load(anchored)
    assert "share   anchor   words" in run("topics", anchored).stdout
    found = json.loads(run("topics", anchored, "--json").stdout)
    assert [topic["anchor"] for topic in found["topics"]] == model.anchors
    assert not {"levels", "picture"} & found.keys()
    assert "goes_with" not in found["topics"][0]


def test_correlations(run, anchored):
    table = ch.load(anchored).related_topics()
    found = json.loads(run("topics", anchored, "--correlations", "--json").stdout)
    pairs = [
        (topic["topic"], other["topic"], other["lift"])
        for topic in found["topics"] for other in topic["goes_with"]
    ]  # fmt: skip
    assert pairs == list(zip(table["topic"], table["related"], table["lift"], strict=True))
    shown = run("topics", anchored, "--correlations").stdout
    assert "words" in shown
    assert "goes with" in shown
    strongest = table.loc[table["lift"].idxmax()]
    assert f"{int(strongest['related'])} (×{strongest['lift']:.1f})" in shown


def test_levels_are_a_tree(run, anchored):
    model = ch.load(anchored)
    shown = run("topics", anchored, "--levels", "2", "-n", 3).stdout
    assert shown.count("level 2 topic ") == 2
    for topic, words in enumerate(model.top_word_lists(3)):
        assert f"topic {topic}: {' '.join(words)}\n" in shown
    assert "share   anchor" not in shown
    both = run("topics", anchored, "--levels", "2", "--correlations").stdout
    assert "goes with" in both
    assert "level 2 topic 0" in both


def test_levels_as_json(run, anchored):
    result = run("topics", anchored, "--levels", "3,1", "--json", "-n", 2, "--by", "relevance")
    found = json.loads(result.stdout)["levels"]
    assert [level["level"] for level in found] == [2, 3]
    assert [len(level["topics"]) for level in found] == [3, 1]
    hierarchy = ch.load(anchored).estimator.hierarchy([3, 1])
    first = found[0]["topics"][0]
    assert first["prevalence"] == pytest.approx(hierarchy.prevalence(2)[0])
    for member in first["members"]:
        weight = hierarchy.levels[0].topics[0, member["topic"]]
        assert member["weight"] == pytest.approx(weight)
    assert sum(topic["prevalence"] for topic in found[1]["topics"]) == pytest.approx(1)


def test_pictures(run, anchored, tmp_path):
    pytest.importorskip("matplotlib")
    result = run("topics", anchored, "--plot", tmp_path / "a.png", "--picture", "anchors")
    assert f"Figure saved in {tmp_path / 'a.png'}." in result.stdout
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    found = json.loads(
        run("topics", anchored, "--levels", "2", "--plot", tmp_path / "b.svg", "--json").stdout
    )
    assert found["picture"] == str(tmp_path / "b.svg")
    assert b"supertopic" in (tmp_path / "b.svg").read_bytes()
    assert "Figure" not in run("topics", anchored, "--plot", tmp_path / "a.png", "-q").stdout


@pytest.mark.parametrize(
    "words",
    [("--correlations",), ("--levels", "1"), ("--picture", "anchors", "--plot", "a.png")],
    ids=lambda words: words[0],
)
def test_only_anchor_models_have_them(run, model, words):
    result = run("topics", model, *words)
    assert result.exit_code == 2
    said = " ".join(result.stderr.split())
    assert f"for {words[0]}: This needs a model that was fitted with --model anchor" in said
    assert "is lda" in said


@pytest.mark.parametrize("levels", ["4", "0", "2,2", "two", "2,,1", ""])
def test_levels_that_do_not_fall_are_2(run, anchored, levels):
    result = run("topics", anchored, "--levels", levels)
    assert result.exit_code == 2
    assert "--levels" in result.stderr
