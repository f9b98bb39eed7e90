"""Where results go is checked before the work, and compiled kernels find a place."""

import os
import stat

import pytest

from chatham.cli import caching


@pytest.fixture
def no_work(monkeypatch):
    def worked(*_, **__):
        pytest.fail("the work began before its place was checked")

    monkeypatch.setattr("chatham.corpus.read_corpus", worked)


@pytest.fixture
def places(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "dir.csv").mkdir()
    return tmp_path


UNWRITABLE = {
    "fit in a pseudo file system": ("fit", "NEWS", "-o", "/proc/foo"),
    "fit below a file": ("fit", "NEWS", "-o", "HERE/file/m"),
    "fit far below a file": ("fit", "NEWS", "-o", "HERE/file/m/n"),
    "transform onto a folder": ("transform", "MODEL", "NEWS", "-o", "HERE/dir.csv"),
    "transform in a pseudo file system": ("transform", "MODEL", "NEWS", "-o", "/proc/x.csv"),
    "transform into nothing": ("transform", "MODEL", "NEWS", "-o", "HERE/no/x.csv"),
}


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="there is no /proc here")
@pytest.mark.parametrize("words", UNWRITABLE.values(), ids=UNWRITABLE.keys())
def test_a_place_is_checked_before_the_work(run, news, model, places, no_work, words):
    given = {"NEWS": str(news), "MODEL": str(model)}
    placed = [given.get(word, word.replace("HERE", str(places))) for word in words]
    result = run(*placed)
    assert result.exit_code == 1, result.output
    assert result.stderr.startswith("Error: ")
    assert os.path.basename(placed[-1]) in result.stderr
    assert "unexpected" not in result.stderr
    assert sorted(path.name for path in places.iterdir()) == ["dir.csv", "file"]


def test_a_table_that_fails_names_the_path_asked_for(run, news, model, places, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", ".temporary")

    monkeypatch.setattr("chatham.cli.tables.os.replace", full)
    result = run("transform", model, news, "-o", places / "w.csv")
    assert "w.csv' can't be written: No space left on device." in result.stderr
    assert ".temporary" not in result.stderr


@pytest.fixture
def read_only(monkeypatch, tmp_path):
    monkeypatch.delenv(caching.VARIABLE, raising=False)
    monkeypatch.setattr(caching.os, "access", lambda *_: False)
    monkeypatch.setattr(caching.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(caching.tempfile, "mkdtemp", lambda prefix: str(tmp_path / "other"))
    yield tmp_path
    os.environ.pop(caching.VARIABLE, None)


def test_kernels_are_kept_in_a_private_folder_if_nowhere_else(read_only):
    for _ in range(2):  # the second run finds the folder of the first
        os.environ.pop(caching.VARIABLE, None)
        caching.find_cache()
        folder = os.environ[caching.VARIABLE]
        assert os.path.dirname(folder) == str(read_only)
        assert "other" not in folder
        assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700


def test_kernels_of_somebody_else_are_not_run(read_only):
    caching.find_cache()
    folder = os.environ.pop(caching.VARIABLE)
    os.chmod(folder, 0o777)
    caching.find_cache()
    assert os.environ.pop(caching.VARIABLE) == str(read_only / "other")
    os.rmdir(folder)
    os.symlink("/", folder)
    caching.find_cache()
    assert os.environ[caching.VARIABLE] == str(read_only / "other")


def test_kernels_stay_where_they_can(monkeypatch):
    monkeypatch.delenv(caching.VARIABLE, raising=False)
    monkeypatch.setattr(caching.os, "access", lambda *_: True)
    caching.find_cache()
    assert caching.VARIABLE not in os.environ
