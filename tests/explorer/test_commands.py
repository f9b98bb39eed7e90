"""`chatham explore` and `chatham report`, as they are typed."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

import chatham as ch
from chatham.cli import app
from chatham.explorer.risks import read_risks
from tests.explorer.conftest import LABELS, TEXTS

MORE = "--no-browser", "--json", "--port", "0"


@pytest.fixture
def desk(model, tmp_path):
    pd.DataFrame({"text": TEXTS, "label": LABELS}).to_csv(tmp_path / "news.csv", index=False)
    model.save(tmp_path / "model")
    return tmp_path


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_a_report_is_written(desk):
    output = desk / "report.html"
    done = run(
        "report", desk / "model", desk / "news.csv", "--label", "label", "-o", output, "--json"
    )
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["bytes"] == output.stat().st_size
    assert told["documents"] == len(TEXTS)
    same = desk / "same.html"
    assert run("report", desk / "model", desk / "news.csv", "--redacted", "-o", same).exit_code == 0
    assert run("report", desk / "model", "--redacted", "-o", output).exit_code == 0
    assert same.read_bytes() == output.read_bytes()


def test_a_report_of_directions_is_refused(desk):
    ch.fit("svd", TEXTS[:12], n_components=2, random_state=0).save(desk / "svd")
    done = run("report", desk / "svd", "-o", desk / "report.html")
    assert done.exit_code == 1
    assert "directions" in done.output


def test_it_serves_until_it_is_stopped_and_gives_the_port_back(desk):
    command = [sys.executable, "-m", "chatham", "explore", desk / "model", desk / "news.csv", *MORE]
    env = {**os.environ, "PYTHONPATH": str(Path(ch.__file__).parents[1])}
    with subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, text=True, env=env
    ) as it:
        address = json.loads("".join(iter(it.stdout.readline, "}\n")) + "}")["address"]
        port = int(address.split(":")[2].split("/")[0])
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/data", timeout=300)
        it.send_signal(signal.SIGINT)
        assert it.wait(timeout=300) == 0
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))


def test_what_it_needs_is_said(desk, monkeypatch):
    monkeypatch.setattr("chatham.explorer.extra.PACKAGES", ("no_such_package",))
    done = run("explore", desk / "model")
    assert done.exit_code == 1
    assert "no_such_package" in done.output


def test_what_is_no_audits_report_is_refused(tmp_path):
    path = tmp_path / "report.json"
    for content in ("[]", "{}", "no json", '{"audit": {"summary": "", "documents": [1]}}'):
        path.write_text(content)
        with pytest.raises(ch.InputError, match="no report of an audit"):
            read_risks(path)
    documents = [{"document": "a", "outcome": "exposed", "in_words": "", "right": {"estimate": 1}}]
    path.write_text(json.dumps({"audit": {"summary": "x", "documents": documents}}))
    assert read_risks(path)["documents"][0]["right"] == 1.0


SCRIPT = """
import sys, chatham as ch
ch.explore(ch.load(sys.argv[1]), sys.argv[2], at="topic=1", port=0, browser=False)
print("ended")
"""


def test_in_a_script_it_serves_until_ctrl_c(desk):
    words = [sys.executable, "-c", SCRIPT, str(desk / "model"), str(desk / "news.csv")]
    env = {**os.environ, "PYTHONPATH": str(Path(ch.__file__).parents[1])}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=env) as it:
        assert it.stdout.readline().rstrip().endswith("#topic=1")
        it.send_signal(signal.SIGINT)
        rest = it.stdout.read()
        assert it.wait(timeout=300) == 0
    assert rest.endswith("ended\n")
