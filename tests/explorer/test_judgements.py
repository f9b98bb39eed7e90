"""Ratings and notes: kept where they should be, bound to their model, and never trusted."""

import csv
import io
import os
import sqlite3
import struct
import subprocess
import sys

import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.explorer.judgements import FILE, FORMAT, MOST_BYTES, SCHEMA, Judgements
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
    assert bench.judge(1, {"rating": 5, "note": "stays"}) == {"kept": True}
    bench.edit("split", [0])
    bench.name(1, "bread & butter")
    bench.judge(3, {"rating": 2, "junk": True, "note": "a part"})
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


def altered(path, *statements):
    with sqlite3.connect(path) as base:
        for statement in statements:
            base.execute(statement)
    base.close()


def test_nothing_that_runs_hides_behind_a_tables_name(tmp_path):
    path = tmp_path / FILE
    altered(
        path, SCHEMA["about"], SCHEMA["topics"],
        "CREATE TRIGGER answers AFTER INSERT ON topics BEGIN DELETE FROM topics; END",
        SCHEMA["answers"], f"INSERT INTO about VALUES ('format', '{FORMAT}')",
    )  # fmt: skip
    with pytest.raises(InputError, match="doesn't hold judgements"):
        Judgements(path, "a")


@pytest.mark.parametrize(
    "evil",
    ["rating = '=cmd()'", "rating = 9e999", "rating = 6", "note = x'ff'", "junk = 'yes'",
     "topic = 'x'"],
)  # fmt: skip
def test_values_that_we_wouldnt_have_written_are_refused(tmp_path, evil):
    path = tmp_path / FILE
    said = Judgements(path, "a")
    said.judge(1, 5, False, "")
    said.close()
    altered(path, f"UPDATE topics SET {evil}")
    with pytest.raises(InputError, match="doesn't hold judgements"):
        Judgements(path, "a")


def test_links_arent_followed(tmp_path):
    path, elsewhere = tmp_path / FILE, tmp_path / "elsewhere"
    path.symlink_to(elsewhere)
    with pytest.raises(InputError, match="is a link"):
        Judgements(path, "a")
    assert not elsewhere.exists()


def test_what_is_too_large_or_no_file_isnt_opened(tmp_path):
    path = tmp_path / FILE
    with path.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(InputError, match="doesn't hold judgements"):
        Judgements(path, "a")
    with pytest.raises(InputError, match="doesn't hold judgements"):
        Judgements(tmp_path, "a")


def test_an_empty_file_is_a_new_one(tmp_path):
    path = tmp_path / FILE
    path.touch()
    said = Judgements(path, "a")
    said.judge(1, 5, False, "")
    said.close()
    again = Judgements(path, "a")
    assert again.topics()[0]["rating"] == 5
    again.close()


def test_a_file_that_comes_later_is_checked_too_and_breaks_nothing(tmp_path):
    path = tmp_path / FILE
    said = Judgements(path, "a")
    path.write_bytes(b"no database at all")
    with pytest.raises(InputError, match="doesn't hold judgements"):
        said.judge(1, 5, False, "")
    assert said.topics() == []
    path.unlink()
    said.judge(1, 5, False, "")
    assert said.topics()[0]["rating"] == 5
    said.close()


def test_two_explorers_keep_what_both_were_told(tmp_path):
    first, second = Judgements(tmp_path / FILE, "a"), Judgements(tmp_path / FILE, "a")
    first.judge(1, 5, False, "")
    second.judge(2, 4, False, "")
    assert [each["topic"] for each in first.topics()] == [1, 2]
    first.close()
    second.close()


def test_what_sqlite_refuses_is_a_sentence(tmp_path):
    path = tmp_path / FILE
    said = Judgements(path, "a")
    said.judge(1, 5, False, "")
    said._base.execute("PRAGMA busy_timeout=0")
    other = sqlite3.connect(path)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(InputError, match="nothing was saved"):
        said.judge(1, 4, False, "")
    other.rollback()
    other.close()
    assert said.topics()[0]["rating"] == 5
    said.close()


def test_nobody_saves_over_what_another_has_named(model, tmp_path):
    import chatham as ch

    folder = tmp_path / "model"
    model.save(folder)
    first, second = (Workbench(ch.load(folder), folder=folder) for _ in range(2))
    assert first.name(0, "mine") == {"kept": True}
    for change in (lambda: second.name(1, "yours"), lambda: second.edit("merge", [1, 2])):
        with pytest.raises(InputError, match="changed elsewhere"):
            change()
    assert ch.load(folder).names.given == {0: "mine"}
    assert second.model.names.given == {}
    assert first.edit("drop", [1]) == {"kept": True}
    first.close()
    second.close()


def kept_file(tmp_path):
    path = tmp_path / FILE
    said = Judgements(path, "a")
    said.judge(1, 5, False, "")
    said.close()
    return path


def test_a_planted_journal_deletes_nothing(tmp_path):
    """SQLite rolls a journal back and then deletes the further one that it names."""
    path, victim = kept_file(tmp_path), tmp_path / "victim"
    victim.write_text("precious")
    name = str(victim).encode()
    magic = bytes.fromhex("d9d505f920a163d7")
    head = magic + struct.pack(">IIIII", 0, 0, path.stat().st_size // 4096, 512, 4096)
    named = struct.pack(">I", 0x40000000 // 4096 + 1) + name
    end = struct.pack(">II", len(name), sum(name)) + magic
    path.with_name(f"{FILE}-journal").write_bytes(head.ljust(512, b"\0") + named + end)
    with pytest.raises(InputError, match="doesn't hold judgements"):
        Judgements(path, "a")
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("end", ["-journal", "-wal", "-shm"])
def test_links_beside_it_arent_followed(tmp_path, end):
    path, victim = kept_file(tmp_path), tmp_path / "victim"
    victim.write_text("precious")
    path.with_name(FILE + end).symlink_to(victim)
    with pytest.raises(InputError, match=r"is a link|doesn't hold judgements"):
        Judgements(path, "a")
    assert victim.read_text() == "precious"


def test_a_base_that_writes_ahead_is_refused(tmp_path):
    path = kept_file(tmp_path)
    altered(path, "PRAGMA journal_mode=WAL")
    with pytest.raises(InputError, match="doesn't hold judgements"):
        Judgements(path, "a")


def test_what_a_killed_process_was_writing_is_rolled_back(tmp_path):
    path = kept_file(tmp_path)
    script = (
        "import os, sqlite3, sys\n"
        "base = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "base.execute('PRAGMA cache_size=1')\n"
        "base.execute('BEGIN')\n"
        "for topic in range(2, 3000):\n"
        "    base.execute(\"INSERT INTO topics VALUES ('a', ?, 1, 0, 'half')\", (topic,))\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=False, timeout=300)
    assert path.with_name(f"{FILE}-journal").exists()
    again = Judgements(path, "a")
    assert [each["topic"] for each in again.topics()] == [1]
    again.close()
