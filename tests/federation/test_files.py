"""A file is there in full or not at all, whatever befalls its writer."""

import os

import pytest

from chatham.federation.files import write_whole
from tests.federation.parties import Crash


def failing(error):
    def replace(source, target):
        raise error

    return replace


def test_parts_are_written_one_after_the_other(tmp_path):
    write_whole(tmp_path / "total", b"ab", memoryview(b"cd"), b"")
    assert (tmp_path / "total").read_bytes() == b"abcd"
    assert os.listdir(tmp_path) == ["total"]


def test_what_was_there_stays_if_it_cant_be_written(tmp_path, monkeypatch):
    write_whole(tmp_path / "total", b"old")
    monkeypatch.setattr(os, "replace", failing(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space left"):
        write_whole(tmp_path / "total", b"new")
    assert (tmp_path / "total").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["total"]


def test_whoever_is_killed_before_the_renaming_can_write_it_again(tmp_path, monkeypatch):
    write_whole(tmp_path / "total", b"old")
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", failing(Crash()))
        with pytest.raises(Crash):
            write_whole(tmp_path / "total", b"longer than before")
    assert (tmp_path / "total").read_bytes() == b"old"
    write_whole(tmp_path / "total", b"new")
    assert (tmp_path / "total").read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["total"]
