"""The proxies of docs/together.md are run as they stand there, but for names, ports and folders."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")

from tests.cli.federation import (
    Federation,
    certificate,
    chatham,
    commands,
    ended,
    free_port,
    stopped,
)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "together.md"
MAIN = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/errors.log;
events {{ }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/relay.conf;
}}
"""


def shown(language, federation, relay_port, folder):
    """The page's example for this proxy, with the ports and files of this test."""
    text = re.search(rf"```{language}\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[1]
    named = text.replace("relay.pem", f"{folder}/relay.pem").replace("relay.example", "127.0.0.1")
    named = named.replace("relay-key.pem", f"{folder}/relay-key.pem")
    return named.replace("8443", str(federation.port)).replace("8750", str(relay_port))


def nginx(text, folder):
    (folder / "relay.conf").write_text(text)
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder))
    return ["nginx", "-p", folder, "-e", folder / "errors.log", "-c", folder / "nginx.conf"]


def caddy(text, folder):
    (folder / "Caddyfile").write_text(text.replace("{\n", "{\n\tadmin off\n", 1))
    return ["caddy", "run", "--config", folder / "Caddyfile", "--adapter", "caddyfile"]


NAMES = {"nginx": ("nginx", nginx), "caddy": ("caddyfile", caddy)}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.skipif(not shutil.which(name), reason=f"no {name}"))
        for name in NAMES
    ],
)
def test_parties_meet_through_a_proxy_as_the_page_shows_it(tmp_path, monkeypatch, name):
    language, command = NAMES[name]
    federation, relay_port = Federation(tmp_path), free_port()
    pem, _ = certificate(tmp_path)
    path = federation.session(certificate=pem.read_text())
    for place in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(place, str(tmp_path / "caddy"))
    words = command(shown(language, federation, relay_port, tmp_path), tmp_path)
    relay = chatham(
        "relay", path, "--behind-proxy", "--port", relay_port, "--folder", tmp_path / "relay",
        stdout=subprocess.PIPE,
    )  # fmt: skip
    proxy = subprocess.Popen(list(map(str, words)), stderr=subprocess.DEVNULL)
    try:
        assert relay.stdout.readline().startswith("The relay listens")
        ended(*(commands(federation.joining(each, path)) for each in federation.names))
    finally:
        stopped(relay)
        proxy.terminate()
        proxy.wait(300)
    saved = [federation.saved(each, path) for each in federation.names]
    assert saved[0] == saved[1] == saved[2]
