"""Nothing that `chatham evaluate` prints is cut, in a terminal of 80 columns or fewer."""

import json
import re
import shutil

import pytest

from chatham.plots.panels import shown
from tests.cli.conftest import PETS

LONG = "a-model-whose-name-is-rather-long"


@pytest.fixture(scope="module")
def trained(run, news, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained") / "m"
    assert run("fit", news, "-k", 2, "-m", "nmf", "-o", folder, "-q").exit_code == 0
    return folder


@pytest.fixture
def copies(model, trained, tmp_path):
    def copied(names):
        for number, name in enumerate(names):
            shutil.copytree(model if number % 2 else trained, tmp_path / name)
        return [tmp_path / name for name in names]

    return copied


def told(run, *words, columns=80):
    result = run(*words, env={"COLUMNS": str(columns)})
    assert result.exit_code == 0, result.output
    return result.stdout


def cells(printed):
    return set(re.split(r"\s{2,}|\n", printed))


@pytest.mark.parametrize("columns", [60, 80, 1000])
@pytest.mark.parametrize(
    "names",
    [
        [f"n{number}" for number in range(4)],
        [f"{LONG}-{number}" for number in range(4)],
        [f"n{number}" for number in range(11)],
        [f"{LONG}-{number}" for number in range(11)],
    ],
    ids=["4 short", "4 long", "11 short", "11 long"],
)
def test_no_number_and_no_name_is_cut(run, copies, news, names, columns):
    models = copies(names)
    result = json.loads(run("evaluate", *models, news, "--json").stdout)
    printed = told(run, "evaluate", *models, news, "-q", columns=columns)
    seen = cells(printed)
    for row in result["comparison"]:
        assert row["measure"] in seen
        assert {shown(row[name]) for name in names} <= seen
        assert row["delta"] is None or f"{row['delta']:.1%}" in seen
    assert all(name in printed for name in names)
    assert max(len(line.rstrip()) for line in printed.splitlines()) <= columns


def test_long_names_are_numbers_rather_than_more_tables(run, copies, news):
    names = [f"{LONG}-{number}" for number in range(4)]
    printed = told(run, "evaluate", *copies(names), news, "-q", "--measure", "npmi,c_v")
    lines = printed.splitlines()
    assert lines[:4] == [f" [{number}] {name}" for number, name in enumerate(names, start=1)]
    assert lines[5].split() == ["measure", "better", "[1]", "[2]", "[3]", "[4]", "best", "∆"]


@pytest.mark.parametrize("columns", [40, 80])
def test_the_table_of_one_model_is_whole(run, model, news, columns):
    arguments = ("evaluate", model, news, "--held-out", news)
    (only,) = json.loads(run(*arguments, "--json").stdout)["models"]
    printed = told(run, *arguments, "-q", columns=columns)
    for row in only["measures"]:
        assert {row["measure"], shown(row["value"])} <= cells(printed)
    if columns == 80:
        assert max(len(line.rstrip()) for line in printed.splitlines()) <= 80


def test_accuracy_has_a_word_for_people_and_the_rest_for_machines(run, model, tmp_path):
    path = tmp_path / "pets.csv"
    rows = [f"{'cat' if 'urr' in text else 'dog'},{text.replace(',', '')}" for text in PETS * 3]
    path.write_text("\n".join(["kind,body", *rows]) + "\n")
    arguments = ("evaluate", model, path, "--label", "kind", "--text", "body", "--measure")
    row = " ".join(told(run, *arguments, "accuracy", "-q").split("─\n")[1].split())
    assert re.fullmatch(r"accuracy \S+ higher corpus bag of words \S+, commonest class \S+", row)
    (only,) = json.loads(run(*arguments, "accuracy", "--json").stdout)["models"]
    assert "rounds" in only["measures"][0]["settings"]


def test_topics_are_shown_with_their_values_and_words(run, model, trained, news):
    arguments = ("evaluate", model, news, "--measure", "npmi,c_v,frobenius")
    (only,) = json.loads(run(*arguments, "--json").stdout)["models"]
    printed = told(run, *arguments, "--topics", "-q").split("\n\n")[1].splitlines()
    assert printed[0].split() == ["topic", "words", "npmi", "c_v"]
    by_topic = {row["measure"]: row["per_topic"] for row in only["measures"]}
    for topic, line in enumerate(printed[2:]):
        expected = [shown(by_topic[name][topic]) for name in ("npmi", "c_v")]
        words = only["words"][topic][:4]
        assert line.split() == [str(topic), *words, *expected]
    both = told(run, "evaluate", model, trained, news, "--topics", "-q")
    assert "\npets:\n" in both
    assert "\nm:\n" in both
    none = told(run, "evaluate", model, news, "--measure", "frobenius", "--topics", "-q")
    assert "No measure that was computed has values by topic." in none
