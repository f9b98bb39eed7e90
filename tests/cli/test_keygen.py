"""`chatham keygen`: a private key that only its owner reads, and a line for the roster."""

import json
import os
import stat

import pytest

from chatham.commons.secure.keys import Identity
from chatham.federation import extra
from chatham.federation.session import Member


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_key_is_made_and_told(run, tmp_path):
    result = run("keygen", "North")
    assert result.exit_code == 0
    public = Identity.load(tmp_path / "north.key").public.hex()
    assert f"--party North={public}" in result.stdout
    assert "Never send it" in result.stdout


@pytest.mark.skipif(os.name != "posix", reason="rights of files are another matter there")
def test_only_the_owner_reads_it(run, tmp_path):
    before = os.umask(0)
    try:
        run("keygen", "North")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "north.key").stat().st_mode) == 0o600


def test_nothing_private_is_printed(run, tmp_path):
    result = run("keygen", "North", "--json")
    body = (tmp_path / "north.key").read_text().splitlines()[1]
    assert body[-20:] not in result.output


def test_an_existing_key_stays(run, tmp_path):
    run("keygen", "North")
    before = (tmp_path / "north.key").read_bytes()
    result = run("keygen", "North")
    assert result.exit_code == 1
    assert "never overwritten" in result.stderr
    assert (tmp_path / "north.key").read_bytes() == before


def test_two_keys_differ(run):
    lines = {run("keygen", "North", "-q", "-o", f"{i}.key").stdout for i in range(2)}
    assert len(lines) == 2


@pytest.mark.parametrize(
    ("name", "file"),
    [("St Mary's Hospital", "st-mary-s-hospital.key"), ("…", None), ("Ä b", "ä-b.key")],
)
def test_files_are_called_after_parties(run, tmp_path, name, file):
    result = run("keygen", name)
    assert result.exit_code == (0 if file else 2)
    files = [file, f"{file}.joined"] if file else []
    assert sorted(path.name for path in tmp_path.iterdir()) == files


def test_machines_get_json(run):
    found = json.loads(run("keygen", "West", "-o", "w.key", "--json").stdout)
    assert found["party"] == f"West={found['public_key']}"
    assert found["private_key"] == "w.key"
    assert found["book"] == "w.key.joined"
    assert found["fingerprint"] == Member("West", found["public_key"]).fingerprint


def test_an_empty_book_is_made_with_the_key(run, tmp_path):
    result = run("keygen", "North")
    book = tmp_path / "north.key.joined"
    assert book.read_bytes() == b""
    assert "Keep north.key.joined with it" in result.stdout
    public = Identity.load(tmp_path / "north.key").public.hex()
    assert f"to compare: {Member('North', public).fingerprint}" in result.stdout


def test_another_keys_book_is_left_alone(run, tmp_path):
    (tmp_path / "north.key.joined").write_text("of another key\n")
    result = run("keygen", "North")
    assert result.exit_code == 1
    assert "north.key.joined exists" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["north.key.joined"]


@pytest.mark.parametrize("name", ["a=b", "", " North", "x" * 61, "a\nb"])
def test_names_that_no_roster_takes_are_refused(run, tmp_path, name):
    result = run("keygen", name)
    assert result.exit_code == 2
    assert "A party's name" in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_said(run):
    result = run("keygen", "North", "-o", "no/such/north.key")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: no/such/north.key can't be written")


@pytest.mark.parametrize(
    "words",
    [
        ("keygen", "North"),
        ("relay", "session.toml"),
        ("join", "s.toml", "--corpus", "c.txt", "--key", "k", "--folder", "f"),
    ],
)
def test_without_the_extra_one_sentence_says_so(run, monkeypatch, words):
    monkeypatch.setattr(extra, "PACKAGES", ("no_such_package",))
    result = run(*words)
    assert result.exit_code == 1
    assert "pip install 'cryptography>=42'" in result.stderr
    assert result.stderr.count("\n") == 1
