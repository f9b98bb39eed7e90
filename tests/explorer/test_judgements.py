"""Ratings and notes: kept where they should be, bound to their model, and never trusted."""

import csv
import io
import os
import sqlite3
import subprocess
import sys

import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.explorer.judgements import FILE, Judgements
from chatham.explorer.workbench import Workbench


def test_what_was_said_is_there_again(tmp_path):
    path = tmp_path / FILE
    first = Judgements(path, "a")
    assert not path.exists()  # who only looks leaves nothing behind
    first.judge(3, 4, True, "<b>odd</b>")
    first.answer("w1", 3, "tea", "rum")
    first.answer("w1", 3, "rum", "rum")
    first.close()
    again = Judgements(path, "a")
    assert again.topics() == [{"topic": 3, "rating": 4, "junk": True, "note": "<b>odd</b>"}]
    assert [each["answer"] for each in again.answers()] == ["tea"]  # the first answer counts
    again.close()


def test_another_models_judgements_are_its_own(tmp_path):
    first = Judgements(tmp_path / FILE, "a")
    first.judge(1, 5, False, "")
    first.close()
    other = Judgements(tmp_path / FILE, "b")
    assert other.topics() == []
    other.close()


def test_a_killed_process_loses_nothing_that_was_said_to_be_kept(tmp_path):
    script = (
        "import os, sys, pathlib\n"
        "from chatham.explorer.judgements import Judgements\n"
        "said = Judgements(pathlib.Path(sys.argv[1]), 'a')\n"
        "said.judge(2, 1, False, 'kept')\n"
        "os.kill(os.getpid(), 9)\n"
    )
    path = tmp_path / FILE
    subprocess.run([sys.executable, "-c", script, str(path)], check=False, timeout=300)
    again = Judgements(path, "a")
    assert again.topics()[0]["note"] == "kept"
    again.close()


@pytest.mark.parametrize(
    "evil",
    [
        "CREATE TRIGGER t AFTER INSERT ON topics BEGIN DELETE FROM topics; END",
        "CREATE VIEW v AS SELECT 1",
        "ALTER TABLE topics ADD COLUMN more TEXT",
        "UPDATE about SET value = 'something else'",
    ],
)
def test_a_file_with_anything_else_in_it_is_refused(tmp_path, evil):
    path = tmp_path / FILE
    said = Judgements(path, "a")
    said.judge(1, None, False, "")
    said.close()
    base = sqlite3.connect(path)
    base.execute(evil)
    base.commit()
    base.close()
    with pytest.raises(InputError, match="doesn't hold judgements"):
        Judgements(path, "a")


def test_what_is_no_database_is_refused(tmp_path):
    path = tmp_path / FILE
    path.write_bytes(b"SQLite format 3\0" + os.urandom(5000))
    with pytest.raises(InputError, match="doesn't hold judgements"):
        Judgements(path, "a")


def test_a_folder_that_cant_be_written_works_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("chatham.explorer.judgements._is_writable", lambda path: False)
    said = Judgements(tmp_path / FILE, "a")
    said.judge(1, 2, False, "")
    assert not said.kept
    assert said.topics()[0]["rating"] == 2
    assert list(tmp_path.iterdir()) == []
    said.close()


@pytest.mark.parametrize(
    "bad", [(0, 6, False, ""), (0, True, False, ""), (0, 1, 1, ""), (0, 1, True, 3)]
)
def test_what_is_no_judgement_is_refused(bad):
    with pytest.raises(InputError, match="from 1 to 5"):
        Judgements(None, "a").judge(*bad)


def test_exported_cells_are_no_formulas():
    said = Judgements(None, "a")
    said.judge(0, 3, True, "=HYPERLINK(1)")
    said.answer("w1", 0, "x", "x")
    rows = list(csv.reader(io.StringIO(said.as_csv({0: "+name", 1: "b"}))))
    assert rows[1] == ["0", "'+name", "3", "yes", "'=HYPERLINK(1)", "yes"]
    assert rows[2] == ["1", "b", "", "no", "", ""]


def test_they_lie_beside_the_model_and_loading_it_never_opens_them(model, tmp_path):
    model.save(tmp_path / "model")
    (tmp_path / "model" / FILE).write_bytes(b"no database at all")
    assert ch.load(tmp_path / "model").n_topics == 3
    with pytest.raises(InputError, match="doesn't hold judgements"):
        Workbench(model, folder=tmp_path / "model")


def test_they_outlive_edits_and_names_but_not_another_fit(model, corpus, tmp_path):
    folder = tmp_path / "model"
    model.save(folder)
    bench = Workbench(ch.load(folder), corpus, folder)
    assert bench.judge(1, 5, False, "stays") == {"kept": True}
    bench.edit("split", [0])
    bench.name(1, "bread & butter")
    bench.judge(3, 2, True, "a part")
    bench.close()
    again = Workbench(ch.load(folder), corpus, folder)
    assert [each["note"] for each in again.said["topics"]] == ["stays", "a part"]
    again.close()
    ch.fit("lda", corpus, n_components=3, max_iter=60, random_state=7).save(folder)
    other = Workbench(ch.load(folder), corpus, folder)
    assert other.said["topics"] == []
    other.close()


def test_a_model_that_cant_be_written_is_still_named_while_one_looks(model, tmp_path, monkeypatch):
    model.save(tmp_path / "model")
    before = (tmp_path / "model" / "model.json").read_bytes()
    bench = Workbench(model, folder=tmp_path / "model")

    def refuse(*_):
        raise InputError("The folder can't be written.")

    monkeypatch.setattr(type(model), "save", refuse)
    assert bench.name(0, "rockets") == {"kept": False}
    assert '"rockets"' in bench.data
    assert (tmp_path / "model" / "model.json").read_bytes() == before
    bench.close()
