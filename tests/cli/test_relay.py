"""`chatham relay`: where it listens, with what certificate, and how it ends."""

import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import threading
from dataclasses import replace

import httpx
import pytest
import uvicorn

from chatham.cli.relay.place import place_of
from chatham.cli.relay.server import _listening, _Server
from chatham.federation.relay.service import relay_app
from chatham.federation.session import read_session
from tests.cli.federation import Federation, certificate, chatham, stopped


@pytest.fixture
def federation(tmp_path):
    return Federation(tmp_path, documents=2)


def test_it_says_where_it_listens_and_ends_when_asked(federation):
    sessions = [federation.session(), federation.session("nmf")]
    process, told = federation.relaying(*sessions)
    try:
        assert told["address"] == f"http://127.0.0.1:{federation.port}"
        assert [each["hash"] for each in told["sessions"]] == [
            read_session(path).hash.hex() for path in sessions
        ]
        assert httpx.get(told["address"], trust_env=False).json()["relay"] == "chatham"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
        assert (process.returncode, errors) == (0, "")
    finally:
        process.kill()


def test_people_read_what_it_serves(federation):
    path = federation.session()
    process = chatham(
        "relay", path, "--folder", federation.folder / "r", "--port", federation.port,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        lines = [process.stdout.readline() for _ in range(3)]
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=300)
    finally:
        process.kill()
    assert lines[0] == f"The relay listens at http://127.0.0.1:{federation.port} for 1 session:\n"
    assert "North, South, West" in lines[1]
    assert rest == "Stopped. Start it again with the same folder, and the sessions continue.\n"
    assert (process.returncode, errors) == (0, "")


def told_by(federation, *words):
    """What a relay with these words says as JSON; it is stopped again."""
    process = chatham("relay", *words, "--folder", federation.folder / "r", "--json",
                      stdout=subprocess.PIPE)  # fmt: skip
    try:
        told = ""
        while not told.rstrip().endswith("\n}"):
            line = process.stdout.readline()
            assert line, process.communicate()
            told += line
    finally:
        stopped(process)
    return json.loads(told)


def test_with_a_certificate_it_speaks_tls_alone_where_the_session_says(federation, tmp_path):
    pem, key = certificate(tmp_path)
    path = federation.session(certificate=pem.read_text())
    process = chatham(
        "relay", path, "--folder", tmp_path / "r", "--certificate", pem, "--key", key,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    address = f"https://127.0.0.1:{federation.port}"
    try:
        assert process.stdout.readline() == f"The relay listens at {address} for 1 session:\n"
        trust = ssl.create_default_context(cadata=pem.read_text())
        assert httpx.get(address, verify=trust, trust_env=False).json()["relay"] == "chatham"
        with pytest.raises(httpx.HTTPError):
            httpx.get(address, trust_env=False)  # nobody who counts has signed it
        with pytest.raises(httpx.HTTPError):
            httpx.get(address.replace("https", "http"), trust_env=False)
    finally:
        _, errors = stopped(process)
    assert "Traceback" not in errors


def test_port_and_scheme_are_the_sessions(federation):
    told = told_by(federation, federation.session())
    assert told["address"] == f"http://127.0.0.1:{federation.port}"
    assert told["sessions"][0]["relay"] == told["address"]


def test_parties_that_speak_https_never_get_a_plain_relay(run, federation, tmp_path):
    pem, _ = certificate(tmp_path)
    path = federation.session(certificate=pem.read_text())
    result = run("relay", path, "--folder", tmp_path / "r")
    said = " ".join(result.stderr.split())
    assert result.exit_code == 2
    assert f"speak https, to https://127.0.0.1:{federation.port}: give --certificate" in said
    assert not (tmp_path / "r").exists()


def test_parties_that_speak_http_never_get_one_with_a_certificate(run, federation, tmp_path):
    pem, key = certificate(tmp_path)
    result = run("relay", federation.session(), "--certificate", pem, "--key", key)
    assert result.exit_code == 2
    assert "speak http, to" in " ".join(result.stderr.split())


def test_a_relay_that_is_found_elsewhere_says_so(federation, tmp_path):
    pem, _ = certificate(tmp_path)
    behind = federation.session(certificate=pem.read_text())
    forwarded = federation.session("nmf")
    for path, more in ((behind, ["--behind-proxy"]), (forwarded, [])):
        process = chatham(
            "relay", path, "--folder", tmp_path / path.stem, "--port", 0, *more,
            stdout=subprocess.PIPE,
        )  # fmt: skip
        try:
            lines = [process.stdout.readline() for _ in range(3)]
        finally:
            stopped(process)
        assert lines[0].startswith("The relay listens at http://127.0.0.1:")
        named = read_session(path).relay
        assert lines[2] == (
            f"Their parties look for it at {named}; see to it that this leads here.\n"
        )


def at(path, address):
    """A session whose relay is at another address."""
    other = path.with_name(f"{path.stem}-elsewhere.toml")
    other.write_text(replace(read_session(path), relay=address, id="cd" * 16).to_toml())
    return other


def test_sessions_of_several_ports_need_a_choice(run, federation, tmp_path):
    one = federation.session()
    result = run("relay", one, at(one, "http://127.0.0.1"), "--folder", tmp_path / "r")
    assert result.exit_code == 2
    assert f"at ports 80 and {federation.port}" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("address", "proxy", "place"),
    [
        ("http://127.0.0.1:8751", False, ("127.0.0.1", 8751)),
        ("http://localhost", False, ("127.0.0.1", 80)),
        ("http://[::1]:8751", False, ("::1", 8751)),
        ("https://relay.example", False, ("0.0.0.0", 443)),
        ("https://relay.example:8443", False, ("0.0.0.0", 8443)),
        ("https://[2001:db8::1]:8443", False, ("::", 8443)),
        ("https://127.0.0.1:8443", False, ("127.0.0.1", 8443)),
        ("https://relay.example:8443", True, ("127.0.0.1", 8750)),
        ("http://[::1]:8751", True, ("127.0.0.1", 8750)),
    ],
)
def test_it_listens_where_the_session_says(federation, address, proxy, place):
    session = read_session(at(federation.session(), address))
    certified = address.startswith("https:") and not proxy
    found = place_of([session], None, None, certified=certified, behind_proxy=proxy)
    assert (found.host, found.port) == place
    chosen = place_of([session], "localhost", 7, certified=certified, behind_proxy=proxy)
    assert (chosen.host, chosen.port) == ("localhost", 7)


def test_other_machines_reach_it_by_tls_alone(run, federation):
    result = run("relay", federation.session(), "--host", "0.0.0.0")
    assert result.exit_code == 2
    assert "TLS" in result.stderr


@pytest.mark.parametrize("option", ["--certificate", "--key"])
def test_a_certificate_and_its_key_come_together(run, federation, option):
    result = run("relay", federation.session(), option, "relay.pem")
    assert result.exit_code == 2
    assert "together" in result.stderr


def test_what_is_no_certificate_is_refused(run, federation, tmp_path):
    pem, key = certificate(tmp_path)
    path = federation.session(certificate=pem.read_text())
    (tmp_path / "other.pem").write_text("no PEM")
    for pair in ((tmp_path / "other.pem", key), (pem, tmp_path / "none.pem"), (key, pem)):
        result = run(
            "relay", path, "--certificate", pair[0], "--key", pair[1],
            "--folder", tmp_path / "r",
        )  # fmt: skip
        assert result.exit_code == 1
        assert "certificate" in result.stderr or "can't be read" in result.stderr


def test_a_port_in_use_is_said(run, federation, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run("relay", federation.session(), "--port", port, "--folder", tmp_path / "r")
    assert result.exit_code == 1
    assert f"port {port}: Address already in use." in result.stderr


@pytest.mark.skipif(os.name != "posix", reason="there are no such locks there")
def test_a_folder_has_room_for_one_relay(federation):
    path = federation.session()
    first, told = federation.relaying(path)
    words = ["relay", path, "--port", 0, "--folder", told["folder"]]
    second = chatham(*words, stdout=subprocess.PIPE)
    try:
        assert second.stdout.readline() == "", "it serves nobody"
    finally:
        _, errors = stopped(second)
        stopped(first)
    assert second.returncode == 1
    assert errors.startswith(f"Error: Another relay runs in '{told['folder']}'; stop it first")
    first, _ = federation.relaying(path)  # the lock ended with the process that had it
    stopped(first)


def test_one_session_twice_is_refused(run, federation, tmp_path):
    path = federation.session()
    result = run("relay", path, path, "--folder", tmp_path / "r")
    assert result.exit_code == 1
    assert "once" in result.stderr


@pytest.mark.parametrize("text", ["", "id = 1", "not toml", None])
def test_what_is_no_session_is_refused(run, tmp_path, text):
    path = tmp_path / "s.toml"
    if text is not None:
        path.write_text(text)
    result = run("relay", path, "--folder", tmp_path / "r")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert "s.toml" in result.stderr


def test_small_answers_leave_at_once(federation, tmp_path):
    """Without TCP_NODELAY each waits for the other side's acknowledgement, some 40 ms."""
    listening = _listening("127.0.0.1", 0)
    app = relay_app([read_session(federation.session())], tmp_path / "r")
    config = uvicorn.Config(app, log_level="error")
    listens = threading.Event()
    server = _Server(config, listens.set, 10, by_address=True)
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        assert listens.wait(300)
        host, port = listening.getsockname()
        connection = http.client.HTTPConnection(host, port, timeout=300)
        connection.request("GET", "/")
        assert connection.getresponse().status == 200
        (http_side,) = server.server_state.connections
        accepted = http_side.transport.get_extra_info("socket")
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        connection.close()
    finally:
        server.stop()
        thread.join()
