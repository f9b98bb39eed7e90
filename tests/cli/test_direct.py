"""A party with direct links, from the command line: its certificate, the session, the model."""

import json
import os
import socket
import stat
from dataclasses import replace

import numpy as np
import pytest

import chatham as ch
from chatham.federation.join import read_for
from chatham.federation.party.ledger import read_ledger
from chatham.federation.program import counted_as
from chatham.federation.session import read_member, read_session
from tests.cli.federation import NAMES, Federation, commands, ended, free_port, stopped
from tests.federation.normed.direct import free_ports

pytest.importorskip("mpyc")
RELAY = ("--relay", "http://127.0.0.1:8750")
SVD = ("--model", "svd", "-k", 2, "--set", "sums=normed", "--max-iter", 4)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def parties(run, here):
    """Three parties that have made keys and certificates."""
    for name, port in zip(NAMES, free_ports(3), strict=True):
        assert run("keygen", name, "--address", f"127.0.0.1:{port}").exit_code == 0
    return [word for name in NAMES for word in ("--party", f"{name.lower()}.party")]


# -- keys and certificates


def test_a_party_gets_two_private_keys_and_a_file_for_all(run, here):
    before = os.umask(0)
    try:
        result = run("keygen", "North", "--address", "chatham.north.example:7000")
    finally:
        os.umask(before)
    assert result.exit_code == 0
    assert "--party north.party" in result.stdout
    assert "port 7000 must be open" in result.stdout
    for name in ("north.key", "north.direct.key"):
        secret = (here / name).read_text().splitlines()[1]
        assert stat.S_IMODE((here / name).stat().st_mode) == 0o600 or os.name != "posix"
        assert secret[-20:] not in result.output + (here / "north.party").read_text()
    member = read_member(here / "north.party")
    assert (member.name, member.address) == ("North", "chatham.north.example:7000")


def test_a_key_that_is_there_is_kept_and_nothing_overwritten(run, here):
    line = run("keygen", "North", "-q").stdout.strip()
    told = json.loads(run("keygen", "North", "--address", "host:7000", "--json").stdout)
    assert line == f"North={told['public_key']}"
    assert told["party"] == "north.party"
    before = {path: path.read_bytes() for path in here.iterdir()}
    result = run("keygen", "North", "--address", "host:7000")
    assert result.exit_code == 1
    assert "never overwritten" in result.stderr
    assert {path: path.read_bytes() for path in here.iterdir()} == before


@pytest.mark.parametrize(
    "address", ["", "host", "host:", "host:0", "host:99999", "https://host:1", "host:1/", "a b:1"]
)
def test_an_address_that_is_none_is_refused(run, here, address):
    result = run("keygen", "North", "--address", address)
    assert result.exit_code == 2
    assert "must be HOST:PORT" in result.stderr
    assert not list(here.iterdir())


# -- the session


def test_a_session_takes_parties_from_their_files(run, parties):
    result = run("session", *parties, *RELAY, *SVD)
    assert result.exit_code == 0, result.output
    session = read_session("session.toml")
    assert [m.name for m in session.parties] == list(NAMES)
    assert all("BEGIN CERTIFICATE" in member.certificate for member in session.parties)
    assert session.parameters["tol"] == 1e-6
    assert "PRIVATE" not in session.to_toml()
    said = " ".join(result.stdout.split())
    assert "over direct links from each party to each" in said
    assert "against fewer than half of the parties: 2 of 3 who collude" in said


def test_lines_and_files_may_stand_side_by_side(run, parties):
    words = ["--party", f"East={'f' * 64}", *parties[:4], *RELAY]
    assert run("session", *words).exit_code == 0
    assert "direct links" not in run("session", *words, "-o", "other.toml").stdout


def test_sessions_that_could_have_no_links_are_refused(run, parties, here):
    line = ("--party", f"East={'f' * 64}")
    for words, said in (
        ((*parties[:4], *line), "names no address for East"),
        ((*parties[:4], "--two-parties-know"), "needs at least 3 parties"),
        ((*parties[:4], "--party", "north.key"), "isn't a party's public file"),
        ((*parties[:4], "--party", "north.party"), "same name or the same key"),
    ):
        result = run("session", *words, *RELAY, *SVD)
        assert result.exit_code == 1, result.output
        assert said in result.stderr
    assert run("session", *parties[:4], "--party", "none.party", *RELAY).exit_code == 2
    assert not (here / "session.toml").exists()


# -- joining


def joining(here, name, *more):
    low = name.lower()
    return [
        "join", here / "session.toml", "--corpus", here / f"{name}.txt", "--key",
        here / f"{low}.key", "--folder", here / low, "-o", here / f"{low}-model", "--yes", *more,
    ]  # fmt: skip


def test_what_would_keep_links_from_coming_about_is_said_first(run, parties, here):
    Federation(here, names=("South",))
    run("session", *parties, *RELAY, *SVD)
    for more, said in (
        (("--direct-key", "none.key"), "there is no 'none.key'"),
        (("--direct-key", "west.direct.key"), "isn't the private key of the certificate"),
    ):
        result = run(*joining(here, "South", *more))
        assert result.exit_code == 1
        assert said in result.stderr
    session = read_session("session.toml")
    north, south, west = session.parties
    with socket.create_server(("127.0.0.1", int(south.address.rpartition(":")[2]))):
        assert "which can't be listened on" in run(*joining(here, "South")).stderr
    bare = replace(session, parties=(north, south, replace(west, certificate="")))
    (here / "session.toml").write_text(bare.to_toml())
    assert "names no certificate for West" in run(*joining(here, "South")).stderr
    assert not (here / "south").exists()


def test_three_processes_find_directions_by_normed_sums(run, parties, here, monkeypatch):
    monkeypatch.undo()  # processes begin where the tests did
    federation = Federation(here)
    federation.port = free_port()
    words = ("--relay", f"http://127.0.0.1:{federation.port}", "--stop-words", "none")
    files = [here / word if word.endswith(".party") else word for word in parties]
    made = run("session", *files, *words, *SVD, "--exact-totals-know", "-o", here / "session.toml")
    assert made.exit_code == 0
    relay, _ = federation.relaying(here / "session.toml")
    try:
        ended(*(commands(joining(here, name)) for name in NAMES))
    finally:
        stopped(relay)
    models = [ch.load(here / f"{name.lower()}-model") for name in NAMES]
    assert (models[0].topics == models[1].topics).all()
    assert (models[0].topics == models[2].topics).all()
    session = read_session(here / "session.toml")
    corpora = [read_for(session, here / f"{name}.txt") for name in NAMES]
    rows = counted_as(session, corpora, models[0].vocabulary)
    plain = ch.SVD(2, sums="normed", max_iter=4, tol=1e-6, random_state=0)
    with pytest.warns(UserWarning, match="stopped after 4 passes"):
        plain.fit(ch.Simulated(rows))
    np.testing.assert_allclose(models[0].topics, plain.components_, atol=1e-8)
    assert models[0].estimator.singular_values_.size == 0
    ways = [line.get("way") for line in read_ledger(here / "west") if line["event"] == "left"]
    assert ways.count("direct links") == 8
    monkeypatch.setenv("COLUMNS", "200")
    told = run("ledger", here / "west").stdout
    assert "[direct] XᵀX times" in told
    assert "Fewer than half of the parties" in " ".join(told.split())
