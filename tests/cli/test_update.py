"""`chatham update`, `fit --slice` and `topics --history`: what they print, write and refuse."""

import json
import shutil

import numpy as np
import pytest

import chatham as ch
from tests.ensembles.growing import FEBRUARY, JANUARY, MARCH, WORDS
from tests.model.model_folders import bytes_of

READ = ("--stop-words", "none", "--min-df", 1, "--max-df", "100%", "--max-iter", 60)
LETTERS = "abcdefghij"
TERMS = [f"w{LETTERS[n // 10]}{LETTERS[n % 10]}" for n in range(len(WORDS))]


@pytest.fixture(scope="module")
def months(run, tmp_path_factory):
    """Three files of documents, and a model of the first that can grow."""
    folder = tmp_path_factory.mktemp("months")
    for name, counts in (("january", JANUARY), ("february", FEBRUARY), ("march", MARCH)):
        lines = [" ".join(np.repeat(TERMS, row)) for row in counts]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    fit = ("fit", folder / "january.txt", "-k", 4, "-m", "plsa", *READ, "-q")
    assert run(*fit, "--slice", "January", "-o", folder / "model").exit_code == 0
    assert run(*fit, "-o", folder / "plain").exit_code == 0
    return folder


@pytest.fixture(scope="module")
def updated(run, months, tmp_path_factory):
    """What two updates printed, and the folder."""
    folder = tmp_path_factory.mktemp("updated")
    shutil.copytree(months / "model", folder / "model")
    first = run("update", folder / "model", months / "february.txt")
    figure = ("--plot", folder / "history.png")
    second = run("update", folder / "model", months / "march.txt", "--slice", "March", *figure)
    return first, second, folder


def test_it_says_what_became_of_the_topics(updated):
    first, second, folder = updated
    assert first.exit_code == second.exit_code == 0, second.output
    assert "february: 150 documents, 0 new words; slice 2 of the model." in first.stdout
    assert "february: topic 4 born." in first.stdout
    assert " died.\n" in first.stdout
    assert "March: topic 5 split off from " in second.stdout
    assert "chatham topics " in second.stdout
    assert (folder / "history.png").stat().st_size > 10_000
    assert ch.load(folder / "model").slices["slice"].tolist() == ["January", "february", "March"]


def test_topics_show_the_history(run, updated, tmp_path):
    model = updated[2] / "model"
    shown = run("topics", model, "--history", "-n", 3, "--plot", tmp_path / "h.svg")
    assert shown.exit_code == 0, shown.output
    head, _, *rows = shown.stdout.splitlines()
    assert head.split() == ["topic", "words", "January", "february", "March"]
    assert sum("born" in row for row in rows) == 2
    assert sum("gone" in row for row in rows) == 1
    assert (tmp_path / "h.svg").stat().st_size > 5_000
    saved = run("topics", model, "--history", "-o", tmp_path / "history.csv")
    assert saved.exit_code == 0, saved.output
    assert len((tmp_path / "history.csv").read_text("utf-8").splitlines()) == 1 + 4 + 5 + 6
    told = json.loads(run("topics", model, "--history", "--json").stdout)
    assert [each["slice"] for each in told["slices"]] == ["January", "february", "March"]
    assert len(told["history"]) == 4 + 5 + 6
    assert {row["event"] for row in told["history"]} >= {"born", "died", "gone", "split"}


def test_update_for_machines_into_another_folder(run, months, tmp_path):
    before = bytes_of(months / "model")
    result = run("update", months / "model", months / "february.txt", "-o", tmp_path / "m",
                 "--json", "-n", 2)  # fmt: skip
    told = json.loads(result.stdout)
    assert told["slice"] == "february"
    assert told["documents"] == 150
    assert told["saved"] == str(tmp_path / "m")
    assert [len(topic["words"]) for topic in told["topics"]] == [2] * 5
    assert bytes_of(months / "model") == before
    run("update", months / "model", months / "february.txt", "-o", tmp_path / "n", "-q")
    assert bytes_of(tmp_path / "m") == bytes_of(tmp_path / "n")


def test_the_first_documents_can_be_given_later(run, months, tmp_path):
    shutil.copytree(months / "plain", tmp_path / "m")
    refused = run("update", tmp_path / "m", months / "february.txt")
    assert refused.exit_code == 1
    assert "give them once more with --first FILE" in refused.stderr
    result = run("update", tmp_path / "m", months / "february.txt", "--first",
                 months / "january.txt", "-q")  # fmt: skip
    assert result.exit_code == 0, result.output
    assert ch.load(tmp_path / "m").slices["slice"].tolist() == ["january", "february"]
    again = run("update", tmp_path / "m", months / "march.txt", "--first", months / "january.txt")
    assert again.exit_code == 2
    assert "keeps a summary of its first documents already" in again.stderr


REFUSED = {
    "the same documents": (("january.txt", "--slice", "again"), "are the slice 'January' already"),
    "the same name": (("february.txt", "--slice", "January"), "another name with --slice"),
    "a name that is none": (("february.txt", "--slice", "a/b"), "give --slice a name"),
    "no such file": (("april.txt",), "There is no file or folder"),
}


@pytest.mark.parametrize(("words", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_what_can_not_be_added_is_one_sentence_and_changes_nothing(run, months, words, says):
    before = bytes_of(months / "model")
    result = run("update", months / "model", months / words[0], *words[1:])
    assert result.exit_code == 1
    assert says in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert bytes_of(months / "model") == before


def test_a_model_without_a_history_shows_none(run, months):
    result = run("topics", months / "plain", "--history")
    assert result.exit_code == 2
    assert "fit it with --slice NAME" in result.stderr


USED_WRONGLY = {
    "a kind that can't grow": ("fit", "FILE", "-m", "svd", "--slice", "a", "-o", "x"),
    "a slice that isn't saved": ("fit", "FILE", "-m", "nmf", "--slice", "a"),
    "no file": ("update", "MODEL"),
    "no topics": ("update", "MODEL", "FILE", "-k", "0"),
    "a figure of no kind": ("update", "MODEL", "FILE", "--plot", "a.txt"),
}


@pytest.mark.parametrize("words", USED_WRONGLY.values(), ids=USED_WRONGLY.keys())
def test_used_wrongly_is_2(run, words):
    result = run(*words)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Error" in result.stderr
