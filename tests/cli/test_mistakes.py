"""One party's mistake, between real processes: it ends with a sentence, and the others go on."""

import os
import shutil
import signal

import pytest

from tests.cli.federation import NAMES, Federation, chatham, commands, ended, stopped
from tests.cli.test_together import simulated


@pytest.fixture
def begun(tmp_path):
    """A session in which West was killed in round 20 and has lost its folder; two wait for it."""
    federation = Federation(tmp_path)
    path = federation.session("lda", parameters={"max_iter": 40})
    relay, _ = federation.relaying(path)
    others = [chatham(*federation.joining(name, path)) for name in NAMES[:2]]
    try:
        west = commands(federation.joining("West", path), killed_at="000020.agreed")
        west.join(timeout=300)
        assert west.exitcode == -signal.SIGKILL
        shutil.rmtree(tmp_path / f"West-{path.stem}")
        yield federation, path, others
    finally:
        for process in others:
            if process.poll() is None:
                stopped(process)
        stopped(relay)


def refused(process):
    """What a process says that ends because of its own mistake: one sentence, no more."""
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 1
    (sentence,) = [line for line in errors.splitlines() if line.startswith("Error: ")]
    assert "Traceback" not in errors
    return sentence


def says(process, sentence):
    """Wait until a process that goes on says so."""
    while sentence not in (line := process.stderr.readline()):
        assert line, process.communicate()
    assert process.poll() is None
    return line


def completed(federation, path, others):
    ended(chatham(*federation.joining("West", path)), *others)
    models = [federation.saved(name, path) for name in NAMES]
    assert models[0] == models[1] == models[2]
    assert models[0] == simulated(federation, path, federation.folder / "model")


def test_other_documents_and_an_empty_folder(begun):
    federation, path, others = begun
    wrong = chatham(*federation.joining("West", path, corpus=federation.text("North")))
    assert "aren't the documents with which this party joined the session" in refused(wrong)
    for process in others:
        assert "waiting for West: West came with other" in says(
            process, "came with other documents"
        )
    completed(federation, path, others)


def test_another_version_and_an_empty_folder(begun, tmp_path):
    federation, path, others = begun
    other = tmp_path / "elsewhere" / "chatham-99.0.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: chatham\nVersion: 99.0\n")
    paths = os.pathsep.join(filter(None, [str(other.parent), os.environ.get("PYTHONPATH")]))
    wrong = chatham(*federation.joining("West", path), env={**os.environ, "PYTHONPATH": paths})
    sentence = refused(wrong)
    assert "This session began with Chatham " in sentence
    assert "and this is 99.0" in sentence
    for process in others:
        assert "waiting for West: West has 99.0" in says(process, "install the same version")
    completed(federation, path, others)


def test_a_key_that_isnt_in_the_roster(begun, run, tmp_path):
    federation, path, others = begun
    run("keygen", "East", "-o", tmp_path / "east.key")
    stranger = chatham(*federation.joining("West", path, key=tmp_path / "east.key"))
    assert "Your key isn't in this session's roster" in refused(stranger)
    completed(federation, path, others)
