"""Records on disk: whole or not at all, and never what wasn't written."""

import os
import resource
import stat
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from chatham.errors import CheckpointError, ProtocolError
from chatham.federation.party.records import Rounds, _line, completed
from tests.federation.parties import Federation, all_good, make_session, play, sum_of, together
from tests.federation.party.test_connection import check, restarted

ROUNDS = 3


@pytest.fixture
def federation(tmp_path):
    made = Federation(tmp_path)
    all_good(together(*(restarted(made, i, ROUNDS) for i in range(3))))
    return made


def rounds_of(federation, index=0):
    folder = federation.folder_of(index) / "rounds"
    return Rounds(folder, federation.session.hash, federation.session.keys)


def files(federation, index=0):
    return sorted((federation.folder_of(index) / "rounds").iterdir())


def test_totals_are_read_as_they_were_written(federation):
    rounds = rounds_of(federation)
    assert rounds.completed == ROUNDS
    for number in range(1, ROUNDS + 1):
        np.testing.assert_array_equal(rounds.total(number).words, sum_of(3, number))
    assert rounds.pending() is None
    assert not [path for path in files(federation) if path.suffix == ".tmp"]


def test_records_are_the_owners_alone(federation):
    assert (federation.folder_of(0) / "rounds").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("suffix", [".total", ".agreed"])
@pytest.mark.parametrize("number", range(ROUNDS + 1))
def test_any_flipped_bit_and_any_cut_is_found(federation, number, suffix):
    path = federation.folder_of(0) / "rounds" / f"{number:06d}{suffix}"
    whole = path.read_bytes()
    rng = np.random.default_rng(number)
    places = {0, len(whole) - 1, *rng.integers(0, len(whole), 12).tolist()}
    damaged = [bytes(b ^ (1 << i % 8) * (n == i) for n, b in enumerate(whole)) for i in places]
    damaged += [whole[:length] for length in (0, 1, len(whole) // 2, len(whole) - 1)]
    damaged += [whole + b"\0", whole + whole]
    for data in damaged:
        path.write_bytes(data)
        with pytest.raises(CheckpointError, match=r"is damaged or gone.*join again"):
            federation.connect(0)
    path.write_bytes(whole)
    federation.connect(0)


def test_files_of_other_rounds_dont_fit(federation):
    folder = federation.folder_of(0) / "rounds"
    one, two = ((folder / f"00000{n}.total").read_bytes() for n in (1, 2))
    (folder / "000001.total").write_bytes(two)
    (folder / "000002.total").write_bytes(one)
    with pytest.raises(CheckpointError):
        rounds_of(federation)


def test_a_file_that_changes_while_the_party_runs_is_found(federation):
    connection = federation.connect(0)
    path = federation.folder_of(0) / "rounds" / "000001.total"
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(CheckpointError):
        play(connection, 1)
    with pytest.raises(CheckpointError):
        connection.rounds.total(1)


def test_another_record_that_fits_by_itself_is_found_while_the_party_runs(federation):
    connection = federation.connect(0)
    before = connection.rounds.total(0).chain
    other = completed(before, connection.rounds.total(1).digest, np.zeros(5, np.uint64))
    path = federation.folder_of(0) / "rounds" / "000001.total"
    path.write_bytes(_line(other) + other.words.tobytes())
    with pytest.raises(CheckpointError):
        connection.rounds.total(1)
    with pytest.raises(CheckpointError):
        federation.connect(0)


@pytest.mark.parametrize("number", [0, 2, ROUNDS])
def test_what_the_message_advises_works(federation, number):
    folder = federation.folder_of(0) / "rounds"
    (folder / f"{number:06d}.total").write_bytes(b"")
    with pytest.raises(CheckpointError, match="Move the files of that number and of later ones"):
        federation.connect(0)
    for path in folder.iterdir():
        if int(path.stem) >= number:
            path.unlink()
    totals = all_good(together(*(restarted(federation, i, ROUNDS + 1) for i in range(3))))
    check(federation, totals, redone=0, rounds=ROUNDS + 1)


def test_a_second_total_of_a_round_is_never_written(federation):
    rounds = rounds_of(federation)
    rounds.keep(bytes(32), np.arange(3, dtype=np.uint64))
    rounds.keep(bytes(32), np.arange(3, dtype=np.uint64))
    with pytest.raises(ProtocolError, match="now has another total than before"):
        rounds.keep(bytes(32), np.arange(1, 4, dtype=np.uint64))
    again = rounds_of(federation)
    assert again.completed == ROUNDS
    np.testing.assert_array_equal(again.pending().words, [0, 1, 2])


@pytest.mark.parametrize("count", [0, 1, 2, 4])
def test_a_round_needs_everybodys_signature(federation, count):
    rounds = rounds_of(federation)
    kept = rounds.keep(bytes(32), np.arange(3, dtype=np.uint64))
    connections = [federation.connect(i) for i in (0, 1, 2, 2)]
    frames = [c._voice.frame("agree", bytes(32), ROUNDS + 1, chain=kept.chain) for c in connections]
    with pytest.raises(ProtocolError, match="lacks the signature"):
        rounds.agree(kept, frames[:count])
    assert rounds_of(federation).completed == ROUNDS
    rounds.agree(kept, frames[:3])
    assert rounds_of(federation).completed == ROUNDS + 1


@pytest.mark.skipif(os.name != "posix", reason="others' rights are something else there")
def test_a_partys_folder_is_its_owners_alone(tmp_path):
    session, _ = make_session(3)
    Rounds(tmp_path / "north" / "rounds", session.hash, session.keys)
    for folder in ("north", "north/rounds"):
        assert stat.S_IMODE((tmp_path / folder).stat().st_mode) & 0o077 == 0


def test_a_total_that_is_handed_over_needs_fitting_signatures(federation):
    giver, words = rounds_of(federation, 1), np.zeros(5, np.uint64)
    taker = rounds_of(federation, 0)
    for path in files(federation):
        if int(path.stem) >= 2:
            path.unlink()
    taker = rounds_of(federation, 0)
    kept = giver.total(2)
    for digest, total, signatures in (
        (kept.digest, words, giver.signatures(2)),
        (bytes(32 * [1]), kept.words, giver.signatures(2)),
        (kept.digest, kept.words, giver.signatures(1)),
        (kept.digest, kept.words, giver.signatures(2)[:-1]),
        (kept.digest, kept.words, b""),
    ):
        with pytest.raises(ProtocolError):
            taker.adopt(digest, total, signatures)
        assert taker.completed == 1
        assert taker.pending() is None
    with pytest.raises(ProtocolError, match="more signatures"):
        taker.adopt(kept.digest, kept.words, 50_000 * giver.signatures(2))
    taker.adopt(kept.digest, kept.words, giver.signatures(2))
    assert taker.completed == 2


FULL = textwrap.dedent(
    """
    import resource, sys
    from pathlib import Path
    import numpy as np
    from chatham.federation.party.records import Rounds, _line, completed
    from chatham.errors import CheckpointError

    rounds = Rounds(Path(sys.argv[1]), bytes(32), [])
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
    try:
        rounds.keep(bytes(32), np.zeros(1000, np.uint64))
    except CheckpointError as error:
        print(error)
    """
)


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="no limits on this system")
def test_a_full_disk_leaves_nothing_half_written(tmp_path):
    told = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert "000000.total can't be written (File too large)" in told.stdout
    assert "Make room and join again" in told.stdout
    assert list(tmp_path.iterdir()) == []
