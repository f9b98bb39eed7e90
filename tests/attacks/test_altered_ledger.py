"""Somebody with access to a party's folder who alters its ledger: every single change is found.

Lines are altered in each of their fields, removed, moved, doubled, added and cut off, wherever they
are; the whole chain is written anew without a round, or with another total. What a chain alone
can't show, the records show, which all parties signed.
"""

import json
import shutil
from itertools import pairwise

import numpy as np
import pytest

from chatham.federation.party.ledger import FIRST, HEAD, NAME, Ledger, hash_of, raw_lines
from chatham.federation.party.party import Party
from chatham.federation.party.verifying import verify_ledger
from tests.federation.parties import Federation, all_good, together

ROUNDS = 4


def count_ones(rows, memory, number):
    """A one and the number of the round."""
    return np.ones(2), np.array([number])


def added_up(federation, index, rounds, plain=False):
    ledger = Ledger(federation.folder_of(index), plain=plain)
    party = Party(np.ones((2, 2)), federation.connect(index), ledger)
    for number in range(rounds):
        party.sum(count_ones, number, total=9.0)
    party.connection.finish()


@pytest.fixture(scope="module")
def federation(tmp_path_factory):
    met = Federation(tmp_path_factory.mktemp("met"))
    all_good(together(*(lambda i=i: added_up(met, i, ROUNDS, plain=True) for i in range(3))))
    return met


@pytest.fixture
def folder(federation, tmp_path):
    """A party's folder, to be altered."""
    return shutil.copytree(federation.folder_of(1), tmp_path / "party")


def faults(federation, folder):
    return verify_ledger(folder, federation.session).faults


def put(folder, lines):
    (folder / NAME).write_bytes(b"".join(line + b"\n" for line in lines))


def rechained(entries):
    """The whole chain anew, as somebody would write it who knows how."""
    before, lines = FIRST, []
    for entry in entries:
        lines.append(json.dumps({**entry, "before": before}).encode())
        before = hash_of(lines[-1])
    return lines


def put_anew(folder, entries):
    lines = rechained(entries)
    put(folder, lines)
    (folder / HEAD).write_text(hash_of(lines[-1]))


def test_what_was_written_is_sound(federation, folder):
    verdict = verify_ledger(folder, federation.session)
    assert verdict.is_sound
    assert (verdict.lines, verdict.rounds) == (1 + 3 * ROUNDS, ROUNDS)


def test_every_altered_field_of_every_line_is_found(federation, folder):
    lines, tried = raw_lines(folder), 0
    for place, line in enumerate(lines):
        entry = json.loads(line)
        for name, value in entry.items():
            other = entry | {name: f"{value}x" if isinstance(value, str) else 77}
            for changed in (other, {k: v for k, v in entry.items() if k != name}):
                put(folder, [*lines[:place], json.dumps(changed).encode(), *lines[place + 1 :]])
                found = faults(federation, folder)
                assert any(f"line {place + 1}" in fault.lower() for fault in found) or (
                    place == len(lines) - 1 and any("last line" in fault for fault in found)
                ), (place, name, found)
                tried += 1
    print(f"{tried} altered fields, all found")


def test_every_byte_that_is_flipped_is_found(federation, folder):
    whole = (folder / NAME).read_bytes()
    for place in range(0, len(whole), 7):
        (folder / NAME).write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert faults(federation, folder), place


def test_every_removed_line_is_found(federation, folder):
    lines = raw_lines(folder)
    for place in range(len(lines)):
        put(folder, lines[:place] + lines[place + 1 :])
        found = faults(federation, folder)
        number = "Line 1 isn't the first" if place == 0 else f"Line {place + 1} wasn't"
        ends = "doesn't end where"
        assert found[0].startswith(number) or ends in found[0], (place, found)


def test_every_move_is_found(federation, folder):
    lines = raw_lines(folder)
    for one, other in pairwise(range(len(lines))):
        moved = list(lines)
        moved[one], moved[other] = lines[other], lines[one]
        put(folder, moved)
        assert faults(federation, folder)[0].lower().startswith(f"line {one + 1} "), one


def test_every_doubled_line_is_found(federation, folder):
    lines = raw_lines(folder)
    for place, line in enumerate(lines):
        put(folder, [*lines[: place + 1], line, *lines[place + 1 :]])
        assert f"Line {place + 2} wasn't" in faults(federation, folder)[0]


def test_every_cut_is_found(federation, folder):
    """After whole lines, and within one."""
    whole = (folder / NAME).read_bytes()
    for length in range(0, len(whole) - 1, 41):
        (folder / NAME).write_bytes(whole[:length])
        assert any("doesn't end where" in fault for fault in faults(federation, folder)), length


def test_a_party_that_goes_on_after_a_cut_says_so(federation, folder):
    put(folder, raw_lines(folder)[:-2])
    Ledger(folder).came(ROUNDS, 24, bytes(32))
    assert "wasn't whole when it was continued" in " ".join(faults(federation, folder))


def test_lines_that_were_added_are_found(federation, folder):
    lines = raw_lines(folder)
    more = [json.loads(line) for line in lines] + [
        {"time": "t", "event": "left", "round": ROUNDS + number, "bytes": 8} for number in (1, 2)
    ]
    put(folder, rechained(more))
    assert "were added later" in faults(federation, folder)[0]


def test_a_chain_written_anew_lacks_no_round_and_has_no_other_total(federation, folder):
    entries = [json.loads(line) for line in raw_lines(folder)]
    for round_ in range(1, ROUNDS + 1):
        put_anew(folder, [entry for entry in entries if entry["round"] != round_])
        assert f"Record {round_}: the ledger doesn't say what left." in faults(federation, folder)
        other = {"sha256": "00" * 32}
        put_anew(
            folder,
            [e | other if (e["event"], e["round"]) == ("came", round_) else e for e in entries],
        )
        assert f"the record of round {round_} has another total" in faults(federation, folder)[0]
    put_anew(folder, [entry for entry in entries if entry["event"] != "hello"])
    assert "no hello" in faults(federation, folder)[0]


def test_a_head_that_is_gone_is_found(federation, folder):
    (folder / HEAD).unlink()
    assert "ledger.head is missing" in faults(federation, folder)[0]


@pytest.mark.parametrize("kind", ["total", "agreed"])
@pytest.mark.parametrize("number", range(ROUNDS + 2))
def test_every_record_that_is_altered_or_gone_is_found(federation, folder, number, kind):
    path = folder / "rounds" / f"{number:06d}.{kind}"
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert path.name in faults(federation, folder)[0]
    path.unlink()
    found = faults(federation, folder)
    if number <= ROUNDS:
        assert found
        last = "there is no record of it" in found[0]
        assert last or path.name in found[0]
    else:
        assert kind == "agreed" or path.name in found[0]


def test_kept_numbers_that_were_altered_are_found(federation, folder):
    for path in sorted((folder / "plain").iterdir()):
        before = path.read_bytes()
        np.save(path, np.load(path) + 1)
        assert f"plain/{path.name}" in faults(federation, folder)[0]
        path.write_bytes(b"not an array")
        assert f"plain/{path.name}" in faults(federation, folder)[0]
        path.write_bytes(before)
    assert not faults(federation, folder)
