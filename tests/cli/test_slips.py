"""One party's slips, one after the other: none of them ends another's work, or spoils the model."""

import os
import signal
import subprocess

import pytest

from tests.cli.federation import NAMES, Federation, chatham, commands, ended, stopped
from tests.cli.test_together import simulated


def interrupted_at(process, moment):
    """Press Ctrl-C once the process has said this; how it ended, and all that it said."""
    said = ""
    while moment not in said:
        sign = process.stderr.read(1)
        assert sign, said
        said += sign
    process.send_signal(signal.SIGINT)
    return process.wait(timeout=300), said + process.communicate(timeout=300)[1]


def left(folder):
    """What is in a party's folder, but for its lock."""
    return {path.name: path.read_bytes() for path in folder.glob("*") if path.is_file()}


@pytest.mark.skipif(os.name != "posix", reason="signals are sent another way on this system")
def test_wrong_file_wrong_folder_and_second_thoughts(run, tmp_path):
    federation = Federation(tmp_path)
    path = federation.session("plsa", parameters={"max_iter": 4})
    relay, _ = federation.relaying(path)
    try:
        # North takes another party's file, and sees it while it waits.
        wrong = chatham(*federation.joining("North", path, corpus=federation.text("South")))
        code, said = interrupted_at(wrong, "waiting for South and West to join")
        assert code == 130
        assert "Stopped after 0 complete rounds" in said

        # With the right file it is asked, since other documents were confirmed, and hesitates.
        words = [word for word in federation.joining("North", path) if word != "--yes"]
        asked = chatham(*words, stdin=subprocess.PIPE)
        code, said = interrupted_at(asked, "Take part?")
        assert "These aren't the documents with which you confirmed this session." in said
        assert (code, said.splitlines()[-1]) == (1, "Nothing was sent.")

        # West takes North's folder.
        before = left(tmp_path / "North-plsa")
        result = run(*federation.joining("West", path, folder=tmp_path / "North-plsa"))
        assert result.exit_code == 1
        assert "North-plsa' is the folder of North, and your key is that of West" in result.stderr
        assert left(tmp_path / "North-plsa") == before

        ended(*(commands(federation.joining(name, path)) for name in NAMES))
        # Once it is over, too: the others' models are there, and stay.
        result = run(*federation.joining("West", path, folder=tmp_path / "North-plsa"))
        assert "is the folder of North" in result.stderr
    finally:
        stopped(relay)
    models = [federation.saved(name, path) for name in NAMES]
    assert models[0] == models[1] == models[2]
    assert models[0] == simulated(federation, path, tmp_path / "model")


def test_a_folder_that_names_nobody_known_is_another_partys(run, tmp_path):
    federation = Federation(tmp_path, documents=2)
    path = federation.session()
    folder = tmp_path / "North-lda"
    folder.mkdir()
    (folder / "party").write_text("\\x00 damaged")
    result = run(*federation.joining("North", path))
    assert result.exit_code == 1
    assert "is the folder of another party, and your key is that of North" in result.stderr
