"""Tables over time and by group of real processes: the same bytes for all, and nobody's two."""

import json

import pandas as pd
import pytest

import chatham as ch
from chatham.commons import Simulated
from chatham.errors import ModelFileError
from chatham.federation.join import read_for
from chatham.federation.program import fit_and_score
from chatham.federation.session import read_session
from tests.cli.federation import NAMES, Federation, chatham, commands, ended, stopped
from tests.federation.tabled import TABLES, documents

GROUP, WORD = "case 17", "codename"


class Tabled(Federation):
    """Parties whose documents are tables with dates and desks."""

    def __init__(self, folder):
        super().__init__(folder)
        for party, name in enumerate(self.names):
            table = documents(party)
            if name == "North":  # two of its own, by a name that nobody else has
                table["text"] = table["text"].astype(str)
                table.loc[257:258, "desk"] = GROUP
                table.loc[257:258, "text"] += f" {WORD}" * 6
            table.to_csv(self.text(name), index=False)

    def text(self, name):
        return self.folder / f"{name}.csv"


@pytest.fixture(scope="module")
def met(tmp_path_factory):
    """Three parties that made tables; one of them came without the column at first."""
    federation = Tabled(tmp_path_factory.mktemp("tabled"))
    paths = {
        name: federation.session(name, tables=TABLES, words={"max_df": 0.9}, **more)
        for name, more in (
            ("plsa", {"score": {"measures": ["npmi"], "held_out": 0.1}}),
            ("nmf", {}),
        )
    }
    lacking = federation.folder / "lacking.csv"
    pd.read_csv(federation.text("West")).drop(columns="desk").to_csv(lacking, index=False)
    relay, _ = federation.relaying(*paths.values())
    try:
        others = [
            commands(*(federation.joining(name, path) for path in paths.values()))
            for name in NAMES[:2]
        ]
        words = list(map(str, federation.joining("West", paths["plsa"])))
        words[words.index(str(federation.text("West")))] = str(lacking)
        slip = chatham(*words)
        _, said = slip.communicate(timeout=300)
        ended(*others, commands(*(federation.joining("West", path) for path in paths.values())))
    finally:
        stopped(relay)
    return federation, paths, (slip.returncode, said)


def simulated(federation, path, folder):
    session = read_session(path)
    corpora = [read_for(session, federation.text(name)) for name in federation.names]
    model = fit_and_score(
        lambda rows, about: Simulated(rows, secure=True, secrets=federation.secrets(path)),
        session, corpora,
    )  # fmt: skip
    model.save(folder)
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


@pytest.mark.parametrize("learner", ["plsa", "nmf"])
def test_all_parties_save_the_tables_of_the_simulation(met, learner, tmp_path):
    federation, paths, _ = met
    saved = [federation.saved(name, paths[learner]) for name in NAMES]
    assert saved[0] == saved[1] == saved[2]
    assert saved[0] == simulated(federation, paths[learner], tmp_path / "model")
    tables = ch.load(federation.model("South", paths[learner])).tables
    assert list(tables) == ["date", "desk"]
    assert tables["desk"]["desk"].unique().tolist() == ["city", "sport", "other"]


def test_a_partys_slip_is_one_sentence_and_the_others_wait(met):
    _, _, (code, said) = met
    assert code == 1
    (error,) = [line for line in said.splitlines() if line.startswith("Error")]
    assert "by the column 'desk', which your documents don't have" in said.replace("\n", " ")
    assert error.startswith("Error: The session makes a table")
    assert "Take part?" not in said


def test_two_documents_of_their_own_are_in_nothing_that_is_kept(met):
    """Nor are those of any party's own desk: only its own file has it."""
    federation, _, _ = met
    kept = [
        path for path in federation.folder.rglob("*") if path.is_file() and path.suffix != ".csv"
    ]
    assert len(kept) > 100
    for word in (GROUP, WORD, "abroad", "garden", "court"):
        assert not [path for path in kept if word.encode() in path.read_bytes()], word


def test_what_crossed_is_in_the_ledger_in_words(met, run):
    federation, _, _ = met
    folder = federation.folder / "South-plsa"
    said = " ".join(run("ledger", folder).stdout.split())
    assert 'In which spans or groups, "no value" and "other" I have documents to tell of' in said
    assert "Per span or group: documents, their weights, squares and words" in said
    assert "towards a secret to agree on spans or groups" in said
    verified = run("ledger", folder, "--verify")
    assert verified.exit_code == 0, verified.stdout


def test_documents_with_another_desk_are_other_documents(met):
    federation, paths, _ = met
    changed = federation.folder / "changed.csv"
    table = pd.read_csv(federation.text("West"))
    table.loc[0, "desk"] = "city" if table.loc[0, "desk"] == "sport" else "sport"
    table.to_csv(changed, index=False)
    words = list(map(str, federation.joining("West", paths["nmf"])))
    words[words.index(str(federation.text("West")))] = str(changed)
    process = chatham(*words)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 1
    assert "These aren't the documents with which this party joined" in " ".join(said.split())


def test_joining_again_says_where_the_tables_are(met, run):
    federation, paths, _ = met
    result = run(*federation.joining("North", paths["plsa"]))
    assert result.exit_code == 0, result.output
    said = " ".join(result.stdout.split())
    assert "By date: a table of 3 years and 3 topics, over" in said
    assert "By desk: a table of 3 groups and 3 topics, over" in said
    assert "The tables are in it too, as tables.json" in said
    assert "--table date" in said
    told = json.loads(run(*federation.joining("North", paths["plsa"]), "--json").stdout)
    assert told["tables"]["desk"]["cells"][0]["desk"] == "city"
    assert told["tables"]["date"]["cells"][0]["start"].endswith("-01-01")


# -- chatham topics --table


def test_a_table_is_shown_and_written(met, run, tmp_path):
    federation, paths, _ = met
    model = federation.model("North", paths["nmf"])
    result = run("topics", model, "--table", "date")
    assert result.exit_code == 0, result.output
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0] == ["span", "documents", "topic", "0", "topic", "1", "topic", "2"]
    dates = ch.load(model).tables["date"]
    assert [line[0] for line in lines[2:]] == dates["span"].unique().tolist()
    for name, read in (("t.csv", pd.read_csv), ("t.parquet", pd.read_parquet)):
        assert run("topics", model, "--table", "desk", "-o", tmp_path / name).exit_code == 0
        again = read(tmp_path / name)
        table = ch.load(model).tables["desk"]
        assert again["share"].tolist() == table["share"].tolist()
        assert again["desk"].tolist() == table["desk"].tolist()
    told = json.loads(run("topics", model, "--table", "desk", "--json").stdout)
    assert len(told["table"]["cells"]) == 9


@pytest.mark.parametrize("column", ["date", "desk"])
def test_a_table_is_drawn(met, run, tmp_path, column):
    pytest.importorskip("matplotlib")
    federation, paths, _ = met
    figure = tmp_path / "figure.svg"
    result = run("topics", federation.model("North", paths["nmf"]), "--table", column,
                 "--plot", figure)  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "Share of the documents" in figure.read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--table", "dates"), "it has those of 'date', 'desk'; did you mean 'date'?"),
        (("--table", "date", "--history"), "neither a history nor a tree"),
    ],
)
def test_a_table_that_is_not_there_is_refused(met, run, words, said):
    federation, paths, _ = met
    result = run("topics", federation.model("North", paths["nmf"]), *words)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_a_model_without_tables_says_where_they_come_from(run, tmp_path):
    ch.fit("plsa", ["cats purr", "dogs bark"], n_components=2, max_iter=2).save(tmp_path / "m")
    result = run("topics", tmp_path / "m", "--table", "date")
    assert result.exit_code == 2
    assert "parties make them if their session names columns" in " ".join(result.stderr.split())


# -- tables.json


HOSTILE = {
    "no json": lambda told: "{",
    "a list": lambda told: "[]",
    "nothing": lambda told: "{}",
    "nested": lambda told: "[" * 100_000,
    "NaN": lambda told: json.dumps(told).replace('"share"', "NaN", 1) + "NaN",
    "more": lambda told: json.dumps({**told, "more": 1}),
    "no list": lambda told: json.dumps({**told, "tables": {}}),
    "a table that is none": lambda told: json.dumps({**told, "tables": [1]}),
    "a column twice": lambda told: json.dumps({**told, "tables": told["tables"][:1] * 2}),
    "other fields": lambda told: changed(told, None, lambda table: table.update(more=1)),
    "no column": lambda told: changed(told, None, lambda table: table.update(column=None)),
    "no cells": lambda told: changed(told, None, lambda table: table.update(cells="cells")),
    "a short row": lambda told: changed(told, None, lambda table: table["cells"][0].pop()),
    "no day": lambda told: changed(told, 0, "2016-13-01"),
    "a day of another kind": lambda told: changed(told, 0, 2016),
    "no name": lambda told: changed(told, 1, 5),
    "fewer than none": lambda told: changed(told, 2, -1),
    "half a document": lambda told: changed(told, 2, 1.5),
    "truth": lambda told: changed(told, 3, True),
    "a huge number": lambda told: changed(told, 2, 10**400),
    "more than all": lambda told: changed(told, 4, 1.5),
    "a share in words": lambda told: changed(told, 5, "0.1"),
    "words that are none": lambda told: changed(told, 7, ["a"]),
}


def changed(told, place, value):
    told = json.loads(json.dumps(told))
    if place is None:
        value(told["tables"][0])
    else:
        told["tables"][0]["cells"][0][place] = value
    return json.dumps(told)


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_hostile_tables_are_refused(met, tmp_path, change):
    federation, paths, _ = met
    ch.load(federation.model("North", paths["nmf"])).save(tmp_path)
    told = json.loads((tmp_path / "tables.json").read_text())
    (tmp_path / "tables.json").write_text(change(told))
    with pytest.raises(ModelFileError, match=r"tables\.json"):
        ch.load(tmp_path)


def test_tables_of_another_model_are_refused(met, tmp_path):
    federation, paths, _ = met
    ch.load(federation.model("North", paths["nmf"])).save(tmp_path)
    other = federation.model("North", paths["plsa"]) / "tables.json"
    (tmp_path / "tables.json").write_bytes(other.read_bytes())
    with pytest.raises(ModelFileError, match="another model"):
        ch.load(tmp_path)
