"""One process at a time in a party's folder, in Python as on the command line."""

import gc
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("uvicorn")

import chatham as ch
from chatham.errors import InputError
from chatham.federation import locking
from chatham.federation.book import save_identity
from chatham.federation.locking import FolderLock
from tests.cli.federation import texts
from tests.federation.parties import make_session

pytestmark = pytest.mark.skipif(os.name != "posix", reason="there are no such locks there")

HOLDING = """
import sys
from pathlib import Path
from chatham.federation.locking import FolderLock
lock = FolderLock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def party(tmp_path):
    session, identities = make_session()
    session = replace(session, algorithm="plsa", vocabulary={"stop_words": "none"})
    save_identity(identities[0], tmp_path / "my.key")
    return session, {"key": tmp_path / "my.key", "folder": tmp_path / "party"}


@pytest.fixture
def held(party):
    """Another process in the folder."""
    command = [sys.executable, "-c", HOLDING, str(party[1]["folder"])]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    yield process
    process.communicate(timeout=300)


def test_a_second_fit_in_one_folder_is_refused(party, held):
    session, place = party
    corpus = ch.read_for(session, texts(40))
    with pytest.raises(InputError, match="Another process takes part"):
        ch.fit_together(session, corpus, **place)
    assert sorted(path.name for path in place["folder"].iterdir()) == ["in-use"]


def test_so_is_joining_there(party, held):
    session, place = party
    with pytest.raises(InputError, match="Another process takes part"):
        ch.join(session, np.ones((40, 3)), **place)


def test_rows_with_weights_dont_take_part(party):
    session, place = party
    rows = ch.Weighted(np.ones((40, 3)), sample_weight=np.ones(40))
    with pytest.raises(InputError, match="Rows with weights can't take part"):
        ch.join(session, rows, **place)


def test_a_process_that_is_gone_holds_nothing(party, held):
    session, place = party
    held.kill()
    held.wait(300)
    ch.join(session, np.ones((40, 3)), **place).close()


def test_two_fits_of_one_process_are_refused_too(party):
    session, place = party
    corpus = ch.read_for(session, texts(40))
    with FolderLock(place["folder"]), pytest.raises(InputError, match="Another process"):
        ch.fit_together(session, corpus, **place)


def test_joining_again_in_one_process_takes_over(party):
    session, place = party
    first = ch.join(session, np.ones((40, 3)), **place)
    second = ch.join(session, np.ones((40, 3)), **place)
    with pytest.raises(InputError, match="use the newer one"):
        first.count()
    first.close()
    with pytest.raises(InputError, match="Another process"):
        FolderLock(place["folder"])
    second.close()
    FolderLock(place["folder"]).close()


def test_a_party_that_nobody_has_holds_nothing(party):
    session, place = party
    party = ch.join(session, np.ones((40, 3)), **place)
    del party
    gc.collect()
    FolderLock(place["folder"]).close()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="can't be written"):
        FolderLock(tmp_path / "file" / "folder")


def test_whoever_withdraws_leaves_what_was_there_and_nothing_else(tmp_path):
    place = tmp_path / "new" / "folder"
    FolderLock(place).withdraw()
    assert not (tmp_path / "new").exists()
    FolderLock(place).close()
    FolderLock(place).withdraw()
    assert (place / "in-use").exists(), "it was there before"
    (place / "in-use").unlink()
    lock = FolderLock(place)
    (place / "mine").write_text("")
    lock.withdraw()
    assert [path.name for path in place.iterdir()] == ["mine"]


def test_a_file_that_was_removed_while_it_was_opened_is_not_held(tmp_path, monkeypatch):
    """Two processes would hold one folder: one its old file, the other its new one."""
    place, first = tmp_path / "folder", FolderLock(tmp_path / "folder")
    take = locking.lock_file

    def late(descriptor):
        monkeypatch.setattr(locking, "lock_file", take)
        first.withdraw()
        return take(descriptor)

    monkeypatch.setattr(locking, "lock_file", late)
    second = FolderLock(place)
    with pytest.raises(InputError, match="Another process"):
        FolderLock(place)
    second.close()
