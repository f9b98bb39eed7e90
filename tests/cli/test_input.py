"""Commands read what people have: standard input, several files, archives, no header, bad rows."""

import json
import zipfile

import pandas as pd
import pytest

from tests.cli.conftest import PETS

FIT = ("-k", 2, "--model", "plsa", "--max-iter", 20, "--json")


@pytest.fixture(scope="module")
def table():
    return pd.DataFrame({"key": list("abcdef"), "body": PETS})


def topics(result):
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)["topics"]


@pytest.fixture(scope="module")
def plain(run, table, tmp_path_factory):
    path = tmp_path_factory.mktemp("plain") / "pets.csv"
    table.to_csv(path, index=False)
    return topics(run("fit", path, *FIT)), path


def test_standard_input(run, plain):
    expected, path = plain
    content = path.read_bytes()
    assert topics(run("fit", "-", "--format", "csv", *FIT, input=content)) == expected
    refused = run("fit", "-", *FIT, input=content)
    assert refused.exit_code == 1
    assert "pass --format, one of 'csv'" in refused.stderr


def test_several_files_and_a_pattern(run, plain, table, tmp_path):
    for number in range(3):
        table[2 * number : 2 * number + 2].to_json(tmp_path / f"{number}.json", orient="records")
    each = [tmp_path / f"{number}.json" for number in range(3)]
    assert topics(run("fit", *each, *FIT)) == plain[0]
    assert topics(run("fit", tmp_path / "*.json", *FIT)) == plain[0]
    assert topics(run("fit", tmp_path, *FIT)) == plain[0]
    result = run("fit", *each, *FIT[:-1])
    assert "documents   6 (0 empty)" in result.stdout + result.stderr


def test_an_archive_and_a_spreadsheet(run, plain, table, tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(plain[1], "deep/pets.csv")
    table.to_excel(tmp_path / "a.xlsx", index=False)
    for name in ("a.zip", "a.xlsx"):
        assert topics(run("fit", tmp_path / name, *FIT)) == plain[0]


def test_a_delimiter_no_header_and_columns_by_number(run, plain, table, tmp_path):
    table.to_csv(tmp_path / "a.txt", index=False, header=False, sep="|")
    words = ("--delimiter", "|", "--no-header", "--text", "2", "--id", "1")
    assert topics(run("fit", tmp_path / "a.txt", *words, *FIT)) == plain[0]
    refused = run("fit", tmp_path / "a.txt", "--no-header", *FIT)
    assert "--no-header is for csv, tsv and xlsx, and this is txt" in refused.stderr


def test_bad_rows(run, plain, tmp_path):
    (tmp_path / "a.csv").write_text(plain[1].read_text() + 'g,"cut o')
    refused = run("fit", tmp_path / "a.csv", *FIT)
    assert refused.exit_code == 1
    assert "record that begins on line 8" in refused.stderr
    assert "pass --skip-bad-rows to leave such rows out" in refused.stderr
    result = run("fit", tmp_path / "a.csv", "--skip-bad-rows", *FIT)
    assert topics(result) == plain[0]
    notes = json.loads(result.stdout)["corpus"]["notes"]
    assert "Left out 1 row of a.csv that can't be parsed, on line 8." in notes


def test_transform_and_evaluate_read_the_same(run, model, table, tmp_path):
    table.to_csv(tmp_path / "a.dump", index=False, header=False, sep="~")
    (tmp_path / "a.dump").write_text((tmp_path / "a.dump").read_text() + "one field\n")
    form = ("--delimiter", "~", "--no-header", "--text", "2", "--id", "1", "--skip-bad-rows")
    table.to_csv(tmp_path / "a.csv", index=False)
    expected = run("transform", model, tmp_path / "a.csv", "--text", "body", "--id", "key")
    assert run("transform", model, tmp_path / "a.dump", *form).stdout == expected.stdout
    twice = run("transform", model, *[tmp_path / "a.csv"] * 2, "--text", "body", "--json")
    assert json.loads(twice.stdout)["documents"] == 12
    content = (tmp_path / "a.dump").read_bytes()
    piped = run("transform", model, "-", *form, "--format", "csv", input=content)
    assert piped.stdout == expected.stdout
    score = ("--measure", "npmi", "--json")
    scores = run("evaluate", model, tmp_path / "a.csv", "--text", "body", *score)
    other = run("evaluate", model, tmp_path / "a.dump", *form, *score)
    assert json.loads(other.stdout)["models"] == json.loads(scores.stdout)["models"]


def test_nobody_answers_on_standard_input_that_documents_come_on(run, tmp_path):
    result = run(
        "join", tmp_path / "s.toml", "--corpus", "-", "--key", tmp_path / "k", "--folder",
        tmp_path / "f",
    )  # fmt: skip
    assert result.exit_code == 2
    assert "nobody can say yes there" in result.stderr


def test_a_command_without_the_option_does_not_name_it(run, tmp_path):
    """`session --try` has no --skip-bad-rows; the fixture `run` compares too."""
    from chatham.cli.app import command_named
    from chatham.cli.wording import as_options, speaking_for
    from chatham.corpus import read_corpus
    from chatham.errors import InputError

    (tmp_path / "a.csv").write_text("a,b\n1\n")
    with pytest.raises(InputError) as caught:
        read_corpus(tmp_path / "a.csv")
    with speaking_for(command_named("session")):
        assert as_options(caught.value).endswith("hold delimiters, or leave such rows out.")
    with speaking_for(command_named("audit")):
        assert as_options(caught.value).endswith("pass --skip-bad-rows to leave such rows out.")
