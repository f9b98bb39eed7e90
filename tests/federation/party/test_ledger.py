"""What left the building, for a person to read."""

import json
import resource
import subprocess
import sys
import textwrap
from hashlib import sha256

import numpy as np
import pytest

from chatham.commons.fixed_point import pack
from chatham.federation.party.ledger import HEAD, NAME, Ledger, hash_of, raw_lines, read_ledger


def count_words(rows, memory):
    """How often each word is there."""


PARTS = (np.arange(3), np.array([[0.5, 0.25]]))
LAYOUT = pack(PARTS, (0, 40), 3)[0]


def lines(folder):
    return list(read_ledger(folder))


def test_each_array_has_a_line_that_a_person_can_read(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.leaving(1, count_words, LAYOUT, PARTS)
    ledger.came(1, 40, bytes(32))
    first, second, third = lines(tmp_path)
    assert first["meaning"] == "How often each word is there."
    assert first["statistic"].endswith("test_ledger.count_words")
    assert (first["shape"], first["dtype"], first["bits"], first["bytes"]) == ([3], "int64", 0, 24)
    assert (second["shape"], second["array"], second["bits"]) == ([1, 2], 1, 40)
    assert second["sha256"] == sha256(PARTS[1].tobytes()).hexdigest()
    assert (third["event"], third["round"], third["bytes"]) == ("came", 1, 40)


def test_what_went_over_direct_links_says_so_in_its_sentence(tmp_path):
    Ledger(tmp_path).leaving(1, count_words, LAYOUT, PARTS, attempt=2)
    for line in lines(tmp_path):
        assert (line["way"], line["attempt"]) == ("direct links", 2)
        assert line["meaning"] == (
            "How often each word is there: as secret shares over direct links; then the direction, "
            "masked."
        )


def test_the_same_again_is_written_once_and_other_numbers_are_written(tmp_path):
    for _ in range(2):
        Ledger(tmp_path).leaving(1, count_words, LAYOUT, PARTS)
    assert len(lines(tmp_path)) == 2
    Ledger(tmp_path).leaving(1, count_words, LAYOUT, (PARTS[0] + 1, PARTS[1]))
    assert len(lines(tmp_path)) == 3


def test_a_line_that_a_crash_cut_short_spoils_no_other(tmp_path):
    Ledger(tmp_path).leaving(1, count_words, LAYOUT, PARTS)
    path = tmp_path / NAME
    path.write_bytes(path.read_bytes()[:-30])
    (tmp_path / HEAD).write_text(hash_of(raw_lines(tmp_path)[0]))
    assert len(lines(tmp_path)) == 1
    again = Ledger(tmp_path)
    again.leaving(1, count_words, LAYOUT, PARTS)
    assert [line["array"] for line in lines(tmp_path)] == [0, 1]


def test_a_ledger_says_each_time_that_it_was_cut(tmp_path):
    for times in range(1, 4):
        ledger = Ledger(tmp_path)
        for number in range(3):
            ledger.came(10 * times + number, 40, bytes([number]) * 32)
        path = tmp_path / NAME
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-2]))
        Ledger(tmp_path)
        assert [line["event"] for line in lines(tmp_path)].count("broken") == times


def test_lines_that_arent_ours_are_passed_over(tmp_path):
    (tmp_path / NAME).write_bytes(b'\xff\xfe\n[1]\n{"event": 1}\nnull\n"x"\n' + b"[" * 5000 + b"\n")
    Ledger(tmp_path).came(1, 8, bytes(32))
    assert [line["event"] for line in lines(tmp_path)] == ["came"]


def test_numbers_are_kept_only_if_asked_for(tmp_path):
    Ledger(tmp_path / "a").leaving(1, count_words, LAYOUT, PARTS)
    assert {path.name for path in (tmp_path / "a").iterdir()} == {NAME, HEAD}
    Ledger(tmp_path / "b", plain=True).leaving(1, count_words, LAYOUT, PARTS)
    np.testing.assert_array_equal(np.load(tmp_path / "b" / "plain" / "000001-1.npy"), PARTS[1])
    assert (tmp_path / "b" / "plain").stat().st_mode & 0o077 == 0


def test_scalars_and_empty_arrays_have_their_shapes(tmp_path):
    parts = (np.asarray(3), np.empty((0, 4)))
    Ledger(tmp_path).leaving(1, count_words, pack(parts, (40,) * len(parts), 3)[0], parts)
    assert [line["shape"] for line in lines(tmp_path)] == [[], [0, 4]]


FULL = textwrap.dedent(
    """
    import resource, sys
    from pathlib import Path
    import numpy as np
    from chatham.federation.party.ledger import Ledger
    from chatham.errors import CheckpointError

    ledger = Ledger(Path(sys.argv[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50))
    try:
        ledger.came(1, 8, bytes(32))
    except CheckpointError as error:
        print(error)
    """
)


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="no limits on this system")
def test_if_the_ledger_cant_be_written_nothing_leaves(tmp_path):
    told = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert "The ledger can't be written (File too large), so nothing leaves" in told.stdout
    Ledger(tmp_path).came(2, 8, bytes(32))
    assert [line["round"] for line in lines(tmp_path)] == [2]


def test_a_ledger_is_plain_json_lines(tmp_path):
    Ledger(tmp_path).leaving(1, count_words, LAYOUT, PARTS)
    for line in (tmp_path / NAME).read_text("utf-8").splitlines():
        assert json.loads(line)["time"].endswith("+00:00")


def test_a_ledger_is_its_owners_alone(tmp_path):
    """Its hashes are of numbers, and a small number is soon guessed."""
    Ledger(tmp_path).leaving(1, count_words, LAYOUT, PARTS)
    for name in (NAME, HEAD):
        assert (tmp_path / name).stat().st_mode & 0o077 == 0
